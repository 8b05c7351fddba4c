// sortile completion: completion scripts for shells, made from the commands and options themselves.
#include "command_line.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <vector>

#include <fmt/ranges.h>

namespace sortile::cli {

namespace {

constexpr const char* completion_examples = R"(Examples:
  sortile completion bash > ~/.local/share/bash-completion/completions/sortile
  sortile completion zsh > ~/.zfunc/_sortile                 (with fpath=(~/.zfunc $fpath) before compinit)
  sortile completion fish > ~/.config/fish/completions/sortile.fish)";

struct option_facts {
  std::vector<std::string> names; ///< with their dashes
  std::string description;
  bool has_argument = false;
};

/// A command; the options of its own subcommands are offered along with its own.
struct command_facts {
  std::string name;
  std::string description;
  std::vector<option_facts> options;
  std::vector<std::string> inner; ///< names of its subcommands
};

void append_options(const CLI::App& command, std::vector<option_facts>& options) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty() || option->get_positional())
      continue;
    option_facts one{{}, option->get_description(), option->get_items_expected_max() > 0};
    for (const std::string& name : option->get_snames())
      one.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames())
      one.names.push_back("--" + name);
    const bool known = std::any_of(options.begin(), options.end(),
                                   [&](const option_facts& other) { return other.names.back() == one.names.back(); });
    if (!known)
      options.push_back(one);
  }
}

std::vector<command_facts> commands_of(CLI::App& app) {
  std::vector<command_facts> commands;
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    command_facts facts{command->get_name(), command->get_description(), {}, {}};
    append_options(*command, facts.options);
    for (const CLI::App* inner : all_commands(*command)) {
      facts.inner.push_back(inner->get_name());
      append_options(*inner, facts.options);
    }
    commands.push_back(facts);
  }
  return commands;
}

// Text within single quotes of a shell.
std::string quoted(const std::string& text, const char* escaped_quote) {
  std::string result = "'";
  for (const char c : text)
    result += c == '\'' ? std::string(escaped_quote) : std::string(1, c);
  return result + "'";
}

void print_bash(const std::vector<command_facts>& commands) {
  std::string names;
  for (const command_facts& command : commands)
    names += (names.empty() ? "" : " ") + command.name;
  fmt::print("# bash completion of sortile; made by: sortile completion bash\n"
             "_sortile() {{\n"
             "  local word=\"${{COMP_WORDS[COMP_CWORD]}}\"\n"
             "  COMPREPLY=()\n"
             "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
             "    COMPREPLY=($(compgen -W \"{} -h --help --version\" -- \"$word\"))\n"
             "    return\n"
             "  fi\n"
             "  local options= inner=\n"
             "  case \"${{COMP_WORDS[1]}}\" in\n",
             names);
  for (const command_facts& command : commands) {
    std::string options;
    for (const option_facts& option : command.options)
      for (const std::string& name : option.names)
        options += (options.empty() ? "" : " ") + name;
    fmt::print("  {}) options=\"{}\" inner=\"{}\" ;;\n", command.name, options, fmt::join(command.inner, " "));
  }
  fmt::print("  esac\n"
             "  case \"$word\" in\n"
             "  -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
             "  *) [ \"$COMP_CWORD\" -eq 2 ] && COMPREPLY=($(compgen -W \"$inner\" -- \"$word\")) ;;\n"
             "  esac\n"
             "}}\n"
             "complete -o default -o bashdefault -F _sortile sortile\n");
}

std::string zsh_description(std::string text) {
  std::string result;
  for (const char c : text)
    result += c == '[' || c == ']' || c == ':' ? std::string{'\\', c} : std::string(1, c);
  return result;
}

void print_zsh(const std::vector<command_facts>& commands) {
  fmt::print("#compdef sortile\n# zsh completion of sortile; made by: sortile completion zsh\n"
             "_sortile() {{\n  local -a commands\n  commands=(\n");
  for (const command_facts& command : commands)
    fmt::print("    {}\n", quoted(command.name + ":" + zsh_description(command.description), "'\\''"));
  fmt::print(
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n  case $words[2] in\n");
  for (const command_facts& command : commands) {
    fmt::print("  {})\n    shift words; (( CURRENT-- ))\n    _arguments -s", command.name);
    for (const option_facts& option : command.options)
      for (const std::string& name : option.names)
        fmt::print(
            " \\\n      {}",
            quoted(fmt::format("*{}{}[{}]{}", name, option.has_argument && name.starts_with("--") ? "=" : "",
                               zsh_description(option.description), option.has_argument ? ":argument:_files" : ""),
                   "'\\''"));
    if (!command.inner.empty())
      fmt::print(" \\\n      '1:command:({})'", fmt::join(command.inner, " "));
    fmt::print(" \\\n      '*:file:_files'\n    ;;\n");
  }
  fmt::print("  esac\n}}\n_sortile \"$@\"\n");
}

void print_fish(const std::vector<command_facts>& commands) {
  fmt::print("# fish completion of sortile; made by: sortile completion fish\n");
  for (const command_facts& command : commands)
    fmt::print("complete -c sortile -f -n __fish_use_subcommand -a {} -d {}\n", command.name,
               quoted(command.description, "\\'"));
  for (const command_facts& command : commands) {
    for (const std::string& inner : command.inner)
      fmt::print("complete -c sortile -n '__fish_seen_subcommand_from {}' -a {}\n", command.name, inner);
    for (const option_facts& option : command.options) {
      fmt::print("complete -c sortile -n '__fish_seen_subcommand_from {}'", command.name);
      for (const std::string& name : option.names)
        fmt::print(" {} {}", name.starts_with("--") ? "-l" : "-s", name.substr(name.starts_with("--") ? 2 : 1));
      fmt::print("{} -d {}\n", option.has_argument ? " -r" : "", quoted(option.description, "\\'"));
    }
  }
}

int print_completion(command_line& line, const std::string& shell) {
  const std::vector<command_facts> commands = commands_of(line.app);
  if (shell == "bash")
    print_bash(commands);
  else if (shell == "zsh")
    print_zsh(commands);
  else
    print_fish(commands);
  return all_well;
}

} // namespace

void add_completion_command(command_line& line) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command = *add_command(line, "completion", "Prints a completion script for a shell.", completion_examples,
                                   [shell, &line] { return print_completion(line, *shell); });
  command.add_option("SHELL", *shell, "bash, zsh or fish")
      ->option_text(" ")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

} // namespace sortile::cli
