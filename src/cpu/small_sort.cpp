// Short sorts. Idea: most of a short sort's time goes to what comes before its comparisons. So this file asks only what
// it must know, and leaves unusual requests to the front door.
//
// Keys alone of 4 and 8 bytes go to the vector sort as they are, those of few values to counters, and so do pairs and
// positions of some dozens of different keys (short_counts.hpp).
// Up to eight integers with values are compared one by one (few_integers.cpp), up to 64 keys with values, as positions,
// by some bits, or with −0 or NaN are put where vectors say that they belong (few_places.ipp). Of all others the first
// keys are compared: what is in order, against it or nearly in order needs a read and few moves (short_order.cpp).
// Pairs with a few heavy keys have these packed (heavy_pairs.hpp). What is left is sorted as words that hold a key and
// its position (few_words.cpp).
//
// Longer ones of 16-bit keys are sorted so by words of 32 bits, with 16 bits for the position, and pairs of bytes too.
// Positions of bytes are counted.
#include "cpu/small_sort.hpp"

#include "cpu/counted_values.hpp"
#include "cpu/few_words.hpp"
#include "cpu/heavy_pairs.hpp"
#include "cpu/key_image.hpp"
#include "cpu/sampled_split.hpp"
#include "cpu/short_calls.hpp"
#include "cpu/short_counts.hpp"
#include "cpu/short_order.hpp"
#include "cpu/short_room.hpp"
#include "cpu/vector_parts.hpp"
#include "cpu/with_width.hpp"
#include "plan/progress.hpp"
#include "primitives/key_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <span>

namespace sortile::cpu {

namespace {

constexpr std::size_t least_sampled = 100'000;                   // below no call allocates, as the long way does
constexpr std::size_t most_keys_of_16_bits = 4096;               // from here on counting them pays
constexpr std::size_t most_positions_of_16_bits = 16384;         // likewise
constexpr std::size_t most_positions_of_8_bits = 32768;          // from here on a second thread may pay
constexpr std::size_t most_narrow_pairs = 2048;                  // of keys of 1 and 2 bytes, and values
constexpr std::size_t widest_narrow = 8;                         // bytes of such a value
constexpr std::size_t least_in_order = 9;                        // keys that are sought to be in order as they are
constexpr std::size_t most_heavy_bytes = std::size_t{768} << 10; // of pairs with heavy keys; more go the long way
constexpr std::size_t most_counted_alone = std::size_t{4} << 20; // of pairs of few keys on one thread that is asked for

// Whether a sample of a long array suggests few values, which the long way counts in half the time of a sort or less:
// values that come twice in it, or one that fills most of it. Not if they begin in order: a read here finds them to be
// so.
template <class K>
bool are_few_values(const K* keys, std::size_t n, const vector_kernels<K>& vectors) {
  constexpr std::size_t size = 128, most = 112, first = 1024;
  const bool begins_in_order =
      std::is_sorted(keys, keys + first) || std::is_sorted(keys, keys + first, std::greater<>());
  if (begins_in_order && keys[0] != keys[first - 1])
    return false;
  K sample[size];
  for (std::size_t i = 0; i < size; ++i)
    sample[i] = keys[sampled_position(i, size, n)];
  vectors.sort(sample, size, {}, sample);
  std::size_t values = 0, once = 0, twice = 0, heaviest = 0;
  for (std::size_t i = 0, end = 0; i < size; i = end, ++values) {
    while (end < size && sample[end] == sample[i])
      ++end;
    once += end - i == 1;
    twice += end - i == 2;
    heaviest = std::max(heaviest, end - i);
  }
  if (values == 1)
    return true;
  // Beside a value that fills more than a quarter they are not counted, unless there are hardly any others.
  const bool few = values <= most && once <= (heaviest <= size / 4 ? 16 * twice + 2 : 2);
  return !begins_in_order && (few || heaviest >= size / 4 * 3);
}

// Floats that are not in order. False, and nothing has changed, where one is −0 or a NaN.
template <class K>
bool sort_plain_floats(const K* keys, std::size_t n, const key_image<K>& image, K* to) {
  const vector_parts<K>& parts = *best_vector_parts<K>();
  const std::size_t made = parts.to_images(keys, n, image, to);
  if (made == n)
    parts.sort(to, n, image);
  else if (keys == to)
    parts.from_images(to, made, image);
  return made == n;
}

template <class K>
bool sort_keys(const sort_request& r, const ordering& by) {
  const vector_kernels<K>* const vectors = best_vector_kernels<K>();
  if (vectors == nullptr)
    return false;
  const auto* const keys = static_cast<const K*>(r.keys_in);
  auto* const to = static_cast<K*>(r.keys_out);
  const key_image<K> image(r.type, by.direction, {});
  if (r.n < least_counted)
    return vectors->unseen(keys, r.n, image, to);
  const std::size_t most = by.takes_long ? 0 : counted_values<K>::most_alone(r.n); // which take memory
  if (vectors->in_order(keys, r.n, image, to) || sort_by_counts(keys, r.n, image, to, most))
    return true;
  if (r.n >= least_sampled && !by.takes_long && are_few_values(keys, r.n, *vectors))
    return false;
  if (image.is_float)
    return sort_plain_floats(keys, r.n, image, to);
  vectors->sort(keys, r.n, image, to);
  return true;
}

// Whether the arrays are as the front door wants them.
bool are_sound(const sort_request& r, std::size_t key) {
  const std::size_t keys = r.n * key;
  if (r.keys_in == nullptr || !is_aligned(r.keys_in, key) || !is_aligned(r.keys_out, key) ||
      (r.keys_out == nullptr && r.carries != payload::indices) || !same_or_apart(r.keys_in, r.keys_out, keys) ||
      r.device_n != nullptr || r.device_status != nullptr)
    return false;
  if (r.carries == payload::none)
    return true;
  const std::size_t values = r.n * r.value_bytes;
  const bool in_place = r.keys_in == r.keys_out;
  if (r.values_out == nullptr || r.value_bytes == 0 || r.value_bytes > widest_in_words ||
      !apart(r.keys_in, keys, r.values_out, values) || (!in_place && !apart(r.keys_out, keys, r.values_out, values)))
    return false;
  if (r.carries == payload::indices)
    return (r.value_bytes == 4 || r.value_bytes == 8) && is_aligned(r.values_out, r.value_bytes);
  if (r.carries != payload::values || r.values_in == nullptr || in_place != (r.values_in == r.values_out))
    return false;
  return in_place || (same_or_apart(r.values_in, r.values_out, values) && apart(r.keys_in, keys, r.values_in, values) &&
                      apart(r.keys_out, keys, r.values_in, values));
}

bool is_in_reach(const sort_request& r) {
  return are_in_reach({r.keys_in, r.keys_out}) &&
         (r.carries == payload::none || are_in_reach({r.values_in, r.values_out}));
}

// Pairs and positions of which most have one of a few heavy keys. What is left has to be few enough for words. Says
// whether a look at the keys has met some of them again and again.
template <class K>
bool sort_heavy(const sort_request& r, const ordering& by, bool& repeats) {
  const auto* const keys = static_cast<const K*>(r.keys_in);
  heavy_pairs<K> heavy(keys, r.n, most_in_words);
  repeats = heavy.keys() > 0;
  if (!heavy.is_likely())
    return false;
  const key_image<K> image(r.type, by.direction, {});
  const source<K> from(keys, r.values_in, r.value_bytes);
  const lanes<K> to{static_cast<K*>(r.keys_out), static_cast<std::byte*>(r.values_out), r.value_bytes};
  short_room room(heavy.room(r.n, most_in_words, r.value_bytes));
  const auto sort_rest = [&](const lanes<K>& rest, std::size_t n, std::span<std::byte>) {
    const sort_request others{.type = r.type,
                              .n = n,
                              .keys_in = rest.keys,
                              .keys_out = rest.keys,
                              .carries = payload::values,
                              .value_bytes = rest.width,
                              .values_in = rest.values,
                              .values_out = rest.values};
    return sort_by_words(others, by) ? rest : lanes<K>{};
  };
  return heavy.sort(from, r.n, to, image, most_in_words, {{}, 0, {room.get(), {}}}, std::ref(sort_rest));
}

bool sort_heavy(const sort_request& r, std::size_t key, const ordering& by, bool& repeats) {
  if (r.n < heavy_pairs<std::uint64_t>::fewest || r.carries == payload::none || !by.is_whole() ||
      (r.value_bytes != 4 && r.value_bytes != 8) ||
      (r.n > most_in_words && (by.takes_long || r.n > most_heavy_bytes / (key + r.value_bytes))))
    return false;
  if (key == 4)
    return r.n >= heavy_pairs<std::uint32_t>::fewest && sort_heavy<std::uint32_t>(r, by, repeats);
  return key == 8 && sort_heavy<std::uint64_t>(r, by, repeats);
}

bool sort_counted(const sort_request& r, std::size_t key, const ordering& by, bool repeats) {
  if ((repeats ? r.n * key < least_repeating : r.n < least_counted) || r.carries == payload::none || !by.is_whole() ||
      by.takes_long || r.n > (by.is_alone ? most_counted_alone : most_heavy_bytes) / (key + r.value_bytes) ||
      best_vector_kernels<std::uint64_t>() == nullptr)
    return false;
  return key == 4 ? sort_pairs_by_counts<std::uint32_t>(r, by.direction)
                  : key == 8 && sort_pairs_by_counts<std::uint64_t>(r, by.direction);
}

// Keys of 1 and 2 bytes, up to as many as 16 bits number: words of 32 bits with the image above the position. They are
// made where the positions are wanted, or on the stack.
void place_by_words(const void* from, void* to, std::size_t width, const std::uint32_t* words, std::size_t n) {
  std::byte copy[most_narrow_pairs * widest_narrow];
  std::memcpy(copy, from, n * width);
  take_elements(copy, to, width, n, [words](std::size_t i) { return words[i] & 0xffff; });
}

template <class K>
void sort_by_short_words(const sort_request& r, const ordering& by) {
  const vector_kernels<std::uint32_t>* const vectors = best_vector_kernels<std::uint32_t>();
  const bool indices = r.carries == payload::indices;
  const key_codec<K> codec = make_key_codec<K>(r.type, by.direction, {});
  const auto* const keys = static_cast<const K*>(r.keys_in);
  alignas(64) std::uint32_t own[most_keys_of_16_bits];
  std::uint32_t* const words = indices ? static_cast<std::uint32_t*>(r.values_out) : own;
  for (std::size_t i = 0; i < r.n; ++i)
    words[i] = static_cast<std::uint32_t>(static_cast<std::uint32_t>(codec.image(keys[i])) << 16 | i);
  vectors->sort(words, r.n, {}, words);
  if (!indices) {
    K copy[most_keys_of_16_bits];
    std::memcpy(copy, keys, r.n * sizeof(copy[0]));
    for (std::size_t i = 0; i < r.n; ++i)
      static_cast<K*>(r.keys_out)[i] = copy[words[i] & 0xffff];
    if (r.carries == payload::values)
      place_by_words(r.values_in, r.values_out, r.value_bytes, words, r.n);
  } else if (r.value_bytes == 4) {
    for (std::size_t i = 0; i < r.n; ++i)
      words[i] &= 0xffff;
  } else {
    for (std::size_t i = r.n; i-- > 0;) { // the last one first: each is written over words that were read
      const std::uint64_t position = words[i] & 0xffff;
      std::memcpy(static_cast<std::byte*>(r.values_out) + i * sizeof(position), &position, sizeof(position));
    }
  }
}

// Positions of keys of 1 byte: counted, and written where the counts say. Four tables of counts, so that equal keys
// behind each other do not wait for each other.
template <class Index>
void count_bytes(const sort_request& r, const ordering& by) {
  const key_codec<std::uint8_t> codec = make_key_codec<std::uint8_t>(r.type, by.direction, {});
  const auto* const keys = static_cast<const std::uint8_t*>(r.keys_in);
  std::uint32_t counts[4][256] = {};
  for (std::size_t i = 0; i < r.n; ++i)
    ++counts[i % 4][codec.image(keys[i])];
  std::uint32_t places[256], place = 0;
  for (std::size_t value = 0; value < 256; ++value) {
    places[value] = place;
    place += counts[0][value] + counts[1][value] + counts[2][value] + counts[3][value];
  }
  for (std::size_t i = 0; i < r.n; ++i)
    static_cast<Index*>(r.values_out)[places[codec.image(keys[i])]++] = static_cast<Index>(i);
}

void sort_8_bits(const sort_request& r, const ordering& by) {
  if (r.value_bytes == 4)
    count_bytes<std::uint32_t>(r, by);
  else
    count_bytes<std::uint64_t>(r, by);
}

// Longer sorts of keys of 1 and 2 bytes, of keys alone, positions alone or pairs.
bool sorts_narrow(const sort_request& r, std::size_t key, const ordering& by) {
  if (key <= 2 && r.carries == payload::values)
    return by.is_whole() && r.n <= most_narrow_pairs && std::has_single_bit(r.value_bytes) &&
           r.value_bytes <= widest_narrow && best_vector_kernels<std::uint32_t>() != nullptr;
  const bool indices = r.carries == payload::indices;
  const bool alone = r.carries == payload::none || (indices && r.keys_out == nullptr);
  if (!alone || r.input_is_scratch || !by.is_whole())
    return false;
  if (key == 1)
    return indices && r.n <= most_positions_of_8_bits;
  return key == 2 && best_vector_kernels<std::uint32_t>() != nullptr &&
         r.n <= (indices ? most_positions_of_16_bits : most_keys_of_16_bits);
}

// Whether a request is one for this file, and its arrays are sound.
bool is_short(const sort_request& r) {
  const std::size_t key = key_bytes(r.type);
  return r.n >= 2 && r.n <= most_short_bytes / 4 && key != 0 && (!r.input_is_scratch || r.keys_in == r.keys_out) &&
         are_sound(r, key);
}

// Whether sort_short() sorts a sound request whatever the keys are, where it may take long: all but floats that need
// more than words, of which one may be −0 or a NaN.
bool sorts_any_keys(const sort_request& r, const ordering& by) {
  if (best_vector_kernels<std::uint64_t>() == nullptr)
    return false;
  const std::size_t key = key_bytes(r.type);
  if (r.n <= most_in_words)
    return !r.input_is_scratch || r.carries != payload::indices;
  if (r.carries == payload::none && by.is_whole() && !is_float(r.type) && (key == 4 || key == 8))
    return r.n <= most_short_bytes / key;
  return sorts_narrow(r, key, by);
}

bool sort_short(const sort_request& r, const ordering& by) {
  const std::size_t key = key_bytes(r.type);
  if (r.carries == payload::none && by.is_whole()) {
    if (key == 4 && sort_keys<std::uint32_t>(r, by))
      return true;
    if (key == 8 && r.n <= most_short_bytes / 8 && sort_keys<std::uint64_t>(r, by))
      return true;
  }
  if (r.input_is_scratch && r.carries == payload::indices)
    return false;
  if ((r.n <= sortile::detail::most_few && sort_few_integers(r, by)) || sort_by_places(r, by))
    return true;
  if (by.is_whole() && r.n >= least_in_order && r.n <= most_in_order && is_placed_in_order(r, by.direction))
    return true;
  bool repeats = false;
  if (sort_heavy(r, key, by, repeats) || sort_counted(r, key, by, repeats))
    return true;
  if (r.n <= most_in_words)
    return sort_by_words(r, by);
  if (!sorts_narrow(r, key, by))
    return false;
  if (key == 2)
    sort_by_short_words<std::uint16_t>(r, by);
  else if (r.carries == payload::values)
    sort_by_short_words<std::uint8_t>(r, by);
  else
    sort_8_bits(r, by);
  return true;
}

} // namespace

bool sort_small(const sort_request& r, const options& opts, bool engine_is_open) noexcept {
  if (!is_plain(opts, engine_is_open) || !is_short(r) || !is_in_reach(r))
    return false;
  const bool has_limit = opts.workspace_limit != 0; // which the usual way may not keep
  const ordering by{opts.order, opts.bits, has_limit, opts.threads == 1};
  return (!has_limit || sorts_any_keys(r, by)) && sort_short(r, by);
}

bool sorts_at_once(const sort_request& r, const options& opts) {
  return is_short(r) && sorts_any_keys(r, {opts.order, opts.bits});
}

void sort_at_once(const sort_request& r, const options& opts) {
  progress_meter progress(&opts.progress, r.n);
  progress.report();
  sort_short(r, {opts.order, opts.bits, true});
  progress.finish();
}

bool sort_small(const sort_request& r) noexcept {
  return is_short(r) && sort_short(r, {});
}

} // namespace sortile::cpu
