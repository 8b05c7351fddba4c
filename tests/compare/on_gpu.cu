// Sorts of structs and by any order on the GPU alone: streams, captured graphs, more than 2^32 structs.
#include "device/stream.hpp"
#include "tests/captured_graph.hpp"
#include "tests/compare/fixture.hpp"

namespace sortile::compare_tests::inline SORTILE_BACKEND {
namespace {

/// Captures a sort of `keys` that is described, and replays it with what `next(seed)` gives: keys, and how they are
/// sorted.
template <class T, class Described, class Next>
void check_replays(array<T>& keys, const Described& described, const Next& next) {
  const device::stream stream;
  testing::guarded_buffer space(workspace_bytes(described), 0, 0, where);
  const testing::captured_graph graph(stream.get(),
                                      [&] { run(described, {.workspace = space.bytes(), .stream = stream.get()}); });
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto [unsorted, sorted] = next(seed);
    std::memcpy(keys.span().data(), unsorted.data(), unsorted.size() * sizeof(T));
    graph.replay();
    keys.expect(sorted, "replayed");
  }
}

SIMT_TEST(struct_sort, a_captured_graph_sorts_other_structs_when_replayed) {
  constexpr std::size_t n = 100'000;
  array<three_words::type> keys(n);
  check_replays(keys, make_struct_sort(keys.span(), keys.span(), three_words{}), [](std::uint64_t seed) {
    const auto structs = random_structs<three_words>(n, seed);
    return std::pair(structs, in_order(structs, expected_order<three_words>(structs, order::ascending)));
  });
}

SIMT_TEST(any_order, a_captured_graph_sorts_other_keys_when_replayed) {
  constexpr std::size_t n = 200'000;
  array<std::uint64_t> keys(n);
  check_replays(keys, make_comparison_sort(keys.span(), keys.span(), on_device(downwards{})), [](std::uint64_t seed) {
    auto sorted = numbers(n, seed);
    std::sort(sorted.begin(), sorted.end(), downwards{});
    return std::pair(numbers(n, seed), sorted);
  });
}

/// Of blocks of 128, 256 and 512 threads, and of up to four passes.
SIMT_TEST(any_order, up_to_millions_of_keys) {
  for (const std::size_t n : {std::size_t{70'000}, std::size_t{600'000}, std::size_t{1'500'000}, std::size_t{2'600'000},
                              std::size_t{9'000'001}}) {
    SCOPED_TRACE(n);
    check_downwards(n);
  }
}

SIMT_TEST(struct_sort, millions_of_structs) {
  using T = mixed::type;
  const auto structs = random_structs<mixed>(5'000'000, 8);
  array<T> in(structs), out(structs.size());
  sortile::sort(in.span(), out.span(), mixed{}, {.order = order::descending});
  finish();
  out.expect(in_order(structs, expected_order<mixed>(structs, order::descending)), "five million");
}

/// Structs of one byte: their numbers before and after tell the whole story. Takes some 110 GiB.
SIMT_TEST(struct_sort, more_than_32_bits_can_number) {
  using T = one_byte::type;
  constexpr std::size_t n = (std::size_t{1} << 32) + 5;
  std::size_t free = 0, total = 0;
  SORTILE_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  const std::span<T> planned(reinterpret_cast<T*>(std::uintptr_t{1} << 40), n);
  const std::size_t wanted = n + workspace_bytes(make_struct_sort(planned, planned, one_byte{}));
  if (free < wanted)
    GTEST_SKIP() << wanted << " bytes of device memory are needed, " << free << " are free";
  std::vector<T> structs(n);
  std::vector<std::uint64_t> count(256);
  random_engine random(9);
  for (T& t : structs) {
    t.k = static_cast<std::int8_t>(random() >> 56);
    ++count[std::size_t(t.k + 128)];
  }
  T* keys = nullptr;
  SORTILE_CUDA_CHECK(cudaMalloc(&keys, n));
  SORTILE_CUDA_CHECK(cudaMemcpy(keys, structs.data(), n, cudaMemcpyDefault));
  sortile::sort(std::span(keys, n), one_byte{});
  SORTILE_CUDA_CHECK(cudaMemcpy(structs.data(), keys, n, cudaMemcpyDefault));
  SORTILE_CUDA_CHECK(cudaFree(keys));
  std::size_t i = 0;
  for (std::size_t k = 0; k < 256; ++k)
    for (std::uint64_t c = 0; c < count[k]; ++c, ++i)
      ASSERT_EQ(int(structs[i].k), int(k) - 128) << i;
}

} // namespace
} // namespace sortile::compare_tests::inline SORTILE_BACKEND
