// A little of everything that goes between a program and the compiled library: strings, functions, exceptions, plans.
// For compilers and standard libraries other than those that the tests are built with, so without GoogleTest.
#include <sortile/sortile.h>
#include <sortile/sortile.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (!condition) {
    ++failures;
    std::printf("not so: %s\n", what);
  }
}
#define EXPECT(...) expect((__VA_ARGS__), #__VA_ARGS__)

struct person {
  std::uint16_t age;
  std::string name;
};

void arrays() {
  std::vector<float> keys(100'000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<float>(i * 2654435761u % 100'003);
  std::vector<float> expected = keys, out(keys.size());
  std::sort(expected.begin(), expected.end());
  const std::vector<std::uint32_t> positions = sortile::argsort<std::uint32_t>(keys, {.threads = 2});
  std::vector<std::uint64_t> values(keys.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = i;
  sortile::sort(keys, out);
  EXPECT(out == expected);
  sortile::sort_by_key(keys, values);
  EXPECT(keys == expected && std::equal(values.begin(), values.end(), positions.begin()));
  EXPECT(sortile::is_sorted(keys) && !sortile::is_sorted(keys, {.order = sortile::order::descending}));
  std::vector<float> both(2 * keys.size());
  sortile::merge(keys, out, both);
  EXPECT(sortile::is_sorted(both));
}

void rows_and_structs() {
  std::vector<int> size = {5, 7, 5}, price = {2, 1, 1};
  sortile::sort_rows(std::array{sortile::by(size, sortile::order::descending), sortile::by(price)},
                     std::tie(size, price));
  EXPECT(size == std::vector<int>{7, 5, 5} && price == std::vector<int>{1, 1, 2});
  std::vector<person> people = {{31, "Ada"}, {25, "Edsger"}, {31, "Grace"}};
  sortile::sort(people, sortile::by(&person::age));
  EXPECT(people[0].name == "Edsger" && people[1].name == "Ada" && people[2].name == "Grace");
  std::deque<std::unique_ptr<int>> numbers;
  for (const int x : {3, 1, 2})
    numbers.push_back(std::make_unique<int>(x));
  sortile::sort(numbers, sortile::by([](const auto& p) { return *p; }));
  EXPECT(*numbers[0] == 1 && *numbers[2] == 3);
  using namespace std::chrono_literals;
  std::vector<std::chrono::milliseconds> times = {5ms, -1ms};
  sortile::sort(times);
  EXPECT(times[0] == -1ms);
}

void strings_and_functions() {
  std::vector<std::uint64_t> keys(1'000'000, 1);
  keys[0] = 2;
  double last = -1;
  const sortile::options opts{.engine = "cpu", .progress = [&](double done) { return (last = done) >= 0; }};
  sortile::sort(keys, opts);
  EXPECT(last == 1.0 && keys.back() == 2);
  const sortile::sort_request request{
      .type = sortile::key_type_named("uint64"), .n = keys.size(), .keys_in = keys.data(), .keys_out = keys.data()};
  const sortile::plan plan = explain(request, opts);
  EXPECT(plan.engine == "cpu" && plan.workspace_bytes == workspace_bytes(request, opts) && !plan.steps.empty());
  EXPECT(to_string(plan).find(plan.steps[0].name) != std::string::npos);
  EXPECT(name(sortile::key_type::bf16) == "bf16");
  bool found = false;
  for (const sortile::engine_info& engine : sortile::engines())
    found = found || engine.name == "cpu";
  EXPECT(found);
}

void exceptions() {
  std::vector<int> three(3), four(4);
  try {
    sortile::sort(three, four);
    EXPECT(!"thrown");
  } catch (const sortile::invalid_argument& e) {
    EXPECT(e.code() == sortile::status::invalid_argument && std::strstr(e.what(), "4") != nullptr);
  }
  try {
    sortile::sort(three, {.engine = std::string(40, 'q')});
    EXPECT(!"thrown");
  } catch (const std::runtime_error& e) {
    EXPECT(std::string(e.what()).find(std::string(40, 'q')) != std::string::npos);
  }
  try {
    sortile::sort(three, {.progress = [](double) { return false; }});
    EXPECT(!"thrown");
  } catch (const sortile::error& e) {
    EXPECT(e.code() == sortile::status::cancelled);
  }
  EXPECT(sortile_sort(SORTILE_U32, nullptr, nullptr, 7, nullptr) == SORTILE_INVALID_ARGUMENT);
  EXPECT(std::strstr(sortile_error_message(), "null") != nullptr);
}

} // namespace

int main() {
  arrays();
  rows_and_structs();
  strings_and_functions();
  exceptions();
  return failures == 0 ? 0 : 1;
}
