// simt_profile executor|cuda: see profile.cu.
#include "profile.hpp"

#include <cstdio>
#include <exception>
#include <string>

int main(int argc, char** argv) {
  const std::string backend = argc == 2 ? argv[1] : "";
  try {
    if (backend == "executor")
      return sortile::simt_cost::profile<sortile::simt::on_executor>(), 0;
#if defined(SORTILE_HAS_CUDA) && SORTILE_HAS_CUDA
    if (backend == "cuda")
      return sortile::simt_cost::profile<sortile::simt::on_cuda>(), 0;
#endif
    std::fprintf(stderr, "usage: simt_profile executor|cuda (cuda only in a build with CUDA)\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "simt_profile: %s\n", e.what());
  }
  return 2;
}
