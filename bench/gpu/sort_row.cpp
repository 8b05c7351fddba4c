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

constexpr std::array shapes{
    key_shape_info{"uniform", "random bits"},
    key_shape_info{"low8", "random below 2^8"},
    key_shape_info{"low16", "random below 2^16"},
    key_shape_info{"billion", "random below 10^9"},
    key_shape_info{"sorted", "ascending, distinct where the type has room"},
    key_shape_info{"descending", "strictly descending where the type has room"},
    key_shape_info{"equal", "all the same"},
    key_shape_info{"and3", "AND of three random words"},
    key_shape_info{"zipf", "ranks, each about as likely as its inverse, their bits mixed"},
    key_shape_info{"outlier", "random below 2^16, but for one in 2^16 with random bits"},
    key_shape_info{"full-buckets", "every bucket just above what the local step takes at once"},
    key_shape_info{"two-buckets", "two values of the 16 highest bits, random below"},
    key_shape_info{"equal-but-one", "all the same but one"},
    key_shape_info{"distinct16", "65536 distinct values, spread over the type"},
    key_shape_info{"unit", "even in [0, 1): multiples of 2^-24 (f32) or 2^-53 (f64)", true},
    key_shape_info{"normal", "standard normal", true},
};
static_assert(shapes.size() == std::size_t(key_shape::normal) + 1);

template <class Range>
std::size_t place_of(std::string_view name, const Range& range, const char* what) {
  const auto at = std::find_if(range.begin(), range.end(), [&](const auto& each) { return each.name == name; });
  if (at != range.end())
    return std::size_t(at - range.begin());
  std::string known;
  for (const auto& each : range)
    known += (known.empty() ? "" : ", ") + std::string(each.name);
  throw invalid_argument(std::string(what) + " '" + std::string(name) + "' is not known (allowed: " + known + ")");
}

} // namespace

std::string_view rival_of(const sort_kind& kind) {
  return kind.in_host_memory ? "pinned copy" : "cub";
}

std::span<const sort_kind> all_sort_kinds() {
  return kinds;
}
const sort_kind& sort_kind_named(std::string_view name) {
  return kinds[place_of(name, kinds, "the kind")];
}

std::span<const key_shape_info> all_key_shapes() {
  return shapes;
}
key_shape key_shape_named(std::string_view name) {
  return key_shape(place_of(name, shapes, "the shape"));
}

void check_shape(key_shape shape, key_type type) {
  if (info(shape).of_floats && type != key_type::f32 && type != key_type::f64)
    throw invalid_argument("the shape '" + std::string(info(shape).name) + "' is not one of " +
                           std::string(name(type)) + " keys (allowed: f32, f64)");
}

std::string sort_row::name() const {
  return std::string(kind->name) + " " + std::string(info(shape).name) + " " + experiments::power_text(double(n));
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
