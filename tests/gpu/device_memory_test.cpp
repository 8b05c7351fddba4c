// Sorts of arrays in device memory: every kind of request against the oracle, streams, graphs, threads, allocators.
#include "kernels/splitters/divide_kernel.hpp"
#include "kernels/splitters/splitter_sort.hpp"
#include "testing/request_case.hpp"
#include "testing/workloads.hpp"
#include "tests/captured_graph.hpp"
#include "tests/expect_refusal.hpp"
#include "tests/gpu/gpu_fixture.hpp"

#include <sortile/sortile.hpp>

#include <algorithm>
#include <numeric>
#include <thread>

namespace sortile::testing {
namespace {

class device_memory : public gpu {};

template <class T>
std::vector<T> random_keys(std::size_t n, std::uint64_t seed) {
  std::vector<T> keys(n);
  workload_named("uniform").fill({key_type_of<T>, n, seed}, 0, n, reinterpret_cast<std::byte*>(keys.data()));
  return keys;
}

template <class T>
std::vector<T> sorted(std::vector<T> keys) {
  std::sort(keys.begin(), keys.end());
  return keys;
}

void run_seeds(std::uint64_t first, std::uint64_t cases, std::size_t largest_n) {
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    request_case c = random_case(seed, {"cuda", ""}, largest_n);
    c.where = &managed_memory;
    const verdict v = check(c);
    ASSERT_TRUE(v) << v.complaint << "\n  in " << to_string(c);
  }
}

TEST_F(device_memory, random_small_requests) {
  run_seeds(90'000, 2000, 2000);
}
TEST_F(device_memory, random_medium_requests) {
  run_seeds(95'000, 400, 100'000);
}
TEST_F(device_memory, random_larger_requests) {
  run_seeds(98'000, 40, 3'000'000);
}

TEST_F(device_memory, sorts_in_the_order_of_a_stream) {
  const device::stream stream;
  const auto keys = random_keys<std::uint64_t>(1'000'000, 1);
  const device_array<std::uint64_t> in(keys.size()), out(keys.size());
  SORTILE_CUDA_CHECK(cudaMemcpyAsync(in.span().data(), keys.data(), keys.size() * 8, cudaMemcpyDefault, stream.get()));
  sortile::sort(in.span(), out.span(), {.memory = memory::device, .stream = stream.get()});
  stream.synchronize();
  EXPECT_EQ(out.host(), sorted(keys));
  EXPECT_EQ(in.host(), keys);
}

TEST_F(device_memory, the_example_of_the_page) {
  const auto given = random_keys<std::uint32_t>(100'000, 2);
  const device_array<std::uint32_t> array(given);
  const device::stream owner;
  std::uint32_t* const keys = array.span().data();
  const std::size_t n = given.size();
  const cudaStream_t stream = owner.get();
  sortile::sort(std::span(keys, n), {.memory = sortile::memory::device, .stream = stream});
  cudaStreamSynchronize(stream);
  EXPECT_EQ(array.host(), sorted(given));
}

TEST_F(device_memory, a_captured_graph_sorts_other_keys_when_replayed) {
  for (const std::size_t n : {std::size_t{3000}, std::size_t{100'000}, std::size_t{5'000'000}}) {
    const device::stream stream;
    device_array<std::uint32_t> keys(n), values(n);
    options opts{.memory = memory::device, .stream = stream.get()};
    const sort_request request{.n = n,
                               .keys_in = keys.span().data(),
                               .keys_out = keys.span().data(),
                               .carries = payload::values,
                               .value_bytes = 4,
                               .values_in = values.span().data(),
                               .values_out = values.span().data()};
    const device_array<std::byte> workspace(workspace_bytes(request, opts));
    opts.workspace = workspace.span();
    const captured_graph graph(stream.get(), [&] { run(request, opts); });
    std::vector<std::uint32_t> positions(n);
    std::iota(positions.begin(), positions.end(), 0u);
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto now = seed == 3 ? std::vector<std::uint32_t>(n, 7) : random_keys<std::uint32_t>(n, seed);
      keys.set(now);
      values.set(positions);
      graph.replay();
      std::vector<std::uint32_t> order = positions;
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return now[a] < now[b]; });
      EXPECT_EQ(keys.host(), sorted(now)) << n << ", " << seed;
      EXPECT_EQ(values.host(), order) << n << ", " << seed;
    }
  }
}

/// Uniform keys, keys of which half are frequent, and uniform ones again: a map, heavy buckets and the verdict are of
/// the keys that are there, not of those before.
TEST_F(device_memory, a_captured_graph_has_a_map_for_each_replay) {
  constexpr std::size_t n = std::size_t{1} << 22;
  const auto uniform = random_keys<std::uint64_t>(n, 1);
  std::vector<std::uint64_t> half_zeros = random_keys<std::uint64_t>(n, 2);
  for (std::size_t i = 0; i < n; i += 2)
    half_zeros[i] = 0;
  for (const bool in_place : {false, true}) {
    const device::stream stream;
    device_array<std::uint64_t> keys(n), out(n);
    const auto& to = in_place ? keys : out;
    options opts{.memory = memory::device, .stream = stream.get()};
    const sort_request request{
        .type = key_type::u64, .n = n, .keys_in = keys.span().data(), .keys_out = to.span().data()};
    const device_array<std::byte> workspace(workspace_bytes(request, opts));
    opts.workspace = workspace.span();
    const captured_graph graph(stream.get(), [&] { run(request, opts); });
    for (const std::vector<std::uint64_t>* given : {&uniform, &std::as_const(half_zeros), &uniform}) {
      keys.set(*given);
      graph.replay();
      EXPECT_TRUE(to.host() == sorted(*given)) << (in_place ? "in place" : "apart");
      EXPECT_TRUE(in_place || keys.host() == *given);
    }
  }
}

/// Sorts pairs of a key and its position, in place, and checks them.
template <class Key>
void check_pairs(const std::vector<Key>& given, const char* what) {
  std::vector<std::uint64_t> order(given.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const device_array<Key> keys(given);
  const device_array<std::uint64_t> values(order);
  sortile::sort_by_key(keys.span(), values.span(), {.memory = memory::device});
  SORTILE_CUDA_CHECK(cudaDeviceSynchronize());
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return given[a] < given[b]; });
  EXPECT_EQ(values.host(), order) << what;
  EXPECT_TRUE(keys.host() == sorted(given)) << what;
}
/// By which the first splitters of so many keys are chosen.
template <class Word, class Image>
std::uint32_t samples_of_splitters(std::uint64_t n) {
  return kernels::divide_kernel<Word, kernels::no_value, Image>::split::choice_of_splitters::samples_for(
      kernels::partition_plan::between_splitters(n).first_bits, kernels::detail::splitter_samples);
}
// Of the three sorts that are launched for so many pairs each has its turn: the partitions for even keys; those between
// splitters for keys of all magnitudes; and the passes where the places that both samples draw from tell lies.
TEST_F(device_memory, pairs_that_are_skewed_are_sorted_by_whoever_can) {
  constexpr std::uint32_t n = (std::uint32_t{1} << 24) + 7;
  auto keys = random_keys<std::uint64_t>(n, 5);
  check_pairs(keys, "even");
  auto skewed = keys;
  for (std::uint32_t i = 0; i < n; ++i)
    skewed[i] >>= keys[i] % 61;
  check_pairs(skewed, "of all magnitudes");
  const std::uint32_t samples = samples_of_splitters<std::uint64_t, kernels::any_image<std::uint64_t>>(n);
  std::vector<std::uint64_t> hidden(n);
  for (std::uint32_t i = 0; i < n; ++i)
    hidden[i] = keys[i] % 4096 + 17; // all of them in one bucket between any two samples
  for (std::uint32_t i = 0; i < samples; ++i)
    hidden[kernels::drawn_place(i, samples, n)] = keys[i] | std::uint64_t{1} << 40;
  check_pairs(hidden, "hidden from the samples");
}

/// Sorts keys of 128 bits, apart, and checks them.
void check_wide_keys(const std::vector<uint128>& given, const char* what) {
  const device_array<uint128> in(given), out(given.size());
  sortile::sort(in.span(), out.span(), {.memory = memory::device});
  SORTILE_CUDA_CHECK(cudaDeviceSynchronize());
  EXPECT_TRUE(out.host() == sorted(given)) << what;
  EXPECT_TRUE(in.host() == given) << what;
}
// The same of 128-bit keys alone; and of pairs, which go between splitters at once, but for those that passes suit.
TEST_F(device_memory, wide_keys_that_are_skewed_are_sorted_by_whoever_can) {
  constexpr std::uint32_t n = (std::uint32_t{1} << 24) + 7;
  const auto keys = random_keys<uint128>(n, 5);
  check_wide_keys(keys, "even");
  auto skewed = keys;
  for (std::uint32_t i = 0; i < n; ++i)
    skewed[i] >>= unsigned(keys[i] % 125);
  check_wide_keys(skewed, "of all magnitudes");
  for (std::uint32_t i = 0; i < n; ++i)
    skewed[i] = keys[i] & keys[(i + 1) % n] & keys[(i + 2) % n];
  check_wide_keys(skewed, "few bits set");
  check_pairs(skewed, "few bits set, pairs");
  const std::uint32_t samples = samples_of_splitters<uint128, kernels::integer_image<uint128>>(n);
  std::vector<uint128> hidden(n);
  for (std::uint32_t i = 0; i < n; ++i)
    hidden[i] = keys[i] >> 64; // all of them in one bucket between any two samples
  for (std::uint32_t i = 0; i < samples; ++i)
    hidden[kernels::drawn_place(i, samples, n)] = keys[i] | uint128{1} << 100;
  check_wide_keys(hidden, "hidden from the samples");
  check_pairs(hidden, "hidden from the samples, pairs");
  check_pairs(sorted(keys), "in order");
  for (std::uint32_t i = 0; i < n; ++i)
    skewed[i] = keys[i] & 0xff0000ff00ff00ff;
  check_pairs(skewed, "four digits");
}

TEST_F(device_memory, several_threads_sort_on_streams_of_their_own) {
  std::vector<std::thread> threads;
  std::vector<int> right(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &right] {
      const device::stream stream;
      for (int round = 0; round < 20; ++round) {
        const auto keys = random_keys<std::uint32_t>(200'000 + std::size_t(t) * 1000, std::uint64_t(t * 100 + round));
        const device_array<std::uint32_t> array(keys);
        sortile::sort(array.span(), {.memory = memory::device, .stream = stream.get()});
        stream.synchronize();
        right[std::size_t(t)] += array.host() == sorted(keys) ? 1 : 0;
      }
    });
  for (std::thread& t : threads)
    t.join();
  EXPECT_EQ(right, std::vector<int>(4, 20));
}

TEST_F(device_memory, ten_thousand_sorts_of_one_input_give_one_result) {
  const auto keys = random_keys<std::uint32_t>(300'000, 9); // by partitions
  const device_array<std::uint32_t> in(keys), out(keys.size()), positions(keys.size());
  std::vector<std::uint32_t> first_keys, first_positions;
  for (int round = 0; round < 10'000; ++round) {
    const options opts{.memory = memory::device};
    if (round % 2 == 0)
      sortile::sort(in.span(), out.span(), opts);
    else
      sortile::argsort(in.span(), positions.span(), opts);
    if (round == 1) {
      first_keys = out.host();
      first_positions = positions.host();
      EXPECT_EQ(first_keys, sorted(keys));
    } else if (round > 1) {
      ASSERT_EQ(round % 2 == 0 ? out.host() : positions.host(), round % 2 == 0 ? first_keys : first_positions) << round;
    }
  }
}

TEST_F(device_memory, n_may_lie_on_the_device) {
  const auto keys = random_keys<std::uint32_t>(600'000, 6); // more than one launch of blocks that are resident takes
  const device_array<std::uint32_t> in(keys), out(std::vector<std::uint32_t>(keys.size(), 7)), positions(keys.size());
  for (const std::uint64_t count :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{470'001}, std::uint64_t{600'000}, std::uint64_t{1'000'000}}) {
    const device_array<std::uint64_t> n(std::vector<std::uint64_t>{count});
    const sort_request request{.n = keys.size(),
                               .keys_in = in.span().data(),
                               .keys_out = out.span().data(),
                               .carries = payload::indices,
                               .value_bytes = 4,
                               .values_out = positions.span().data(),
                               .device_n = n.span().data()};
    const auto before = out.host();
    const device_array<std::uint32_t> status(std::vector<std::uint32_t>{77});
    auto told = request;
    told.device_status = status.span().data();
    run(told, {.memory = memory::device});
    EXPECT_EQ(status.host().front(), count > keys.size() ? 1u : 0u) << count;
    const std::size_t real = std::min<std::size_t>(count, keys.size());
    auto expected = before;
    std::copy(keys.begin(), keys.begin() + std::ptrdiff_t(real), expected.begin());
    std::sort(expected.begin(), expected.begin() + std::ptrdiff_t(real));
    EXPECT_EQ(out.host(), expected) << count;
    const auto order = positions.host();
    for (std::size_t i = 0; i < real; ++i)
      ASSERT_EQ(keys[order[i]], expected[i]) << count << ", " << i;
  }
}

TEST_F(device_memory, checked_calls_throw_what_only_the_device_sees) {
  const auto keys = random_keys<std::uint32_t>(10'000, 8);
  const device_array<std::uint32_t> array(keys);
  const device_array<std::uint64_t> fits(std::vector<std::uint64_t>{keys.size()}),
      exceeds(std::vector<std::uint64_t>{keys.size() + 1});
  sort_request request{.n = keys.size(), .keys_in = array.span().data(), .keys_out = array.span().data()};
  const options opts{.memory = memory::device, .checked = true};
  EXPECT_NO_THROW(run(request, opts));
  request.device_n = fits.span().data();
  EXPECT_NO_THROW(run(request, opts));
  request.device_n = exceeds.span().data();
  expect_invalid([&] { run(request, opts); }, {"device_n", "10001", "10000"});
  EXPECT_EQ(array.host(), sorted(keys));
  request.n = 0;
  expect_invalid([&] { run(request, opts); }, {"device_n", "10001"});
}

/// Notes what is asked of it.
class noting_resource final : public device_memory_resource {
 public:
  void* allocate(std::size_t bytes, void*) override {
    void* memory = nullptr;
    SORTILE_CUDA_CHECK(cudaMalloc(&memory, bytes));
    given += bytes;
    return memory;
  }
  void deallocate(void* memory, std::size_t bytes, void* stream) noexcept override {
    static_cast<void>(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    static_cast<void>(cudaFree(memory));
    returned += bytes;
  }
  std::size_t given = 0, returned = 0;
};

TEST_F(device_memory, workspace_comes_from_the_callers_allocator) {
  const auto keys = random_keys<float>(300'000, 4);
  const device_array<float> array(keys);
  noting_resource notes;
  const options opts{.memory = memory::device, .resource = &notes};
  sortile::sort(array.span(), opts);
  EXPECT_GT(notes.given, 0u);
  EXPECT_LE(
      notes.given,
      workspace_bytes(
          {.type = key_type::f32, .n = keys.size(), .keys_in = array.span().data(), .keys_out = array.span().data()},
          opts));
  EXPECT_EQ(notes.returned, notes.given);
}

TEST_F(device_memory, one_workspace_serves_fewer_keys_wherever_they_lie) {
  constexpr std::size_t most = 5'000'000;
  options opts{.memory = memory::device};
  sort_request request{.type = key_type::u64, .n = most, .carries = payload::values, .value_bytes = 8};
  const device_array<std::byte> workspace(workspace_bytes(request, opts));
  opts.workspace = workspace.span();
  device_array<std::uint64_t> keys(most + 1), sorted_keys(most + 1), values(most + 1), sorted_values(most + 1);
  for (const std::size_t n : {most, std::size_t{1} << 20, std::size_t{300'001}, std::size_t{5000}, std::size_t{10}})
    for (const std::size_t on : {0, 1})
      for (const bool in_place : {false, true}) {
        auto given = random_keys<std::uint64_t>(most + 1, n + on);
        keys.set(given);
        values.set(given);
        request.n = n;
        request.keys_in = keys.span().data() + on;
        request.values_in = values.span().data() + on;
        request.keys_out = (in_place ? keys : sorted_keys).span().data() + on;
        request.values_out = (in_place ? values : sorted_values).span().data() + on;
        run(request, opts);
        const auto first = given.begin() + std::ptrdiff_t(on);
        std::sort(first, first + std::ptrdiff_t(n));
        for (const auto* out : {in_place ? &keys : &sorted_keys, in_place ? &values : &sorted_values}) {
          const auto got = out->host();
          EXPECT_TRUE(std::equal(first, first + std::ptrdiff_t(n), got.begin() + std::ptrdiff_t(on)))
              << n << " keys, " << on << " on" << (in_place ? ", in place" : "");
        }
      }
}

TEST_F(device_memory, a_double_buffer_takes_no_third_copy) {
  const auto check = [](const auto& given, bool pairs, const char* what) {
    using Key = typename std::decay_t<decltype(given)>::value_type;
    const std::size_t n = given.size();
    std::vector<std::uint64_t> order(n);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    const device_array<Key> keys(given), out(n);
    const device_array<std::uint64_t> values(order), values_out(n);
    sort_request request{.type = key_type_of<Key>,
                         .n = n,
                         .keys_in = keys.span().data(),
                         .keys_out = out.span().data(),
                         .input_is_scratch = true};
    if (pairs) {
      request.carries = payload::values;
      request.value_bytes = 8;
      request.values_in = values.span().data();
      request.values_out = values_out.span().data();
    }
    options opts{.memory = memory::device};
    const std::size_t bytes = workspace_bytes(request, opts);
    EXPECT_LT(bytes, n * (sizeof(Key) + 8) / 4) << what;
    const device_array<std::byte> workspace(bytes);
    opts.workspace = workspace.span();
    run(request, opts);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return given[a] < given[b]; });
    EXPECT_TRUE(out.host() == sorted(given)) << what;
    EXPECT_TRUE(!pairs || values_out.host() == order) << what;
  };
  constexpr std::size_t n = (std::size_t{1} << 24) + 7;
  for (const bool pairs : {false, true}) {
    check(random_keys<std::uint32_t>(n, 1), pairs, "u32");
    check(random_keys<std::uint64_t>(n, 2), pairs, "u64");
    check(random_keys<uint128>(n / 2, 2), pairs, "u128");
    auto skewed = random_keys<std::uint64_t>(n, 3);
    for (auto& key : skewed)
      key >>= key % 61;
    check(skewed, pairs, "u64, skewed");
    check(sorted(skewed), pairs, "u64, in order");
  }
  auto clusters = random_keys<std::uint32_t>(n, 4);
  for (auto& key : clusters)
    key = key >> 16 << 16 | (key & 63);
  check(clusters, true, "u32, in clusters");
}

TEST_F(device_memory, pageable_arrays_are_refused) {
  std::vector<std::uint32_t> pageable(1000);
  int reaches = 0;
  SORTILE_CUDA_CHECK(cudaDeviceGetAttribute(&reaches, cudaDevAttrPageableMemoryAccess, 0));
  if (reaches != 0)
    GTEST_SKIP() << "this device reaches pageable memory";
  expect_refusal<invalid_argument>([&] { sort(pageable, {.memory = memory::device}); }, status::invalid_argument,
                                   {"keys_in", "pageable"});
  const device_array<std::uint32_t> keys(1000);
  const std::uint64_t n = 5;
  sort_request request{.n = 1000, .keys_in = keys.span().data(), .keys_out = keys.span().data(), .device_n = &n};
  expect_invalid([&] { run(request, {.memory = memory::device}); }, {"device_n", "pageable"});
}

TEST_F(device_memory, too_small_a_workspace_is_refused) {
  const device_array<std::uint32_t> keys(100'000);
  const device_array<std::byte> workspace(1000);
  expect_refusal<workspace_too_small>(
      [&] { sortile::sort(keys.span(), {.workspace = workspace.span(), .memory = memory::device}); },
      status::workspace_too_small, {"1000"});
}

} // namespace
} // namespace sortile::testing
