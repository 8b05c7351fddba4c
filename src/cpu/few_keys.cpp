// Calls on few keys. Idea: the order of up to 128 keys is 128 bytes, one position each, which order_few() makes in less
// time than a planned call takes before its first key. All results follow from it:
//
//   top-k           the elements at the first k positions
//   partial sort    these to the front, and what stood there to where they came from
//   groups          a walk along the positions, which begins a group where the image differs from the one before
//   rows            the positions, then each array by them
//
// Arrays that are read and written are copied to the stack first, so elements have at most 64 bytes.
#include "cpu/few_keys.hpp"

#include "cpu/key_image.hpp"
#include "cpu/short_calls.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/told_steps.hpp"
#include "cpu/with_width.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace {

using few_positions = std::uint8_t[most_in_words];

bool is_short(std::size_t n, key_type type, const void* keys, const options& opts, bool engine_is_open) {
  const std::size_t key = key_bytes(type);
  return n > 0 && n <= most_in_words && key != 0 && opts.workspace_limit == 0 && is_plain(opts, engine_is_open) &&
         keys != nullptr && is_aligned(keys, key);
}

/// Writes the elements at `count` positions, apart from where they are.
void take(const void* from, std::size_t width, const std::uint8_t* positions, std::size_t count, void* to) {
  take_elements(from, to, width, count, [positions](std::size_t i) { return positions[i]; });
}

/// Rearranges n elements.
void rearrange(void* elements, std::size_t width, const std::uint8_t* positions, std::size_t n) {
  std::byte copy[most_in_words * widest_in_words];
  std::memcpy(copy, elements, n * width);
  take(copy, width, positions, n, elements);
}

void put_number(void* to, std::size_t bytes, std::size_t at, std::size_t number) {
  if (bytes == 4)
    static_cast<std::uint32_t*>(to)[at] = static_cast<std::uint32_t>(number);
  else
    static_cast<std::uint64_t*>(to)[at] = number;
}

/// Makes of the order of all keys that of a partial sort: behind the first k all keep their places, but for those of
/// the first k, which go, in order, to what the others in front of place k leave.
void leave_behind(few_positions& positions, std::size_t n, std::size_t k) {
  bool is_first[most_in_words] = {};
  for (std::size_t i = 0; i < k; ++i)
    is_first[positions[i]] = true;
  std::size_t displaced = 0;
  for (std::size_t i = k; i < n; ++i) {
    std::size_t from = i;
    if (is_first[i]) {
      while (is_first[displaced])
        ++displaced;
      from = displaced++;
    }
    positions[i] = static_cast<std::uint8_t>(from);
  }
}

/// An output of so many elements that may be missing.
struct output {
  const void* data;
  std::size_t bytes, alignment;
};

bool are_sound(std::initializer_list<output> outputs, const void* keys, std::size_t key_bytes) {
  for (const output* one = outputs.begin(); one != outputs.end(); ++one) {
    if (one->data == nullptr)
      continue;
    if (!is_aligned(one->data, one->alignment) || !apart(keys, key_bytes, one->data, one->bytes) ||
        !are_in_reach({one->data}))
      return false;
    for (const output* other = outputs.begin(); other != one; ++other)
      if (!apart(other->data, other->bytes, one->data, one->bytes))
        return false;
  }
  return true;
}

} // namespace

bool payload_is_sound(const top_k_request& r) {
  const std::size_t key = key_bytes(r.type);
  const output keys{r.keys_out, r.k * key, key}, indices{r.values_out, r.k * r.value_bytes, r.value_bytes},
      values{r.values_out, r.k * r.value_bytes, 1};
  switch (r.carries) {
  case payload::none:
    return r.keys_out != nullptr && are_sound({keys}, r.keys_in, r.n * key);
  case payload::indices:
    return (r.value_bytes == 4 || r.value_bytes == 8) && r.values_out != nullptr &&
           are_sound({keys, indices}, r.keys_in, r.n * key);
  case payload::values:
    return r.value_bytes > 0 && r.value_bytes <= widest_in_words && r.keys_out != nullptr && r.values_out != nullptr &&
           r.values_in != nullptr && are_in_reach({r.values_in}) && are_sound({keys, values}, r.keys_in, r.n * key) &&
           are_sound({keys, values}, r.values_in, r.n * r.value_bytes);
  }
  return false;
}

bool select_few(const top_k_request& r, const options& opts, bool engine_is_open) noexcept {
  few_positions positions;
  if (!is_short(r.n, r.type, r.keys_in, opts, engine_is_open) || r.k == 0 || r.k > r.n || r.rows != 1 ||
      (r.stride != 0 && r.stride < r.n) || r.row_k != nullptr || !payload_is_sound(r) || !are_in_reach({r.keys_in}) ||
      !order_few(r.type, r.keys_in, r.n, opts, positions))
    return false;
  tell_step("sort");
  tell_step("copy");
  if (r.keys_out != nullptr)
    take(r.keys_in, key_bytes(r.type), positions, r.k, r.keys_out);
  if (r.carries == payload::values)
    take(r.values_in, r.value_bytes, positions, r.k, r.values_out);
  else if (r.carries == payload::indices)
    for (std::size_t i = 0; i < r.k; ++i)
      put_number(r.values_out, r.value_bytes, i, positions[i]);
  return true;
}

bool select_few(const partial_sort_request& r, const options& opts, bool engine_is_open) noexcept {
  few_positions positions;
  const std::size_t key = key_bytes(r.type);
  if (!is_short(r.n, r.type, r.keys, opts, engine_is_open) || r.k == 0 || r.k > r.n ||
      r.value_bytes > widest_in_words || !are_in_reach({r.keys}) ||
      (r.value_bytes > 0 && (r.values == nullptr || !are_in_reach({r.values}) ||
                             !apart(r.keys, r.n * key, r.values, r.n * r.value_bytes))) ||
      !order_few(r.type, r.keys, r.n, opts, positions))
    return false;
  tell_step("sort");
  tell_step("copy");
  if (r.k < r.n) {
    tell_step("displace");
    leave_behind(positions, r.n, r.k);
  }
  rearrange(r.keys, key, positions, r.n);
  if (r.value_bytes > 0)
    rearrange(r.values, r.value_bytes, positions, r.n);
  return true;
}

bool select_few(const nth_element_request& r, const options& opts, bool engine_is_open) noexcept {
  few_positions positions;
  if (!is_short(r.n, r.type, r.keys, opts, engine_is_open) || r.nth >= r.n || !are_in_reach({r.keys}) ||
      !order_few(r.type, r.keys, r.n, opts, positions))
    return false;
  tell_step("sort");
  rearrange(r.keys, key_bytes(r.type), positions, r.n);
  return true;
}

namespace {

template <class K>
std::size_t walk_groups(const groups_request& r, const options& opts, const few_positions& positions) {
  const key_image<K> image = key_image<K>(r.type, opts.order, opts.bits).exactly();
  const auto* const keys = static_cast<const K*>(r.keys);
  std::size_t groups = 0, begin = 0;
  K last{};
  const auto end_group = [&](std::size_t end) {
    if (r.counts != nullptr && groups > 0)
      put_number(r.counts, r.index_bytes, groups - 1, end - begin);
  };
  for (std::size_t i = 0; i < r.n; ++i) {
    const std::size_t position = positions[i];
    const K ordering = image.ordering(keys[position]);
    if (i == 0 || ordering != last) {
      end_group(i);
      last = ordering;
      begin = i;
      if (r.keys_out != nullptr)
        static_cast<K*>(r.keys_out)[groups] = keys[position];
      if (r.first != nullptr)
        put_number(r.first, r.index_bytes, groups, position);
      if (r.offsets != nullptr)
        put_number(r.offsets, r.index_bytes, groups, i);
      ++groups;
    }
    if (r.order != nullptr)
      put_number(r.order, r.index_bytes, i, position);
    if (r.inverse != nullptr)
      put_number(r.inverse, r.index_bytes, position, groups - 1);
  }
  end_group(r.n);
  if (r.offsets != nullptr)
    put_number(r.offsets, r.index_bytes, groups, r.n);
  return groups;
}

} // namespace

bool group_few(const groups_request& r, const options& opts, bool engine_is_open, std::size_t& found) noexcept {
  few_positions positions;
  const std::size_t key = key_bytes(r.type), numbers = r.n * r.index_bytes, width = r.index_bytes;
  if (!is_short(r.n, r.type, r.keys, opts, engine_is_open) || (width != 4 && width != 8) ||
      r.device_groups != nullptr || !are_in_reach({r.keys}) ||
      !are_sound({{r.keys_out, r.n * key, key},
                  {r.first, numbers, width},
                  {r.counts, numbers, width},
                  {r.offsets, numbers + width, width},
                  {r.order, numbers, width},
                  {r.inverse, numbers, width}},
                 r.keys, r.n * key) ||
      !order_few(r.type, r.keys, r.n, opts, positions))
    return false;
  with_word(r.type, [&]<class K>(K) { found = walk_groups<K>(r, opts, positions); });
  return true;
}

bool sort_few_rows(const sort_rows_request& r, const options& opts, bool engine_is_open) noexcept {
  for (const row_array& a : r.arrays) {
    if (r.n > most_in_words || a.values == nullptr || a.value_bytes == 0 || a.value_bytes > widest_in_words ||
        !are_in_reach({a.values}))
      return false;
    for (const row_array* other = r.arrays.data(); other != &a; ++other)
      if (!apart(other->values, r.n * other->value_bytes, a.values, r.n * a.value_bytes))
        return false;
  }
  std::uint32_t order[most_in_words];
  if (!argsort_rows_small({r.n, r.columns, order, sizeof order[0]}, opts, engine_is_open))
    return false;
  few_positions positions;
  std::copy(order, order + r.n, positions);
  for (const row_array& a : r.arrays)
    rearrange(a.values, a.value_bytes, positions, r.n);
  return true;
}

bool permute_few(const permute_request& r, const options& opts, bool engine_is_open) noexcept {
  if (r.n == 0 || r.n > most_in_words || !is_plain(opts, engine_is_open) || opts.order != order::ascending ||
      opts.bits.begin != 0 || opts.bits.end != bit_window::whole_key || opts.workspace_limit != 0 ||
      (r.index_bytes != 4 && r.index_bytes != 8) || r.value_bytes == 0 || r.value_bytes > widest_in_words ||
      r.indices == nullptr || r.values == nullptr || !is_aligned(r.indices, r.index_bytes) ||
      !apart(r.indices, r.n * r.index_bytes, r.values, r.n * r.value_bytes) || !are_in_reach({r.indices, r.values}))
    return false;
  few_positions positions;
  for (std::size_t i = 0; i < r.n; ++i) {
    const std::uint64_t position = r.index_bytes == 4 ? static_cast<const std::uint32_t*>(r.indices)[i]
                                                      : static_cast<const std::uint64_t*>(r.indices)[i];
    if (position >= r.n)
      return false; // which the usual way names
    positions[i] = static_cast<std::uint8_t>(position);
  }
  rearrange(r.values, r.value_bytes, positions, r.n);
  return true;
}

} // namespace sortile::cpu
