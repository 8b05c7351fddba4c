// sortile_merge_bench: merges of sorted runs of equal length in device memory, with a workspace given, in one process,
// taking turns. Beside them: CUB's DeviceMerge of two runs, and CUB's and sortile's sorts of all runs end to end, out
// of place (the runs lie so already: nothing is copied for a sort). Every result is compared with CUB's sort, byte for
// byte, before anything is timed.
//
//   sortile_merge_bench [--rounds N] [--log-n A,B,…] [--runs 2,8,…] [--kinds u32,…] [--workloads uniform,…] [--json
//   FILE]
#include "bench/gpu/program.hpp"
#include "bench/gpu/with_workspace.cuh"

#include <sortile/sortile.hpp>

#include <cub/device/device_radix_sort.cuh>
#if __has_include(<cub/device/device_merge.cuh>)
#include <cub/device/device_merge.cuh>
#define SORTILE_CUB_MERGES 1
#endif

namespace sortile::bench {
namespace {

struct work {
  std::string kind, workload;
  std::uint64_t n, runs;
};

template <class K>
struct arrays {
  std::uint64_t n, runs;
  bool pairs;
  shared_buffer in, values, out, values_out, expected, values_expected;

  const K* keys() const { return static_cast<const K*>(in->data()); }
  const std::uint32_t* from() const { return static_cast<const std::uint32_t*>(values->data()); }
  std::uint64_t begin(std::uint64_t run) const { return n / runs * run; }
};

template <class K>
contestant our_merge(const arrays<K>& a, std::vector<sorted_run>& runs) {
  for (std::uint64_t r = 0; r < a.runs; ++r)
    runs.push_back({a.keys() + a.begin(r), a.pairs ? a.from() + a.begin(r) : nullptr, a.n / a.runs});
  return library_call("sortile", merge_request{.type = key_type_of<K>,
                                               .runs = runs,
                                               .keys_out = a.out->data(),
                                               .value_bytes = a.pairs ? sizeof(std::uint32_t) : 0,
                                               .values_out = a.pairs ? a.values_out->data() : nullptr});
}

template <class K>
contestant our_sort(const arrays<K>& a) {
  sort_request request{.type = key_type_of<K>, .n = a.n, .keys_in = a.in->data(), .keys_out = a.out->data()};
  if (a.pairs) {
    request.carries = payload::values;
    request.value_bytes = sizeof(std::uint32_t);
    request.values_in = a.values->data();
    request.values_out = a.values_out->data();
  }
  return library_call("sortile sort", request);
}

template <class K>
contestant cub_sort(const arrays<K>& a) {
  return with_workspace("cub sort", [a](void* space, std::size_t& bytes) {
    K* const out = static_cast<K*>(a.expected->data());
    if (!a.pairs)
      return cub::DeviceRadixSort::SortKeys(space, bytes, a.keys(), out, a.n);
    return cub::DeviceRadixSort::SortPairs(space, bytes, a.keys(), out, a.from(),
                                           static_cast<std::uint32_t*>(a.values_expected->data()), a.n);
  });
}

#ifdef SORTILE_CUB_MERGES
template <class K>
contestant cub_merge(const arrays<K>& a) {
  return with_workspace("cub merge", [a](void* space, std::size_t& bytes) {
    const auto half = std::int64_t(a.n / 2), rest = std::int64_t(a.n) - half;
    const K* const second = a.keys() + half;
    K* const out = static_cast<K*>(a.out->data());
    if (!a.pairs)
      return cub::DeviceMerge::MergeKeys(space, bytes, a.keys(), half, second, rest, out, ::cuda::std::less<>{});
    return cub::DeviceMerge::MergePairs(space, bytes, a.keys(), a.from(), half, second, a.from() + half, rest, out,
                                        static_cast<std::uint32_t*>(a.values_out->data()), ::cuda::std::less<>{});
  });
}
#endif

template <class K>
row make_row(const work& w, bool pairs) {
  const std::uint64_t n = w.n, values = pairs ? n * sizeof(std::uint32_t) : 0;
  arrays<K> a{n,
              w.runs,
              pairs,
              keys_of(w.workload, {key_type_of<K>, n, 1}),
              pairs ? keys_of("uniform", {key_type::u32, n, 2}) : make_buffer(0),
              make_buffer(n * sizeof(K)),
              make_buffer(values),
              make_buffer(n * sizeof(K)),
              make_buffer(values)};
  const options opts{.engine = "cuda", .memory = memory::device};
  run(segmented_request{{.type = key_type_of<K>, .n = n, .keys_in = a.in->data(), .keys_out = a.in->data()},
                        segments::rows(w.runs, n / w.runs)},
      opts);
  row r{w.kind + " " + std::to_string(w.runs) + " runs", n, 2.0 * double(n * sizeof(K) + values), {}, w.workload};
  const auto runs = std::make_shared<std::vector<sorted_run>>();
  r.contestants.push_back(our_merge(a, *runs));
  r.contestants.push_back(cub_sort(a));
  r.contestants.push_back(our_sort(a));
#ifdef SORTILE_CUB_MERGES
  if (w.runs == 2)
    r.contestants.push_back(cub_merge(a));
#endif
  cub_sort(a).run();
  for (contestant& c : r.contestants) {
    c.run();
    if (c.name != "cub sort") {
      if (!same_bytes(a.out->data(), a.expected->data(), n * sizeof(K)) ||
          !same_bytes(a.values_out->data(), a.values_expected->data(), values))
        throw std::runtime_error(r.name + " " + r.workload + ", n = " + std::to_string(n) + ": the result of " +
                                 c.name + " is not that of CUB's sort");
      SORTILE_CUDA_CHECK(cudaMemset(a.out->data(), 1, n * sizeof(K)));
    }
    c.run = [work = c.run, a, runs] { work(); };
  }
  return r;
}

row make_row(const work& w) {
  if (w.kind == "u32")
    return make_row<std::uint32_t>(w, false);
  if (w.kind == "u64")
    return make_row<std::uint64_t>(w, false);
  if (w.kind == "u32+u32")
    return make_row<std::uint32_t>(w, true);
  throw std::logic_error("no kind of keys is called " + w.kind);
}

const std::vector<std::string> all_kinds{"u32", "u64", "u32+u32"};
constexpr key_type types[] = {key_type::u32, key_type::u64};

struct settings {
  unsigned rounds = 7;
  std::vector<unsigned> log_n{20, 24, 28};
  std::vector<std::uint64_t> runs{2, 8, 64};
  std::vector<std::string> kinds = all_kinds;
  std::vector<std::string> workloads{"uniform"};
  std::string json_path;
};

std::vector<row_result> run_rows(const settings& s) {
  std::vector<row_result> results;
  for (const std::string& kind : s.kinds)
    for (const std::string& workload : s.workloads)
      for (const std::uint64_t runs : s.runs)
        for (const unsigned log_n : s.log_n) {
          if ((std::uint64_t{1} << log_n) % runs != 0)
            throw std::runtime_error("2^" + std::to_string(log_n) + " elements in " + std::to_string(runs) +
                                     " runs of one length: powers of two are allowed, up to the number of elements");
          results.push_back(measure(make_row({kind, workload, std::uint64_t{1} << log_n, runs}), s.rounds));
          for (contestant& c : results.back().measured.contestants)
            c.run = nullptr; // its memory
        }
  return results;
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Merges of sorted runs in device memory against CUB");
  app.add_option("--rounds", s.rounds, "timed rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--log-n", s.log_n, "sizes, as powers of two")->delimiter(',')->check(CLI::Range(8, 29));
  app.add_option("--runs", s.runs, "numbers of runs, powers of two")->delimiter(',')->check(CLI::Range(1, 1 << 20));
  app.add_option("--kinds", s.kinds, "what is merged")->delimiter(',')->check(CLI::IsMember(sortile::bench::all_kinds));
  sortile::bench::add_workloads(app, s.workloads, sortile::bench::types);
  app.add_option("--json", s.json_path, "where the raw figures go");
  CLI11_PARSE(app, argc, argv);
  return sortile::bench::run_program("sortile_merge_bench", s.json_path, [&] { return sortile::bench::run_rows(s); });
}
