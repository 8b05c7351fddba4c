// See step.hpp.
#include "classics/step.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace sortile::classics {

namespace {

/// How many columns of a terminal a text takes: bytes that begin a character of UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string spaces(std::size_t count) {
  return std::string(count, ' ');
}

/// The columns of all rows that have as many cells: how wide, and where any of the rows has a bound.
struct columns {
  std::vector<std::size_t> width{};
  std::set<std::uint64_t> bounds{};

  void add(const row& r) {
    width.resize(r.cells.size());
    for (std::size_t i = 0; i < r.cells.size(); ++i)
      width[i] = std::max(width[i], width_of(r.cells[i]));
    bounds.insert(r.bounds.begin(), r.bounds.end());
  }
};

std::string cells_of(const row& r, const columns& as) {
  std::string text;
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    const bool bound = std::find(r.bounds.begin(), r.bounds.end(), i) != r.bounds.end();
    if (i != 0)
      text += bound ? " | " : as.bounds.contains(i) ? "   " : " ";
    text += spaces(as.width[i] - width_of(r.cells[i])) + r.cells[i];
  }
  return text;
}

/// "0<1* 2<3": the smaller key of places 0 and 1 to place 0, and they were exchanged.
std::string text_of(const std::vector<wire>& wires) {
  std::string text;
  for (const wire& w : wires)
    text += (text.empty() ? "" : " ") + std::to_string(w.low) + (w.descending ? ">" : "<") + std::to_string(w.high) +
            (w.exchanged ? "*" : "");
  return text;
}

std::string line(const std::string& label, std::size_t width, const std::string& cells) {
  const std::string text = "  " + label + spaces(width - width_of(label) + 2) + cells;
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

std::string rows_of(const step& s) {
  constexpr const char* compared = "compared";
  std::map<std::size_t, columns> by_length;
  std::size_t width = s.wires.empty() ? 0 : width_of(compared);
  for (const row& r : s.rows) {
    by_length[r.cells.size()].add(r);
    width = std::max(width, width_of(r.label) + (r.table.empty() ? 0 : 2));
  }
  std::string text, table;
  for (std::size_t i = 0; i < s.rows.size(); ++i) {
    const row& r = s.rows[i];
    if (!s.wires.empty() && i + 1 == s.rows.size())
      text += line(compared, width, text_of(s.wires));
    if (!r.table.empty() && r.table != table)
      text += "  " + r.table + "\n";
    table = r.table;
    text += line((table.empty() ? "" : "  ") + r.label, width, cells_of(r, by_length[r.cells.size()]));
  }
  return text;
}

} // namespace

std::vector<std::uint64_t> bounds_of_blocks(std::uint64_t n, std::uint64_t block) {
  std::vector<std::uint64_t> bounds;
  for (std::uint64_t i = block; block != 0 && i < n; i += block)
    bounds.push_back(i);
  return bounds;
}

std::string to_text(const step& s) {
  if (s.rows.empty())
    return s.title + "\n";
  if (s.rows.size() == 1 && s.rows[0].label.empty() && s.wires.empty()) {
    std::string text = s.title + ":";
    const row& r = s.rows[0];
    for (std::size_t i = 0; i < r.cells.size(); ++i)
      text += (std::find(r.bounds.begin(), r.bounds.end(), i) != r.bounds.end() ? " | " : " ") + r.cells[i];
    return text + "\n";
  }
  return s.title + "\n" + rows_of(s);
}

std::string to_text(const std::vector<step>& steps) {
  std::string text;
  for (const step& s : steps)
    text += to_text(s);
  return text;
}

} // namespace sortile::classics
