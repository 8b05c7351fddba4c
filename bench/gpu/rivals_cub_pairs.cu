// CUB's DeviceRadixSort as a contestant: pairs, input kept, 64-bit n.
#include "bench/gpu/with_workspace.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <stdexcept>

namespace sortile::bench {
namespace {

template <class Key, class Value>
contestant sort(const sort_request& r, bit_window bits) {
  const auto* keys = static_cast<const Key*>(r.keys_in);
  auto* const keys_out = static_cast<Key*>(r.keys_out);
  const auto* values = static_cast<const Value*>(r.values_in);
  auto* const values_out = static_cast<Value*>(r.values_out);
  const int begin = int(bits.begin);
  const int end = bits.end == bit_window::whole_key ? 8 * int(sizeof(Key)) : int(bits.end);
  return with_workspace("cub", [=, n = std::uint64_t{r.n}](void* workspace, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, keys_out, values, values_out, n, begin, end);
  });
}

} // namespace

contestant cub_sort_pairs(const sort_request& r, bit_window bits) {
  if (r.type == key_type::u32 && r.value_bytes == 4)
    return sort<std::uint32_t, std::uint32_t>(r, bits);
  if (r.type == key_type::u64 && r.value_bytes == 4)
    return sort<std::uint64_t, std::uint32_t>(r, bits);
  if (r.type == key_type::u64 && r.value_bytes == 8)
    return sort<std::uint64_t, std::uint64_t>(r, bits);
  throw std::logic_error("cub_sort_pairs: " + std::string(name(r.type)) + " with values of " +
                         std::to_string(r.value_bytes) + " bytes");
}

} // namespace sortile::bench
