// sortile manual: the manual page (man 1 sortile), made from the commands and options themselves, so that it cannot be
// out of date.
#include "command_line.hpp"
#include "manual_text.hpp"

namespace sortile::cli {

namespace {

constexpr const char* manual_examples = R"(Examples:
  sortile manual | man -l -
  sortile manual > sortile.1)";

// Text for troff: backslashes and dashes as they are, no line that begins like a request.
std::string roff(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\''))
      result += "\\&";
    result += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
    line_begins = c == '\n';
  }
  return result;
}

void print_option(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "" : ", ") + ("-" + name);
  for (const std::string& name : option.get_lnames())
    names += (names.empty() ? "" : ", ") + ("--" + name);
  const std::string argument = option.get_items_expected_max() > 0 ? option.get_option_text() : "";
  fmt::print(".TP\n\\fB{}\\fR{}\n{}\n", roff(option.get_positional() ? option.get_name() : names),
             argument.empty() || option.get_positional() ? "" : " \\fI" + roff(argument) + "\\fR",
             roff(option.get_description()));
}

void print_command(const CLI::App& command) {
  fmt::print(".SS {}\n{}\n", roff(full_name(command)), roff(command.get_description()));
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      print_option(*option);
  fmt::print(".PP\n.nf\n{}\n.fi\n", roff(command.get_footer()));
}

int print_manual(command_line& line) {
  fmt::print(".TH SORTILE 1 \"\" \"sortile {}\" \"User Commands\"\n", SORTILE_VERSION);
  fmt::print(".SH NAME\nsortile \\- put arrays, lines and tables in order\n.SH SYNOPSIS\n");
  const auto commands = all_commands(line.app);
  for (const CLI::App* command : commands)
    fmt::print(".B {}\n[\\fIoption\\fR]... [\\fIargument\\fR]...\n.br\n", roff(full_name(*command)));
  fmt::print(".SH DESCRIPTION\n{}\n", roff(manual_description));
  fmt::print(".SH COMMANDS\n");
  for (const CLI::App* command : commands)
    print_command(*command);
  for (const manual_section& section : manual_sections)
    fmt::print(".SH {}\n{}\n", section.title, roff(section.text));
  return all_well;
}

} // namespace

void add_manual_command(command_line& line) {
  add_command(line, "manual", "Prints the manual page as troff.", manual_examples,
              [&line] { return print_manual(line); });
}

} // namespace sortile::cli
