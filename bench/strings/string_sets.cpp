// See string_sets.hpp.
#include "bench/strings/string_sets.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <stdexcept>

namespace sortile::bench {

namespace {

constexpr std::size_t most_bytes = 400'000'000;

using random_bits = std::mt19937_64;

std::string letters(random_bits& random, std::size_t length, std::string_view alphabet) {
  std::string text(length, '\0');
  for (char& c : text)
    c = alphabet[random() % alphabet.size()];
  return text;
}

constexpr std::string_view lower_case = "abcdefghijklmnopqrstuvwxyz";

/// Words of which the k-th is drawn about once for every k times that the first one is.
class vocabulary {
 public:
  vocabulary(random_bits& random, std::size_t size) : words_(size) {
    for (std::string& word : words_)
      word = letters(random, 2 + random() % 4 + random() % 6, lower_case);
  }
  const std::string& draw(random_bits& random) const {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    return words_[static_cast<std::size_t>(std::pow(static_cast<double>(words_.size()), u)) - 1];
  }

 private:
  std::vector<std::string> words_;
};

std::string sentence(random_bits& random, const vocabulary& words) {
  std::string line;
  for (std::size_t left = 4 + random() % 8; left > 0; --left)
    line += words.draw(random) + (left > 1 ? " " : ".");
  return line;
}

std::string address(random_bits& random, const vocabulary& words) {
  static constexpr const char* hosts[] = {"https://www.example.org", "https://shop.example.com",
                                          "https://archive.example.net/collections", "http://example.org"};
  std::string url = hosts[random() % 8 % std::size(hosts)];
  for (std::size_t left = 2 + random() % 4; left > 0; --left)
    url += "/" + words.draw(random);
  return url + "/item?id=" + std::to_string(random() % 100'000'000);
}

using rule = std::function<std::string()>;

/// What makes one string after another of a set.
rule rule_of(const std::string& name, random_bits& random, std::size_t n) {
  if (name == "sentences")
    return [&random, words = vocabulary(random, 30'000)] { return sentence(random, words); };
  if (name == "urls")
    return [&random, words = vocabulary(random, 300)] { return address(random, words); };
  if (name == "words")
    return [&random] { return letters(random, 3 + random() % 14, lower_case); };
  if (name == "dna") // reads of 100 bases, each base ten times
    return [&random, n, genome = letters(random, n * 10 + 100, "ACGT")] {
      return genome.substr(random() % (n * 10), 100);
    };
  if (name == "numbers")
    return [&random] { return std::to_string(random() % 1'000'000'000'000); };
  if (name == "duplicates") {
    std::vector<std::string> few;
    const vocabulary words(random, 500);
    for (int i = 0; i < 1000; ++i)
      few.push_back(sentence(random, words));
    return [&random, few] { return few[random() % few.size()]; };
  }
  if (name == "prefixes")
    return [&random] { return std::string(random() % 300, 'a'); };
  if (name == "short")
    return [&random] {
      std::string text(random() % 9, '\0');
      for (char& c : text)
        c = static_cast<char>(random());
      return text;
    };
  if (name == "long")
    return [&random, head = letters(random, 1000, lower_case)] {
      return head.substr(0, 500 + random() % 500) + letters(random, 500, lower_case);
    };
  throw std::invalid_argument("no set of strings is called " + name);
}

void add(string_set& set, std::string_view text) {
  set.bytes.insert(set.bytes.end(), text.begin(), text.end());
  set.offsets.push_back(set.bytes.size());
}

string_set with_views(string_set set) {
  for (std::size_t i = 0; i + 1 < set.offsets.size(); ++i)
    set.views.emplace_back(set.bytes.data() + set.offsets[i], set.offsets[i + 1] - set.offsets[i]);
  return set;
}

string_set suffixes(std::size_t n, random_bits& random) {
  string_set set{"suffixes", {}};
  const vocabulary words(random, 5'000);
  while (set.bytes.size() < n) {
    const std::string line = sentence(random, words);
    set.bytes.insert(set.bytes.end(), line.begin(), line.end());
  }
  for (std::size_t i = 0; i < n; ++i)
    set.views.emplace_back(set.bytes.data() + i, set.bytes.size() - i);
  return set;
}

} // namespace

std::span<const char* const> generated_sets() {
  static constexpr const char* all[] = {"sentences",  "urls",     "words",    "dna",   "numbers",
                                        "duplicates", "prefixes", "suffixes", "short", "long"};
  return all;
}

string_set make_set(const std::string& name, std::size_t n, std::uint64_t seed) {
  random_bits random(seed);
  if (name == "suffixes")
    return suffixes(n, random);
  const rule next = rule_of(name, random, n);
  string_set set{name, {}, {0}};
  for (std::size_t i = 0; i < n && set.bytes.size() < most_bytes; ++i)
    add(set, next());
  return with_views(std::move(set));
}

std::vector<string_set> lines_of(const std::string& path, std::size_t n, std::size_t lists) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::string_view> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(std::string_view(text).substr(at, end - at));
  if (lines.empty())
    throw std::runtime_error(path + " cannot be read, or has no lines");
  const std::size_t of_each = std::min(n, lines.size()), spare = lines.size() - of_each;
  std::vector<string_set> all;
  for (std::size_t i = 0; i < lists; ++i) {
    string_set set{std::filesystem::path(path).stem().string(), {}, {0}};
    const std::size_t first = spare / (lists + 1) * (i + 1);
    for (const std::string_view line : std::span(lines).subspan(lists == 1 ? spare / 2 : first, of_each))
      add(set, line);
    all.push_back(with_views(std::move(set)));
  }
  return all;
}

} // namespace sortile::bench
