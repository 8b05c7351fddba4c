// The suites, see suites.hpp.
#include "bench/suites.hpp"

#include "testing/workloads.hpp"

namespace sortile::bench {

namespace {

constexpr const char* distributions[] = {"sorted",        "reversed",    "equal",        "two-values", "few:16",
                                         "nearly-sorted", "organ-pipe",  "root-dup",     "zipf",       "and:3",
                                         "and:5",         "range:65536", "mostly-equal", "runs:16",    "staggered"};

std::vector<row_spec> uniform_rows(std::size_t keys_alone, std::size_t pairs) {
  std::vector<row_spec> rows;
  for (const shape s : all_shapes)
    rows.push_back({s, "uniform", s < shape::u32_u32 ? keys_alone : pairs});
  return rows;
}

std::vector<row_spec> distribution_rows(shape s, std::size_t n) {
  std::vector<row_spec> rows;
  for (const char* workload : distributions)
    rows.push_back({s, workload, n});
  return rows;
}

/// Keys alone of every workload of the registry; without NaN, which other sorts do not take.
std::vector<row_spec> registry_rows(std::size_t n) {
  std::vector<row_spec> rows;
  for (const shape s : {shape::u32, shape::u64, shape::f32, shape::f64}) {
    const key_type type = key_type_named(name(s));
    for (const testing::workload_info& info : testing::all_workloads())
      if (const std::string workload(info.name);
          testing::workload_named(workload).suits(type) && workload != "nan" && workload != "specials")
        rows.push_back({s, workload, n});
    for (const char* workload : {"few:256", "and:5"})
      rows.push_back({s, workload, n});
  }
  return rows;
}

std::vector<row_spec> length_rows() {
  std::vector<row_spec> rows;
  for (const shape s : {shape::u32, shape::u64, shape::f32, shape::f64, shape::u64_u32})
    for (const std::size_t n : {2, 4, 10, 30, 100, 1000, 10'000, 100'000, 1'000'000})
      rows.push_back({s, "uniform", n});
  return rows;
}

/// What the CPU engine is held to: short arrays, long ones, and keys that are spread unevenly.
std::vector<row_spec> cpu_rows() {
  std::vector<row_spec> rows;
  for (const shape s : {shape::u32, shape::u64, shape::f32})
    for (const std::size_t n : {16, 100, 1000, 10'000, 100'000, 1'000'000, 20'000'000})
      rows.push_back({s, "uniform", n});
  for (const shape s : {shape::u32_u32, shape::u64_u64})
    for (const std::size_t n : {16, 100, 10'000, 1'000'000, 10'000'000})
      rows.push_back({s, "uniform", n});
  for (const shape s : {shape::u32, shape::u64, shape::u32_u32, shape::u64_u64})
    for (const char* workload : {"normal", "exponential", "zipf", "few:16", "and:3", "nearly-sorted", "sorted"})
      rows.push_back({s, workload, 10'000'000});
  return rows;
}

std::vector<row_spec> together(std::vector<row_spec> a, const std::vector<row_spec>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

} // namespace

std::vector<suite> all_suites() {
  return {
      {"default", "uniform 10^7 of every shape, distributions of u32, lengths; about 4 minutes",
       together(together(uniform_rows(10'000'000, 5'000'000), distribution_rows(shape::u32, 4'000'000)),
                length_rows())},
      {"uniform", "uniform 10^7 of every shape", uniform_rows(10'000'000, 5'000'000)},
      {"distributions", "u32 and u64+u32, 10^7 of every distribution",
       together(distribution_rows(shape::u32, 10'000'000), distribution_rows(shape::u64_u32, 10'000'000))},
      {"registry",
       "4*10^6 keys alone of every workload without NaN, against the fastest rivals",
       registry_rows(4'000'000),
       {"hwy vqsort", "pdqsort", "ips4o", "ips4o parallel"}},
      {"lengths", "2 to 10^6 keys, many arrays a run", length_rows()},
      {"large",
       "10^8 keys and 5*10^7 pairs of every shape, every rival; half an hour",
       uniform_rows(100'000'000, 50'000'000),
       {},
       4},
      {"cpu", "what the CPU engine is held to: lengths from 16 on, uneven keys; about 15 minutes", cpu_rows()},
      {"targets",
       "10^8 u32 against std::sort, 5*10^7 u64+u32 against std::stable_sort, and the fastest rivals",
       {{shape::u32, "uniform", 100'000'000}, {shape::u64_u32, "uniform", 50'000'000}},
       {"std::sort", "std::stable_sort", "hwy vqsort", "ips4o parallel"},
       4},
      {"smoke",
       "a second's work, to see that it runs",
       {{shape::u32, "uniform", 20'000},
        {shape::f32, "unit", 5000},
        {shape::u64_u32, "few:100", 20'000},
        {shape::u64_u64, "zipf", 1000}}},
  };
}

} // namespace sortile::bench
