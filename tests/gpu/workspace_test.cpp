// How much workspace a sort in device memory asks for: no more than CUB's for keys and pairs (of an argsort CUB's
// caller keeps more arrays), of a device that is not known enough for any, for fewer keys and at any alignment no more
// than for many, and in a double buffer no third copy.
#include "sort/device_sort.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

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
const options in_device_memory{.memory = memory::device};
std::size_t workspace(const sort_request& request, const gpu::device_facts& device) {
  return gpu::device_sort::enough_workspace(request, in_device_memory, device);
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
  constexpr gpu::device_facts devices[] = {{80, 1},  {80, 2},  {80, 108}, {86, 20},  {89, 128}, {90, 1},    {90, 2},
                                           {90, 16}, {90, 66}, {90, 78},  {90, 132}, {100, 4},  {100, 148}, {100, 200}};
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

enum class buffers { apart, in_place, twice };
sort_request in_buffers(sort_request r, buffers b) {
  if (b == buffers::in_place) {
    r.keys_out = const_cast<void*>(r.keys_in);
    r.values_out = r.carries == payload::values ? const_cast<void*>(r.values_in) : r.values_out;
  }
  r.input_is_scratch = b == buffers::twice;
  return r;
}
/// The same arrays, so many bytes on.
sort_request moved_on(sort_request r, std::size_t keys, std::size_t values) {
  const auto moved = [](auto* p, std::size_t bytes) -> decltype(p) {
    return p == nullptr ? p : reinterpret_cast<decltype(p)>(reinterpret_cast<std::uintptr_t>(p) + bytes);
  };
  r.keys_in = moved(r.keys_in, keys);
  r.keys_out = moved(r.keys_out, keys);
  r.values_in = moved(r.values_in, values);
  r.values_out = moved(r.values_out, values);
  return r;
}

/// Around all powers of two, where sorts take turns, and in between.
std::vector<std::size_t> rising_counts() {
  std::vector<std::size_t> counts{1, 3, 4480, 4481, 6144, 6145, 8192, 8193, 11'184'810, 11'184'811, 44'739'243};
  std::mt19937_64 random(11);
  for (unsigned exponent = 1; exponent <= 33; ++exponent)
    for (int i = -1; i < 7; ++i) {
      const std::size_t power = std::size_t{1} << exponent;
      counts.push_back(i < 2 ? power + std::size_t(i) : power + random() % power);
    }
  std::sort(counts.begin(), counts.end());
  return counts;
}

/// Each request of a rising number of keys is told at least what all before take, however their keys are aligned; and
/// values of 4, 8 and 16 bytes, at multiples of that.
void check_rising(const sort_request& request, const gpu::device_facts& device,
                  const std::vector<std::size_t>& counts) {
  const std::size_t key = key_bytes(request.type), value = request.value_bytes;
  const bool vectors = value == 4 || value == 8 || value == 16;
  std::size_t taken = 0;
  for (const std::size_t n : counts) {
    if (request.carries == payload::indices && value == 4 && n > std::size_t{1} << 32)
      return;
    sort_request r = request;
    r.n = n;
    for (const std::size_t keys_on : {std::size_t{0}, key, 3 * key})
      for (const std::size_t values_on : {std::size_t{0}, vectors ? value : 1, vectors ? 3 * value : 5})
        taken = std::max(taken,
                         gpu::device_sort(moved_on(r, keys_on, values_on), in_device_memory, device).workspace_bytes());
    ASSERT_GE(workspace(moved_on(r, n % 2 * key, 0), device), taken)
        << name(r.type) << ", n = " << n << ", values of " << value << " bytes, sm_" << device.architecture << " with "
        << device.multiprocessors << " multiprocessors" << (r.input_is_scratch ? ", double buffer" : "")
        << (r.keys_in == r.keys_out ? ", in place" : "");
  }
}

TEST(workspace, is_enough_for_fewer_keys_at_any_alignment) {
  const auto counts = rising_counts();
  for (const gpu::device_facts device : {h100, gpu::device_facts{80, 108}, gpu::device_facts{90, 16}, gpu::any_device})
    for (const key_type type : {key_type::u8, key_type::f16, key_type::u16, key_type::u32, key_type::f32, key_type::u64,
                                key_type::f64, key_type::u128}) {
      for (const buffers b : {buffers::apart, buffers::in_place, buffers::twice})
        for (const std::size_t value_bytes : {0, 2, 4, 8, 12, 16, 100})
          check_rising(
              in_buffers(request_of(type, 0, value_bytes == 0 ? payload::none : payload::values, value_bytes), b),
              device, counts);
      for (const std::size_t value_bytes : {4, 8}) {
        sort_request positions = request_of(type, 0, payload::indices, value_bytes);
        check_rising(positions, device, counts);
        positions.keys_out = nullptr;
        check_rising(positions, device, counts);
      }
    }
}

TEST(workspace, of_values_at_odd_places_is_enough_for_fewer_too) {
  for (const std::size_t value_bytes : {4, 8, 16}) {
    sort_request r = moved_on(request_of(key_type::u64, std::size_t{1} << 28, payload::values, value_bytes), 0, 1);
    const std::size_t most = workspace(r, h100);
    for (const std::size_t n : rising_counts())
      if (n <= r.n) {
        sort_request fewer = r;
        fewer.n = n;
        EXPECT_LE(gpu::device_sort(fewer, in_device_memory, h100).workspace_bytes(), most) << value_bytes << ", " << n;
      }
  }
}

// Tables, and what the sample sort of up to 2^20 keys takes.
TEST(workspace, of_a_double_buffer_has_no_third_copy) {
  constexpr std::size_t of_few = 10u << 20;
  for (const key_type type :
       {key_type::u16, key_type::u32, key_type::f32, key_type::u64, key_type::f64, key_type::u128})
    for (const std::size_t value_bytes : {0, 4, 8, 16})
      for (const std::size_t n : rising_counts()) {
        const sort_request apart = request_of(type, n, value_bytes == 0 ? payload::none : payload::values, value_bytes);
        EXPECT_LE(workspace(in_buffers(apart, buffers::twice), h100), n * (key_bytes(type) + value_bytes) / 8 + of_few)
            << name(type) << " with values of " << value_bytes << " bytes, n = " << n;
      }
}

TEST(workspace, may_be_asked_for_before_there_are_arrays) {
  for (const payload carries : {payload::none, payload::values, payload::indices})
    for (const std::size_t n : {std::size_t{1000}, std::size_t{300'000}, std::size_t{1} << 26})
      for (const memory where : {memory::host, memory::device}) {
        const options opts{.memory = where};
        const sort_request there = request_of(key_type::u64, n, carries, carries == payload::none ? 0 : 8);
        sort_request unplaced = there, order_alone = there;
        unplaced.keys_in = unplaced.values_in = nullptr;
        unplaced.keys_out = unplaced.values_out = nullptr;
        order_alone.keys_out = nullptr;
        const std::size_t most = workspace_bytes(unplaced, opts);
        EXPECT_GE(most, workspace_bytes(there, opts));
        EXPECT_GE(most, workspace_bytes(in_buffers(there, buffers::in_place), opts));
        if (carries == payload::indices) {
          EXPECT_GE(most, workspace_bytes(order_alone, opts));
        } else {
          unplaced.input_is_scratch = true;
          EXPECT_GE(workspace_bytes(unplaced, opts), workspace_bytes(in_buffers(there, buffers::twice), opts));
        }
      }
}

} // namespace
} // namespace sortile::testing
