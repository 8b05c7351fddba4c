// See program.hpp.
#include "program.hpp"
#include "sort_arguments.hpp"

#include "files/failure.hpp"
#include "files/refused_by_sort.hpp"
#include "files/temporary_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sortile::cli {

namespace {

// Standard descriptors that the caller has closed would be given to the next files that are opened. Opened the wrong
// way round, they fail when they are used, as closed ones do.
void occupy_closed_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      ::_exit(trouble);
}

constexpr std::size_t stack_bytes = std::size_t{1} << 20; // sorts use less than half of it

// What every thread takes of the address space, whether it uses it or not. A shell's limits (ulimit -s, -v) are made
// for programs of one thread: its limit on the stack would be that of every thread, and may be too small or far too
// large.
void take_little_address_space() {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) == 0) {
    if (::pthread_attr_setstacksize(&attributes, stack_bytes) == 0)
      ::pthread_setattr_default_np(&attributes); // where it fails, threads are as they always are
    ::pthread_attr_destroy(&attributes);
  }
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    ::mallopt(M_ARENA_MAX, 1); // 64 MiB each
}

bool has_small_stack() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < stack_bytes;
}

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

// Messages name the command that was meant, also where it was not understood to its end.
const std::string& name_command(command_line& line) {
  return line.voice.command = line.called_as.empty() ? full_name(innermost(line.app)) : line.called_as;
}

int show_help(const CLI::App& app, bool with_examples, bool is_sort_alone) {
  const CLI::App& command = innermost(app);
  const std::string footer = command.get_footer();
  const bool by_its_name = command.get_parent() == nullptr || is_sort_alone;
  std::string text = command.help(by_its_name ? "" : full_name(*command.get_parent()));
  if (!with_examples && command.get_parent() != nullptr && !footer.empty())
    text.erase(text.rfind(footer));
  for (std::size_t gap; (gap = text.find("\n\n\n")) != std::string::npos;)
    text.erase(gap, 1);
  fmt::print("{}\n", std::string_view(text).substr(0, text.find_last_not_of('\n') + 1));
  return all_well;
}

// The arguments, with the words that a program is started with where it was called by its own name.
std::vector<std::string> completed(std::vector<std::string> arguments, const std::vector<std::string>& own,
                                   CLI::App& app) {
  const auto commands = app.get_subcommands([](CLI::App*) { return true; });
  const bool begins_well =
      arguments.size() > 1 && std::any_of(commands.begin(), commands.end(),
                                          [&](CLI::App* command) { return command->get_name() == arguments[1]; });
  if (!begins_well)
    arguments.insert(arguments.begin() + 1, own.begin(), own.end());
  return arguments;
}

CLI::App* command_named(CLI::App& app, const std::string& name) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    if (command->get_name() == name)
      return command;
  return nullptr;
}

// The parser takes the word behind "--output=" for the value that is missing there. Of a shell's variable that was not
// set, that would make the first input the output.
void keep_empty_values(command_line& line) {
  std::vector<std::string> words;
  CLI::App* command = &line.app;
  for (auto word = line.arguments.begin(); word != line.arguments.end(); ++word) {
    if (*word == "--") {
      words.insert(words.end(), word, line.arguments.end());
      break;
    }
    if (CLI::App* inner = command_named(*command, *word); inner != nullptr)
      command = inner;
    const bool is_empty = word->starts_with("--") && word->find('=') == word->size() - 1;
    const CLI::Option* option = is_empty ? command->get_option_no_throw(word->substr(0, word->size() - 1)) : nullptr;
    if (option != nullptr && option->get_items_expected_max() > 0) {
      words.push_back(word->substr(0, word->size() - 1));
      words.emplace_back();
    } else {
      words.push_back(*word);
    }
  }
  line.arguments = std::move(words);
}

// The arguments of `sort` follow the rules of sort(1). Called by that name, the program is the command, and for those
// who know sort(1) all inputs are plain lines.
void read_sort_arguments(command_line& line) {
  CLI::App* sort = command_named(line.app, "sort");
  const bool by_name = std::filesystem::path(line.arguments[0]).filename() == "sort";
  if (sort == nullptr || (!by_name && (line.arguments.size() < 2 || line.arguments[1] != "sort")))
    return;
  line.called_as = by_name ? "sort" : "sortile sort";
  const std::vector<std::string> plain =
      plain_sort_arguments(*sort, {line.arguments.begin() + (by_name ? 1 : 2), line.arguments.end()}, by_name);
  line.arguments.resize(1);
  if (plain == std::vector<std::string>{"--version"}) {
    if (by_name) // scripts look for GNU
      line.app.set_version_flag("--version", "sort (sortile) " SORTILE_VERSION
                                             "\nTakes the options of sort in GNU coreutils 9.1; its own code.");
    return line.arguments.push_back("--version");
  }
  line.arguments.push_back("sort");
  if (by_name && plain == std::vector<std::string>{"--help"})
    keep_options_of_sort(*sort);
  else if (by_name)
    line.arguments.insert(line.arguments.end(), {"--format", "lines", "--as-is"});
  line.arguments.insert(line.arguments.end(), plain.begin(), plain.end());
}

int run_or_help(command_line& line) {
  read_sort_arguments(line);
  if (line.called_as.empty())
    keep_empty_values(line);
  try {
    line.app.parse(std::vector<std::string>(line.arguments.rbegin(), line.arguments.rend() - 1)); // the last one first
  } catch (const CLI::CallForHelp&) {
    return show_help(line.app, false, line.is_sort_alone());
  } catch (const CLI::CallForAllHelp&) {
    return show_help(line.app, true, line.is_sort_alone());
  } catch (const CLI::CallForVersion& version) {
    fmt::print("{}\n", version.what());
    return all_well;
  }
  const CLI::App& command = innermost(line.app);
  if (command.get_option_no_throw("--by") != nullptr || command.get_name() == "gen")
    need_values(command);
  return line.action();
}

int parse_and_run(command_line& line) {
  try {
    return run_or_help(line);
  } catch (const CLI::ParseError& error) {
    const std::string command = name_command(line);
    // What was not understood is named first: it may well be why something required is missing.
    std::vector<std::string> unknown = line.app.remaining(true);
    unknown.erase(std::remove(unknown.begin(), unknown.end(), "--"), unknown.end()); // what stands in front of operands
    const bool no_command = line.app.get_subcommands().empty();
    const std::string what = unknown.empty() ? error.what()
                             : no_command    ? fmt::format("there is no command '{}'", unknown.front())
                                             : fmt::format("'{}' is not understood", unknown.front());
    line.voice.error(fmt::format("{} ({} --help lists what is allowed)", what, command));
  } catch (const std::bad_alloc&) {
    name_command(line);
    line.voice.error("out of memory");
  } catch (const files::refused_by_sort& error) {
    name_command(line);
    if (line.is_sort_alone())
      line.voice.verbatim(error.words() + '\n');
    else
      line.voice.error(error.what());
    return error.status();
  } catch (const files::write_failure& error) {
    const std::string& command = name_command(line);
    if (line.is_sort_alone())
      line.voice.verbatim(fmt::format("{}\n{}: write error\n", error.words_of_sort(), command));
    else
      line.voice.error(error.what());
  } catch (const files::known_failure& error) {
    name_command(line);
    line.voice.error(line.is_sort_alone() ? error.words_of_sort().c_str() : error.what());
  } catch (const std::system_error& error) {
    name_command(line);
    line.voice.error(std::ferror(stdout) != 0 // as fmt::print() throws it
                         ? fmt::format("standard output: cannot write: {}", error.code().message())
                         : error.what());
  } catch (const std::exception& error) {
    name_command(line);
    line.voice.error(error.what());
  }
  return trouble;
}

int run_arguments(std::vector<std::string> arguments, const std::vector<std::string>& own,
                  void (*add_commands)(command_line&)) {
  try {
    command_line line;
    prepare(line);
    add_commands(line);
    line.arguments = completed(std::move(arguments), own, line.app);
    const int status = parse_and_run(line);
    if (std::fflush(stdout) != 0 && status != trouble) { // trouble has been told already
      line.voice.error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
      return trouble;
    }
    return line.is_sort_alone() && line.voice.was_unheard() ? trouble : status; // as GNU sort ends
  } catch (const std::bad_alloc&) {                                             // before the arguments are read
    talk().error("out of memory");
    return trouble;
  }
}

} // namespace

int run_program(int argc, char** argv, const std::vector<std::string>& own, void (*add_commands)(command_line&)) {
  occupy_closed_descriptors();
  files::remove_temporary_files_on_signals();
  take_little_address_space();
  int status = trouble;
  const auto run = [&] { status = run_arguments({argv, argv + argc}, own, add_commands); };
  if (has_small_stack())
    std::thread(run).join();
  else
    run();
  return status;
}

} // namespace sortile::cli
