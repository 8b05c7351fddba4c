// Prefix sums and prefix maxima of integers, and histograms of all digits of keys: two steps that sorts are made of, as
// calls of their own.
//
//     inclusive   out[i] = in[0] ∘ … ∘ in[i]
//     exclusive   out[i] = in[0] ∘ … ∘ in[i − 1], and out[0] = 0, or the lowest value of a maximum
//
//     sortile::exclusive_scan(lengths, begins);               // where each of several pieces begins
#pragma once

#include <sortile/sortile.hpp>

#if __cplusplus >= 202002L

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

enum class scan_operator : std::uint8_t {
  sum, ///< wraps around at the type's width
  maximum,
};
enum class scan_kind : std::uint8_t { inclusive, exclusive };

/// A scan of n integers. One read and one write of the array in device memory; in host memory two reads, with several
/// threads. Source: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016.
struct scan_request {
  key_type type = key_type::u32; ///< u32, i32, u64 or i64
  std::size_t n = 0;
  const void* in = nullptr;
  void* out = nullptr; ///< `in`, or apart from it
  scan_operator op = scan_operator::sum;
  scan_kind kind = scan_kind::inclusive;
  /// What stands before in[0], as a number of the type (of a signed one its bits, 32 or 64 of them); absent: 0, or the
  /// lowest value.
  std::optional<std::uint64_t> initial{};
};

/// Arrays lie where options::memory says; in device memory the call is asynchronous and can be captured in a graph, as
/// sorts can. Of options these are taken: engine, threads, memory and what goes with it.
/// \throws invalid_argument, workspace_too_small, unknown_engine, engine_unusable, out_of_memory
void run(const scan_request& request, const options& opts = default_options());

namespace detail {
std::size_t scan_workspace_bytes(const scan_request& request, const options& opts);
plan explain_scan(const scan_request& request, const options& opts);
} // namespace detail

/// Bytes of scratch that are enough for run() with as many integers or fewer in device memory, from type and n alone:
/// below 0.1 % of the array. 0 in host memory. A template, so that a braced list that fits a sort_request too stays
/// one.
template <class = void>
std::size_t workspace_bytes(const scan_request& request, const options& opts = default_options()) {
  return detail::scan_workspace_bytes(request, opts);
}

/// How run() will carry this request out, as of a sort; from n and the type alone.
template <class = void>
plan explain(const scan_request& request, const options& opts = default_options()) {
  return detail::explain_scan(request, opts);
}

/// How often each value of each 8-bit digit occurs: counts[256 · d + v] becomes the number of keys of which digit d is
/// v. Digits are those of the key's image, as options::order and options::bits make it: the window's lowest bit is bit
/// 0 of digit 0, and digits above the window are 0. So digit by digit these are the bucket sizes of a radix sort.
struct histogram_request {
  key_type type = key_type::u32;
  std::size_t n = 0;
  const void* keys = nullptr;
  std::uint64_t* counts = nullptr; ///< 256 · key_bytes(type), overwritten
};

/// One read of the keys for all digits; no workspace. Memory, asynchronous calls and errors are as of scans.
void run(const histogram_request& request, const options& opts = default_options());

namespace detail {
plan explain_histogram(const histogram_request& request, const options& opts);
}

/// How run() will carry this request out, as of a sort; from n and the type alone.
template <class = void>
plan explain(const histogram_request& request, const options& opts = default_options()) {
  return detail::explain_histogram(request, opts);
}

namespace detail {
template <class In, class Out>
void scan(const char* call, scan_kind kind, In&& in, Out&& out, scan_operator op, const options& opts) {
  using T = std::remove_cv_t<std::ranges::range_value_t<In>>;
  static_assert(std::same_as<T, std::ranges::range_value_t<Out>>,
                "sortile: input and output must have integers of one type");
  same_length(call, "in", length(in), "out", length(out));
  run(
      scan_request{
          .type = key_type_of<T>,
          .n = length(in),
          .in = std::ranges::data(in),
          .out = std::ranges::data(out),
          .op = op,
          .kind = kind,
      },
      opts);
}

template <class In, class Out>
constexpr void refuse_scan() {
  if constexpr (!array_like<In>)
    refuse_layout<In>();
  else if constexpr (!array_like<Out>)
    refuse_layout<Out>();
  else if constexpr (!index_range<In> || !index_range<Out>)
    static_assert(never<In>, "sortile: scans take integers of 32 and 64 bits, whose sums do not depend on how they are "
                             "put together");
  else
    check_writable<Out>();
}
template <class In>
constexpr void refuse_operator() {
  static_assert(never<In>, "sortile: a scan is one by scan_operator::sum or scan_operator::maximum; what stands before "
                           "the first element is scan_request::initial");
}
} // namespace detail

/// out[i] becomes in[0] ∘ … ∘ in[i]; `out` may be `in`.
template <index_range In, index_range Out>
requires writable<Out>
void inclusive_scan(In&& in, Out&& out, scan_operator op = scan_operator::sum,
                    const options& opts = default_options()) {
  detail::scan("inclusive_scan", scan_kind::inclusive, in, out, op, opts);
}

/// out[i] becomes in[0] ∘ … ∘ in[i − 1]; `out` may be `in`.
template <index_range In, index_range Out>
requires writable<Out>
void exclusive_scan(In&& in, Out&& out, scan_operator op = scan_operator::sum,
                    const options& opts = default_options()) {
  detail::scan("exclusive_scan", scan_kind::exclusive, in, out, op, opts);
}

/// The counts of all digits: [256 · digit + value].
template <key_range Keys>
[[nodiscard]] std::vector<std::uint64_t> digit_histogram(Keys&& keys, const options& opts = default_options()) {
  using K = std::ranges::range_value_t<Keys>;
  std::vector<std::uint64_t> counts(256 * sizeof(K));
  run(
      histogram_request{
          .type = key_type_of<K>,
          .n = detail::length(keys),
          .keys = std::ranges::data(keys),
          .counts = counts.data(),
      },
      opts);
  return counts;
}

// As in misuse.hpp: a direction where options belong.

SORTILE_REFUSES_LAST(digit_histogram, std::vector<std::uint64_t>(), ends_with_direction, refuse_last)

// And elements that are not scanned, iterators, and operators of other kinds.

template <class In, class Out, class... More>
requires(!detail::iterators<In, Out> &&
         !(index_range<In> && index_range<Out> && writable<Out>)) void inclusive_scan(In&&, Out&&, More&&...) {
  detail::refuse_scan<In, Out>();
}
template <class In, class Out, class... More>
requires(!detail::iterators<In, Out> &&
         !(index_range<In> && index_range<Out> && writable<Out>)) void exclusive_scan(In&&, Out&&, More&&...) {
  detail::refuse_scan<In, Out>();
}
template <class First, class Last, class Out, class... More>
requires detail::iterators<First, Last>
void inclusive_scan(First&&, Last&&, Out&&, More&&...) {
  static_assert(detail::never<First>, "sortile: calls take ranges in place of iterators: inclusive_scan(in, out)");
}
template <class First, class Last, class Out, class... More>
requires detail::iterators<First, Last>
void exclusive_scan(First&&, Last&&, Out&&, More&&...) {
  static_assert(detail::never<First>, "sortile: calls take ranges in place of iterators: exclusive_scan(in, out)");
}
template <index_range In, index_range Out, class Op>
requires(!std::same_as<std::remove_cvref_t<Op>, scan_operator> &&
         !std::convertible_to<Op, const options&>) void inclusive_scan(In&&, Out&&, Op&&, const options& = {}) {
  detail::refuse_operator<In>();
}
template <index_range In, index_range Out, class Op>
requires(!std::same_as<std::remove_cvref_t<Op>, scan_operator> &&
         !std::convertible_to<Op, const options&>) void exclusive_scan(In&&, Out&&, Op&&, const options& = {}) {
  detail::refuse_operator<In>();
}

SORTILE_REFUSES_ELEMENTS(digit_histogram, std::vector<std::uint64_t>(), key_range, check_keys, const options& = {})

} // namespace sortile
#pragma GCC visibility pop

#endif
