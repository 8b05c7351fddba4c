// This asks the driver, not the runtime: the runtime would create a context, of some hundred megabytes, in a process
// that only sorts in host memory. It asks only a driver that the process has loaded. Looking for it by name takes a
// microsecond, so it is looked for again only when the process has loaded another library since. Asking for that takes
// 10 ns and a lock of all threads. So most processes, which load no library once they run, are told apart by one word:
// libraries of the start are never unloaded, and what is loaded later is put behind the last of them in the list of
// libraries. That is the dynamic linker, or one behind it that others of the start need.
#include "device/host_reach.hpp"

#include "cpu/atomic_view.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

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

#if defined(__GLIBC__)
/// Calls f(tag, name) for the names in the dynamic section of a library: its own, and those that it needs.
template <class F>
void each_name(const link_map& library, F&& f) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* d = library.l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_STRTAB) // some are not yet where the library is
      strings = reinterpret_cast<const char*>(d->d_un.d_ptr + (d->d_un.d_ptr < library.l_addr ? library.l_addr : 0));
  for (const ElfW(Dyn)* d = library.l_ld; d->d_tag != DT_NULL; ++d)
    if (strings != nullptr && (d->d_tag == DT_NEEDED || d->d_tag == DT_SONAME))
      f(d->d_tag, strings + d->d_un.d_val);
}

/// Whether one of the libraries before it needs this one, by its name.
bool is_needed_before(const link_map& library) {
  const char* name = nullptr;
  each_name(library, [&](auto tag, const char* string) { name = tag == DT_SONAME ? string : name; });
  bool needed = false;
  for (const link_map* before = library.l_prev; name != nullptr && before != nullptr; before = before->l_prev)
    each_name(*before, [&](auto tag, const char* string) {
      needed = needed || (tag == DT_NEEDED && std::strcmp(string, name) == 0);
    });
  return needed;
}
#endif

/// What follows the last library of the start in the list of libraries: null in a process that has loaded none since,
/// or has unloaded those again. Null where that cannot be had.
void** end_of_libraries() {
#if defined(__GLIBC__)
  static void** const word = []() -> void** {
    Dl_info symbol{};
    link_map* last = nullptr;
    if (_r_debug.r_brk == 0 ||
        dladdr1(reinterpret_cast<void*>(_r_debug.r_brk), &symbol, reinterpret_cast<void**>(&last), RTLD_DL_LINKMAP) ==
            0 ||
        last == nullptr || last->l_addr != _r_debug.r_ldbase)
      return nullptr;
    // All up to the linker are of the start, and so is what one of these needs. Meanwhile none is unloaded.
    dl_iterate_phdr(
        [](dl_phdr_info*, std::size_t, void* of) {
          auto*& end = *static_cast<link_map**>(of);
          while (end->l_next != nullptr && is_needed_before(*end->l_next))
            end = end->l_next;
          return 1;
        },
        &last);
    static_assert(sizeof(last->l_next) == sizeof(void*));
    return reinterpret_cast<void**>(&last->l_next);
  }();
  return word;
#else
  return nullptr;
#endif
}

bool is_null(void** word) {
  // Another thread may load a library.
  return word != nullptr && cpu::atomic_view(*word).load(std::memory_order_relaxed) == nullptr;
}

std::atomic<bool> none_at_start{false}; // no driver among the libraries of the start

/// Null where this process has no driver.
ask_driver driver() {
  static std::atomic<ask_driver> found{nullptr};
  static std::atomic<std::uint64_t> missed_at{0};
  if (const ask_driver known = found.load(std::memory_order_acquire))
    return known;
  if (none_at_start.load(std::memory_order_relaxed) && is_null(end_of_libraries()))
    return nullptr;
  const std::uint64_t now = libraries_loaded_so_far();
  if (missed_at.load(std::memory_order_relaxed) == now)
    return nullptr;
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); // never closed
  const auto ask =
      library == nullptr ? nullptr : reinterpret_cast<ask_driver>(dlsym(library, "cuPointerGetAttributes"));
  if (ask == nullptr) {
    missed_at.store(now, std::memory_order_relaxed);
    none_at_start.store(true, std::memory_order_relaxed); // what is missing now was missing then
  } else {
    found.store(ask, std::memory_order_release);
  }
  return ask;
}
#else
void** end_of_libraries() {
  return nullptr;
}
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

void** word_of_a_driver() noexcept {
  return driver() == nullptr ? end_of_libraries() : nullptr;
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
