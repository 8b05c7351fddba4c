// sortile_any_order_bench: sorts by a comparison in device memory by compare.cuh against CUB's DeviceMergeSort, out of
// place and with a workspace given, in one process, taking turns; every result is compared with CUB's, byte for byte,
// before anything is timed.
//
//   sortile_any_order_bench [--rounds N] [--log-n A,B,…] [--kinds u32,…] [--workloads uniform,few:16,…] [--json FILE]
#include "bench/gpu/program.hpp"
#include "bench/gpu/with_workspace.cuh"

#include <sortile/compare.cuh>

#include <cub/device/device_merge_sort.cuh>

namespace sortile::bench {
namespace {

/// 32 bytes, of which 8 decide.
struct record {
  std::uint64_t key, tail[3];
};

// Orders. By a class of the program: a comparison that neither library knows.

struct by_key {
  template <class T>
  SORTILE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
    return a < b;
  }
  SORTILE_HOST_DEVICE bool operator()(const record& a, const record& b) const { return a.key < b.key; }
};
/// Some hundred instructions a comparison.
struct by_hash {
  SORTILE_HOST_DEVICE static std::uint64_t hashed(std::uint32_t key) {
    std::uint64_t h = key;
    SORTILE_NO_UNROLL
    for (int round = 0; round < 8; ++round)
      h = testing::random_bits(h, 0);
    return h;
  }
  SORTILE_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return hashed(a) < hashed(b); }
};

/// The registry's keys of 64 bits, each with a tail by which equal keys can be told apart.
struct records_kernel {
  static constexpr unsigned block_threads = 256;
  simt::global<const std::uint64_t> keys;
  simt::global<record> out;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out.store(i, {keys.load(i), {i, ~i, i}});
  }
};

/// n keys of a workload.
template <class T>
shared_buffer elements_of(const std::string& workload, std::uint64_t n) {
  if constexpr (std::is_same_v<T, record>) {
    const shared_buffer keys = elements_of<std::uint64_t>(workload, n), records = make_buffer(n * sizeof(record));
    simt::launch(simt::queue::cuda(nullptr), {.grid = 1024},
                 records_kernel{{static_cast<const std::uint64_t*>(keys->data()), n},
                                {static_cast<record*>(records->data()), n},
                                n});
    return records;
  } else
    return keys_of(workload, {key_type_of<T>, n, 1});
}

struct work {
  std::string name, workload;
  std::uint64_t n;
};

/// Keys of type T, and with `with_values` values of 32 bits: what must agree byte for byte.
template <class T, class Less>
row make_row(const work& w, bool with_values) {
  using value = std::uint32_t;
  const std::uint64_t n = w.n, value_bytes = with_values ? n * sizeof(value) : 0;
  const auto in = elements_of<T>(w.workload, n), out = make_buffer(n * sizeof(T)),
             expected = make_buffer(n * sizeof(T));
  const auto values = with_values ? keys_of("uniform", {key_type_of<value>, n, 2}) : make_buffer(0),
             values_out = make_buffer(value_bytes), values_expected = make_buffer(value_bytes);
  const auto keys = [n](const shared_buffer& b) { return std::span(static_cast<T*>(b->data()), n); };
  const auto carried = [n](const shared_buffer& b) { return std::span(static_cast<value*>(b->data()), n); };

  row r{w.name, n, 2.0 * double(n * sizeof(T) + value_bytes), {}, w.workload};
  const auto add = [&](const auto& described) {
    const std::size_t bytes = workspace_bytes(described);
    const auto workspace = make_buffer(bytes);
    const std::span<std::byte> space(static_cast<std::byte*>(workspace->data()), bytes);
    r.contestants.push_back({"sortile", [=, kept = workspace] { run(described, {.workspace = space}); }, bytes});
  };
  if (with_values)
    add(make_comparison_sort(keys(in), carried(values), keys(out), carried(values_out), on_device(Less{})));
  else
    add(make_comparison_sort(keys(in), keys(out), on_device(Less{})));
  r.contestants.push_back(with_workspace("cub", [=](void* temporary, std::size_t& bytes) {
    return with_values
               ? cub::DeviceMergeSort::SortPairsCopy(temporary, bytes, keys(in).data(), carried(values).data(),
                                                     keys(expected).data(), carried(values_expected).data(), n, Less{})
               : cub::DeviceMergeSort::SortKeysCopy(temporary, bytes, keys(in).data(), keys(expected).data(), n,
                                                    Less{});
  }));
  for (contestant& c : r.contestants) {
    c.run();
    c.run = [work = c.run, kept = std::vector<shared_buffer>{in, out, expected, values, values_out, values_expected}] {
      work();
    };
  }
  if (!same_bytes(out->data(), expected->data(), n * sizeof(T)) ||
      !same_bytes(values_out->data(), values_expected->data(), value_bytes))
    throw std::runtime_error(r.name + " " + r.workload + ", n = " + std::to_string(n) +
                             ": sortile's result is not CUB's");
  return r;
}

row make_row(const work& w) {
  if (w.name == "u32")
    return make_row<std::uint32_t, by_key>(w, false);
  if (w.name == "u64")
    return make_row<std::uint64_t, by_key>(w, false);
  if (w.name == "u32+u32")
    return make_row<std::uint32_t, by_key>(w, true);
  if (w.name == "32-bytes")
    return make_row<record, by_key>(w, false);
  if (w.name == "u32-costly")
    return make_row<std::uint32_t, by_hash>(w, false);
  throw std::logic_error("no kind of keys is called " + w.name);
}

const std::vector<std::string> all_kinds{"u32", "u64", "u32+u32", "32-bytes", "u32-costly"};
constexpr key_type types[] = {key_type::u32, key_type::u64};

struct settings {
  unsigned rounds = 7;
  std::vector<unsigned> log_n{10, 12, 14, 16, 18, 20, 22, 24, 26, 28};
  std::vector<std::string> kinds = all_kinds;
  std::vector<std::string> workloads{"uniform", "sorted", "reversed", "organ-pipe", "equal", "few", "zipf", "and"};
  std::string json_path;
};

std::vector<row_result> run_rows(const settings& s) {
  std::vector<row_result> results;
  for (const std::string& kind : s.kinds)
    for (const std::string& name : s.workloads)
      for (const unsigned log_n : s.log_n) {
        results.push_back(measure(make_row({kind, name, std::uint64_t{1} << log_n}), s.rounds));
        for (contestant& c : results.back().measured.contestants)
          c.run = nullptr; // its memory
      }
  return results;
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Sorts by a comparison in device memory against CUB's merge sort");
  app.add_option("--rounds", s.rounds, "timed rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--log-n", s.log_n, "sizes, as powers of two")->delimiter(',')->check(CLI::Range(8, 29));
  app.add_option("--kinds", s.kinds, "what is sorted")->delimiter(',')->check(CLI::IsMember(sortile::bench::all_kinds));
  sortile::bench::add_workloads(app, s.workloads, sortile::bench::types);
  app.add_option("--json", s.json_path, "where the raw figures go");
  CLI11_PARSE(app, argc, argv);
  return sortile::bench::run_program("sortile_any_order_bench", s.json_path,
                                     [&] { return sortile::bench::run_rows(s); });
}
