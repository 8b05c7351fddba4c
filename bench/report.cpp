// Tables and JSON, see report.hpp.
#include "bench/report.hpp"

#include "testing/results.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace sortile::bench {

namespace {

__attribute__((format(printf, 1, 2))) std::string text(const char* format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

/// How many times longer another takes than sortile; "-" where there is no such other.
std::string ratio(const result* other, const result* ours) {
  return other == nullptr || ours == nullptr ? "-" : text("%.2f", other->timing.median() / ours->timing.median());
}

std::string title(const row& r) {
  return std::string(name(r.spec.shape)) + " " + r.spec.workload + " n=" + std::to_string(r.spec.n) +
         (r.arrays > 1 ? " (" + std::to_string(r.arrays) + " arrays)" : "");
}

} // namespace

std::string detail(const row& r) {
  std::vector<const result*> order;
  for (const result& each : r.results)
    order.push_back(&each);
  std::stable_sort(order.begin(), order.end(), [](const result* a, const result* b) {
    return a->complaint.empty() != b->complaint.empty() ? a->complaint.empty()
                                                        : a->timing.median() < b->timing.median();
  });
  const result* ours = r.sortile();
  std::string lines = title(r) + "\n";
  for (const result* each : order) {
    const std::string kind = std::string(each->stable ? "stable" : "") + (each->parallel ? " parallel" : "");
    if (each->complaint.empty())
      lines += text("  %-28s %10.6f s %9.1f M keys/s  noise %4.1f %%  %7s x  %2zu runs  %s\n", each->name.c_str(),
                    each->timing.median(), r.keys_per_second(*each) / 1e6, 100 * each->timing.noise(),
                    ratio(each, ours).c_str(), each->timing.seconds.size(), kind.c_str());
    else
      lines += text("  %-28s WRONG: %s\n", each->name.c_str(), each->complaint.c_str());
  }
  return lines;
}

std::string summary(const std::vector<row>& rows) {
  std::string lines = text("%-8s %-14s %10s %11s %9s %6s  %7s %-27s %9s %11s\n", "shape", "workload", "n", "sortile s",
                           "M keys/s", "noise", "x best", "rival", "std::sort", "stable_sort");
  for (const row& r : rows) {
    const result* ours = r.sortile();
    const result* best = r.best_rival();
    if (ours == nullptr) {
      lines += title(r) + ": no right result of sortile\n";
      continue;
    }
    lines +=
        text("%-8s %-14s %10zu %11.6f %9.1f %5.1f%%  %7s %-27s %9s %11s\n", name(r.spec.shape), r.spec.workload.c_str(),
             r.spec.n, ours->timing.median() / static_cast<double>(r.arrays), r.keys_per_second(*ours) / 1e6,
             100 * ours->timing.noise(), ratio(best, ours).c_str(), best == nullptr ? "-" : best->name.c_str(),
             ratio(r.named("std::sort"), ours).c_str(), ratio(r.named("std::stable_sort"), ours).c_str());
  }
  return lines +
         "x best, std::sort, stable_sort: how many times longer they take than sortile; below 1 sortile loses\n";
}

std::string json(const std::vector<row>& rows, const bench_options& how, const testing::environment& where) {
  testing::results_file file{.suite = "cpu", .environment = to_facts(where)};
  file.settings.add("threads", how.threads);
  file.settings.add("seed", how.seed);
  for (const row& r : rows)
    for (const result& each : r.results) {
      testing::result_row kept{.type = name(r.spec.shape),
                               .workload = r.spec.workload,
                               .n = r.spec.n,
                               .contender = each.name,
                               .median = each.timing.median(),
                               .noise = each.timing.noise(),
                               .note = each.complaint,
                               .seconds = each.timing.seconds};
      kept.labels.add("stable", each.stable);
      kept.labels.add("parallel", each.parallel);
      kept.figures["arrays"] = static_cast<double>(r.arrays);
      file.rows.push_back(std::move(kept));
    }
  return text_of(file);
}

} // namespace sortile::bench
