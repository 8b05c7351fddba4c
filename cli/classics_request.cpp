// See classics_request.hpp.
#include "classics_request.hpp"

#include "array_options.hpp"

#include "classics/examples.hpp"
#include "files/failure.hpp"

#include <charconv>
#include <fstream>
#include <iostream>
#include <sstream>

namespace sortile::cli {

using files::refuse;

namespace {

unsigned parse_number(std::string_view text, const std::string& option) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    refuse("{}: {} is no number", option, text);
  return value;
}

/// What stands between commas or white space.
std::vector<std::string> words_of(std::string text) {
  for (char& c : text)
    c = c == ',' ? ' ' : c;
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

std::string contents(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
  } else if (const std::ifstream in(file); in) {
    text << in.rdbuf();
  } else {
    refuse("--keys-file {}: cannot be read", file);
  }
  return text.str();
}

/// Own keys, and values if there are any, in place of a workload's.
void take_keys(const classics_job& job, classics::request& asked) {
  const int given =
      !job.keys.empty() + !job.keys_file.empty() + !job.records.empty() + !job.count.empty() + !job.example.empty();
  if (given > 1)
    refuse("-n, --keys, --keys-file, --pairs K:V and --example each say which keys (allowed: one of them)");
  if (!job.keys.empty())
    asked.keys = words_of(job.keys);
  else if (!job.keys_file.empty())
    asked.keys = words_of(contents(job.keys_file));
  for (const std::string& record : words_of(job.records)) {
    const std::size_t colon = record.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == record.size())
      refuse("--pairs {} (allowed: nothing, or KEY:VALUE,KEY:VALUE,...)", record);
    asked.keys.push_back(record.substr(0, colon));
    asked.values.push_back(record.substr(colon + 1));
  }
  if (!job.keys.empty() || !job.keys_file.empty() || !job.records.empty()) {
    asked.n = asked.keys.size();
    if (asked.n == 0)
      refuse("no keys were given");
  }
}

bit_window window_of(const std::string& bits) {
  const std::size_t colon = bits.find(':');
  if (colon == std::string::npos)
    refuse("--bits {} (allowed: B:E)", bits);
  return {parse_number(std::string_view(bits).substr(0, colon), "--bits"),
          parse_number(std::string_view(bits).substr(colon + 1), "--bits")};
}

/// The request that the options change: an example's, or an empty one.
classics::request start_of(const classics_job& job, const classics::classic& chosen) {
  if (!job.example.empty())
    return classics::example_named(job.example).asked;
  const bool has_keys = !job.count.empty() || !job.keys.empty() || !job.keys_file.empty() || !job.records.empty();
  if (job.action == "show" && !has_keys) {
    if (const classics::example* first = classics::first_example_of(chosen.name))
      return first->asked;
  }
  if (!has_keys)
    refuse("{} takes keys: -n, the number of keys, or --keys, --keys-file, --pairs K:V,...", job.action);
  classics::request asked;
  asked.n = job.count.empty() ? 0 : parse_count(job.count, "-n");
  asked.type = key_type_named(job.type);
  return asked;
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

classics::request request_of(const classics_job& job, const classics::classic& chosen) {
  classics::request asked = start_of(job, chosen);
  take_keys(job, asked);
  asked.workload = job.workload;
  asked.pairs |= job.pairs;
  asked.seed = job.seed;
  if (job.descending)
    asked.direction = order::descending;
  if (!job.bits.empty())
    asked.bits = window_of(job.bits);
  if (!job.shown.empty())
    asked.shown = classics::notation_named(job.shown);
  if (job.devices != 0)
    asked.parameters["devices"] = job.devices;
  for (const std::string& setting : job.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      refuse("--set {} (allowed: PARAMETER=NUMBER)", setting);
    asked.parameters[setting.substr(0, equals)] =
        parse_number(std::string_view(setting).substr(equals + 1), "--set " + setting);
  }
  return asked;
}

} // namespace sortile::cli
