// See registry.hpp.
#include "classics/registry.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <stdexcept>

namespace sortile::classics {

// files_of_classics.inc is made by CMake: SORTILE_CLASSICS_FILE(some_sort) for each listed some_sort.cu.
#define SORTILE_CLASSICS_FILE(FILE)                                                                                    \
  template <class Backend>                                                                                             \
  std::vector<classic> classics_of_##FILE();
#include "files_of_classics.inc"
#undef SORTILE_CLASSICS_FILE

namespace {

using table_function = std::vector<classic> (*)();

void append(std::vector<classic>& all, std::string_view file, table_function on_executor, table_function on_cuda) {
  std::vector<classic> made = on_executor();
  const std::vector<classic> twins = on_cuda ? on_cuda() : std::vector<classic>{};
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].file = file;
    made[i].run_on_cuda = twins.empty() ? nullptr : twins[i].run;
    if (std::any_of(all.begin(), all.end(), [&](const classic& c) { return c.name == made[i].name; }))
      throw std::logic_error("classics: two of the name " + std::string(made[i].name));
    all.push_back(std::move(made[i]));
  }
}

std::vector<classic> gather_classics() {
  std::vector<classic> all;
#if defined(SORTILE_HAS_CUDA) && SORTILE_HAS_CUDA
#define SORTILE_CLASSICS_FILE(FILE)                                                                                    \
  append(all, #FILE ".cu", classics_of_##FILE<simt::on_executor>, classics_of_##FILE<simt::on_cuda>);
#else
#define SORTILE_CLASSICS_FILE(FILE) append(all, #FILE ".cu", classics_of_##FILE<simt::on_executor>, nullptr);
#endif
#include "files_of_classics.inc"
#undef SORTILE_CLASSICS_FILE
  std::vector<std::string_view> families; // in the order in which they first appear
  for (const classic& c : all)
    if (std::find(families.begin(), families.end(), c.family) == families.end())
      families.push_back(c.family);
  const auto place_of = [&](const classic& c) { return std::find(families.begin(), families.end(), c.family); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const classic& a, const classic& b) { return place_of(a) < place_of(b); });
  return all;
}

std::string padded(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string types_of(const classic& c) {
  std::string text;
  for (const key_type type : c.types)
    text += (text.empty() ? "" : " ") + std::string(name(type));
  return text;
}

} // namespace

std::span<const classic> all_classics() {
  static const std::vector<classic> all = gather_classics();
  return all;
}

const classic& classic_named(std::string_view name) {
  std::string names;
  for (const classic& c : all_classics()) {
    if (c.name == name)
      return c;
    names += (names.empty() ? "" : ", ") + std::string(c.name);
  }
  throw invalid_argument("no classic is called " + std::string(name) + " (there are: " + names + ")");
}

std::string list_of_classics() {
  std::string text;
  std::size_t width = 0;
  for (const classic& c : all_classics())
    width = std::max(width, c.name.size());
  for (const classic& c : all_classics())
    text += padded(c.name, width) + "  " + padded(c.family, 13) + "  work " + std::string(c.work) + ", steps " +
            std::string(c.depth) +
            (!c.task->has_direction ? "  -  "
             : c.stable             ? "  stable  "
                                    : "  unstable  ") +
            std::string(c.source) + "\n";
  return text;
}

std::string markdown_table_of_classics() {
  std::string text =
      "| name | family | what it does | work | steps | stable | pairs | keys | parameters | source | file |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const classic& c : all_classics()) {
    std::string parameters;
    for (const parameter& p : c.parameters)
      parameters += (parameters.empty() ? "" : "; ") + std::string(p.name) + " " + std::to_string(p.least) + "–" +
                    std::to_string(p.most) + (p.step > 1 ? " in steps of " + std::to_string(p.step) : "") + " (" +
                    std::to_string(p.usual) + "): " + std::string(p.what);
    const std::string stable = !c.task->has_direction ? "" : c.stable ? "yes" : "no";
    text += "| `" + std::string(c.name) + "` | " + std::string(c.family) + " | " + std::string(c.summary) + " | " +
            std::string(c.work) + " | " + std::string(c.depth) + " | " + stable + " | " + (c.pairs ? "yes" : "no") +
            " | " + types_of(c) + " | " + parameters + " | " + std::string(c.source) + " | [" + std::string(c.file) +
            "](../classics/" + std::string(c.file) + ") |\n";
  }
  return text;
}

} // namespace sortile::classics
