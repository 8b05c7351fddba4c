// Parts of a sort: the first k keys in order, one key in its place, the keys at given ranks, quantiles. Each reads the
// keys about once where a sort moves them several times.
//
// What "first" means is said by options::order and options::bits, as for sorts: ascending takes the smallest keys,
// descending the largest. The results are those of the stable sort, cut off: in order, of equal keys the ones with the
// lowest positions, and the same in every run, on every engine and with any number of threads. Floats are ordered as
// everywhere in sortile: −0 equals +0, every NaN is the largest; bits are never altered.
//
//     std::vector<float> best = sortile::top_k(scores, 10, {.order = sortile::order::descending});
#pragma once

#include <sortile/sortile.hpp>

#include <initializer_list>

#if __cplusplus >= 202002L

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// The first k of n keys, with what travels with them. Outputs have k elements and overlap nothing; keys_out may be
/// null with payload::indices. Several rows of one length are selected from at once: row r begins at keys_in + r ·
/// stride (values_in likewise), its results at keys_out + r · k; indices count from the beginning of their row.
///
/// With row_k row r has its first min(row_k[r], k) in order, and the places behind them stay as they are. These numbers
/// lie where options::memory says; in device memory they are read there, when the work is done: so a captured graph can
/// be replayed with others. With one row that is a k in device memory.
struct top_k_request {
  key_type type = key_type::u32;
  std::size_t n = 0; ///< of a row
  std::size_t k = 0; ///< at most n; with row_k the most that any row has
  const void* keys_in = nullptr;
  void* keys_out = nullptr;

  payload carries = payload::none;
  std::size_t value_bytes = 0; ///< of values, or of indices (4 or 8)
  const void* values_in = nullptr;
  void* values_out = nullptr;

  std::size_t rows = 1;
  std::size_t stride = 0; ///< elements from one row's beginning to the next one's, at least n; 0: n

  /// Null: k for all rows; else an unsigned number for each, apart from all that is written.
  const void* row_k = nullptr;
  std::size_t row_k_bytes = 8; ///< 4 or 8: of such a number
};

/// The first keys of each segment of an array. `arrays` is the top-k of the whole array that the segments are part of:
/// n is its length, and rows and stride stay at their defaults, for the segments are the rows. Segment i's results are
/// at keys_out + i · k: the first min(k, its length) of its keys, with row_k no more than row_k[i]; places behind them
/// stay as they are. k may be above n. Indices count from the beginning of their segment.
///
/// Of form offsets or ranges, with what segments.hpp says of them: they must not overlap, which is checked where they
/// lie in host memory. In device memory offsets are read there, when the work is done; a segment whose end lies before
/// its beginning is then empty, and one that reaches beyond the array is cut off at its end.
struct segmented_top_k_request {
  top_k_request arrays;
  segments where;
};

namespace detail {
void run_segmented_top_k(const segmented_top_k_request& request, const options& opts);
std::size_t segmented_top_k_workspace_bytes(const segmented_top_k_request& request, const options& opts);
plan explain_segmented_top_k(const segmented_top_k_request& request, const options& opts);
} // namespace detail

/// Asynchronous in device memory. Arrays in host memory need no workspace. \throws what top-k and sorts within segments
/// throw
template <std::same_as<segmented_top_k_request> Request>
void run(const Request& request, const options& opts = default_options()) {
  detail::run_segmented_top_k(request, opts);
}

/// Bytes of scratch that are enough for run() with this request, whatever the offsets are and wherever the arrays lie,
/// which need not be there yet. 0 for the CPU engine, which allocates its own.
template <std::same_as<segmented_top_k_request> Request>
std::size_t workspace_bytes(const Request& request, const options& opts = default_options()) {
  return detail::segmented_top_k_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, k, the number of segments and the types alone.
template <std::same_as<segmented_top_k_request> Request>
plan explain(const Request& request, const options& opts = default_options()) {
  return detail::explain_segmented_top_k(request, opts);
}

namespace detail {
void run_top_k(const top_k_request& request, const options& opts);
std::size_t top_k_workspace_bytes(const top_k_request& request, const options& opts);
plan explain_top_k(const top_k_request& request, const options& opts);
} // namespace detail

// A template that deduces nothing yields to a function: a braced list that fits a sort_request too, {.type = …, .n =
// …}, stays one when this header is included.

/// Where the arrays of options::memory lie, the call works there: asynchronous in device memory, like sorts.
/// \throws invalid_argument     k above n, and what sorts refuse
/// \throws workspace_too_small, unknown_engine, engine_unusable, out_of_memory, cancelled
template <class = void>
void run(const top_k_request& request, const options& opts = default_options()) {
  detail::run_top_k(request, opts);
}

/// Bytes of scratch that are enough for run() with this request on this engine, wherever its arrays lie, which need not
/// be there yet: keys_in may be null. Of this n and k alone: with fewer keys more of them may have to be sorted.
template <class = void>
std::size_t workspace_bytes(const top_k_request& request, const options& opts = default_options()) {
  return detail::top_k_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, k and the types alone.
template <class = void>
plan explain(const top_k_request& request, const options& opts = default_options()) {
  return detail::explain_top_k(request, opts);
}

/// Puts the first k of n keys into the places 0 … k − 1, in order, values moving with them. The others stay where they
/// are, but for those that lay before k: these fill, in their order, the places that the first k left.
struct partial_sort_request {
  key_type type = key_type::u32;
  std::size_t n = 0;
  std::size_t k = 0;
  void* keys = nullptr;
  std::size_t value_bytes = 0; ///< 0: keys alone
  void* values = nullptr;
};
/// Asynchronous in device memory. \throws what sorts throw
void run(const partial_sort_request& request, const options& opts = default_options());

/// Puts that key into place `nth` which a stable sort would have there; no key before it comes after it in the order,
/// and none behind it comes before it. Nothing where nth = n.
struct nth_element_request {
  key_type type = key_type::u32;
  std::size_t n = 0;
  std::size_t nth = 0;
  void* keys = nullptr;
};
/// Asynchronous in device memory. \throws what sorts throw
void run(const nth_element_request& request, const options& opts = default_options());

namespace detail {
std::size_t partial_sort_workspace_bytes(const partial_sort_request& request, const options& opts);
plan explain_partial_sort(const partial_sort_request& request, const options& opts);
std::size_t nth_element_workspace_bytes(const nth_element_request& request, const options& opts);
plan explain_nth_element(const nth_element_request& request, const options& opts);
} // namespace detail

/// Bytes of scratch that are enough for run() with this request, wherever its arrays lie, which need not be there yet:
/// what options::workspace takes for arrays in device memory. 0 for the CPU engine, which allocates its own.
template <std::same_as<partial_sort_request> Request> // no template that a braced list fits: there is top_k_request
std::size_t workspace_bytes(const Request& request, const options& opts = default_options()) {
  return detail::partial_sort_workspace_bytes(request, opts);
}
template <std::same_as<nth_element_request> Request>
std::size_t workspace_bytes(const Request& request, const options& opts = default_options()) {
  return detail::nth_element_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, k and the types alone.
template <std::same_as<partial_sort_request> Request>
plan explain(const Request& request, const options& opts = default_options()) {
  return detail::explain_partial_sort(request, opts);
}
template <std::same_as<nth_element_request> Request>
plan explain(const Request& request, const options& opts = default_options()) {
  return detail::explain_nth_element(request, opts);
}

/// The keys that a stable sort would have at the given places, in the order in which the places are named. Rows as in
/// top_k_request; the results of row r begin at keys_out + r · ranks.size(). Keys and results lie where options::memory
/// says, the list of ranks always in host memory, where it is read before the call returns. Results overlap nothing.
struct ranks_request {
  key_type type = key_type::u32;
  std::size_t n = 0;
  const void* keys = nullptr;
  std::span<const std::size_t> ranks{}; ///< each below n; in any order, also several times the same
  void* keys_out = nullptr;
  std::size_t rows = 1;
  std::size_t stride = 0;
};
/// Asynchronous in device memory. \throws what sorts throw
void run(const ranks_request& request, const options& opts = default_options());

namespace detail {
std::size_t ranks_workspace_bytes(const ranks_request& request, const options& opts);
plan explain_ranks(const ranks_request& request, const options& opts);
} // namespace detail

/// Bytes of scratch that are enough for run() with this request, wherever its arrays lie: what options::workspace takes
/// for arrays in device memory. 0 for the CPU engine, which allocates its own.
template <class = void>
std::size_t workspace_bytes(const ranks_request& request, const options& opts = default_options()) {
  return detail::ranks_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, the ranks and the types alone.
template <class = void>
plan explain(const ranks_request& request, const options& opts = default_options()) {
  return detail::explain_ranks(request, opts);
}

/// What a quantile between two keys is: its place is probability · (n − 1), as NumPy's methods of these names have it.
enum class quantile_method : std::uint8_t {
  linear,   ///< on the line between the two keys
  lower,    ///< the key before the place
  higher,   ///< the key behind it
  nearest,  ///< the nearer key, the one of the even rank where both are as near
  midpoint, ///< the mean of both
};

/// Quantiles of n keys as doubles: exact keys, and interpolated where the method says so. `linear` and `midpoint`
/// compute in double. A NaN among the keys is the largest of them, as in every order here. The order is ascending:
/// options::order and options::bits must be left at their defaults. Keys and results lie where options::memory says,
/// the probabilities always in host memory, where they are read before the call returns. Results overlap nothing.
struct quantiles_request {
  key_type type = key_type::f64;
  std::size_t n = 0; ///< at least 1
  const void* keys = nullptr;
  std::span<const double> probabilities{}; ///< each in [0, 1]
  quantile_method method = quantile_method::linear;
  double* results = nullptr; ///< as many as probabilities, for each row
  std::size_t rows = 1;
  std::size_t stride = 0;
};
/// Asynchronous in device memory. \throws what sorts throw
void run(const quantiles_request& request, const options& opts = default_options());

namespace detail {
std::size_t quantiles_workspace_bytes(const quantiles_request& request, const options& opts);
plan explain_quantiles(const quantiles_request& request, const options& opts);
} // namespace detail

/// As for ranks_request.
template <class = void>
std::size_t workspace_bytes(const quantiles_request& request, const options& opts = default_options()) {
  return detail::quantiles_workspace_bytes(request, opts);
}
template <class = void>
plan explain(const quantiles_request& request, const options& opts = default_options()) {
  return detail::explain_quantiles(request, opts);
}

/// An array of numbers of results, of 4 or 8 bytes, read as unsigned numbers.
template <class R>
concept count_range = offset_range<R>;

namespace detail {

// What a top-k of whole arrays asks for; n and k are the lengths of the arrays.

template <class In, class Out>
top_k_request first_keys(In& in, Out& out) {
  static_assert(std::same_as<std::ranges::range_value_t<In>, std::ranges::range_value_t<Out>>,
                "sortile: input and output must have keys of one type");
  return {.type = key_type_of<std::ranges::range_value_t<In>>,
          .n = length(in),
          .k = length(out),
          .keys_in = std::ranges::data(in),
          .keys_out = std::ranges::data(out)};
}

template <class KeysIn, class ValuesIn, class KeysOut, class ValuesOut>
top_k_request first_pairs(const char* operation, KeysIn& keys_in, ValuesIn& values_in, KeysOut& keys_out,
                          ValuesOut& values_out) {
  using V = std::ranges::range_value_t<ValuesIn>;
  static_assert(std::same_as<std::ranges::range_value_t<KeysIn>, std::ranges::range_value_t<KeysOut>> &&
                    std::same_as<V, std::ranges::range_value_t<ValuesOut>>,
                "sortile: inputs and outputs must have keys, and values, of one type");
  same_length(operation, "keys_in", length(keys_in), "values_in", length(values_in));
  same_length(operation, "keys_out", length(keys_out), "values_out", length(values_out));
  top_k_request r = first_keys(keys_in, keys_out);
  r.carries = payload::values;
  r.value_bytes = sizeof(V);
  r.values_in = std::ranges::data(values_in);
  r.values_out = std::ranges::data(values_out);
  return r;
}

template <class Keys, class Positions>
top_k_request first_positions(Keys& keys, Positions& positions) {
  return {.type = key_type_of<std::ranges::range_value_t<Keys>>,
          .n = length(keys),
          .k = length(positions),
          .keys_in = std::ranges::data(keys),
          .carries = payload::indices,
          .value_bytes = sizeof(std::ranges::range_value_t<Positions>),
          .values_out = std::ranges::data(positions)};
}
template <class Keys, class Positions>
top_k_request first_positions(const char* operation, Keys& keys, Positions& positions) {
  need_wide_enough<std::ranges::range_value_t<Positions>>(operation, length(keys));
  return first_positions(keys, positions);
}

/// The smaller number. \throws invalid_argument where k was a negative one
std::size_t first_of(const char* operation, std::size_t k, std::size_t n);
/// The same of as many rows of one length as there are counts. \throws invalid_argument where lengths are no multiple,
/// or not 0 with no counts
top_k_request by_rows(const char* operation, const top_k_request& whole, const void* counts, std::size_t rows,
                      std::size_t count_bytes);
/// The same of segments. \throws invalid_argument where the outputs' length is no multiple of their number, or the
/// counts are not as many
segmented_top_k_request in_segments(const char* operation, const top_k_request& whole, const segments& where);
segmented_top_k_request in_segments(const char* operation, const top_k_request& whole, const segments& where,
                                    const void* counts, std::size_t number, std::size_t count_bytes);

template <class Counts>
top_k_request by_rows(const char* operation, const top_k_request& whole, Counts& counts) {
  return by_rows(operation, whole, std::ranges::data(counts), length(counts),
                 sizeof(std::ranges::range_value_t<Counts>));
}
template <class Counts>
segmented_top_k_request in_segments(const char* operation, const top_k_request& whole, const segments& where,
                                    Counts& counts) {
  return in_segments(operation, whole, where, std::ranges::data(counts), length(counts),
                     sizeof(std::ranges::range_value_t<Counts>));
}

// The requests of other selections of whole arrays.

template <class Keys>
partial_sort_request partial_sort_of(Keys& keys, std::size_t k) {
  return {.type = key_type_of<std::ranges::range_value_t<Keys>>,
          .n = length(keys),
          .k = k,
          .keys = std::ranges::data(keys)};
}
template <class Keys, class Values>
partial_sort_request partial_sort_of(const char* operation, Keys& keys, Values& values, std::size_t k) {
  same_length(operation, "keys", length(keys), "values", length(values));
  partial_sort_request r = partial_sort_of(keys, k);
  r.value_bytes = sizeof(std::ranges::range_value_t<Values>);
  r.values = std::ranges::data(values);
  return r;
}

template <class Keys>
nth_element_request nth_element_of(Keys& keys, std::size_t nth) {
  return {.type = key_type_of<std::ranges::range_value_t<Keys>>,
          .n = length(keys),
          .nth = nth,
          .keys = std::ranges::data(keys)};
}

template <class Keys>
ranks_request ranks_of(Keys& keys, std::span<const std::size_t> ranks, void* keys_out) {
  return {.type = key_type_of<std::ranges::range_value_t<Keys>>,
          .n = length(keys),
          .keys = std::ranges::data(keys),
          .ranks = ranks,
          .keys_out = keys_out};
}

template <class Keys>
quantiles_request quantiles_of(Keys& keys, std::span<const double> probabilities, quantile_method method,
                               double* results) {
  return {.type = key_type_of<std::ranges::range_value_t<Keys>>,
          .n = length(keys),
          .keys = std::ranges::data(keys),
          .probabilities = probabilities,
          .method = method,
          .results = results};
}

/// A vector for so many results of each part of an array. \throws out_of_memory
template <class T>
std::vector<T> room_for_results(const char* operation, std::size_t parts, std::size_t of_each) {
  if (of_each == 0 || parts <= std::vector<T>().max_size() / of_each) {
    try {
      return std::vector<T>(parts * of_each);
    } catch (const std::bad_alloc&) {
    }
  }
  no_memory(parts, of_each * sizeof(T), operation);
}

} // namespace detail

/// The first out.size() keys of the stable sort of `in`, in order.
template <key_range In, key_range Out>
requires writable<Out>
void top_k(In&& in, Out&& out, const options& opts = default_options()) {
  run(detail::first_keys(in, out), opts);
}

/// The first keys of each row of a matrix, as many as counts[row], and as a row of `out` has room for: `in` and `out`
/// have as many rows as there are counts, one behind the other. One count that lies in device memory is a k there.
template <key_range In, key_range Out, count_range Counts>
requires writable<Out>
void top_k(In&& in, Out&& out, Counts&& counts, const options& opts = default_options()) {
  run(detail::by_rows("top_k", detail::first_keys(in, out), counts), opts);
}

/// The first keys of each segment, as many as its part of `out` has room for: segment i's begin at
/// i · (out.size() / where.count).
template <key_range In, key_range Out>
requires writable<Out>
void segment_top_k(In&& in, Out&& out, const segments& where, const options& opts = default_options()) {
  run(detail::in_segments("segment_top_k", detail::first_keys(in, out), where), opts);
}

/// The same, and of segment i no more than counts[i].
template <key_range In, key_range Out, count_range Counts>
requires writable<Out>
void segment_top_k(In&& in, Out&& out, const segments& where, Counts&& counts,
                   const options& opts = default_options()) {
  run(detail::in_segments("segment_top_k", detail::first_keys(in, out), where, counts), opts);
}

/// The first k keys, or all where there are fewer, as a new vector.
template <key_range Keys>
[[nodiscard]] auto top_k(Keys&& keys, std::size_t k, const options& opts = default_options()) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  std::vector<K> first(detail::first_of("top_k", k, detail::length(keys)));
  top_k(keys, first, opts);
  return first;
}

/// The first keys with their values: as many as the outputs have room for, which are of one length.
template <key_range KeysIn, value_range ValuesIn, key_range KeysOut, value_range ValuesOut>
requires writable<KeysOut> && writable<ValuesOut>
void top_k_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                  const options& opts = default_options()) {
  run(detail::first_pairs("top_k_by_key", keys_in, values_in, keys_out, values_out), opts);
}

/// Of each row, as top_k() with counts.
template <key_range KeysIn, value_range ValuesIn, key_range KeysOut, value_range ValuesOut, count_range Counts>
requires writable<KeysOut> && writable<ValuesOut>
void top_k_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out, ValuesOut&& values_out, Counts&& counts,
                  const options& opts = default_options()) {
  constexpr const char* operation = "top_k_by_key";
  run(detail::by_rows(operation, detail::first_pairs(operation, keys_in, values_in, keys_out, values_out), counts),
      opts);
}

/// Of each segment, as segment_top_k().
template <key_range KeysIn, value_range ValuesIn, key_range KeysOut, value_range ValuesOut>
requires writable<KeysOut> && writable<ValuesOut>
void segment_top_k_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                          const segments& where, const options& opts = default_options()) {
  constexpr const char* operation = "segment_top_k_by_key";
  run(detail::in_segments(operation, detail::first_pairs(operation, keys_in, values_in, keys_out, values_out), where),
      opts);
}
template <key_range KeysIn, value_range ValuesIn, key_range KeysOut, value_range ValuesOut, count_range Counts>
requires writable<KeysOut> && writable<ValuesOut>
void segment_top_k_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                          const segments& where, Counts&& counts, const options& opts = default_options()) {
  constexpr const char* operation = "segment_top_k_by_key";
  run(detail::in_segments(operation, detail::first_pairs(operation, keys_in, values_in, keys_out, values_out), where,
                          counts),
      opts);
}

/// The positions of the first positions.size() keys, in their order: what argsort() begins with.
template <key_range Keys, index_range Positions>
requires writable<Positions>
void arg_top_k(Keys&& keys, Positions&& positions, const options& opts = default_options()) {
  run(detail::first_positions("arg_top_k", keys, positions), opts);
}

/// Of each row, as top_k() with counts; positions count from the beginning of their row.
template <key_range Keys, index_range Positions, count_range Counts>
requires writable<Positions>
void arg_top_k(Keys&& keys, Positions&& positions, Counts&& counts, const options& opts = default_options()) {
  const top_k_request request = detail::by_rows("arg_top_k", detail::first_positions(keys, positions), counts);
  detail::need_wide_enough<std::ranges::range_value_t<Positions>>("arg_top_k", request.n);
  run(request, opts);
}

/// Of each segment, as segment_top_k(); positions count from the beginning of their segment.
template <key_range Keys, index_range Positions>
requires writable<Positions>
void segment_arg_top_k(Keys&& keys, Positions&& positions, const segments& where,
                       const options& opts = default_options()) {
  run(detail::in_segments("segment_arg_top_k", detail::first_positions("segment_arg_top_k", keys, positions), where),
      opts);
}
template <key_range Keys, index_range Positions, count_range Counts>
requires writable<Positions>
void segment_arg_top_k(Keys&& keys, Positions&& positions, const segments& where, Counts&& counts,
                       const options& opts = default_options()) {
  run(detail::in_segments("segment_arg_top_k", detail::first_positions("segment_arg_top_k", keys, positions), where,
                          counts),
      opts);
}

/// The positions of the first k keys, or of all where there are fewer, as a new vector.
template <index Index = std::uint64_t, key_range Keys>
[[nodiscard]] std::vector<Index> arg_top_k(Keys&& keys, std::size_t k, const options& opts = default_options()) {
  const std::size_t first = detail::first_of("arg_top_k", k, detail::length(keys));
  std::vector<Index> positions = detail::room_for_positions<Index>("arg_top_k", first);
  arg_top_k(keys, positions, opts);
  return positions;
}

/// The first k keys move to the front, in order; what becomes of the others, partial_sort_request says.
template <key_range Keys>
requires writable<Keys>
void partial_sort(Keys&& keys, std::size_t k, const options& opts = default_options()) {
  run(detail::partial_sort_of(keys, k), opts);
}

/// The same, values[i] moving with keys[i].
template <key_range Keys, value_range Values>
requires writable<Keys> && writable<Values>
void partial_sort_by_key(Keys&& keys, Values&& values, std::size_t k, const options& opts = default_options()) {
  run(detail::partial_sort_of("partial_sort_by_key", keys, values, k), opts);
}

/// keys[nth] becomes what a sort would have there, with no later key before it and no earlier one behind it.
template <key_range Keys>
requires writable<Keys>
void nth_element(Keys&& keys, std::size_t nth, const options& opts = default_options()) {
  run(detail::nth_element_of(keys, nth), opts);
}

/// The keys that a sort would have at these places; the keys are only read.
template <key_range Keys>
[[nodiscard]] auto keys_at_ranks(Keys&& keys, std::span<const std::size_t> ranks,
                                 const options& opts = default_options()) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  std::vector<K> found(ranks.size());
  run(detail::ranks_of(keys, ranks, found.data()), opts);
  return found;
}

/// The same of places that are written out: keys_at_ranks(v, {0, 9}).
template <key_range Keys>
[[nodiscard]] auto keys_at_ranks(Keys&& keys, std::initializer_list<std::size_t> ranks,
                                 const options& opts = default_options()) {
  return keys_at_ranks(keys, std::span<const std::size_t>(ranks.begin(), ranks.size()), opts);
}

/// Several quantiles of the keys at once; see quantiles_request.
template <key_range Keys>
[[nodiscard]] std::vector<double> quantiles(Keys&& keys, std::span<const double> probabilities,
                                            quantile_method method = quantile_method::linear,
                                            const options& opts = default_options()) {
  std::vector<double> results(probabilities.size());
  run(detail::quantiles_of(keys, probabilities, method, results.data()), opts);
  return results;
}

/// The same of probabilities that are written out: quantiles(v, {0.25, 0.5, 0.75}).
template <key_range Keys>
[[nodiscard]] std::vector<double> quantiles(Keys&& keys, std::initializer_list<double> probabilities,
                                            quantile_method method = quantile_method::linear,
                                            const options& opts = default_options()) {
  return quantiles(keys, std::span<const double>(probabilities.begin(), probabilities.size()), method, opts);
}

/// The middle key, or the mean of the two in the middle. There is at least one key.
template <key_range Keys>
[[nodiscard]] double median(Keys&& keys, const options& opts = default_options()) {
  const double half = 0.5;
  double middle = 0;
  run(detail::quantiles_of(keys, {&half, 1}, quantile_method::linear, &middle), opts);
  return middle;
}

// As in misuse.hpp: a direction where options belong.

SORTILE_REFUSES_LAST(top_k, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(top_k_by_key, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(arg_top_k, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(partial_sort, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(partial_sort_by_key, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(nth_element, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)
SORTILE_REFUSES_LAST(keys_at_ranks, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)

SORTILE_REFUSES_LAST(quantiles, std::vector<double>(), ends_with_direction, refuse_direction_of_quantiles)
SORTILE_REFUSES_LAST(median, 0.0, ends_with_direction, refuse_direction_of_quantiles)

// As in misuse.hpp: elements that are no keys, and iterators.

SORTILE_REFUSES_ELEMENTS(top_k, std::vector<std::uint64_t>(), key_range, check_keys, std::size_t, const options& = {})
SORTILE_REFUSES_ELEMENTS(arg_top_k, std::vector<std::uint64_t>(), key_range, check_keys, std::size_t,
                         const options& = {})
SORTILE_REFUSES_ELEMENTS(partial_sort, void(), detail::keys_out, check_keys_out, std::size_t, const options& = {})
SORTILE_REFUSES_ELEMENTS(nth_element, void(), detail::keys_out, check_keys_out, std::size_t, const options& = {})
SORTILE_REFUSES_ELEMENTS(keys_at_ranks, std::vector<std::uint64_t>(), key_range, check_keys,
                         std::span<const std::size_t>, const options& = {})
SORTILE_REFUSES_ELEMENTS(quantiles, std::vector<double>(), key_range, check_keys, std::span<const double>,
                         quantile_method = quantile_method::linear, const options& = {})
SORTILE_REFUSES_ELEMENTS(median, 0.0, key_range, check_keys, const options& = {})

template <class First, class Middle, class Last, class... More>
requires detail::iterators<First, Middle> && detail::iterators<First, Last>
void partial_sort(First&&, Middle&&, Last&&, More&&...) {
  static_assert(detail::never<First>,
                "sortile: calls take a range and a number in place of iterators: partial_sort(v, k)");
}
template <class First, class Nth, class Last, class... More>
requires detail::iterators<First, Nth> && detail::iterators<First, Last>
void nth_element(First&&, Nth&&, Last&&, More&&...) {
  static_assert(detail::never<First>,
                "sortile: calls take a range and a number in place of iterators: nth_element(v, nth)");
}

template <class Keys, class Iterator>
requires std::ranges::range<Keys> && detail::iterators<std::ranges::iterator_t<Keys>, Iterator>
void partial_sort(Keys&&, Iterator&&, const options& = {}) {
  static_assert(detail::never<Keys>, "sortile: a number in place of an iterator: partial_sort(v, k)");
}
template <class Keys, class Iterator>
requires std::ranges::range<Keys> && detail::iterators<std::ranges::iterator_t<Keys>, Iterator>
void nth_element(Keys&&, Iterator&&, const options& = {}) {
  static_assert(detail::never<Keys>, "sortile: a number in place of an iterator: nth_element(v, nth)");
}

template <class Keys, class Rank>
requires std::integral<std::remove_cvref_t<Rank>>
auto keys_at_ranks(Keys&&, Rank&&, const options& = {}) {
  static_assert(detail::never<Keys>, "sortile: ranks are a list: keys_at_ranks(v, {rank})");
  return std::vector<std::uint64_t>();
}
template <class Keys, class Probability>
requires std::is_arithmetic_v<std::remove_cvref_t<Probability>>
auto quantiles(Keys&&, Probability&&, quantile_method = quantile_method::linear, const options& = {}) {
  static_assert(detail::never<Keys>, "sortile: probabilities are a list: quantiles(v, {0.5})");
  return std::vector<double>();
}
template <class R, class K, comparison_of<R> Compare>
auto top_k(R&&, K&&, Compare&&, const options& = {}) {
  detail::refuse_comparison_of_keys<R>();
  return std::vector<std::uint64_t>();
}
template <class Index = std::uint64_t, class R, class K, comparison_of<R> Compare>
auto arg_top_k(R&&, K&&, Compare&&, const options& = {}) {
  detail::refuse_comparison_of_keys<R>();
  return std::vector<std::uint64_t>();
}
template <class R, class K, comparison_of<R> Compare>
void partial_sort(R&&, K&&, Compare&&, const options& = {}) {
  detail::refuse_comparison_of_keys<R>();
}
template <class R, class K, comparison_of<R> Compare>
void nth_element(R&&, K&&, Compare&&, const options& = {}) {
  detail::refuse_comparison_of_keys<R>();
}

} // namespace sortile
#pragma GCC visibility pop

#include <sortile/segment_select.hpp>

#endif
