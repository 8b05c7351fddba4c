// sortile_cpu_select_bench: selections of arrays in host memory beside std::nth_element, std::partial_sort, its form
// that copies, and sortile's own sort of all keys, in turns on copies of the same keys. The key in its place, and the
// first ones, are compared with std::nth_element's before anything is timed.
//
//   sortile_cpu_select_bench [--threads N] [--repetitions N] [--largest N] [--workloads uniform,zipf,…] [--types
//   u8,f64,…]
#include "testing/race.hpp"
#include "testing/workloads.hpp"

#include <sortile/select.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sortile::bench {
namespace {

struct settings {
  unsigned threads = 1, repetitions = 15;
  std::size_t largest = 10'000'000;
  std::vector<std::string> workloads{"uniform", "normal", "zipf", "sorted", "equal"}, types{"u32", "u64", "f32", "f64"};
};

/// Many arrays of n keys, since one short one takes no time that a clock tells.
template <class K>
class contest {
 public:
  contest(const settings& s, std::string workload, std::size_t n)
      : n_(n), arrays_(std::clamp<std::size_t>(400'000 / n, 1, 512)), workload_(std::move(workload)),
        keys_(testing::make_keys<K>(workload_, n * arrays_, 1)), work_(keys_) {
    how_.repetitions = s.repetitions;
    how_.budget_seconds = 1;
    opts_.threads = s.threads;
  }

  void nth_element(std::size_t nth) {
    const auto std_nth = [nth](std::span<K> a) {
      std::nth_element(a.begin(), a.begin() + std::ptrdiff_t(nth), a.end());
    };
    const auto ours = [this, nth](std::span<K> a) { sortile::nth_element(a, nth, opts_); };
    need_alike(std_nth, ours, [nth](std::span<K> a) { return a[nth]; });
    race("nth_element", nth, {{"sortile", ours}, {"std::nth_element", std_nth}, sort()});
  }

  void median() {
    const auto std_nth = [this](std::span<K> a) {
      std::nth_element(a.begin(), a.begin() + std::ptrdiff_t(n_ / 2), a.end());
    };
    const auto ours = [this](std::span<K> a) { sum_ += sortile::median(a, opts_); };
    race("median", n_ / 2, {{"sortile", ours}, {"std::nth_element", std_nth}, sort()});
  }

  void partial_sort(std::size_t k) {
    const auto std_sort = [k](std::span<K> a) { std::partial_sort(a.begin(), a.begin() + std::ptrdiff_t(k), a.end()); };
    const auto ours = [this, k](std::span<K> a) { sortile::partial_sort(a, k, opts_); };
    need_alike(std_sort, ours, [k](std::span<K> a) { return a[k / 2]; });
    race("partial_sort", k, {{"sortile", ours}, {"std::partial_sort", std_sort}, sort()});
  }

  void top_k(std::size_t k) {
    const auto std_parts = [k](std::span<K> a) {
      std::nth_element(a.begin(), a.begin() + std::ptrdiff_t(k) - 1, a.end());
      std::sort(a.begin(), a.begin() + std::ptrdiff_t(k));
    };
    std::vector<K> first(k), copied(k);
    const auto std_copy = [&](std::span<K> a) {
      std::partial_sort_copy(a.begin(), a.end(), copied.begin(), copied.end());
    };
    const auto ours = [&, this](std::span<K> a) { sortile::top_k(a, first, opts_); };
    race("top_k", k,
         {{"sortile", ours}, {"std::nth_element and sort", std_parts}, {"std::partial_sort_copy", std_copy}, sort()});
  }

 private:
  struct way {
    const char* name;
    std::function<void(std::span<K>)> run;
  };

  way sort() {
    return {"sortile::sort", [this](std::span<K> a) { sortile::sort(a, opts_); }};
  }

  template <class A, class B, class Part>
  void need_alike(const A& a, const B& b, const Part& part) {
    std::vector<K> one(keys_.begin(), keys_.begin() + std::ptrdiff_t(n_)), other = one;
    a(one), b(other);
    if (const K x = part(one), y = part(other); std::memcmp(&x, &y, sizeof x) != 0)
      throw std::runtime_error("the results of " + workload_ + " keys differ");
  }

  void race(const char* what, std::size_t rank, const std::vector<way>& ways) {
    std::vector<testing::contender> contenders;
    for (const way& w : ways)
      contenders.push_back({w.name, [this] { std::copy(keys_.begin(), keys_.end(), work_.begin()); },
                            [this, &w] {
                              for (std::size_t i = 0; i < arrays_; ++i)
                                w.run(std::span(work_).subspan(i * n_, n_));
                            }});
    std::printf("%-12s %s %-8s n = %-9zu rank %-8zu", what, std::string(name(key_type_of<K>)).c_str(),
                workload_.c_str(), n_, rank);
    for (const testing::timing& t : testing::race(contenders, how_))
      std::printf("  %s %.0f", t.name.c_str(), t.fastest() / static_cast<double>(arrays_) * 1e9);
    std::puts(" ns");
    std::fflush(stdout);
  }

  std::size_t n_, arrays_;
  std::string workload_;
  std::vector<K> keys_, work_;
  testing::race_options how_;
  options opts_;
  double sum_ = 0;
};

template <class K>
void run_type(const settings& s) {
  for (const std::string& workload : s.workloads)
    for (const std::size_t n : {10, 30, 100, 300, 1000, 10'000, 100'000, 1'000'000, 10'000'000}) {
      if (n > s.largest)
        break;
      contest<K> c(s, workload, n);
      std::vector<std::size_t> ranks{n / 2, n / 10, n / 100, std::min<std::size_t>(10, n - 1), std::size_t{1}};
      std::sort(ranks.begin(), ranks.end());
      ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
      for (const std::size_t rank : ranks)
        c.nth_element(rank);
      c.median();
      for (const std::size_t rank : ranks)
        if (rank > 0) {
          c.partial_sort(rank);
          c.top_k(rank);
        }
    }
}

void run(const settings& s) {
  std::puts("nanoseconds a call, the fastest of several runs in turns");
  const auto run_if_wanted = [&]<class K>(K) {
    if (std::find(s.types.begin(), s.types.end(), name(key_type_of<K>)) != s.types.end())
      run_type<K>(s);
  };
  run_if_wanted(std::uint8_t{});
  run_if_wanted(std::uint16_t{});
  run_if_wanted(std::uint32_t{});
  run_if_wanted(std::uint64_t{});
  run_if_wanted(float{});
  run_if_wanted(double{});
  run_if_wanted(uint128{});
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Selections in host memory beside the standard library's.");
  app.add_option("--threads", s.threads, "threads of sortile; 0: as many as this process may use");
  app.add_option("--repetitions", s.repetitions, "timed runs of each");
  app.add_option("--largest", s.largest, "no more keys than these");
  app.add_option("--workloads", s.workloads, "of the registry")->delimiter(',');
  app.add_option("--types", s.types, "u8, u16, u32, u64, f32, f64 and u128, of which these")->delimiter(',');
  CLI11_PARSE(app, argc, argv);
  try {
    sortile::bench::run(s);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}
