// See temporary_files.hpp. A slot is null (free) or owns the path of an unfinished output. Whoever takes the path out
// of its slot, by an atomic exchange, owns it: the destructor frees it, the handler unlinks the file and leaves the
// memory to the dying process. So neither ever reads what the other has freed.
#include "files/temporary_files.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace sortile::files {

namespace {

std::array<std::atomic<char*>, 16> slots{};
std::array<std::atomic<char*>, 16> taken{}; // what the handler has used up: never freed, but not lost to leak checkers
static_assert(std::atomic<char*>::is_always_lock_free);

extern "C" void remove_and_die(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace

temporary_entry::temporary_entry(const std::string& path) {
  char* copy = ::strdup(path.c_str());
  for (int slot = 0; copy != nullptr && slot < static_cast<int>(slots.size()); ++slot) {
    char* free_slot = nullptr;
    if (slots[static_cast<std::size_t>(slot)].compare_exchange_strong(free_slot, copy)) {
      slot_ = slot;
      return;
    }
  }
  std::free(copy);
}

temporary_entry::~temporary_entry() {
  // The handler takes a path out of its slot; then the process is about to end, and the path is left to it.
  if (slot_ >= 0)
    std::free(slots[static_cast<std::size_t>(slot_)].exchange(nullptr));
}

void remove_temporary_files() noexcept {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (char* path = slots[i].exchange(nullptr)) {
      ::unlink(path);
      taken[i] = path;
    }
  }
}

void remove_temporary_files_on_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
      continue;
    action = {};
    action.sa_handler = remove_and_die;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

} // namespace sortile::files
