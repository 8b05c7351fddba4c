// What follows from the positions of the first k keys, in rising order (first_search.hpp), is the same for keys of any
// width:
//
//   keys and values   the elements at these positions, put into order by a sort of k keys
//   partial sort      what stands in the first k places and is none of them fills, in its order, the places that they
//                     leave behind place k; then they go to the front. So nothing but k elements is read again.
//
// Very few are ordered by one sort of words on the stack (small_sort.hpp).
#include "cpu/first_keys.hpp"

#include "cpu/gather.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select_keys.hpp"
#include "cpu/select_table.hpp"
#include "cpu/small_select.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/told_steps.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace {

constexpr std::size_t in_lines(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

void copy_element(const std::byte* from, std::byte* to, std::size_t width) {
  if (width == 4) // a call of memcpy takes longer
    std::memcpy(to, from, 4);
  else if (width == 8)
    std::memcpy(to, from, 8);
  else
    std::memcpy(to, from, width);
}

/// Elements of an array that move by themselves.
struct moved_array {
  std::byte* elements;
  std::size_t width;

  moved_array(void* of, std::size_t w) : elements(static_cast<std::byte*>(of)), width(w) {}

  void move(std::size_t from, std::size_t to) const {
    copy_element(elements + from * width, elements + to * width, width);
  }
};

/// Makes room for the first k elements, of whose keys the positions are given in rising order.
void displace(const partial_sort_request& r, const std::uint32_t* positions) {
  tell_step("displace");
  const moved_array keys(r.keys, key_bytes(r.type)), values(r.values, r.value_bytes);
  const std::uint32_t* const behind = std::lower_bound(positions, positions + r.k, r.k);
  const std::uint32_t* stays = positions;
  std::size_t place = 0;
  for (const std::uint32_t* left = behind; left != positions + r.k; ++place) {
    if (stays != behind && *stays == place) {
      ++stays;
      continue;
    }
    keys.move(place, *left);
    if (r.value_bytes > 0)
      values.move(place, *left);
    ++left;
  }
}

} // namespace

std::size_t most_by_read(key_type type, std::size_t n) {
  return std::min(first_search_layout::most, n / (key_bytes(type) == 16 ? first_search_layout::part : 32));
}

bool are_found_by_read(key_type type, std::size_t n, std::size_t k) {
  return first_search_layout::takes(n, k) && k <= most_by_read(type, n);
}

void partial_sort_few(const partial_sort_request& r, const row_job& job) {
  const std::size_t k = r.k, key = key_bytes(r.type), width = r.value_bytes;
  const first_search_layout search(key, r.n, k, job.threads);
  const std::size_t keys = in_lines(k * key), numbers = in_lines(k * sizeof(std::uint32_t)), values = k * width;
  sort_request sort{.type = r.type, .n = k};
  scratch first(keys + 2 * numbers + values, "the first keys of a partial sort");
  std::byte* const first_keys = first.bytes().data();
  auto* const positions = reinterpret_cast<std::uint32_t*>(first_keys + keys);
  auto* const order = reinterpret_cast<std::uint32_t*>(first_keys + keys + numbers);
  std::byte* const first_values = first_keys + keys + 2 * numbers;
  sort.keys_in = sort.keys_out = first_keys;
  if (width > 0) {
    sort.carries = payload::indices;
    sort.value_bytes = sizeof(*order);
    sort.values_out = order;
  }
  {
    const scratch space(search.bytes, "the workspace of a partial sort");
    const std::uint32_t* const found =
        functions_of(r.type).find_first(r.keys, r.n, r.type, job.opts, k, search, space.bytes().data(), job.progress);
    std::copy(found, found + k, positions);
  }
  gather(r.keys, positions, sizeof(*positions), k, key, first_keys, job.threads);
  if (width > 0)
    gather(r.values, positions, sizeof(*positions), k, width, first_values, job.threads);
  tell_step("sort");
  sort_by_itself(sort, job.opts, job.threads);
  job.results_are_known();
  displace(r, positions);
  tell_step("copy");
  copy(first_keys, k * key, r.keys, job.threads);
  if (width > 0)
    gather(first_values, order, sizeof(*order), k, width, r.values, job.threads);
}

namespace {

/// A few first keys, where they stand, and their order.
struct few_found {
  alignas(16) std::byte keys[most_at_once * 16];
  std::uint32_t positions[most_at_once]; ///< in rising order
  std::uint8_t order[most_at_once];
  std::size_t key;

  few_found(key_type type, const void* of, std::size_t n, std::size_t k, const options& opts) : key(key_bytes(type)) {
    alignas(64) std::byte memory[first_search_layout::bytes_of_one(most_at_once, 16)];
    const first_search_layout alone(key, n, k, 1);
    const std::uint32_t* const found = functions_of(type).find_first(of, n, type, opts, k, alone, memory, nullptr);
    std::copy(found, found + k, positions);
    take(of, key, positions, k, keys);
    tell_step("sort");
    order_few(type, keys, k, opts, order);
  }

  /// to[i] = from[positions[i]]
  template <class Position>
  static void take(const void* from, std::size_t width, const Position* positions, std::size_t k, void* to) {
    for (std::size_t i = 0; i < k; ++i)
      copy_element(static_cast<const std::byte*>(from) + positions[i] * width, static_cast<std::byte*>(to) + i * width,
                   width);
  }
};

} // namespace

bool is_read_at_once(key_type type, std::size_t n, std::size_t k) {
  return k <= most_at_once && n <= most_alone && key_bytes(type) != 0 && are_found_by_read(type, n, k) &&
         best_vector_kernels<std::uint64_t>() != nullptr;
}

void select_very_few(const top_k_request& r, const options& opts) noexcept {
  const few_found first(r.type, r.keys_in, r.n, r.k, opts);
  tell_step("copy");
  if (r.keys_out != nullptr)
    first.take(first.keys, first.key, first.order, r.k, r.keys_out);
  if (r.carries == payload::none)
    return;
  std::uint32_t in_order[most_at_once];
  for (std::size_t i = 0; i < r.k; ++i)
    in_order[i] = first.positions[first.order[i]];
  if (r.carries == payload::values)
    first.take(r.values_in, r.value_bytes, in_order, r.k, r.values_out);
  else if (r.value_bytes == sizeof(std::uint32_t))
    std::copy(in_order, in_order + r.k, static_cast<std::uint32_t*>(r.values_out));
  else
    std::copy(in_order, in_order + r.k, static_cast<std::uint64_t*>(r.values_out));
}

void select_very_few(const partial_sort_request& r, const options& opts) noexcept {
  const few_found first(r.type, r.keys, r.n, r.k, opts);
  std::byte values[most_at_once * widest_in_words];
  if (r.value_bytes > 0)
    first.take(r.values, r.value_bytes, first.positions, r.k, values);
  displace(r, first.positions);
  tell_step("copy");
  first.take(first.keys, first.key, first.order, r.k, r.keys);
  if (r.value_bytes > 0)
    first.take(values, r.value_bytes, first.order, r.k, r.values);
}

} // namespace sortile::cpu
