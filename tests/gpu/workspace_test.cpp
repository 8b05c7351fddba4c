// How much workspace a sort in device memory asks for: no more than CUB's for keys and pairs (of an argsort CUB's
// caller keeps more arrays), and of a device that is not known enough for any.
#include "gpu/device_sort.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

constexpr gpu::device_facts h100{.architecture = 90, .multiprocessors = 132};

void* at(unsigned k) {
  return reinterpret_cast<void*>(std::size_t{1} << (40 + k)); // compared, never followed
}
sort_request request_of(key_type type, std::size_t n, payload carries, std::size_t value_bytes) {
  return {.type = type,
          .n = n,
          .keys_in = at(0),
          .keys_out = at(1),
          .carries = carries,
          .value_bytes = value_bytes,
          .values_in = carries == payload::values ? at(2) : nullptr,
          .values_out = carries == payload::none ? nullptr : at(3)};
}
std::size_t workspace(const sort_request& request, const gpu::device_facts& device) {
  return gpu::device_sort(request, {.memory = memory::device}, device).workspace_bytes();
}

struct reading {
  key_type type;
  std::size_t value_bytes;
  unsigned log_n;
  std::size_t bytes;
};

// CUB 3.0.1, DeviceRadixSort on an H100, as bench/results/h100/engine-sorts.json has it.
TEST(workspace, is_no_more_than_cubs) {
  for (const auto [type, value_bytes, log_n, cubs] : {
           reading{key_type::u32, 0, 18, 1094143},     reading{key_type::u32, 0, 20, 4350463},
           reading{key_type::u32, 0, 22, 17374719},    reading{key_type::u32, 0, 24, 69472767},
           reading{key_type::u32, 0, 28, 1111433727},  reading{key_type::u64, 0, 18, 2161151},
           reading{key_type::u64, 0, 20, 8592895},     reading{key_type::u64, 0, 22, 34317823},
           reading{key_type::u64, 0, 24, 137217535},   reading{key_type::u64, 0, 28, 2195238399},
           reading{key_type::u128, 0, 28, 4397294079}, reading{key_type::u32, 4, 20, 8562175},
           reading{key_type::u32, 4, 22, 34221567},    reading{key_type::u32, 4, 24, 136859135},
           reading{key_type::u32, 4, 28, 2189607423},  reading{key_type::u64, 4, 28, 3268980223},
           reading{key_type::u64, 8, 20, 17027583},    reading{key_type::u64, 8, 24, 272180735},
           reading{key_type::u64, 8, 28, 4354652671},  reading{key_type::u8, 0, 28, 28260863},
           reading{key_type::u16, 0, 28, 565135871},   reading{key_type::f32, 0, 20, 4358655},
           reading{key_type::f32, 0, 24, 69603839},    reading{key_type::f32, 0, 28, 1113526783},
           reading{key_type::f64, 0, 28, 2195238399},
       })
    EXPECT_LE(workspace(request_of(type, std::size_t{1} << log_n, value_bytes == 0 ? payload::none : payload::values,
                                   value_bytes),
                        h100),
              cubs)
        << name(type) << " with values of " << value_bytes << " bytes, 2^" << log_n;
}

TEST(workspace, for_a_device_that_is_not_known_is_enough_for_any) {
  constexpr gpu::device_facts devices[] = {{80, 108}, {86, 20}, {89, 128}, {90, 132}, {90, 78}, {90, 16}, {100, 148}};
  const auto check = [&](const sort_request& request) {
    const std::size_t bound = workspace(request, gpu::any_device);
    for (const gpu::device_facts& device : devices)
      ASSERT_LE(workspace(request, device), bound)
          << name(request.type) << ", n = " << request.n << ", values of " << request.value_bytes << " bytes, sm_"
          << device.architecture << " with " << device.multiprocessors << " multiprocessors";
  };
  for (const key_type type : all_key_types)
    for (unsigned log_n = 6; log_n <= 33; ++log_n)
      for (const std::size_t n : {std::size_t{1} << log_n, (std::size_t{3} << log_n) / 2 + 1}) {
        for (const std::size_t value_bytes : {0, 2, 4, 8, 16, 100})
          check(request_of(type, n, value_bytes == 0 ? payload::none : payload::values, value_bytes));
        for (const std::size_t value_bytes : {4, 8}) {
          if (value_bytes == 4 && n > std::size_t{1} << 32)
            continue;
          sort_request positions = request_of(type, n, payload::indices, value_bytes);
          check(positions);
          positions.keys_out = nullptr;
          check(positions);
        }
        sort_request pairs = request_of(type, n, payload::values, 8);
        pairs.keys_out = at(0);
        pairs.values_out = at(2);
        check(pairs);
        pairs.values_in = pairs.values_out = static_cast<std::byte*>(at(2)) + 2;
        check(pairs);
        sort_request counted = request_of(type, n, payload::none, 0);
        static const std::uint64_t somewhere = 0;
        counted.device_n = &somewhere;
        check(counted);
      }
}

} // namespace
} // namespace sortile::testing
