// See command_line.hpp.
#include "command_line.hpp"

#include <memory>

namespace sortile::cli {

CLI::App* add_command(command_line& line, const std::string& name, const std::string& description,
                      const std::string& examples, std::function<int()> action) {
  CLI::App* command = line.app.add_subcommand(name, description);
  command->footer(examples);
  command->add_flag("-v,--verbose", line.verbose, "say what was done and how fast; twice: every phase");
  command->add_flag("-q,--quiet", line.quiet, "say nothing but errors");
  command->callback([&line, name, action = std::move(action)] {
    line.voice.command = "sortile " + name;
    line.voice.level = std::max(0, 1 + line.verbose - line.quiet);
    line.action = action;
  });
  return command;
}

void add_commands(command_line& line) {
  CLI::App& app = line.app;
  app.set_help_flag("-h", "short help");
  app.set_help_all_flag("--help", "help with examples");
  app.set_version_flag("--version", "sortile " SORTILE_VERSION, "the version");
  app.require_subcommand(1);
  app.footer("sortile COMMAND -h is a short help of a command, sortile COMMAND --help one with examples.\n"
             "Exit status: 0 all well, 1 not in order (check), 2 trouble.");
  add_sort_command(line);
  add_check_command(line);
  add_merge_command(line);
  add_gen_command(line);
  add_bench_command(line);
  add_classics_command(line);
  add_info_command(line);
  add_completion_command(line);
  add_manual_command(line);
}

} // namespace sortile::cli
