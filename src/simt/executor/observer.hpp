// An observer is told what kernels do on the executor: launches, blocks, requests of warps, barriers, in the order in
// which they happen.
//
//     my_observer o;                              // overrides what it wants to know
//     const executor::observing now(o);           // what this host thread launches from here on, on any device
//     simt::launch(queue, …);                     // under check::counters
//
// It is told a warp's requests when the warp's lanes meet (a warp-wide call, a block barrier, the block's end), in the
// order of the program; blocks and warps come in the order of the schedule. Host code that uses memory calls the
// functions that begin with `host_` itself (classics/machine.cpp).
#pragma once

#include "simt/executor/runtime.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace sortile::executor {

enum class memory_space : std::uint8_t { global, shared, constant };

/// One load, store or atomic of a warp, with all that its lanes asked for.
struct warp_request {
  static constexpr std::size_t largest_access = 32; ///< bytes of a lane
  using value = std::array<unsigned char, largest_access>;

  access kind{};
  memory_space space{};
  unsigned block = 0; ///< counted along x, then y, then z
  unsigned warp = 0;
  std::uint32_t lanes = 0; ///< who takes part
  std::uint32_t size = 0;  ///< bytes a lane
  std::array<const char*, simt::warp_size> address{};
  const char* base = nullptr; ///< of the shared storage or of the constants that the addresses are in
  unsigned owner = 0;         ///< block whose shared storage it is: another one of the cluster, perhaps
  site where;
  std::uint64_t units = 0, ideal = 0;                ///< as in memory_counters
  std::array<value, simt::warp_size> before{};       ///< what each lane found there
  std::array<value, simt::warp_size> after{};        ///< and left there
  std::array<std::uint64_t, simt::warp_size> tick{}; ///< when: accesses of the launch before it

  bool writes() const { return kind == access::store || kind == access::ordered_store || kind == access::atomic; }
};

/// Lanes, warps or blocks that have waited for each other.
struct meeting {
  enum class level : std::uint8_t { collective, warp, named, block, cluster, grid };
  level where_they_meet{};
  unsigned block = 0, warp = 0; ///< of a cluster or grid: the block that came last
  std::uint32_t lanes = 0;      ///< of a warp
  site where;
};

struct launch_shape {
  std::string_view kernel;
  grid_shape dims;
  std::size_t shared_bytes = 0; ///< a block
  bool cooperative = false;
};

/// A bulk copy that has landed.
struct bulk_landing {
  unsigned block = 0;
  const char *to = nullptr, *from = nullptr, *shared_base = nullptr;
  std::size_t bytes = 0;
  bool to_shared = false;
  site where;
};

class observer {
 public:
  virtual ~observer() = default;
  virtual void launch_begins(const launch_shape&) {}
  /// Not called where the launch has failed.
  virtual void launch_ends(const counters&) {}
  virtual void block_begins(unsigned) {}
  virtual void block_ends(unsigned) {}
  virtual void requested(const warp_request&) {}
  virtual void met(const meeting&) {}
  virtual void bulk_copied(const bulk_landing&) {}

  virtual void host_allocated(const void*, std::size_t) {}
  virtual void host_freed(const void*) {}
  virtual void host_named(const void*, std::string_view) {}
  virtual void host_wrote(const void*, std::size_t) {}
  virtual void host_read(const void*, std::size_t) {}
};

/// While it lives, `o` is told of what this host thread launches. They may be nested; the innermost is told.
class observing {
 public:
  explicit observing(observer& o);
  ~observing();
  observing(const observing&) = delete;
  observing& operator=(const observing&) = delete;

 private:
  observer* before_;
};

/// The observer of this host thread, or null.
observer* watching();

} // namespace sortile::executor
