// Sorts within segments on the GPU: cases in managed memory, a captured graph that is replayed with other offsets, and
// offsets that make no segments.
#include "tests/captured_graph.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/segments/segment_case.hpp"
#include "tests/short_tests.hpp"

#include <algorithm>

namespace sortile::testing {
namespace {

class segments_on_gpu : public gpu {};

void expect_right(segment_case c) {
  c.engine = "cuda";
  c.where = &managed_memory;
  c.watch_progress = false;
  try {
    EXPECT_EQ(check(c).complaint, "") << to_string(c);
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what() << " in " << to_string(c);
  }
}

TEST_F(segments_on_gpu, every_mix_of_lengths) {
  for (const std::string& mix : all_length_mixes())
    for (const key_type type : all_key_types)
      for (const std::size_t value_bytes : {0u, 4u, 8u, 16u}) {
        segment_case c{.type = type, .shape = shape_of(mix, 60'000, value_bytes + 1), .seed = 7};
        c.workload = is_float(type) ? "specials" : "uniform";
        c.carries = value_bytes == 0 ? payload::none : payload::values;
        c.value_bytes = value_bytes;
        c.in_place = value_bytes != 4;
        expect_right(c);
      }
}

TEST_F(segments_on_gpu, random_cases) {
  for (std::uint64_t seed = 0; seed < unless_short<std::uint64_t>(2000, 400); ++seed)
    expect_right(random_segment_case(seed, "cuda", seed % 10 == 0 ? 300'000 : 5000));
}

TEST_F(segments_on_gpu, skewed_keys_of_one_long_segment) {
  for (const char* const workload : {"equal", "few:3", "and:5", "window:0:8", "sorted", "zipf:0.75"})
    for (const key_type type : {key_type::u32, key_type::f64, key_type::u128}) {
      segment_case c{.type = type, .shape = shape_of("one", 500'000, 2), .workload = workload, .seed = 9};
      c.carries = payload::indices;
      c.value_bytes = 4;
      expect_right(c);
    }
}

TEST_F(segments_on_gpu, a_captured_graph_takes_other_offsets_and_keys) {
  constexpr std::size_t n = 200'000;
  std::vector<std::uint32_t> keys(n);
  const std::vector<std::uint64_t> first{0, 10, 100'000, n}, second{0, 150'000, 150'001, 150'100};
  const device_array<std::uint32_t> in(n), out(n);
  const device_array<std::uint64_t> offsets(first);
  const device::stream stream;
  const segmented_request request{
      {.type = key_type::u32, .n = n, .keys_in = in.span().data(), .keys_out = out.span().data()},
      segments::by_offsets(offsets.span())};
  options opts{.engine = "cuda", .memory = memory::device, .stream = stream.get()};
  const device_array<std::uint64_t> space(workspace_bytes(request, opts) / 8 + 16);
  opts.workspace = std::as_writable_bytes(space.span());
  const captured_graph graph(stream.get(), [&] { run(request, opts); });
  for (const std::vector<std::uint64_t>& now : {first, second}) {
    for (std::size_t i = 0; i < n; ++i)
      keys[i] = std::uint32_t((i + now[1]) * 2654435761u);
    const_cast<device_array<std::uint32_t>&>(in).set(keys);
    const_cast<device_array<std::uint64_t>&>(offsets).set(now);
    graph.replay();
    std::vector<std::uint32_t> expected = keys;
    for (std::size_t s = 0; s + 1 < now.size(); ++s)
      std::sort(expected.begin() + std::ptrdiff_t(now[s]), expected.begin() + std::ptrdiff_t(now[s + 1]));
    std::vector<std::uint32_t> found = out.host();
    EXPECT_TRUE(std::equal(found.begin(), found.begin() + std::ptrdiff_t(now.back()), expected.begin()));
  }
}

TEST_F(segments_on_gpu, offsets_that_make_no_segments_are_told) {
  const device_array<std::uint32_t> keys(std::vector<std::uint32_t>(1000, 3)), status(std::vector<std::uint32_t>{77});
  const device_array<std::uint32_t> offsets(std::vector<std::uint32_t>{0, 500, 400, 1000});
  segmented_request request{
      {.type = key_type::u32, .n = 1000, .keys_in = keys.span().data(), .keys_out = keys.span().data()},
      segments::by_offsets(offsets.span())};
  request.arrays.device_status = status.span().data();
  options opts{.engine = "cuda", .memory = memory::device};
  run(request, opts);
  SORTILE_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_EQ(status.host().front(), 1u);
  opts.checked = true;
  expect_invalid([&] { run(request, opts); }, {"offsets", "device memory"});
  const_cast<device_array<std::uint32_t>&>(offsets).set({0, 400, 500, 1000});
  run(request, opts);
  EXPECT_EQ(status.host().front(), 0u);
}

} // namespace
} // namespace sortile::testing
