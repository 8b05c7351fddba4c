// sortile_strings_bench: sorts of byte strings beside std::sort, std::stable_sort and Boost's string_sort of
// std::string_view, in turns on the same strings. Every result is compared with std::stable_sort's before anything is
// timed. Strings lie in memory as a program that reads a file would have them: one after the other. Times of one thread
// are the processor's, so that other programs count less. Short sorts go through up to 32 lists, one after the other:
// of one list that is sorted again and again, the processor learns where the comparisons of std::sort lead.
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
#include <utility>
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

/// A list of strings, and what its sorts write.
struct string_list {
  string_set set;
  std::vector<std::uint32_t> narrow; // offsets; empty where the strings overlap
  views work;
  std::vector<std::uint32_t> offsets;
  std::vector<char> bytes;

  explicit string_list(string_set of)
      : set(std::move(of)),
        narrow(set.bytes.size() < UINT32_MAX ? set.offsets.begin() : set.offsets.end(), set.offsets.end()),
        work(set.views), offsets(narrow.size()), bytes(narrow.empty() ? 0 : set.bytes.size()) {}

  byte_strings<std::uint32_t> arrow() const { return {narrow, set.bytes}; }
};

/// All ways to sort lists of one kind.
class contest {
 public:
  contest(const settings& s, std::vector<string_list> lists) : lists_(std::move(lists)) {
    opts_.threads = s.threads;
    how_.repetitions = s.repetitions;
    how_.budget_seconds = s.budget;
    how_.least_repetitions = 2;
  }

  /// Lists that a run goes through.
  static std::size_t lists_of(std::size_t n) { return std::clamp<std::size_t>(100'000 / n, 1, 32); }

  void run() {
    for (string_list& list : lists_)
      need_right_results(list);
    std::vector<testing::contender> ways;
    const auto add = [&](const char* name, auto f) {
      ways.push_back({name, [] {}, [] {}});
      ways.back().timed = [this, f] {
        double seconds = 0;
        for (string_list& list : lists_) {
          std::copy(list.set.views.begin(), list.set.views.end(), list.work.begin());
          const double start = now();
          f(list);
          seconds += now() - start;
        }
        return seconds / static_cast<double>(lists_.size());
      };
    };
    using l = string_list;
    add("sort", [this](l& list) { sort_strings(list.work, opts_); });
    add("argsort", [this](l& list) { positions_ = argsort_strings<std::uint32_t>(list.set.views, opts_); });
    add("unique", [this](l& list) { positions_ = unique_strings<std::uint32_t>(list.set.views, opts_); });
    if (!lists_[0].narrow.empty()) {
      add("arrow argsort", [this](l& list) { positions_ = argsort_strings<std::uint32_t>(list.arrow(), opts_); });
      add("arrow sort",
          [this](l& list) { sort_strings(list.arrow(), std::span(list.offsets), std::span(list.bytes), opts_); });
    }
    add("std::sort", [](l& list) { std::sort(list.work.begin(), list.work.end()); });
    add("std::stable_sort", [](l& list) { std::stable_sort(list.work.begin(), list.work.end()); });
#if defined(SORTILE_RIVAL_SPREADSORT)
    add("boost string_sort", [](l& list) { boost_string_sort(list.work); });
#endif
    print(testing::race(ways, how_));
  }

 private:
  double now() const {
    timespec t{};
    clock_gettime(opts_.threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }

  static void need(const string_list& list, bool holds, const char* what) {
    if (!holds)
      throw std::runtime_error(std::string(what) + " of " + list.set.name + " is wrong");
  }

  void need_right_results(string_list& list) {
    const views& all = list.set.views;
    std::vector<std::uint32_t> expected(all.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return all[a] < all[b]; });
    need(list, argsort_strings<std::uint32_t>(all, opts_) == expected, "argsort");
    if (!list.narrow.empty()) {
      need(list, argsort_strings<std::uint32_t>(list.arrow(), opts_) == expected, "arrow argsort");
      sort_strings(list.arrow(), std::span(list.offsets), std::span(list.bytes), opts_);
    }
    list.work = all;
    sort_strings(list.work, opts_);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string_view text = all[expected[i]], found = list.work[i];
      need(list, found.data() == text.data() && found.size() == text.size(), "sort");
      need(list,
           list.narrow.empty() ||
               std::string_view(list.bytes.data() + list.offsets[i], list.offsets[i + 1] - list.offsets[i]) == text,
           "arrow sort");
    }
    expected.erase(std::unique(expected.begin(), expected.end(),
                               [&](std::uint32_t a, std::uint32_t b) { return all[a] == all[b]; }),
                   expected.end());
    need(list, unique_strings<std::uint32_t>(all, opts_) == expected, "unique");
#if defined(SORTILE_RIVAL_SPREADSORT)
    views rival = all;
    boost_string_sort(rival);
    need(list, rival == list.work, "boost string_sort");
#endif
  }

  /// Nanoseconds a string.
  void print(const std::vector<testing::timing>& timings) const {
    const std::size_t n = lists_[0].set.views.size();
    const auto nanoseconds = [&](std::string_view name) {
      const auto found = std::find_if(timings.begin(), timings.end(), [&](const auto& t) { return t.name == name; });
      return found == timings.end() ? 0 : found->fastest() / static_cast<double>(n) * 1e9;
    };
    std::printf("%-10s n %-8zu threads %u ", lists_[0].set.name.c_str(), n, opts_.threads);
    for (const testing::timing& t : timings)
      std::printf(" %s %.1f", t.name.c_str(), nanoseconds(t.name));
    for (const char* rival : {"std::sort", "boost string_sort"})
      std::printf("  %s / sort %.2f", rival, nanoseconds(rival) / nanoseconds("sort"));
    std::puts("");
    std::fflush(stdout);
  }

  std::vector<string_list> lists_;
  std::vector<std::uint32_t> positions_;
  options opts_;
  testing::race_options how_;
};

void run(const settings& s) {
  std::puts("nanoseconds a string, the fastest of several runs in turns");
  for (const std::string& file : s.files)
    for (const std::size_t n : s.lengths) {
      std::vector<string_list> lists;
      for (string_set& set : lines_of(file, n, contest::lists_of(n)))
        lists.emplace_back(std::move(set));
      contest(s, std::move(lists)).run();
    }
  for (const std::string& name : s.sets)
    for (const std::size_t n : s.lengths) {
      std::vector<string_list> lists;
      for (std::size_t i = 0; i < contest::lists_of(n); ++i)
        lists.emplace_back(make_set(name, n, i + 1));
      contest(s, std::move(lists)).run();
    }
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
