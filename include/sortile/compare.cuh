// Sorts of structs, and sorts and merges by any order, in device memory, for translation units of nvcc: the one public
// header with device code.
//
// A decomposer names the members of a struct that decide, the most significant first:
//
//     struct particle { float energy; std::uint32_t cell; std::uint16_t kind; };
//
//     struct by_cell {
//       __host__ __device__ auto operator()(const particle& p) const {
//         return sortile::members(p.cell, sortile::descending(p.energy));
//       }
//     };
//
//     sortile::sort(std::span(particles, n), by_cell{}, {.stream = stream});
//
// How. The images of the members (docs/api.md) are put together to one number, whose order is that of the structs. A
// kernel of this translation unit writes these numbers; the compiled library sorts their positions; the structs, and
// values, are gathered once. Structs of at most 8 bytes, without values, are sorted along with their numbers instead.
// An image of more than 64 bits is sorted in words of 64, the lowest first, and each further word is extracted in the
// order so far. One small kernel a word and decomposer is all that nvcc compiles here.
//
// What holds. Stable. Of float members −0 equals +0 and every NaN is the largest; descending() and order::descending
// turn that round, and both together turn it back. Structs and values are copied as bytes, padding included. Any n that
// memory holds, beyond 2^32 too. Deterministic.
//
// Options. Arrays lie in device memory whatever options::memory says; the call is asynchronous on options::stream and
// allocates its workspace in stream order (options::resource), or nothing at all where options::workspace is given:
// then it may be captured in a CUDA graph. Bit windows and progress are refused. Errors are those of run(sort_request).
//
// Cost, in bytes per struct of T bytes, with an image of W bytes (rounded up to 1, 2, 4, 8):
//
//   extraction   T + W; for every further word by random access
//   sort         the library's argsort of W-byte keys; for every further word its sort of W-byte keys with positions
//   gather       T at random, in sectors of 32, and T written; in place 2 T more
//   workspace    4 (8 beyond 2^32 structs) + W + the sort's own; in place at least 4 + T
//   T <= 8       no gather and no positions: the library's sort of W-byte keys with T-byte values
//
// Any order. Where no list of members says it, a comparison does: whether its first argument comes before its second.
// It is wrapped in on_device(), since a bare one means a sort in host memory (any_order.hpp):
//
//     sortile::sort(boxes, sortile::on_device(smaller_volume{}), {.stream = stream});
//
// Keys of any trivially copyable type of at most 64 bytes; values of any trivially copyable type. A stable sample sort:
// kernels/any_order/splitter_sort.hpp has the algorithm, and all of its kernels are compiled here. A comparison that is
// no strict weak order gives some permutation, and nothing worse, as long as it answers the same of the same elements.
// Options as above; order::descending is refused, since the comparison says it all. Workspace: n elements and some per
// cent, where a block does not hold them all; with values and in argsort n records of both, twice as many beyond what
// two levels of splitters take (values that make a record of more than 64 bytes are moved by position, after a sort of
// key and position). Where members decide, a decomposer is quicker. Merges: of two ranges, or of a list of any number of
// runs, by the same frame; kernels/any_order/merge_list.hpp has the algorithm.
//
// When not to use it: where the struct is a number (sort by sortile.hpp), or columns lie apart (argsort_rows on the
// host). Compiled by a host compiler the kernels run on the executor, on arrays in host memory: for checking.
#pragma once

#include <sortile/language.hpp>

#if !__has_include("kernels/decompose/extract_kernel.hpp")
#error "sortile/compare.cuh: link the CMake target sortile::compare, or add -I<prefix>/include/sortile/compare"
#endif
#include "kernels/any_order/work.hpp"
#include "kernels/decompose/extract_kernel.hpp"

#include <sortile/device_call.hpp>
#include <sortile/sortile.hpp>

#include <utility>
#include <vector>

namespace sortile {

/// The members that decide, the most significant first: keys of the library (integers and floats of 8 to 128 bits),
/// each as it is or descending().
SORTILE_HOST_DEVICE member_list<> members() {
  return {};
}
template <member First, member... Rest>
SORTILE_HOST_DEVICE member_list<First, Rest...> members(First first, Rest... rest) {
  return {first, members(rest...)};
}

/// A member whose largest value comes first, NaN before it.
template <key Member>
SORTILE_HOST_DEVICE descending_member<Member> descending(Member member) {
  return {member};
}

/// A function object that takes a T apart into members(). It is copied to the device as bytes, and called there.
template <class D, class T>
concept decomposer_of = std::is_trivially_copyable_v<D> && requires(const D& decompose, const T& t) {
  requires detail::image_bits_of<decltype(decompose(t))> >
  0;
};

/// A range of structs, in device memory, that a decomposer takes apart.
template <class R, class D>
concept struct_range = value_range<R> && decomposer_of<D, std::ranges::range_value_t<R>>;

/// A sort that is described and not yet run: to ask workspace_bytes(), and to run() as often as wanted.
template <class Decomposer>
struct struct_sort {
  struct_request arrays;
  Decomposer decompose;
};

template <class Decomposer>
std::size_t workspace_bytes(const struct_sort<Decomposer>& described, const options& opts = {}) {
  return workspace_bytes(described.arrays, opts);
}

/// Queues the sort.
template <class Decomposer>
void run(const struct_sort<Decomposer>& described, const options& opts = {}) {
  struct_request request = described.arrays;
  request.decomposer = &described.decompose;
  run(request, opts);
}

namespace detail {
template <class T, class Decomposer>
struct_sort<Decomposer> describe(const T* in, T* out, std::size_t n, const Decomposer& decompose) {
  return {{.n = n,
           .key_bytes = sizeof(T),
           .key_alignment = alignof(T),
           .keys_in = in,
           .keys_out = out,
           .image_bits = image_bits_of<decltype(decompose(std::declval<const T&>()))>,
           .extract = kernels::extract<T, Decomposer>,
           .on_executor = SORTILE_ON_CUDA == 0},
          decompose};
}
} // namespace detail

/// The sort of `in` into `out`, which is the same range or apart from it.
template <class In, class Out, class Decomposer>
requires struct_range<In, Decomposer> && writable<Out> struct_sort<Decomposer>
make_struct_sort(const In& in, Out&& out, const Decomposer& decompose) {
  using T = std::ranges::range_value_t<In>;
  static_assert(std::same_as<T, std::ranges::range_value_t<Out>>,
                "sortile: input and output must have structs of one type");
  detail::same_length("sort", "in", detail::length(in), "out", detail::length(out));
  return detail::describe<T>(std::ranges::data(in), std::ranges::data(out), detail::length(in), decompose);
}

/// The same, with values that move along.
template <class KeysIn, value_range ValuesIn, class KeysOut, value_range ValuesOut, class Decomposer>
requires struct_range<KeysIn, Decomposer> && writable<KeysOut> && writable<ValuesOut> struct_sort<Decomposer>
make_struct_sort(const KeysIn& keys_in, const ValuesIn& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                 const Decomposer& decompose) {
  using V = std::ranges::range_value_t<ValuesIn>;
  static_assert(std::same_as<V, std::ranges::range_value_t<ValuesOut>>,
                "sortile: input and output must have values of one type");
  struct_sort<Decomposer> described = make_struct_sort(keys_in, keys_out, decompose);
  detail::same_length("sort_by_key", "keys_in", described.arrays.n, "values_in", detail::length(values_in));
  detail::same_length("sort_by_key", "keys_in", described.arrays.n, "values_out", detail::length(values_out));
  described.arrays.carries = payload::values;
  described.arrays.value_bytes = sizeof(V);
  described.arrays.values_in = std::ranges::data(values_in);
  described.arrays.values_out = std::ranges::data(values_out);
  return described;
}

/// Sorts structs in place.
template <class Keys, class Decomposer>
requires struct_range<Keys, Decomposer> && writable<Keys>
void sort(Keys&& keys, const Decomposer& decompose, const options& opts = {}) {
  run(make_struct_sort(keys, keys, decompose), opts);
}

/// Sorts `in` into `out`, which has the same length and does not overlap it.
template <class In, class Out, class Decomposer>
requires struct_range<In, Decomposer> && writable<Out>
void sort(const In& in, Out&& out, const Decomposer& decompose, const options& opts = {}) {
  run(make_struct_sort(in, out, decompose), opts);
}

/// Sorts structs in place and moves values[i] with keys[i].
template <class Keys, value_range Values, class Decomposer>
requires struct_range<Keys, Decomposer> && writable<Keys> && writable<Values>
void sort_by_key(Keys&& keys, Values&& values, const Decomposer& decompose, const options& opts = {}) {
  run(make_struct_sort(keys, values, keys, values, decompose), opts);
}

/// Sorts keys_in, values_in into keys_out, values_out, all of one length; outputs overlap nothing.
template <class KeysIn, value_range ValuesIn, class KeysOut, value_range ValuesOut, class Decomposer>
requires struct_range<KeysIn, Decomposer> && writable<KeysOut> && writable<ValuesOut>
void sort_by_key(const KeysIn& keys_in, const ValuesIn& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                 const Decomposer& decompose, const options& opts = {}) {
  run(make_struct_sort(keys_in, values_in, keys_out, values_out, decompose), opts);
}

/// Writes to `positions` the order of the structs: keys[positions[0]] is the first, and so on. The structs are only
/// read.
template <class Keys, index_range Positions, class Decomposer>
requires struct_range<Keys, Decomposer> && writable<Positions>
void argsort(const Keys& keys, Positions&& positions, const Decomposer& decompose, const options& opts = {}) {
  using T = std::ranges::range_value_t<Keys>;
  detail::same_length("argsort", "keys", detail::length(keys), "positions", detail::length(positions));
  detail::need_wide_enough<std::ranges::range_value_t<Positions>>("argsort", detail::length(keys));
  T* const not_wanted = nullptr;
  struct_sort<Decomposer> described =
      detail::describe<T>(std::ranges::data(keys), not_wanted, detail::length(keys), decompose);
  described.arrays.carries = payload::indices;
  described.arrays.value_bytes = sizeof(std::ranges::range_value_t<Positions>);
  described.arrays.values_out = std::ranges::data(positions);
  run(described, opts);
}

/// A comparison that is called on the device; made by on_device().
template <class Less>
struct device_comparison {
  Less less;
};

/// Marks a comparison as one for arrays in device memory. It is copied there as bytes, and must be callable there.
template <class Less>
requires std::is_trivially_copyable_v<Less> device_comparison<Less> on_device(const Less& less) {
  return {less};
}

namespace detail {
template <class Less>
inline constexpr bool is_on_device<device_comparison<Less>> = true;

template <class Less, class T>
concept compares = requires(const Less& less, const T& t) {
  { less(t, t) } -> std::convertible_to<bool>;
};
} // namespace detail

/// A range, in device memory, whose elements a comparison orders.
template <class R, class Less>
concept compared_range = value_range<R> && detail::compares<Less, std::ranges::range_value_t<R>>;

/// A sort or merge by a comparison that is described and not yet run: to ask workspace_bytes(), and to run() as often
/// as wanted.
template <class Work>
struct comparison_work {
  Work work;
  detail::device_call call; // all but `work` and `inputs`
  std::vector<detail::caller_array> inputs{};
};

/// What this very sort or merge takes.
template <class Work>
std::size_t workspace_bytes(const comparison_work<Work>& described, const options& = {}) {
  return described.call.workspace_bytes;
}

/// Queues it.
template <class Work>
void run(const comparison_work<Work>& described, const options& opts = {}) {
  detail::device_call call = described.call;
  call.work = &described.work;
  call.inputs = described.inputs;
  detail::run_on_device(call, opts);
}

namespace detail {
template <class T>
constexpr void check_compared_bytes() {
  static_assert(sizeof(T) <= most_moved_bytes,
                "sortile: keys of more than 64 bytes are sorted by a comparison of their positions, or by members");
}

/// `arrays`: inputs first; an input that is also the output is left out.
template <class Work>
comparison_work<Work> describe_work(const char* operation, const Work& work,
                                    std::initializer_list<caller_array> arrays) {
  device_call call{.operation = operation,
                   .workspace_bytes = work.workspace_bytes(),
                   .launch =
                       [](const simt::queue& q, const void* described, void* workspace) {
                         static_cast<const Work*>(described)->launch(q, static_cast<std::byte*>(workspace));
                       },
                   .on_executor = SORTILE_ON_CUDA == 0};
  unsigned listed = 0;
  for (const caller_array& a : arrays) {
    bool in_place = false;
    for (const caller_array& other : arrays)
      in_place |= !a.written && other.written && other.data == a.data && other.count == a.count;
    if (!in_place)
      call.arrays[listed++] = a;
  }
  return {work, call};
}
} // namespace detail

/// The sort of `in` into `out`, which is the same range or apart from it. \throws invalid_argument where lengths differ
template <class In, class Out, class Less>
requires compared_range<In, Less> && writable<Out>
auto make_comparison_sort(const In& in, Out&& out, const device_comparison<Less>& by) {
  using T = std::ranges::range_value_t<In>;
  static_assert(std::same_as<T, std::ranges::range_value_t<Out>>,
                "sortile: input and output must have keys of one type");
  detail::check_compared_bytes<T>();
  const std::size_t n = detail::length(in);
  detail::same_length("sort", "in", n, "out", detail::length(out));
  const kernels::sort_keys_by<T, Less> work{n, std::ranges::data(in), std::ranges::data(out), by.less};
  return detail::describe_work("a sort by a comparison", work,
                               {detail::named("in", in, false), detail::named("out", out, true)});
}

/// The same, with values that move along.
template <class KeysIn, value_range ValuesIn, class KeysOut, value_range ValuesOut, class Less>
requires compared_range<KeysIn, Less> && writable<KeysOut> && writable<ValuesOut>
auto make_comparison_sort(const KeysIn& keys_in, const ValuesIn& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                          const device_comparison<Less>& by) {
  using K = std::ranges::range_value_t<KeysIn>;
  using V = std::ranges::range_value_t<ValuesIn>;
  static_assert(std::same_as<K, std::ranges::range_value_t<KeysOut>>,
                "sortile: input and output must have keys of one type");
  static_assert(std::same_as<V, std::ranges::range_value_t<ValuesOut>>,
                "sortile: input and output must have values of one type");
  detail::check_compared_bytes<K>();
  const std::size_t n = detail::length(keys_in);
  detail::same_length("sort_by_key", "keys_in", n, "values_in", detail::length(values_in));
  detail::same_length("sort_by_key", "keys_in", n, "keys_out", detail::length(keys_out));
  detail::same_length("sort_by_key", "keys_in", n, "values_out", detail::length(values_out));
  if (n > 0 && (static_cast<const void*>(std::ranges::data(keys_in)) == std::ranges::data(keys_out)) !=
                   (static_cast<const void*>(std::ranges::data(values_in)) == std::ranges::data(values_out)))
    throw invalid_argument("sortile: keys are sorted in place and values are not, or the other way round; both must be "
                           "done in one way");
  const kernels::sort_values_by<K, V, Less> work{n,
                                                 std::ranges::data(keys_in),
                                                 std::ranges::data(values_in),
                                                 std::ranges::data(keys_out),
                                                 std::ranges::data(values_out),
                                                 by.less};
  return detail::describe_work("a sort by a comparison", work,
                               {detail::named("keys_in", keys_in, false), detail::named("values_in", values_in, false),
                                detail::named("keys_out", keys_out, true),
                                detail::named("values_out", values_out, true)});
}

/// The order of the keys, which are only read: keys[positions[0]] is the first, and so on.
template <class Keys, index_range Positions, class Less>
requires compared_range<Keys, Less> && writable<Positions>
auto make_comparison_argsort(const Keys& keys, Positions&& positions, const device_comparison<Less>& by) {
  using T = std::ranges::range_value_t<Keys>;
  using Index = std::ranges::range_value_t<Positions>;
  detail::check_compared_bytes<T>();
  const std::size_t n = detail::length(keys);
  detail::same_length("argsort", "keys", n, "positions", detail::length(positions));
  detail::need_wide_enough<Index>("argsort", n);
  const kernels::sort_positions_by<T, Index, Less> work{n, std::ranges::data(keys), std::ranges::data(positions),
                                                        by.less};
  return detail::describe_work("an argsort by a comparison", work,
                               {detail::named("keys", keys, false), detail::named("positions", positions, true)});
}

/// The merge of two sorted ranges into `out`, which overlaps neither.
template <class A, class B, class Out, class Less>
requires compared_range<A, Less> && value_range<B> && writable<Out>
auto make_comparison_merge(const A& a, const B& b, Out&& out, const device_comparison<Less>& by) {
  using T = std::ranges::range_value_t<A>;
  static_assert(std::same_as<T, std::ranges::range_value_t<B>> && std::same_as<T, std::ranges::range_value_t<Out>>,
                "sortile: ranges and output must have keys of one type");
  detail::check_compared_bytes<T>();
  const std::size_t first = detail::length(a), second = detail::length(b);
  detail::same_length("merge", "both ranges together", first + second, "out", detail::length(out));
  kernels::run_sequence runs;
  runs.add(std::ranges::data(a), nullptr, first);
  runs.add(std::ranges::data(b), nullptr, second);
  const kernels::merge_by<T, Less> work{std::move(runs), std::ranges::data(out), by.less};
  return detail::describe_work(
      "a merge by a comparison", work,
      {detail::named("a", a, false), detail::named("b", b, false), detail::named("out", out, true)});
}

/// The merge of sorted runs, of any number and lengths, into `out`, which overlaps none: `runs` is a range of arrays,
/// as std::vector<std::span<const T>>, and read here.
template <std::ranges::sized_range Runs, class Out, class Less>
requires compared_range<std::ranges::range_reference_t<const Runs&>, Less> && writable<Out>
auto make_comparison_merge(const Runs& runs, Out&& out, const device_comparison<Less>& by) {
  using T = std::ranges::range_value_t<Out>;
  static_assert(std::same_as<T, std::ranges::range_value_t<std::ranges::range_reference_t<const Runs&>>>,
                "sortile: runs and output must have keys of one type");
  detail::check_compared_bytes<T>();
  kernels::run_sequence list;
  std::vector<detail::caller_array> inputs;
  for (const auto& run : runs) {
    list.add(std::ranges::data(run), nullptr, detail::length(run));
    inputs.push_back(detail::named("a run", run, false));
  }
  detail::same_length("merge", "all runs together", list.n, "out", detail::length(out));
  const kernels::merge_by<T, Less> work{std::move(list), std::ranges::data(out), by.less};
  auto described = detail::describe_work("a merge by a comparison", work, {detail::named("out", out, true)});
  described.inputs = std::move(inputs);
  return described;
}

/// Sorts keys in place so that less(later, earlier) holds for none. Stable.
template <class Keys, class Less>
requires compared_range<Keys, Less> && writable<Keys>
void sort(Keys&& keys, const device_comparison<Less>& by, const options& opts = {}) {
  run(make_comparison_sort(keys, keys, by), opts);
}

/// Sorts `in` into `out`, which has the same length and does not overlap it.
template <class In, class Out, class Less>
requires compared_range<In, Less> && writable<Out>
void sort(const In& in, Out&& out, const device_comparison<Less>& by, const options& opts = {}) {
  run(make_comparison_sort(in, out, by), opts);
}

/// Sorts keys in place and moves values[i] with keys[i].
template <class Keys, value_range Values, class Less>
requires compared_range<Keys, Less> && writable<Keys> && writable<Values>
void sort_by_key(Keys&& keys, Values&& values, const device_comparison<Less>& by, const options& opts = {}) {
  run(make_comparison_sort(keys, values, keys, values, by), opts);
}

/// Sorts keys_in, values_in into keys_out, values_out, all of one length; outputs overlap nothing.
template <class KeysIn, value_range ValuesIn, class KeysOut, value_range ValuesOut, class Less>
requires compared_range<KeysIn, Less> && writable<KeysOut> && writable<ValuesOut>
void sort_by_key(const KeysIn& keys_in, const ValuesIn& values_in, KeysOut&& keys_out, ValuesOut&& values_out,
                 const device_comparison<Less>& by, const options& opts = {}) {
  run(make_comparison_sort(keys_in, values_in, keys_out, values_out, by), opts);
}

/// Writes the order of the keys, which are only read, to `positions`, of 32 or 64 bits.
template <class Keys, index_range Positions, class Less>
requires compared_range<Keys, Less> && writable<Positions>
void argsort(const Keys& keys, Positions&& positions, const device_comparison<Less>& by, const options& opts = {}) {
  run(make_comparison_argsort(keys, positions, by), opts);
}

/// Merges two sorted ranges into `out`, which overlaps neither: of equal keys those of `a` come first.
template <class A, class B, class Out, class Less>
requires compared_range<A, Less> && value_range<B> && writable<Out>
void merge(const A& a, const B& b, Out&& out, const device_comparison<Less>& by, const options& opts = {}) {
  run(make_comparison_merge(a, b, out, by), opts);
}

/// Merges sorted runs, of any number and lengths, into `out`, which overlaps none: of equal keys those of earlier runs
/// come first. `runs` is a range of arrays, as std::vector<std::span<const T>>, and read before the call returns.
template <std::ranges::sized_range Runs, class Out, class Less>
requires compared_range<std::ranges::range_reference_t<const Runs&>, Less> && writable<Out>
void merge(const Runs& runs, Out&& out, const device_comparison<Less>& by, const options& opts = {}) {
  run(make_comparison_merge(runs, out, by), opts);
}

} // namespace sortile
