// sort_bench.hpp in a build without CUDA.
#include "bench/gpu/sort_bench.hpp"

#include <sortile/error.hpp>

namespace sortile::bench {

struct sort_bench::inside {};

sort_bench::sort_bench() {
  throw engine_unusable("this build has no CUDA side");
}
sort_bench::~sort_bench() = default;

// Nobody can call these: there is no object.
const testing::facts& sort_bench::environment() const {
  throw engine_unusable("this build has no CUDA side");
}
sort_result sort_bench::measure(const sort_row&, const sort_measuring&) {
  throw engine_unusable("this build has no CUDA side");
}

} // namespace sortile::bench
