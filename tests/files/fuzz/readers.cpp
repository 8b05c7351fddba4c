// .npy headers, tables and packed files.
#include "targets.hpp"

#include "files/csv_check.hpp"
#include "files/npy.hpp"
#include "files/packing.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <string>

namespace sortile::files::fuzz {

namespace {

// A refusal is one line that names the file.
template <class Action>
void refused_or_good(Action&& action) {
  try {
    action();
  } catch (const io_failure& error) {
    hold(std::string_view(error.what()).starts_with("f: "), "a refusal names the file");
  }
}

} // namespace

void npy(std::string_view bytes) {
  refused_or_good([&] {
    const npy_header header = parse_npy(bytes, "f");
    hold(header.data_offset + header.count * header.record_bytes == bytes.size(), "the array fills the file");
    hold(!header.fields.empty(), "there is a field");
    for (const std::vector<npy_field>* fields : {&header.fields, &header.nested})
      for (const npy_field& field : *fields)
        hold(field.offset <= header.record_bytes && field.bytes <= header.record_bytes - field.offset,
             "a field lies in its record");
  });
}

void csv(std::string_view bytes) {
  if (bytes.empty())
    return;
  const int choice = static_cast<unsigned char>(bytes[0]);
  const std::string text(bytes.substr(1));
  csv_options options{.separator = {}, .quotes = (choice & 1) == 0, .header = (choice & 2) == 0, .comment = {}};
  if ((choice & 4) != 0)
    options.separator = ';';
  if ((choice & 8) != 0)
    options.comment = '#';
  refused_or_good([&] {
    csv_table table = open_csv(input::of_text("f", text), options, 1);
    const std::size_t rows = table.rows.size();
    const std::vector<cell_check> all(table.names.size(), cell_check::detect);
    const std::vector<column_facts> facts = check_csv(table, all, bad_rows::last, 1);
    hold(table.rows.size() + table.removed.size() == rows, "every row is good or bad");
    const std::size_t kept = table.prologue.size() + table.rows.text.size() + table.bad_rows.size();
    hold(kept >= text.size() && kept <= text.size() + 3, "every byte is kept");
    for (const column_facts& column : facts)
      hold(column.empty + column.integers + column.numbers + column.times + column.texts == table.rows.size(),
           "every cell is counted once");
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      csv_cells cells(table.rows[i], table.dialect);
      std::size_t count = 0;
      for (csv_cell cell; cells.next(cell);)
        ++count;
      hold(count == table.names.size(), "good rows have a cell a column");
      const csv_place place = place_of(table, i);
      hold(place.line >= 1 && place.line <= 2 + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
           "a row begins on a line of the file");
    }
  });
}

void packed(std::string_view bytes) {
  constexpr std::size_t most = std::size_t{1} << 20;
  const packing how = packing_of(bytes, "f");
  if (how == packing::none)
    return;
  refused_or_good([&] {
    unpacker from(how, "f");
    std::string piece(1000, '\0');
    std::size_t plain = 0;
    for (std::size_t put = 1; (!bytes.empty() || put != 0) && plain < most;) {
      const unpacker::step step = from.run(bytes, piece.data(), piece.size());
      hold(step.taken <= bytes.size() && step.put <= piece.size(), "no step goes beyond its buffers");
      hold(step.taken + step.put > 0 || bytes.empty(), "every step comes forward");
      bytes.remove_prefix(step.taken);
      put = step.put;
      plain += put;
    }
    if (plain < most)
      from.finish();
  });
}

} // namespace sortile::files::fuzz
