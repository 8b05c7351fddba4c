// See temporary_files.hpp. A slot is null (free) or owns the path of an unfinished output. Whoever takes the path out
// of its slot, by an atomic exchange, owns it: the destructor frees it, the handler unlinks the file and leaves the
// memory to the dying process. So neither ever reads what the other has freed.
//
// While signals are held (signal_hold), the handler only notes its signal; whoever held them last raises it again.
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

std::atomic<int> holds{0};
std::atomic<int> noted{0};
static_assert(std::atomic<int>::is_always_lock_free);

void end_by(int signal) {
  remove_temporary_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal); // from within a handler: delivered when it returns
}

// A fault of the program's own: going on, even for a moment, would only repeat it.
bool is_fault(int signal) {
  switch (signal) {
  case SIGILL:
  case SIGTRAP:
  case SIGABRT:
  case SIGBUS:
  case SIGFPE:
  case SIGSEGV:
  case SIGSYS:
    return true;
  default:
    return false;
  }
}

extern "C" void on_signal(int signal) {
  if (holds > 0 && !is_fault(signal))
    noted = signal;
  else
    end_by(signal);
}

// Whether a signal that nobody has asked for ends the process, and can be caught.
bool ends_the_process(int signal) {
  switch (signal) {
  case SIGKILL:
  case SIGSTOP:
  case SIGTSTP:
  case SIGTTIN:
  case SIGTTOU:
  case SIGCHLD:
  case SIGCONT:
  case SIGURG:
  case SIGWINCH:
  case SIGXFSZ: // see below
    return false;
  default:
    return true;
  }
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

signal_hold::signal_hold() {
  ++holds;
}

signal_hold::~signal_hold() {
  if (--holds == 0)
    if (const int signal = noted.exchange(0))
      end_by(signal);
}

void remove_temporary_files_on_signals() {
  std::signal(SIGXFSZ, SIG_IGN);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    // Ignored ones (nohup) stay so; some numbers are the C library's own; a sanitizer has handlers for faults.
    if (!ends_the_process(signal) || ::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL)
      continue;
    action = {};
    action.sa_handler = on_signal;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

} // namespace sortile::files
