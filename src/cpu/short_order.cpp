// Short sorts of what is in order already, against it, or nearly in order.
//
// Idea. The first six keys tell: of random ones two to four mostly come before the one before them. Where at most one
// does, vectors look for such descents among all; where each does, the array may fall. A few descents are repaired one
// after the other, from the front:
//
//     … 3 [9] 4 5 6 8 …   the greater one of a descent fits not here: it goes behind what is less,     … 3 4 5 6 8 [9]
//     … … 4 5 6 8 [3] 9 …   the lesser one fits not here: it goes before what is greater                 … [3] 4 5 6 8
//     9 …
//
// Each step is a binary search and a move of what lies between. As none passes an equal key, all is stable, and where
// too many steps are needed, nothing is lost: other ways sort what there is.
#include "cpu/short_order.hpp"

#include "cpu/kernels.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/with_width.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace {

template <std::size_t Width>
void turn_round(const std::byte* from, std::byte* to, std::size_t n) {
  for (std::size_t i = 0, j = n - 1; i <= j; ++i, --j) {
    std::byte front[Width], back[Width];
    std::memcpy(front, from + i * Width, Width);
    std::memcpy(back, from + j * Width, Width);
    std::memcpy(to + i * Width, back, Width);
    std::memcpy(to + j * Width, front, Width);
  }
}

/// Writes n > 1 elements as they are, or the last one first; `to` may be `from`. False where elements have such a width
/// that they would be turned round byte by byte.
bool copy_run(const void* from, void* to, std::size_t width, std::size_t n, bool falls) {
  if (!falls) {
    if (from != to)
      std::memcpy(to, from, n * width);
    return true;
  }
  return with_width(width, [=](auto w) {
    if constexpr (std::is_same_v<decltype(w), std::size_t>)
      return false;
    else
      return turn_round<w>(static_cast<const std::byte*>(from), static_cast<std::byte*>(to), n), true;
  });
}

template <class Index>
void number(Index* positions, std::size_t n, bool falls) {
  for (std::size_t i = 0; i < n; ++i)
    positions[i] = static_cast<Index>(falls ? n - 1 - i : i);
}

constexpr std::size_t most_falling = 4096; // keys; the long way sees that more of them fall sooner

/// Two exchanged elements make one or two. Steps that more would need: where two great elements stand before others,
/// what lies between these is moved one by one.
constexpr std::size_t most_descents = 2, most_steps = 6;

/// A value that is moved: up to widest_in_words bytes.
void move_one(std::byte* elements, std::size_t width, std::size_t from, std::size_t to) {
  std::byte held[widest_in_words];
  std::memcpy(held, elements + from * width, width);
  if (from < to)
    std::memmove(elements + from * width, elements + (from + 1) * width, (to - from) * width);
  else
    std::memmove(elements + (to + 1) * width, elements + to * width, (from - to) * width);
  std::memcpy(elements + to * width, held, width);
}

/// The arrays of a result that is put in order. Keys are looked up by positions where those are all that is wanted.
template <class K>
class moved_arrays {
 public:
  moved_arrays(const sort_request& r, const key_image<K>& image)
      : r_(r), image_(image), keys_(static_cast<const K*>(r.keys_out != nullptr ? r.keys_out : r.keys_in)) {}

  K operator[](std::size_t i) const {
    if (r_.keys_out == nullptr)
      i = r_.value_bytes == sizeof(std::uint32_t) ? static_cast<const std::uint32_t*>(r_.values_out)[i]
                                                  : static_cast<const std::uint64_t*>(r_.values_out)[i];
    return image_(keys_[i]);
  }
  void move(std::size_t from, std::size_t to) const {
    if (r_.keys_out != nullptr)
      move_one(static_cast<std::byte*>(r_.keys_out), sizeof(K), from, to);
    if (r_.carries != payload::none)
      move_one(static_cast<std::byte*>(r_.values_out), r_.value_bytes, from, to);
  }
  /// The first in [begin, end) that `behind` says of, as of all that follow.
  template <class F>
  std::size_t first(std::size_t begin, std::size_t end, F&& behind) const {
    while (begin < end) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (behind((*this)[middle]))
        end = middle;
      else
        begin = middle + 1;
    }
    return begin;
  }

 private:
  const sort_request& r_;
  const key_image<K>& image_;
  const K* keys_;
};

/// Puts the result in order but for what `at` says: where a key comes before the one before it.
template <class K>
bool repair_descents(const sort_request& r, const key_image<K>& image, const std::size_t* at, std::size_t descents) {
  const moved_arrays<K> arrays(r, image);
  std::size_t steps = 0, next = 0;
  for (std::size_t i = descents > 0 ? at[0] : r.n; i < r.n;) {
    while (next < descents && at[next] <= i)
      ++next;
    const std::size_t end = next < descents ? at[next] : r.n; // what lies from i on up to here is in order
    const K greater = arrays[i - 1], lesser = arrays[i];
    if (lesser < greater) {
      if (++steps > most_steps)
        return false;
      if (i == 1 || lesser >= arrays[i - 2])
        arrays.move(i - 1, arrays.first(i, end, [&](K x) { return x >= greater; }) - 1);
      else
        arrays.move(i, arrays.first(0, i - 1, [&](K x) { return x > lesser; }));
    }
    i = i + 1 < end && arrays[i + 1] < arrays[i] ? i + 1 : end;
  }
  return true;
}

enum class key_order : std::uint8_t { none, nearly_rising, falling };

template <class K>
key_order order_of(const K* keys, std::size_t n, const key_image<K>& image, std::size_t* at, std::size_t& descents) {
  constexpr std::size_t first = 6;
  std::size_t falls = 0;
  for (std::size_t i = 1; i < first; ++i)
    falls += image(keys[i]) < image(keys[i - 1]);
  if (falls <= 1) {
    constexpr std::size_t block = 256;
    std::size_t equal = 0;
    while (equal + block < n && are_same_bits(keys + equal, block + 1))
      equal += block;
    descents = best_kernels<K>().find_descents(keys + equal, n - equal, image, most_descents, at);
    for (std::size_t i = 0; i < std::min(descents, most_descents); ++i)
      at[i] += equal;
    return descents <= most_descents ? key_order::nearly_rising : key_order::none;
  }
  if (falls < first - 1 || n > most_falling)
    return key_order::none;
  K last = image(keys[first - 1]);
  for (std::size_t i = first; i < n; ++i) {
    const K x = image(keys[i]);
    if (x >= last)
      return key_order::none;
    last = x;
  }
  return key_order::falling;
}

} // namespace

bool is_placed_in_order(const sort_request& r, order direction) {
  return with_word(r.type, [&]<class K>(K) {
    const key_image<K> image = key_image<K>(r.type, direction, {}).exactly();
    std::size_t at[most_descents], descents = 0;
    const key_order found = order_of(static_cast<const K*>(r.keys_in), r.n, image, at, descents);
    const bool falls = found == key_order::falling;
    // Keys that have moved would give other positions to whoever sorts them then.
    const bool may_give_up = r.carries != payload::indices || r.keys_in != r.keys_out;
    if (found == key_order::none || (descents > 0 && !may_give_up) ||
        (r.carries == payload::values && !copy_run(r.values_in, r.values_out, r.value_bytes, r.n, falls)))
      return false;
    if (r.keys_out != nullptr)
      copy_run(r.keys_in, r.keys_out, sizeof(K), r.n, falls);
    if (r.carries == payload::indices && r.value_bytes == sizeof(std::uint32_t))
      number(static_cast<std::uint32_t*>(r.values_out), r.n, falls);
    else if (r.carries == payload::indices)
      number(static_cast<std::uint64_t*>(r.values_out), r.n, falls);
    return falls || repair_descents(r, image, at, descents);
  });
}

} // namespace sortile::cpu
