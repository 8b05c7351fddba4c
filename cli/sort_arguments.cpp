// See sort_arguments.hpp. getopt_long() reads the arguments, since its rules are what people know; the table that it
// needs is made from the options of the command, so that there is one list of them.
#include "sort_arguments.hpp"

#include "command_line.hpp"
#include "key_of_positions.hpp"
#include "memory_options.hpp"

#include "files/binary_keys.hpp"
#include "files/failure.hpp"
#include "files/field_keys.hpp"
#include "files/refused_by_sort.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

#include <fmt/ranges.h>
#include <getopt.h>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr int first_long = 256; // values of options beyond any letter

// The long options of GNU sort, as it lists them, and behind them the names that two of its letters have.
constexpr std::array of_sort{"ignore-leading-blanks",
                             "check",
                             "compress-program",
                             "debug",
                             "dictionary-order",
                             "ignore-case",
                             "files0-from",
                             "general-numeric-sort",
                             "ignore-nonprinting",
                             "key",
                             "merge",
                             "month-sort",
                             "numeric-sort",
                             "human-numeric-sort",
                             "version-sort",
                             "random-sort",
                             "random-source",
                             "sort",
                             "output",
                             "reverse",
                             "stable",
                             "batch-size",
                             "buffer-size",
                             "field-separator",
                             "temporary-directory",
                             "unique",
                             "zero-terminated",
                             "parallel",
                             "check-quietly",
                             "key-def"};

bool is_of_sort(const std::string& name) {
  return std::find(of_sort.begin(), of_sort.end(), name) != of_sort.end();
}

// Of these it knows the letter alone.
bool is_name_of_sort(const std::string& name) {
  return is_of_sort(name) && name != "check-quietly" && name != "key-def";
}

bool is_of_sort(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return is_of_sort(name); });
}

// What getopt_long() needs to know of the options, and the long name of each.
class option_table {
 public:
  option_table(const CLI::App& command, bool sort_alone) {
    letters_ = "-:"; // operands are handed over in their places, missing arguments told apart
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_positional() || option->get_lnames().empty() || (sort_alone && !is_of_sort(*option)))
        continue;
      const bool has_argument = option->get_items_expected_max() > 0;
      for (const std::string& letter : option->get_snames())
        letters_ += letter + (has_argument ? ":" : "");
      names_.push_back({option->get_snames(), option->get_lnames(), has_argument});
    }
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (const std::string& name : names_[i].long_names)
        if (!sort_alone || is_name_of_sort(name))
          table_.push_back({name.c_str(), name == "check" ? optional_argument : names_[i].has_argument, nullptr,
                            first_long + static_cast<int>(i)});
    table_.push_back({"help", no_argument, nullptr, help});
    table_.push_back({"version", no_argument, nullptr, version});
    table_.push_back({nullptr, 0, nullptr, 0});
    letters_ += "y:"; // of Solaris; has no meaning
  }

  static constexpr int help = first_long - 1;
  static constexpr int version = first_long - 2;

  /// The long options that a shortened one may mean, as GNU sort lists them; empty where they are fewer than two.
  std::string meant_by(const std::string& begin) const {
    std::vector<std::string> meant;
    for (const option* each = table_.data(); each->name != nullptr; ++each)
      if (begin.size() > 2 && (std::string("--") + each->name).starts_with(begin))
        meant.push_back(each->name);
    const auto place = [](const std::string& name) { return std::find(of_sort.begin(), of_sort.end(), name); };
    std::stable_sort(meant.begin(), meant.end(),
                     [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
    std::string list;
    for (const std::string& name : meant)
      list += fmt::format(" '--{}'", name);
    return meant.size() > 1 ? list : "";
  }

  /// What a shortened option is in full; as it is where that is not clear.
  std::string in_full(const std::string& begin) const {
    if (begin == "--version")
      return begin;
    for (const option* each = table_.data(); each->name != nullptr; ++each)
      if ((std::string("--") + each->name).starts_with(begin))
        return std::string("--") + each->name;
    return begin;
  }

  const char* letters() const { return letters_.c_str(); }
  const option* table() const { return table_.data(); }

  /// The long name of what getopt_long() has found; empty for what it has not.
  std::string name_of(int found) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto& shorts = names_[i].short_names;
      const bool is_it = found >= first_long ? found - first_long == static_cast<int>(i)
                                             : std::find(shorts.begin(), shorts.end(),
                                                         std::string(1, static_cast<char>(found))) != shorts.end();
      if (is_it)
        return "--" + names_[i].long_names.front();
    }
    return {};
  }
  bool has_argument(int found) const {
    const std::string name = name_of(found).substr(2);
    return std::any_of(names_.begin(), names_.end(),
                       [&](const names& each) { return each.long_names.front() == name && each.has_argument; });
  }

 private:
  struct names {
    std::vector<std::string> short_names;
    std::vector<std::string> long_names;
    bool has_argument;
  };
  std::string letters_;
  std::vector<names> names_;
  std::vector<option> table_;
};

// Options of which the last one counts.
bool is_replaced(const std::string& name) {
  return name == "--batch-size" || name == "--threads" || name == "--files0-from" || name == "--buffer-size";
}

void remove_option(std::vector<std::string>& arguments, std::size_t at) {
  const auto begin = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  arguments.erase(begin, begin + 2);
}

// Takes out an earlier one of them, whose value is given back.
std::optional<std::string> take_earlier(const std::string& name, std::vector<std::string>& arguments) {
  for (std::size_t i = 0; is_replaced(name) && i + 1 < arguments.size(); ++i)
    if (arguments[i] == name) {
      std::string value = arguments[i + 1];
      remove_option(arguments, i);
      return value;
    }
  return std::nullopt;
}

// Options of which a second one of another value is an error.
void need_one_value(const std::string& name, const std::string& value, std::vector<std::string>& arguments) {
  const char* several = name == "--output"             ? "multiple output files specified"
                        : name == "--compress-program" ? "multiple compress programs specified"
                        : name == "--random-source"    ? "multiple random sources specified"
                        : name == "--field-separator"  ? "incompatible tabs"
                                                       : nullptr;
  for (std::size_t i = 0; several != nullptr && i + 1 < arguments.size(); ++i) {
    if (arguments[i] != name)
      continue;
    if (arguments[i + 1] != value)
      refuse("{}", several);
    remove_option(arguments, i); // the same once more
  }
}

constexpr const char* further_help = "\nTry 'sort --help' for more information.";

// The one of some words that is meant: a word may be shortened as far as it stays the only one. What is none of them
// ends with status 1, as in GNU sort.
std::string_view word_meant(const std::string& given, std::span<const std::string_view> words, const char* name) {
  std::string_view meant;
  bool several = false;
  for (const std::string_view word : words) {
    if (!word.starts_with(given))
      continue;
    if (word == given)
      return word;
    several |= !meant.empty();
    meant = word;
  }
  if (meant.empty() || several) {
    std::string listed = "\nValid arguments are:";
    for (const std::string_view word : words)
      listed += word == "silent" ? ", 'silent'" : fmt::format("\n  - '{}'", word); // the same as quiet
    throw files::refused_by_sort(
        fmt::format("{} argument {} for '{}'", several ? "ambiguous" : "invalid", files::quoted_by_sort(given), name),
        fmt::format("allowed: {}", fmt::join(words, ", ")), listed + further_help, disorder);
  }
  return meant;
}

// Which check --check[=WHEN] asks for.
std::string check_option(const char* when) {
  constexpr std::array<std::string_view, 3> words{"quiet", "silent", "diagnose-first"};
  return when == nullptr || word_meant(when, words, "--check") == words[2] ? "--check" : "--check-quietly";
}

// How an argument has to look that the parser behind would refuse in other words.
std::string checked_value(const std::string& name, const std::string& value, bool by_letter) {
  constexpr std::array<std::string_view, 6> orders{"general-numeric", "human-numeric", "month",
                                                   "numeric",         "random",        "version"};
  if (name == "--sort")
    return std::string(word_meant(value, orders, "--sort"));
  if (name == "--field-separator")
    files::parse_separator(value);
  if (name == "--buffer-size")
    check_buffer_size(value, by_letter ? "-S" : "--buffer-size");
  if (name == "--batch-size")
    return std::to_string(parse_batch_size(value));
  if (name != "--threads")
    return value;
  constexpr std::uint64_t more_than_any = 9999;
  const std::uint64_t threads = number_of_option(value, "--parallel", true);
  if (threads == 0)
    throw files::refused_by_sort("number in parallel must be nonzero", "--threads 0");
  return std::to_string(std::min(threads, more_than_any));
}

[[noreturn]] void refuse_unknown(const std::vector<std::string>& words, const option_table& options, int found) {
  const auto refuse_usage = [](const std::string& what) {
    throw files::refused_by_sort(what, "--help lists what is allowed", further_help);
  };
  const bool is_long = optopt == 0 || optopt >= option_table::version;
  const std::string whole =
      words[static_cast<std::size_t>(std::clamp(optind - 1, 0, static_cast<int>(words.size()) - 1))];
  const std::string word = whole.substr(0, whole.find('='));
  if (!is_long && found == ':')
    refuse_usage(fmt::format("option requires an argument -- '{}'", static_cast<char>(optopt)));
  if (!is_long)
    refuse_usage(fmt::format("invalid option -- '{}'", static_cast<char>(optopt)));
  if (found == ':')
    refuse_usage(fmt::format("option '{}' requires an argument", options.in_full(word)));
  if (optopt != 0)
    refuse_usage(fmt::format("option '{}' doesn't allow an argument", options.in_full(word)));
  if (const std::string several = options.meant_by(word); !several.empty())
    refuse_usage(fmt::format("option '{}' is ambiguous; possibilities:{}", whole, several));
  refuse_usage(fmt::format("unrecognized option '{}'", whole));
  __builtin_unreachable();
}

class reader {
 public:
  reader(const CLI::App& command, std::vector<std::string> given, bool sort_alone)
      : options_(command, sort_alone), words_(std::move(given)), sort_alone_(sort_alone) {
    words_.insert(words_.begin(), "sort");
    for (std::string& word : words_)
      pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }

  std::vector<std::string> read() {
    const int count = static_cast<int>(words_.size());
    optind = 0; // begins anew
    opterr = 0;
    for (int found = 0; found != -1;) {
      if (only_operands_follow()) {
        operands_.push_back(pointers_[static_cast<std::size_t>(optind++)]);
        continue;
      }
      found = ::getopt_long(count, pointers_.data(), options_.letters(), options_.table(), nullptr);
      if (found != -1 && !take(found))
        return {found == option_table::help ? "--help" : "--version"};
    }
    for (int i = optind; i < count; ++i)
      operands_.push_back(pointers_[static_cast<std::size_t>(i)]);
    if (!operands_.empty())
      arguments_.push_back("--");
    arguments_.insert(arguments_.end(), operands_.begin(), operands_.end());
    return arguments_;
  }

 private:
  // What POSIX asks for: options end at the first operand. All but -o FILE, which stood there in old times: GNU sort
  // takes it as long as keys like +1 are taken and nothing is checked.
  bool only_operands_follow() const {
    const char* const next = operands_.empty() ? nullptr : pointers_[static_cast<std::size_t>(optind)];
    if (!as_posix_ || next == nullptr)
      return false;
    const bool is_output = std::string_view(next).starts_with("-o") &&
                           (next[2] != '\0' || pointers_[static_cast<std::size_t>(optind) + 1] != nullptr);
    return !is_output || !takes_positions_ || is_check_;
  }

  // False where help or the version is asked for.
  bool take(int found) {
    if (found == option_table::help || found == option_table::version)
      return false;
    if (found == '?' || found == ':')
      refuse_unknown(words_, options_, found);
    if (found == 1)
      take_operand(optarg);
    else if (found == 'y')
      skip_letters_behind_digits();
    else if (options_.name_of(found) == "--check")
      take_check(check_option(found >= first_long ? optarg : nullptr));
    else if (options_.name_of(found) == "--check-quietly")
      take_check("--check-quietly");
    else
      take_option(options_.name_of(found), options_.has_argument(found), found < first_long);
    return true;
  }

  void take_check(const std::string& name) {
    is_check_ = true;
    const std::string other = name == "--check" ? "--check-quietly" : "--check";
    if (std::find(arguments_.begin(), arguments_.end(), other) != arguments_.end())
      refuse("options '-cC' are incompatible");
    if (std::find(arguments_.begin(), arguments_.end(), name) == arguments_.end())
      arguments_.push_back(name);
  }

  void take_option(const std::string& name, bool has_argument, bool by_letter) {
    if (!has_argument)
      return arguments_.push_back(name);
    std::string value = checked_value(name, optarg, by_letter);
    if (name == "--sort") // the same as its letter, and as often
      return arguments_.push_back(fmt::format("--{}-sort", value));
    if (const std::optional<std::string> earlier = take_earlier(name, arguments_); earlier && name == "--buffer-size")
      value = larger_buffer_size(value, *earlier); // as GNU sort has it
    need_one_value(name, value, arguments_);
    // Else the field of a record, or a range of its bytes.
    const bool is_key =
        name == "--key" && (sort_alone_ || (value.find_first_of("0123456789") == 0 && !files::looks_like_range(value)));
    if (is_key || name == "--key-def")
      files::need_field_key(value);
    arguments_.push_back(is_key ? "--key-def" : name);
    arguments_.push_back(value);
  }

  void take_operand(const std::string& operand) {
    const char* next = pointers_[static_cast<std::size_t>(optind)];
    const bool has_last = next != nullptr && next[0] == '-' && next[1] >= '0' && next[1] <= '9';
    if (operand.starts_with('+') && has_last && !as_posix_)
      takes_positions_ = true; // from now on
    const std::optional<std::string> key =
        operand.starts_with('+') && takes_positions_ ? key_of_positions(operand, has_last ? next : "") : std::nullopt;
    if (!key)
      return operands_.push_back(operand);
    optind += has_last ? 1 : 0;
    arguments_.push_back("--key-def");
    arguments_.push_back(*key);
  }

  // -y takes digits, or nothing.
  void skip_letters_behind_digits() {
    const std::string_view argument = optarg;
    if (optarg == pointers_[static_cast<std::size_t>(optind - 1)] &&
        argument.find_first_not_of("0123456789") != std::string_view::npos)
      --optind;
  }

  option_table options_;
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  std::vector<std::string> arguments_;
  std::vector<std::string> operands_;
  bool sort_alone_;
  bool as_posix_ = std::getenv("POSIXLY_CORRECT") != nullptr;
  bool takes_positions_ = has_keys_of_positions(std::getenv("_POSIX2_VERSION"));
  bool is_check_ = false;
};

} // namespace

std::vector<std::string> plain_sort_arguments(const CLI::App& sort, std::vector<std::string> given, bool sort_alone) {
  return reader(sort, std::move(given), sort_alone).read();
}

void need_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    const bool has_words_of_sort = is_of_sort(*option) && !option->check_lname("key"); // which is of arrays here
    if (option->nonpositional() && !has_words_of_sort && std::find(values.begin(), values.end(), "") != values.end())
      refuse("{}: its value is empty", option->get_name());
  }
}

void keep_options_of_sort(CLI::App& sort) {
  for (CLI::Option* option : sort.get_options([](const CLI::Option* each) {
         return !each->get_positional() && !each->get_lnames().empty() && !each->check_lname("help") &&
                !is_of_sort(*each);
       }))
    sort.remove_option(option);
}

} // namespace sortile::cli
