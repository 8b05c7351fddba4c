// sortile_segments_bench: sorts within segments of arrays in device memory against CUB's DeviceSegmentedSort and
// DeviceSegmentedRadixSort, out of place and with a workspace given, in one process, taking turns; every result is
// compared with CUB's, byte for byte, before anything is timed.
//
//   sortile_segments_bench [--rounds N] [--log-n N] [--lengths A,B,…] [--kinds u32,…] [--workloads uniform,…] [--json
//   FILE]
//
// Lengths are those of equal segments, and mixes: `power-law` (lengths with P(L > x) = 1 / x),
// `huge` (one segment of half the keys among segments of 0 to 6), `matrix` (rows of a scale-free matrix: 2^-k of the
// rows have 2^k elements). Segments of one length are given to sortile by offsets, as to CUB, and as rows. Workloads of
// floats without −0 and NaNs, which CUB orders otherwise.
#include "bench/gpu/program.hpp"
#include "bench/gpu/with_workspace.cuh"

#include "simt/simt.hpp"

#include <sortile/sortile.hpp>

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <cstring>
#include <fstream>
#include <iostream>

namespace sortile::bench {
namespace {

using offset = std::int64_t;

/// Lengths of all segments of a mix, or of one length.
std::vector<offset> offsets_of(const std::string& lengths, std::uint64_t n) {
  std::vector<offset> offsets{0};
  const bool equal = lengths.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t length = equal ? std::stoull(lengths) : 0;
  for (std::uint64_t i = 0, at = 0; at < n; ++i) {
    const std::uint64_t r = testing::random_bits(77, i);
    std::uint64_t l = length;
    if (lengths == "power-law")
      l = std::uint64_t(1.0 / (double((r >> 40) + 1) / double(1 << 24)));
    else if (lengths == "huge")
      l = i == 1000 ? n / 2 : r % 7;
    else if (lengths == "matrix")
      l = std::uint64_t{1} << unsigned(__builtin_ctzll(r | 1ull << 24));
    else if (!equal)
      throw std::runtime_error("no mix of lengths is called " + lengths);
    at = std::min(n, at + l);
    offsets.push_back(offset(at));
  }
  return offsets;
}

template <class K>
struct arrays {
  std::uint64_t n, count;
  bool pairs;
  shared_buffer in, values, offsets, out, values_out, expected, values_expected;
  const K* keys() const { return static_cast<const K*>(in->data()); }
  const offset* begins() const { return static_cast<const offset*>(offsets->data()); }
  const std::uint32_t* from() const { return static_cast<const std::uint32_t*>(values->data()); }
};

template <class K>
contestant ours(const char* name, const arrays<K>& a, const segments& where) {
  segmented_request request{{.type = key_type_of<K>, .n = a.n, .keys_in = a.in->data(), .keys_out = a.out->data()},
                            where};
  if (a.pairs) {
    request.arrays.carries = payload::values;
    request.arrays.value_bytes = 4;
    request.arrays.values_in = a.values->data();
    request.arrays.values_out = a.values_out->data();
  }
  return library_call(name, request);
}

template <class K>
contestant cub_sort(const arrays<K>& a, bool radix) {
  return with_workspace(radix ? "cub radix" : "cub", [a, radix](void* space, std::size_t& bytes) {
    K* const out = static_cast<K*>(a.expected->data());
    auto* const values = static_cast<std::uint32_t*>(a.values_expected->data());
    const auto n = offset(a.n), count = offset(a.count);
    const offset *begin = a.begins(), *end = begin + 1;
    if (a.pairs)
      return radix ? cub::DeviceSegmentedRadixSort::SortPairs(space, bytes, a.keys(), out, a.from(), values, n, count,
                                                              begin, end)
                   : cub::DeviceSegmentedSort::StableSortPairs(space, bytes, a.keys(), out, a.from(), values, n, count,
                                                               begin, end);
    return radix ? cub::DeviceSegmentedRadixSort::SortKeys(space, bytes, a.keys(), out, n, count, begin, end)
                 : cub::DeviceSegmentedSort::SortKeys(space, bytes, a.keys(), out, n, count, begin, end);
  });
}

template <class K>
void compare(const arrays<K>& a, const std::string& row, const std::string& name) {
  const bool same = same_bytes(a.out->data(), a.expected->data(), a.n * sizeof(K)) &&
                    (!a.pairs || same_bytes(a.values_out->data(), a.values_expected->data(), a.n * 4));
  if (!same)
    throw std::runtime_error(row + ": the result of " + name + " is not CUB's");
}

template <class K>
row make_row(const std::string& name, const std::string& lengths, const std::string& workload, std::uint64_t n,
             bool pairs) {
  const std::vector<offset> offsets = offsets_of(lengths, n);
  const std::size_t values = pairs ? n * 4 : 4;
  arrays<K> a{n,
              offsets.size() - 1,
              pairs,
              keys_of(workload, {key_type_of<K>, n, 1}),
              pairs ? keys_of("uniform", {key_type::u32, n, 2}) : make_buffer(values),
              make_buffer(offsets.size() * sizeof(offset)),
              make_buffer(n * sizeof(K)),
              make_buffer(values),
              make_buffer(n * sizeof(K)),
              make_buffer(values)};
  SORTILE_CUDA_CHECK(cudaMemcpy(a.offsets->data(), offsets.data(), offsets.size() * sizeof(offset), cudaMemcpyDefault));
  row r{name, n, 2.0 * double(n) * double(sizeof(K) + (pairs ? 4 : 0)), {}, workload};
  r.contestants.push_back(ours("sortile", a, segments::by_offsets(std::span(a.begins(), offsets.size()))));
  const std::uint64_t length = std::uint64_t(offsets[1]);
  if (a.count * length == n && lengths == std::to_string(length))
    r.contestants.push_back(ours("sortile rows", a, segments::rows(a.count, length)));
  r.contestants.push_back(cub_sort(a, false));
  if (a.count < 100'000) // a block a segment: hopeless where they are many
    r.contestants.push_back(cub_sort(a, true));
  cub_sort(a, false).run();
  for (contestant& c : r.contestants) {
    c.run();
    if (c.name.starts_with("sortile")) {
      compare(a, name, c.name);
      SORTILE_CUDA_CHECK(cudaMemset(a.out->data(), 1, n * sizeof(K)));
    }
    c.run = [work = c.run, a] { work(); };
  }
  return r;
}

const std::vector<std::string> all_kinds{"u32", "u64", "u32+u32", "u64+u32", "f32", "f64"};
constexpr key_type types[] = {key_type::f32}; // that take every workload; a row of integers says which it cannot

struct settings {
  unsigned rounds = 5, log_n = 26;
  std::vector<std::string> lengths{"4",    "12",   "16",    "17",    "24",      "64",        "100",  "256",   "512",
                                   "1024", "4096", "16384", "65536", "1048576", "power-law", "huge", "matrix"};
  std::vector<std::string> kinds = all_kinds, workloads{"uniform"};
  std::string json_path;
};

row make_row(const std::string& kind, const std::string& lengths, const std::string& workload, std::uint64_t n) {
  const std::string name = kind + " in segments of " + lengths;
  if (kind == "u32")
    return make_row<std::uint32_t>(name, lengths, workload, n, false);
  if (kind == "u64")
    return make_row<std::uint64_t>(name, lengths, workload, n, false);
  if (kind == "u32+u32")
    return make_row<std::uint32_t>(name, lengths, workload, n, true);
  if (kind == "u64+u32")
    return make_row<std::uint64_t>(name, lengths, workload, n, true);
  if (kind == "f32")
    return make_row<float>(name, lengths, workload, n, false);
  if (kind == "f64")
    return make_row<double>(name, lengths, workload, n, false);
  throw std::logic_error("no kind of keys is called " + kind);
}

std::vector<row_result> run_rows(const settings& s) {
  std::vector<row_result> results;
  for (const std::string& kind : s.kinds)
    for (const std::string& lengths : s.lengths)
      for (const std::string& workload : s.workloads) {
        results.push_back(measure(make_row(kind, lengths, workload, std::uint64_t{1} << s.log_n), s.rounds));
        for (contestant& c : results.back().measured.contestants)
          c.run = nullptr; // its memory
        const row_result& r = results.back();
        std::cerr << r.measured.name << ", " << workload << ":";
        for (std::size_t i = 0; i < r.timings.size(); ++i)
          std::cerr << "  " << r.measured.contestants[i].name << " " << r.timings[i].milliseconds << " ms";
        std::cerr << std::endl;
      }
  return results;
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Sorts within segments of arrays in device memory against CUB");
  app.add_option("--rounds", s.rounds, "timed rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--log-n", s.log_n, "keys, as a power of two")->check(CLI::Range(8, 29))->capture_default_str();
  app.add_option("--lengths", s.lengths, "lengths of segments, and mixes of them")->delimiter(',');
  app.add_option("--kinds", s.kinds, "what is sorted")->delimiter(',')->check(CLI::IsMember(sortile::bench::all_kinds));
  sortile::bench::add_workloads(app, s.workloads, sortile::bench::types);
  app.add_option("--json", s.json_path, "where the raw figures go");
  CLI11_PARSE(app, argc, argv);
  return sortile::bench::run_program("sortile_segments_bench", s.json_path,
                                     [&] { return sortile::bench::run_rows(s); });
}
