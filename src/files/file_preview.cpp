// See file_preview.hpp.
#include "files/file_preview.hpp"

#include "files/array_axis.hpp"
#include "files/column_keys.hpp"
#include "files/message_text.hpp"
#include "files/parallel.hpp"
#include "files/record_sort.hpp"

#include <sortile/request.hpp>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include <fmt/ranges.h>

namespace sortile::files {

namespace {

using form = key_part::form;

bool in_order(const record_table& records, const record_order& order, unsigned threads) {
  return !first_disorder(records, order, false, threads);
}

// In which directions something is in order.
struct directions {
  bool up = true;
  bool down = true;

  bool any() const { return up || down; }
  void see(int step) { // from one to the next
    up = up && step <= 0;
    down = down && step >= 0;
  }
  std::string name() const { return up && down ? "constant" : up ? "ascending" : down ? "descending" : ""; }
};

// "ascending", "descending", "constant", or nothing.
std::string order_by(const record_table& records, key_part part, unsigned threads) {
  part.reverse = false;
  const bool up = in_order(records, {part}, threads);
  part.reverse = true;
  const bool down = in_order(records, {part}, threads);
  return directions{up, down}.name();
}

// As a shell takes it for one word, without control characters.
std::string shell_word(const std::string& text) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/+@%";
  if (!text.empty() && text.find_first_not_of(harmless) == std::string::npos)
    return text;
  std::string word;
  if (escaped(text) != text) {
    for (const char c : text)
      word += c == '\'' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return "$'" + escaped(word) + "'";
  }
  for (const char c : text)
    word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + word + "'";
}

// The longest --by that is found column by column: each one orders what the ones before leave equal. By the first, the
// rows are known to be in order.
std::string longest_by(const file_preview& preview, std::vector<std::size_t> columns,
                       const column_order_test& in_order) {
  constexpr std::size_t most = 8; // each more is looked for in all columns
  std::string by;
  std::vector<ordered_column> order;
  for (bool found = true; found && order.size() < most && (order.empty() || !in_order(order, true));) {
    found = false;
    for (std::size_t i = 0; i < 2 * columns.size() && !found; ++i) {
      const ordered_column next{columns[i / 2], i % 2 != 0};
      const bool is_first = order.empty();
      order.push_back(next);
      found = is_first ? preview.columns[next.column].order == (next.descending ? "descending" : "ascending")
                       : in_order(order, false);
      if (!found) {
        order.pop_back();
        continue;
      }
      by +=
          (by.empty() ? "" : ",") + as_column_key(preview.columns[next.column].name) + (next.descending ? ":desc" : "");
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(i / 2));
    }
  }
  return by;
}

std::string separator_name(char separator) {
  switch (separator) {
  case '\t':
    return "tab";
  case ',':
    return "comma";
  case ';':
    return "semicolon";
  case '|':
    return "bar";
  default:
    return std::string(1, separator);
  }
}

std::uint64_t longest_record(const record_table& records) {
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < records.size(); ++i)
    longest = std::max<std::uint64_t>(longest, records[i].size());
  return longest;
}

// Options by which records or keys are in order, without the empty ones among them.
std::string options_of(const std::string& axis, const npy_header& header, const npy_field& field, bool reverse) {
  std::string all = axis;
  for (const std::string& more :
       {header.structured ? "--key " + shell_word(field.name) : "", std::string(reverse ? "-r" : "")})
    all += (all.empty() || more.empty() ? "" : " ") + more;
  return all;
}

// The fields of an array of one axis, each with its order.
void add_fields(const npy_header& header, const std::vector<npy_field>& fields, const record_table& records,
                unsigned threads, file_preview& to) {
  for (const npy_field& field : fields) {
    const std::string order = field.can_be_ordered() ? order_by(records, part_of(field, false), threads) : "";
    to.columns.push_back({.name = field.name, .type = field.descr, .order = order});
    for (const bool reverse : {false, true})
      if (order == "constant" || order == (reverse ? "descending" : "ascending"))
        to.sorted_by.push_back(options_of("", header, field, reverse));
  }
}

// The fields of an array of several axes, and along which axes it is in order by them.
void add_fields_by_axis(const npy_header& header, const std::vector<npy_field>& fields, std::string_view data,
                        std::string_view name, unsigned threads, file_preview& to) {
  const auto axes = static_cast<long>(header.shape.size());
  for (const npy_field& field : fields) {
    to.columns.push_back({.name = field.name, .type = field.descr, .order = ""});
    for (long axis = axes - 1; field.can_be_ordered() && axis >= 0; --axis) {
      const axis_shape shape = shape_along(header, axis, name);
      const std::string option = axis == axes - 1 ? "--rows" : fmt::format("--axis {}", axis);
      for (const bool reverse : {false, true})
        if (in_order_along({header.record_bytes, {part_of(field, reverse)}}, shape, data, threads))
          to.sorted_by.push_back(options_of(option, header, field, reverse));
    }
  }
}

// As numpy writes it: "(3, 4)", "(3,)", "()".
std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

// The texts of a row's cells.
class row_texts {
 public:
  explicit row_texts(std::size_t columns) : texts_(columns), unquoted_(columns) {}

  void read(std::string_view row, const csv_dialect& dialect) {
    csv_cells cells(row, dialect);
    csv_cell cell;
    for (std::size_t i = 0; i < texts_.size() && cells.next(cell); ++i)
      texts_[i] = text_of(cell, unquoted_[i]);
  }
  std::string_view operator[](std::size_t column) const { return texts_[column]; }

 private:
  std::vector<std::string_view> texts_;
  std::vector<std::string> unquoted_;
};

// In which directions each column is. A row is cut into its cells once, of however many columns it is.
std::vector<directions> directions_of_columns(const csv_table& table, const std::vector<key_part>& parts,
                                              unsigned threads) {
  constexpr std::size_t slice_rows = std::size_t{1} << 12;
  std::vector<record_order> orders; // of what stands in a cell
  for (key_part part : parts) {
    part.where = key_part::place::record;
    orders.push_back({part});
  }
  std::vector<directions> all(parts.size());
  std::mutex lock;
  parallel_slices(threads, table.rows.size(), slice_rows, [&](std::size_t begin, std::size_t end) {
    std::vector<directions> here(parts.size());
    std::vector<std::size_t> open(parts.size()); // columns of which more is to be seen
    std::iota(open.begin(), open.end(), std::size_t{0});
    row_texts before(parts.size());
    row_texts row(parts.size());
    for (std::size_t r = begin == 0 ? 0 : begin - 1; r < end && !open.empty(); ++r) {
      std::swap(before, row);
      row.read(table.rows[r], table.dialect);
      if (r + 1 == begin || r == 0)
        continue;
      for (const std::size_t c : open)
        here[c].see(compare(orders[c], before[c], row[c]));
      open.erase(std::remove_if(open.begin(), open.end(), [&](std::size_t c) { return !here[c].any(); }), open.end());
    }
    const std::lock_guard guard(lock);
    for (std::size_t c = 0; c < all.size(); ++c)
      all[c] = {all[c].up && here[c].up, all[c].down && here[c].down};
  });
  return all;
}

// By what --by of these columns the rows are in order; their orders are known.
void find_by(file_preview& preview, std::vector<std::size_t> columns, const column_order_test& in_order) {
  std::erase_if(columns, [&](std::size_t i) { return preview.columns[i].order == "constant"; }); // orders nothing
  if (const std::string by = longest_by(preview, std::move(columns), in_order); !by.empty())
    preview.sorted_by.push_back("--by " + shell_word(by));
}

} // namespace

void find_orders(file_preview& preview, const std::vector<std::size_t>& columns, const column_order_test& in_order) {
  for (const std::size_t i : columns) {
    const directions are{in_order({{i, false}}, false), in_order({{i, true}}, false)};
    preview.columns[i].order = are.name();
  }
  find_by(preview, columns, in_order);
}

file_preview preview_lines(const record_table& lines, unsigned threads) {
  file_preview preview{.record = "line", .records = lines.size(), .facts = {}};
  preview.facts.emplace_back("longest", fmt::format("{} bytes", longest_record(lines)));
  if (!lines.text.empty() && lines.text.back() != lines.delimiter)
    preview.facts.emplace_back("last line", "without a newline");
  if (lines.size() > 0 && lines[0].ends_with('\r'))
    preview.facts.emplace_back("line ends", "CR LF");
  struct named_form {
    const char* letter;
    form as;
  };
  for (const auto& [letter, as] :
       {named_form{"", form::text}, named_form{"f", form::folded}, named_form{"n", form::leading_number},
        named_form{"g", form::general_number}, named_form{"h", form::human_number}, named_form{"M", form::month},
        named_form{"V", form::version}}) {
    const bool tells = as == form::text || order_by(lines, {.as = as}, threads) != "constant";
    for (const bool reverse : {false, true})
      if (tells && in_order(lines, {{.as = as, .reverse = reverse}, {.reverse = reverse}}, threads))
        preview.sorted_by.push_back(
            fmt::format("{}{}{}", *letter != '\0' || reverse ? "-" : "", letter, reverse ? "r" : ""));
  }
  return preview;
}

file_preview preview_table(csv_table& table, unsigned threads) {
  const std::size_t all_rows = table.rows.size();
  const std::vector<cell_check> all(table.names.size(), cell_check::detect);
  const std::vector<column_facts> facts = check_csv(table, all, bad_rows::last, threads);
  file_preview preview{.record = "row", .records = all_rows, .facts = {}};
  preview.facts.emplace_back("separator", separator_name(table.dialect.separator));
  preview.facts.emplace_back("header", table.header.empty() ? "no" : "yes");
  if (!table.removed.empty())
    preview.facts.emplace_back("bad rows", std::to_string(table.removed.size()));
  if (table.header.ends_with('\r'))
    preview.facts.emplace_back("line ends", "CR LF");
  std::vector<key_part> parts;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    const cell_type type = facts[i].type();
    key_part part{.where = key_part::place::cell, .column = i, .dialect = table.dialect};
    part.as = facts[i].is_numeric() ? form::number : type == cell_type::time ? form::instant : form::text;
    parts.push_back(part);
    preview.columns.push_back({table.names[i], std::string(name_of(type)), facts[i].empty, ""});
  }
  if (table.rows.size() == 0)
    return preview;
  const std::vector<directions> known = directions_of_columns(table, parts, threads);
  for (std::size_t i = 0; i < known.size(); ++i)
    preview.columns[i].order = known[i].name();
  std::vector<std::size_t> all_columns(parts.size());
  std::iota(all_columns.begin(), all_columns.end(), std::size_t{0});
  find_by(preview, std::move(all_columns), [&](const std::vector<ordered_column>& columns, bool strict) {
    record_order order;
    for (const ordered_column& each : columns) {
      order.push_back(parts[each.column]);
      order.back().reverse = each.descending;
    }
    return !first_disorder(table.rows, order, strict, threads);
  });
  return preview;
}

file_preview preview_npy(input source, unsigned threads) {
  const npy_header header = parse_npy(source.bytes(), source.name(), npy_axes::any);
  const std::string_view data = source.bytes().substr(header.data_offset);
  file_preview preview{.record = header.structured ? "record" : "key", .records = header.count, .facts = {}};
  preview.facts.emplace_back("dtype", header.descr);
  preview.facts.emplace_back("element", fmt::format("{} bytes", header.record_bytes));
  preview.facts.emplace_back("shape", shape_text(header.shape));
  if (header.shape.size() > 1)
    preview.facts.emplace_back("layout", header.fortran_order ? "Fortran order" : "C order");
  std::vector<npy_field> fields = header.fields;
  fields.insert(fields.end(), header.nested.begin(), header.nested.end());
  if (header.shape.size() == 1)
    add_fields(header, fields, split_evenly(data, header.record_bytes, threads), threads, preview);
  else
    add_fields_by_axis(header, fields, data, source.name(), threads, preview);
  return preview;
}

file_preview preview_raw(const array_file& array, unsigned threads) {
  key_part part{.where = key_part::place::range, .as = form::value};
  part.binary = {.offset = 0, .bytes = array.layout.record_bytes, .type = array.layout.key};
  const record_table records = split_evenly(array.data, array.layout.record_bytes, threads);
  const std::string order = order_by(records, part, threads);
  file_preview preview{.record = "key", .records = array.count, .facts = {}};
  preview.columns.push_back({.name = "", .type = std::string(name(array.layout.key)), .order = order});
  const std::string type = fmt::format("--type {}", name(array.layout.key));
  if (order == "ascending" || order == "constant")
    preview.sorted_by.push_back(type);
  if (order == "descending" || order == "constant")
    preview.sorted_by.push_back(type + " -r");
  return preview;
}

file_preview preview_records(const fixed_records& file, unsigned threads) {
  file_preview preview{.record = "record", .records = file.records.size(), .facts = {}};
  preview.facts.emplace_back("record", fmt::format("{} bytes", file.record_bytes));
  if (in_order(file.records, file.order, threads))
    preview.sorted_by.push_back(fmt::format("--record {}", file.record_bytes));
  return preview;
}

} // namespace sortile::files
