// CUB's DeviceRadixSort as a contestant: pairs, input kept, 64-bit n.
#include "bench/gpu/with_workspace.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace sortile::bench {
namespace {

template <class Key, class Value>
contestant sort(const Key* keys, Key* keys_out, const Value* values, Value* values_out, std::uint64_t n) {
  return with_workspace("cub", [=](void* workspace, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, keys_out, values, values_out, n);
  });
}

} // namespace

contestant cub_sort_pairs(const std::uint32_t* keys, std::uint32_t* keys_out, const std::uint32_t* values,
                          std::uint32_t* values_out, std::uint64_t n) {
  return sort(keys, keys_out, values, values_out, n);
}
contestant cub_sort_pairs(const std::uint64_t* keys, std::uint64_t* keys_out, const std::uint32_t* values,
                          std::uint32_t* values_out, std::uint64_t n) {
  return sort(keys, keys_out, values, values_out, n);
}
contestant cub_sort_pairs(const std::uint64_t* keys, std::uint64_t* keys_out, const std::uint64_t* values,
                          std::uint64_t* values_out, std::uint64_t n) {
  return sort(keys, keys_out, values, values_out, n);
}

} // namespace sortile::bench
