// CUB's DeviceRadixSort as a contestant: keys alone, input kept, 64-bit n.
#include "bench/gpu/with_workspace.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <stdexcept>

namespace sortile::bench {
namespace {

template <class Key>
contestant sort(const sort_request& r, cudaStream_t stream, bit_window bits) {
  const auto* in = static_cast<const Key*>(r.keys_in);
  auto* const out = static_cast<Key*>(r.keys_out);
  const int begin = int(bits.begin);
  const int end = bits.end == bit_window::whole_key ? 8 * int(sizeof(Key)) : int(bits.end);
  return with_workspace("cub", [=, n = std::uint64_t{r.n}](void* workspace, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(workspace, bytes, in, out, n, begin, end, stream);
  });
}

} // namespace

contestant cub_sort_keys(const sort_request& r, cudaStream_t stream, bit_window bits) {
  switch (r.type) {
  case key_type::u8:
    return sort<std::uint8_t>(r, stream, bits);
  case key_type::u16:
    return sort<std::uint16_t>(r, stream, bits);
  case key_type::u32:
    return sort<std::uint32_t>(r, stream, bits);
  case key_type::u64:
    return sort<std::uint64_t>(r, stream, bits);
  case key_type::u128:
    return sort<uint128>(r, stream, bits);
  case key_type::f32:
    return sort<float>(r, stream, bits);
  case key_type::f64:
    return sort<double>(r, stream, bits);
  default:
    throw std::logic_error("cub_sort_keys: keys of type " + std::string(name(r.type)));
  }
}

} // namespace sortile::bench
