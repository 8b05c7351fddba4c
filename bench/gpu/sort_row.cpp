// See sort_row.hpp.
#include "bench/gpu/sort_row.hpp"

#include "bench/classics/experiment.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <array>

namespace sortile::bench {
namespace {

constexpr std::array kinds{sort_kind{"u8", key_type::u8, payload::none, 0},
                           sort_kind{"u16", key_type::u16, payload::none, 0},
                           sort_kind{"u32", key_type::u32, payload::none, 0},
                           sort_kind{"u64", key_type::u64, payload::none, 0},
                           sort_kind{"u128", key_type::u128, payload::none, 0},
                           sort_kind{"u32+u32", key_type::u32, payload::values, 4},
                           sort_kind{"u64+u32", key_type::u64, payload::values, 4},
                           sort_kind{"u64+u64", key_type::u64, payload::values, 8},
                           sort_kind{"u32 index", key_type::u32, payload::indices, 4},
                           sort_kind{"u64 index", key_type::u64, payload::indices, 4},
                           sort_kind{"f32", key_type::f32, payload::none, 0},
                           sort_kind{"f64", key_type::f64, payload::none, 0},
                           sort_kind{"u32 struct", key_type::u32, payload::none, 0, true},
                           sort_kind{"u64 struct", key_type::u64, payload::none, 0, true},
                           sort_kind{"u32 host", key_type::u32, payload::none, 0, false, true},
                           sort_kind{"u64 host", key_type::u64, payload::none, 0, false, true},
                           sort_kind{"u64+u64 host", key_type::u64, payload::values, 8, false, true}};

} // namespace

std::string_view rival_of(const sort_kind& kind) {
  return kind.in_host_memory ? "pinned copy" : "cub";
}

std::span<const sort_kind> all_sort_kinds() {
  return kinds;
}
const sort_kind& sort_kind_named(std::string_view name) {
  const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const sort_kind& each) { return each.name == name; });
  if (at != kinds.end())
    return *at;
  std::string known;
  for (const sort_kind& each : kinds)
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  throw invalid_argument("the kind '" + std::string(name) + "' is not known (allowed: " + known + ")");
}

std::string sort_row::name() const {
  return std::string(kind->name) + " " + workload.spec() + " " + experiments::power_text(double(n));
}

double bytes_copied(const sort_row& row) {
  return 2 * double(row.n) * double(row.kind->element_bytes());
}

bool fits_a_cache(const sort_row& row) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20; // in and out; a few times the largest L2
  return !row.kind->in_host_memory && 2 * row.n * row.kind->element_bytes() <= most_bytes;
}

double bytes_moved_by_cub(const sort_kind& kind, std::uint64_t n) {
  constexpr std::uint64_t one_block_at_most = 5000;
  if (n <= one_block_at_most || kind.in_structs || kind.in_host_memory)
    return 0;
  const double digits = double(key_bytes(kind.type)), key = digits;
  return double(n) * (key + digits * 2 * (key + kind.value_bytes));
}

} // namespace sortile::bench
