// See command_line.hpp.
#include "command_line.hpp"

#include "files/failure.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

namespace sortile::cli {

namespace {

// Options of a command mean nothing to its subcommand, and are not to be ignored in silence.
void refuse_options_before_subcommand(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && option->get_name() != "--verbose" && option->get_name() != "--quiet")
      throw CLI::ValidationError(option->get_name(),
                                 "does not go with " + full_name(*command.get_subcommands().front()));
}

} // namespace

CLI::App* add_command(command_line& line, const std::string& name, const std::string& description,
                      const std::string& examples, std::function<int()> action, CLI::App* of) {
  CLI::App* command = (of == nullptr ? line.app : *of).add_subcommand(name, description);
  command->footer(examples);
  command->add_flag("-v,--verbose", line.verbose, "say what was done and how fast; twice: every phase");
  command->add_flag("-q,--quiet", line.quiet, "say nothing but errors");
  command->callback([&line, command, action = std::move(action)] {
    if (!command->get_subcommands().empty()) // whose callback came first
      return refuse_options_before_subcommand(*command);
    line.voice.command = line.called_as.empty() ? full_name(*command) : line.called_as;
    line.voice.level = std::max(0, 1 + line.verbose - line.quiet);
    line.action = action;
  });
  return command;
}

CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        std::uint64_t number = 0;
        const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        return error == std::errc{} && rest == text.data() + text.size()
                   ? std::string()
                   : text + ": is not a whole number (allowed: 0 to 18446744073709551615)";
      },
      "");
}

void refuse_options_but(const CLI::App& command, const std::string& what, const std::vector<std::string>& allowed) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && name != "--verbose" && name != "--quiet" &&
        std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      files::refuse("{} does not go with {}", name, what);
  }
}

std::string full_name(const CLI::App& command) {
  return (command.get_parent() != nullptr ? full_name(*command.get_parent()) + " " : "") + command.get_name();
}

std::vector<CLI::App*> all_commands(CLI::App& app) {
  std::vector<CLI::App*> all;
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    all.push_back(command);
    const std::vector<CLI::App*> inner = all_commands(*command);
    all.insert(all.end(), inner.begin(), inner.end());
  }
  return all;
}

void prepare(command_line& line) {
  CLI::App& app = line.app;
  app.set_help_flag("-h", "short help");
  app.set_help_all_flag("--help", "help with examples");
  app.set_version_flag("--version", "sortile " SORTILE_VERSION, "the version");
  app.require_subcommand(1);
  app.footer("sortile COMMAND -h is a short help of a command (of sort, -h is a kind of number), sortile COMMAND "
             "--help one with "
             "examples.\n"
             "Exit status: 0 all well, 1 not in order (check), 2 trouble.");
}

} // namespace sortile::cli
