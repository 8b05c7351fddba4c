// What every call of cub.cuh does: ask for temporary storage or work in it, and turn what is thrown into a cudaError_t.
#pragma once

#include <sortile/compare.cuh>

#if !__has_include(<cuda_runtime_api.h>)
#error "sortile/cub.cuh: cuda_runtime_api.h of the CUDA toolkit is not among the include folders"
#endif
#include <cuda_bf16.h> // as CUB brings them
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// Both backends' calls may be in one program, so each has names of its own.
namespace sortile::cub::inline SORTILE_BACKEND {

/// Two buffers of one length: d_buffers[selector] holds the input before a call and the result after it; the other one
/// is overwritten. Both are device memory of the caller.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;

  DoubleBuffer() = default;
  SORTILE_HOST_DEVICE DoubleBuffer(T* d_current, T* d_alternate) : d_buffers{d_current, d_alternate} {}
  SORTILE_HOST_DEVICE T* Current() { return d_buffers[selector]; }
  SORTILE_HOST_DEVICE T* Alternate() { return d_buffers[selector ^ 1]; }
};

/// What values are where keys come alone.
struct NullType {};

namespace detail {

inline std::string& message_of_this_thread() {
  static thread_local std::string text;
  return text;
}

} // namespace detail

/// Why the last call of this thread that failed did: what was wrong, where, and what is allowed. Empty before the first
/// failure. Valid until the next one.
inline const char* last_error_message() noexcept {
  return detail::message_of_this_thread().c_str();
}

namespace detail {

/// The nearest that CUDA has:
///
///   invalid_argument, workspace_too_small   cudaErrorInvalidValue
///   out_of_memory                           cudaErrorMemoryAllocation
///   engine_unusable, unknown_engine         cudaErrorNotSupported: no GPU, too old a one, or no engine in the program
///   device_failure                          CUDA's own code where it still has it, else cudaErrorUnknown
///   anything else                           cudaErrorUnknown
inline cudaError_t code_of(status failure) {
  switch (failure) {
  case status::invalid_argument:
  case status::workspace_too_small:
    return cudaErrorInvalidValue;
  case status::out_of_memory:
    return cudaErrorMemoryAllocation;
  case status::engine_unusable:
  case status::unknown_engine:
    return cudaErrorNotSupported;
  case status::device_failure: {
#if SORTILE_ON_CUDA
    const cudaError_t latest = cudaPeekAtLastError();
    return latest != cudaSuccess ? latest : cudaErrorUnknown;
#else
    return cudaErrorUnknown;
#endif
  }
  default:
    return cudaErrorUnknown;
  }
}

inline cudaError_t failed(cudaError_t code, const char* why) noexcept {
  try {
    message_of_this_thread() = why;
  } catch (const std::bad_alloc&) {
    message_of_this_thread().clear();
  }
  return code;
}

/// Asks `enough(options)` for the bytes, or calls `run(options)` with the storage as workspace.
template <class Enough, class Run>
cudaError_t two_phases(void* d_temp_storage, std::size_t& temp_storage_bytes, cudaStream_t stream, const Enough& enough,
                       const Run& run) {
  try {
    options opts;
    opts.engine = SORTILE_ON_CUDA ? "cuda" : "executor";
    opts.memory = SORTILE_ON_CUDA ? memory::device : memory::host;
    if (d_temp_storage == nullptr) {
      temp_storage_bytes = enough(opts) + workspace_alignment; // room to align it, and never 0
      return cudaSuccess;
    }
#if SORTILE_ON_CUDA
    opts.stream = stream;
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM // as this translation unit means null; the library was compiled without
    if (stream == nullptr)
      opts.stream = cudaStreamPerThread;
#endif
#else
    static_cast<void>(stream);
#endif
    void* aligned = d_temp_storage;
    std::size_t left = temp_storage_bytes;
    if (std::align(workspace_alignment, 0, aligned, left) == nullptr) { // which leaves both as they are
      const std::size_t wanted = enough(opts);
      if (wanted != 0)
        throw invalid_argument("sortile: d_temp_storage has " + std::to_string(temp_storage_bytes) +
                               " bytes, fewer than the " + std::to_string(wanted + workspace_alignment) +
                               " that this call asks for");
      aligned = nullptr;
      left = 0;
    }
    opts.workspace = {static_cast<std::byte*>(aligned), left};
    run(opts);
    return cudaSuccess;
  } catch (const error& e) {
    return failed(code_of(e.code()), e.what());
  } catch (const std::bad_alloc&) {
    return failed(cudaErrorMemoryAllocation, "sortile: out of memory");
  } catch (const std::exception& e) {
    return failed(cudaErrorUnknown, e.what());
  }
}

/// A number of items or segments, of whatever integer type.
template <class N>
std::size_t checked_count(const char* name, N count) {
  static_assert(std::integral<N>, "sortile: the number of items must be an integer");
  if constexpr (std::is_signed_v<N>)
    if (count < 0)
      throw invalid_argument(std::string("sortile: ") + name + " is " + std::to_string(count) +
                             "; it must be 0 at least");
  return static_cast<std::size_t>(count);
}

/// The window [begin_bit, end_bit) of images of `width` bits.
inline bit_window checked_window(int begin_bit, int end_bit, unsigned width) {
  if (begin_bit < 0 || end_bit < begin_bit || unsigned(end_bit) > width)
    throw invalid_argument("sortile: the bits [" + std::to_string(begin_bit) + ", " + std::to_string(end_bit) +
                           ") do not fit keys of " + std::to_string(width) +
                           " bits; allowed is 0 <= begin_bit <= end_bit <= " + std::to_string(width));
  return {unsigned(begin_bit), unsigned(end_bit)};
}

/// Whether K is a key; where it is not, the compilation ends here.
template <class K>
constexpr bool check_key() {
  static_assert(key<K> || std::is_arithmetic_v<K>,
                "sortile: keys of this type are sorted with a decomposer, which returns a tuple of references to their "
                "members; or by DeviceMergeSort, with a functor");
  static_assert(key<K> || !std::is_arithmetic_v<K>, "sortile: long double is no key type; float and double are");
  return key<K>;
}

template <class V>
constexpr bool check_value() {
  static_assert(value<V>, "sortile: values are moved as bytes and must be trivially copyable");
  return value<V>;
}

/// Arguments of a call that has no temporary storage, and so would have to allocate it.
template <class... Argument>
inline constexpr bool without_storage = true;
template <class First, class Second, class... Rest>
inline constexpr bool without_storage<First, Second, Rest...> = sizeof...(Rest) < 2 ||
                                                                !std::is_same_v<Second, std::size_t&>;

template <class... Argument>
cudaError_t refuse_own_storage() {
  static_assert(sortile::detail::never<std::tuple<Argument...>>,
                "sortile: CUB's calls without temporary storage are not here; the first two arguments are "
                "d_temp_storage, null to ask for its size, and a variable of type std::size_t for that size");
  return cudaErrorNotSupported;
}

template <class Iterator>
inline constexpr bool is_pointer_like =
    std::contiguous_iterator<Iterator>&& std::is_object_v<std::iter_value_t<Iterator>>;

/// Whether the elements lie in memory, one behind the other.
template <class... Iterator>
constexpr bool check_arrays() {
  constexpr bool all = (is_pointer_like<Iterator> && ...);
  static_assert(all,
                "sortile: arrays are given as pointers to device memory; iterators that compute their elements, or "
                "hide their pointer, are not taken");
  return all;
}

/// Whether what is read can be written where the result goes.
template <class In, class Out>
constexpr bool check_same() {
  constexpr bool writable = !std::is_const_v<std::remove_reference_t<std::iter_reference_t<Out>>>;
  constexpr bool same = std::same_as<std::iter_value_t<In>, std::iter_value_t<Out>>;
  static_assert(writable, "sortile: the output is const, and the call writes to it");
  static_assert(same, "sortile: input and output must have elements of one type");
  return writable && same;
}

template <class Iterator>
const std::iter_value_t<Iterator>* as_input(Iterator in) {
  return std::to_address(in);
}

/// The arrays of a call, from pointers or from DoubleBuffers.
template <class K, class V = NullType>
struct call_arrays {
  static constexpr bool has_values = !std::is_same_v<V, NullType>;

  const K* keys_in = nullptr;
  K* keys_out = nullptr;
  const V* values_in = nullptr;
  V* values_out = nullptr;
  int* selector = nullptr; ///< of the keys' DoubleBuffer
  int* value_selector = nullptr;

  bool double_buffered() const { return selector != nullptr; }

  /// The result lies in the output arrays.
  void flip() const {
    if (selector != nullptr)
      *selector ^= 1;
    if (value_selector != nullptr)
      *value_selector ^= 1;
  }
};

template <class K>
call_arrays<K> arrays_of(const K* in, K* out) {
  return {.keys_in = in, .keys_out = out};
}
template <class K, class V>
call_arrays<K, V> arrays_of(const K* keys_in, K* keys_out, const V* values_in, V* values_out) {
  return {.keys_in = keys_in, .keys_out = keys_out, .values_in = values_in, .values_out = values_out};
}
template <class K>
call_arrays<K> arrays_of(DoubleBuffer<K>& keys) {
  return {.keys_in = keys.Current(), .keys_out = keys.Alternate(), .selector = &keys.selector};
}
template <class K, class V>
call_arrays<K, V> arrays_of(DoubleBuffer<K>& keys, DoubleBuffer<V>& values) {
  return {.keys_in = keys.Current(),
          .keys_out = keys.Alternate(),
          .values_in = values.Current(),
          .values_out = values.Alternate(),
          .selector = &keys.selector,
          .value_selector = &values.selector};
}

/// The k-th of some arrays that are compared and never followed, `off` bytes behind a boundary.
template <class T>
T* somewhere(unsigned k, std::size_t off = 0) {
  return reinterpret_cast<T*>((std::uintptr_t{1} << 60) + (std::uintptr_t{k} << 57) + off);
}

/// The most that `bytes(arrays)` says of arrays anywhere: apart or in place, on boundaries or as badly aligned as their
/// types allow. A size is answered so, since others may come than are given with the question.
template <class K, class V, class Bytes>
std::size_t enough_anywhere(const Bytes& bytes) {
  std::size_t most = 0;
  for (const bool in_place : {false, true})
    for (const bool aligned : {false, true}) {
      const auto keys = [&](unsigned k) { return somewhere<K>(k, aligned ? 0 : alignof(K)); };
      const auto values = [&](unsigned k) {
        return call_arrays<K, V>::has_values ? somewhere<V>(k, aligned ? 0 : alignof(V)) : nullptr;
      };
      const std::size_t wanted = bytes(call_arrays<K, V>{.keys_in = keys(0),
                                                         .keys_out = keys(in_place ? 0 : 1),
                                                         .values_in = values(2),
                                                         .values_out = values(in_place ? 2 : 3)});
      most = wanted > most ? wanted : most;
    }
  return most;
}

/// The request for n items by their keys' own order.
template <class K, class V>
sort_request request_of(const call_arrays<K, V>& arrays, std::size_t n) {
  sort_request r{.type = key_type_of<K>, .n = n, .keys_in = arrays.keys_in, .keys_out = arrays.keys_out};
  if constexpr (call_arrays<K, V>::has_values) {
    r.carries = payload::values;
    r.value_bytes = sizeof(V);
    r.values_in = arrays.values_in;
    r.values_out = arrays.values_out;
  }
  return r;
}

} // namespace detail
} // namespace sortile::cub::inline SORTILE_BACKEND
