// A program that is linked with sortile::sortile alone: what needs another engine is refused with the library's name
// that has it. And engines that come while the program runs.
#include "plan/registry.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/device.hpp>
#include <sortile/sortile.hpp>
#include <sortile/struct_request.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace sortile::testing {
namespace {

std::vector<std::uint32_t> keys = {3, 1, 2};
const sort_request request{.n = 3, .keys_in = keys.data(), .keys_out = keys.data()};

const engine* engine_called(std::string_view name) {
  for (const engine* e : all_engines())
    if (e->name() == name)
      return e;
  return nullptr;
}

TEST(absent_engines, are_listed_in_the_order_of_preference_with_the_library_that_has_them) {
  const std::vector<engine_info> list = engines();
  ASSERT_GE(list.size(), 3u);
  EXPECT_EQ(list[0].name, "cuda");
  EXPECT_FALSE(list[0].usable);
  EXPECT_NE(list[0].reason.find("sortile::cuda"), std::string::npos) << list[0].reason;
  EXPECT_EQ(list[1].name, "cpu");
  EXPECT_TRUE(list[1].usable);
  EXPECT_EQ(list[2].name, "executor");
  EXPECT_NE(list[2].reason.find("sortile::executor"), std::string::npos) << list[2].reason;
}

TEST(absent_engines, are_refused_by_name) {
  for (const std::string name : {"cuda", "executor"}) {
    const options opts{.engine = name};
    const auto refused = [&](const auto& call) {
      expect_refusal<engine_unusable>(call, status::engine_unusable, {name, "linked without sortile::" + name});
    };
    refused([&] { run(request, opts); });
    refused([&] { static_cast<void>(explain(request, opts)); });
    refused([&] { static_cast<void>(workspace_bytes(request, opts)); });
  }
}

TEST(absent_engines, device_memory_says_what_is_missing) {
  const options opts{.memory = memory::device};
  const auto refused = [&](const auto& call) {
    expect_refusal<engine_unusable>(call, status::engine_unusable, {"linked without sortile::cuda"});
  };
  refused([&] { run(request, opts); });
  refused([&] { static_cast<void>(explain(request, opts)); });
  refused([&] { static_cast<void>(workspace_bytes(request, opts)); });
  options named = opts;
  named.engine = "cuda";
  refused([&] { static_cast<void>(workspace_bytes(request, named)); });
}

TEST(absent_engines, sorts_of_structs_say_what_is_missing) {
  struct_request structs{.n = 3,
                         .key_bytes = 4,
                         .key_alignment = 4,
                         .keys_in = keys.data(),
                         .keys_out = keys.data(),
                         .image_bits = 32,
                         .extract = [](const simt::queue&, const image_extraction&, const void*) {}};
  for (const bool on_executor : {false, true}) {
    structs.on_executor = on_executor;
    const std::string library = on_executor ? "sortile::executor" : "sortile::cuda";
    expect_refusal<engine_unusable>([&] { run(structs); }, status::engine_unusable, {library});
    expect_refusal<engine_unusable>([&] { static_cast<void>(workspace_bytes(structs)); }, status::engine_unusable,
                                    {library});
  }
}

TEST(absent_engines, devices_say_what_is_missing) {
  EXPECT_TRUE(devices().devices.empty());
  EXPECT_NE(devices().why_none.find("sortile::cuda"), std::string::npos) << devices().why_none;
  EXPECT_EQ(first_usable_device(), nullptr);
  EXPECT_NO_THROW(release_scratch());
}

/// An engine of a test: sorts by std::sort, ascending u32 keys alone.
class test_engine final : public engine {
 public:
  explicit test_engine(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }
  std::string_view description() const override { return "an engine of a test"; }
  std::string_view why_unusable() const override { return {}; }
  std::string_view why_refused(const sort_request&, const options&) const override { return {}; }
  std::string_view why_left_aside(const sort_request&, const options&) const override { return "it is a test's"; }
  plan make_plan(const sort_request&, const options&, unsigned) const override { return {}; }
  result_place run(const sort_request& r, const options&, const execution&) const override {
    auto* const k = static_cast<std::uint32_t*>(r.keys_out);
    std::copy_n(static_cast<const std::uint32_t*>(r.keys_in), r.n, k);
    std::sort(k, k + r.n);
    return result_place::output;
  }
  void release_scratch() const noexcept override { ++released; }

  mutable std::atomic<int> released{0};

 private:
  std::string_view name_;
};

TEST(registered_engines, are_found_where_their_rank_puts_them) {
  static const test_engine first("first"), between("between"), last("last");
  register_engine(last, rank::executor + 1);
  register_engine(between, rank::cpu + 1);
  register_engine(first, rank::cuda - 1);
  std::vector<std::string> names;
  for (const engine_info& e : engines())
    names.push_back(e.name);
  EXPECT_EQ(names, (std::vector<std::string>{"first", "cuda", "cpu", "between", "executor", "last"}));
  std::vector<std::uint32_t> some = {5, 4, 9};
  sortile::sort(some, {.engine = "between"});
  EXPECT_EQ(some, (std::vector<std::uint32_t>{4, 5, 9}));
  release_scratch();
  EXPECT_EQ(between.released, 1);
  EXPECT_EQ(explain(request).engine, "cpu") << "they leave sorts aside";
}

TEST(registered_engines, of_a_known_name_stay) {
  static const test_engine once("once"), again("once");
  register_engine(once, 50);
  register_engine(again, 50);
  EXPECT_EQ(engine_called("once"), &once);
  const engine* const cpu = engine_called("cpu");
  static const test_engine other_cpu("cpu");
  register_engine(other_cpu, rank::cpu);
  EXPECT_EQ(engine_called("cpu"), cpu);
}

TEST(registered_engines, may_come_while_others_look) {
  static const test_engine late[] = {test_engine("late0"), test_engine("late1"), test_engine("late2")};
  std::atomic<bool> all_there{false};
  std::thread looks([&] {
    while (!all_there)
      for (const engine* e : all_engines())
        ASSERT_FALSE(e->name().empty());
  });
  for (const test_engine& e : late)
    register_engine(e, 60);
  all_there = true;
  looks.join();
  EXPECT_NE(engine_called("late2"), nullptr);
}

} // namespace
} // namespace sortile::testing
