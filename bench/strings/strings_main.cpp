// sortile_strings_bench: sorts of byte strings beside std::sort, std::stable_sort and Boost's string_sort of
// std::string_view, in turns on the same strings. Every result is compared with std::stable_sort's before anything is
// timed. Strings lie in memory as a program that reads a file would have them: one after the other. Times of one thread
// are the processor's, so that other programs count less.
//
//   sortile_strings_bench [--threads N] [--repetitions N] [--lengths 1000,…] [--sets words,urls,…] [--file TEXT]
#include "bench/strings/string_sets.hpp"
#include "testing/race.hpp"

#include <sortile/sortile.hpp>

#include <CLI/CLI.hpp>
#if defined(SORTILE_RIVAL_SPREADSORT)
#include <boost/sort/spreadsort/string_sort.hpp>
#endif

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace sortile::bench {
namespace {

struct settings {
  unsigned threads = 1, repetitions = 9;
  double budget = 2;
  std::vector<std::size_t> lengths{1000, 30'000, 1'000'000};
  std::vector<std::string> sets{generated_sets().begin(), generated_sets().end()}, files{};
};

using views = std::vector<std::string_view>;

#if defined(SORTILE_RIVAL_SPREADSORT)
void boost_string_sort(views& all) {
  boost::sort::spreadsort::string_sort(
      all.begin(), all.end(),
      [](std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); },
      [](std::string_view text) { return text.size(); }, std::less<std::string_view>());
}
#endif

/// All ways to sort one set.
class contest {
 public:
  contest(const settings& s, const string_set& set)
      : set_(set), narrow_(set.bytes.size() < UINT32_MAX ? set.offsets.begin() : set.offsets.end(), set.offsets.end()),
        work_(set.views), offsets_(narrow_.size()), bytes_(narrow_.empty() ? 0 : set.bytes.size()) {
    opts_.threads = s.threads;
    how_.repetitions = s.repetitions;
    how_.budget_seconds = s.budget;
    how_.least_repetitions = 2;
  }

  void run() {
    need_right_results();
    std::vector<testing::contender> ways;
    const std::size_t calls = std::clamp<std::size_t>(100'000 / set_.views.size(), 1, 100);
    const auto add = [&](const char* name, auto f) {
      ways.push_back({name, [] {}, f});
      ways.back().timed = [this, calls, f] {
        double seconds = 0;
        for (std::size_t i = 0; i < calls; ++i) {
          std::copy(set_.views.begin(), set_.views.end(), work_.begin());
          const double start = now();
          f();
          seconds += now() - start;
        }
        return seconds / static_cast<double>(calls);
      };
    };
    add("sort", [this] { sort_strings(work_, opts_); });
    add("argsort", [this] { positions_ = argsort_strings<std::uint32_t>(set_.views, opts_); });
    add("unique", [this] { positions_ = unique_strings<std::uint32_t>(set_.views, opts_); });
    if (!narrow_.empty()) {
      add("arrow argsort", [this] { positions_ = argsort_strings<std::uint32_t>(arrow(), opts_); });
      add("arrow sort", [this] { sort_strings(arrow(), std::span(offsets_), std::span(bytes_), opts_); });
    }
    add("std::sort", [this] { std::sort(work_.begin(), work_.end()); });
    add("std::stable_sort", [this] { std::stable_sort(work_.begin(), work_.end()); });
#if defined(SORTILE_RIVAL_SPREADSORT)
    add("boost string_sort", [this] { boost_string_sort(work_); });
#endif
    print(testing::race(ways, how_));
  }

 private:
  double now() const {
    timespec t{};
    clock_gettime(opts_.threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  byte_strings<std::uint32_t> arrow() const {
    return {narrow_, set_.bytes};
  }

  void need(bool holds, const char* what) const {
    if (!holds)
      throw std::runtime_error(std::string(what) + " of " + set_.name + " is wrong");
  }

  void need_right_results() {
    std::vector<std::uint32_t> expected(set_.views.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return set_.views[a] < set_.views[b]; });
    need(argsort_strings<std::uint32_t>(set_.views, opts_) == expected, "argsort");
    if (!narrow_.empty()) {
      need(argsort_strings<std::uint32_t>(arrow(), opts_) == expected, "arrow argsort");
      sort_strings(arrow(), std::span(offsets_), std::span(bytes_), opts_);
    }
    work_ = set_.views;
    sort_strings(work_, opts_);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string_view text = set_.views[expected[i]];
      need(work_[i].data() == text.data() && work_[i].size() == text.size(), "sort");
      need(narrow_.empty() || std::string_view(bytes_.data() + offsets_[i], offsets_[i + 1] - offsets_[i]) == text,
           "arrow sort");
    }
    expected.erase(std::unique(expected.begin(), expected.end(),
                               [&](std::uint32_t a, std::uint32_t b) { return set_.views[a] == set_.views[b]; }),
                   expected.end());
    need(unique_strings<std::uint32_t>(set_.views, opts_) == expected, "unique");
#if defined(SORTILE_RIVAL_SPREADSORT)
    views rival = set_.views;
    boost_string_sort(rival);
    need(rival == work_, "boost string_sort");
#endif
  }

  /// Nanoseconds a string.
  void print(const std::vector<testing::timing>& timings) const {
    const auto n = static_cast<double>(set_.views.size());
    const auto nanoseconds = [&](std::string_view name) {
      const auto found = std::find_if(timings.begin(), timings.end(), [&](const auto& t) { return t.name == name; });
      return found == timings.end() ? 0 : found->fastest() / n * 1e9;
    };
    std::printf("%-10s n %-8zu threads %u ", set_.name.c_str(), set_.views.size(), opts_.threads);
    for (const testing::timing& t : timings)
      std::printf(" %s %.1f", t.name.c_str(), nanoseconds(t.name));
    for (const char* rival : {"std::sort", "boost string_sort"})
      std::printf("  %s / sort %.2f", rival, nanoseconds(rival) / nanoseconds("sort"));
    std::puts("");
    std::fflush(stdout);
  }

  const string_set& set_;
  std::vector<std::uint32_t> narrow_; // empty where the strings overlap
  views work_;
  std::vector<std::uint32_t> offsets_;
  std::vector<char> bytes_;
  std::vector<std::uint32_t> positions_;
  options opts_;
  testing::race_options how_;
};

void run(const settings& s) {
  std::puts("nanoseconds a string, the fastest of several runs in turns");
  for (const std::string& file : s.files)
    for (const std::size_t n : s.lengths)
      contest(s, lines_of(file, n)).run();
  for (const std::string& name : s.sets)
    for (const std::size_t n : s.lengths)
      contest(s, make_set(name, n, 1)).run();
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Sorts of byte strings beside other sorts.");
  app.add_option("--threads", s.threads, "threads of sortile; 0: as many as this process may use");
  app.add_option("--repetitions", s.repetitions, "timed runs of each");
  app.add_option("--budget", s.budget, "seconds after which a contender sits out the rest");
  app.add_option("--lengths", s.lengths, "numbers of strings")->delimiter(',');
  app.add_option("--sets", s.sets, "generated sets, of which these")->delimiter(',');
  app.add_option("--file", s.files, "texts whose lines are sorted too");
  CLI11_PARSE(app, argc, argv);
  try {
    sortile::bench::run(s);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
