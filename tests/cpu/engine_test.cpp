// The CPU engine against the oracle: every step, by random trials and by inputs that are made for one.
#include "cpu/split_choice.hpp"
#include "cpu/vector_sort.hpp"
#include "tests/cpu/engine_trials.hpp"

#include <optional>
#include <thread>

namespace sortile {
namespace {

using namespace cpu_tests;
using testing::guarded_buffer;

TEST(CpuEngine, EveryStepWithSmallTuning) {
  random_trials trials(20261);
  for (std::size_t i = 0; i < rounds(1500) && !::testing::Test::HasFatalFailure(); ++i) {
    const small_tuning sizes(std::size_t{2048} << trials.below(5), std::size_t{1} << (6 + trials.below(10)),
                             cpu::all_instruction_sets[trials.below(3)]);
    check(trials.next(12000));
  }
}

// Too little for spare arrays: partitions in place, several levels of them, stable.
TEST(CpuEngine, WithinLittleWorkspace) {
  random_trials trials(11);
  std::size_t in_place = 0;
  for (std::size_t i = 0; i < rounds(400) && !::testing::Test::HasFatalFailure(); ++i) {
    const small_tuning sizes(std::size_t{1024} << trials.below(4), std::size_t{1} << (8 + trials.below(12)),
                             cpu::all_instruction_sets[trials.below(3)]);
    cpu::tuning().block_bytes = std::size_t{64} << trials.below(3);
    trial t = trials.next(1);
    t.n = 3000 + trials.below(40'000);
    t.limit = std::size_t{700} << 10;
    if (t.carries == payload::values)
      t.value_bytes = std::size_t{4} << trials.below(3);
    if (t.carries == payload::indices)
      t.keys_wanted = true;
    const std::size_t usual = plan_of(t).workspace_bytes;
    in_place += usual > t.limit;
    check(t);
  }
  EXPECT_GT(in_place, rounds(400) / 4);
}

// Whatever a limit leaves of buffers and threads, the sort keeps to the scratch that its plan has taken for it.
TEST(CpuEngine, AnyLimitIsKeptByAnyThreads) {
  random_trials trials(14);
  std::size_t in_place = 0;
  for (std::size_t i = 0; i < rounds(150) && !::testing::Test::HasFatalFailure(); ++i) {
    const small_tuning sizes(std::size_t{768} << 10, 4096, cpu::all_instruction_sets[trials.below(3)]);
    trial t = trials.next(1);
    t.n = 100'000 + trials.below(300'000);
    t.threads = 2 + static_cast<unsigned>(trials.below(15));
    if (t.carries == payload::values)
      t.value_bytes = std::size_t{4} << trials.below(3);
    t.keys_wanted = true;
    const std::size_t usual = plan_of(t).workspace_bytes, least = std::size_t{1200} << 10;
    if (usual <= least)
      continue;
    t.limit = least + trials.below(usual - least);
    ++in_place;
    check(t);
  }
  EXPECT_GT(in_place, rounds(150) / 3);
}

// Keys of 128 bits that are nearly in order: some exchanged, alone and side by side, and more than are merged.
TEST(CpuEngine, WideKeysNearlyInOrder) {
  random_trials trials(15);
  for (const key_type type : {key_type::u128, key_type::i128})
    for (const std::size_t n : {129u, 1000u, 30'000u})
      for (const std::size_t exchanged : {std::size_t{1}, std::size_t{7}, n / 100, n / 40, n / 10})
        for (const std::size_t beside : {1u, 2u, 3u, 4u})
          for (const form how : {form::in_place, form::out_of_place}) {
            const order direction = trials.below(2) == 0 ? order::ascending : order::descending;
            trial t{type,
                    n,
                    direction == order::ascending ? "sorted" : "reversed",
                    payload::none,
                    0,
                    how,
                    true,
                    direction,
                    {},
                    1 + static_cast<unsigned>(trials.below(6)),
                    7};
            if (trials.below(4) == 0)
              t.bits = {8, 120};
            t.change = [&](std::byte* keys) {
              auto* const all = reinterpret_cast<unsigned char(*)[16]>(keys);
              for (std::size_t i = 0; i < exchanged; ++i) {
                const std::size_t a = trials.below(n - beside), b = trials.below(n - beside);
                for (std::size_t j = 0; j < beside; ++j)
                  std::swap(all[a + j], all[b + j]);
              }
            };
            check(t);
            if (::testing::Test::HasFatalFailure())
              return;
          }
}

TEST(CpuEngine, LimitsThatCannotBeKeptNameTheLeast) {
  random_trials trials(12);
  trial t = trials.next(1);
  t.type = key_type::u64;
  t.threads = 2;
  t.n = 3'000'000;
  t.carries = payload::values;
  t.value_bytes = 3; // would have to be widened
  const auto complaint = [&](std::size_t limit) -> std::string {
    options opts;
    opts.workspace_limit = limit;
    try {
      sort_request request = request_of(t);
      (void)cpu::cpu_engine().make_plan(request, opts, 2);
    } catch (const workspace_too_small& e) {
      return e.what();
    }
    return "none";
  };
  const std::size_t usual = plan_of(t).workspace_bytes;
  EXPECT_NE(complaint(usual - 1).find("least that this request needs is " + std::to_string(usual)), std::string::npos);
  EXPECT_EQ(complaint(usual), "none");
  t.value_bytes = 8;
  EXPECT_EQ(complaint(std::size_t{4} << 20), "none");
  EXPECT_NE(complaint(1000).find("options::workspace_limit is 1000 bytes"), std::string::npos);
}

// Keys alone on few threads: every split by all threads, swaps, equal keys, small ranges, few different keys.
TEST(CpuEngine, QuicksortsOfKeysAlone) {
  random_trials trials(13);
  constexpr key_type types[] = {key_type::u32, key_type::i32, key_type::f32,
                                key_type::u64, key_type::i64, key_type::f64};
  constexpr const char* workloads[] = {"uniform",    "few:16",   "few:100",       "few:900",       "range:1000",
                                       "two-values", "zipf",     "mostly-equal",  "zeros:0.4",     "and:3",
                                       "equal",      "sorted",   "reversed",      "nearly-sorted", "zeros:1",
                                       "few:3000",   "root-dup", "equal-but-one", "organ-pipe",    "count-up"};
  for (std::size_t i = 0; i < rounds(300) && !::testing::Test::HasFatalFailure(); ++i) {
    const small_tuning sizes(std::size_t{1024} << trials.below(8), std::size_t{1} << (8 + trials.below(12)),
                             trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
    cpu::tuning().quicksort_threads = trials.below(2) == 0 ? 4 : 64;
    trial t = trials.next(1);
    t.type = types[trials.below(std::size(types))];
    t.n = 1000 + trials.below(under_thread_sanitizer ? 60'000 : 150'000);
    t.workload = trials.below(12) == 0 && is_float(t.type) ? "specials" : workloads[trials.below(std::size(workloads))];
    t.carries = payload::none;
    t.keys_wanted = true;
    t.bits = {};
    check(t);
  }
}

// Parts that a thread splits in four: most of one key, which a quarter of them or more are.
TEST(CpuEngine, QuicksortsOfLargeParts) {
  unsigned threads = 1;
  testing::one_in taken(under_thread_sanitizer ? 4 : 2);
  const std::size_t n = under_thread_sanitizer ? 500'000 : 1'400'000, apart = under_thread_sanitizer ? 5 : 11;
  for (const key_type type : {key_type::i32, key_type::u64, key_type::f64})
    for (const std::uint64_t heavy : {std::uint64_t{0}, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
      const small_tuning sizes(std::size_t{64} << 10, std::size_t{1} << 14);
      threads = 3 - threads;
      if (!taken())
        continue;
      trial t{type, n, "uniform", payload::none, 0, form::in_place, true, order::ascending, {}, threads, 11};
      const std::size_t key = key_bytes(type);
      if (key == 4)
        t.n *= 2;
      t.change = [&](std::byte* keys) {
        for (std::size_t i = 0; i < t.n; i += apart)
          std::memcpy(keys + i * key, reinterpret_cast<const std::byte*>(&heavy) + 8 - key, key);
      };
      check(t);
    }
}

// Of one value in all places nothing is moved, and nothing may be written but that value.
TEST(CpuEngine, ArraysOfOneValueStayAsTheyAre) {
  for (const key_type type : {key_type::u32, key_type::i32, key_type::f32, key_type::u64, key_type::i64, key_type::f64})
    for (const cpu::instruction_set set : cpu::all_instruction_sets)
      for (const unsigned threads : {1u, 3u}) {
        const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14, set);
        check({type, 40'003, "equal", payload::none, 0, form::in_place, true, order::ascending, {}, threads, 5});
        check({type, 40'003, "equal", payload::none, 0, form::in_place, true, order::descending, {}, threads, 6});
        if (::testing::Test::HasFatalFailure())
          return;
      }
}

// −0 and NaN in any share, in all forms: the order of zeros, and of NaNs, is that of the input.
TEST(CpuEngine, FloatsAroundTheirZerosAndNans) {
  random_trials trials(19);
  std::size_t within_limit = 0;
  for (const key_type type : {key_type::f32, key_type::f64})
    for (const char* workload :
         {"specials", "nan:0.001", "nan:1", "zeros:0.3", "zeros:1", "and:3", "sorted", "reversed"})
      for (const order direction : {order::ascending, order::descending})
        for (const form how : {form::in_place, form::out_of_place, form::double_buffer}) {
          const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << (trials.below(2) == 0 ? 10 : 14),
                                   trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
          cpu::tuning().block_bytes = 128;
          const std::size_t n = trials.below(2) == 0 ? 100 + trials.below(5000) : 32'768 + trials.below(20'000);
          const unsigned threads = 1 + static_cast<unsigned>(trials.below(6)); // above 4, a partition finds them
          trial t{type, n, workload, payload::none, 0, how, true, direction, {}, threads, trials.below(1000)};
          if (n > 5100 && trials.below(3) == 0) // none in the sample
            t.between = std::exchange(t.workload, "normal");
          t.limit = trials.below(2) * (std::size_t{700} << 10);
          within_limit += plan_of(t).workspace_bytes > t.limit && t.limit != 0;
          check(t);
          if (::testing::Test::HasFatalFailure())
            return;
        }
  EXPECT_GT(within_limit, 5u);
}

// The first −0 or NaN stands where images of others, zeros among them, were made already.
TEST(CpuEngine, SpecialsBehindOthers) {
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  random_trials trials(29);
  for (const key_type type : {key_type::f32, key_type::f64})
    for (const char* workload : {"normal", "few:16", "organ-pipe"})
      for (const std::size_t specials : {1u, 2u, 50u})
        for (const order direction : {order::ascending, order::descending})
          for (const form how : {form::in_place, form::out_of_place}) {
            const small_tuning sizes(std::size_t{16} << 10, std::size_t{1} << 14,
                                     trials.below(2) == 0 ? cpu::instruction_set::avx512 : cpu::instruction_set::avx2);
            const std::size_t n = 40'000 + trials.below(30'000), key = key_bytes(type), first = trials.below(n);
            trial t{type,
                    n,
                    workload,
                    payload::none,
                    0,
                    how,
                    true,
                    direction,
                    {},
                    1 + static_cast<unsigned>(trials.below(4)),
                    trials.below(1000)};
            t.limit = trials.below(4) == 0 ? std::size_t{1200} << 10 : 0;
            t.change = [&](std::byte* keys) {
              for (std::size_t i = 1; i < n; i += 1 + trials.below(20))
                std::memset(keys + i * key, 0, key);
              for (std::size_t i = 0; i < specials; ++i) { // −0, or a NaN with a payload
                const std::size_t at = first + (i == 0 ? 0 : trials.below(n - first));
                std::memset(keys + at * key, 0, key);
                if (trials.below(2) == 0)
                  std::memset(keys + at * key, 0xff, key - 1 - trials.below(2));
                keys[at * key + key - 1] = std::byte{static_cast<unsigned char>(trials.below(2) == 0 ? 0x80 : 0xff)};
                keys[at * key + key - 2] |=
                    keys[at * key + key - 1] == std::byte{0xff} ? std::byte{0xf8} : std::byte{0};
              }
            };
            if (taken())
              check(t);
            if (::testing::Test::HasFatalFailure())
              return;
          }
}

// Words of a local sort that hold the highest bits of a key alone: some neighbours tie, or so many that longer words
// are taken; every 200th key ties with every other one of those.
TEST(CpuEngine, TiesOfWords) {
  testing::one_in taken(under_thread_sanitizer ? 7 : 1);
  random_trials trials(31);
  for (const key_type type : {key_type::u32, key_type::i64, key_type::f64})
    for (const cpu::instruction_set set : cpu::all_instruction_sets)
      for (const std::size_t n : {300u, 4097u, 16'384u, 16'385u, 40'000u})
        for (const std::size_t groups : {n * 40, n * 2, n / 4, n / 100}) {
          const small_tuning sizes(std::size_t{768} << 10, std::size_t{512} << 10, set);
          trial t = trials.next(1);
          t.type = type;
          t.n = n;
          t.workload = "uniform";
          t.carries = trials.below(2) == 0 ? payload::values : payload::indices;
          t.value_bytes = 4 << trials.below(2);
          t.bits = {};
          t.how = form::in_place;
          t.keys_wanted = true;
          t.change = [&](std::byte* keys) {
            for (std::size_t i = 0; i < n; ++i) {
              const std::uint64_t high = i % 200 == 0 ? 1 : testing::random_bits(t.seed, i) % groups,
                                  low = testing::random_bits(i, 1);
              const std::uint64_t wide = (high << 44) / groups << 19 | low % (1u << (groups < n / 10 ? 14 : 20));
              const auto narrow = static_cast<std::uint32_t>((high << 32) / groups ^ low % 4);
              key_bytes(type) == 8 ? std::memcpy(keys + 8 * i, &wide, 8) : std::memcpy(keys + 4 * i, &narrow, 4);
            }
          };
          if (taken())
            check(t);
        }
}

// The scan makes exact images a block at a time, and compares the last one of a block with the first one of the next.
TEST(CpuEngine, OneDisorderBehindANegativeZero) {
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  random_trials trials(43);
  for (const key_type type : {key_type::f32, key_type::f64})
    for (const cpu::instruction_set set : cpu::all_instruction_sets)
      for (const std::size_t at : {2u, 255u, 256u, 257u, 512u, 4096u, 4100u}) {
        const small_tuning sizes(8192, 4096, set);
        trial t = trials.next(1);
        t.type = type;
        t.n = 5000;
        t.workload = "uniform";
        t.carries = payload::values;
        t.value_bytes = 4;
        t.bits = {};
        t.how = form::in_place;
        t.direction = order::ascending;
        t.change = [&](std::byte* keys) {
          for (std::size_t i = 0; i < t.n; ++i) {
            const double key = i == 0 ? -0.0 : static_cast<double>(i == at ? at - 1 : i + 1 == at ? at : i);
            const auto narrow = static_cast<float>(key);
            type == key_type::f64 ? std::memcpy(keys + 8 * i, &key, 8) : std::memcpy(keys + 4 * i, &narrow, 4);
          }
        };
        if (taken())
          check(t);
      }
}

// Buckets between splitters that are kept from the scan to the partition, as far as there is room for them.
TEST(CpuEngine, DigitsKeptForSomeKeys) {
  testing::one_in taken(under_thread_sanitizer ? 5 : 1);
  random_trials trials(41);
  for (const key_type type : {key_type::u32, key_type::i64, key_type::f32, key_type::f64})
    for (const char* workload : {"and:3", "zipf-spread", "lognormal", "normal"})
      for (const unsigned threads : {1u, 2u, 5u}) {
        const small_tuning sizes(std::size_t{2048} << trials.below(3), std::size_t{1} << 10,
                                 cpu::all_instruction_sets[trials.below(3)]);
        trial t = trials.next(1);
        t.type = type;
        t.n = 40'000 + trials.below(20'000);
        t.workload = workload;
        t.carries = trials.below(2) == 0 ? payload::values : payload::indices;
        t.value_bytes = 4 << trials.below(2);
        t.bits = {};
        t.threads = threads;
        if (taken())
          check(t);
      }
}

// Keys of a workload, and their images.
template <class K>
struct imaged_keys {
  cpu::key_image<K> image;
  std::vector<K> keys, images;

  imaged_keys(key_type type, order way, const char* workload, std::size_t n, std::uint64_t seed)
      : image(type, way, {}), keys(n) {
    testing::workload_named(workload).fill({type, n, seed}, 0, n, keys.data());
    for (const K key : keys)
      images.push_back(image.ordering(key));
  }
};

// Vectors find the bucket that the tree itself names; buckets ascend with the keys, and those of equals hold equal
// keys.
template <class K>
void check_splitters(key_type type, const char* workload, unsigned part_bits) {
  constexpr std::size_t n = 5000;
  auto [image, keys, images] = imaged_keys<K>(type, order::ascending, workload, n, part_bits);
  const cpu::key_sample<K> sample(keys.data(), n, image);
  const cpu::splitter_tree<K> tree(sample.images, sample.size, part_bits);
  const cpu::split<K> split(tree);
  std::vector<std::pair<K, std::uint16_t>> found;
  std::uint16_t digits[cpu::digit_block];
  for (std::size_t i = 0; i < n;) {
    const std::size_t m = std::min(n - i, 1 + i % cpu::digit_block);
    cpu::best_kernels<K>().digits(keys.data() + i, m, image, split, digits);
    for (std::size_t j = 0; j < m; ++j, ++i) {
      const auto x = tree.number_of(images[i]);
      const auto below = static_cast<std::size_t>(std::upper_bound(std::begin(tree.sorted), std::end(tree.sorted), x) -
                                                  std::begin(tree.sorted));
      ASSERT_EQ(digits[j], tree.bucket(below, x)) << name(type) << " " << workload << " key " << i;
      ASSERT_LT(digits[j], split.buckets());
      found.emplace_back(images[i], digits[j]);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t equals = 0;
  for (std::size_t i = 1; i < n; ++i) {
    ASSERT_LE(found[i - 1].second, found[i].second) << name(type) << " " << workload;
    if (found[i - 1].second == found[i].second && split.is_of_equals(found[i].second)) {
      ASSERT_TRUE(found[i - 1].first == found[i].first) << name(type) << " " << workload;
      ++equals;
    }
  }
  if (workload == std::string("range:50") && !is_float(type)) {
    EXPECT_GT(equals, n / 2);
  }
}

TEST(CpuEngine, BucketsBetweenSplitters) {
  testing::one_in taken(under_thread_sanitizer ? 11 : 1); // which has nothing to say of one thread
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    const small_tuning sizes(8192, 4096, set);
    for (const char* workload : {"uniform", "and:3", "and:5", "lognormal", "zipf-spread", "range:50", "outliers:100"})
      for (const unsigned part_bits : {1u, 2u, 3u, 4u}) {
        if (!taken())
          continue;
        check_splitters<std::uint16_t>(key_type::u16, workload, part_bits);
        check_splitters<std::uint32_t>(key_type::u32, workload, part_bits);
        check_splitters<std::uint32_t>(key_type::f32, workload, part_bits);
        check_splitters<std::uint64_t>(key_type::u64, workload, part_bits);
        check_splitters<std::uint64_t>(key_type::f64, workload, part_bits);
        check_splitters<uint128>(key_type::u128, workload, part_bits);
      }
  }
}

// Numbers that are as far above the greatest of the sample as can be, where that is the splitter.
TEST(CpuEngine, BucketsFarBeyondTheSample) {
  const std::vector<std::uint32_t> sample(1000, 0);
  std::vector<std::uint32_t> keys(cpu::digit_block, 0xffffffff);
  for (std::size_t i = 0; i < keys.size() / 2; ++i)
    keys[i] = static_cast<std::uint32_t>(i % 3 == 0 ? 0 : 0xffffffff - i);
  const cpu::key_image<std::uint32_t> image(key_type::u32, order::ascending, {});
  for (const cpu::instruction_set set : cpu::all_instruction_sets)
    for (const unsigned part_bits : {1u, 2u, 4u}) {
      const small_tuning sizes(8192, 4096, set);
      const cpu::splitter_tree<std::uint32_t> tree(sample.data(), sample.size(), part_bits);
      const cpu::split<std::uint32_t> split(tree);
      std::uint16_t digits[cpu::digit_block];
      cpu::best_kernels<std::uint32_t>().digits(keys.data(), keys.size(), image, split, digits);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(split.is_of_equals(digits[i]), keys[i] == 0) << cpu::name(set) << " key " << i;
        EXPECT_LT(digits[i], split.buckets());
      }
    }
}

// Vectors find the bucket that the map itself names; buckets ascend with the keys, and no key but a heavy one has its
// bucket.
template <class K>
void check_map(key_type type, const char* workload, std::size_t wanted, std::size_t heavies) {
  constexpr std::size_t n = 5000;
  auto [image, keys, images] = imaged_keys<K>(type, order::descending, workload, n, wanted);
  const cpu::key_sample<K> sample(keys.data(), n, image);
  std::vector<K> heavy;
  for (std::size_t h = 0; h < heavies; ++h)
    heavy.push_back(sample.images[h == 0 ? 0 : (sample.size - 1) * h / (heavies - 1)]);
  heavy.erase(std::unique(heavy.begin(), heavy.end()), heavy.end());
  const cpu::splitter_tree<K> tree(cpu::cell_map<K>(sample.images, sample.size, wanted - 2 * heavy.size()),
                                   heavy.data(), heavy.size(), image);
  const cpu::split<K> split(tree);
  ASSERT_LE(split.buckets(), wanted);
  std::vector<std::pair<K, std::uint16_t>> found;
  std::uint16_t digits[cpu::digit_block];
  for (std::size_t i = 0; i < n;) {
    const std::size_t m = std::min(n - i, 1 + i % cpu::digit_block);
    cpu::best_kernels<K>().digits(keys.data() + i, m, image, split, digits);
    for (std::size_t j = 0; j < m; ++j, ++i) {
      ASSERT_EQ(digits[j], tree.bucket_by_map(images[i])) << name(type) << " " << workload << " key " << i;
      const auto at = std::find(heavy.begin(), heavy.end(), images[i]) - heavy.begin();
      const bool is_heavy = at < std::ssize(heavy);
      found.emplace_back(images[i], is_heavy ? tree.heavy_bucket[at] : digits[j]);
      ASSERT_LT(found.back().second, split.buckets());
      ASSERT_EQ(split.is_of_equals(found.back().second), is_heavy) << name(type) << " " << workload;
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < n; ++i)
    ASSERT_LE(found[i - 1].second, found[i].second) << name(type) << " " << workload;
}

TEST(CpuEngine, BucketsByMap) {
  testing::one_in taken(under_thread_sanitizer ? 29 : 5);
  for (const cpu::instruction_set set : cpu::all_instruction_sets) {
    const small_tuning sizes(8192, 4096, set);
    for (const char* workload : {"uniform", "normal", "exponential", "lognormal", "equal", "range:50", "outliers:100"})
      for (const std::size_t wanted : {256u, 512u, 2048u})
        for (const std::size_t heavies : {0u, 1u, 3u, 8u}) {
          if (!taken())
            continue;
          check_map<std::uint16_t>(key_type::u16, workload, wanted, heavies);
          check_map<std::uint32_t>(key_type::i32, workload, wanted, heavies);
          check_map<std::uint32_t>(key_type::f32, workload, wanted, heavies);
          check_map<std::uint64_t>(key_type::u64, workload, wanted, heavies);
          check_map<std::uint64_t>(key_type::f64, workload, wanted, heavies);
          check_map<uint128>(key_type::u128, workload, wanted, heavies);
          if (HasFatalFailure())
            return;
        }
  }
}

// Which keys go by a digit, and which by a map: those that lie evenly where one looks closely. The fullest bucket has
// what the sample has not met; what is outside of its range goes to the first bucket or the last.
TEST(CpuEngine, KeysThatGoByMap) {
  constexpr std::size_t n = std::size_t{1} << 20; // of which a sample has 2048
  const small_tuning sizes(8192, 4096);           // or a digit would do
  const cpu::key_image<std::uint32_t> image(key_type::u32, order::ascending, {});
  const cpu::radix_layout layout(4, 4, n, 1);
  enum class way { digit, map, splitters };
  for (const auto& [workload, expected] : {std::pair{"normal", way::map},
                                           {"exponential", way::map},
                                           {"lognormal", way::splitters},
                                           {"and:3", way::splitters},
                                           {"clusters", way::digit},
                                           {"nearly-sorted:0.1", way::digit}}) {
    const std::vector<std::uint32_t> keys = testing::make_keys<std::uint32_t>(workload, n, 1);
    cpu::splitter_tree<std::uint32_t> tree;
    const auto split = cpu::split_choice<std::uint32_t>(layout, image, 4).guess(keys.data(), n, tree);
    ASSERT_FALSE(split.around_key) << workload;
    ASSERT_EQ(split.tree == nullptr ? way::digit : tree.has_map() ? way::map : way::splitters, expected) << workload;
    if (expected != way::map)
      continue;
    const std::size_t wanted = (tree.splitters + 1) << tree.most_part_bits;
    EXPECT_LE(split.buckets(), wanted) << workload;
    EXPECT_GE(split.buckets(), wanted - tree.map.cells) << workload;
    std::vector<std::size_t> counts(split.buckets());
    for (const std::uint32_t key : keys)
      ++counts[tree.bucket_by_map(image.ordering(key))];
    EXPECT_LT(*std::max_element(counts.begin(), counts.end()), 5 * n / counts.size()) << workload;
    const std::uint16_t last = tree.bucket_by_map(tree.map.least + tree.map.most);
    for (const std::uint32_t missed : {0u, ~0u}) {
      std::uint16_t digits[16];
      const std::vector<std::uint32_t> outside(std::size(digits), missed);
      cpu::best_kernels<std::uint32_t>().digits(outside.data(), outside.size(), image, split, digits);
      EXPECT_EQ(tree.bucket_by_map(missed), missed == 0 ? 0 : last) << workload;
      for (const std::uint16_t d : digits)
        EXPECT_EQ(d, missed == 0 ? 0 : last) << workload;
    }
  }
}

// Whether n keys, with values of 4 bytes, go by a map; and the least key and the greatest are put where no sample
// looks.
template <class K, class Key>
void put_outside(std::byte* bytes, key_type type, std::size_t n, std::size_t outside) {
  const auto keys = reinterpret_cast<Key*>(bytes);
  const std::vector<bool> met = sampled(n);
  for (std::size_t i = 0, left = outside; left > 0 && i < n; i += n / (2 * outside))
    if (!met[i])
      keys[i] = --left % 2 == 0 ? std::numeric_limits<Key>::lowest() : std::numeric_limits<Key>::max();
  const cpu::key_image<K> image(type, order::ascending, {});
  cpu::splitter_tree<K> tree;
  std::vector<K> images(n);
  std::memcpy(images.data(), bytes, n * sizeof(K));
  cpu::split_choice<K>(cpu::radix_layout(sizeof(K), 4, n, 1), image, 4).guess(images.data(), n, tree);
  EXPECT_TRUE(tree.has_map());
}

// Pairs by a map among which are keys that no sample meets, far outside of what it does, one or many.
TEST(CpuEngine, KeysOutsideOfTheMap) {
  for (const key_type type : {key_type::u32, key_type::u64, key_type::f64})
    for (const std::size_t outside : {1u, 2u, 5000u})
      for (const unsigned threads : {1u, 3u}) {
        const small_tuning sizes(8192, std::size_t{1} << 14);
        trial t{type,
                60'000,
                type == key_type::f64 ? "exponential" : "normal",
                payload::values,
                4,
                form::out_of_place,
                true,
                order::ascending,
                {},
                threads,
                outside};
        t.change = [&](std::byte* keys) {
          if (type == key_type::u32)
            put_outside<std::uint32_t, std::uint32_t>(keys, type, t.n, outside);
          else if (type == key_type::u64)
            put_outside<std::uint64_t, std::uint64_t>(keys, type, t.n, outside);
          else
            put_outside<std::uint64_t, double>(keys, type, t.n, outside);
        };
        check(t);
        if (HasFatalFailure())
          return;
      }
}

// More buckets than have long lines, which small tuning seldom makes of few keys.
TEST(CpuEngine, ManyBuckets) {
  testing::one_in taken(under_thread_sanitizer ? 3 : 1);
  random_trials trials(47);
  for (const key_type type : {key_type::u16, key_type::u32, key_type::f64, key_type::u128})
    for (const std::size_t value_bytes : {4u, 8u, 16u})
      for (const unsigned threads : {1u, 3u}) {
        const small_tuning sizes(2048, std::size_t{1} << 14, cpu::all_instruction_sets[trials.below(3)]);
        trial t = trials.next(1);
        t.type = type;
        t.n = 100'000 + trials.below(1000);
        t.workload = "uniform";
        t.carries = payload::values;
        t.value_bytes = value_bytes;
        t.bits = {};
        t.threads = threads;
        if (taken())
          check(t);
      }
}

TEST(CpuEngine, SizesAroundEveryLimit) {
  random_trials trials(7);
  for (const key_type type : all_key_types)
    for (const std::size_t n :
         {0u,  1u,  2u,   3u,   15u,  16u,  17u,  23u,  24u,   25u,   26u,   31u,   32u,   33u,  63u,
          64u, 65u, 127u, 128u, 129u, 255u, 256u, 257u, 1023u, 1024u, 1025u, 4095u, 4096u, 4097u}) {
      trial t = trials.next(1);
      t.type = type;
      t.n = n;
      t.workload = "uniform";
      t.bits = {};
      check(t);
      if (::testing::Test::HasFatalFailure())
        return;
    }
}

TEST(CpuEngine, ProductionTuning) {
  random_trials trials(3);
  for (std::size_t i = 0; i < rounds(12) && !::testing::Test::HasFatalFailure(); ++i) {
    trial t = trials.next(1);
    t.n = 100'000 + trials.below(300'000);
    check(t);
  }
}

TEST(CpuEngine, CancelsFromTheCallingThread) {
  const small_tuning sizes(4096, 4096);
  std::vector<std::uint32_t> keys = testing::make_keys<std::uint32_t>("uniform", 100'000, 1);
  sort_request request{key_type::u32, keys.size(), keys.data(), keys.data()};
  for (const unsigned threads : {1u, 3u}) {
    const plan p = cpu::cpu_engine().make_plan(request, {}, threads);
    guarded_buffer space(p.workspace_bytes);
    int calls = 0;
    const auto caller = std::this_thread::get_id();
    const std::function<bool(double)> stop = [&](double) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      return ++calls < 2;
    };
    EXPECT_THROW(cpu::cpu_engine().run(request, {}, {threads, space.bytes(), &stop}), cancelled);
    EXPECT_EQ(calls, 2);
  }
}

TEST(CpuEngine, PlanShowsItsSteps) {
  std::uint32_t anywhere = 0; // a plan reads no key
  const sort_request request{key_type::u32, 10'000'000, &anywhere, &anywhere};
  const sort_request fewer{key_type::u32, 3'000'000, &anywhere, &anywhere};
  const plan p = cpu::cpu_engine().make_plan(fewer, {}, 8);
  ASSERT_EQ(p.steps.size(), 3u);
  EXPECT_EQ(p.steps[0].name, "scan");
  EXPECT_EQ(p.steps[1].name, "partition");
  EXPECT_EQ(p.steps[2].name, "local");
  EXPECT_GE(p.workspace_bytes, 12'000'000u);
  EXPECT_LT(p.workspace_bytes, 45'000'000u);
  if (cpu::best_vector_kernels<std::uint32_t>() == nullptr)
    return;
  const plan alone = cpu::cpu_engine().make_plan(request, {}, 2);
  ASSERT_EQ(alone.steps.size(), 2u);
  EXPECT_EQ(alone.steps[0].name, "split");
  EXPECT_LE(alone.workspace_bytes, std::size_t{1} << 20) << "counters of a small range for each thread";
  EXPECT_EQ(cpu::cpu_engine().make_plan(request, {}, 8).steps[0].name, "split") << "each thread has enough to sort";
  EXPECT_EQ(cpu::cpu_engine().make_plan(request, {}, 17).steps[0].name, "scan");
  options limited;
  limited.workspace_limit = std::size_t{3} << 20;
  const plan within = cpu::cpu_engine().make_plan(request, limited, 8);
  EXPECT_EQ(within.steps[0].name, "split") << "keys alone need no more than counters";
  EXPECT_LE(within.workspace_bytes, limited.workspace_limit);
  const sort_request floats{key_type::f32, 10'000'000, &anywhere, &anywhere};
  EXPECT_LE(cpu::cpu_engine().make_plan(floats, {}, 2).workspace_bytes, 42'000'000u) << "and room for zeros and NaNs";
}

} // namespace
} // namespace sortile
