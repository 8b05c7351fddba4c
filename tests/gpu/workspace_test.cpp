// How much workspace a call in device memory asks for: no more than CUB's for keys and pairs (of an argsort CUB's
// caller keeps more arrays), of a device that is not known enough for any, for fewer keys and at any alignment no more
// than for many, and in a double buffer no third copy.
#include "sort/device_sort.hpp"
#include "sort/struct_sort.hpp"

#include <sortile/groups.hpp>
#include <sortile/scan.hpp>
#include <sortile/segments.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.hpp>
#include <sortile/struct_request.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
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

/// What is told for a rising number is at least what all before take.
template <class Told, class Taken>
void expect_enough_for_fewer(const std::string& what, const Told& told, const Taken& taken) {
  std::size_t most = 0;
  for (const std::size_t n : rising_counts()) {
    most = std::max(most, taken(n));
    ASSERT_GE(told(n), most) << what << ", n = " << n;
  }
}

TEST(workspace, of_sorts_of_structs_is_enough_for_fewer_at_any_alignment) {
  for (const gpu::device_facts device : {h100, gpu::any_device, gpu::device_facts{80, 1}})
    for (const auto [bytes, alignment, bits] :
         {std::array{4u, 4u, 32u}, {8u, 4u, 64u}, {8u, 4u, 40u}, {2u, 1u, 16u}, {12u, 4u, 96u}, {40u, 8u, 130u}})
      for (const payload carries : {payload::none, payload::values, payload::indices})
        for (const bool in_place : {false, true}) {
          const auto request = [&](std::size_t n, std::size_t on) {
            const auto placed = [on](unsigned k) { return static_cast<std::byte*>(at(k)) + on; };
            return struct_request{
                .n = n,
                .key_bytes = bytes,
                .key_alignment = alignment,
                .keys_in = placed(0),
                .keys_out = placed(in_place ? 0 : 1),
                .carries = carries,
                .value_bytes = 8,
                .values_in = carries == payload::values ? at(2) : nullptr,
                .values_out = carries == payload::none ? nullptr : at(in_place && carries == payload::values ? 2 : 3),
                .image_bits = bits};
          };
          expect_enough_for_fewer(
              std::to_string(bytes) + " bytes, aligned to " + std::to_string(alignment) + ", " +
                  (in_place ? "in place" : "apart") + ", payload " + std::to_string(int(carries)),
              [&](std::size_t n) {
                return gpu::struct_sort(request(n, 0), order::ascending, device).enough_workspace();
              },
              [&](std::size_t n) {
                std::size_t most = 0;
                for (const std::size_t on : {0u, alignment, 3 * alignment})
                  most = std::max(most, gpu::struct_sort(request(n, on), order::ascending, device).workspace_bytes());
                return most;
              });
        }
}

TEST(workspace, of_groups_scans_and_segments_is_enough_for_fewer) {
  const options& opts = in_device_memory;
  for (const key_type type : {key_type::u8, key_type::u32, key_type::f32, key_type::u64, key_type::u128}) {
    const auto groups = [&](std::size_t n) { return workspace_bytes(groups_request{.type = type, .n = n}, opts); };
    expect_enough_for_fewer(std::string(name(type)) + ", groups", groups, [&](std::size_t n) {
      std::uint64_t* const number = static_cast<std::uint64_t*>(at(4));
      std::size_t most = 0;
      for (const bool order : {false, true})
        for (const bool counts : {false, true})
          for (const bool offsets : {false, true})
            for (const bool inverse : {false, true})
              most = std::max(most,
                              workspace_bytes(groups_request{.type = type,
                                                             .n = n,
                                                             .keys = static_cast<std::byte*>(at(0)) + key_bytes(type),
                                                             .counts = counts ? at(1) : nullptr,
                                                             .offsets = offsets ? at(2) : nullptr,
                                                             .order = order ? at(3) : nullptr,
                                                             .inverse = inverse ? at(5) : nullptr,
                                                             .device_groups = number},
                                              opts));
      return most;
    });
    for (const std::size_t value_bytes : {0, 4, 16})
      for (const segments& where : {segments{.form = segment_form::offsets, .count = 7},
                                    segments{.form = segment_form::ranges, .count = 1'000'000, .offset_bytes = 4}}) {
        const auto bytes = [&](std::size_t n) {
          return workspace_bytes(segmented_request{{.type = type,
                                                    .n = n,
                                                    .carries = value_bytes == 0 ? payload::none : payload::values,
                                                    .value_bytes = value_bytes},
                                                   where},
                                 opts);
        };
        expect_enough_for_fewer(std::string(name(type)) + ", segments", bytes, bytes);
      }
    for (const bool rows : {false, true}) {
      const auto bytes = [&](std::size_t n) { // rows, and columns, of 50
        const segments where{.count = n, .length = 50, .stride = rows ? 50u : 1u, .step = rows ? 1 : n};
        return workspace_bytes(segmented_request{{.type = type, .n = n * 50}, where}, opts);
      };
      expect_enough_for_fewer(std::string(name(type)) + (rows ? ", rows" : ", columns"), bytes, bytes);
    }
  }
  for (const key_type type : {key_type::u32, key_type::u64}) {
    const auto bytes = [&](std::size_t n) { return workspace_bytes(scan_request{.type = type, .n = n}, opts); };
    expect_enough_for_fewer(std::string(name(type)) + ", scans", bytes, bytes);
  }
}

/// A plan does not look at where arrays lie, but for which are there.
TEST(workspace, of_a_top_k_does_not_depend_on_where_its_arrays_lie) {
  for (const std::size_t n : {std::size_t{5000}, std::size_t{70'000}, std::size_t{1} << 24})
    for (const std::size_t k : {std::size_t{10}, std::size_t{4000}})
      for (const payload carries : {payload::none, payload::values, payload::indices}) {
        const top_k_request unplaced{.n = n, .k = k, .carries = carries, .value_bytes = 8};
        top_k_request r = unplaced;
        for (const std::size_t on : {0u, 4u}) {
          r.keys_in = static_cast<std::byte*>(at(0)) + on;
          r.keys_out = static_cast<std::byte*>(at(1)) + on;
          r.values_in = carries == payload::values ? static_cast<std::byte*>(at(2)) + on : nullptr;
          r.values_out = carries == payload::none ? nullptr : static_cast<std::byte*>(at(3)) + 2 * on;
          EXPECT_EQ(workspace_bytes(r, in_device_memory), workspace_bytes(unplaced, in_device_memory));
        }
      }
}

TEST(workspace, of_a_partial_sort_does_not_depend_on_where_its_arrays_lie) {
  for (const std::size_t n : {std::size_t{5000}, std::size_t{70'000}, std::size_t{1} << 24})
    for (const std::size_t k : {std::size_t{10}, std::size_t{4000}, n / 2, n - 10, n})
      for (const std::size_t width : {0u, 3u, 8u}) {
        const partial_sort_request unplaced{.n = n, .k = k, .value_bytes = width};
        const nth_element_request unplaced_nth{.n = n, .nth = k};
        partial_sort_request r = unplaced;
        nth_element_request nth = unplaced_nth;
        for (const std::size_t on : {0u, 4u}) {
          nth.keys = r.keys = static_cast<std::byte*>(at(0)) + on;
          r.values = width == 0 ? nullptr : static_cast<std::byte*>(at(1)) + 2 * on;
          EXPECT_EQ(workspace_bytes(r, in_device_memory), workspace_bytes(unplaced, in_device_memory));
          EXPECT_EQ(workspace_bytes(nth, in_device_memory), workspace_bytes(unplaced_nth, in_device_memory));
        }
      }
}

} // namespace
} // namespace sortile::testing
