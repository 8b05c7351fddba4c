// See select_rows.hpp.
#include "bench/select/select_rows.hpp"

#include "bench/gpu/program.hpp"
#include "bench/select/select_rivals.hpp"
#include "device/stream.hpp"

#include <sortile/select.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>

namespace sortile::bench {
namespace {

std::string type_of(const selection_row& row, const char* what) {
  return std::string(name(row.type)) + " " + what;
}

selected_keys selected(const selection_row& row, const shared_buffer& keys) {
  return {row.type, row.n * row.rows, keys->data()};
}

/// Options of a call in device memory with the workspace that it asks for, which the result keeps.
template <class Request>
std::pair<options, shared_buffer> options_for(const Request& request) {
  options opts{.memory = memory::device};
  const std::size_t bytes = workspace_bytes(request, opts);
  const shared_buffer space = make_buffer(std::max<std::size_t>(bytes, 1));
  opts.workspace = {static_cast<std::byte*>(space->data()), bytes};
  return {opts, space};
}

template <class Request>
contestant call_of(const char* name, const Request& request) {
  const auto [opts, space] = options_for(request);
  return {name, [request, opts = opts, kept = space] { run(request, opts); }, opts.workspace.size()};
}

/// The call as a graph, launched: what it takes without the host's part.
template <class Request>
contestant graph_of(const char* name, const Request& request) {
  auto [opts, space] = options_for(request);
  const device::stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  opts.stream = stream.get();
  SORTILE_CUDA_CHECK(cudaStreamSynchronize(nullptr)); // the keys are there
  SORTILE_CUDA_CHECK(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeRelaxed));
  run(request, opts);
  SORTILE_CUDA_CHECK(cudaStreamEndCapture(stream.get(), &graph));
  SORTILE_CUDA_CHECK(cudaGraphInstantiate(&ready, graph, 0));
  SORTILE_CUDA_CHECK(cudaGraphDestroy(graph));
  const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> kept(
      ready, [](cudaGraphExec_t done) { static_cast<void>(cudaGraphExecDestroy(done)); });
  return {name, [kept, space = space] { SORTILE_CUDA_CHECK(cudaGraphLaunch(kept.get(), nullptr)); },
          opts.workspace.size()};
}

/// Times of contestants that took turns, by their names.
class times {
 public:
  times(std::vector<contestant> all, std::uint64_t n, unsigned rounds)
      : result_(measure({.name = "", .n = n, .contestants = std::move(all)}, rounds)) {}

  const timing* find(std::string_view name) const {
    for (std::size_t i = 0; i < result_.timings.size(); ++i)
      if (result_.measured.contestants[i].name == name)
        return &result_.timings[i];
    return nullptr;
  }
  double seconds(std::string_view name) const { return find(name)->milliseconds * 1e-3; }
  double workspace_bytes(std::string_view name) const {
    for (const contestant& c : result_.measured.contestants)
      if (c.name == name)
        return double(c.workspace_bytes);
    return 0;
  }

 private:
  row_result result_;
};

/// The row of a selection that was timed as a graph; its figures are still to come.
testing::result_row graph_row(const selection_row& row, const char* what, const times& t) {
  return {.type = type_of(row, what),
          .workload = row.workload,
          .n = row.n,
          .contender = "sortile",
          .median = t.seconds("graph"),
          .noise = t.find("graph")->noise};
}

std::vector<testing::result_row> top_k(const selection_row& row, unsigned rounds) {
  const auto keys = keys_of(row.workload, {row.type, row.n * row.rows, 1});
  const auto out = make_buffer(row.rows * row.k * key_bytes(row.type)), positions = make_buffer(row.rows * row.k * 4);
  top_k_request request{
      .type = row.type, .n = row.n, .k = row.k, .keys_in = keys->data(), .keys_out = out->data(), .rows = row.rows};
  std::vector<contestant> all{call_of("keys alone", request)};
  request.carries = payload::indices;
  request.value_bytes = 4;
  request.values_out = positions->data();
  all.push_back(call_of("call", request));
  all.push_back(graph_of("graph", request));
  all.push_back(one_read(selected(row, keys)));
  if (row.rows == 1)
    if (auto rival = cub_top_k(selected(row, keys), row.k))
      all.push_back(std::move(*rival));
  const times t(std::move(all), row.n * row.rows, rounds);
  testing::result_row ours = graph_row(row, "top-k", t);
  ours.figures = {{"call_seconds", t.seconds("call")},
                  {"keys_alone_seconds", t.seconds("keys alone")},
                  {"read_seconds", t.seconds("read")},
                  {"workspace_bytes", t.workspace_bytes("graph")}};
  ours.labels.add("k", std::to_string(row.k));
  ours.labels.add("rows", std::to_string(row.rows));
  std::vector<testing::result_row> results{ours};
  if (const timing* cub = t.find("cub")) {
    testing::result_row rival = ours;
    rival.contender = "cub";
    rival.median = cub->milliseconds * 1e-3;
    rival.noise = cub->noise;
    rival.figures = {{"workspace_bytes", t.workspace_bytes("cub")}};
    rival.note = "keys alone, not sorted";
    results.push_back(rival);
  }
  return results;
}

/// Quantiles at 1 / (k + 1), …: one is the median. The aim, "one read and a little", is 1.3 times a read for one and
/// twice for more.
std::vector<testing::result_row> quantiles(const selection_row& row, unsigned rounds) {
  const auto keys = keys_of(row.workload, {row.type, row.n, 1});
  const auto out = make_buffer(row.k * sizeof(double));
  std::vector<double> at;
  for (std::uint64_t i = 1; i <= row.k; ++i)
    at.push_back(double(i) / double(row.k + 1));
  const quantiles_request request{.type = row.type,
                                  .n = row.n,
                                  .keys = keys->data(),
                                  .probabilities = at,
                                  .results = static_cast<double*>(out->data())};
  const times t({call_of("call", request), graph_of("graph", request), one_read(selected(row, keys))}, row.n, rounds);
  testing::result_row ours = graph_row(row, "quantiles", t);
  ours.figures = {{"call_seconds", t.seconds("call")},
                  {"read_seconds", t.seconds("read")},
                  {"aim_seconds", (row.k == 1 ? 1.3 : 2) * t.seconds("read")},
                  {"workspace_bytes", t.workspace_bytes("graph")}};
  ours.labels.add("quantiles", std::to_string(row.k));
  return {ours};
}

/// The median time of calls that change their arrays, so that each has arrays of its own: call(i). In seconds.
double seconds_of_each(unsigned calls, const std::function<void(unsigned)>& call) {
  std::vector<device::event> events;
  for (unsigned i = 0; i <= calls; ++i)
    events.emplace_back(device::event::timing::on);
  events[0].record(nullptr);
  for (unsigned i = 0; i < calls; ++i) {
    call(i);
    events[i + 1].record(nullptr);
  }
  events[calls].synchronize();
  std::vector<double> seconds;
  for (unsigned i = 2; i < calls; ++i) // the first two warm up
    seconds.push_back(1e-3 * double(events[i + 1].milliseconds_since(events[i])));
  std::nth_element(seconds.begin(), seconds.begin() + long(seconds.size() / 2), seconds.end());
  return seconds[seconds.size() / 2];
}

/// The first k keys to the front, with values of 4 bytes and without; the key of rank k, of rank n − k and the middle
/// one to its place. Beside a top-k with positions, which is what the first must cost at least.
std::vector<testing::result_row> in_place(const selection_row& row, unsigned rounds) {
  constexpr unsigned calls = 13;
  std::vector<shared_buffer> arrays, values;
  for (unsigned i = 0; i < calls; ++i) {
    arrays.push_back(make_buffer(row.n * key_bytes(row.type)));
    values.push_back(keys_of("count-up", {key_type::u32, row.n}));
  }
  const auto seconds_of = [&](auto request_on) {
    for (shared_buffer& array : arrays) {
      array.reset(); // before the next one is made
      array = keys_of(row.workload, {row.type, row.n, 1});
    }
    const auto [opts, space] = options_for(request_on(0));
    return seconds_of_each(calls, [&, opts = opts](unsigned i) { run(request_on(i), opts); });
  };
  const auto first = [&](std::size_t value_bytes) {
    return seconds_of([&, value_bytes](unsigned i) {
      return partial_sort_request{.type = row.type,
                                  .n = row.n,
                                  .k = row.k,
                                  .keys = arrays[i]->data(),
                                  .value_bytes = value_bytes,
                                  .values = value_bytes == 0 ? nullptr : values[i]->data()};
    });
  };
  const auto nth = [&](std::uint64_t place) {
    return seconds_of([&, place](unsigned i) {
      return nth_element_request{.type = row.type, .n = row.n, .nth = place, .keys = arrays[i]->data()};
    });
  };
  const auto out = make_buffer(row.k * key_bytes(row.type)), positions = make_buffer(row.k * 4);
  const double top_k = seconds_of([&](unsigned i) {
    return top_k_request{.type = row.type,
                         .n = row.n,
                         .k = row.k,
                         .keys_in = arrays[i]->data(),
                         .keys_out = out->data(),
                         .carries = payload::indices,
                         .value_bytes = 4,
                         .values_out = positions->data()};
  });
  // The top-k has left its arrays as they were.
  const times t({one_read(selected(row, arrays[0])), sort_of_all(selected(row, arrays[0]))}, row.n, rounds);
  const auto result = [&](const char* what, double median, std::map<std::string, double> figures) {
    testing::result_row ours{.type = type_of(row, what),
                             .workload = row.workload,
                             .n = row.n,
                             .contender = "sortile",
                             .median = median,
                             .figures = std::move(figures)};
    ours.figures["cub_sort_seconds"] = t.seconds("cub");
    ours.figures["read_seconds"] = t.seconds("read");
    ours.labels.add("k", std::to_string(row.k));
    return ours;
  };
  return {result("partial sort", first(0), {{"with_values_seconds", first(4)}, {"top_k_seconds", top_k}}),
          result("nth_element", nth(row.k),
                 {{"from_end_seconds", nth(row.n - row.k)}, {"middle_seconds", nth(row.n / 2)}})};
}

constexpr std::uint64_t two_to(unsigned bits) {
  return std::uint64_t{1} << bits;
}

constexpr unsigned sizes[] = {20, 24, 28};
constexpr const char* other_workloads[] = {"equal", "zeros", "and", "sorted"};

void add_top_k(std::vector<selection_row>& all) {
  for (const unsigned bits : sizes)
    for (const std::uint64_t k : {std::uint64_t{10}, std::uint64_t{1024}, two_to(bits - 8)})
      for (const key_type type : {key_type::u32, key_type::f32})
        all.push_back({selection::top_k, type, "uniform", two_to(bits), k});
  for (const char* workload : other_workloads)
    all.push_back({selection::top_k, key_type::u32, workload, two_to(28), 1024});
  all.push_back({selection::top_k, key_type::u64, "uniform", two_to(27), 1024});
  struct shape {
    std::uint64_t rows, n, k;
  };
  for (const shape s : {shape{256, 262144, 2048}, shape{64, 65536, 64}, shape{64, 65536, 1024}, shape{4, 8192, 64},
                        shape{262144, 1024, 64}, shape{262144, 1024, 32}, shape{262144, 1024, 8},
                        shape{1048576, 256, 64}, shape{1048576, 256, 16}, shape{1048576, 256, 8}})
    all.push_back({selection::top_k, key_type::f32, "uniform", s.n, s.k, s.rows});
}

void add_quantiles(std::vector<selection_row>& all) {
  for (const unsigned bits : sizes)
    for (const unsigned count : {1u, 9u})
      for (const key_type type : selection_types)
        all.push_back({selection::quantiles, type, "uniform", two_to(bits), count});
  for (const char* workload : other_workloads)
    for (const unsigned count : {1u, 9u})
      all.push_back({selection::quantiles, key_type::u32, workload, two_to(28), count});
}

void add_in_place(std::vector<selection_row>& all) {
  for (const unsigned bits : sizes)
    for (const std::uint64_t k : {two_to(10), two_to(bits - 8)})
      for (const key_type type : {key_type::u32, key_type::f32})
        all.push_back({selection::in_place, type, "uniform", two_to(bits), k});
}

} // namespace

std::string selection_row::name() const {
  const std::string length = std::has_single_bit(n) ? "2^" + std::to_string(std::bit_width(n) - 1) : std::to_string(n);
  return std::string(selection_names[int(kind)]) + " of " + std::string(sortile::name(type)) + " " + workload +
         ", n = " + length + (kind == selection::quantiles ? ", quantiles = " : ", k = ") + std::to_string(k) +
         (rows == 1 ? "" : ", rows = " + std::to_string(rows));
}

std::vector<selection_row> selection_rows() {
  std::vector<selection_row> all;
  add_top_k(all);
  add_quantiles(all);
  add_in_place(all);
  return all;
}

std::vector<testing::result_row> measured(const selection_row& row, unsigned rounds) {
  switch (row.kind) {
  case selection::top_k:
    return top_k(row, rounds);
  case selection::quantiles:
    return quantiles(row, rounds);
  case selection::in_place:
    break;
  }
  return in_place(row, rounds);
}

std::string line_of(const testing::result_row& row) {
  const auto number = [](const char* pattern, double value) {
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return std::string(text);
  };
  std::string text = row.type + " " + row.workload + ", n = " + std::to_string(row.n);
  for (const auto& [name, what] : row.labels)
    text += ", " + name + " = " + std::get<std::string>(what);
  text += ": " + row.contender + number(" %.1f µs", row.median * 1e6);
  for (const auto& [name, value] : row.figures)
    text += name.ends_with("_seconds") ? ", " + name.substr(0, name.size() - 8) + number(" %.1f µs", value * 1e6)
                                       : ", " + name + number(" %.0f", value);
  return text + (row.note.empty() ? "" : " (" + row.note + ")");
}

} // namespace sortile::bench
