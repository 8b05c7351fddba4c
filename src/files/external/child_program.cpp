// See child_program.hpp.
#include "files/external/child_program.hpp"

#include "files/failure.hpp"

#include <cstring>
#include <ctime>
#include <utility>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sortile::files {

namespace {

sigset_t broken_pipe() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGPIPE);
  return set;
}

// What the program is started with: its two descriptors, and no signal held back.
class spawn_settings {
 public:
  spawn_settings(int reads, int writes) {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, reads, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, writes, STDOUT_FILENO);
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  }
  spawn_settings(const spawn_settings&) = delete;
  spawn_settings& operator=(const spawn_settings&) = delete;
  ~spawn_settings() {
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
  }

  posix_spawn_file_actions_t files{};
  posix_spawnattr_t attributes{};
};

} // namespace

child_program::child_program(const std::string& program, const std::vector<std::string>& arguments, int reads,
                             int writes)
    : program_(program) {
  // A parent may have had its children's ends ignored; then nobody could wait for them.
  struct sigaction action {};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN)
    std::signal(SIGCHLD, SIG_DFL);
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const spawn_settings settings(reads, writes);
  const int code =
      ::posix_spawnp(&process_, program.c_str(), &settings.files, &settings.attributes, pointers.data(), environ);
  if (code != 0) {
    process_ = -1;
    fail_system(program_, "start the program", code);
  }
}

int child_program::wait() {
  int status = 0;
  const pid_t process = std::exchange(process_, -1);
  while (process >= 0 && ::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR)
      fail_system(program_, "wait for the program");
  }
  return status;
}

void child_program::finish() {
  const int status = wait();
  if (WIFSIGNALED(status))
    fail(program_, "the program was ended by a signal: {}", ::strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0)
    fail(program_, "the program ended with status {}", WEXITSTATUS(status));
}

child_program::~child_program() {
  int status = 0;
  while (process_ >= 0 && ::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
}

no_broken_pipe_signal::no_broken_pipe_signal() {
  const sigset_t set = broken_pipe();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
}

no_broken_pipe_signal::~no_broken_pipe_signal() {
  const sigset_t set = broken_pipe();
  const timespec at_once{};
  while (::sigismember(&before_, SIGPIPE) == 0 && ::sigtimedwait(&set, nullptr, &at_once) > 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

} // namespace sortile::files
