// Sorts and merges by any order: a comparison, given as a function or function object. Part of sortile.hpp.
//
//     sortile::sort(names, [](const name& a, const name& b) { return a.family < b.family; });
//     sortile::sort_by_key(keys, values, std::greater{});
//     std::vector<std::uint64_t> positions = sortile::argsort(boxes, smaller_volume);
//
// A comparison says whether its first argument comes before its second, as for std::sort: a strict weak order.
// It is called from several threads at once, through one object, and must not change the elements.
//
// How. Trivially copyable elements of at most 64 bytes in one piece of memory are sorted as they are, keys with values
// as records of both: comparison_sort.hpp has the algorithm, comparison_few.hpp what is done of short arrays, and of
// those nearly in order. Of all others (std::string, std::unique_ptr, a std::deque, large structs) the positions are
// sorted, and the elements moved once. std::less and std::greater, of std or std::ranges, on built-in numbers are the
// order that sortile has anyway: those calls become sort(keys) and its like, floats included, whose NaN are the largest
// then.
//
// What holds. Stable, and the same for any number of threads. A comparison that is no strict weak order gives some
// permutation, and nothing worse. Where the comparison throws, or the call is cancelled, elements sorted as they are
// have been left in some order, none lost; with values, in argsort, and where positions were sorted, nothing has moved.
//
// Options. threads, engine, progress, workspace; order, bits and workspace_limit are refused, memory::device too, where
// sortile/compare.cuh sorts by members and by on_device(less) (std::less and std::greater on numbers are sorted there
// as well).
//
// Cost of n elements of T bytes: about n log2 n + 2 n comparisons, n + 7 of sorted ones; a few moves of each element.
// Memory:
//
//   sort         n (T + 1); of up to 4 KiB on the stack
//   with values  2 n R + n, where R is the size of a struct of key and value, and R <= 64; argsort the same with
//                the position for the value, where T <= 16
//   else         positions of 4 bytes (8 beyond 2^32 elements, argsort: of its own), twice, and n; then a copy of the
//                elements, one array at a time, where they are trivially copyable
//   merge        nothing for two runs; n T for more
//   and some KB a thread
//
// When not to use it: where members decide, by() is quicker and shorter; where the keys are numbers, sort(keys).
#pragma once

#include <sortile/comparison_sort.hpp>
#include <sortile/projections.hpp>
#include <sortile/request.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// What can be called with two elements of R, and says whether the first comes before the second.
template <class C, class R>
concept comparison_of = std::ranges::range<R> && !std::ranges::range<C> &&
                        requires(std::remove_cvref_t<C> & c, const std::ranges::range_value_t<R>& t) {
  { c(t, t) } -> std::convertible_to<bool>;
};

namespace detail {

template <class T>
concept moved_as_bytes = std::is_trivially_copyable_v<T> && sizeof(T) <= most_moved_bytes;

/// A comparison of elements.
template <class T, class Less>
struct by_element {
  Less& less;
  bool operator()(const T& a, const T& b) const { return static_cast<bool>(less(a, b)); }
};

/// A key and what travels with it.
template <class K, class V>
struct record {
  K key;
  V value;
};
template <class K, class V, class Less>
struct by_key_of_record {
  Less& less;
  bool operator()(const record<K, V>& a, const record<K, V>& b) const { return static_cast<bool>(less(a.key, b.key)); }
};

/// A comparison of elements that are named by their positions.
template <class Iterator, class Index, class Less>
struct by_position {
  Iterator first;
  Less& less;

  decltype(auto) at(Index i) const { return first[static_cast<std::iter_difference_t<Iterator>>(i)]; }
  bool operator()(Index a, Index b) const { return static_cast<bool>(less(at(a), at(b))); }
};

// std::less and std::greater on built-in numbers: the library's own order, in one direction or the other.
template <class K>
concept number_key = key<K> &&(std::is_arithmetic_v<K> || std::same_as<K, uint128> || std::same_as<K, int128>);
template <class Less, class K>
inline constexpr bool is_less =
    std::same_as<Less, std::less<>> || std::same_as<Less, std::less<K>> || std::same_as<Less, std::ranges::less>;
template <class Less, class K>
inline constexpr bool is_greater = std::same_as<Less, std::greater<>> || std::same_as<Less, std::greater<K>> ||
                                   std::same_as<Less, std::ranges::greater>;
template <class R, class Less>
concept in_own_order = key_range<R> && number_key<std::ranges::range_value_t<R>> &&
    (is_less<Less, std::ranges::range_value_t<R>> || is_greater<Less, std::ranges::range_value_t<R>>);

/// The options of the call by the keys' own order that a call by std::less or std::greater becomes.
template <class K, class Less>
options own_order(const options& opts) {
  check_comparison_direction(opts);
  options own = opts;
  own.order = is_greater<Less, K> ? order::descending : order::ascending;
  return own;
}

/// Fills the records, sorts them, and writes them where they belong: make(i), then take(i, record).
template <class Record, class Less, class Make, class Take>
void sort_records(comparison_call& call, std::size_t n, const Less& less, const Make& make, const Take& take) {
  Record* const records = call.buffer<Record>(0);
  const std::size_t pieces = n <= merged_alone ? 1 : call.most_chunks();
  const auto for_each = [&](const auto& f) {
    call.for_each(pieces, [&](std::size_t piece) {
      const std::size_t end = piece_begin(n, pieces, piece + 1);
      for (std::size_t i = piece_begin(n, pieces, piece); i < end; ++i)
        f(i, records[i]);
      return std::size_t{0};
    });
  };
  for_each(make);
  comparison_sorter(call, records, call.buffer<Record>(1), n, less).run();
  for_each(take);
}

/// The order of any elements, by a sort of their positions.
template <class Index, class Structs, class Less>
void order_positions(comparison_call& call, Structs& structs, Index* positions, Less& less) {
  using Iterator = std::ranges::iterator_t<Structs>;
  const std::size_t n = length(structs);
  for (std::size_t i = 0; i < n; ++i)
    positions[i] = static_cast<Index>(i);
  const by_position<Iterator, Index, Less> before{std::ranges::begin(structs), less};
  comparison_sorter(call, positions, call.buffer<Index>(0), n, before).run();
}

/// Very few elements of any kind. False: nothing was done.
template <class Structs, class Less>
bool sort_few_by_positions(Structs& structs, Less& less) {
  const std::size_t n = length(structs);
  if (n < 2 || n > most_in_two_blocks || !few_door_is_open())
    return false;
  if constexpr (array_like<Structs>)
    if (!may_be_few(std::ranges::data(structs)))
      return false;
  std::uint32_t positions[most_in_two_blocks];
  for (std::uint32_t i = 0; i < n; ++i)
    positions[i] = i;
  sort_very_few(positions, n,
                by_position<std::ranges::iterator_t<Structs>, std::uint32_t, Less>{std::ranges::begin(structs), less});
  move_along_cycles(std::ranges::begin(structs), positions, n);
  return true;
}

/// Sorts elements of any kind by their positions, and moves `values`, ranges of the same length, along.
template <class Index, class Structs, class Less, class... Values>
void sort_by_positions(const char* operation, Structs& structs, Less& less, const options& opts, Values&... values) {
  const std::size_t n = length(structs);
  comparison_call call({operation, n, sizeof(Index)},
                       {named("the elements", structs, true), named("the values", values, true)...}, opts);
  const call_memory memory(n, sizeof(Index), "the order of elements");
  Index* const positions = static_cast<Index*>(memory.data());
  order_positions(call, structs, positions, less);
  const auto rearrange = [&](auto& range) {
    run(permute_request{n, positions, sizeof(Index), std::ranges::data(range),
                        sizeof(std::ranges::range_value_t<decltype(range)>)},
        {.engine = opts.engine, .threads = opts.threads});
  };
  (rearrange(values), ...);
  if constexpr (value_range<Structs&>)
    rearrange(structs);
  else
    move_along_cycles(std::ranges::begin(structs), positions, n);
}

template <class Structs, class Less, class... Values>
void sort_any(const char* operation, Structs& structs, Less& less, const options& opts, Values&... values) {
  if (length(structs) <= std::size_t{1} << 32)
    sort_by_positions<std::uint32_t>(operation, structs, less, opts, values...);
  else
    sort_by_positions<std::uint64_t>(operation, structs, less, opts, values...);
}

/// Merges runs, which are changed, by a comparison.
template <class Less, class T>
void merge_arrays(std::span<std::span<const T>> runs, std::span<T> out, Less& less, const options& opts) {
  constexpr const char* operation = "a merge by a comparison";
  std::size_t n = 0;
  for (const std::span<const T> run : runs) {
    n += run.size();
    need_apart(operation, {named("a run", run, false), named("out", out, true)}, opts);
  }
  same_length("merge", "all runs together", n, "out", out.size());
  comparison_call call({operation, n, runs.size() > 2 ? sizeof(T) : 0, 1, false}, {named("out", out, true)}, opts);
  if (runs.size() < 2) {
    copy_all(call, out.data(), runs.empty() ? nullptr : runs[0].data(), n);
  } else {
    const by_element<T, Less> before{less};
    run_merger<T, by_element<T, Less>> merger(call, runs, before);
    call.expect(merger.passes() * std::uint64_t{n});
    merger.merge(out.data(), call.buffer<T>(0));
  }
  call.finish();
}

} // namespace detail

/// Sorts elements in place so that less(later, earlier) holds for none. Stable. Elements are of any movable type, in
/// any range with random access and a size. \throws invalid_argument for options that mean nothing here,
/// workspace_too_small, engine_unusable, unknown_engine, out_of_memory, cancelled, and what `less` throws
template <class R, comparison_of<R> Less>
void sort(R&& elements, Less less, const options& opts) {
  using T = std::ranges::range_value_t<R>;
  if constexpr (!detail::check_movable_structs<R>()) {
    return;
  } else if constexpr (detail::in_own_order<R, Less>) {
    sortile::sort(elements, detail::own_order<T, Less>(opts));
  } else if constexpr (detail::array_like<R> && detail::moved_as_bytes<T>) {
    const std::size_t n = detail::length(elements);
    T* const data = std::ranges::data(elements);
    const detail::by_element<T, Less> before{less};
    if (detail::are_usual(opts) && opts.order == order::ascending && detail::sort_few_by(data, n, n, before))
      return;
    detail::comparison_call call({"a sort by a comparison", n, sizeof(T)},
                                 {detail::named("the elements", elements, true)}, opts);
    detail::comparison_sorter(call, data, call.buffer<T>(0), n, before).run();
  } else {
    if (!detail::are_usual(opts) || opts.order != order::ascending || !detail::sort_few_by_positions(elements, less))
      detail::sort_any("a sort by a comparison", elements, less, opts);
  }
}

template <class R, comparison_of<R> Less>
void sort(R&& elements, Less less) {
  using T = std::ranges::range_value_t<R>;
  if constexpr (!detail::check_movable_structs<R>()) {
    return;
  } else if constexpr (detail::in_own_order<R, Less>) {
    constexpr order direction = detail::is_greater<Less, T> ? order::descending : order::ascending;
    if (!detail::sort_few(detail::in_place(elements), detail::length(elements), direction))
      detail::with_usual_options(direction, [&](const options& opts) { sortile::sort(elements, opts); });
  } else {
    if constexpr (detail::array_like<R> && detail::moved_as_bytes<T>) {
      const std::size_t n = detail::length(elements);
      if (detail::sort_few_by(std::ranges::data(elements), n, n, detail::by_element<T, Less>{less}))
        return;
    } else if (detail::sort_few_by_positions(elements, less)) {
      return;
    }
    detail::with_usual_options(order::ascending, [&](const options& opts) {
      sortile::sort(std::forward<R>(elements), std::move(less), opts);
    });
  }
}

/// Sorts `in` into `out`, which has the same length and does not overlap it; trivially copyable elements.
template <value_range In, value_range Out, comparison_of<Out> Less>
requires writable<Out>
void sort(In&& in, Out&& out, Less less, const options& opts = default_options()) {
  using T = std::ranges::range_value_t<Out>;
  static_assert(std::same_as<T, std::ranges::range_value_t<In>>,
                "sortile: input and output must have elements of one type");
  const std::size_t n = detail::length(out);
  detail::same_length("sort", "in", detail::length(in), "out", n);
  if constexpr (detail::in_own_order<Out, Less>) {
    sortile::sort(in, out, detail::own_order<T, Less>(opts));
  } else {
    detail::need_apart("a sort by a comparison", {detail::named("in", in, false), detail::named("out", out, true)},
                       opts);
    detail::put(std::ranges::data(out), std::ranges::data(in), n);
    sortile::sort(out, std::move(less), opts);
  }
}

/// Sorts keys in place and moves values[i] with keys[i]. Stable. Keys are of any movable type.
/// \throws as sort(elements, less); then nothing has moved, but for out_of_memory where keys and values take more than
/// 64 bytes: values may have moved before their keys could
template <class Keys, value_range Values, comparison_of<Keys> Less>
requires writable<Values>
void sort_by_key(Keys&& keys, Values&& values, Less less, const options& opts = default_options()) {
  using K = std::ranges::range_value_t<Keys>;
  using V = std::ranges::range_value_t<Values>;
  if constexpr (!detail::check_movable_structs<Keys>()) {
    return;
  } else {
    constexpr const char* operation = "a sort by a comparison";
    const std::size_t n = detail::length(keys);
    detail::same_length("sort_by_key", "keys", n, "values", detail::length(values));
    if constexpr (detail::in_own_order<Keys, Less>) {
      sortile::sort_by_key(keys, values, detail::own_order<K, Less>(opts));
    } else if constexpr (detail::array_like<Keys> && std::is_trivially_copyable_v<K> &&
                         sizeof(detail::record<K, V>) <= detail::most_moved_bytes) {
      using record = detail::record<K, V>;
      K* const k = std::ranges::data(keys);
      V* const v = std::ranges::data(values);
      detail::comparison_call call({operation, n, sizeof(record), 2},
                                   {detail::named("keys", keys, true), detail::named("values", values, true)}, opts);
      detail::sort_records<record>(
          call, n, detail::by_key_of_record<K, V, Less>{less},
          [&](std::size_t i, record& r) {
            detail::put(&r.key, k + i);
            detail::put(&r.value, v + i);
          },
          [&](std::size_t i, const record& r) {
            detail::put(k + i, &r.key);
            detail::put(v + i, &r.value);
          });
    } else {
      detail::sort_any(operation, keys, less, opts, values);
    }
  }
}

/// Sorts keys_in, values_in into keys_out, values_out, all of one length; outputs overlap nothing. Trivially copyable
/// keys.
template <value_range KeysIn, value_range ValuesIn, value_range KeysOut, value_range ValuesOut,
          comparison_of<KeysOut> Less>
requires writable<KeysOut> && writable<ValuesOut>
void sort_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out, ValuesOut&& values_out, Less less,
                 const options& opts = default_options()) {
  using K = std::ranges::range_value_t<KeysOut>;
  static_assert(std::same_as<K, std::ranges::range_value_t<KeysIn>>,
                "sortile: input and output must have keys of one type");
  static_assert(std::same_as<std::ranges::range_value_t<ValuesOut>, std::ranges::range_value_t<ValuesIn>>,
                "sortile: input and output must have values of one type");
  if constexpr (detail::in_own_order<KeysOut, Less>) {
    sortile::sort_by_key(keys_in, values_in, keys_out, values_out, detail::own_order<K, Less>(opts));
  } else {
    const std::size_t n = detail::length(keys_in);
    detail::same_length("sort_by_key", "keys_in", n, "values_in", detail::length(values_in));
    detail::same_length("sort_by_key", "keys_in", n, "keys_out", detail::length(keys_out));
    detail::same_length("sort_by_key", "keys_in", n, "values_out", detail::length(values_out));
    detail::need_apart("a sort by a comparison",
                       {detail::named("keys_in", keys_in, false), detail::named("values_in", values_in, false),
                        detail::named("keys_out", keys_out, true), detail::named("values_out", values_out, true)},
                       opts);
    detail::put(std::ranges::data(keys_out), std::ranges::data(keys_in), n);
    detail::put(std::ranges::data(values_out), std::ranges::data(values_in), n);
    sortile::sort_by_key(keys_out, values_out, std::move(less), opts);
  }
}

/// Writes to `positions` the order of the elements, which are only read: elements[positions[0]] is the first, and so
/// on. Stable. Elements are of any type, in any range with random access and a size.
/// \throws as sort(elements, less)
template <class R, index_range Positions, comparison_of<R> Less>
requires writable<Positions>
void argsort(R&& elements, Positions&& positions, Less less, const options& opts = default_options()) {
  using T = std::ranges::range_value_t<R>;
  using Index = std::ranges::range_value_t<Positions>;
  if constexpr (detail::check_structs<R>()) {
    const std::size_t n = detail::length(elements);
    detail::same_length("argsort", "elements", n, "positions", detail::length(positions));
    detail::need_wide_enough<Index>("argsort", n);
    if constexpr (detail::in_own_order<R, Less>) {
      sortile::argsort(elements, positions, detail::own_order<T, Less>(opts));
    } else {
      constexpr const char* operation = "an argsort by a comparison";
      constexpr bool with_keys = detail::array_like<R> && std::is_trivially_copyable_v<T> && sizeof(T) <= 16;
      using record = detail::record<std::conditional_t<with_keys, T, char>, Index>;
      Index* const order = std::ranges::data(positions);
      detail::comparison_call call(
          {operation, n, with_keys ? sizeof(record) : sizeof(Index), with_keys ? 2u : 1u},
          {detail::named("the elements", elements, false), detail::named("positions", positions, true)}, opts);
      if constexpr (with_keys) {
        const T* const data = std::ranges::data(elements);
        detail::sort_records<record>(
            call, n, detail::by_key_of_record<T, Index, Less>{less},
            [&](std::size_t i, record& r) {
              detail::put(&r.key, data + i);
              r.value = static_cast<Index>(i);
            },
            [&](std::size_t i, const record& r) { order[i] = r.value; });
      } else {
        detail::order_positions(call, elements, order, less);
      }
    }
  }
}

/// The order of the elements as a new vector, of 64-bit positions unless another index type is named.
template <index Index = std::uint64_t, class R, comparison_of<R> Less>
[[nodiscard]] std::vector<Index> argsort(R&& elements, Less less, const options& opts = default_options()) {
  std::vector<Index> positions = detail::room_for_positions<Index>("argsort", detail::length(elements));
  sortile::argsort(elements, positions, std::move(less), opts);
  return positions;
}

/// Whether less(elements[i], elements[i - 1]) holds for no i. Several threads; stops soon after the first.
/// \throws as sort(elements, less)
template <class R, comparison_of<R> Less>
[[nodiscard]] bool is_sorted(R&& elements, Less less, const options& opts = default_options()) {
  using T = std::ranges::range_value_t<R>;
  if constexpr (!detail::check_structs<R>()) {
    return false;
  } else if constexpr (detail::in_own_order<R, Less>) {
    return sortile::is_sorted(elements, detail::own_order<T, Less>(opts));
  } else {
    constexpr std::size_t piece = std::size_t{1} << 14;
    const std::size_t n = detail::length(elements);
    detail::comparison_call call({"a check of order", n, 0}, {detail::named("the elements", elements, false)}, opts);
    const detail::by_position<std::ranges::iterator_t<R>, std::size_t, Less> before{std::ranges::begin(elements), less};
    std::atomic<bool> sorted{true};
    call.for_each(n / piece + 1, [&](std::size_t task) {
      const std::size_t begin = task * piece, end = n - begin < piece ? n : begin + piece;
      for (std::size_t i = begin == 0 ? 1 : begin; i < end; ++i)
        if (!sorted.load(std::memory_order_relaxed) || before(i, i - 1)) {
          sorted.store(false, std::memory_order_relaxed);
          break;
        }
      return std::size_t{0};
    });
    return sorted.load(std::memory_order_relaxed);
  }
}

/// Merges sorted runs into `out`, which has room for all and overlaps none: `runs` is a range of arrays of one
/// trivially copyable type, as std::vector<std::span<const T>>. Stable: of equal elements those of earlier runs come
/// first. Two runs are merged at once, more pass by pass: n log2(runs) comparisons. Where anything is thrown, `out`
/// holds unspecified elements.
/// \throws as sort(elements, less), and invalid_argument where `out` has another length than all runs together
template <std::ranges::sized_range Runs, value_range Out, comparison_of<Out> Less>
requires value_range<std::ranges::range_reference_t<const Runs&>> && writable<Out>
void merge(const Runs& runs, Out&& out, Less less, const options& opts = default_options()) {
  using T = std::ranges::range_value_t<Out>;
  static_assert(std::same_as<T, std::ranges::range_value_t<std::ranges::range_reference_t<const Runs&>>>,
                "sortile: runs and output must have elements of one type");
  const std::size_t count = detail::length(runs);
  const detail::call_memory memory(count + 1, sizeof(std::span<const T>), "the runs of a merge");
  const std::span<std::span<const T>> all(static_cast<std::span<const T>*>(memory.data()), count);
  std::size_t i = 0;
  for (const auto& r : runs)
    all[i++] = {std::ranges::data(r), detail::length(r)};
  detail::merge_arrays<Less, T>(all, std::span<T>(out), less, opts);
}

/// Merges two sorted ranges into `out`: of equal elements those of `a` come first.
template <value_range A, value_range B, value_range Out, comparison_of<Out> Less>
requires writable<Out>
void merge(A&& a, B&& b, Out&& out, Less less, const options& opts = default_options()) {
  using T = std::ranges::range_value_t<Out>;
  static_assert(std::same_as<T, std::ranges::range_value_t<A>> && std::same_as<T, std::ranges::range_value_t<B>>,
                "sortile: ranges and output must have elements of one type");
  if constexpr (detail::in_own_order<Out, Less>) {
    sortile::merge(a, b, out, detail::own_order<T, Less>(opts));
  } else {
    std::span<const T> runs[] = {std::span<const T>(a), std::span<const T>(b)};
    detail::merge_arrays<Less, T>(runs, std::span<T>(out), less, opts);
  }
}

/// Bytes of options::workspace that are enough to sort n elements of type T by any comparison on the CPU engine; with
/// values of type Carried, or an argsort with positions of that type.
template <class T, class Carried = void>
[[nodiscard]] std::size_t any_order_workspace_bytes(std::size_t n, const options& opts = default_options()) {
  std::size_t most = detail::comparison_workspace_bytes(n, sizeof(std::uint64_t), 1, opts); // positions
  const auto at_least = [&](std::size_t bytes) { most = bytes > most ? bytes : most; };
  if constexpr (std::is_void_v<Carried>) {
    if constexpr (detail::moved_as_bytes<T>)
      at_least(detail::comparison_workspace_bytes(n, sizeof(T), 1, opts));
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    using record = detail::record<T, Carried>;
    if constexpr (sizeof(record) <= detail::most_moved_bytes)
      at_least(detail::comparison_workspace_bytes(n, sizeof(record), 2, opts));
  }
  if constexpr (detail::number_key<T>) { // std::less and std::greater
    sort_request own{.type = key_type_of<T>, .n = n};
    if constexpr (!std::is_void_v<Carried>) {
      own.carries = payload::values;
      own.value_bytes = sizeof(Carried);
    }
    at_least(workspace_bytes(own, opts));
    if constexpr (index<Carried>) {
      own.carries = payload::indices;
      at_least(workspace_bytes(own, opts));
    }
  }
  return most;
}

} // namespace sortile
#pragma GCC visibility pop
