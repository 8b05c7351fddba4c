// DeviceTopK: the k smallest or largest keys, alone or with their values.
//
// A call is top_k_request (select.hpp): the first k of the stable sort, in order, of equal keys those with the lowest
// positions, the same in every run. CUB's requirements (not_guaranteed determinism, unsorted output) ask for less, and
// are taken and met.
#pragma once

#include <sortile/cub/decomposer.cuh>
#include <sortile/select.hpp>

#if __has_include(<cuda/stream>) // of CCCL 3.2 and later: what finds the stream of an environment
#include <cuda/stream>
#define SORTILE_CUB_ENVIRONMENTS 1
#else
#define SORTILE_CUB_ENVIRONMENTS 0
#endif

namespace sortile::cub::inline SORTILE_BACKEND {
namespace detail {

/// What stands for an environment where none is given.
struct default_environment {};

/// The stream of an environment: of cuda::std::execution::env, a cuda::stream_ref, or a stream itself.
template <class Environment>
cudaStream_t stream_of(const Environment& env) {
  if constexpr (std::convertible_to<const Environment&, cudaStream_t>) {
    return env;
  } else if constexpr (requires {
                         { env.get() } -> std::convertible_to<cudaStream_t>;
                       }) {
    return env.get();
#if SORTILE_CUB_ENVIRONMENTS
  } else if constexpr (requires { ::cuda::get_stream(env).get(); }) {
    return ::cuda::get_stream(env).get();
#else
  } else if constexpr (!std::is_same_v<Environment, default_environment>) {
    static_assert(sortile::detail::never<Environment>,
                  "sortile: the CCCL of this compilation has no environments; give the stream itself");
#endif
  }
  return nullptr;
}

template <class Keys, class Environment>
constexpr bool check_environment() {
  constexpr bool decomposes = takes_apart<Environment, std::iter_value_t<Keys>>;
  static_assert(!decomposes, "sortile: DeviceTopK takes no decomposer; DeviceRadixSort does");
  return !decomposes;
}

template <class K, class V, class N, class Count>
cudaError_t top_k(void* d_temp_storage, std::size_t& temp_storage_bytes, const call_arrays<K, V>& arrays, N num_items,
                  Count k, order direction, cudaStream_t stream) {
  if constexpr (check_key<K>() && check_value<V>()) {
    const auto request = [&](const call_arrays<K, V>& at) {
      const std::size_t n = checked_count("num_items", num_items), most = checked_count("k", k);
      top_k_request r{
          .type = key_type_of<K>, .n = n, .k = most < n ? most : n, .keys_in = at.keys_in, .keys_out = at.keys_out};
      if constexpr (call_arrays<K, V>::has_values) {
        r.carries = payload::values;
        r.value_bytes = sizeof(V);
        r.values_in = at.values_in;
        r.values_out = at.values_out;
      }
      return r;
    };
    return two_phases(
        d_temp_storage, temp_storage_bytes, stream,
        [&](options opts) {
          opts.order = direction;
          return workspace_bytes(request({}), opts);
        },
        [&](options opts) {
          opts.order = direction;
          run(request(arrays), opts);
        });
  } else {
    return cudaErrorInvalidValue;
  }
}

template <class In, class Out, class N, class Count, class Environment>
cudaError_t top_keys(void* d_temp_storage, std::size_t& temp_storage_bytes, In in, Out out, N num_items, Count k,
                     order direction, const Environment& env) {
  if constexpr (check_arrays<In, Out>() && check_same<In, Out>() && check_environment<In, Environment>())
    return top_k(d_temp_storage, temp_storage_bytes, arrays_of(as_input(in), std::to_address(out)), num_items, k,
                 direction, stream_of(env));
  else
    return cudaErrorInvalidValue;
}

template <class KeysIn, class KeysOut, class ValuesIn, class ValuesOut, class N, class Count, class Environment>
cudaError_t top_pairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeysIn keys_in, KeysOut keys_out,
                      ValuesIn values_in, ValuesOut values_out, N num_items, Count k, order direction,
                      const Environment& env) {
  if constexpr (check_arrays<KeysIn, ValuesIn, KeysOut, ValuesOut>() && check_same<KeysIn, KeysOut>() &&
                check_same<ValuesIn, ValuesOut>() && check_environment<KeysIn, Environment>())
    return top_k(
        d_temp_storage, temp_storage_bytes,
        arrays_of(as_input(keys_in), std::to_address(keys_out), as_input(values_in), std::to_address(values_out)),
        num_items, k, direction, stream_of(env));
  else
    return cudaErrorInvalidValue;
}

} // namespace detail

/// The k largest keys, the largest first, or the k smallest, the smallest first; all where there are fewer than k. Keys
/// as DeviceRadixSort takes without a decomposer, values of any trivially copyable type. Outputs have room for k and
/// are apart from everything. `env`: an environment of CUDA's with a stream, a cuda::stream_ref, or a cudaStream_t.
struct DeviceTopK {
  template <class KeysIn, class KeysOut, class N, class Count, class Environment = detail::default_environment>
  static cudaError_t MaxKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, KeysIn d_keys_in,
                             KeysOut d_keys_out, N num_items, Count k, const Environment& env = {}) {
    return detail::top_keys(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, num_items, k, order::descending,
                            env);
  }
  template <class KeysIn, class KeysOut, class ValuesIn, class ValuesOut, class N, class Count,
            class Environment = detail::default_environment>
  static cudaError_t MaxPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeysIn d_keys_in,
                              KeysOut d_keys_out, ValuesIn d_values_in, ValuesOut d_values_out, N num_items, Count k,
                              const Environment& env = {}) {
    return detail::top_pairs(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                             num_items, k, order::descending, env);
  }
  template <class KeysIn, class KeysOut, class N, class Count, class Environment = detail::default_environment>
  static cudaError_t MinKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, KeysIn d_keys_in,
                             KeysOut d_keys_out, N num_items, Count k, const Environment& env = {}) {
    return detail::top_keys(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, num_items, k, order::ascending,
                            env);
  }
  template <class KeysIn, class KeysOut, class ValuesIn, class ValuesOut, class N, class Count,
            class Environment = detail::default_environment>
  static cudaError_t MinPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeysIn d_keys_in,
                              KeysOut d_keys_out, ValuesIn d_values_in, ValuesOut d_values_out, N num_items, Count k,
                              const Environment& env = {}) {
    return detail::top_pairs(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                             num_items, k, order::ascending, env);
  }

  // CUB's calls that allocate by themselves: refused.
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t MaxKeys(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t MaxPairs(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t MinKeys(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
  template <class... Argument>
  requires detail::without_storage<Argument...>
  static cudaError_t MinPairs(Argument&&...) { return detail::refuse_own_storage<Argument...>(); }
};

} // namespace sortile::cub::inline SORTILE_BACKEND
