// Every misuse is refused by name, with what is wrong and what is allowed, and nothing is written.
#include "testing/guarded_buffer.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/sortile.hpp>

#include <gtest/gtest.h>

namespace sortile::testing {
namespace {

class misuse : public ::testing::Test {
 protected:
  misuse() {
    right_.type = key_type::u32;
    right_.n = 100;
    right_.keys_in = a_.data();
    right_.keys_out = b_.data();
    right_.carries = payload::values;
    right_.value_bytes = 4;
    right_.values_in = c_.data();
    right_.values_out = d_.data();
  }

  /// Changes the right request in one way; the call must be refused with these words.
  template <class Change>
  void refuse(const std::vector<std::string>& words, const Change& change) {
    sort_request request = right_;
    options opts;
    change(request, opts);
    expect_invalid([&] { run(request, opts); }, words);
    expect_invalid([&] { static_cast<void>(explain(request, opts)); }, words);
    expect_invalid([&] { static_cast<void>(workspace_bytes(request, opts)); }, words);
  }

  sort_request right_;
  guarded_buffer a_{400}, b_{400}, c_{400}, d_{400};
};

TEST_F(misuse, none_in_the_request_that_the_others_change) {
  EXPECT_NO_THROW(run(right_));
}

TEST_F(misuse, null_pointers_with_keys_to_sort) {
  sort_request no_keys = right_;
  no_keys.keys_in = nullptr;
  expect_invalid([&] { run(no_keys); }, {"keys_in", "null", "100"});
  expect_invalid([&] { static_cast<void>(explain(no_keys)); }, {"keys_in", "null", "100"});
  EXPECT_NO_THROW(static_cast<void>(workspace_bytes(no_keys))) << "which may be asked before there are arrays";
  refuse({"keys_out", "null"}, [](auto& r, auto&) { r.keys_out = nullptr; });
  refuse({"values_in", "null"}, [](auto& r, auto&) { r.values_in = nullptr; });
  refuse({"values_out", "null"}, [](auto& r, auto&) { r.values_out = nullptr; });
  refuse({"indices", "null"}, [](auto& r, auto&) {
    r.carries = payload::indices;
    r.values_out = nullptr;
  });
}

TEST_F(misuse, null_pointers_are_fine_with_nothing_to_sort) {
  EXPECT_NO_THROW(run(sort_request{.type = key_type::f64}));
  EXPECT_NO_THROW(run(sort_request{.carries = payload::values, .value_bytes = 12}));
  EXPECT_NO_THROW(run(sort_request{.carries = payload::indices, .value_bytes = 4}));
}

TEST_F(misuse, arrays_that_overlap_in_part) {
  refuse({"keys_in", "keys_out", "overlap"}, [](auto& r, auto&) {
    r.n = 50;
    r.keys_out = static_cast<std::byte*>(r.keys_out) - 0;
    r.keys_out = const_cast<std::byte*>(static_cast<const std::byte*>(r.keys_in)) + 40;
  });
  refuse({"values_in", "values_out", "overlap"}, [](auto& r, auto&) {
    r.n = 50;
    r.values_out = const_cast<std::byte*>(static_cast<const std::byte*>(r.values_in)) + 1;
  });
  refuse({"keys_in", "values_out", "overlap"}, [this](auto& r, auto&) { r.values_out = a_.data(); });
  refuse({"keys_out", "values_in", "overlap"}, [this](auto& r, auto&) { r.values_in = b_.data(); });
  refuse({"keys_out", "values_out", "overlap"}, [this](auto& r, auto&) { r.values_out = b_.data(); });
  refuse({"in place"}, [](auto& r, auto&) { r.keys_out = const_cast<void*>(r.keys_in); });
}

TEST_F(misuse, arrays_that_touch_are_fine) {
  sort_request touching = right_;
  touching.n = 50;
  touching.keys_out = a_.data() + 200;
  EXPECT_NO_THROW(run(touching));
}

TEST_F(misuse, keys_and_indices_out_of_alignment) {
  refuse({"keys_in", "aligned", "4"}, [this](auto& r, auto&) {
    r.n = 50;
    r.keys_in = a_.data() + 2;
  });
  refuse({"keys_out", "aligned"}, [this](auto& r, auto&) {
    r.n = 50;
    r.keys_out = b_.data() + 1;
  });
  refuse({"indices", "aligned", "8"}, [this](auto& r, auto&) {
    r.n = 40;
    r.carries = payload::indices;
    r.value_bytes = 8;
    r.values_out = d_.data() + 4;
  });
  sort_request values_anywhere = right_;
  values_anywhere.n = 90;
  values_anywhere.values_in = c_.data() + 3;
  values_anywhere.values_out = d_.data() + 5;
  EXPECT_NO_THROW(run(values_anywhere));
  sort_request of_nothing = right_;
  of_nothing.n = 0;
  of_nothing.keys_in = a_.data() + 1;
  of_nothing.keys_out = b_.data() + 1;
  EXPECT_NO_THROW(run(of_nothing));
}

TEST_F(misuse, bit_windows_out_of_range) {
  refuse({"bit window", "[5, 4)", "32"}, [](auto&, auto& o) { o.bits = {5, 4}; });
  refuse({"bit window", "[0, 33)", "u32", "32"}, [](auto&, auto& o) { o.bits = {0, 33}; });
  refuse({"bit window", "33"}, [](auto&, auto& o) { o.bits.begin = 33; });
  sort_request request = right_;
  EXPECT_NO_THROW(run(request, {.bits = {32, 32}}));
  EXPECT_NO_THROW(run(request, {.bits = {0, 0}}));
}

TEST_F(misuse, value_and_index_sizes) {
  refuse({"value", "0 bytes"}, [](auto& r, auto&) { r.value_bytes = 0; });
  for (const std::size_t bytes : {0u, 1u, 2u, 3u, 5u, 16u})
    refuse({"indices", std::to_string(bytes) + " bytes", "4 and 8"}, [&](auto& r, auto&) {
      r.carries = payload::indices;
      r.value_bytes = bytes;
    });
  refuse({"32-bit indices", "2^32", std::to_string((std::size_t{1} << 32) + 1)}, [](auto& r, auto&) {
    r.type = key_type::u8;
    r.carries = payload::indices;
    r.n = (std::size_t{1} << 32) + 1;
  });
}

TEST_F(misuse, lengths_beyond_memory) {
  refuse({"more than memory can address"}, [](auto& r, auto&) { r.n = SIZE_MAX / 4; });
  refuse({"values", "more than memory can address"}, [](auto& r, auto&) { r.value_bytes = SIZE_MAX / 4; });
}

TEST_F(misuse, numbers_that_name_nothing) {
  refuse({"key type", "77"}, [](auto& r, auto&) { r.type = static_cast<key_type>(77); });
  refuse({"order", "9"}, [](auto&, auto& o) { o.order = static_cast<order>(9); });
  refuse({"payload", "5"}, [](auto& r, auto&) { r.carries = static_cast<payload>(5); });
}

TEST_F(misuse, double_buffer_for_indices) {
  refuse({"double buffer", "indices"}, [](auto& r, auto&) {
    r.carries = payload::indices;
    r.input_is_scratch = true;
  });
}

TEST_F(misuse, of_the_workspace) {
  sort_request request = right_;
  request.n = 100;
  const std::size_t wanted = workspace_bytes(request);
  guarded_buffer space(wanted + 128);
  options opts;
  if (wanted > 0) {
    opts.workspace = space.bytes().first(wanted - 1);
    expect_refusal<workspace_too_small>([&] { run(request, opts); }, status::workspace_too_small,
                                        {std::to_string(wanted - 1), std::to_string(wanted)});
  }
  opts.workspace = space.bytes().subspan(8, wanted);
  expect_invalid([&] { run(request, opts); }, {"workspace", std::to_string(workspace_alignment)});
  request.n = 10;
  opts.workspace = std::span(a_.data(), a_.size());
  if (workspace_bytes(request) <= a_.size())
    expect_invalid([&] { run(request, opts); }, {"workspace", "keys_in", "overlap"});
}

TEST_F(misuse, writes_nothing) {
  const guarded_buffer b(400), d(400);
  refuse({"bit window"}, [](auto&, auto& o) { o.bits = {0, 99}; });
  EXPECT_TRUE(std::equal(b.data(), b.data() + 400, b_.data()));
  EXPECT_TRUE(std::equal(d.data(), d.data() + 400, d_.data()));
}

/// What only sorts take is refused where it would be left out in silence.
TEST(misuse_of_options, of_calls_that_are_no_sorts) {
  std::vector<std::uint32_t> a = {1, 2}, b = {3, 4}, out(4), positions = {1, 0};
  alignas(128) std::byte space[256];
  int stream = 0;
  const auto refuse = [&](const options& opts, const std::vector<std::string>& words) {
    expect_invalid([&] { sortile::merge(a, b, out, opts); }, words);
    expect_invalid([&] { permute(positions, a, opts); }, words);
    expect_invalid([&] { argsort_rows(std::array{by(a)}, positions, opts); }, words);
  };
  refuse({.workspace = space}, {"workspace", "allocates its own"});
  refuse({.stream = &stream}, {"stream"});
  refuse({.memory = static_cast<memory>(9)}, {"memory", "9"});
  expect_invalid([&] { static_cast<void>(sortile::is_sorted(a, {.stream = &stream})); }, {"stream"});
  expect_invalid([&] { static_cast<void>(sortile::is_sorted(a, {.workspace = space})); }, {"workspace", "needs none"});
  refuse({.workspace_limit = 1}, {"options::workspace_limit", "only sorts"});
  expect_invalid([&] { static_cast<void>(sortile::is_sorted(a, {.workspace_limit = 1})); },
                 {"first_disorder", "options::workspace_limit", "only sorts"});
  EXPECT_EQ(a, (std::vector<std::uint32_t>{1, 2}));
}

/// Plans are made of arrays at addresses that are far apart, which no array is long enough to overlap.
TEST(lengths, beyond_memory_are_refused_as_such) {
  for (unsigned power = 40; power < 64; ++power) {
    const std::size_t n = std::size_t{1} << power;
    const auto ask = [&](auto request) { return workspace_bytes(request); };
    const sort_request keys{.type = key_type::u64, .n = n};
    sort_request pairs{.type = key_type::u8, .n = n};
    pairs.carries = payload::values;
    pairs.value_bytes = 16;
    if (power <= 53)
      EXPECT_GT(ask(keys), 0u) << power;
    else
      expect_invalid([&] { static_cast<void>(ask(keys)); },
                     {"keys", std::to_string(n), "more than memory can address"});
    if (power <= 52)
      EXPECT_GT(ask(pairs), n) << power;
    else
      expect_invalid([&] { static_cast<void>(ask(pairs)); }, {std::to_string(n), "more than memory can address"});
  }
}

/// A number of threads beyond all reason costs no more than a reasonable one.
TEST(threads, are_no_more_than_can_help) {
  const auto bytes_with = [](unsigned threads) {
    std::byte* const nowhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);
    return workspace_bytes({.type = key_type::u64, .n = std::size_t{1} << 30, .keys_in = nowhere, .keys_out = nowhere},
                           {.threads = threads});
  };
  EXPECT_LE(bytes_with(65'536), std::size_t{10} << 30);
  EXPECT_EQ(bytes_with(65'536), bytes_with(~0u));
  EXPECT_LT(bytes_with(1), bytes_with(4)) << "a few are taken as they are";
  EXPECT_LT(bytes_with(4), bytes_with(16));
  std::vector<std::uint32_t> keys(2'000'000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  sortile::sort(keys, {.threads = 65'536});
  EXPECT_TRUE(sortile::is_sorted(keys, {.threads = 65'536}));
}

TEST(lengths, that_differ_are_refused_by_name) {
  std::vector<int> three(3), four(4);
  std::vector<std::uint32_t> five(5);
  expect_invalid([&] { sortile::sort(three, four); }, {"sort", "in", "3", "out", "4"});
  expect_invalid([&] { sortile::sort_by_key(three, five); }, {"sort_by_key", "keys", "3", "values", "5"});
  expect_invalid([&] { sortile::argsort(three, five); }, {"argsort", "positions", "5"});
  expect_invalid([&] { sortile::permute(five, three); }, {"permute", "5", "3"});
  expect_invalid([&] { sortile::merge(three, four, four); }, {"merge", "7", "4"});
  expect_invalid([&] { sortile::sort_by_key(three, three, three, four); }, {"values_out", "4"});
  double_buffer<int> uneven{three, four};
  expect_invalid([&] { sortile::sort(uneven); }, {"keys.current", "keys.other"});
  expect_invalid([&] { sortile::sort_rows(std::array{by(three)}, std::tie(three, four)); }, {"sort_rows", "3", "4"});
}

TEST(misuse_of_permute, is_refused) {
  std::uint32_t indices[4] = {0, 1, 2, 3};
  int values[4] = {};
  const permute_request right{.n = 4, .indices = indices, .index_bytes = 4, .values = values, .value_bytes = 4};
  EXPECT_NO_THROW(run(right));
  const auto refuse = [&](auto change, const std::vector<std::string>& words) {
    permute_request request = right;
    change(request);
    expect_invalid([&] { run(request); }, words);
  };
  refuse([](auto& r) { r.indices = nullptr; }, {"indices", "null"});
  refuse([](auto& r) { r.values = nullptr; }, {"values", "null"});
  refuse([](auto& r) { r.value_bytes = 0; }, {"value", "0 bytes"});
  refuse([](auto& r) { r.index_bytes = 2; }, {"indices", "2 bytes", "4 and 8"});
  refuse([&](auto& r) { r.values = indices; }, {"overlap"});
  const auto refuse_options = [&](const options& opts, const std::vector<std::string>& words) {
    expect_invalid([&] { run(right, opts); }, words);
  };
  refuse_options({.order = order::descending}, {"permutation", "options::order", "default"});
  refuse_options({.bits = {0, 8}}, {"permutation", "options::bits", "default"});
  refuse_options({.progress = [](double) { return true; }}, {"permutation", "options::progress", "empty"});
  indices[2] = 4;
  expect_invalid([&] { run(right); }, {"4"});
}

} // namespace
} // namespace sortile::testing
