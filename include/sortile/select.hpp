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

#if __cplusplus >= 202002L

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// The first k of n keys, with what travels with them. Outputs have k elements and overlap nothing; keys_out may be
/// null with payload::indices. Several rows of one length are selected from at once: row r begins at keys_in + r ·
/// stride (values_in likewise), its results at keys_out + r · k; indices count from the beginning of their row.
struct top_k_request {
  key_type type = key_type::u32;
  std::size_t n = 0; ///< of a row
  std::size_t k = 0; ///< at most n
  const void* keys_in = nullptr;
  void* keys_out = nullptr;

  payload carries = payload::none;
  std::size_t value_bytes = 0; ///< of values, or of indices (4 or 8)
  const void* values_in = nullptr;
  void* values_out = nullptr;

  std::size_t rows = 1;
  std::size_t stride = 0; ///< elements from one row's beginning to the next one's, at least n; 0: n
};

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
void run(const top_k_request& request, const options& opts = {}) {
  detail::run_top_k(request, opts);
}

/// Bytes of scratch that are enough for run() with this request on this engine, wherever its arrays lie, which need not
/// be there yet: keys_in may be null. Of this n and k alone: with fewer keys more of them may have to be sorted.
template <class = void>
std::size_t workspace_bytes(const top_k_request& request, const options& opts = {}) {
  return detail::top_k_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, k and the types alone.
template <class = void>
plan explain(const top_k_request& request, const options& opts = {}) {
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
void run(const partial_sort_request& request, const options& opts = {});

/// Puts that key into place `nth` which a stable sort would have there; no key before it comes after it in the order,
/// and none behind it comes before it. Nothing where nth = n.
struct nth_element_request {
  key_type type = key_type::u32;
  std::size_t n = 0;
  std::size_t nth = 0;
  void* keys = nullptr;
};
/// Asynchronous in device memory. \throws what sorts throw
void run(const nth_element_request& request, const options& opts = {});

namespace detail {
std::size_t partial_sort_workspace_bytes(const partial_sort_request& request, const options& opts);
plan explain_partial_sort(const partial_sort_request& request, const options& opts);
std::size_t nth_element_workspace_bytes(const nth_element_request& request, const options& opts);
plan explain_nth_element(const nth_element_request& request, const options& opts);
} // namespace detail

/// Bytes of scratch that are enough for run() with this request, wherever its arrays lie, which need not be there yet:
/// what options::workspace takes for arrays in device memory. 0 for the CPU engine, which allocates its own.
template <std::same_as<partial_sort_request> Request> // no template that a braced list fits: there is top_k_request
std::size_t workspace_bytes(const Request& request, const options& opts = {}) {
  return detail::partial_sort_workspace_bytes(request, opts);
}
template <std::same_as<nth_element_request> Request>
std::size_t workspace_bytes(const Request& request, const options& opts = {}) {
  return detail::nth_element_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, k and the types alone.
template <std::same_as<partial_sort_request> Request>
plan explain(const Request& request, const options& opts = {}) {
  return detail::explain_partial_sort(request, opts);
}
template <std::same_as<nth_element_request> Request>
plan explain(const Request& request, const options& opts = {}) {
  return detail::explain_nth_element(request, opts);
}

/// The keys that a stable sort would have at the given places, in the order in which the places are named. Rows as in
/// top_k_request; the results of row r begin at keys_out + r · ranks.size(). Keys and results lie where options::memory
/// says, the list of ranks always in host memory, where it is read before the call returns.
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
void run(const ranks_request& request, const options& opts = {});

namespace detail {
std::size_t ranks_workspace_bytes(const ranks_request& request, const options& opts);
plan explain_ranks(const ranks_request& request, const options& opts);
} // namespace detail

/// Bytes of scratch that are enough for run() with this request, wherever its arrays lie: what options::workspace takes
/// for arrays in device memory. 0 for the CPU engine, which allocates its own.
template <class = void>
std::size_t workspace_bytes(const ranks_request& request, const options& opts = {}) {
  return detail::ranks_workspace_bytes(request, opts);
}

/// How the request will be carried out; from n, the ranks and the types alone.
template <class = void>
plan explain(const ranks_request& request, const options& opts = {}) {
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
/// the probabilities always in host memory, where they are read before the call returns.
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
void run(const quantiles_request& request, const options& opts = {});

namespace detail {
std::size_t quantiles_workspace_bytes(const quantiles_request& request, const options& opts);
plan explain_quantiles(const quantiles_request& request, const options& opts);
} // namespace detail

/// As for ranks_request.
template <class = void>
std::size_t workspace_bytes(const quantiles_request& request, const options& opts = {}) {
  return detail::quantiles_workspace_bytes(request, opts);
}
template <class = void>
plan explain(const quantiles_request& request, const options& opts = {}) {
  return detail::explain_quantiles(request, opts);
}

/// The first out.size() keys of the stable sort of `in`, in order.
template <key_range In, key_range Out>
requires writable<Out>
void top_k(In&& in, Out&& out, const options& opts = {}) {
  static_assert(std::same_as<std::ranges::range_value_t<In>, std::ranges::range_value_t<Out>>,
                "sortile: input and output must have keys of one type");
  run(top_k_request{.type = key_type_of<std::ranges::range_value_t<In>>,
                    .n = detail::length(in),
                    .k = detail::length(out),
                    .keys_in = std::ranges::data(in),
                    .keys_out = std::ranges::data(out)},
      opts);
}

/// The first k keys, or all where there are fewer, as a new vector.
template <key_range Keys>
[[nodiscard]] auto top_k(Keys&& keys, std::size_t k, const options& opts = {}) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  std::vector<K> first(k < detail::length(keys) ? k : detail::length(keys));
  top_k(keys, first, opts);
  return first;
}

/// The first keys with their values: as many as the outputs have room for, which are of one length.
template <key_range KeysIn, value_range ValuesIn, key_range KeysOut, value_range ValuesOut>
requires writable<KeysOut> && writable<ValuesOut>
void top_k_by_key(KeysIn&& keys_in, ValuesIn&& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                  const options& opts = {}) {
  using V = std::ranges::range_value_t<ValuesIn>;
  static_assert(std::same_as<std::ranges::range_value_t<KeysIn>, std::ranges::range_value_t<KeysOut>> &&
                    std::same_as<V, std::ranges::range_value_t<ValuesOut>>,
                "sortile: inputs and outputs must have keys, and values, of one type");
  const std::size_t n = detail::length(keys_in), k = detail::length(keys_out);
  detail::same_length("top_k_by_key", "keys_in", n, "values_in", detail::length(values_in));
  detail::same_length("top_k_by_key", "keys_out", k, "values_out", detail::length(values_out));
  run(top_k_request{.type = key_type_of<std::ranges::range_value_t<KeysIn>>,
                    .n = n,
                    .k = k,
                    .keys_in = std::ranges::data(keys_in),
                    .keys_out = std::ranges::data(keys_out),
                    .carries = payload::values,
                    .value_bytes = sizeof(V),
                    .values_in = std::ranges::data(values_in),
                    .values_out = std::ranges::data(values_out)},
      opts);
}

/// The positions of the first positions.size() keys, in their order: what argsort() begins with.
template <key_range Keys, index_range Positions>
requires writable<Positions>
void arg_top_k(Keys&& keys, Positions&& positions, const options& opts = {}) {
  using Index = std::ranges::range_value_t<Positions>;
  detail::need_wide_enough<Index>("arg_top_k", detail::length(keys));
  run(top_k_request{.type = key_type_of<std::ranges::range_value_t<Keys>>,
                    .n = detail::length(keys),
                    .k = detail::length(positions),
                    .keys_in = std::ranges::data(keys),
                    .carries = payload::indices,
                    .value_bytes = sizeof(Index),
                    .values_out = std::ranges::data(positions)},
      opts);
}

/// The positions of the first k keys, or of all where there are fewer, as a new vector.
template <index Index = std::uint64_t, key_range Keys>
[[nodiscard]] std::vector<Index> arg_top_k(Keys&& keys, std::size_t k, const options& opts = {}) {
  const std::size_t n = detail::length(keys);
  std::vector<Index> positions = detail::room_for_positions<Index>("arg_top_k", k < n ? k : n);
  arg_top_k(keys, positions, opts);
  return positions;
}

/// The first k keys move to the front, in order; what becomes of the others, partial_sort_request says.
template <key_range Keys>
requires writable<Keys>
void partial_sort(Keys&& keys, std::size_t k, const options& opts = {}) {
  run(partial_sort_request{.type = key_type_of<std::ranges::range_value_t<Keys>>,
                           .n = detail::length(keys),
                           .k = k,
                           .keys = std::ranges::data(keys)},
      opts);
}

/// The same, values[i] moving with keys[i].
template <key_range Keys, value_range Values>
requires writable<Keys> && writable<Values>
void partial_sort_by_key(Keys&& keys, Values&& values, std::size_t k, const options& opts = {}) {
  detail::same_length("partial_sort_by_key", "keys", detail::length(keys), "values", detail::length(values));
  run(partial_sort_request{.type = key_type_of<std::ranges::range_value_t<Keys>>,
                           .n = detail::length(keys),
                           .k = k,
                           .keys = std::ranges::data(keys),
                           .value_bytes = sizeof(std::ranges::range_value_t<Values>),
                           .values = std::ranges::data(values)},
      opts);
}

/// keys[nth] becomes what a sort would have there, with no later key before it and no earlier one behind it.
template <key_range Keys>
requires writable<Keys>
void nth_element(Keys&& keys, std::size_t nth, const options& opts = {}) {
  run(nth_element_request{.type = key_type_of<std::ranges::range_value_t<Keys>>,
                          .n = detail::length(keys),
                          .nth = nth,
                          .keys = std::ranges::data(keys)},
      opts);
}

/// The keys that a sort would have at these places; the keys are only read.
template <key_range Keys>
[[nodiscard]] auto keys_at_ranks(Keys&& keys, std::span<const std::size_t> ranks, const options& opts = {}) {
  using K = std::remove_cv_t<std::ranges::range_value_t<Keys>>;
  std::vector<K> found(ranks.size());
  run(ranks_request{.type = key_type_of<K>,
                    .n = detail::length(keys),
                    .keys = std::ranges::data(keys),
                    .ranks = ranks,
                    .keys_out = found.data()},
      opts);
  return found;
}

/// Several quantiles of the keys at once; see quantiles_request.
template <key_range Keys>
[[nodiscard]] std::vector<double> quantiles(Keys&& keys, std::span<const double> probabilities,
                                            quantile_method method = quantile_method::linear,
                                            const options& opts = {}) {
  std::vector<double> results(probabilities.size());
  run(quantiles_request{.type = key_type_of<std::ranges::range_value_t<Keys>>,
                        .n = detail::length(keys),
                        .keys = std::ranges::data(keys),
                        .probabilities = probabilities,
                        .method = method,
                        .results = results.data()},
      opts);
  return results;
}

/// The middle key, or the mean of the two in the middle. There is at least one key.
template <key_range Keys>
[[nodiscard]] double median(Keys&& keys, const options& opts = {}) {
  const std::array<double, 1> half{0.5};
  return quantiles(keys, half, quantile_method::linear, opts).front();
}

// As in misuse.hpp: a direction where options belong.

template <class... Arguments>
requires detail::ends_with_direction<Arguments...>
auto top_k(Arguments&&...) {
  detail::refuse_last<Arguments...>();
  return std::vector<std::uint64_t>();
}
template <class... Arguments>
requires detail::ends_with_direction<Arguments...>
auto top_k_by_key(Arguments&&...) {
  detail::refuse_last<Arguments...>();
  return std::vector<std::uint64_t>();
}
template <class Index = std::uint64_t, class... Arguments>
requires detail::ends_with_direction<Arguments...>
auto arg_top_k(Arguments&&...) {
  detail::refuse_last<Arguments...>();
  return std::vector<std::uint64_t>();
}
template <class... Arguments>
requires detail::ends_with_direction<Arguments...>
auto partial_sort(Arguments&&...) {
  detail::refuse_last<Arguments...>();
  return std::vector<std::uint64_t>();
}
template <class... Arguments>
requires detail::ends_with_direction<Arguments...>
auto partial_sort_by_key(Arguments&&...) {
  detail::refuse_last<Arguments...>();
  return std::vector<std::uint64_t>();
}
template <class... Arguments>
requires detail::ends_with_direction<Arguments...>
auto nth_element(Arguments&&...) {
  detail::refuse_last<Arguments...>();
  return std::vector<std::uint64_t>();
}
template <class... Arguments>
requires detail::ends_with_direction<Arguments...>
auto keys_at_ranks(Arguments&&...) {
  detail::refuse_last<Arguments...>();
  return std::vector<std::uint64_t>();
}

} // namespace sortile
#pragma GCC visibility pop

#endif
