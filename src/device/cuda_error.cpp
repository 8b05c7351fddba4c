#include "device/cuda_error.hpp"

#include <sortile/error.hpp>

#include <string>

namespace sortile::device {
namespace {

std::string describe(cudaError_t code, const char* what, const char* file, int line) {
  return std::string(file) + ":" + std::to_string(line) + ": " + what + ": " + cudaGetErrorName(code) + " (" +
         cudaGetErrorString(code) + ")";
}

} // namespace

void check(cudaError_t code, const char* what, const char* file, int line) {
  if (code == cudaSuccess)
    return;
  static_cast<void>(cudaGetLastError());
  throw device_failure("sortile: " + describe(code, what, file, line));
}

void check_allocation(cudaError_t code, std::size_t wanted, const char* what, const char* file, int line) {
  if (code != cudaErrorMemoryAllocation)
    return check(code, what, file, line);
  static_cast<void>(cudaGetLastError());
  std::size_t free = 0, total = 0;
  const bool known = cudaMemGetInfo(&free, &total) == cudaSuccess;
  throw out_of_memory(
      "sortile: GPU out of memory: " + std::to_string(wanted) + " bytes wanted, " +
      (known ? std::to_string(free) + " of " + std::to_string(total) + " free; " : "free memory unknown; ") +
      describe(code, what, file, line));
}

} // namespace sortile::device
