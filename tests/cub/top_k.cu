// DeviceTopK: every call, k from none to more than there are, ties by position.
#include "tests/cub/fixture.hpp"

namespace sortile::cub_tests::inline SORTILE_BACKEND {
namespace {

using cub::DeviceTopK;

template <class K, class V, class Count>
void check_top(std::size_t n, Count k, std::size_t off = 0) {
  const auto keys = random_keys<K>(n, n);
  const auto values = numbered<V>(n);
  const std::size_t found = std::min<std::size_t>(std::size_t(k), n);
  SCOPED_TRACE(std::to_string(found) + " of " + std::to_string(n));
  for (const bool largest : {false, true}) {
    auto positions = positions_in_order(keys, {.descending = largest});
    positions.resize(found);
    array<K> in(keys), out(found), pairs_out(found);
    array<V> values_in(values), values_out(found);
    const K* const from = in.span().data();
    in_two_phases(
        [&](void* s, std::size_t& b) {
          return largest ? DeviceTopK::MaxKeys(s, b, from, out.span().data(), n, k)
                         : DeviceTopK::MinKeys(s, b, from, out.span().data(), n, k, cudaStream_t{});
        },
        off);
    out.expect(in_order(keys, positions), "keys");
    in_two_phases([&](void* s, std::size_t& b) {
      V* const v = values_in.span().data();
      return largest ? DeviceTopK::MaxPairs(s, b, from, pairs_out.span().data(), v, values_out.span().data(), n, k)
                     : DeviceTopK::MinPairs(s, b, from, pairs_out.span().data(), v, values_out.span().data(), n, k);
    });
    in.expect(keys, "input");
    values_in.expect(values, "input values");
    pairs_out.expect(in_order(keys, positions), "keys of pairs");
    values_out.expect(in_order(values, positions), "values");
  }
}

struct three_bytes {
  char bytes[3];
};

SIMT_TEST(cub_top_k, of_short_arrays) {
  check_top<int, float>(1000, 0);
  check_top<int, float>(1000, 1u);
  check_top<std::uint64_t, std::uint64_t>(3000, 77, 5);
  check_top<double, three_bytes>(3000, std::int64_t{3000});
  check_top<__half, std::uint32_t>(500, std::size_t{501});
  check_top<__nv_bfloat16, std::uint32_t>(0, 3);
}

SIMT_TEST(cub_top_k, of_long_arrays) {
  check_top<float, std::uint32_t>(SORTILE_ON_CUDA ? 3'000'000 : 70'000, 100, 1);
  check_top<std::uint32_t, three_bytes>(SORTILE_ON_CUDA ? 3'000'000 : 70'000, 2000);
}

/// As cuda::stream_ref has its stream.
struct stream_holder {
  cudaStream_t get() const { return nullptr; }
};

SIMT_TEST(cub_top_k, takes_what_holds_a_stream) {
  const std::vector<int> keys{5, 1, 4, 1, 3};
  array<int> in(keys), out(2);
  in_two_phases([&](void* s, std::size_t& b) {
    return DeviceTopK::MinKeys(s, b, in.span().data(), out.span().data(), 5, 2, stream_holder{});
  });
  out.expect({1, 1}, "keys");
}

SIMT_TEST(cub_top_k, refuses_what_cannot_be) {
  int* const none = nullptr;
  std::size_t bytes = 0;
  EXPECT_EQ(DeviceTopK::MaxKeys(nullptr, bytes, none, none, 10, -1), cudaErrorInvalidValue);
  EXPECT_NE(std::string(cub::last_error_message()).find("k is -1"), std::string::npos);
  EXPECT_EQ(DeviceTopK::MaxKeys(nullptr, bytes, none, none, -10, 1), cudaErrorInvalidValue);
}

} // namespace
} // namespace sortile::cub_tests::inline SORTILE_BACKEND
