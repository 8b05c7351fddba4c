// Sorts of structs in device memory, for translation units of nvcc: the one public header with device code.
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
// When not to use it: where the struct is a number (sort by sortile.hpp), or columns lie apart (argsort_rows on the
// host). Compiled by a host compiler the kernels run on the executor, on arrays in host memory: for checking.
#pragma once

#include <sortile/language.hpp>

#if !__has_include("kernels/decompose/extract_kernel.hpp")
#error "sortile/compare.cuh: link the CMake target sortile::compare, or add -I<prefix>/include/sortile/compare"
#endif
#include "kernels/decompose/extract_kernel.hpp"

#include <sortile/sortile.hpp>

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

} // namespace sortile
