// The committed results: their plots and the tables in the document are what they give today.
#include "bench/classics/experiment.hpp"
#include "tests/source_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

namespace sortile::experiments {
namespace {

const std::filesystem::path root = testing::source_folder();

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file) << path;
  return text.str();
}

/// What a run measured, and the folder of its machine.
struct kept_run {
  std::filesystem::path folder;
  results found;
};

bool is_of_the_gallery(const std::filesystem::path& path, const char* extension) {
  return path.extension() == extension && path.filename().string().starts_with("classics-");
}

const std::vector<kept_run>& committed() {
  static const std::vector<kept_run> all = [] {
    std::vector<kept_run> runs;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "bench/results"))
      if (is_of_the_gallery(entry.path(), ".json"))
        runs.push_back({entry.path().parent_path(), results_of(contents(entry.path()))});
    return runs;
  }();
  return all;
}

/// Calls fn(measured, environment) for each experiment.
template <class Function>
void for_each_experiment(const Function& fn) {
  for (const kept_run& run : committed())
    for (const measured& each : run.found.experiments)
      fn(each, run.found.environment);
}

/// Experiments that wait for a run on the GPU; their sections say so.
const std::set<std::string_view> experiments_not_measured_yet{};

TEST(committed, holds_every_experiment_whole) {
  std::set<std::string> names;
  for (const kept_run& run : committed())
    EXPECT_FALSE(run.found.quick);
  for_each_experiment([&](const measured& each, const testing::facts&) {
    EXPECT_TRUE(names.insert(each.experiment).second) << each.experiment << " stands twice";
    for (const point& p : each.points)
      EXPECT_FALSE(p.note.starts_with("failed")) << each.experiment << ", " << p.series << ": " << p.note;
  });
  for (const experiment& e : all_experiments())
    EXPECT_EQ(names.contains(std::string(e.name)), !experiments_not_measured_yet.contains(e.name)) << e.name;
}

/// A length at which an algorithm has one tile counts another algorithm.
TEST(committed, counts_are_of_several_tiles) {
  for_each_experiment([](const measured& each, const testing::facts&) {
    if (each.experiment != counters.name)
      return;
    for (const classics::classic* counted : classics_of_32_bits())
      if (const classics::classic& c = *counted; c.place == classics::place::device) {
        const point* p = find(each.points, label(c, {}), label(c, {}));
        ASSERT_NE(p, nullptr) << c.name;
        EXPECT_GE(p->figure("counted at n"), double(std::min(2 * c.tile, c.largest_n))) << c.name;
      }
  });
}

TEST(committed, plots_are_what_the_results_draw) {
  std::set<std::filesystem::path> drawn;
  for (const kept_run& run : committed())
    for (const measured& each : run.found.experiments)
      for (const plot::chart& c : experiment_named(each.experiment).charts(each.points, run.found.environment)) {
        EXPECT_EQ(contents(run.folder / (c.name + ".svg")), plot::svg_of(c))
            << "sortile bench classics --from … --plots …";
        EXPECT_EQ(contents(run.folder / (c.name + ".csv")), plot::csv_of(c));
        drawn.insert(run.folder / (c.name + ".svg"));
      }
  const std::string document = contents(root / "docs/experiments.md");
  for (const std::filesystem::path& path : drawn)
    EXPECT_NE(document.find("../" + path.lexically_relative(root).string()), std::string::npos)
        << path << " is not shown in docs/experiments.md";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "bench/results"))
    if (is_of_the_gallery(entry.path(), ".svg")) {
      EXPECT_TRUE(drawn.contains(entry.path())) << entry.path() << " is drawn by nothing";
    }
}

TEST(committed, the_documents_tables_are_the_results) {
  const std::string document = contents(root / "docs/experiments.md");
  for_each_experiment([&](const measured& each, const testing::facts& environment) {
    EXPECT_NE(document.find(experiment_named(each.experiment).tables(each.points, environment)), std::string::npos)
        << each.experiment << ": docs/experiments.md holds other tables than sortile bench classics --from prints; "
        << "scripts/experiments_tables.sh puts them there";
  });
}

} // namespace
} // namespace sortile::experiments
