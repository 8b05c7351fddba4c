// Short arrays, and those that are nearly in order, for any strict weak order: sorted in the caller's own code, or
// before all else that comparison_sort.hpp does. Part of sortile.hpp.
//
//     up to 16 elements      in order, or nearly; else all pairs are compared, from nine on of each half, which are
//     merged up to 4 KiB            one scan for runs: in order, or nearly (see below); else by merges, on the stack
//     more                   the same scan, with scratch of the library
//
// Nearly in order: runs are long, and few elements are out of place. Up to 32 are put between those before them. Of
// more the outliers are found by a walk that keeps a chain of elements in order. Where the next element comes before
// the last of the chain, one of the two is astray, and nobody knows which: both are taken out, and the walk goes on
// from the one before them.
//
//     1 2 9 4 5 6 7 8 3 10      9 and 4 are taken out, then 8 and 3
//     1 2 . . 5 6 7 . . 10      the chain
//
// So the outliers are two for each place at which the order breaks, and taking them out leaves an array in order. Each
// is sought in it by bisection, and all are put back in one pass from behind.
//
// What holds. Stable: among its equals an outlier belongs behind those of the chain that were before it. Nothing moves
// until all outliers are known; where the comparison throws, a permutation is left, and where it contradicts itself,
// too.
//
// Cost of n elements with s outliers: n + s log2 n comparisons, and some s² / 4 of outliers that belong between the
// same two elements; each element moves twice at most.
#pragma once

#include <sortile/comparison_merge.hpp>
#include <sortile/few.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

inline constexpr std::size_t most_moved_bytes = 64; // of elements that are sorted as they are

inline constexpr std::size_t most_mended = std::size_t{1} << 16; // elements of which outliers are sought; more are for
                                                                 // several threads

/// Whether elements may be sorted in the caller's own code: there is nothing that the library would refuse.
template <class T>
bool may_be_few(const T* data) {
  return few_door_is_open() && data != nullptr && reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
}

/// An element that was taken out of an array, which closes up before it. Whatever is thrown, it is put back.
template <class T>
class taken_out {
 public:
  explicit taken_out(T* at) : at_(at) { std::memcpy(held_, static_cast<const void*>(at), sizeof(T)); }
  taken_out(const taken_out&) = delete;
  taken_out& operator=(const taken_out&) = delete;
  ~taken_out() { std::memcpy(static_cast<void*>(at_), held_, sizeof(T)); }

  const T& element() const { return *std::launder(reinterpret_cast<const T*>(held_)); }
  const T& before() const { return at_[-1]; }
  bool is_first_of(const T* data) const { return at_ == data; }
  void move_down() {
    std::memcpy(static_cast<void*>(at_), static_cast<const void*>(at_ - 1), sizeof(T));
    --at_;
  }

 private:
  T* at_;
  alignas(T) unsigned char held_[sizeof(T)];
};

/// Puts each element from `first` on between those before it, which are in order.
template <class T, class Before>
void insert_each(T* data, std::size_t first, std::size_t n, const Before& before) {
  for (std::size_t i = first; i < n; ++i) {
    if (!before(data[i], data[i - 1]))
      continue;
    taken_out<T> one(data + i);
    do
      one.move_down();
    while (!one.is_first_of(data) && before(one.element(), one.before()));
  }
}

inline constexpr std::size_t most_in_two_blocks = 2 * block_elements;

/// Sorts up to most_in_two_blocks.
template <class T, class Less>
void sort_in_blocks(T* data, std::size_t n, const Less& less) {
  if (n <= block_elements)
    return sort_part_of_block(data, data, n, less);
  const std::size_t half = n / 2;
  alignas(T) std::byte room[most_in_two_blocks * sizeof(T)];
  T* const other = reinterpret_cast<T*>(room);
  sort_part_of_block(other, data, half, less);
  sort_part_of_block(other + half, data + half, half, less);
  try {
    merge_halves(data, other, half, less);
  } catch (...) {
    put(data, other, 2 * half);
    throw;
  }
  insert_each(data, 2 * half, n, less);
}

/// What a walk over few elements finds; is_below(b, a) of their positions.
struct few_walk {
  static constexpr std::size_t least_ranked = 4; // of fewer there is little to guess

  std::size_t n, in_order = 1; ///< elements that are, from the first on
  std::size_t descents = 0;    ///< where more are not to be inserted: of those behind these, too

  template <class IsBelow>
  few_walk(std::size_t length, const IsBelow& is_below) : n(length) {
    if (n < least_ranked)
      return;
    while (in_order < n && !is_below(in_order, in_order - 1))
      ++in_order;
    if (n > block_elements)
      for (std::size_t i = in_order; i < n; ++i)
        descents += is_below(i, i - 1);
  }
  bool are_in_order() const { return in_order == n; }
  /// Whether each is to be put between those before it.
  bool are_few() const {
    return n < least_ranked || are_in_order() || (n > block_elements && descents <= few_descents);
  }
};

/// Sorts up to most_in_two_blocks.
template <class T, class Less>
void sort_very_few(T* data, std::size_t n, const Less& less) {
  if constexpr (sizeof(T) > most_moved_bytes) {
    insert_each(data, 1, n, less);
  } else {
    const few_walk found(n, [&](std::size_t b, std::size_t a) { return less(data[b], data[a]); });
    if (found.are_few())
      insert_each(data, found.in_order, n, less);
    else
      sort_in_blocks(data, n, less);
  }
}

/// Takes the outliers of an array out, and puts them back where they belong.
template <class T, class Less>
class outlier_sort {
 public:
  /// With `other`, of the same length, for scratch.
  outlier_sort(T* data, T* other, std::size_t n, const Less& less) : data_(data), other_(other), n_(n), less_(less) {}

  /// False where there are too many outliers: nothing has moved.
  bool run() {
    if (n_ > most_mended || !find())
      return false;
    take_out();
    try {
      for (unsigned s = 0; s < outliers_; ++s)
        seek(s);
    } catch (...) {
      put(data_ + kept_, other_, outliers_);
      throw;
    }
    put_back();
    return true;
  }

 private:
  static constexpr unsigned most_outliers = 256;

  struct gap {
    std::uint32_t begin, end;
  };

  /// Finds the gaps that the outliers leave.
  bool find() {
    const std::size_t share = 4 + n_ / 16, most = share < most_outliers ? share : most_outliers;
    constexpr std::size_t none = ~std::size_t{0};
    // The last of the chain is i − 1, or lies in front of the gap that ends at i.
    for (std::size_t i = 1, last = 0; i < n_; ++i) {
      if (last == none || !less_(data_[i], data_[last])) {
        last = i;
        continue;
      }
      if ((outliers_ += 2) > most)
        return false;
      if (gaps_ > 0 && gap_[gaps_ - 1].end == i)
        gap_[gaps_ - 1].begin = static_cast<std::uint32_t>(last);
      else
        gap_[gaps_++].begin = static_cast<std::uint32_t>(last);
      gap_[gaps_ - 1].end = static_cast<std::uint32_t>(i + 1);
      for (; gaps_ > 1 && gap_[gaps_ - 2].end == gap_[gaps_ - 1].begin; --gaps_)
        gap_[gaps_ - 2].end = gap_[gaps_ - 1].end;
      last = gap_[gaps_ - 1].begin == 0 ? none : gap_[gaps_ - 1].begin - 1;
    }
    return true;
  }

  /// Outliers go to `other`, and the chain closes up.
  void take_out() {
    unsigned taken = 0;
    kept_ = gaps_ == 0 ? n_ : gap_[0].begin;
    for (unsigned g = 0; g < gaps_; ++g) {
      const std::size_t length = gap_[g].end - gap_[g].begin, next = g + 1 < gaps_ ? gap_[g + 1].begin : n_;
      put(other_ + taken, data_ + gap_[g].begin, length);
      for (const std::size_t end = taken + length; taken < end; ++taken)
        place_[taken] = static_cast<std::uint32_t>(kept_);
      move(kept_, gap_[g].end, next - gap_[g].end);
      kept_ += next - gap_[g].end;
    }
  }

  /// Finds the place of an outlier in the chain, and its rank among the outliers before it.
  void seek(unsigned s) {
    const T& outlier = other_[s];
    const std::size_t before = place_[s]; // elements of the chain that were before it
    const bool is_below = before > 0 && less_(outlier, data_[before - 1]);
    std::size_t low = is_below ? 0 : before, high = is_below ? before - 1 : kept_;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (is_below ? less_(outlier, data_[middle]) : !less_(data_[middle], outlier))
        high = middle;
      else
        low = middle + 1;
    }
    place_[s] = static_cast<std::uint32_t>(low);
    unsigned at = s;
    for (; at > 0; --at) {
      const unsigned rival = order_[at - 1];
      if (place_[rival] < low || (place_[rival] == low && !less_(outlier, other_[rival])))
        break;
      order_[at] = order_[at - 1];
    }
    order_[at] = static_cast<std::uint16_t>(s);
  }

  void put_back() {
    std::size_t end = kept_;
    for (unsigned left = outliers_; left > 0; --left) {
      const std::size_t place = place_[order_[left - 1]];
      move(place + left, place, end - place);
      put(data_ + place + left - 1, other_ + order_[left - 1]);
      end = place;
    }
  }

  /// n elements within the array.
  void move(std::size_t to, std::size_t from, std::size_t n) {
    std::memmove(static_cast<void*>(data_ + to), static_cast<const void*>(data_ + from), n * sizeof(T));
  }

  T* data_;
  T* other_;
  std::size_t n_;
  const Less& less_;
  std::size_t kept_ = 0; // elements of the chain
  unsigned outliers_ = 0, gaps_ = 0;
  gap gap_[most_outliers / 2];         // in their order; no two touch
  std::uint32_t place_[most_outliers]; // of an outlier: in front of this element of the chain
  std::uint16_t order_[most_outliers]; // of the outliers
};

inline constexpr std::size_t most_inserted_nearly = 32; // elements that are nearly in order

/// What one walk over an array finds: the few runs that it consists of, or how long runs are. Short arrays that begin
/// in order are not walked over: their runs, none, count as long.
template <class T>
class array_runs {
 public:
  template <class Less>
  array_runs(T* data, std::size_t n, const Less& less) : data_(data), n_(n) {
    const unsigned descents = descents_at_first(less);
    if (descents >= 3 && descents <= 5) {
      walked_ = count_ = most;
      return;
    }
    if (n <= most_inserted_nearly && descents <= 2)
      return;
    while (walked_ < n && count_ < most) {
      std::size_t end = walked_ + 1;
      falling_[count_] = end < n && less(data[end], data[walked_]);
      while (end < n && less(data[end], data[end - 1]) == falling_[count_])
        ++end;
      runs_[count_++] = {data + walked_, end - walked_};
      walked_ = end;
    }
  }

  /// Whether these are all, and how many.
  bool are_all() const { return walked_ == n_; }
  std::size_t count() const { return count_; }
  /// Runs of random elements have two to three, and of few there is little to say.
  bool are_long() const { return walked_ >= 3 * count_; }

  /// Turns strictly descending runs round. All are ascending then.
  std::span<std::span<const T>> turned() {
    for (std::size_t i = 0; i < count_; ++i)
      if (std::exchange(falling_[i], false))
        reverse(data_ + (runs_[i].data() - data_), runs_[i].size());
    return std::span(runs_).first(count_);
  }

 private:
  static constexpr std::size_t most = 8;

  /// Of the first eight elements those that are before the one before them: of random ones mostly three to five. They
  /// are read without a branch. In shorter arrays they are not worth it: 6, which says nothing.
  template <class Less>
  unsigned descents_at_first(const Less& less) const {
    constexpr std::size_t first = 8;
    if (n_ < 2 * first)
      return 6;
    unsigned descents = 0;
    for (std::size_t i = 1; i < first; ++i)
      descents += less(data_[i], data_[i - 1]);
    return descents;
  }

  static void reverse(T* data, std::size_t n) {
    for (std::size_t i = 0; i < n / 2; ++i) {
      alignas(T) std::byte held[sizeof(T)];
      std::memcpy(held, static_cast<const void*>(data + i), sizeof held);
      put(data + i, data + n - 1 - i);
      std::memcpy(static_cast<void*>(data + n - 1 - i), held, sizeof held);
    }
  }

  std::span<const T> runs_[most];
  bool falling_[most] = {};
  T* data_;
  std::size_t n_, count_ = 0;
  std::size_t walked_ = 0; // elements of these runs
};

/// Whether the array is in order now: it was, or but for few elements, or against it. If not, nothing has moved.
template <class T, class Less>
bool put_in_order(array_runs<T>& found, T* data, T* other, std::size_t n, const Less& less) {
  if (found.are_all() && found.count() <= 1)
    return found.turned(), true;
  if (!found.are_long())
    return false;
  if (n <= most_inserted_nearly)
    return insert_each(data, 1, n, less), true;
  return outlier_sort(data, other, n, less).run();
}

/// Elements that are sorted on the stack.
template <class T>
inline constexpr std::size_t most_on_stack = sizeof(T) > most_moved_bytes ? 0 : 4096 / sizeof(T);

/// Sorts them; more than `most_merged` only where they are nearly in order, else nothing is done. A function of its
/// own, so that shorter arrays do not pay for its frame.
template <class T, class Less>
[[gnu::noinline]] bool sort_on_stack(T* data, std::size_t n, std::size_t most_merged, const Less& less) {
  alignas(T) std::byte room[most_on_stack<T> * sizeof(T)];
  T* const other = reinterpret_cast<T*>(room);
  array_runs<T> found(data, n, less);
  if (put_in_order(found, data, other, n, less))
    return true;
  if (n > most_merged)
    return false;
  sort_by_merges(data, other, n, false, less);
  return true;
}

/// Sorts a short array; of more than `most_merged` elements only where they are nearly in order. False: nothing was
/// done, and the library has to be called.
template <class T, class Less>
bool sort_few_by(T* data, std::size_t n, std::size_t most_merged, const Less& less) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (n < 2 || !may_be_few(data))
    return false;
  if (n <= most_in_two_blocks)
    return sort_very_few(data, n, less), true;
  if constexpr (most_on_stack<T> != 0)
    return n <= most_on_stack<T> && sort_on_stack(data, n, most_merged, less);
  else
    return false;
}

} // namespace sortile::detail
#pragma GCC visibility pop
