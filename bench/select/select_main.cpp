// sortile_select_bench: top-k, quantiles and partial sorts in device memory, row by row, beside the time of one read of
// the keys and, where the CUB that is compiled with has it, CUB's DeviceTopK (whose results are not sorted, and differ
// from run to run); partial sorts beside CUB's sort of all keys, which is what there is else.
//
//   sortile_select_bench [--kinds top-k,quantiles,in-place] [--types u32,…] [--log-n-min N] [--workloads few:16,…]
//                        [--rounds N] [--list] [--json FILE]
#include "bench/gpu/program.hpp"
#include "bench/select/select_rivals.hpp"
#include "bench/select/select_rows.hpp"

#include <sortile/types.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <iterator>

namespace sortile::bench {
namespace {

const std::vector<std::string> all_kinds(std::begin(selection_names), std::end(selection_names));
const std::vector<std::string> all_types{"u32", "f32", "u64"};

struct settings {
  std::vector<std::string> kinds = all_kinds, types = all_types;
  std::vector<std::string> workloads; ///< empty: those of the rows
  unsigned log_n_min = 0, rounds = 15;
  bool list = false;
  std::string json_path;
};

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The rows that are asked for. Given workloads take the place of a row's own: each shape is then there once for each.
std::vector<selection_row> rows_of(const settings& s) {
  std::vector<selection_row> rows;
  for (const selection_row& row : selection_rows()) {
    if (!holds(s.kinds, selection_names[int(row.kind)]) || !holds(s.types, name(row.type)) ||
        row.n * row.rows >> s.log_n_min == 0)
      continue;
    for (const std::string& workload : s.workloads.empty() ? std::vector{row.workload} : s.workloads) {
      selection_row asked = row;
      asked.workload = workload;
      if (std::find(rows.begin(), rows.end(), asked) == rows.end())
        rows.push_back(asked);
    }
  }
  for (const selection_row& row : rows)
    testing::workload_named(row.workload).check(row.type);
  return rows;
}

void run(const settings& s) {
  const std::vector<selection_row> rows = rows_of(s);
  if (s.list) {
    for (const selection_row& row : rows)
      std::cout << row.name() << '\n';
    return;
  }
  environment e = look_around();
  e.cub = selection_cub_version();
  testing::results_file file{.suite = "gpu-select", .environment = facts_of(e)};
  for (const selection_row& row : rows)
    for (testing::result_row& result : measured(row, s.rounds)) {
      std::cout << line_of(result) << std::endl;
      file.rows.push_back(std::move(result));
    }
  if (!s.json_path.empty())
    write_results(s.json_path, text_of(file));
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Selections in device memory against one read of the keys and against CUB");
  app.add_option("--kinds", s.kinds, "what is done")->delimiter(',')->check(CLI::IsMember(sortile::bench::all_kinds));
  app.add_option("--types", s.types, "types of keys")->delimiter(',')->check(CLI::IsMember(sortile::bench::all_types));
  app.add_option("--log-n-min", s.log_n_min, "leave smaller arrays out: a power of two")->check(CLI::Range(0, 30));
  sortile::bench::add_workloads(app, s.workloads, {});
  app.add_option("--rounds", s.rounds, "timed rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_flag("--list", s.list, "print the names of the rows, and measure none");
  app.add_option("--json", s.json_path, "where the raw figures go");
  CLI11_PARSE(app, argc, argv);
  try {
    sortile::bench::run(s);
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "sortile_select_bench: " << failure.what() << '\n';
    return 1;
  }
}
