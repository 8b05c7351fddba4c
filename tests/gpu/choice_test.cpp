// Which sort does a request: what is chosen can be done, plans say who does it, and workspace stays near the keys' own.
#include "sort/device_sort.hpp"
#include "tests/source_folder.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace sortile::testing {
namespace {

using gpu::sort_facts;
using gpu::sorter;

constexpr gpu::device_facts h100{.architecture = 90, .multiprocessors = 132};
const options in_device_memory{.memory = memory::device};

/// Everything that a choice may go by, one after another, at sizes around every power of two.
template <class F>
void for_all_facts(F f) {
  for (const unsigned bits : {8u, 16u, 32u, 64u, 128u})
    for (const unsigned value_bytes : {0u, 4u, 8u, 16u})
      for (unsigned flags = 0; flags < 32; ++flags)
        for (unsigned log_n = 0; log_n <= 34; ++log_n)
          for (const std::size_t n :
               {(std::size_t{1} << log_n) - 1, std::size_t{1} << log_n, (std::size_t{1} << log_n) + 1}) {
            const bool floats = (flags & 1) != 0;
            if (floats && (bits == 8 || bits == 128))
              continue;
            f(sort_facts{.n = n,
                         .key_bits = bits,
                         .value_bytes = value_bytes,
                         .floats = floats,
                         .whole_keys = (flags & 2) == 0,
                         .vectors_fit = (flags & 4) == 0,
                         .n_on_device = (flags & 8) != 0,
                         .sample_fits = (flags & 16) == 0,
                         .device = {}});
          }
}

TEST(recipe, is_able_to) {
  for_all_facts([](const sort_facts& f) {
    const gpu::sorters c = gpu::sorters_for(f);
    ASSERT_EQ(c[0] == sorter::nothing, f.n == 0);
    for (const sorter s : c) {
      const bool partitions = s == sorter::keys || s == sorter::pairs;
      if (partitions) {
        ASSERT_TRUE(f.whole_keys && f.vectors_fit && !f.n_on_device && f.key_bits >= 32) << f.n;
      }
      if (s == sorter::keys) {
        ASSERT_TRUE(f.value_bytes == 0 && f.n < (std::size_t{1} << 32)) << f.n;
        ASSERT_TRUE(!f.floats || (f.key_bits == 32 && f.n > std::size_t{1} << 27)) << f.n;
      }
      if (s == sorter::pairs) {
        ASSERT_TRUE(f.key_bits <= 64 && f.n <= std::size_t{1} << 28) << f.n;
      }
      if (s == sorter::splitters) {
        ASSERT_TRUE(f.whole_keys && f.vectors_fit && !f.n_on_device && f.key_bits >= 64) << f.n;
        ASSERT_TRUE(f.key_bits == 64 || f.value_bytes <= 8) << f.n;
        ASSERT_TRUE(f.n <= std::size_t{1} << 28) << f.n;
        ASSERT_EQ(s == c[0] ? c[1] : c[2], sorter::lsd) << f.n;
        ASSERT_EQ(s == c[0], f.key_bits == 128 && f.value_bytes != 0) << f.n;
      }
      if (s == sorter::counting) {
        ASSERT_TRUE(f.key_bits <= 16 && f.value_bytes == 0 && f.whole_keys) << f.n;
      }
      if (s == sorter::sample) {
        ASSERT_TRUE(f.sample_fits && f.n <= std::size_t{1} << 20) << f.n;
      }
    }
  });
}

TEST(recipe, has_a_fallback_where_keys_may_be_given_away) {
  for_all_facts([](const sort_facts& f) {
    const gpu::sorters c = gpu::sorters_for(f);
    const bool keys = c[0] == sorter::keys, pairs = c[0] == sorter::pairs;
    const std::size_t one_block = pairs ? 4480 : f.key_bits == 32 ? 8192 : f.key_bits == 64 ? 6144 : 4096;
    const bool may_give_away =
        ((keys || pairs) && f.n > one_block) || (c[0] == sorter::counting && f.floats) || c[0] == sorter::splitters;
    ASSERT_EQ(c[1] != sorter::nothing, may_give_away) << f.n << " keys of " << f.key_bits;
    ASSERT_TRUE(c[1] == sorter::nothing || c[1] == sorter::sample || c[1] == sorter::lsd ||
                (c[1] == sorter::splitters && c[2] == sorter::lsd));
    ASSERT_TRUE(c[2] == sorter::nothing || c[1] == sorter::splitters);
  });
}

// Each rule is some request's, and names results that are there.
TEST(recipe, rules_are_all_used_and_measured) {
  std::set<const gpu::rule*> used;
  for_all_facts([&](const sort_facts& f) { used.insert(&gpu::rule_for(f)); });
  for (const gpu::rule& r : gpu::all_rules()) {
    EXPECT_TRUE(used.contains(&r)) << r.when;
    EXPECT_TRUE(
        std::filesystem::exists(std::filesystem::path(testing::source_folder()) / "bench/results/h100" / r.measured))
        << r.measured;
  }
}

// The first sort's steps in their order, each once, or all of them at the first stage; then the fallbacks, by role.
TEST(stages, launch_each_step_once) {
  for_all_facts([](sort_facts f) {
    f.window_end = f.key_bits;
    const gpu::sorters by = gpu::sorters_for(f);
    unsigned step = 0, role = 0;
    for (const gpu::stage& s : gpu::stages_of(f, by)) {
      ASSERT_EQ(s.text().find('#'), std::string::npos);
      ASSERT_EQ(s.by, by[s.role]);
      if (s.role != 0) {
        ASSERT_EQ(s.role, ++role);
        ASSERT_EQ(s.step, kernels::all_steps);
      } else if (step == kernels::all_steps) {
        ASSERT_EQ(s.step, gpu::stage::with_the_one_before);
      } else {
        ASSERT_TRUE(s.step == step || (step == 0 && s.step == kernels::all_steps));
        step = s.step == kernels::all_steps ? s.step : step + 1;
      }
    }
    ASSERT_EQ(role, by[2] != sorter::nothing ? 2u : by[1] != sorter::nothing ? 1u : 0u);
  });
}

// Beyond 2^27 integers of 32 bits have 2^16 buckets, which are counted whatever they hold; few values are counted
// alone.
TEST(recipe, has_passes_for_keys_that_are_counted) {
  for (const std::size_t n :
       {std::size_t{1} << 26, std::size_t{1} << 27, (std::size_t{1} << 27) + 1, std::size_t{1} << 28}) {
    const gpu::sorters c = gpu::sorters_for({.n = n, .key_bits = 32, .value_bytes = 0});
    EXPECT_EQ(c[0], sorter::keys) << n;
    EXPECT_EQ(c[1], sorter::lsd) << n;
    EXPECT_NE(gpu::sorters_for({.n = n, .key_bits = 64, .value_bytes = 0})[1], sorter::nothing) << n;
  }
}

// Floats among which there is a −0 or a NaN are left.
TEST(recipe, has_passes_for_floats_that_are_counted) {
  const auto chosen = [](std::size_t n, unsigned key_bits, unsigned value_bytes = 0) {
    return gpu::sorters_for({.n = n, .key_bits = key_bits, .value_bytes = value_bytes, .floats = true});
  };
  constexpr std::size_t most_by_passes = std::size_t{1} << 27;
  EXPECT_EQ(chosen(most_by_passes, 32), gpu::sorters{sorter::lsd});
  EXPECT_EQ(chosen(std::size_t{1} << 21, 32), gpu::sorters{sorter::lsd});
  EXPECT_EQ(chosen((std::size_t{1} << 21) - 1, 32)[0], sorter::pairs);
  EXPECT_EQ(chosen(most_by_passes, 32, 4)[0], sorter::pairs);
  for (const std::size_t n : {most_by_passes + 1, 4 * most_by_passes}) {
    EXPECT_EQ(chosen(n, 32), (gpu::sorters{sorter::keys, sorter::lsd})) << n;
    EXPECT_NE(chosen(n, 32, 4)[0], sorter::keys) << n;
    EXPECT_NE(chosen(n, 64)[0], sorter::keys) << n;
  }
}

TEST(recipe, sends_skewed_wide_keys_between_splitters) {
  const auto fallback = [](std::size_t n, unsigned key_bits, unsigned value_bytes, bool floats = false) {
    return gpu::sorters_for({.n = n, .key_bits = key_bits, .value_bytes = value_bytes, .floats = floats})[1];
  };
  const auto is_first = [&](unsigned log_n, unsigned key_bits, unsigned value_bytes, bool floats = false) {
    const std::size_t n = std::size_t{1} << log_n;
    return fallback(n - 1, key_bits, value_bytes, floats) != sorter::splitters &&
           fallback(n, key_bits, value_bytes, floats) == sorter::splitters;
  };
  EXPECT_TRUE(is_first(22, 64, 8));
  EXPECT_TRUE(is_first(22, 64, 16));
  EXPECT_TRUE(is_first(23, 64, 4));
  EXPECT_TRUE(is_first(24, 64, 0, true));
  EXPECT_TRUE(is_first(26, 64, 0));
  EXPECT_TRUE(is_first(21, 128, 0));
  for (const unsigned log_n : {24u, 26u, 28u}) {
    const std::size_t n = std::size_t{1} << log_n;
    EXPECT_EQ(fallback(n, 64, 8), sorter::splitters);
    EXPECT_EQ(fallback(n, 64, 4), sorter::splitters);
    EXPECT_EQ(fallback(n, 64, 0, true), sorter::splitters);
    EXPECT_EQ(fallback(n, 64, 16), log_n <= 25 ? sorter::splitters : sorter::lsd);
    EXPECT_EQ(fallback(n, 64, 0), log_n >= 26 ? sorter::splitters : sorter::lsd);
    EXPECT_NE(fallback(n, 32, 4), sorter::splitters);
    EXPECT_EQ(fallback(n, 128, 0), sorter::splitters);
    EXPECT_NE(fallback(n, 128, 8), sorter::splitters);
  }
  EXPECT_NE(fallback((std::size_t{1} << 28) + 1, 64, 8), sorter::splitters);
  EXPECT_NE(fallback((std::size_t{1} << 28) + 1, 128, 0), sorter::splitters);
  EXPECT_EQ(gpu::sorters_for({.n = std::size_t{1} << 28, .key_bits = 128, .value_bytes = 0, .device = {80}})[1],
            sorter::lsd);
}

TEST(recipe, pairs_of_128_bit_keys_all_go_between_splitters) {
  const auto first = [](std::size_t n, unsigned value_bytes) {
    return gpu::sorters_for({.n = n, .key_bits = 128, .value_bytes = value_bytes})[0];
  };
  constexpr std::size_t least = std::size_t{1} << 19;
  EXPECT_EQ(first(least - 1, 8), sorter::lsd);
  for (const unsigned value_bytes : {4u, 8u}) {
    const std::size_t most = std::size_t{1} << (value_bytes == 4 ? 27 : 26);
    EXPECT_EQ(first(least, value_bytes), sorter::splitters);
    EXPECT_EQ(first(most, value_bytes), sorter::splitters);
    EXPECT_EQ(first(most + 1, value_bytes), sorter::lsd);
  }
  EXPECT_EQ(first(least, 16), sorter::lsd);
  EXPECT_EQ(gpu::sorters_for({.n = least, .key_bits = 128, .value_bytes = 8, .vectors_fit = false})[0], sorter::lsd);
}

// Room for the keys once more, and tables of a hundredth of it: so large a sort fits wherever CUB's does.
TEST(recipe, sorting_128_bit_keys_takes_little_more_than_the_keys_again) {
  void* const in = reinterpret_cast<void*>(std::size_t{1} << 40); // compared, never followed
  void* const out = reinterpret_cast<void*>(std::size_t{1} << 41);
  for (const unsigned log_n : {24u, 26u, 28u}) {
    const std::size_t n = std::size_t{1} << log_n;
    const sort_request request{.type = key_type::u128, .n = n, .keys_in = in, .keys_out = out};
    EXPECT_LE(gpu::device_sort(request, in_device_memory, h100).workspace_bytes(), n * 16 + n * 16 / 90) << log_n;
    const std::string steps = to_string(explain(request, in_device_memory));
    EXPECT_NE(steps.find("a sort between splitters"), std::string::npos) << steps;
    EXPECT_NE(steps.find("passes"), std::string::npos) << steps;
  }
}
TEST(recipe, plans_of_128_bit_pairs_say_how_they_are_parted) {
  const auto at = [](unsigned k) { return reinterpret_cast<void*>(std::size_t{1} << (40 + k)); };
  const std::size_t n = std::size_t{1} << 25;
  const sort_request request{.type = key_type::u128,
                             .n = n,
                             .keys_in = at(0),
                             .keys_out = at(1),
                             .carries = payload::indices,
                             .value_bytes = 4,
                             .values_out = at(2)};
  EXPECT_LE(gpu::device_sort(request, in_device_memory, h100).workspace_bytes(), n * 20 + n * 20 / 50);
  const std::string steps = to_string(explain(request, in_device_memory));
  EXPECT_NE(steps.find("splitters of a sample"), std::string::npos) << steps;
  EXPECT_NE(steps.find("fallback"), std::string::npos) << steps;
}

TEST(recipe, a_sample_sort_fits_a_large_device) {
  for_all_facts([](sort_facts f) {
    const gpu::sorters c = gpu::sorters_for(f);
    f.device = h100;
    if ((c[0] == sorter::sample || c[1] == sorter::sample) && f.key_bits == 128) {
      ASSERT_LE(f.n, gpu::most_of_a_sample(f)) << f.value_bytes;
    }
  });
}

TEST(recipe, plans_name_the_fallback) {
  void* const in = reinterpret_cast<void*>(std::size_t{1} << 40); // compared, never followed
  void* const out = reinterpret_cast<void*>(std::size_t{1} << 41);
  const auto plan_of = [&](std::size_t n, key_type type = key_type::u32) {
    return to_string(explain({.type = type, .n = n, .keys_in = in, .keys_out = out}, {.memory = memory::device}));
  };
  EXPECT_NE(plan_of(500'000).find("a sample sort in place"), std::string::npos) << plan_of(500'000);
  EXPECT_NE(plan_of(50'000'000).find("LSD passes in place"), std::string::npos) << plan_of(50'000'000);
  EXPECT_NE(plan_of(200'000'000).find("has few values"), std::string::npos) << plan_of(200'000'000);
  EXPECT_NE(plan_of(200'000'000).find("counted"), std::string::npos) << plan_of(200'000'000);
  EXPECT_NE(plan_of(200'000'000, key_type::f32).find("-0 or a NaN"), std::string::npos);
  EXPECT_EQ(plan_of(100'000'000, key_type::f32).find("-0 or a NaN"), std::string::npos);
  EXPECT_NE(plan_of(50'000).find("sample"), std::string::npos) << plan_of(50'000);
  void* const values = reinterpret_cast<void*>(std::size_t{1} << 42);
  const std::string pairs = to_string(explain({.type = key_type::u64,
                                               .n = 50'000'000,
                                               .keys_in = in,
                                               .keys_out = in,
                                               .carries = payload::values,
                                               .value_bytes = 8,
                                               .values_in = values,
                                               .values_out = values},
                                              {.memory = memory::device}));
  EXPECT_NE(pairs.find("a sort between splitters in place"), std::string::npos) << pairs;
  EXPECT_NE(pairs.find("passes"), std::string::npos) << pairs;
  EXPECT_EQ(plan_of(5'000).find("fallback"), std::string::npos) << plan_of(5'000);
}

} // namespace
} // namespace sortile::testing
