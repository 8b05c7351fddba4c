// See select_rivals.hpp.
#include "bench/select/select_rivals.hpp"

#include "bench/gpu/with_workspace.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/execution>
#define SORTILE_RIVAL_TOPK 1
#else
#define SORTILE_RIVAL_TOPK 0
#endif

#include <stdexcept>

namespace sortile::bench {
namespace {

/// make(keys), with keys of the type's own.
template <class Make>
auto with_keys(const selected_keys& of, Make make) {
  switch (of.type) {
  case key_type::u32:
    return make(static_cast<const std::uint32_t*>(of.keys));
  case key_type::f32:
    return make(static_cast<const float*>(of.keys));
  case key_type::u64:
    return make(static_cast<const std::uint64_t*>(of.keys));
  default:
    throw std::logic_error("CUB beside selections: keys of type " + std::string(name(of.type)));
  }
}

} // namespace

contestant one_read(const selected_keys& of) {
  const auto out = make_buffer(key_bytes(of.type));
  return with_keys(of, [&]<class K>(const K* keys) {
    return with_workspace("read", [=, n = std::int64_t(of.n)](void* space, std::size_t& bytes) {
      return cub::DeviceReduce::Max(space, bytes, keys, static_cast<K*>(out->data()), n);
    });
  });
}

contestant sort_of_all(const selected_keys& of) {
  const auto out = make_buffer(of.n * key_bytes(of.type));
  return with_keys(of, [&]<class K>(const K* keys) {
    return with_workspace("cub", [=, n = std::int64_t(of.n)](void* space, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(space, bytes, keys, static_cast<K*>(out->data()), n);
    });
  });
}

#if SORTILE_RIVAL_TOPK
std::optional<contestant> cub_top_k(const selected_keys& of, std::uint64_t k) {
  const auto out = make_buffer(k * key_bytes(of.type));
  return with_keys(of, [&]<class K>(const K* keys) {
    return with_workspace("cub", [=, n = std::int64_t(of.n), k = std::int64_t(k)](void* space, std::size_t& bytes) {
      return cub::DeviceTopK::MinKeys(space, bytes, keys, static_cast<K*>(out->data()), n, k,
                                      cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                               cuda::execution::output_ordering::unsorted));
    });
  });
}
#else
std::optional<contestant> cub_top_k(const selected_keys&, std::uint64_t) {
  return std::nullopt;
}
#endif

std::string selection_cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

} // namespace sortile::bench
