// See classics_request.hpp.
#include "classics_request.hpp"

#include "array_options.hpp"

#include "classics/examples.hpp"
#include "files/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

namespace sortile::cli {

using files::refuse;

namespace {

constexpr std::uint64_t most_to_follow = 64; // keys; a page of more has the sort's own tiles

unsigned parse_number(std::string_view text, const std::string& option) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse("{}: '{}' is no number", option, text);
  return value;
}

/// What stands between commas or white space; a comma has something on either side.
std::vector<std::string> words_of(const std::string& text, std::string_view option) {
  std::vector<std::string> words;
  std::istringstream parts(text + ",");
  std::size_t commas = 0;
  for (std::string part; std::getline(parts, part, ','); ++commas) {
    const std::size_t before = words.size();
    std::istringstream in(part);
    for (std::string word; in >> word;)
      words.push_back(word);
    if (words.size() == before && text.find(',') != std::string::npos)
      refuse("{}: nothing stands {} comma {} (allowed: K,K,... or white space between keys)", option,
             commas == 0 ? "before" : "behind", std::max<std::size_t>(commas, 1));
  }
  return words;
}

std::string contents(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
  } else if (std::error_code ignored; std::filesystem::is_directory(file, ignored)) {
    refuse("--keys-file {}: is a directory (a file is needed)", file);
  } else if (const std::ifstream in(file); in) {
    text << in.rdbuf();
  } else {
    refuse("--keys-file {}: cannot be read", file);
  }
  return text.str();
}

/// The keys of --keys, --keys-file or --pairs K:V, and values if there are any.
void take_own_keys(const classics_job& job, classics::request& asked) {
  if (job.keys_file)
    asked.keys = words_of(contents(*job.keys_file), "--keys-file");
  else
    asked.keys = words_of(job.keys.value_or(""), "--keys");
  for (const std::string& record : words_of(job.records, "--pairs")) {
    const std::size_t colon = record.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == record.size())
      refuse("--pairs {} (allowed: nothing, or KEY:VALUE,KEY:VALUE,...)", record);
    asked.keys.push_back(record.substr(0, colon));
    asked.values.push_back(record.substr(colon + 1));
  }
  asked.n = asked.keys.size();
  if (asked.n == 0)
    refuse("no keys were given");
}

using key_bytes_of_any_type = std::array<std::byte, 16>;

bool is_key(const classics::classic& c, key_type type, const std::string& text) {
  alignas(8) key_bytes_of_any_type key;
  try {
    classics::parse_key_of(c, type, text, key.data());
    return true;
  } catch (const invalid_argument&) {
    return false;
  }
}

/// The first type of the classic's that all keys are written as; of a workload, its first.
key_type type_of(const classics_job& job, const classics::classic& chosen, const std::vector<std::string>& keys) {
  if (!job.type.empty())
    return key_type_named(job.type);
  const auto found = std::find_if(chosen.types.begin(), chosen.types.end(), [&](key_type type) {
    return std::all_of(keys.begin(), keys.end(), [&](const std::string& text) { return is_key(chosen, type, text); });
  });
  if (found != chosen.types.end())
    return *found;
  for (const std::string& text : keys)
    if (chosen.types.size() > 1 && std::none_of(chosen.types.begin(), chosen.types.end(),
                                                [&](key_type type) { return is_key(chosen, type, text); })) {
      std::string names;
      for (const key_type type : chosen.types)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", name(type));
      refuse("'{}' is no key of any type that {} takes (allowed: {})", text, chosen.name, names);
    }
  return chosen.types.front();
}

bit_window window_of(const std::string& bits) {
  const std::size_t colon = bits.find(':');
  const std::string option = "--bits " + bits;
  if (colon == std::string::npos || colon == 0 || colon + 1 == bits.size())
    refuse("{} (allowed: B:E)", option);
  return {parse_number(std::string_view(bits).substr(0, colon), option),
          parse_number(std::string_view(bits).substr(colon + 1), option)};
}

/// The request that the options change: an example's, or one of keys alone.
classics::request start_of(const classics_job& job, const classics::classic& chosen) {
  const int given = job.keys.has_value() + job.keys_file.has_value() + !job.records.empty() + !job.count.empty() +
                    !job.example.empty();
  if (given > 1)
    refuse("-n, --keys, --keys-file, --pairs K:V and --example each say which keys (allowed: one of them)");
  if (job.workload && job.count.empty())
    refuse("--workload {}: makes the keys that -n counts (allowed: with -n)", *job.workload);
  if (!job.example.empty())
    return classics::example_named(job.example).asked;
  if (job.action == "show" && given == 0) {
    if (const classics::example* first = classics::first_example_of(chosen.name))
      return first->asked;
  }
  if (given == 0)
    refuse("{} takes keys: -n, the number of keys, or --keys, --keys-file, --pairs K:V,...", job.action);
  classics::request asked;
  if (job.own_keys())
    take_own_keys(job, asked);
  else
    asked.n = parse_count(job.count, "-n");
  asked.type = type_of(job, chosen, asked.keys);
  return asked;
}

/// The bits from 0 to the highest that is set in a key, of numbers without a sign in a sort by digits; nothing where
/// these are all.
std::optional<bit_window> bits_that_matter(const classics::classic& c, const classics::request& asked) {
  if (c.family != "radix" || c.task->parse != nullptr || (asked.type != key_type::u32 && asked.type != key_type::u64))
    return {};
  const classics::host_arrays input = classics::make_input(c, asked);
  std::uint64_t all = 1;
  for (std::uint64_t i = 0; i < input.n; ++i)
    all |= classics::bits_of(asked.type, input.keys.data() + i * key_bytes(asked.type));
  const auto end = static_cast<unsigned>(std::bit_width(all));
  return end < key_bits(asked.type) ? std::optional(bit_window{0, end}) : std::nullopt;
}

/// Whether keys were typed as two numbers, upper/lower.
bool are_halves(const classics::classic& c, const classics::request& asked) {
  return c.task->parse == nullptr && !asked.keys.empty() && asked.keys.front().find('/') != std::string::npos;
}

} // namespace

const classics::classic& chosen_of(const classics_job& job) {
  if (job.example.empty())
    return classics::classic_named(job.name);
  const classics::example& shown = classics::example_named(job.example);
  if (!job.name.empty() && job.name != shown.classic)
    refuse("the example {} is of {}, not of {}", job.example, shown.classic, job.name);
  return classics::classic_named(shown.classic);
}

asked_for request_of(const classics_job& job, const classics::classic& chosen) {
  classics::request asked = start_of(job, chosen);
  std::string taken;
  const bool followed = job.action == "show" && (job.own_keys() || !job.count.empty()) && asked.n <= most_to_follow;
  if (job.own_keys() && job.type.empty() && asked.type != key_type::u32)
    taken += fmt::format(" --type {}", name(asked.type));
  asked.workload = job.workload.value_or(asked.workload);
  asked.pairs |= job.pairs;
  asked.seed = job.seed;
  if (job.descending)
    asked.direction = order::descending;
  if (!job.bits.empty())
    asked.bits = window_of(job.bits);
  else if (const auto bits = followed ? bits_that_matter(chosen, asked) : std::nullopt) {
    asked.bits = *bits;
    taken += fmt::format(" --bits {}:{}", bits->begin, bits->end);
  }
  if (!job.shown.empty())
    asked.shown = classics::notation_named(job.shown);
  else if (followed && are_halves(chosen, asked)) {
    asked.shown = classics::notation::halves;
    taken += " --show halves";
  }
  if (job.devices)
    asked.parameters["devices"] = *job.devices;
  for (const std::string& setting : job.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == setting.size())
      refuse("--set {} (allowed: PARAMETER=NUMBER)", setting);
    asked.parameters[setting.substr(0, equals)] =
        parse_number(std::string_view(setting).substr(equals + 1), "--set " + setting);
  }
  if (followed)
    for (const auto& [parameter, value] : classics::parameters_to_follow(chosen, asked.n))
      if (asked.parameters.emplace(parameter, value).second)
        taken += fmt::format(" --set {}={}", parameter, value);
  return {std::move(asked), taken.empty() ? taken : taken.substr(1)};
}

classics::request with_parameters_said(const classics::classic& c, classics::request asked) {
  const auto taken = classics::parameters_to_follow(c, asked.n);
  for (const classics::parameter& p : c.parameters)
    if (taken.contains(std::string(p.name)))
      asked.parameters.emplace(p.name, p.usual);
  return asked;
}

} // namespace sortile::cli
