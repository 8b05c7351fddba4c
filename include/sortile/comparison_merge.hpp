// Merges, and the sort of a short array by merges, for any strict weak order: the local step of comparison_sort.hpp.
//
// Idea. A merge that branches on each comparison of random keys is wrong every second time. Here the outcome of a
// comparison is a number that is added to a position, so there is nothing to predict; what remains is the chain
// load - compare - add from one output to the next. Several chains side by side hide it:
//
//   blocks of 8   every pair is compared, and an element's rank is how many comparisons it lost: 28 comparisons that do
//                 not wait for each other (a merge would make 17 that do)
//   short runs    two runs of equal length are merged from both ends at once; neither end can leave its run, since each
//                 takes as many steps as a run is long
//   long runs     the merge path (Odeh, Green, Mwassi, Shmueli, Birk, "Merge path", IPDPSW 2012) cuts the output into
//                 parts, whose merges take turns
//
// What holds. Stable. Every function leaves a permutation in its output whatever the comparison answers: blocks whose
// ranks are not all different, and merges whose two ends do not meet, take their input as it is; cuts are made one
// after the other, each beyond the last, so that no part has a negative length. A pass reads one buffer and writes the
// other; so where a comparison throws, the one that was read is still a permutation.
//
// Cost of n elements: 3.5 n comparisons for the blocks and n for each of the log2(n / 8) passes.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

// The ranks of a block stay in registers where the loops over them are unrolled. nvcc would warn of the pragma.
#ifdef __CUDACC__
#define SORTILE_UNROLLED
#else
#define SORTILE_UNROLLED _Pragma("GCC unroll 8")
#endif

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

template <class T>
void put(T* to, const T* from, std::size_t n = 1) {
  if (n > 0 && to != from)
    std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(T));
}

inline constexpr std::size_t block_elements = 8;

/// Sorts a block from `from` to `to`, which may be the same.
template <class T, class Less>
void sort_block(T* to, const T* from, const Less& less) {
  unsigned ranks[block_elements] = {};
  SORTILE_UNROLLED
  for (std::size_t j = 1; j < block_elements; ++j) {
    SORTILE_UNROLLED
    for (std::size_t i = 0; i < j; ++i) {
      const bool j_first = less(from[j], from[i]);
      ranks[i] += j_first;
      ranks[j] += !j_first;
    }
  }
  unsigned taken = 0;
  for (const unsigned rank : ranks)
    taken |= 1u << rank;
  if (taken != (1u << block_elements) - 1)
    return put(to, from, block_elements); // no strict weak order
  alignas(T) std::byte held[block_elements * sizeof(T)];
  std::memcpy(held, static_cast<const void*>(from), sizeof held);
  for (std::size_t i = 0; i < block_elements; ++i)
    std::memcpy(static_cast<void*>(to + ranks[i]), held + i * sizeof(T), sizeof(T));
}

/// The same of up to a block.
template <class T, class Less>
void sort_part_of_block(T* to, const T* from, std::size_t n, const Less& less) {
  unsigned ranks[block_elements];
  for (unsigned j = 0; j < n; ++j) {
    unsigned rank = j;
    for (unsigned i = 0; i < j; ++i) {
      const bool j_first = less(from[j], from[i]);
      ranks[i] += j_first;
      rank -= j_first;
    }
    ranks[j] = rank;
  }
  unsigned taken = 0;
  alignas(T) std::byte held[block_elements * sizeof(T)];
  for (std::size_t i = 0; i < n; ++i) {
    taken |= 1u << ranks[i];
    std::memcpy(held + i * sizeof(T), static_cast<const void*>(from + i), sizeof(T));
  }
  const bool is_order = taken == (1u << n) - 1; // else it is no strict weak order
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(static_cast<void*>(to + (is_order ? ranks[i] : i)), held + i * sizeof(T), sizeof(T));
}

/// Merges [from, from + half) and [from + half, from + 2 half) from both ends at once.
template <class T, class Less>
void merge_halves(T* to, const T* from, std::size_t half, const Less& less) {
  std::size_t a = 0, b = half, a_end = half, b_end = 2 * half; // what is left: [a, a_end), [b, b_end)
  for (std::size_t low = 0, high = 2 * half; low < half; ++low) {
    const bool second_first = less(from[b], from[a]);
    put(to + low, from + (second_first ? b : a));
    b += second_first;
    a += !second_first;
    const bool first_last = less(from[b_end - 1], from[a_end - 1]);
    put(to + --high, from + (first_last ? a_end : b_end) - 1);
    a_end -= first_last;
    b_end -= !first_last;
  }
  if (a != a_end || b != b_end)
    put(to, from, 2 * half); // no strict weak order
}

/// How many of the first `rank` elements of the merge of a and b are from a.
template <class T, class Less>
std::size_t merge_path(std::span<const T> a, std::span<const T> b, std::size_t rank, const Less& less) {
  std::size_t low = rank > b.size() ? rank - b.size() : 0, high = rank < a.size() ? rank : a.size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (less(b[rank - 1 - middle], a[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// A merge that is under way.
template <class T>
struct merge_in_progress {
  const T *a, *a_end, *b, *b_end;
  T* to;

  /// Steps for which neither run can be used up.
  std::size_t safe_steps() const {
    const auto left_a = static_cast<std::size_t>(a_end - a), left_b = static_cast<std::size_t>(b_end - b);
    return left_a < left_b ? left_a : left_b;
  }

  template <class Less>
  void step(const Less& less) {
    const bool second_first = less(*b, *a);
    put(to++, second_first ? b : a);
    b += second_first;
    a += !second_first;
  }

  template <class Less>
  void finish(const Less& less) {
    while (const std::size_t steps = safe_steps())
      for (std::size_t i = 0; i < steps; ++i)
        step(less);
    put(to, a, static_cast<std::size_t>(a_end - a));
    put(to + (a_end - a), b, static_cast<std::size_t>(b_end - b));
  }
};

/// Cuts the first `rank` elements of the merge off the fronts of a and b.
template <class T, class Less>
merge_in_progress<T> cut_front(std::span<const T>& a, std::span<const T>& b, std::size_t rank, T* to,
                               const Less& less) {
  const std::size_t from_a = merge_path(a, b, rank, less), from_b = rank - from_a;
  const merge_in_progress<T> part{a.data(), a.data() + from_a, b.data(), b.data() + from_b, to};
  a = a.subspan(from_a);
  b = b.subspan(from_b);
  return part;
}

/// Merges a and b, of equal elements those of a first, to `to`, apart from both.
template <class T, class Less>
void merge_two(std::span<const T> a, std::span<const T> b, T* to, const Less& less) {
  constexpr std::size_t parts = 3, alone_below = 64;
  if (a.empty() || b.empty() || !less(b.front(), a.back())) {
    put(to, a.data(), a.size());
    return put(to + a.size(), b.data(), b.size());
  }
  const std::size_t n = a.size() + b.size(), share = n / parts;
  if (n < alone_below)
    return merge_in_progress<T>{a.data(), a.data() + a.size(), b.data(), b.data() + b.size(), to}.finish(less);
  merge_in_progress<T> first = cut_front(a, b, share, to, less);
  merge_in_progress<T> second = cut_front(a, b, share, to + share, less);
  merge_in_progress<T> third{a.data(), a.data() + a.size(), b.data(), b.data() + b.size(), to + 2 * share};
  for (;;) {
    std::size_t steps = first.safe_steps();
    steps = second.safe_steps() < steps ? second.safe_steps() : steps;
    steps = third.safe_steps() < steps ? third.safe_steps() : steps;
    if (steps == 0)
      break;
    for (std::size_t i = 0; i < steps; ++i) {
      first.step(less);
      second.step(less);
      third.step(less);
    }
  }
  first.finish(less);
  second.finish(less);
  third.finish(less);
}

/// One pass: merges neighbouring runs of `width` elements.
template <class T, class Less>
void merge_pass(T* to, const T* from, std::size_t n, std::size_t width, const Less& less) {
  constexpr std::size_t longest_halves = 32;
  for (std::size_t begin = 0; begin < n; begin += 2 * width) {
    const std::size_t left = n - begin;
    if (left >= 2 * width && width <= longest_halves)
      merge_halves(to + begin, from + begin, width, less);
    else if (left > width)
      merge_two<T>({from + begin, width}, {from + begin + width, left < 2 * width ? left - width : width}, to + begin,
                   less);
    else
      put(to + begin, from + begin, left);
  }
}

/// Sorts [data, data + n) by merges, with `other` of the same length for scratch. The result is left in `other` where
/// `into_other` says so; whatever is thrown, a permutation is left there.
template <class T, class Less>
void sort_by_merges(T* data, T* other, std::size_t n, bool into_other, const Less& less) {
  unsigned passes = 0;
  for (std::size_t width = block_elements; width < n; width *= 2)
    ++passes;
  T* const result = into_other ? other : data;
  T* to = (passes % 2 == 1) == into_other ? data : other;
  const T* from = data;
  try {
    std::size_t i = 0;
    for (; i + block_elements <= n; i += block_elements)
      sort_block(to + i, from + i, less);
    sort_part_of_block(to + i, from + i, n - i, less);
    from = to;
    for (std::size_t width = block_elements; width < n; width *= 2) {
      to = from == data ? other : data;
      merge_pass(to, from, n, width, less);
      from = to;
    }
  } catch (...) {
    put(result, from, n);
    throw;
  }
}

} // namespace sortile::detail
#pragma GCC visibility pop
