// The calls of compare.cuh beside their results: workspace, decomposers with a state, refusals.
#include "tests/compare/fixture.hpp"
#include "tests/expect_refusal.hpp"

namespace sortile::compare_tests::inline SORTILE_BACKEND {
namespace {

using testing::expect_invalid;
using testing::expect_refusal;
using pair = two_words::type;

constexpr std::size_t n = 3000;

/// Which member decides is known at run time.
struct chosen_member {
  using type = pair;
  bool second;
  SORTILE_HOST_DEVICE auto operator()(const pair& p) const { return members(second ? p.b : p.a); }
};

SIMT_TEST(struct_calls, a_decomposer_may_have_a_state) {
  const auto structs = random_structs<two_words>(n, 1);
  for (const bool second : {false, true}) {
    array<pair> keys(structs);
    sortile::sort(keys.span(), chosen_member{second});
    finish();
    auto expected = structs;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](const pair& x, const pair& y) { return second ? x.b < y.b : x.a < y.a; });
    keys.expect(expected, second ? "by b" : "by a");
  }
}

SIMT_TEST(struct_calls, the_workspace_that_is_asked_for_is_enough_whatever_it_holds) {
  const auto structs = random_structs<three_words>(n, 2);
  const auto expected = in_order(structs, expected_order<three_words>(structs, order::ascending));
  for (const std::uint64_t poison : {1, 2, 3}) {
    array<three_words::type> keys(structs);
    const auto described = make_struct_sort(keys.span(), keys.span(), three_words{});
    testing::guarded_buffer space(workspace_bytes(described), 0, 0, where);
    space.poison(poison);
    run(described, {.workspace = space.bytes()});
    finish();
    keys.expect(expected, "keys");
    EXPECT_EQ(space.damage(), "");
  }
}

template <class T>
std::span<T> somewhere(std::uintptr_t address, std::size_t length) {
  return {reinterpret_cast<T*>(address), length}; // compared, never followed
}

std::size_t of_words(sort_request r) {
  r.type = key_type::u64;
  r.keys_in = somewhere<int>(1 << 28, 1).data();
  return workspace_bytes(
      r, {.engine = SORTILE_ON_CUDA ? "cuda" : "executor", .memory = SORTILE_ON_CUDA ? memory::device : memory::host});
}

SIMT_TEST(struct_calls, workspace_is_what_the_documents_say) {
  constexpr std::size_t m = 1 << 16;
  const auto in = somewhere<pair>(1 << 20, m), out = somewhere<pair>(1 << 24, m);
  const auto values = somewhere<int>(1 << 26, m), values_out = somewhere<int>(1 << 27, m);
  const std::size_t positions =
      of_words({.n = m, .carries = payload::indices, .value_bytes = 4, .values_out = values_out.data()});
  const std::size_t structs = of_words({.n = m,
                                        .keys_out = somewhere<int>(1 << 29, 1).data(),
                                        .carries = payload::values,
                                        .value_bytes = 8,
                                        .values_in = in.data(),
                                        .values_out = out.data()});
  EXPECT_EQ(workspace_bytes(make_struct_sort(in, values, out, values_out, two_words{})), m * (4 + 8) + positions);
  // Aligned to 4, pairs of 8 bytes may lie where they have to be copied to travel.
  EXPECT_LE(workspace_bytes(make_struct_sort(in, out, two_words{})), m * 8 + structs + m * 8 + 2 * m * 8);
  EXPECT_EQ(workspace_bytes(make_struct_sort(in.first(0), out.first(0), two_words{})), 0u);
}

class right_request {
 public:
  /// Changes the right request in one way; the call must be refused with these words.
  template <class Change>
  void refuse(const std::vector<std::string>& words, const Change& change) {
    auto described = make_struct_sort(in_.span(), values_in_.span(), out_.span(), values_out_.span(), two_words{});
    options opts;
    change(described.arrays, opts);
    expect_invalid([&] { run(described, opts); }, words);
  }
  pair* in() { return in_.span().data(); }
  pair* out() { return out_.span().data(); }

 private:
  array<pair> in_{n}, out_{n};
  array<int> values_in_{n}, values_out_{n};
};

/// As any_order.cu does.
SIMT_TEST(struct_calls, an_order_of_two_units) {
  check_downwards(21'000);
}

SIMT_TEST(struct_calls, refuse_what_they_cannot_do) {
  right_request r;
  r.refuse({"keys_in", "null", "3000"}, [](auto& a, auto&) { a.keys_in = nullptr; });
  r.refuse({"keys_out", "null"}, [](auto& a, auto&) { a.keys_out = nullptr; });
  r.refuse({"values_out", "null"}, [](auto& a, auto&) { a.values_out = nullptr; });
  r.refuse({"keys_in", "keys_out", "overlap"}, [&](auto& a, auto&) { a.keys_out = r.in() + 1; });
  r.refuse({"keys_out", "values_in", "overlap"}, [&](auto& a, auto&) { a.values_in = r.out(); });
  r.refuse({"in place"}, [](auto& a, auto&) { a.keys_out = const_cast<void*>(a.keys_in); });
  r.refuse({"keys_in", "aligned", "4"}, [](auto& a, auto&) { a.keys_in = static_cast<const char*>(a.keys_in) + 1; });
  r.refuse({"order number 7"}, [](auto&, auto& o) { o.order = order(7); });
  r.refuse({"options::bits"}, [](auto&, auto& o) { o.bits.begin = 1; });
  r.refuse({"progress"}, [](auto&, auto& o) { o.progress = [](double) { return true; }; });
  r.refuse({"members"}, [](auto& a, auto&) { a.image_bits = 0; });
}

SIMT_TEST(struct_calls, refuse_lengths_that_differ) {
  array<pair> keys(4), three(3);
  array<int> values(3);
  array<std::uint32_t> positions(5);
  expect_invalid([&] { sortile::sort(keys.span(), three.span(), two_words{}); }, {"4", "3", "as many"});
  expect_invalid([&] { sort_by_key(keys.span(), values.span(), two_words{}); }, {"keys", "values", "4", "3"});
  expect_invalid([&] { argsort(keys.span(), positions.span(), two_words{}); }, {"positions", "5"});
}

SIMT_TEST(struct_calls, refuse_other_workspaces_than_asked_for) {
  array<pair> keys(random_structs<two_words>(n, 3));
  const auto described = make_struct_sort(keys.span(), keys.span(), two_words{});
  testing::guarded_buffer space(workspace_bytes(described) + 128, 0, 0, where);
  const auto with = [&](std::span<std::byte> s) { return [&described, s] { run(described, {.workspace = s}); }; };
  expect_refusal<workspace_too_small>(with(space.bytes().first(128)), status::workspace_too_small, {"bytes"});
  expect_invalid(with(space.bytes().subspan(1)), {"workspace", "aligned"});
}

SIMT_TEST(struct_calls, refuse_engines_that_do_not_sort_structs) {
  array<pair> keys(random_structs<two_words>(n, 3));
  const auto on = [&](const char* engine) {
    return [&, engine] { sortile::sort(keys.span(), two_words{}, {.engine = engine}); };
  };
  expect_refusal<engine_unusable>(on("cpu"), status::engine_unusable, {"cpu"});
  expect_refusal<engine_unusable>(on(SORTILE_ON_CUDA ? "executor" : "cuda"), status::engine_unusable,
                                  {SORTILE_ON_CUDA ? "executor" : "cuda"});
  expect_refusal<unknown_engine>(on("abacus"), status::unknown_engine, {"abacus"});
}

} // namespace
} // namespace sortile::compare_tests::inline SORTILE_BACKEND
