// The whole command line: one CLI11 app with a subcommand per verb. Help, manual page and shell completion are made
// from it.
#pragma once

#include "talk.hpp"

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace sortile::cli {

enum exit_status : int { all_well = 0, disorder = 1, trouble = 2 };

/// The app, and what the chosen subcommand will do.
struct command_line {
  CLI::App app{"Sorts arrays, text lines and tables, in files and pipes.", "sortile"};
  talk voice;
  std::function<int()> action;        ///< set by the subcommand that was named; returns an exit_status
  std::vector<std::string> arguments; ///< as main() got them
  std::string called_as;              ///< what messages name in place of the command: "sort"
  bool is_sort_alone() const { return called_as == "sort"; } ///< through a link of that name
  int verbose = 0;
  int quiet = 0;
};

/// What stands above the commands: help, version.
void prepare(command_line& line);

/// A subcommand with the options that all have (-h, --help, -v, -q), which runs `action`; of the app, or of another
/// subcommand.
CLI::App* add_command(command_line& line, const std::string& name, const std::string& description,
                      const std::string& examples, std::function<int()> action, CLI::App* of = nullptr);

/// For options that take a seed: digits, and no more than 64 bits hold.
CLI::Validator whole_number();
/// Refuses options of `command` that were given and are not among `allowed` ("-v" and "-q" always are): they would be
/// ignored in silence. `what` names what they do not go with.
void refuse_options_but(const CLI::App& command, const std::string& what, const std::vector<std::string>& allowed);

/// "sortile bench classics": how a command is called.
std::string full_name(const CLI::App& command);
/// The subcommands of an app, each followed by its own.
std::vector<CLI::App*> all_commands(CLI::App& app);

CLI::App* add_sort_command(command_line& line);
void add_check_command(command_line& line);
void add_merge_command(command_line& line);
void add_gen_command(command_line& line);
void add_info_command(command_line& line);
void add_completion_command(command_line& line);
void add_manual_command(command_line& line);

} // namespace sortile::cli
