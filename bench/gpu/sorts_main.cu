// sortile_gpu_sorts_bench: the library's sort of arrays in device memory, and its stable LSD sort by itself, against
// CUB's radix sort, keys alone and pairs, in one process, taking turns; every result is compared with CUB's, element by
// element, before anything is timed.
//
//   sortile_gpu_sorts_bench [--rounds N] [--log-n A,B,…] [--kinds u32,u64+u64,…] [--shapes uniform,…] [--json FILE]
#include "bench/gpu/pair_rows.hpp"
#include "bench/gpu/timing.hpp"
#include "bench/gpu/with_workspace.cuh"

#include "kernels/lsd/lsd_sort.hpp"
#include "simt/simt.hpp"

#include <sortile/request.hpp>

#include <CLI/CLI.hpp>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <fstream>
#include <iostream>

namespace sortile::bench {
namespace {

const std::vector<std::string> all_shapes{"uniform", "low16", "and3",    "zipf",   "sorted",
                                          "equal",   "low8",  "billion", "outlier"};

SORTILE_DEVICE std::uint64_t mix(std::uint64_t x) { // SplitMix64
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
template <class T>
SORTILE_DEVICE T draw(std::uint64_t i) {
  if constexpr (sizeof(T) == 16)
    return T(mix(2 * i)) << 64 | mix(2 * i + 1);
  else
    return T(mix(i));
}
/// Ranks with probability near 1 / rank, their bits mixed: frequent keys lie anywhere.
SORTILE_DEVICE std::uint64_t zipf(std::uint64_t i, std::uint64_t n) {
  const double u = double(mix(i) >> 11) * 0x1p-53;
  return mix(std::uint64_t(exp(u * log(double(n)))));
}
template <class T>
struct fill_by_shape {
  static constexpr unsigned block_threads = 256;
  simt::global<T> out;
  std::uint64_t n;
  int shape;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out[i] = key(i);
  }

 private:
  SORTILE_DEVICE T key(std::uint64_t i) const {
    const T r = draw<T>(i);
    switch (shape) {
    case 1:
      return T(r & T(0xffff));
    case 2:
      return T(r & draw<T>(i + n) & draw<T>(i + 2 * n));
    case 3:
      return T(zipf(i, n));
    case 4: // distinct where the type has room for it
      return sizeof(T) >= 8 || n >> (8 * sizeof(T)) == 0 ? T(i) : T(i / (n >> (8 * sizeof(T) % 64)));
    case 5:
      return T(42);
    case 6:
      return T(r & T(0xff));
    case 7: // below a billion
      return T(std::uint64_t(r) % 1'000'000'000);
    case 8: // crowded together, but for one in 2^16
      return mix(i + n) % 65536 == 0 ? r : T(r & T(0xffff));
    default:
      return r;
    }
  }
};
template <class T>
void fill(const shared_buffer& out, std::uint64_t n, int shape) {
  simt::launch(simt::queue::cuda(nullptr), {.grid = 1024},
               fill_by_shape<T>{{static_cast<T*>(out->data()), n}, n, shape});
}

void expect_equal(const std::string& name, const shared_buffer& a, const shared_buffer& b, std::uint64_t bytes) {
  if (!same_on_device(a->data(), b->data(), bytes))
    std::cout << "DIFFER: " << name << ": not CUB's result\n";
}

template <class T>
constexpr key_type unsigned_type() {
  return sizeof(T) == 1   ? key_type::u8
         : sizeof(T) == 2 ? key_type::u16
         : sizeof(T) == 4 ? key_type::u32
         : sizeof(T) == 8 ? key_type::u64
                          : key_type::u128;
}
struct no_value {};

template <class Word, class Value>
row stable_row(const std::string& kind, int shape, std::uint64_t n) {
  constexpr bool pairs = !std::is_same_v<Value, no_value>;
  constexpr unsigned value_bytes = pairs ? sizeof(Value) : 0;
  const auto in = make_buffer(n * sizeof(Word)), out = make_buffer(n * sizeof(Word)),
             expected = make_buffer(n * sizeof(Word));
  std::vector<shared_buffer> kept{in, out, expected};
  shared_buffer values, values_out, values_expected;
  fill<Word>(in, n, shape);
  if constexpr (pairs) {
    values = make_buffer(n * value_bytes), values_out = make_buffer(n * value_bytes);
    values_expected = make_buffer(n * value_bytes);
    fill<Value>(values, n, 4);
    kept.insert(kept.end(), {values, values_out, values_expected});
  }
  kernels::lsd_request<Word> request{.keys_in = static_cast<const Word*>(in->data()),
                                     .keys_out = static_cast<Word*>(out->data()),
                                     .values_in = pairs ? values->data() : nullptr,
                                     .values_out = pairs ? values_out->data() : nullptr,
                                     .value_bytes = value_bytes,
                                     .n = n,
                                     .codec = make_key_codec<Word>(unsigned_type<Word>(), order::ascending, {})};
  const std::size_t bytes = kernels::lsd_workspace_bytes(request);
  const auto workspace = make_buffer(bytes);
  kept.push_back(workspace);
  request.workspace = workspace->data();
  request.workspace_bytes = bytes;
  const auto queue = simt::queue::cuda(nullptr);
  row r{kind + ", " + all_shapes[unsigned(shape)],
        n,
        double(sizeof(Word) * (2 * sizeof(Word) + 1) + 2 * sizeof(Word) * value_bytes) * double(n),
        {}};
  const sort_request whole{.type = unsigned_type<Word>(),
                           .n = n,
                           .keys_in = request.keys_in,
                           .keys_out = request.keys_out,
                           .carries = pairs ? payload::values : payload::none,
                           .value_bytes = value_bytes,
                           .values_in = request.values_in,
                           .values_out = request.values_out};
  options opts{.engine = "cuda", .memory = memory::device};
  const std::size_t whole_bytes = workspace_bytes(whole, opts);
  const auto whole_workspace = make_buffer(whole_bytes);
  kept.push_back(whole_workspace);
  opts.workspace = {static_cast<std::byte*>(whole_workspace->data()), whole_bytes};
  r.contestants.push_back({"sortile", [=] { run(whole, opts); }, whole_bytes});
  r.contestants.push_back({"lsd", [=] { kernels::lsd_sort(queue, request); }, bytes});
  r.contestants.push_back(with_workspace("cub", [=](void* temporary, std::size_t& temporary_bytes) {
    if constexpr (pairs)
      return cub::DeviceRadixSort::SortPairs(
          temporary, temporary_bytes, static_cast<const Word*>(in->data()), static_cast<Word*>(expected->data()),
          static_cast<const Value*>(values->data()), static_cast<Value*>(values_expected->data()), n);
    else
      return cub::DeviceRadixSort::SortKeys(temporary, temporary_bytes, static_cast<const Word*>(in->data()),
                                            static_cast<Word*>(expected->data()), n);
  }));
  r.contestants.back().run();
  for (std::size_t c = 0; c + 1 < r.contestants.size(); ++c) {
    r.contestants[c].run();
    expect_equal(r.name + ", " + r.contestants[c].name, out, expected, n * sizeof(Word));
    if constexpr (pairs)
      expect_equal(r.name + ", values, " + r.contestants[c].name, values_out, values_expected, n * sizeof(Value));
  }
  for (contestant& c : r.contestants)
    c.run = [work = c.run, kept] { work(); };
  return r;
}

using row_maker = row (*)(const std::string&, int, std::uint64_t);
struct kind {
  std::string name;
  row_maker make;
  std::size_t bytes; ///< of device memory an element, about
};
const std::vector<kind> all_kinds{
    {"u32", stable_row<std::uint32_t, no_value>, 24},
    {"u64", stable_row<std::uint64_t, no_value>, 48},
    {"u128", stable_row<uint128, no_value>, 96},
    {"u8", stable_row<std::uint8_t, no_value>, 5},
    {"u16", stable_row<std::uint16_t, no_value>, 10},
    {"u32+u32", stable_row<std::uint32_t, std::uint32_t>, 48},
    {"u64+u64", stable_row<std::uint64_t, std::uint64_t>, 96},
    {"u64+u32", stable_row<std::uint64_t, std::uint32_t>, 72},
};

struct settings {
  unsigned rounds = 7;
  std::vector<unsigned> log_n{20, 24, 28};
  std::vector<std::string> kinds, shapes = all_shapes;
  std::string json_path;
};

std::vector<row_result> run_rows(const settings& s, environment& e) {
  e = look_around();
  std::vector<row_result> results;
  for (const unsigned log_n : s.log_n)
    for (const kind& k : all_kinds) {
      if (!s.kinds.empty() && std::find(s.kinds.begin(), s.kinds.end(), k.name) == s.kinds.end())
        continue;
      const unsigned fits = k.bytes << log_n > std::size_t{64} << 30 ? 27 : log_n;
      for (std::size_t shape = 0; shape < all_shapes.size(); ++shape)
        if (std::find(s.shapes.begin(), s.shapes.end(), all_shapes[shape]) != s.shapes.end()) {
          results.push_back(measure(k.make(k.name, int(shape), std::uint64_t{1} << fits), s.rounds));
          for (contestant& c : results.back().measured.contestants)
            c.run = nullptr; // its memory
        }
    }
  return results;
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Sorts of arrays in device memory against CUB");
  app.add_option("--rounds", s.rounds, "timed rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--log-n", s.log_n, "sizes, as powers of two")->delimiter(',')->check(CLI::Range(8, 30));
  app.add_option("--kinds", s.kinds, "u32, u64, u128, u8, u16, u32+u32, u64+u64, u64+u32")->delimiter(',');
  app.add_option("--shapes", s.shapes, "uniform, low16, and3, zipf, sorted, equal, low8, billion, outlier")
      ->delimiter(',');
  app.add_option("--json", s.json_path, "where the raw figures go");
  CLI11_PARSE(app, argc, argv);
  try {
    sortile::bench::environment e;
    const auto results = sortile::bench::run_rows(s, e);
    std::cout << sortile::bench::table(e, results);
    if (!s.json_path.empty() && !(std::ofstream(s.json_path) << sortile::bench::json(e, results)))
      throw std::runtime_error("cannot write " + s.json_path);
  } catch (const std::exception& failure) {
    std::cerr << "sortile_gpu_sorts_bench: " << failure.what() << '\n';
    return 1;
  }
}
