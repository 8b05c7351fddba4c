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
  unsigned rule;
};

template <class Rule>
entry plain(std::string_view name, std::string_view description, bool floats_only = false) {
  return {{name, "", description, floats_only}, {}, {}, {}, 0, rules::all::number<Rule>()};
}

/// A workload with one parameter.
template <class Rule>
entry with(std::string_view name, std::string_view shown, double standard, double least, double greatest,
           std::string_view description, bool floats_only = false) {
  return {{name, shown, description, floats_only}, {standard}, {least}, {greatest}, 1, rules::all::number<Rule>()};
}

/// A workload whose parameters are all given or follow from the type.
template <class Rule>
entry by_type(std::string_view name, std::string_view shown, std::size_t count, double least, double greatest,
              std::string_view description) {
  entry e{{name, shown, description}, {}, {}, {}, count, rules::all::number<Rule>()};
  e.defaults.fill(rules::by_type);
  e.least.fill(least);
  e.greatest.fill(greatest);
  return e;
}

const std::vector<entry>& entries() {
  constexpr double many = 0x1p53; // up to here a double holds every whole number
  static const std::vector<entry> all = {
      plain<rules::uniform>("uniform", "random bits; floats: every value alike, no NaN"),
      plain<rules::unit>("unit", "random in [0, 1)", true),
      plain<rules::normal>("normal", "standard normal; integers: mean the middle, deviation a 16th of the range"),
      plain<rules::exponential>("exponential", "exponential, mean 1; integers: mean a 32nd of the range"),
      plain<rules::lognormal>("lognormal", "e^2z, z normal; integers: median 2^-15 of the range"),
      with<rules::and_of>("and", ":3", 3, 1, 64,
                          "AND of k random words: fewer and fewer bits set (the entropy ladder)"),
      with<rules::zipf>("zipf", ":1", 1, 0, 20, "ranks up to 2^20, rank k as likely as k^-s"),
      plain<rules::zipf_spread>("zipf-spread", "ranks up to n, rank k about as likely as 1/k; a random key for each"),
      with<rules::few>("few", ":16", 16, 1, many, "at most k distinct random keys"),
      plain<rules::equal>("equal", "all keys equal"),
      plain<rules::equal_but_one>("equal-but-one", "all keys equal but one, which differs in every bit"),
      plain<rules::two_values>("two-values", "two keys, half and half"),
      with<rules::mostly_equal>("mostly-equal", ":0.95", 0.95, 0, 1,
                                "one key with probability p, uniform keys between"),
      with<rules::zeros>("zeros", ":0.5", 0.5, 0, 1, "uniform, with a share p of zeros; floats: -0 and +0"),
      plain<rules::sorted>("sorted", "ascending over the whole range"),
      plain<rules::reversed>("reversed", "descending over the whole range"),
      plain<rules::count_up>("count-up", "0, 1, ... n-1; each several times where the type has no room"),
      plain<rules::count_down>("count-down", "n-1, ... 1, 0; each several times where the type has no room"),
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
       rules::all::number<rules::window>()},
      with<rules::range>("range", ":256", 256, 1, many, "random integers 0 … k-1"),
      with<rules::outliers>("outliers", ":65536", 65536, 1, many,
                            "random in the low 16 bits, one key in k in all of them"),
      by_type<rules::clusters>("clusters", ":ids:spacing:span", 3, 1, many,
                               "id * spacing + random below span, ids random; by default spread over the type"),
      with<rules::morton>("morton", ":1000", 1000, 1, many, "Morton codes of points around k centres"),
      with<rules::full_buckets>("full-buckets", ":5400", 5400, 1, many,
                                "as many values of the 16 highest bits as leave k keys to each"),
      plain<rules::two_buckets>("two-buckets", "two values of the 16 highest bits, random below"),
      with<rules::nan>("nan", ":0.1", 0.1, 0, 1, "uniform, with a share p of NaNs: both signs, all payloads", true),
      with<rules::infinities>("infinities", ":0.1", 0.1, 0, 1, "uniform, with a share p of -inf and +inf", true),
      plain<rules::denormals>("denormals", "denormal numbers of both signs", true),
      plain<rules::specials>("specials",
                             "NaNs, zeros, infinities, denormals, extremes, ones and others, one in eight each", true),
  };
  return all;
}

[[noreturn]] void refuse(std::string_view spec, const std::string& what) {
  std::string names;
  for (const entry& e : entries())
    names += (names.empty() ? "" : ", ") + std::string(e.info.name) + std::string(e.info.parameters);
  throw invalid_argument("workload '" + std::string(spec) + "': " + what + "; the workloads are " + names);
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

/// A loop a rule: the rule is chosen once, not for each key.
template <class Word, class... Rules>
void fill_by(rules::list<Rules...>, unsigned rule, const rules::recipe<Word>& r, std::uint64_t begin, std::uint64_t end,
             Word* keys) {
  const auto fill_with = [&]<class Rule>(std::type_identity<Rule>) {
    for (std::uint64_t i = begin; i < end; ++i)
      keys[i - begin] = Rule::key(r, i);
  };
  unsigned at = 0;
  ((at++ == rule ? fill_with(std::type_identity<Rules>{}) : void()), ...);
}

template <class Word>
void fill_words(const workload& w, const array_shape& shape, std::uint64_t begin, std::uint64_t end, Word* keys) {
  fill_by(rules::all{}, w.rule(), rules::recipe_of<Word>(w, shape), begin, end, keys);
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

void workload::check(key_type type) const {
  if (!suits(type))
    throw invalid_argument("workload '" + spec_ + "' makes floats: it cannot fill keys of type " +
                           std::string(name(type)) + " (allowed: f16, bf16, f32, f64)");
}

void workload::fill(const array_shape& shape, std::uint64_t begin, std::uint64_t end, void* keys) const {
  check(shape.type);
  if (begin > end || end > shape.n)
    throw invalid_argument("workload '" + spec_ + "': keys [" + std::to_string(begin) + ", " + std::to_string(end) +
                           ") of an array of " + std::to_string(shape.n));
  if (begin < end)
    with_word(shape.type, [&]<class Word>(Word) { fill_words(*this, shape, begin, end, static_cast<Word*>(keys)); });
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
      return {std::string(spec), e.info, read_parameters(spec, e, parts), e.rule};
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
