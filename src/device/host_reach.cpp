// This asks the driver, not the runtime: the runtime would create a context, of some hundred megabytes, in a process
// that only sorts in host memory. It asks only a driver that the process has loaded. Looking for it by name takes a
// microsecond, so it is looked for again only when the process has loaded another library since.
#include "device/host_reach.hpp"

#include <array>
#include <atomic>
#include <cstdint>

#if defined(__linux__)
#include <dlfcn.h>
#include <link.h>
#endif

namespace sortile::device {
namespace {

/// cuPointerGetAttributes of cuda.h, which a build without CUDA does not have. Memory that is not CUDA's it reports by
/// zeros; cuPointerGetAttribute would fail, and tools would report that.
using ask_driver = int (*)(unsigned attributes, int* which, void** answers, unsigned long long pointer);
enum attribute { memory_type = 2, host_pointer = 4, is_managed = 8 };
constexpr unsigned in_device_memory = 2;
constexpr int well = 0;

#if defined(__linux__)
std::uint64_t libraries_loaded_so_far() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = first->dlpi_adds;
        return 1; // no further ones
      },
      &loads);
  return loads;
}

/// Null where this process has no driver.
ask_driver driver() {
  static std::atomic<ask_driver> found{nullptr};
  static std::atomic<std::uint64_t> missed_at{0};
  if (const ask_driver known = found.load(std::memory_order_acquire))
    return known;
  const std::uint64_t now = libraries_loaded_so_far();
  if (missed_at.load(std::memory_order_relaxed) == now)
    return nullptr;
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); // never closed
  const auto ask =
      library == nullptr ? nullptr : reinterpret_cast<ask_driver>(dlsym(library, "cuPointerGetAttributes"));
  if (ask == nullptr)
    missed_at.store(now, std::memory_order_relaxed);
  else
    found.store(ask, std::memory_order_release);
  return ask;
}
#else
ask_driver driver() {
  return nullptr;
}
#endif

/// Pieces of memory that this thread has lately found not to be CUDA's. Asking the driver takes 0.2 µs once there is a
/// context, ten times a short sort. CUDA takes addresses 2 MiB at a time, so no such piece holds both kinds. Should a
/// piece be freed and become a device's, only the message is lost: the sort faults, as on any wrong pointer.
class known_host_memory {
 public:
  bool holds(std::uintptr_t piece) const { return recent_[piece % places] == piece; }
  void add(std::uintptr_t piece) { recent_[piece % places] = piece; }

 private:
  static constexpr std::size_t places = 64;
  std::array<std::uintptr_t, places> recent_{};
};

} // namespace

bool has_driver() noexcept {
  return driver() != nullptr;
}

bool is_out_of_reach(const void* array) noexcept {
  const ask_driver ask = array == nullptr ? nullptr : driver();
  if (ask == nullptr)
    return false;
  static thread_local known_host_memory known;
  const auto address = reinterpret_cast<std::uintptr_t>(array);
  const std::uintptr_t piece = address >> 21;
  if (known.holds(piece))
    return false;
  unsigned type = 0, managed = 0;
  void* here = nullptr;
  int which[] = {memory_type, host_pointer, is_managed};
  void* answers[] = {&type, &here, &managed};
  if (ask(3, which, answers, address) != well)
    return false;
  if (type == 0)
    known.add(piece);
  return type == in_device_memory && (managed & 0xff) == 0 && here == nullptr;
}

} // namespace sortile::device
