// The registry of workloads: names, parameters, descriptions, and how a spec is read.
#include "testing/workloads.hpp"

#include "testing/workload_rules.hpp"

#include <charconv>
#include <optional>

namespace sortile::testing {

namespace {

struct entry {
  workload_info info;
  workload_parameters defaults;
  workload_parameters least;    ///< the smallest value allowed of each parameter
  workload_parameters greatest; ///< the greatest
  std::size_t parameter_count;
  workload::fill_function fill;
};

template <class Rule, class Word>
void fill_words(const array_shape& shape, const workload_parameters& parameters, std::uint64_t begin, std::uint64_t end,
                Word* keys) {
  const auto key_at = Rule::keys(rules::recipe<Word>{key_space<Word>(shape.type), shape, parameters});
  for (std::uint64_t i = begin; i < end; ++i)
    keys[i - begin] = key_at(i);
}

template <class Rule>
void fill_with(const array_shape& shape, const workload_parameters& parameters, std::uint64_t begin, std::uint64_t end,
               void* keys) {
  with_word(shape.type,
            [&]<class Word>(Word) { fill_words<Rule>(shape, parameters, begin, end, static_cast<Word*>(keys)); });
}

template <class Rule>
entry plain(std::string_view name, std::string_view description, bool floats_only = false) {
  return {{name, "", description, floats_only}, {}, {}, {}, 0, &fill_with<Rule>};
}

/// A workload with one parameter.
template <class Rule>
entry with(std::string_view name, std::string_view shown, double standard, double least, double greatest,
           std::string_view description, bool floats_only = false) {
  return {{name, shown, description, floats_only}, {standard}, {least}, {greatest}, 1, &fill_with<Rule>};
}

const std::vector<entry>& entries() {
  constexpr double many = 0x1p53; // up to here a double holds every whole number
  static const std::vector<entry> all = {
      plain<rules::uniform>("uniform", "random bits; floats: every value alike, no NaN"),
      plain<rules::unit>("unit", "random in [0, 1)", true),
      plain<rules::gaussian>("gaussian", "mean of four uniform keys: the middle of the range is likely"),
      with<rules::and_of>("and", ":3", 3, 1, 64,
                          "AND of k random words: fewer and fewer bits set (the entropy ladder)"),
      with<rules::zipf>("zipf", ":1", 1, 0, 20, "ranks up to 2^20, rank k as likely as k^-s"),
      with<rules::few>("few", ":16", 16, 1, many, "at most k distinct random keys"),
      plain<rules::equal>("equal", "all keys equal"),
      plain<rules::equal_but_one>("equal-but-one", "all keys equal but one"),
      plain<rules::two_values>("two-values", "two keys, half and half"),
      with<rules::mostly_equal>("mostly-equal", ":0.95", 0.95, 0, 1,
                                "one key with probability p, uniform keys between"),
      plain<rules::sorted>("sorted", "ascending over the whole range"),
      plain<rules::reversed>("reversed", "descending over the whole range"),
      with<rules::nearly_sorted>("nearly-sorted", ":0.01", 0.01, 0, 1,
                                 "ascending, a random key in place of a share p of them"),
      plain<rules::organ_pipe>("organ-pipe", "ascending, then descending"),
      with<rules::runs>("runs", ":16", 16, 1, many, "k ascending runs, each over the whole range"),
      with<rules::sawtooth>("sawtooth", ":1000", 1000, 1, many, "0, 1, … k-1, 0, 1, …"),
      with<rules::staggered>("staggered", ":64", 64, 2, 0x1p32,
                             "p blocks, each random in a p-th of the range, none where it belongs"),
      plain<rules::root_dup>("root-dup", "i mod sqrt(n)"),
      plain<rules::power_dup<2>>("two-dup", "i^2 + n/2 mod n"),
      plain<rules::power_dup<8>>("eight-dup", "i^8 + n/2 mod n"),
      {{"window", ":begin:end", "only the bits [begin, end) differ; by default the middle half of them", false},
       {rules::by_type, rules::by_type},
       {0, 0},
       {128, 128},
       2,
       &fill_with<rules::window>},
      with<rules::range>("range", ":256", 256, 1, many, "random integers 0 … k-1"),
      with<rules::nan>("nan", ":0.1", 0.1, 0, 1, "uniform, with a share p of NaNs: both signs, all payloads", true),
      with<rules::zeros>("zeros", ":0.5", 0.5, 0, 1, "uniform, with a share p of -0 and +0", true),
      with<rules::infinities>("infinities", ":0.1", 0.1, 0, 1, "uniform, with a share p of -inf and +inf", true),
      plain<rules::denormals>("denormals", "denormal numbers of both signs", true),
      plain<rules::specials>("specials",
                             "NaNs, zeros, infinities, denormals, extremes, ones and others, one in eight each", true),
  };
  return all;
}

[[noreturn]] void refuse(std::string_view spec, const std::string& what) {
  throw invalid_argument("workload '" + std::string(spec) + "': " + what + "; the workloads are\n" + workload_list());
}

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return number;
}

/// The parts of a spec between colons.
std::vector<std::string_view> parts_of(std::string_view spec) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = spec.find(':', begin);
    parts.push_back(spec.substr(begin, end - begin));
    if (end == std::string_view::npos)
      return parts;
    begin = end + 1;
  }
}

std::string shortest(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

workload_parameters read_parameters(std::string_view spec, const entry& e, const std::vector<std::string_view>& parts) {
  if (parts.size() == 1)
    return e.defaults;
  if (parts.size() != 1 + e.parameter_count)
    refuse(spec, "takes " + std::to_string(e.parameter_count) + " parameter(s)");
  workload_parameters parameters = e.defaults;
  for (std::size_t p = 0; p < e.parameter_count; ++p) {
    const std::optional<double> number = number_in(parts[p + 1]);
    if (!number || !(*number >= e.least[p] && *number <= e.greatest[p]))
      refuse(spec, std::string(parts[p + 1]) + " is not a number from " + shortest(e.least[p]) + " to " +
                       shortest(e.greatest[p]));
    parameters[p] = *number;
  }
  return parameters;
}

} // namespace

void workload::fill(const array_shape& shape, std::uint64_t begin, std::uint64_t end, void* keys) const {
  if (!suits(shape.type))
    throw invalid_argument("workload '" + spec_ + "' makes floats: it cannot fill keys of type " +
                           std::string(name(shape.type)) + " (allowed: f16, bf16, f32, f64)");
  if (begin > end || end > shape.n)
    throw invalid_argument("workload '" + spec_ + "': keys [" + std::to_string(begin) + ", " + std::to_string(end) +
                           ") of an array of " + std::to_string(shape.n));
  if (begin < end)
    rule_(shape, parameters_, begin, end, keys);
}

std::span<const workload_info> all_workloads() {
  static const std::vector<workload_info> infos = [] {
    std::vector<workload_info> list;
    for (const entry& e : entries())
      list.push_back(e.info);
    return list;
  }();
  return infos;
}

workload workload_named(std::string_view spec) {
  const std::vector<std::string_view> parts = parts_of(spec);
  for (const entry& e : entries())
    if (e.info.name == parts[0])
      return {std::string(spec), e.info, read_parameters(spec, e, parts), e.fill};
  refuse(spec, "no workload of that name");
}

std::string workload_list() {
  std::string text;
  for (const workload_info& info : all_workloads()) {
    std::string line = "  " + std::string(info.name) + std::string(info.parameters);
    line.resize(std::max<std::size_t>(line.size() + 1, 24), ' ');
    text += line + std::string(info.description) + (info.floats_only ? " (floats only)" : "") + "\n";
  }
  return text;
}

} // namespace sortile::testing
