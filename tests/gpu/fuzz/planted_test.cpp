// The fuzzer notices what it is for: a place that spoils one byte after each sort is found out, whichever byte it is.
#include "tests/gpu/fuzz/fuzz_case.hpp"

#include <gtest/gtest.h>

#include <set>

namespace sortile::fuzz {
namespace {

struct allocation {
  std::byte* memory;
  std::size_t bytes;
};
std::vector<allocation> arrays; ///< of the case that runs, in the order in which it made them
std::size_t spoilt_array, spoilt_byte;

enum array_number : std::size_t { keys_in, keys_out, values_in, values_out, count, workspace };
constexpr std::size_t zone = 4096;

/// The executor, after whose sorts one byte is changed.
place spoiling_place() {
  place p = executor_place();
  p.allocate = [](std::size_t bytes) {
    void* const memory = executor_place().allocate(bytes);
    arrays.push_back({static_cast<std::byte*>(memory), bytes});
    return memory;
  };
  p.finish = [](void*) {
    const allocation& a = arrays.at(spoilt_array);
    const std::size_t at = spoilt_byte == 0 ? a.bytes - 1 : spoilt_byte;
    ASSERT_LT(at, a.bytes);
    a.memory[at] ^= std::byte{1};
  };
  return p;
}

fuzz_case pairs_out_of_place() {
  fuzz_case c;
  c.request = {.n = 500, .seed = 3, .carries = payload::values, .value_bytes = 4, .form = testing::form::out_of_place};
  c.request.own_workspace = true;
  return c;
}

/// `byte` 0: the last.
std::string complaint_when_spoilt(std::size_t array, std::size_t byte, const fuzz_case& c = pairs_out_of_place()) {
  arrays.clear();
  spoilt_array = array;
  spoilt_byte = byte;
  return complaint_of(c, spoiling_place());
}

TEST(planted, bytes_in_red_zones) {
  EXPECT_EQ(complaint_when_spoilt(keys_in, zone - 1), "keys_in was written to 1 bytes before its begin");
  EXPECT_EQ(complaint_when_spoilt(keys_out, zone + 2000), "keys_out was written to 0 bytes after its end");
  EXPECT_EQ(complaint_when_spoilt(values_in, 0), "values_in was written to 4095 bytes after its end");
  EXPECT_EQ(complaint_when_spoilt(values_out, 5), "values_out was written to 4091 bytes before its begin");
  EXPECT_EQ(complaint_when_spoilt(count, zone + 8), "device_n was written to 0 bytes after its end");
  EXPECT_EQ(complaint_when_spoilt(workspace, 0), "the workspace was written to 4095 bytes after its end");
}

TEST(planted, wrong_results_and_changed_inputs) {
  EXPECT_EQ(complaint_when_spoilt(keys_out, zone + 7), "keys_out: wrong bytes of element 1 (byte 3)");
  EXPECT_EQ(complaint_when_spoilt(values_out, zone + 1999), "values_out: wrong bytes of element 499 (byte 3)");
  EXPECT_EQ(complaint_when_spoilt(keys_in, zone), "keys_in: changed though it should not be of element 0 (byte 0)");
  EXPECT_EQ(complaint_when_spoilt(values_in, zone + 4),
            "values_in: changed though it should not be of element 1 (byte 0)");
  EXPECT_EQ(complaint_when_spoilt(count, zone), "") << "nobody reads it here";
}

TEST(planted, writes_behind_n_in_device_memory) {
  fuzz_case c = pairs_out_of_place();
  c.device_n = 100;
  EXPECT_EQ(complaint_when_spoilt(keys_out, zone + 399, c), "keys_out: wrong bytes of element 99 (byte 3)");
  EXPECT_EQ(complaint_when_spoilt(keys_out, zone + 400, c),
            "keys_out: changed though it should not be of element 100 (byte 0)");
}

TEST(planted, scratch_may_hold_anything) {
  fuzz_case c = pairs_out_of_place();
  c.request.form = testing::form::double_buffer;
  EXPECT_EQ(complaint_when_spoilt(keys_in, zone, c), "");
  EXPECT_NE(complaint_when_spoilt(keys_out, zone, c), "");
}

TEST(planted, nothing) {
  arrays.clear();
  place p = spoiling_place();
  p.finish = [](void*) {};
  for (std::uint64_t seed = 1; seed < 60; ++seed)
    EXPECT_EQ(complaint_of(draw(seed, 1000), p), "") << to_string(draw(seed, 1000));
}

TEST(drawing, is_the_same_for_a_seed_and_reaches_everything) {
  std::set<key_type> types;
  std::set<testing::form> forms;
  std::size_t largest = 0, on_device = 0, above = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    const fuzz_case c = draw(seed, std::size_t{1} << 26);
    EXPECT_EQ(to_string(c), to_string(draw(seed, std::size_t{1} << 26)));
    EXPECT_LE(c.request.n * (key_bytes(c.request.type) + c.request.value_bytes), std::size_t{1} << 30);
    types.insert(c.request.type);
    forms.insert(c.request.form);
    largest = std::max(largest, c.request.n);
    on_device += c.device_n ? 1 : 0;
    above += c.device_n && *c.device_n > c.request.n ? 1 : 0;
  }
  EXPECT_EQ(types.size(), std::size(all_key_types));
  EXPECT_EQ(forms.size(), 3u);
  EXPECT_GT(largest, std::size_t{1} << 25);
  EXPECT_GT(on_device, 200u);
  EXPECT_GT(above, 20u);
}

} // namespace
} // namespace sortile::fuzz
