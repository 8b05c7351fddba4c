// The registry as a whole: what entries must say, that what they do not declare is refused by name, that the documents
// are those that the registry gives.
#include "classics/runner.hpp"
#include "tests/source_folder.hpp"

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace sortile::classics {
namespace {

machine executor_machine() {
  return machine(executor::device_options{});
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string root = testing::source_folder();

TEST(registry, entries_are_complete) {
  std::set<std::string_view> names;
  for (const classic& c : all_classics()) {
    SCOPED_TRACE(std::string(c.name));
    EXPECT_TRUE(names.insert(c.name).second);
    for (const std::string_view text : {c.name, c.family, c.summary, c.work, c.depth, c.source, c.steps_show, c.file}) {
      EXPECT_FALSE(text.empty());
      EXPECT_EQ(text.find('|'), std::string_view::npos) << "breaks the table";
    }
    EXPECT_EQ(c.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string_view::npos);
    EXPECT_FALSE(c.types.empty());
    EXPECT_NE(c.run, nullptr);
    if (c.place == place::device && c.largest_n > 4096) {
      EXPECT_NE(c.tile, 0u) << "from which length on do several blocks work together?";
    }
    for (const parameter& p : c.parameters)
      EXPECT_TRUE(p.least <= p.usual && p.usual <= p.most && !p.what.empty()) << p.name;
  }
}

TEST(registry, unknown_names_are_refused_with_the_list) {
  try {
    classic_named("no-such-sort");
    FAIL();
  } catch (const invalid_argument& e) {
    for (const classic& c : all_classics())
      EXPECT_NE(std::string(e.what()).find(c.name), std::string::npos);
  }
}

engine home_of(const classic& c) {
  return c.place == place::host ? engine::host : engine::executor;
}

void expect_refused(const classic& c, const request& asked, engine on, const std::string& part) {
  try {
    machine m = executor_machine();
    run(c, asked, on, m);
    ADD_FAILURE() << c.name << " did what it does not declare: " << to_string(c, asked);
  } catch (const invalid_argument& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find(c.name), std::string::npos) << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(registry, one_thread_takes_as_many_steps_as_it_has_work) {
  for (const classic& c : all_classics())
    if (c.place == place::host) {
      EXPECT_EQ(c.depth, c.work) << c.name;
    }
}

TEST(registry, what_is_not_declared_is_refused_by_name) {
  for (const classic& c : all_classics()) {
    const request plain{.n = 3, .type = c.types[0]};
    for (const key_type type : all_key_types)
      if (!c.takes(type))
        expect_refused(c, {.n = 3, .type = type}, home_of(c), std::string(name(type)));
    request asked = plain;
    asked.pairs = true;
    if (!c.pairs)
      expect_refused(c, asked, home_of(c), "pairs");
    asked = plain;
    asked.direction = order::descending;
    if (!c.task->has_direction)
      expect_refused(c, asked, home_of(c), "direction");
    asked = plain;
    asked.n = c.largest_n + 1;
    expect_refused(c, asked, home_of(c), std::to_string(c.largest_n));
    asked = plain;
    asked.bits = {5, 3};
    expect_refused(c, asked, home_of(c), "bits 5:3");
    asked = plain;
    asked.parameters["no-such"] = 1;
    expect_refused(c, asked, home_of(c), "no-such");
    for (const parameter& p : c.parameters) {
      asked = plain;
      asked.parameters[std::string(p.name)] = p.most + 1;
      expect_refused(c, asked, home_of(c), std::to_string(p.most));
      asked.parameters[std::string(p.name)] = p.least + 1;
      if (p.step > 1)
        expect_refused(c, asked, home_of(c), "in steps of " + std::to_string(p.step));
    }
    expect_refused(c, plain, c.place == place::host ? engine::cuda : engine::host, "does not run on");
  }
}

TEST(runner, every_classic_runs_on_the_executor) {
  for (const classic& c : all_classics()) {
    machine m = executor_machine();
    const outcome result = run(c, {.n = 50, .type = c.types[0]}, engine::executor, m);
    EXPECT_TRUE(result.verdict) << result.verdict.complaint;
    if (c.place == place::host) {
      EXPECT_EQ(result.notes, std::vector<std::string>{"a sort of the host: the executor ran no kernel"}) << c.name;
    }
  }
}

/// A classic that leaves its input as it is: what the runner must not let pass.
TEST(runner, a_wrong_result_is_found) {
  const classic lazy{.name = "lazy", .stable = true, .run = [](job&) {}};
  machine m = executor_machine();
  for (const std::uint64_t n : {std::uint64_t{2}, std::uint64_t{100}, std::uint64_t{1} << 21}) {
    const outcome found = run(lazy, {.n = n, .workload = "reversed", .pairs = true}, engine::executor, m);
    EXPECT_FALSE(found.verdict) << n;
    EXPECT_NE(found.verdict.complaint.find("lazy -n " + std::to_string(n)), std::string::npos)
        << found.verdict.complaint;
  }
  const classic scan{.name = "lazy-scan", .task = &exclusive_scan, .run = [](job&) {}};
  EXPECT_FALSE(run(scan, {.n = 2, .workload = "sorted"}, engine::executor, m).verdict);
}

/// An unstable result of a classic that claims to be stable, with the keys in order.
TEST(runner, a_false_claim_of_stability_is_found) {
  const classic turned{
      .name = "turned", .stable = true, .run = [](job& j) { std::swap(j.data.values[0], j.data.values[1]); }};
  machine m = executor_machine();
  EXPECT_FALSE(run(turned, {.n = 2, .workload = "equal", .pairs = true}, engine::executor, m).verdict);
  classic honest = turned;
  honest.stable = false;
  EXPECT_TRUE(run(honest, {.n = 2, .workload = "equal", .pairs = true}, engine::executor, m).verdict);
}

TEST(documents, the_committed_table_is_the_registrys) {
  const std::string document = contents(root + "/docs/classics.md");
  EXPECT_NE(document.find(markdown_table_of_classics()), std::string::npos)
      << "docs/classics.md holds another table than `sortile classics list --markdown` prints; "
         "scripts/classics_table.sh puts it there";
}

TEST(documents, the_index_names_every_classic) {
  const std::string index = contents(root + "/docs/classics-index.md");
  for (const classic& c : all_classics())
    EXPECT_NE(index.find("`" + std::string(c.name) + "`"), std::string::npos)
        << c.name << " is not in docs/classics-index.md";
}

/// The part of the text from `begin` to the next `end`.
std::string part_of(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  EXPECT_NE(at, std::string::npos) << begin;
  return text.substr(at, text.find(end, at) - at);
}

TEST(documents, the_comparison_with_cub_says_which_classics_it_lacks) {
  const std::string page = contents(root + "/docs/experiments.md");
  const std::string table = part_of(page, "<!-- table against-cub begins -->", "<!-- table against-cub ends -->"),
                    lacking = part_of(page, "**Not in this run:**", "\n\n");
  for (const classic& c : all_classics()) {
    const std::string name(c.name);
    const bool measured = table.find("| " + name + " ") != std::string::npos;
    EXPECT_EQ(lacking.find("`" + name + "`") == std::string::npos, measured) << name;
  }
}

TEST(documents, every_file_opens_with_an_essay) {
  for (const classic& c : all_classics()) {
    const std::string text = contents(root + "/classics/" + std::string(c.file));
    EXPECT_GE(text.find("\n#include"), 1000u) << c.file << ": idea, source, picture, cost, what it teaches, limits";
    EXPECT_EQ(text.substr(0, 3), "// ") << c.file;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// The numbers of a line that begins with `title`; none where it does not.
std::vector<double> numbers_after(const std::string& line, const std::string& title) {
  std::vector<double> numbers;
  if (line.find(title) != 0)
    return numbers;
  std::istringstream in(line.substr(title.size()));
  for (double number; in >> number;)
    numbers.push_back(number);
  return numbers;
}

TEST(steps, every_classic_shows_what_it_declares) {
  for (const classic& c : all_classics()) {
    machine m = executor_machine();
    std::vector<step> told;
    const outcome result = run(c, {.n = 7, .type = c.types[0], .workload = "range:9"}, home_of(c), m, 1, &told);
    EXPECT_TRUE(result.verdict) << result.verdict.complaint;
    const std::string steps = to_text(told);
    const std::vector<std::string> lines = lines_of(steps);
    ASSERT_GE(lines.size(), 3u) << c.name << ": an input, a step, a result; it shows\n" << steps;
    ASSERT_EQ(lines.front().find("input:"), 0u) << c.name << '\n' << steps;
    ASSERT_EQ(lines.back().find("result:"), 0u) << c.name << '\n' << steps;
    EXPECT_EQ(told.front().rows.front().cells.size(), 7u) << c.name << '\n' << steps;
    EXPECT_EQ(told.back().rows.front().cells.size(), 7u) << c.name << '\n' << steps;
    if (c.task == &sorting) { // of others the keys need not be numbers
      const std::vector<double> output = numbers_after(lines.back(), "result:");
      std::vector<double> sorted = numbers_after(lines.front(), "input:");
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(output, sorted) << c.name << '\n' << steps;
    }
    bool says_numbers = false;
    for (std::size_t k = 1; k + 1 < lines.size(); ++k)
      says_numbers |= lines[k].find_first_of("0123456789") != std::string::npos;
    EXPECT_TRUE(says_numbers) << c.name << '\n' << steps;
  }
}

TEST(steps, a_division_shows_pivot_regions_and_keys) {
  for (const char* name : {"quicksort-atomic", "quicksort-packing", "quicksort-streams", "quicksort-launching"}) {
    machine m = executor_machine();
    std::vector<step> told;
    run(classic_named(name), {.n = 40, .workload = "range:100", .parameters = {{"small", 8}}}, engine::executor, m, 1,
        &told);
    const std::string steps = to_text(told);
    EXPECT_NE(steps.find("keys 0 to 39 about "), std::string::npos) << name << '\n' << steps;
    EXPECT_NE(steps.find(" less, "), std::string::npos) << name << '\n' << steps;
  }
}

/// Equal keys that two levels have brought back to where they were: no block is left with anything to do.
TEST(steps, a_recursion_that_leaves_nothing_says_so) {
  machine m = executor_machine();
  std::vector<step> told;
  const request asked{.n = 6, .workload = "equal", .bits = {0, 4}, .parameters = {{"small", 4}, {"bits", 2}}};
  run(classic_named("radix-msd-launching"), asked, engine::executor, m, 1, &told);
  EXPECT_NE(to_text(told).find("\nparts left to a block each: 0\n3 launches from the device\n"), std::string::npos)
      << to_text(told);
}

} // namespace
} // namespace sortile::classics
