#include "tests/select/select_case.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::testing {
namespace {

/// The arrays of a case.
struct arrays {
  guarded_buffer keys, values, keys_out, values_out, workspace, row_k, begins, ends;
};

guarded_buffer numbers(const std::vector<std::uint64_t>& given, std::size_t bytes, const top_k_case& c,
                       std::uint64_t seed) {
  guarded_buffer b(given.size() * bytes, bytes, seed, c.where);
  for (std::size_t i = 0; i < given.size(); ++i)
    std::memcpy(b.data() + i * bytes, &given[i], bytes); // little-endian, as everywhere here
  return b;
}

/// Where a row or a segment lies, and how many results it has.
struct place {
  std::size_t begin, n, results;
};

place place_of(const top_k_case& c, std::size_t row) {
  place p{row * (c.n + c.gap), c.n, c.k};
  if (!c.segments.empty())
    p = {c.segments[row].begin, c.segments[row].end - c.segments[row].begin, c.k};
  p.results = std::min(p.results, p.n);
  if (!c.row_k.empty())
    p.results = static_cast<std::size_t>(std::min<std::uint64_t>(p.results, c.row_k[row]));
  return p;
}

std::vector<std::uint64_t> offsets_of(const top_k_case& c, bool ends) {
  std::vector<std::uint64_t> offsets;
  for (const top_k_case::segment& s : c.segments)
    offsets.push_back(ends ? s.end : s.begin);
  if (!c.segments.empty() && !c.as_ranges)
    offsets.push_back(c.segments.back().end);
  return offsets;
}

arrays arrays_of(const top_k_case& c, const std::vector<std::byte>& keys, std::size_t workspace) {
  const std::size_t key = key_bytes(c.type), in = keys.size() / key, out = c.rows * c.k;
  const std::size_t index_offset = c.carries == payload::indices ? c.value_bytes : c.value_bytes == 0 ? 0 : 1;
  arrays a{guarded_buffer(keys.size(), key, c.seed, c.where),
           guarded_buffer(c.carries == payload::values ? in * c.value_bytes : 0, index_offset, c.seed + 1, c.where),
           guarded_buffer(out * key, key, c.seed + 2, c.where),
           guarded_buffer(c.carries == payload::none ? 0 : out * c.value_bytes, index_offset, c.seed + 3, c.where),
           guarded_buffer(workspace, 0, c.seed + 4, c.where),
           numbers(c.row_k, c.row_k_bytes, c, c.seed + 5),
           numbers(offsets_of(c, false), c.offset_bytes, c, c.seed + 6),
           numbers(c.as_ranges ? offsets_of(c, true) : std::vector<std::uint64_t>(), c.offset_bytes, c, c.seed + 7)};
  std::memcpy(a.keys.data(), keys.data(), keys.size());
  return a;
}

top_k_request request_of(const top_k_case& c, arrays& a) {
  top_k_request r{.type = c.type,
                  .n = c.n,
                  .k = c.k,
                  .keys_in = a.keys.data(),
                  .keys_out = c.keys_wanted ? a.keys_out.data() : nullptr,
                  .carries = c.carries,
                  .value_bytes = c.value_bytes,
                  .rows = c.rows,
                  .stride = c.gap == 0 && c.seed % 2 == 0 ? 0 : c.n + c.gap};
  if (c.carries == payload::values)
    r.values_in = a.values.data();
  if (c.carries != payload::none)
    r.values_out = a.values_out.data();
  if (!c.row_k.empty()) {
    r.row_k = a.row_k.data();
    r.row_k_bytes = c.row_k_bytes;
  }
  return r;
}

/// visit(the request): of rows, or of segments.
template <class Visit>
auto with_request(const top_k_case& c, arrays& a, Visit visit) {
  top_k_request r = request_of(c, a);
  if (c.segments.empty())
    return visit(r);
  r.rows = 1;
  r.stride = 0;
  segments where{.form = c.as_ranges ? segment_form::ranges : segment_form::offsets,
                 .count = c.segments.size(),
                 .begins = a.begins.data(),
                 .offset_bytes = c.offset_bytes};
  if (c.as_ranges)
    where.ends = a.ends.data();
  return visit(segmented_top_k_request{r, where});
}

std::string first_difference(const top_k_case& c, arrays& a, std::size_t row) {
  const std::size_t key = key_bytes(c.type);
  const auto [begin, n, results] = place_of(c, row);
  const auto order = stable_order({c.type, c.direction, c.bits}, a.keys.data() + begin * key, n);
  for (std::size_t i = 0; i < results; ++i) {
    const std::size_t out = row * c.k + i;
    if (c.keys_wanted && std::memcmp(a.keys_out.data() + out * key, a.keys.data() + (begin + order[i]) * key, key) != 0)
      return "row " + std::to_string(row) + ": key " + std::to_string(i) + " is " +
             key_text(c.type, a.keys_out.data() + out * key) + ", not " +
             key_text(c.type, a.keys.data() + (begin + order[i]) * key);
    const std::byte* const value = a.values_out.data() + out * c.value_bytes;
    std::uint64_t index = 0;
    if (c.carries == payload::indices)
      std::memcpy(&index, value, c.value_bytes);
    if (c.carries == payload::indices && index != order[i])
      return "row " + std::to_string(row) + ": index " + std::to_string(i) + " is " + std::to_string(index) + ", not " +
             std::to_string(order[i]);
    if (c.carries == payload::values &&
        std::memcmp(value, a.values.data() + (begin + order[i]) * c.value_bytes, c.value_bytes) != 0)
      return "row " + std::to_string(row) + ": value " + std::to_string(i) + " is not that of key " +
             std::to_string(order[i]);
  }
  return {};
}

/// Of the places behind a row's results, which stay as they were.
std::string first_change(const top_k_case& c, std::size_t row, const guarded_buffer& out, const guarded_buffer& before,
                         std::size_t bytes) {
  for (std::size_t i = row * c.k + place_of(c, row).results; out.size() > 0 && i < (row + 1) * c.k; ++i)
    if (std::memcmp(out.data() + i * bytes, before.data() + i * bytes, bytes) != 0)
      return "row " + std::to_string(row) + ": place " + std::to_string(i - row * c.k) +
             " lies behind its results and was written";
  return {};
}

} // namespace

std::string to_string(const top_k_case& c) {
  return "top " + std::to_string(c.k) + " of " + std::to_string(c.n) + " " + std::string(name(c.type)) + " " +
         c.workload + ", " + std::to_string(c.rows) + " rows, gap " + std::to_string(c.gap) + ", seed " +
         std::to_string(c.seed) + (c.direction == order::descending ? ", descending" : "") + ", bits [" +
         std::to_string(c.bits.begin) + ", " + std::to_string(c.bits.end) + "), payload " +
         std::to_string(static_cast<int>(c.carries)) + " of " + std::to_string(c.value_bytes) + ", threads " +
         std::to_string(c.threads) + (c.engine.empty() ? "" : ", engine " + c.engine) +
         (c.own_workspace ? ", own workspace" : "") + (c.keys_wanted ? "" : ", no keys") +
         (c.row_k.empty() ? "" : ", row_k of " + std::to_string(c.row_k_bytes) + " bytes") +
         (c.segments.empty() ? ""
                             : ", " + std::to_string(c.segments.size()) + " segments as " +
                                   (c.as_ranges ? "ranges" : "offsets") + " of " + std::to_string(c.offset_bytes));
}

verdict check(const top_k_case& c, const std::vector<std::byte>& keys) {
  options opts;
  opts.order = c.direction;
  opts.bits = c.bits;
  opts.engine = c.engine;
  opts.threads = c.threads;
  opts.memory = c.where != nullptr ? memory::device : memory::host;
  std::size_t workspace = 0;
  if (c.own_workspace) {
    arrays sample = arrays_of(c, keys, 0);
    workspace = with_request(c, sample, [&](const auto& r) { return workspace_bytes(r, opts); });
  }
  arrays a = arrays_of(c, keys, workspace);
  const guarded_buffer before = guarded_buffer::copy_of(a.values.data(), a.values.size());
  const guarded_buffer keys_before = guarded_buffer::copy_of(a.keys_out.data(), a.keys_out.size()),
                       values_before = guarded_buffer::copy_of(a.values_out.data(), a.values_out.size());
  if (c.own_workspace && workspace > 0)
    opts.workspace = a.workspace.bytes();
  with_request(c, a, [&](const auto& r) { run(r, opts); });
  if (c.where != nullptr)
    c.where->finish();
  if (std::memcmp(a.keys.data(), keys.data(), keys.size()) != 0 ||
      std::memcmp(a.values.data(), before.data(), before.size()) != 0)
    return {to_string(c) + ": the input was changed"};
  for (const guarded_buffer* each :
       {&a.keys, &a.values, &a.keys_out, &a.values_out, &a.workspace, &a.row_k, &a.begins, &a.ends})
    if (const std::string damage = each->damage(); !damage.empty())
      return {to_string(c) + ": " + damage};
  for (std::size_t row = 0; row < c.rows; ++row)
    for (const std::string& difference :
         {first_difference(c, a, row), first_change(c, row, a.keys_out, keys_before, key_bytes(c.type)),
          first_change(c, row, a.values_out, values_before, c.value_bytes)})
      if (!difference.empty())
        return {to_string(c) + ": " + difference};
  return {};
}

verdict check(const top_k_case& c) {
  const std::size_t in = !c.segments.empty() ? c.n : c.rows == 0 ? 0 : c.rows * (c.n + c.gap) - c.gap;
  std::vector<std::byte> keys((in + 1) * key_bytes(c.type)); // one more: fill() wants an address
  workload_named(c.workload).fill({c.type, in, c.seed}, 0, in, keys.data());
  keys.resize(in * key_bytes(c.type));
  return check(c, keys);
}

std::string random_workload(std::uint64_t seed, key_type type) {
  for (std::uint64_t i = 0;; ++i) {
    const workload_info& info = all_workloads()[random_bits(seed, i) % all_workloads().size()];
    if (info.name != "window" && info.name != "range" && info.name != "clusters" && info.name != "morton" &&
        info.name != "full-buckets" && info.name != "two-buckets" && workload_named(info.name).suits(type))
      return std::string(info.name);
  }
}

top_k_case random_top_k(std::uint64_t seed, const std::string& engine, std::size_t largest_n) {
  std::uint64_t drawn = 0;
  const auto draw = [seed, &drawn](std::uint64_t below) {
    return static_cast<std::size_t>(random_bits(seed, drawn++) % below);
  };
  top_k_case c{.type = all_key_types[draw(std::size(all_key_types))], .seed = seed, .engine = engine};
  c.n = draw(4) == 0 ? draw(300) : 1 + (largest_n >> draw(8)) - draw(largest_n / 256 + 1);
  c.n = std::min(c.n, largest_n);
  const std::size_t choice = draw(5);
  c.k = choice == 0   ? std::min<std::size_t>(c.n, draw(3))
        : choice == 1 ? draw(c.n + 1)
        : choice == 2 ? c.n - std::min(c.n, draw(3))
                      : std::min(c.n, (std::size_t{1} << draw(12)) + draw(3));
  if (draw(4) == 0) {
    c.rows = draw(9);
    c.n = std::min(c.n, largest_n / 8);
    c.k = std::min(c.k, c.n);
    c.gap = draw(3);
  }
  c.workload = random_workload(seed, c.type);
  c.direction = draw(2) == 0 ? order::ascending : order::descending;
  if (draw(5) == 0) {
    const auto begin = static_cast<unsigned>(draw(key_bits(c.type) + 1));
    c.bits = {begin, begin + static_cast<unsigned>(draw(key_bits(c.type) - begin + 1))};
  }
  c.carries = static_cast<payload>(draw(3));
  if (c.carries == payload::indices) {
    c.value_bytes = draw(2) == 0 ? 4 : 8;
    c.keys_wanted = draw(2) == 0;
  } else if (c.carries == payload::values) {
    constexpr std::size_t widths[] = {1, 2, 3, 4, 8, 12, 16, 24, 40};
    c.value_bytes = widths[draw(std::size(widths))];
  }
  c.threads = 1 + static_cast<unsigned>(draw(5));
  c.own_workspace = draw(2) == 0;
  if (draw(3) == 0) {
    c.row_k = random_row_k(seed, c.rows, c.k);
    c.row_k_bytes = draw(2) == 0 ? 4 : 8;
  }
  return c;
}

std::vector<std::uint64_t> random_row_k(std::uint64_t seed, std::size_t rows, std::size_t k) {
  std::vector<std::uint64_t> of_rows(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t random = random_bits(seed + 1, row), some[] = {0, 1, k, k + 1 + random % 5, 0xffffffffu};
    of_rows[row] = random % 8 < std::size(some) ? some[random % 8] : (random >> 8) % (k + 1);
  }
  return of_rows;
}

std::vector<top_k_case::segment> random_segments(std::uint64_t seed, std::size_t n, bool as_ranges) {
  std::vector<top_k_case::segment> found;
  const std::size_t kinds[] = {1, 7, 40, 300, 3000, n};
  for (std::size_t at = 0, i = 0; at < n || found.empty(); ++i) {
    const std::uint64_t random = random_bits(seed + 2, i);
    const std::size_t most = kinds[(seed % 3 == 0 ? random >> 32 : seed) % std::size(kinds)];
    const std::size_t length = std::min<std::size_t>(n - at, random % (most + 1));
    const std::size_t gap = as_ranges && random % 3 == 0 ? std::min<std::size_t>(n - at - length, random % 5) : 0;
    found.push_back({at + gap, at + gap + length});
    at += gap + length;
  }
  if (as_ranges)
    for (std::size_t i = found.size(); i > 1; --i)
      std::swap(found[i - 1], found[random_bits(seed + 3, i) % i]);
  return found;
}

top_k_case random_segmented_top_k(std::uint64_t seed, const std::string& engine, std::size_t largest_n) {
  top_k_case c = random_top_k(seed, engine, largest_n);
  c.gap = 0;
  c.as_ranges = random_bits(seed, 100) % 2 == 0;
  c.offset_bytes = random_bits(seed, 101) % 2 == 0 ? 4 : 8;
  c.segments = random_segments(seed, c.n, c.as_ranges);
  c.rows = c.segments.size();
  c.k = std::min<std::size_t>(c.k, 2 * largest_n / c.rows + 1) + (seed % 7 == 0 ? 3 : 0); // segments may be shorter
  if (!c.row_k.empty() || seed % 2 == 0)
    c.row_k = random_row_k(seed, c.rows, c.k);
  c.own_workspace = false; // in host memory it allocates its own
  return c;
}

} // namespace sortile::testing
