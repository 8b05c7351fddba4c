// A run on the executor as a file: every request of a warp with its addresses, banks and sectors, barriers, and what
// lay in memory before and after, in the order in which it happened. docs/trace-format.md describes the file.
//
//     trace seen;
//     {
//       const executor::observing now(seen);      // on a machine with check::counters
//       run(…);
//     }
//     seen.to_json().dump()
#pragma once

#include "simt/executor/observer.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace sortile::classics {

class trace : public executor::observer {
 public:
  /// The file's format, and the version that this code writes.
  static constexpr std::string_view format = "sortile-trace";
  static constexpr unsigned version = 1;
  /// What a trace holds at most: beyond it nothing more is recorded.
  static constexpr std::size_t most_events = 50'000;

  trace();
  ~trace() override;
  trace(const trace&) = delete;
  trace& operator=(const trace&) = delete;

  /// Whether more happened than a trace holds. Then it is of no use.
  bool overflowed() const { return overflowed_; }
  std::size_t launches() const;
  std::size_t size() const; ///< events
  /// The whole trace. `about` says what ran; it becomes a member of that name.
  nlohmann::ordered_json to_json(const nlohmann::ordered_json& about) const;

  void launch_begins(const executor::launch_shape& l) override;
  void launch_ends(const executor::counters& c) override;
  void block_begins(unsigned block) override;
  void block_ends(unsigned block) override;
  void requested(const executor::warp_request& r) override;
  void met(const executor::meeting& m) override;
  void bulk_copied(const executor::bulk_landing& b) override;
  void host_allocated(const void* memory, std::size_t bytes) override;
  void host_freed(const void* memory) override;
  void host_named(const void* memory, std::string_view name) override;
  void host_wrote(const void* memory, std::size_t bytes) override;
  void host_read(const void* memory, std::size_t bytes) override;

 private:
  struct array {
    std::string name;
    const char* address;
    std::size_t bytes;
    unsigned element = 0; // bytes of the narrowest access; 0: none yet
    bool live = true;
    std::size_t born = 0, freed = 0; // events so far
  };
  struct events;

  array* array_at(const void* address);
  std::size_t number_of(const array& a) const { return std::size_t(&a - arrays_.data()); }
  unsigned site_of(const executor::site& s);
  bool room();

  std::vector<array> arrays_;
  std::map<std::tuple<std::string, unsigned, unsigned>, unsigned> sites_;
  std::unique_ptr<events> events_;
  bool overflowed_ = false;
};

} // namespace sortile::classics
