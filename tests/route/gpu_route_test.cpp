// Routings of arrays in device memory, on a GPU: the cases of the executor, large ones, and a captured graph.
#include "tests/captured_graph.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/route/route_case.hpp"

namespace sortile::testing {
namespace {

class gpu_route : public gpu {};

TEST_F(gpu_route, RandomCases) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    route_case c = random_route(seed, "", 1'000'000);
    c.where = &managed_memory;
    const auto found = check_route(c);
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST_F(gpu_route, OneLaunchAtItsBounds) {
  for (const std::size_t n : {0, 1, 31, 4096, 4097, 65536, 65537, 131072, 131073})
    for (const std::size_t expert_count : {1, 8, 64, 1023, 1024})
      for (const spread experts : all_spreads) {
        const auto found = check_route({.type = key_type::i64,
                                        .n = n,
                                        .expert_count = expert_count,
                                        .block = 64,
                                        .experts = experts,
                                        .seed = 2,
                                        .where = &managed_memory});
        ASSERT_TRUE(found) << found.complaint;
      }
}

TEST_F(gpu_route, ManyPairs) {
  for (const std::size_t expert_count : {8, 1024, 4096}) {
    const auto found = check_route({.n = 30'000'001,
                                    .expert_count = expert_count,
                                    .experts = spread::some_dropped,
                                    .seed = 2,
                                    .where = &managed_memory});
    ASSERT_TRUE(found) << found.complaint;
  }
}

TEST_F(gpu_route, IsCapturedAndReplayedWithOtherExperts) {
  const std::size_t n = 20'000, expert_count = 64;
  device_array<std::int32_t> experts(n);
  device_array<std::uint32_t> order(n), offsets(expert_count + 1);
  const device::stream stream;
  const options opts{.memory = memory::device, .stream = stream.get()};
  const captured_graph graph(stream.get(), [&] {
    run(route_request{.n = n,
                      .experts = experts.span().data(),
                      .expert_count = expert_count,
                      .offsets = offsets.span().data(),
                      .order = order.span().data()},
        opts); // one launch, no workspace
  });
  for (std::uint32_t step = 1; step < 4; ++step) {
    std::vector<std::int32_t> given(n);
    for (std::size_t i = 0; i < n; ++i)
      given[i] = static_cast<std::int32_t>(i * step * 7919 % 67) - 1;
    experts.set(given);
    graph.replay();
    const auto wanted = route(given, expert_count);
    EXPECT_EQ(offsets.host(), wanted.offsets);
    auto found = order.host();
    found.resize(wanted.order.size());
    ASSERT_EQ(found, wanted.order) << step;
  }
}

} // namespace
} // namespace sortile::testing
