#include "tests/merge/merge_case.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace sortile::testing {
namespace {

/// The keys of all runs end to end, each run in order by the oracle.
std::vector<std::byte> sorted_runs(const merge_case& c, std::size_t n) {
  const std::size_t bytes = key_bytes(c.by.type);
  std::vector<std::byte> keys(n * bytes), runs;
  workload_named(c.workload).fill({c.by.type, n, c.seed}, 0, n, keys.data());
  std::size_t begin = 0;
  for (const std::size_t length : c.lengths) {
    const std::byte* run = keys.data() + begin * bytes;
    const std::vector<std::byte> sorted = gather(run, bytes, stable_order(c.by, run, length));
    runs.insert(runs.end(), sorted.begin(), sorted.end());
    begin += length;
  }
  return runs;
}

/// Copies of pieces of `laid`, the last one first; where each of them begins.
std::vector<const std::byte*> reversed(const merge_case& c, const std::vector<std::byte>& laid, std::size_t bytes,
                                       guarded_buffer& to) {
  std::vector<const std::byte*> places;
  std::size_t begin = 0;
  for (const std::size_t length : c.lengths) {
    std::byte* const place = to.data() + laid.size() - (begin + length) * bytes;
    std::copy_n(laid.data() + begin * bytes, length * bytes, place);
    places.push_back(place);
    begin += length;
  }
  return places;
}

} // namespace

std::string to_string(const merge_case& c) {
  std::string lengths;
  for (std::size_t i = 0; i < std::min<std::size_t>(c.lengths.size(), 12); ++i)
    lengths += " " + std::to_string(c.lengths[i]);
  return "seed " + std::to_string(c.seed) + ": " + std::string(name(c.by.type)) +
         (c.by.direction == order::descending ? " descending" : "") + ", window " + std::to_string(c.by.bits.begin) +
         " to " + std::to_string(c.by.bits.end) + ", " + std::to_string(c.lengths.size()) + " runs:" + lengths +
         ", values of " + std::to_string(c.value_bytes) + ", " + c.workload + ", engine '" + c.engine + "'";
}

verdict check_merge(const merge_case& c) {
  const std::size_t bytes = key_bytes(c.by.type), width = c.value_bytes;
  const std::size_t n = std::accumulate(c.lengths.begin(), c.lengths.end(), std::size_t{0});
  const std::vector<std::byte> laid = sorted_runs(c, n);
  std::vector<std::byte> laid_values(n * width);
  for (std::size_t i = 0; i < laid_values.size(); ++i)
    laid_values[i] = static_cast<std::byte>(random_bits(c.seed, i / width) >> 8 * (i % width % 8));
  const std::size_t value_offset = c.seed % 2 == 1 ? width : 3;
  guarded_buffer keys(n * bytes, bytes, 0, c.where), values(n * width, value_offset, c.seed, c.where);
  guarded_buffer keys_out(n * bytes, bytes, 1, c.where), values_out(n * width, value_offset, 2, c.where);
  const auto key_places = reversed(c, laid, bytes, keys), value_places = reversed(c, laid_values, width, values);
  const std::vector<std::byte> given(keys.data(), keys.data() + keys.size());
  std::vector<sorted_run> runs;
  for (std::size_t i = 0; i < c.lengths.size(); ++i)
    runs.push_back({key_places[i], width == 0 ? nullptr : value_places[i], c.lengths[i]});
  const merge_request request{.type = c.by.type,
                              .runs = runs,
                              .keys_out = keys_out.data(),
                              .value_bytes = width,
                              .values_out = width == 0 ? nullptr : values_out.data()};
  options opts{.order = c.by.direction, .bits = c.by.bits};
  opts.engine = c.engine;
  opts.threads = c.threads;
  opts.memory = c.where == nullptr ? memory::host : memory::device;
  guarded_buffer workspace(c.seed % 4 < 2 ? workspace_bytes(request, opts) : 0, 0, 9, c.where);
  if (workspace.size() > 0)
    opts.workspace = workspace.bytes();
  run(request, opts);
  if (c.where != nullptr)
    c.where->finish();
  for (const guarded_buffer* buffer : {&keys, &values, &keys_out, &values_out, &workspace})
    if (const std::string damage = buffer->damage(); !damage.empty())
      return {to_string(c) + ": " + damage};
  if (n > 0 && std::memcmp(keys.data(), given.data(), given.size()) != 0)
    return {to_string(c) + ": the runs were changed"};
  const verdict found =
      verify_exact(c.by, {laid.data(), laid_values.data(), width, n}, {keys_out.data(), values_out.data(), width, n});
  return found ? found : verdict{to_string(c) + ": " + found.complaint};
}

merge_case random_merge(std::uint64_t seed, std::size_t largest_n) {
  std::uint64_t drawn = 1000; // beside what the keys are drawn by
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random_bits(seed, drawn++) % below); };
  merge_case c;
  c.seed = seed;
  const auto& types = all_key_types;
  c.by.type = types[draw(std::size(types))];
  c.by.direction = draw(3) == 0 ? order::descending : order::ascending;
  if (draw(4) == 0) {
    const auto begin = static_cast<unsigned>(draw(key_bits(c.by.type) + 1));
    c.by.bits = {begin, begin + static_cast<unsigned>(draw(key_bits(c.by.type) - begin + 1))};
  }
  constexpr std::size_t widths[] = {0, 0, 4, 8, 1, 12, 16, 21};
  c.value_bytes = widths[draw(std::size(widths))];
  constexpr const char* workloads[] = {"uniform", "uniform", "few:5", "zeros", "specials"};
  c.workload = workloads[draw(std::size(workloads))];
  if (c.workload == "specials" && !is_float(c.by.type))
    c.workload = "few:2";
  constexpr std::size_t counts[] = {0, 1, 2, 3, 8, 9, 10, 64, 65, 300, 700};
  const std::size_t count = counts[draw(std::size(counts))], form = draw(4);
  std::size_t left = draw(largest_n + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t tiny = draw(4), share = left / (count - i);
    const std::size_t length = form == 0   ? share                              // equal
                               : form == 1 ? draw(2 * share + 1)                // any, many of them empty
                               : form == 2 ? (i == count / 2 ? left / 2 : tiny) // one huge and many tiny
                                           : (draw(3) == 0 ? draw(left / 2 + 1) : 0);
    c.lengths.push_back(std::min(length, left));
    left -= c.lengths.back();
  }
  return c;
}

} // namespace sortile::testing
