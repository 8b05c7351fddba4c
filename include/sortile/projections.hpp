// Structs in host memory, sorted by their members, or by whatever is computed from them. Part of sortile.hpp.
//
//     struct person { std::uint16_t age; std::uint32_t name_id; std::string address; };
//     std::vector<person> people = ...;
//
//     sortile::sort(people, by(&person::age), by(&person::name_id, order::descending));
//
// A projection, made by by(), gives a key for each element: a pointer to a data member, to a member function without
// arguments, or anything that can be called with an element. The first decides, ties go to the next, each in its own
// direction. Elements are any movable type, std::string or std::unique_ptr in them or not; the range is any with random
// access and a size, a std::deque too.
//
// How. Each projection is called once for each element, in their order, on the calling thread, and its keys are written
// to an array of their own. run(rows_request) finds the order from these arrays. Then the elements are moved, once.
// Up to 16 (14 by two keys, and so on) are sorted where the call stands: their keys are read once, then all pairs are
// compared. Elements of up to 64 bytes by data members are compared first: up to 20 are sorted as they are, and up to
// 65,536 that are in order, but for few of them, are put in order (comparison_few.hpp).
//
// What holds. Stable. Of floats -0 equals +0 and every NaN is the largest. options::order descending turns all
// directions round; options::bits and options::workspace are refused, and memory::device too: sortile/compare.cuh sorts
// structs there. Nothing is moved before all memory is at hand: after any exception of a projection or of sortile
// (out_of_memory, cancelled, ...) the range is as it was. Only where the move of an element itself throws, elements
// hold unspecified values.
//
// Cost of n elements of T bytes with keys of K bytes together:
//
//   keys       T read, K written
//   order      that of argsort_rows: one sort where all keys fit into 128 bits
//   move       trivially copyable elements of a contiguous range: a gather by several threads through a copy, 2 T
//              written; others: each moved once along the cycles of the order, by the calling thread
//   memory     4 (8 beyond 2^32 elements), and the larger of K + the sort's own and T of the copy
//
// When not to use it: for structs whose comparison no list of keys expresses; where columns lie apart (sort_rows).
#pragma once

#include <sortile/arrays.hpp>
#include <sortile/comparison_few.hpp>
#include <sortile/few.hpp>
#include <sortile/request.hpp>
#include <sortile/types.hpp>

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// What gives an element's key, and in which direction the key counts: by().
template <class Function>
struct projection {
  Function key_of;
  sortile::order order = sortile::order::ascending;
};

namespace detail {

/// What can be meant as a projection, seen without the elements: a pointer to a member, a function, a function object.
template <class F>
concept projecting = !std::ranges::range<F> && (std::is_member_pointer_v<F> || std::is_class_v<F> ||
                                                std::is_function_v<std::remove_pointer_t<F>>);

template <class F, class T>
concept projects = std::regular_invocable<const F&, const T&>;

template <class F, class T>
using projected_key = std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>;

/// Ranges whose elements can be read by position.
template <class R>
concept numbered_range = std::ranges::random_access_range<R> && std::ranges::sized_range<R>;

template <class R>
concept sortable_structs = numbered_range<R> && writable<R> && std::permutable<std::ranges::iterator_t<R>>;

/// The options of the sort of rows that a sort of structs becomes, whose columns have opts.order in their directions.
/// \throws invalid_argument, engine_unusable for what a sort of structs cannot take: before an element is read
options options_for_rows(const options& opts, const void* structs, std::size_t n);

template <class Structs>
options options_for_rows(const options& opts, Structs& structs) {
  if constexpr (std::ranges::contiguous_range<Structs>)
    return options_for_rows(opts, std::ranges::data(structs), length(structs));
  else
    return options_for_rows(opts, nullptr, 0);
}

/// Calls few(order, projections...), then call(opts, projections...) where that was false or other options were named,
/// with the last arguments of a call: projections, then perhaps options.
template <class Few, class Call, class... Arguments>
void split_options(const Few& few, const Call& call, const Arguments&... arguments) {
  const auto all = std::tie(arguments...);
  constexpr std::size_t count = sizeof...(Arguments);
  constexpr bool has_options = std::same_as<std::tuple_element_t<count - 1, std::tuple<Arguments...>>, options>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    if constexpr (has_options) {
      const options& opts = std::get<count - 1>(all);
      if (!are_usual(opts) || !few(opts.order, std::get<I>(all)...))
        call(opts, std::get<I>(all)...);
    } else if (!few(order::ascending, std::get<I>(all)...)) {
      with_usual_options(order::ascending, [&](const options& opts) { call(opts, std::get<I>(all)...); });
    }
  }
  (std::make_index_sequence<count - has_options>{});
}

/// The keys that one projection gives.
template <class T, class F>
class key_column {
 public:
  using key_type = projected_key<F, T>;

  key_column(const projection<F>& by, std::size_t n)
      : by_(by), n_(n), memory_(n, sizeof(key_type), "the keys of structs") {}

  void take(std::size_t i, const T& element) {
    std::construct_at(static_cast<key_type*>(memory_.data()) + i, std::invoke(by_.key_of, element));
  }

  column described(order all) const {
    const order turned = by_.order == order::ascending ? order::descending : order::ascending;
    return {key_type_of<key_type>, memory_.data(), all == order::descending ? turned : by_.order, n_};
  }

 private:
  const projection<F>& by_;
  std::size_t n_;
  call_memory memory_;
};

template <class K>
concept string_like = requires(const K& k) {
  k.c_str();
}
|| std::convertible_to<K, const char*> || requires(const K& k) {
  k.remove_prefix(1);
};

/// Whether an argument after the elements is a projection that gives keys; where it is not, the compilation ends.
template <class T, class Argument>
struct check_projection : std::false_type {
  static_assert(std::same_as<Argument, options>,
                "sortile: sorts of structs take by(...), further by(...), and options{...} last; nothing else");
};
template <class T, class F>
struct check_projection<T, projection<F>> : std::bool_constant<projects<F, T>> {
  static_assert(projects<F, T>, "sortile: by(...) must name a member of the elements, or something that can be called "
                                "with a const element");
};
template <class T, class F>
requires projects<F, T>
struct check_projection<T, projection<F>> : std::bool_constant<key<projected_key<F, T>>> {
  using K = projected_key<F, T>;
  static_assert(key<K> || !string_like<K>, "sortile: by(...) gives a string, and strings are no keys; keys are "
                                           "integers, floats, enumerations and std::chrono times");
  static_assert(key<K> || string_like<K>, "sortile: what by(...) gives is no key; keys are integers, floats, "
                                          "enumerations and std::chrono times");
};

/// Whether a range can be read by projections.
template <class R>
constexpr bool check_structs() {
  static_assert(numbered_range<R>, "sortile: structs are sorted in a range with random access and a size: std::vector, "
                                   "std::deque, std::span, an array");
  return numbered_range<R>;
}

/// Whether its elements can also be moved.
template <class R>
constexpr bool check_movable_structs() {
  if constexpr (!check_structs<R>()) {
    return false;
  } else {
    static_assert(std::ranges::borrowed_range<R>, "sortile: the range is a temporary, and the sorted elements would be "
                                                  "lost with it; give it a name");
    constexpr bool is_const = std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R>>>;
    static_assert(!is_const, "sortile: the elements are const and cannot be moved; argsort(range, by(...)) gives their "
                             "order");
    static_assert(is_const || std::permutable<std::ranges::iterator_t<R>>,
                  "sortile: the elements cannot be moved and assigned; argsort(range, by(...)) gives their order");
    return sortable_structs<R>;
  }
}

/// Below, equal or above as -1, 0, 1.
template <class T, class F>
int compare_by(const T& a, const T& b, const projection<F>& by) {
  using K = projected_key<F, T>;
  const K key_a = std::invoke(by.key_of, a), key_b = std::invoke(by.key_of, b);
  const auto x = image_of<key_type_of<K>>(std::bit_cast<word_of<K>>(key_a));
  const auto y = image_of<key_type_of<K>>(std::bit_cast<word_of<K>>(key_b));
  const int found = (x > y) - (x < y);
  return by.order == order::descending ? -found : found;
}

/// Members can be read time and again: that does not throw, and nobody counts it.
template <class Structs, class... F>
concept comparable_by_members = array_like<Structs&> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<Structs>> &&(std::is_member_object_pointer_v<F>&&...);

/// Moves elements to where they belong, element positions[i] to i, along the cycles of the permutation. Positions that
/// are done become their own number.
template <class Iterator, class Index>
void move_along_cycles(Iterator first, Index* positions, std::size_t n) {
  const auto at = [&](std::size_t i) { return first + static_cast<std::iter_difference_t<Iterator>>(i); };
  for (std::size_t i = 0; i < n; ++i) {
    if (positions[i] == i)
      continue;
    std::iter_value_t<Iterator> held = std::ranges::iter_move(at(i));
    std::size_t hole = i;
    for (std::size_t from = positions[hole]; from != i; from = positions[hole]) {
      *at(hole) = std::ranges::iter_move(at(from));
      positions[hole] = static_cast<Index>(hole);
      hole = from;
    }
    *at(hole) = std::move(held);
    positions[hole] = static_cast<Index>(hole);
  }
}

/// The comparison that projections on members are.
template <class T, class... F>
auto by_members(const order& all, const projection<F>&... by) {
  return [&](const T& a, const T& b) {
    int found = 0;
    static_cast<void>((((found = compare_by(a, b, by)) != 0) || ...));
    return comes_first(found, all);
  };
}

inline constexpr std::size_t most_merged_by_members = 20; // of more, a sort of keys takes less

/// Sorts short arrays by members. False: nothing was done.
template <class Structs, class... F>
bool sort_few_by_members(Structs& structs, order all, const projection<F>&... by) {
  return sort_few_by(std::ranges::data(structs), length(structs), most_merged_by_members,
                     by_members<std::ranges::range_value_t<Structs>>(all, by...));
}

#if defined(__GNUC__) && !defined(__clang__) // which warns of arrays that are filled by a loop
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

/// The images of the keys that one projection gives of few elements.
template <class T, class F>
struct few_column {
  using key_type = projected_key<F, T>;
  using word = word_of<key_type>;

  const projection<F>& by;
  word flip;
  word images[most_ranked];

  few_column(const projection<F>& from, order all)
      : by(from), flip(all_bits_if<word>((from.order == order::descending) != (all == order::descending))) {}
  void take(std::size_t i, const T& element) {
    const key_type key = std::invoke(by.key_of, element);
    images[i] = static_cast<word>(image_of<key_type_of<key_type>>(std::bit_cast<word>(key)) ^ flip);
  }
};

/// Structs of which all pairs are compared, by all their keys.
template <class... F>
inline constexpr std::size_t most_structs_ranked = most_ranked - 2 * (sizeof...(F) < 5 ? sizeof...(F) - 1 : 4);

/// Ranks few elements that are out of order by what projections give, each of which is called once an element. Unknown:
/// there are more, or the library is to be called.
template <class Structs, class... F>
few_order rank_structs(Structs& structs, few_rank* ranks, order all, const projection<F>&... by) {
  using T = std::ranges::range_value_t<Structs>;
  const std::size_t n = length(structs);
  if (n - 2 > most_structs_ranked<F...> - 2 || !few_door_is_open() || ((by.order > order::descending) || ...))
    return few_order::unknown;
  if constexpr (std::ranges::contiguous_range<Structs>)
    if (!is_aligned_array(std::ranges::data(structs)))
      return few_order::unknown;
  std::tuple<few_column<T, F>...> keys{few_column<T, F>(by, all)...};
  return std::apply(
      [&](auto&... columns) {
        auto element = std::ranges::begin(structs);
        for (std::size_t i = 0; i < n; ++i, ++element) {
          const T& t = *element;
          (columns.take(i, t), ...);
        }
        const auto is_below = [&](std::size_t a, std::size_t b) {
          bool below = false, ties = true; // no branch: keys of random order are not guessed
          ((below |= ties & (columns.images[a] < columns.images[b]), ties &= columns.images[a] == columns.images[b]),
           ...);
          return below;
        };
        const few_walk found(n, is_below);
        if (found.are_in_order())
          return few_order::in_order;
        if (found.are_few() && n > block_elements) {
          std::size_t positions[most_ranked];
          for (std::size_t i = 0; i < n; ++i)
            positions[i] = i;
          insert_each(positions, found.in_order, n, is_below);
          for (std::size_t i = 0; i < n; ++i)
            ranks[positions[i]] = static_cast<few_rank>(i);
        } else {
          rank_all(n, ranks, is_below);
        }
        return few_order::out_of_order;
      },
      keys);
}

/// Sorts few structs. False: nothing was done.
template <class Structs, class... F>
bool sort_few_structs(Structs& structs, order all, const projection<F>&... by) {
  using T = std::ranges::range_value_t<Structs>;
  const std::size_t n = length(structs);
  if constexpr (comparable_by_members<Structs, F...>)
    if (n > most_structs_ranked<F...>)
      return sort_few_by_members(structs, all, by...);
  few_rank ranks[most_ranked] = {};
  const few_order found = rank_structs(structs, ranks, all, by...);
  if (found != few_order::out_of_order)
    return found == few_order::in_order;
  if constexpr (array_like<Structs&> && std::is_trivially_copyable_v<T> && sizeof(T) <= most_moved_bytes) {
    T* const data = std::ranges::data(structs);
    move_to_ranks(few_array<T>{data, data}, n, ranks);
  } else {
    std::size_t positions[most_ranked];
    for (std::size_t i = 0; i < n; ++i)
      positions[ranks[i]] = i;
    move_along_cycles(std::ranges::begin(structs), positions, n);
  }
  return true;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

/// Longer ones, checked, where they are nearly in order. False: nothing was done.
template <class Structs, class... F>
bool put_in_order_by_members(Structs& structs, const options& opts, const projection<F>&... by) {
  using T = std::ranges::range_value_t<Structs>;
  if constexpr (comparable_by_members<Structs, F...> && sizeof(T) <= most_moved_bytes) {
    T* const data = std::ranges::data(structs);
    const std::size_t n = length(structs);
    if (n <= most_on_stack<T> || n > most_mended || !are_usual(opts))
      return false;
    const auto before = by_members<T>(opts.order, by...);
    array_runs<T> found(data, n, before);
    if (!found.are_long())
      return false;
    const call_memory other(n, sizeof(T), "a sort of structs");
    return put_in_order(found, data, static_cast<T*>(other.data()), n, before);
  } else {
    return false;
  }
}

/// Writes the order of the elements to `positions`.
template <class Index, class Structs, class... F>
void order_structs(Structs& structs, Index* positions, const options& opts, const options& for_rows,
                   const projection<F>&... by) {
  using T = std::ranges::range_value_t<Structs>;
  const std::size_t n = length(structs);
  std::tuple<key_column<T, F>...> keys{key_column<T, F>(by, n)...};
  std::apply(
      [&](auto&... columns) {
        auto element = std::ranges::begin(structs);
        for (std::size_t i = 0; i < n; ++i, ++element) {
          const T& t = *element;
          (columns.take(i, t), ...);
        }
        const std::array<column, sizeof...(F)> described{columns.described(opts.order)...};
        run(rows_request{n, described, positions, sizeof(Index)}, for_rows);
      },
      keys);
}

template <class Index, class Structs, class... F>
void sort_structs(Structs& structs, const options& opts, const options& for_rows, const projection<F>&... by) {
  const std::size_t n = length(structs);
  const call_memory order(n, sizeof(Index), "the order of structs");
  Index* const positions = static_cast<Index*>(order.data());
  order_structs<Index>(structs, positions, opts, for_rows, by...);
  if constexpr (value_range<Structs&>)
    run(permute_request{n, positions, sizeof(Index), std::ranges::data(structs),
                        sizeof(std::ranges::range_value_t<Structs>)},
        for_rows);
  else
    move_along_cycles(std::ranges::begin(structs), positions, n);
}

} // namespace detail

/// A key of structs: a pointer to a member, or anything that can be called with an element. `by(&person::age)`,
/// `by([](const person& p) { return p.age / 10; }, order::descending)`.
template <detail::projecting Function>
projection<Function> by(Function key_of, sortile::order direction = sortile::order::ascending) {
  return {std::move(key_of), direction};
}

/// Sorts elements in place by what the projections give, the first deciding, ties by the next: `sort(people,
/// by(&person::age), by(&person::name_id, order::descending))`. After them may come options{...}. Stable. Whatever is
/// thrown by sortile or a projection, nothing has been moved.
template <class Structs, class F, class... More>
void sort(Structs&& structs, const projection<F>& first, const More&... more) {
  using T = std::ranges::range_value_t<Structs>;
  if constexpr (detail::check_movable_structs<Structs>() && detail::check_projection<T, projection<F>>::value)
    detail::split_options(
        [&](order all, const auto&... by) {
          if constexpr ((detail::check_projection<T, std::remove_cvref_t<decltype(by)>>::value && ...))
            return detail::sort_few_structs(structs, all, by...);
          else
            return true;
        },
        [&](const options& opts, const auto&... by) {
          if constexpr ((detail::check_projection<T, std::remove_cvref_t<decltype(by)>>::value && ...)) {
            const options for_rows = detail::options_for_rows(opts, structs);
            if (detail::put_in_order_by_members(structs, opts, by...))
              return;
            if (detail::length(structs) <= std::size_t{1} << 32)
              detail::sort_structs<std::uint32_t>(structs, opts, for_rows, by...);
            else
              detail::sort_structs<std::uint64_t>(structs, opts, for_rows, by...);
          }
        },
        first, more...);
}
template <class Structs, class F>
void sort(Structs&& structs, const projection<F>& key, const options& opts) {
  sort<Structs, F, options>(std::forward<Structs>(structs), key, opts);
}

/// Writes to `positions` the order of elements by projections, as sort() would arrange them; they are only read, and
/// may be any random-access range.
template <class Structs, index_range Positions, class F, class... More>
requires writable<Positions>
void argsort(Structs&& structs, Positions&& positions, const projection<F>& first, const More&... more) {
  using T = std::ranges::range_value_t<Structs>;
  using Index = std::ranges::range_value_t<Positions>;
  if constexpr (detail::check_structs<Structs>() && detail::check_projection<T, projection<F>>::value)
    detail::split_options(
        [&](order all, const auto&... by) {
          if constexpr ((detail::check_projection<T, std::remove_cvref_t<decltype(by)>>::value && ...)) {
            const std::size_t n = detail::length(structs);
            detail::few_rank ranks[detail::most_ranked] = {};
            Index* const to = std::ranges::data(positions);
            if (n != detail::length(positions) || !detail::is_aligned_array(to))
              return false;
            const detail::few_order found = detail::rank_structs(structs, ranks, all, by...);
            for (std::size_t i = 0; i < n && found != detail::few_order::unknown; ++i)
              to[found == detail::few_order::in_order ? i : ranks[i]] = static_cast<Index>(i);
            return found != detail::few_order::unknown;
          }
          return true;
        },
        [&](const options& opts, const auto&... by) {
          if constexpr ((detail::check_projection<T, std::remove_cvref_t<decltype(by)>>::value && ...)) {
            const std::size_t n = detail::length(structs);
            detail::same_length("argsort", "structs", n, "positions", detail::length(positions));
            detail::need_wide_enough<Index>("argsort", n);
            detail::order_structs(structs, std::ranges::data(positions), opts, detail::options_for_rows(opts, structs),
                                  by...);
          }
        },
        first, more...);
}

/// The order of elements by projections as a new vector, of 64-bit positions unless another index type is named.
template <index Index = std::uint64_t, class Structs, class F, class... More>
[[nodiscard]] std::vector<Index> argsort(Structs&& structs, const projection<F>& first, const More&... more) {
  std::vector<Index> positions = detail::room_for_positions<Index>("argsort", detail::length(structs));
  argsort(structs, positions, first, more...);
  return positions;
}
template <index Index = std::uint64_t, class Structs, class F>
[[nodiscard]] std::vector<Index> argsort(Structs&& structs, const projection<F>& key, const options& opts) {
  return argsort<Index, Structs, F, options>(std::forward<Structs>(structs), key, opts);
}

} // namespace sortile
#pragma GCC visibility pop
