// The command `sortile`: parses, runs the chosen subcommand, and turns whatever goes wrong into one line and an exit status.
#include "command_line.hpp"

#include "files/temporary_files.hpp"

#include <csignal>
#include <cstring>
#include <new>

#include <unistd.h>

namespace sortile::cli {

namespace {

// A mapped input that another process made shorter. Nothing can be read any more where its end was, so that the run ends here.
extern "C" void input_became_shorter(int) {
  constexpr char message[] = "sortile: an input became shorter while it was read\n";
  files::remove_temporary_files();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message, sizeof message - 1);
  ::_exit(trouble);
}

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

int show_help(const CLI::App& app, bool with_examples) {
  const CLI::App& command = innermost(app);
  const std::string footer = command.get_footer();
  std::string text = command.help(command.get_parent() != nullptr ? "sortile" : "");
  if (!with_examples && command.get_parent() != nullptr && !footer.empty())
    text.erase(text.rfind(footer));
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
    const CLI::App& command = innermost(line.app);
    line.voice.command = command.get_parent() != nullptr ? "sortile " + command.get_name() : "sortile";
    line.voice.error(fmt::format("{} (sortile {}-h lists what is allowed)", error.what(),
                                 command.get_parent() != nullptr ? command.get_name() + " " : ""));
  } catch (const std::bad_alloc&) {
    line.voice.error("out of memory");
  } catch (const std::exception& error) {
    line.voice.error(error.what());
  }
  return trouble;
}

} // namespace

} // namespace sortile::cli

int main(int argc, char** argv) {
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
