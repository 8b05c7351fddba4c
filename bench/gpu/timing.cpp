#include "bench/gpu/timing.hpp"
#include "device/stream.hpp"
#include "testing/environment.hpp"
#include "testing/results.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace sortile::bench {

namespace {

std::string version_text(int v) {
  return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10);
}

template <class... Arguments>
std::string format(const char* pattern, Arguments... arguments) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, arguments...);
  return text;
}

double time_once(const contestant& c, unsigned repeats) {
  const device::event begin(device::event::timing::on), end(device::event::timing::on);
  begin.record(nullptr);
  for (unsigned i = 0; i < repeats; ++i)
    c.run();
  end.record(nullptr);
  end.synchronize();
  return double(end.milliseconds_since(begin)) / repeats;
}

timing summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) { return samples[std::size_t(share * double(samples.size() - 1) + 0.5)]; };
  return {at(0.5), (at(0.75) - at(0.25)) / 2 / at(0.5)};
}

double share_of_copy(const environment& e, const row& r, const timing& t) {
  return r.bytes / (t.milliseconds * 1e-3) / e.copy_bytes_per_second;
}

} // namespace

row_result measure(row r, unsigned rounds) {
  constexpr unsigned warm_up = 2;
  std::vector<unsigned> repeats;
  for (const contestant& c : r.contestants) {
    c.run();
    repeats.push_back(unsigned(std::clamp(0.5 / time_once(c, 1), 1.0, 20.0)));
  }
  std::vector<std::vector<double>> samples(r.contestants.size());
  for (unsigned round = 0; round < warm_up + rounds; ++round)
    for (std::size_t c = 0; c < r.contestants.size(); ++c) {
      const double t = time_once(r.contestants[c], repeats[c]);
      if (round >= warm_up)
        samples[c].push_back(t);
    }
  row_result result{std::move(r), {}};
  for (auto& s : samples)
    result.timings.push_back(summary(std::move(s)));
  return result;
}

bool same_bytes(const void* a, const void* b, std::size_t bytes) {
  constexpr std::size_t piece = std::size_t{64} << 20;
  std::vector<char> left(std::min(piece, bytes)), right(left.size());
  for (std::size_t at = 0; at < bytes; at += piece) {
    const std::size_t now = std::min(piece, bytes - at);
    SORTILE_CUDA_CHECK(cudaMemcpy(left.data(), static_cast<const char*>(a) + at, now, cudaMemcpyDefault));
    SORTILE_CUDA_CHECK(cudaMemcpy(right.data(), static_cast<const char*>(b) + at, now, cudaMemcpyDefault));
    if (std::memcmp(left.data(), right.data(), now) != 0)
      return false;
  }
  return true;
}

environment look_around() {
  environment e;
  cudaDeviceProp properties;
  int driver = 0, runtime = 0, device_index = 0;
  SORTILE_CUDA_CHECK(cudaGetDevice(&device_index));
  SORTILE_CUDA_CHECK(cudaGetDeviceProperties(&properties, device_index));
  SORTILE_CUDA_CHECK(cudaDriverGetVersion(&driver));
  SORTILE_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  e.gpu = properties.name;
  e.driver = version_text(driver);
  e.toolkit = version_text(runtime);
  e.cub = cub_version();
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const auto from = make_buffer(bytes), to = make_buffer(bytes);
  SORTILE_CUDA_CHECK(cudaMemset(from->data(), 1, bytes));
  const contestant copy{
      "copy", [=] { SORTILE_CUDA_CHECK(cudaMemcpyAsync(to->data(), from->data(), bytes, cudaMemcpyDeviceToDevice)); }};
  const row_result result = measure({"copy", bytes, 2.0 * bytes, {copy}}, 15);
  e.copy_bytes_per_second = 2.0 * bytes / (result.timings[0].milliseconds * 1e-3);
  return e;
}

std::string table(const environment& e, const std::vector<row_result>& results) {
  std::string text = e.gpu + ", driver " + e.driver + ", CUDA " + e.toolkit + ", CUB " + e.cub +
                     format(", copy rate %.0f GB/s\n", e.copy_bytes_per_second * 1e-9);
  text += format("%-26s %-12s %12s  %-10s %10s %7s %8s %7s %12s\n", "work", "workload", "n", "by", "ms", "noise",
                 "of copy", "ratio", "workspace");
  for (const row_result& r : results)
    for (std::size_t c = 0; c < r.timings.size(); ++c) {
      const timing& t = r.timings[c];
      // The last contestant is the rival; a row of one has none.
      const std::string ratio =
          r.timings.size() < 2 ? "-" : format("%.2f", r.timings.back().milliseconds / t.milliseconds);
      text += format("%-26s %-12s %12llu  %-10s %10.4f %6.1f%% %7.1f%% %7s %12zu\n", r.measured.name.c_str(),
                     r.measured.workload.c_str(), static_cast<unsigned long long>(r.measured.n),
                     r.measured.contestants[c].name.c_str(), t.milliseconds, t.noise * 100,
                     share_of_copy(e, r.measured, t) * 100, ratio.c_str(), r.measured.contestants[c].workspace_bytes);
    }
  return text;
}

testing::facts facts_of(const environment& e) {
  testing::facts all = to_facts(testing::capture_environment());
  all.add("gpu", e.gpu);
  all.add("driver", e.driver);
  all.add("toolkit", e.toolkit);
  all.add("cub", e.cub);
  all.add("copy_bytes_per_second", e.copy_bytes_per_second);
  return all;
}

std::string json(const environment& e, const std::vector<row_result>& results) {
  testing::results_file file{.suite = "gpu-steps", .environment = facts_of(e)};
  for (const row_result& r : results)
    for (std::size_t c = 0; c < r.timings.size(); ++c) {
      const contestant& who = r.measured.contestants[c];
      const timing& t = r.timings[c];
      file.rows.push_back({.type = r.measured.name,
                           .workload = r.measured.workload,
                           .n = r.measured.n,
                           .contender = who.name,
                           .median = t.milliseconds * 1e-3,
                           .noise = t.noise,
                           .figures = {{"bytes_moved", r.measured.bytes},
                                       {"workspace_bytes", double(who.workspace_bytes)},
                                       {"of_copy_rate", share_of_copy(e, r.measured, t)}}});
    }
  return text_of(file);
}

} // namespace sortile::bench
