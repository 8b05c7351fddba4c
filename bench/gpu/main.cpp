// sortile_gpu_bench: scan, digit histogram and routing, as calls of the library, against CUB's, in one process, taking
// turns. Sorts are measured by `sortile bench gpu`.
//
//   sortile_gpu_bench [--only TEXT] [--rounds N] [--log-n-min A] [--log-n-max B] [--json FILE]
//
// The last column but one is CUB's time over the row's: above 1, sortile is faster. Results are compared before
// anything is timed.
#include "bench/gpu/program.hpp"

#include "kernels/scan/scan.hpp"

#include <sortile/route.hpp>
#include <sortile/scan.hpp>

#include <bit>

namespace sortile::bench {
namespace {

template <class T>
std::vector<T> fetched(const void* data, std::size_t n) {
  std::vector<T> v(n);
  SORTILE_CUDA_CHECK(cudaMemcpy(v.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

template <class T>
row scan_row(const char* name, const shared_buffer& data, std::uint64_t n) {
  const auto out = make_buffer(n * sizeof(T)), expected = make_buffer(n * sizeof(T));
  const std::size_t bytes = kernels::scan_workspace_bytes<T>(n);
  const auto workspace = make_buffer(bytes);
  const auto* in = static_cast<const T*>(data->data());
  const scan_request request{
      .type = key_type_of<T>, .n = n, .in = in, .out = out->data(), .kind = scan_kind::exclusive};
  options opts{.memory = memory::device};
  opts.workspace = {static_cast<std::byte*>(workspace->data()), bytes};
  row r{name, n, 2.0 * double(n) * sizeof(T), {}};
  r.contestants.push_back({"sortile", [=] { sortile::run(request, opts); }, bytes});
  r.contestants.push_back(cub_scan(in, static_cast<T*>(expected->data()), n));
  for (const contestant& c : r.contestants)
    c.run();
  if (fetched<T>(out->data(), n) != fetched<T>(expected->data(), n))
    throw std::runtime_error(std::string(name) + ": sortile and CUB differ");
  for (contestant& c : r.contestants)
    c.run = [work = c.run, keep = std::vector{out, expected, workspace}] { work(); };
  return r;
}

template <class Word>
row histogram_row(const char* name, const shared_buffer& data, std::uint64_t n, const char* workload = "uniform") {
  const auto ours = make_buffer(sizeof(Word) * 256 * sizeof(std::uint64_t));
  const auto* keys = static_cast<const Word*>(data->data());
  const histogram_request request{
      .type = key_type_of<Word>, .n = n, .keys = keys, .counts = static_cast<std::uint64_t*>(ours->data())};
  row r{name, n, double(n) * sizeof(Word), {}, workload};
  r.contestants.push_back({"sortile", [=, keep = ours] { sortile::run(request, {.memory = memory::device}); }, 0});
  r.contestants[0].run();
  if constexpr (sizeof(Word) <= 4) {
    const auto bins = make_buffer(sizeof(Word) * 256 * 4);
    auto cub = cub_histogram(reinterpret_cast<const std::uint8_t*>(keys), n, int(sizeof(Word)),
                             static_cast<std::uint32_t*>(bins->data()));
    cub.run();
    const auto mine = fetched<std::uint64_t>(ours->data(), sizeof(Word) * 256);
    const auto theirs = fetched<std::uint32_t>(bins->data(), sizeof(Word) * 256);
    if (!std::equal(mine.begin(), mine.end(), theirs.begin()))
      throw std::runtime_error(std::string(name) + ": sortile and CUB differ");
    cub.run = [work = cub.run, bins] { work(); };
    r.contestants.push_back(cub);
  }
  return r;
}

/// n pairs to experts at random, with all that a layer asks for: offsets, counts, order and inverse. CUB sorts the
/// pairs' positions, which are there already, by the experts' bits: the order alone.
row route_row(const char* name, std::uint64_t n, std::uint32_t expert_count) {
  const std::string workload = "range:" + std::to_string(expert_count);
  const auto experts = keys_of(workload, {key_type::u32, n, 1}), positions = keys_of("count-up", {key_type::u32, n});
  const auto offsets = make_buffer((expert_count + 1) * 4), counts = make_buffer(expert_count * 4),
             order = make_buffer(n * 4), inverse = make_buffer(n * 4), keys = make_buffer(n * 4),
             expected = make_buffer(n * 4);
  const route_request request{.type = key_type::u32,
                              .n = n,
                              .experts = experts->data(),
                              .expert_count = expert_count,
                              .offsets = offsets->data(),
                              .counts = counts->data(),
                              .order = order->data(),
                              .inverse = inverse->data()};
  options opts{.memory = memory::device};
  const std::size_t bytes = workspace_bytes(request, opts);
  const auto workspace = make_buffer(std::max<std::size_t>(bytes, 1));
  opts.workspace = {static_cast<std::byte*>(workspace->data()), bytes};
  const sort_request by_expert{.type = key_type::u32,
                               .n = n,
                               .keys_in = experts->data(),
                               .keys_out = keys->data(),
                               .value_bytes = 4,
                               .values_in = positions->data(),
                               .values_out = expected->data()};
  row r{name, n, 12.0 * double(n), {}, workload};
  r.contestants.push_back({"sortile", [=] { sortile::run(request, opts); }, bytes});
  r.contestants.push_back(cub_sort_pairs(by_expert, {0, unsigned(std::bit_width(expert_count - 1))}));
  for (const contestant& c : r.contestants)
    c.run();
  if (!same_bytes(order->data(), expected->data(), n * 4))
    throw std::runtime_error(std::string(name) + ": sortile and CUB differ");
  for (contestant& c : r.contestants)
    c.run = [work = c.run, keep = std::vector{experts, positions, offsets, counts, order, inverse, keys, expected,
                                              workspace}] { work(); };
  return r;
}

struct settings {
  unsigned rounds = 15, log_n_min = 20, log_n_max = 28;
  std::string only, json_path;
};

/// Rows whose name holds the text asked for; the others are not even made.
class table_of_rows {
 public:
  explicit table_of_rows(const settings& s) : s_(s) {}
  template <class Make>
  void add(const char* name, Make make) {
    if (std::string(name).find(s_.only) == std::string::npos)
      return;
    results_.push_back(measure(make(name), s_.rounds));
    for (contestant& c : results_.back().measured.contestants)
      c.run = nullptr; // and with it the memory that it keeps
  }
  std::vector<row_result> results() && { return std::move(results_); }

 private:
  const settings& s_;
  std::vector<row_result> results_;
};

std::vector<row_result> run_rows(const settings& s) {
  table_of_rows rows(s);
  const auto data = keys_of("uniform", {key_type::u64, std::uint64_t{1} << s.log_n_max, 1});
  const auto equal = keys_of("equal", {key_type::u32, std::uint64_t{1} << s.log_n_max, 1});
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  for (unsigned log_n = s.log_n_min; log_n <= s.log_n_max; log_n += 2) {
    const u64 n = u64{1} << log_n;
    rows.add("scan u32", [&](auto name) { return scan_row<u32>(name, data, n); });
    rows.add("scan u64", [&](auto name) { return scan_row<u64>(name, data, n); });
    rows.add("histogram u8", [&](auto name) { return histogram_row<std::uint8_t>(name, data, n); });
    rows.add("histogram u32", [&](auto name) { return histogram_row<u32>(name, data, n); });
    rows.add("histogram u32, all equal", [&](auto name) { return histogram_row<u32>(name, equal, n, "equal"); });
    rows.add("histogram u64", [&](auto name) { return histogram_row<u64>(name, data, n); });
  }
  for (const unsigned log_n : {12, 14, 16, 17, 20, 24}) {
    const u64 n = u64{1} << log_n;
    rows.add("route, 8 experts", [&](auto name) { return route_row(name, n, 8); });
    rows.add("route, 64 experts", [&](auto name) { return route_row(name, n, 64); });
    rows.add("route, 256 experts", [&](auto name) { return route_row(name, n, 256); });
    rows.add("route, 1024 experts", [&](auto name) { return route_row(name, n, 1024); });
    rows.add("route, 4096 experts", [&](auto name) { return route_row(name, n, 4096); });
  }
  return std::move(rows).results();
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Scan, histogram and routing against CUB on the GPU");
  app.add_option("--only", s.only, "rows whose name holds this text");
  app.add_option("--rounds", s.rounds, "timed rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--log-n-min", s.log_n_min, "smallest size, as a power of two")->check(CLI::Range(10, 30));
  app.add_option("--log-n-max", s.log_n_max, "largest size")->check(CLI::Range(10, 30))->capture_default_str();
  app.add_option("--json", s.json_path, "where the raw figures go");
  CLI11_PARSE(app, argc, argv);
  return sortile::bench::run_program("sortile_gpu_bench", s.json_path, [&] { return sortile::bench::run_rows(s); });
}
