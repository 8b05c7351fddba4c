// An engine in a library of its own, as sortile_cuda is in a shared build: registers itself when it is loaded.
#include "cpu/parallel.hpp"
#include "plan/registry.hpp"

#include <algorithm>
#include <atomic>

namespace {

class reversing_engine final : public sortile::engine {
 public:
  std::string_view name() const override { return "loaded"; }
  std::string_view description() const override {
    return "sorts bytes, by the threads of the library that it was loaded into";
  }
  std::string_view why_unusable() const override { return {}; }
  std::string_view why_refused(const sortile::sort_request& r, const sortile::options&) const override {
    return r.type == sortile::key_type::u8 ? "" : "it sorts bytes";
  }
  sortile::plan make_plan(const sortile::sort_request&, const sortile::options&, unsigned) const override { return {}; }
  sortile::result_place run(const sortile::sort_request& r, const sortile::options&,
                            const sortile::execution&) const override {
    std::atomic<unsigned> workers{0};
    sortile::cpu::run_on(3, [&](unsigned) { ++workers; });
    if (workers != 3)
      throw sortile::error(sortile::status::internal_error, "threads are missing");
    auto* const keys = static_cast<unsigned char*>(r.keys_out);
    std::sort(keys, keys + r.n);
    return sortile::result_place::output;
  }
};

const reversing_engine the_engine;
[[maybe_unused]] const bool registered = (sortile::register_engine(the_engine, sortile::rank::cpu + 1), true);

} // namespace
