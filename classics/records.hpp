// What kernels of the gallery see of a job: records in global memory, and the codec that orders their keys.
//
// A record is a key, or a key and a 32-bit value; keys travel raw and are compared, or cut into digits, by their image
// (primitives/key_codec.hpp). A sort is a template over the key's width and whether there are values, so four
// instantiations serve every type, both directions, keys and pairs.
//
//     template <class Word, bool Pairs>
//     void some_sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec);
//
//     .run = [](job& j) { with_records(j, [&](auto&... a) { some_sort(j, a...); }); }
#pragma once

#include "classics/registry.hpp"
#include "primitives/key_codec.hpp"
#include "simt/simt.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sortile::classics::inline SORTILE_BACKEND {

template <class Word, bool Pairs>
struct record {
  Word key;
};
template <class Word>
struct record<Word, true> {
  Word key;
  std::uint32_t value;
};

/// Records in global memory, keys and values in arrays of their own.
template <class Word, bool Pairs>
struct records {
  using record = classics::record<Word, Pairs>;
  simt::global<Word> keys;
  simt::global<std::uint32_t> values;

  SORTILE_DEVICE record load(std::uint64_t i) const {
    if constexpr (Pairs)
      return {keys.load(i), values.load(i)};
    else
      return {keys.load(i)};
  }
  SORTILE_DEVICE void store(std::uint64_t i, const record& r) const {
    keys.store(i, r.key);
    if constexpr (Pairs)
      values.store(i, r.value);
  }
};

template <class T>
simt::global<T> view(const device_array<T>& a) {
  return {a.data(), a.size()};
}

template <class Word, bool Pairs>
records<Word, Pairs> typed(const job& j, const device_arrays& a) {
  return {{static_cast<Word*>(a.keys), j.asked.n}, {a.values, Pairs ? j.asked.n : 0}};
}

/// The same arrays as job::show() takes them.
template <class Word, bool Pairs>
device_arrays untyped(const records<Word, Pairs>& r) {
  return {r.keys.data(), r.values.data()};
}

/// Records [first, first + count) of an array.
template <class Word, bool Pairs>
records<Word, Pairs> piece_of(const records<Word, Pairs>& all, std::uint64_t first, std::uint64_t count) {
  return {{all.keys.data() + first, count}, {Pairs ? all.values.data() + first : nullptr, Pairs ? count : 0}};
}

namespace detail {
template <class Word, bool Pairs, class Sort>
void call_with_records(job& j, Sort&& sort) {
  records<Word, Pairs> data = typed<Word, Pairs>(j, j.data), spare = typed<Word, Pairs>(j, j.spare);
  const key_codec<Word> codec = make_key_codec<Word>(j.asked.type, j.asked.direction, j.asked.bits);
  sort(data, spare, codec);
  if (data.keys.data() != j.data.keys)
    std::swap(j.data, j.spare);
}
} // namespace detail

/// Calls sort(data, spare, codec) for the job's key width and payload. The result must lie in `data` afterwards; `data`
/// and `spare` may have been swapped.
template <class Sort>
void with_records(job& j, Sort&& sort) {
  if (key_bytes(j.asked.type) == 4)
    j.asked.pairs ? detail::call_with_records<std::uint32_t, true>(j, sort)
                  : detail::call_with_records<std::uint32_t, false>(j, sort);
  else
    j.asked.pairs ? detail::call_with_records<std::uint64_t, true>(j, sort)
                  : detail::call_with_records<std::uint64_t, false>(j, sort);
}

/// Calls f(std::integral_constant<unsigned, value>{}) for a power of two from 1 to 32: a kernel for each.
template <class Function>
void with_constant(unsigned value, Function&& f) {
  switch (value) {
  case 1:
    return f(std::integral_constant<unsigned, 1>{});
  case 2:
    return f(std::integral_constant<unsigned, 2>{});
  case 4:
    return f(std::integral_constant<unsigned, 4>{});
  case 8:
    return f(std::integral_constant<unsigned, 8>{});
  case 16:
    return f(std::integral_constant<unsigned, 16>{});
  default:
    return f(std::integral_constant<unsigned, 32>{});
  }
}

/// Elements [0, n) of an array in the machine's memory, for steps.
template <class T>
std::vector<std::remove_const_t<T>> fetch(machine& on, simt::global<T> from, std::uint64_t n) {
  std::vector<std::remove_const_t<T>> all(n);
  if (n != 0)
    on.copy_to_host(all.data(), from.data(), n * sizeof(T));
  return all;
}

/// For --steps: pivots and splitters, which kernels keep as images, as the keys `among` which they were chosen; the
/// number of an image that no key has (a pivot by histogram).
template <class Word>
std::vector<std::string> keys_of_images(const job& j, const key_codec<Word>& codec, const std::vector<Word>& images,
                                        const std::vector<Word>& among) {
  std::map<Word, const Word*> key_of;
  for (const Word& key : among)
    key_of.emplace(codec.image(key), &key);
  std::vector<std::string> texts;
  for (const Word image : images) {
    const auto found = key_of.find(image);
    texts.push_back(found == key_of.end() ? "the image " + std::to_string(image) : j.text_of(found->second));
  }
  return texts;
}

/// A parameter that many classics have: a smaller tile shows on few keys how blocks work together.
inline parameter tile_parameter(unsigned most) {
  return {"tile", 4, most, most, "keys of a block", true, 1, true};
}

/// "bit 3", or "bits 3 to 5".
inline std::string name_of_bits(unsigned first, unsigned count) {
  return count == 1 ? "bit " + std::to_string(first)
                    : "bits " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

/// Threads of a block that has work for `wanted` of them, a power of two: whole warps, as votes and shuffles ask for.
inline unsigned whole_warps(unsigned wanted) {
  return std::max(simt::warp_size, wanted);
}

/// For --steps: which thread of the block takes which record of the tile, `Keys` neighbours each.
template <unsigned Keys>
void tell_threads(telling& t, std::uint64_t n, unsigned tile) {
  if (Keys == 1 || !t.is_read())
    return;
  std::vector<std::uint64_t> threads(n);
  for (std::uint64_t i = 0; i < n; ++i)
    threads[i] = i % tile / Keys;
  t.numbers("thread", threads, tile);
}

/// Blocks that cover n elements, `each` elements a block.
inline unsigned blocks_for(std::uint64_t n, std::uint64_t each) {
  return static_cast<unsigned>((n + each - 1) / each);
}

/// The place of this thread in a grid of one axis.
SORTILE_DEVICE std::uint64_t grid_thread() {
  return std::uint64_t{simt::block_index()} * simt::block_size() + simt::thread_index();
}

} // namespace sortile::classics::inline SORTILE_BACKEND
