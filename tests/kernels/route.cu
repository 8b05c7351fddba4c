// Routing through its host calls, on many schedules: one launch of clusters, and three launches, which must agree with
// a loop and so with each other.
#include "kernels/route/route.hpp"
#include "tests/simt/fixture.hpp"

#include <sortile/error.hpp>
#include <sortile/route.hpp>

#include <algorithm>

namespace sortile::simt_tests {
namespace {

enum class way { few, many };

template <class Word>
struct routing {
  std::size_t n;
  std::uint32_t experts, block = 1;
  unsigned present = 0; // of so many experts; 0: of all, and one number in four is of none
};

std::uint32_t expert_of(std::uint32_t drawn, std::uint32_t experts, unsigned present) {
  return present != 0 ? drawn % present * (experts / present) : drawn % (experts + experts / 4 + 1);
}

template <class Word>
void check_routing(simt::queue q, way by, routing<Word> r) {
  SCOPED_TRACE("n " + std::to_string(r.n) + ", experts " + std::to_string(r.experts) + ", block " +
               std::to_string(r.block) + ", present " + std::to_string(r.present) +
               (by == way::few ? ", few" : ", many"));
  const auto drawn = noise(r.n + 1, std::uint32_t(r.n) + r.experts);
  std::vector<Word> numbers(r.n + 1);
  std::vector<std::vector<std::uint32_t>> pairs(r.experts);
  for (std::uint32_t i = 0; i < r.n; ++i) {
    numbers[i] = Word(expert_of(drawn[i], r.experts, r.present));
    if (numbers[i] < r.experts)
      pairs[std::size_t(numbers[i])].push_back(i);
  }
  const auto rows = std::uint32_t(route_rows(r.n, r.experts, r.block));
  std::vector<std::uint32_t> order, inverse(r.n + 1, ~0u), offsets{0}, blocks;
  for (std::uint32_t e = 0; e < r.experts; ++e) {
    for (const std::uint32_t i : pairs[e]) {
      inverse[i] = std::uint32_t(order.size());
      order.push_back(i);
    }
    order.resize((order.size() + r.block - 1) / r.block * r.block, std::uint32_t(r.n));
    offsets.push_back(std::uint32_t(order.size()));
    blocks.resize(order.size() / r.block, e);
  }
  order.resize(rows + 1, std::uint32_t(r.n));
  blocks.resize(rows / r.block + 1, ~0u);
  order.back() = inverse.back() = blocks.back() = 0xa5a5a5a5u; // behind the arrays
  const buffer<Word> in(numbers);
  const buffer<std::uint32_t> order_out(rows + 1, 0xa5a5a5a5u), inverse_out(r.n + 1, 0xa5a5a5a5u),
      offsets_out(r.experts + 1, 0xa5a5a5a5u), blocks_out(rows / r.block + 1, 0xa5a5a5a5u);
  const buffer<std::uint64_t> workspace(kernels::route_workspace_bytes(r.n, r.experts) / 8 + 16, 0xa5a5a5a5a5a5a5a5u);
  auto* const space = reinterpret_cast<std::byte*>(workspace.view().data());
  const auto misaligned = reinterpret_cast<std::uintptr_t>(space) % 128;
  const kernels::route_job<Word> job{.experts = in.view().data(),
                                     .n = std::uint32_t(r.n),
                                     .expert_count = r.experts,
                                     .limit = r.experts,
                                     .block = r.block,
                                     .rows = rows,
                                     .in_one_launch = by == way::few,
                                     .offsets = offsets_out.view().data(),
                                     .order = order_out.view().data(),
                                     .inverse = inverse_out.view().data(),
                                     .block_experts = blocks_out.view().data(),
                                     .workspace = space + (128 - misaligned) % 128};
  kernels::route(q, job);
  EXPECT_EQ(offsets_out.host(), offsets);
  EXPECT_EQ(order_out.host(), order);
  EXPECT_EQ(inverse_out.host(), inverse);
  EXPECT_EQ(blocks_out.host(), blocks);
}

SIMT_TEST(route, one_launch) {
  if (architecture() < 90)
    GTEST_SKIP() << "clusters need sm_90";
  on_every_schedule(
      [](simt::queue q) {
        check_routing<std::uint32_t>(q, way::few, {.n = 0, .experts = 3});
        check_routing<std::uint32_t>(q, way::few, {.n = 1, .experts = 1});
        check_routing<std::uint16_t>(q, way::few, {.n = 300, .experts = 9, .block = 16});
        check_routing<std::uint32_t>(q, way::few, {.n = 4095, .experts = 200, .block = 8});
      },
      2);
  on_every_schedule([](simt::queue q) { check_routing<std::uint64_t>(q, way::few, {.n = 5000, .experts = 1024}); }, 2);
}

SIMT_TEST(route, one_launch_of_several_clusters) {
  if (architecture() < 90)
    GTEST_SKIP() << "clusters need sm_90";
  on_every_schedule(
      [](simt::queue q) {
        check_routing<std::uint32_t>(q, way::few, {.n = 9000, .experts = 64, .present = 1});
        for (const std::uint32_t experts : a_few(1, {1u, 8u, 13u, 1000u}))
          check_routing<std::uint32_t>(q, way::few, {.n = 20'000, .experts = experts, .block = 4});
      },
      0);
}

SIMT_TEST(route, two_pairs_a_thread) {
  if (architecture() < 90)
    GTEST_SKIP() << "clusters need sm_90";
  on_every_schedule(
      [](simt::queue q) {
        check_routing<std::uint8_t>(q, way::few, {.n = 65'600, .experts = 100, .present = 5});
        check_routing<std::uint32_t>(q, way::few, {.n = std::size_t{1} << 17, .experts = 512});
      },
      0);
}

SIMT_TEST(route, three_launches) {
  on_every_schedule(
      [](simt::queue q) {
        check_routing<std::uint32_t>(q, way::many, {.n = 0, .experts = 3});
        check_routing<std::uint8_t>(q, way::many, {.n = 300, .experts = 9, .block = 16});
        check_routing<std::uint64_t>(q, way::many, {.n = 5000, .experts = 33, .block = 8});
        check_routing<std::uint32_t>(q, way::many, {.n = 2049, .experts = 4096, .present = 2});
      },
      2);
  on_every_schedule(
      [](simt::queue q) {
        check_routing<std::uint16_t>(q, way::many, {.n = 50'000, .experts = 1025, .block = 3});
        check_routing<std::uint32_t>(q, way::many, {.n = 600'000, .experts = 40}); // more than a tile a block
      },
      0);
}

SIMT_TEST(route, misuse) {
  const kernels::route_job<std::uint32_t> job{.n = 8, .expert_count = 4, .limit = 4, .rows = 8, .in_one_launch = true};
  const auto q = [] {
#if SORTILE_ON_CUDA
    return simt::queue::cuda(nullptr);
#else
    static executor::device device;
    return simt::queue::executor(device);
#endif
  }();
  EXPECT_THROW(kernels::route(q, job), invalid_argument); // experts is null
  const std::uint32_t experts[8] = {};
  auto with = job;
  with.experts = experts;
  with.limit = 5;
  EXPECT_THROW(kernels::route(q, with), invalid_argument);
  with.limit = 4;
  with.rows = 7;
  EXPECT_THROW(kernels::route(q, with), invalid_argument);
  with.rows = 8;
  with.in_one_launch = false;
  EXPECT_THROW(kernels::route(q, with), invalid_argument); // no workspace
  with.in_one_launch = true;
  with.expert_count = with.limit = 1025;
  EXPECT_THROW(kernels::route(q, with), invalid_argument);
}

} // namespace
} // namespace sortile::simt_tests
