// The command `sortile`: parses, runs the chosen subcommand, and turns whatever goes wrong into one line and an exit
// status.
#include "command_line.hpp"

#include "files/temporary_files.hpp"

#include <csignal>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <unistd.h>

namespace sortile::cli {

namespace {

// A mapped input that another process made shorter. Nothing can be read any more where its end was, so that the run
// ends here.
extern "C" void input_became_shorter(int) {
  constexpr char message[] = "sortile: an input became shorter while it was read\n";
  files::remove_temporary_files();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(trouble);
}

// Standard descriptors that the caller has closed would be given to the next files that are opened. Opened the wrong
// way round, they fail when they are used, as closed ones do.
void occupy_closed_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      ::_exit(trouble);
}

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// Messages name the command that was meant, also where it was not understood to its end.
const std::string& name_command(command_line& line) {
  return line.voice.command = full_name(innermost(line.app));
}

int show_help(const CLI::App& app, bool with_examples) {
  const CLI::App& command = innermost(app);
  const std::string footer = command.get_footer();
  std::string text = command.help(command.get_parent() != nullptr ? full_name(*command.get_parent()) : "");
  if (!with_examples && command.get_parent() != nullptr && !footer.empty())
    text.erase(text.rfind(footer));
  for (std::size_t gap; (gap = text.find("\n\n\n")) != std::string::npos;)
    text.erase(gap, 1);
  fmt::print("{}\n", std::string_view(text).substr(0, text.find_last_not_of('\n') + 1));
  return all_well;
}

int parse_and_run(command_line& line, int argc, char** argv) {
  try {
    line.app.parse(argc, argv);
    return line.action();
  } catch (const CLI::CallForHelp&) {
    return show_help(line.app, false);
  } catch (const CLI::CallForAllHelp&) {
    return show_help(line.app, true);
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return all_well;
  } catch (const CLI::ParseError& error) {
    const std::string command = name_command(line);
    // What was not understood is named first: it may well be why something required is missing.
    const std::vector<std::string> unknown = line.app.remaining(true);
    const bool no_command = line.app.get_subcommands().empty();
    const std::string what = unknown.empty() ? error.what()
                             : no_command    ? fmt::format("there is no command '{}'", unknown.front())
                                             : fmt::format("'{}' is not understood", unknown.front());
    line.voice.error(fmt::format("{} ({} -h lists what is allowed)", what, command));
  } catch (const std::bad_alloc&) {
    name_command(line);
    line.voice.error("out of memory");
  } catch (const std::exception& error) {
    name_command(line);
    line.voice.error(error.what());
  }
  return trouble;
}

} // namespace

} // namespace sortile::cli

int main(int argc, char** argv) {
  sortile::cli::occupy_closed_descriptors();
  sortile::files::remove_temporary_files_on_signals();
  std::signal(SIGBUS, sortile::cli::input_became_shorter);
  sortile::cli::command_line line;
  sortile::cli::add_commands(line);
  const int status = sortile::cli::parse_and_run(line, argc, argv);
  if (std::fflush(stdout) != 0) {
    line.voice.error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
    return sortile::cli::trouble;
  }
  return status;
}
