// See leased_pages.hpp. The signal handler finds what is leased in `current`. `answering` counts the handlers that may
// be using it, so that nobody unmaps it meanwhile. Whoever takes `leased` away, by an atomic exchange, gives the lease
// back.
//
// A page that a file has lost is a SIGBUS for whoever reads it: one of the sort's threads, or the answer as it copies.
// Both end the process; the first of several writes the message, the others wait for the end.
#include "files/leased_pages.hpp"

#include "files/message_text.hpp"
#include "files/parallel.hpp"
#include "files/temporary_files.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ // Linux has it since 5.14, glibc since 2.35
#define MADV_POPULATE_READ 22
#endif

namespace sortile::files {

struct leased_map {
  file_descriptor file; // a description of our own, so that the lease ends with this process
  char* region = nullptr;
  std::size_t region_bytes = 0; // address space
  std::size_t file_bytes = 0;   // at its front: the map of whole pages; the rest of the file is copied behind it
  std::size_t lead = 0;         // in front of the first byte that is wanted
  std::size_t size = 0;
  std::string changed, unreadable; // what is said where the bytes cannot be trusted
  std::atomic<bool> leased{false};

  ~leased_map() {
    if (region != nullptr)
      ::munmap(region, region_bytes);
  }
};

namespace {

constexpr std::size_t asked_for_at_once = std::size_t{1} << 22;
constexpr int trouble = 2; // as the command ends after an error

std::atomic<leased_map*> current{nullptr};
std::atomic<int> answering{0};
static_assert(std::atomic<leased_map*>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// Says that the bytes cannot be trusted, and ends. For a signal handler.
[[noreturn]] void end_process(const std::string& why) {
  static std::atomic<bool> ending{false};
  while (ending.exchange(true))
    ::pause();
  if (::write(STDERR_FILENO, why.data(), why.size()) < 0) {
    // The status says it, too.
  }
  remove_temporary_files();
  ::_exit(trouble);
}

// Somebody wants to write to the file. For a signal handler.
void answer(leased_map& map) {
  if (!map.leased.exchange(false))
    return;
  void* const copy =
      ::mmap(nullptr, map.file_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy != MAP_FAILED) {
    std::memcpy(copy, map.region, map.file_bytes);
    const bool replaced =
        ::mremap(copy, map.file_bytes, map.file_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, map.region) != MAP_FAILED;
    if (replaced && ::fcntl(map.file.get(), F_SETLEASE, F_UNLCK) == 0)
      return;
  }
  end_process(map.changed);
}

extern "C" void on_lease_wanted(int) {
  const int kept = errno;
  ++answering;
  if (leased_map* const map = current)
    answer(*map);
  --answering;
  errno = kept;
}

struct sigaction before_faults {}; // what SIGBUS did before there were leased pages

// A page of the map is there no longer: the file was cut after the lease had run out, or the disk fails. Any other
// SIGBUS goes to whom it went before: the fault repeats itself, a signal that was sent is raised again.
extern "C" void on_fault(int signal, siginfo_t* info, void*) {
  const int kept = errno;
  ++answering;
  if (leased_map* const map = current; map != nullptr && info->si_code == BUS_ADRERR) {
    const auto* const at = static_cast<const char*>(info->si_addr);
    if (!std::less<>{}(at, map->region) && std::less<>{}(at, map->region + map->file_bytes))
      end_process(map->unreadable);
  }
  --answering;
  ::sigaction(signal, &before_faults, nullptr);
  if (info->si_code <= 0)
    ::raise(signal);
  errno = kept;
}

// An answer in the middle of on_fault() would meet the page that is not there while SIGBUS is blocked, which ends a
// process without a word; and it could wait for the end that the function below it is about to bring.
void catch_faults() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  ::sigemptyset(&action.sa_mask);
  ::sigaddset(&action.sa_mask, SIGURG);
  if (::sigaction(SIGBUS, nullptr, &before_faults) == 0) // known before the first fault comes
    ::sigaction(SIGBUS, &action, nullptr);
}

// Unless somebody else has taken the signal meanwhile.
void leave_faults() {
  struct sigaction now {};
  if (::sigaction(SIGBUS, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault)
    ::sigaction(SIGBUS, &before_faults, nullptr);
}

// From now on the signal reaches us, on whichever thread.
bool catch_signal() {
  struct sigaction action {};
  action.sa_handler = on_lease_wanted;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGURG);
  return ::sigaction(SIGURG, &action, nullptr) == 0 && ::pthread_sigmask(SIG_UNBLOCK, &wanted, nullptr) == 0;
}

// File systems of this machine, where the system sees every writer.
bool is_local(int fd) {
  constexpr std::array<unsigned long, 6> kinds{EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,
                                               TMPFS_MAGIC,      F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC};
  struct statfs about {};
  return ::fstatfs(fd, &about) == 0 &&
         std::find(kinds.begin(), kinds.end(), static_cast<unsigned long>(about.f_type)) != kinds.end();
}

bool has_size(int fd, std::uint64_t size) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) == size;
}

// The end of the file, which does not fill a page.
bool copy_end(const leased_map& map, std::uint64_t end) {
  const std::size_t rest = map.lead + map.size - map.file_bytes;
  return ::pread(map.file.get(), map.region + map.file_bytes, rest, static_cast<off_t>(end - rest)) ==
         static_cast<ssize_t>(rest);
}

// Room for the file from the page on in which `begin` lies, and a page behind it.
bool map_file(leased_map& map, std::uint64_t begin, std::uint64_t end) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  map.lead = begin % page;
  map.size = static_cast<std::size_t>(end - begin);
  map.file_bytes = (map.lead + map.size) / page * page;
  map.region_bytes = map.file_bytes + 2 * page;
  void* const region =
      ::mmap(nullptr, map.region_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED)
    return false;
  map.region = static_cast<char*>(region);
  return ::mmap(region, map.file_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, map.file.get(),
                static_cast<off_t>(begin - map.lead)) != MAP_FAILED;
}

// Reads what is not in memory yet. False where a page cannot be read: whoever reads the file then learns why.
bool ask_for_pages(const leased_map& map, unsigned threads) {
  std::atomic<bool> all_there{true};
  parallel_for(threads, (map.file_bytes + asked_for_at_once - 1) / asked_for_at_once, [&](std::size_t i) {
    const std::size_t from = i * asked_for_at_once;
    if (::madvise(map.region + from, std::min(asked_for_at_once, map.file_bytes - from), MADV_POPULATE_READ) != 0)
      all_there = false;
  });
  return all_there;
}

bool take_lease(leased_map& map) {
  const int fd = map.file.get();
  if (!catch_signal() || ::fcntl(fd, F_SETSIG, SIGURG) != 0)
    return false;
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
    return false;
  map.leased = true;
  if (::fcntl(fd, F_GETLEASE) != F_RDLCK) // somebody came before the handler knew of the lease
    answer(map);
  return true;
}

} // namespace

leased_pages leased_pages::of(int fd, std::uint64_t begin, std::uint64_t end, const std::string& name,
                              unsigned threads) {
  leased_pages pages;
  if (end < begin || end - begin < smallest || !is_local(fd))
    return pages;
  auto map = std::make_unique<leased_map>();
  map->changed = fmt::format("sortile: {}: was changed while it was sorted\n", escaped(name));
  map->unreadable = fmt::format("sortile: {}: was cut while it was sorted, or can no longer be read\n", escaped(name));
  map->file = file_descriptor(::open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  leased_map* none = nullptr;
  if (!map->file || !map_file(*map, begin, end) || !current.compare_exchange_strong(none, map.get()))
    return pages;
  pages.held_.reset(map.release());
  catch_faults();
  const leased_map& held = *pages.held_;
  if (!take_lease(*pages.held_) || !has_size(held.file.get(), end) || !copy_end(held, end) ||
      !ask_for_pages(held, threads))
    pages.held_ = nullptr;
  return pages;
}

void leased_pages::release::operator()(leased_map* map) const {
  if (map->leased.exchange(false))
    ::fcntl(map->file.get(), F_SETLEASE, F_UNLCK);
  leave_faults();
  current = nullptr;
  while (answering != 0)
    std::this_thread::yield();
  delete map;
}

char* leased_pages::data() const {
  return held_->region + held_->lead;
}

std::size_t leased_pages::size() const {
  return held_->size;
}

std::size_t leased_pages::capacity() const {
  return held_->region_bytes - held_->lead;
}

} // namespace sortile::files
