// The sentences that say why there is no GPU, or why one cannot be used, from what the CUDA runtime answered. They are
// apart from the code that asks, so that tests can try answers that no machine at hand gives.
#pragma once

#include <string>

namespace sortile::device {

inline constexpr int oldest_major = 8; ///< the kernels are compiled for 8.0 and later

/// What the runtime says when it is asked for devices.
struct runtime_answer {
  enum class outcome { counted, no_device, driver_insufficient, failed };
  outcome what = outcome::counted; ///< counted: it gave a number of devices, here 0
  int driver = 0, runtime = 0;     ///< CUDA versions as the runtime writes them, 13000; driver 0: there is none
  std::string error{};             ///< of `failed`: CUDA's name for it and its text
};

/// "13.0"
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Why there is no device.
inline std::string why_no_device(const runtime_answer& answer) {
  using outcome = runtime_answer::outcome;
  if (answer.what == outcome::failed)
    return "CUDA reports " + answer.error;
  if (answer.driver == 0)
    return "no NVIDIA driver is installed";
  if (answer.what == outcome::driver_insufficient)
    return "the NVIDIA driver is too old: it knows CUDA " + version_text(answer.driver) + ", sortile was built with " +
           version_text(answer.runtime);
  return "the NVIDIA driver sees no GPU";
}

/// Why a device cannot be used; empty where it can. `quick_kernels`: they were compiled for a machine without a GPU
/// (SORTILE_QUICK_KERNELS), in a way that nobody has tested on one.
inline std::string why_unusable(int compute_major, int compute_minor, bool computing_prohibited, bool quick_kernels) {
  if (quick_kernels)
    return "this build's kernels are not optimised and not for running: it was configured on a machine without a GPU. "
           "Configure it again here, or with -DSORTILE_QUICK_KERNELS=OFF";
  if (compute_major < oldest_major)
    return "compute capability " + std::to_string(compute_major) + "." + std::to_string(compute_minor) +
           " is too old: " + std::to_string(oldest_major) + ".0 is the oldest that sortile's kernels are built for";
  return computing_prohibited ? "its compute mode forbids computing" : "";
}

} // namespace sortile::device
