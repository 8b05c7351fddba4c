// gpu_place() of a build without CUDA.
#include "tests/gpu/fuzz/place.hpp"

#include <sortile/device.hpp>

namespace sortile::fuzz {

place gpu_place(std::string& why) {
  why = devices().why_none;
  return {};
}

} // namespace sortile::fuzz
