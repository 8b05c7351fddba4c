// See experiment.hpp.
#include "bench/classics/experiment.hpp"

#include "bench/classics/plot/scale_map.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace sortile::experiments {

namespace {

std::size_t characters(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; })); // of UTF-8
}

template <class Name>
void append_new(std::vector<std::string>& names, const Name& name) {
  if (std::find(names.begin(), names.end(), name) == names.end())
    names.emplace_back(name);
}

} // namespace

std::span<const experiment> all_experiments() {
  static const experiment all[] = {lab_report, lab_counters, staircase,       sweeps,       scan_share,
                                   crossings,  quicksorts,   inputs_compared, oversampling, contention,
                                   sequential, recursion,    against_cub,     counters};
  return all;
}

const experiment& experiment_named(std::string_view name) {
  std::string names;
  for (const experiment& e : all_experiments()) {
    if (e.name == name)
      return e;
    names += (names.empty() ? "" : ", ") + std::string(e.name);
  }
  throw invalid_argument("no experiment is called " + std::string(name) + " (there are: " + names + ")");
}

points of_facet(const points& all, std::string_view facet) {
  points some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some), [&](const point& p) { return p.facet == facet; });
  return some;
}

std::vector<std::string> facets_of(const points& all) {
  std::vector<std::string> names;
  for (const point& p : all)
    append_new(names, p.facet);
  return names;
}

const point* find(const points& all, std::string_view series, std::string_view category) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const point& p) { return p.series == series && p.category == category; });
  return at == all.end() ? nullptr : &*at;
}

std::vector<std::string> categories_of(const points& all) {
  std::vector<std::string> names;
  for (const point& p : all)
    append_new(names, p.category);
  return names;
}

std::vector<plot::series> series_of(const points& all, const std::vector<std::string>& categories, const reading& y) {
  std::vector<plot::series> lines;
  for (const point& p : all) {
    const std::optional<double> value = y(p);
    if (!value)
      continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const plot::series& s) { return s.name == p.series; });
    if (line == lines.end())
      line = lines.insert(lines.end(), {p.series, {}});
    const auto place = std::find(categories.begin(), categories.end(), p.category) - categories.begin();
    line->values.push_back({p.category.empty() ? p.x : double(place), *value});
  }
  return lines;
}

std::string table_of(const std::string& title, const points& all, const std::string& corner,
                     const std::function<std::string(double)>& column_name,
                     const std::function<std::string(const point&)>& cell) {
  std::vector<std::string> rows, categories = categories_of(all);
  std::set<double> numbers;
  for (const point& p : all) {
    append_new(rows, p.series);
    numbers.insert(p.x);
  }
  const bool by_name = !(categories.size() == 1 && categories.front().empty());
  std::vector<std::vector<std::string>> table{{corner}};
  if (by_name)
    table.front().insert(table.front().end(), categories.begin(), categories.end());
  else
    for (const double x : numbers)
      table.front().push_back(column_name(x));
  for (const std::string& series : rows) {
    std::vector<std::string> row(table.front().size());
    row.front() = series;
    for (const point& p : all)
      if (p.series == series) {
        const auto column = by_name ? std::find(categories.begin(), categories.end(), p.category) - categories.begin()
                                    : std::distance(numbers.begin(), numbers.find(p.x));
        row[std::size_t(column) + 1] = cell(p);
      }
    table.push_back(std::move(row));
  }
  return title + "\n\n" + markdown(table);
}

std::string markdown(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 3);
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k)
      widths[k] = std::max(widths[k], characters(row[k]));
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t k = 0; k < widths.size(); ++k) {
      const std::string padding(widths[k] - characters(rows[r][k]), ' ');
      text += "| " + (k == 0 ? rows[r][k] + padding : padding + rows[r][k]) + " ";
    }
    text += "|\n";
    if (r == 0) {
      for (std::size_t k = 0; k < widths.size(); ++k)
        text += "|" + std::string(widths[k] + 1, '-') + (k == 0 ? "-" : ":");
      text += "|\n";
    }
  }
  return text;
}

std::string figures_text(double number) {
  if (number == 0)
    return "0";
  const int digits = int(std::floor(std::log10(std::abs(number))));
  const double unit = std::pow(10, digits - 2);
  return plot::plain_number(digits > 2 ? std::round(number) : std::round(number / unit) * unit);
}

std::string duration_text(double seconds) {
  return seconds < 1e-3 ? figures_text(seconds * 1e6) + " µs"
         : seconds < 1  ? figures_text(seconds * 1e3) + " ms"
                        : figures_text(seconds) + " s";
}

std::string duration_with_noise(const point& p) {
  return duration_text(p.median()) + " ±" + std::to_string(std::lround(100 * p.noise())) + " %";
}

std::string power_text(double number) {
  const auto whole = static_cast<std::uint64_t>(number);
  return std::has_single_bit(whole) && whole > 64 ? "2^" + std::to_string(std::bit_width(whole) - 1)
                                                  : std::to_string(whole);
}

std::string machine_text(const testing::facts& environment) {
  const std::string gpu = environment.text("gpu");
  if (gpu.empty() || !environment.has("cub"))
    return gpu.empty() ? "unknown machine" : gpu;
  return gpu + ", CUDA " + environment.text("toolkit") + ", CUB " + environment.text("cub");
}

} // namespace sortile::experiments
