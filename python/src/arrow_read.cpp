// How columns and tables come in by the Arrow C interface, and how one column is found in a table that was read.
#include "arrow_pieces.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace sortile::python {

namespace {

void need_success(ArrowArrayStream& stream, int code) {
  if (code == 0)
    return;
  const char* const why = stream.get_last_error(&stream);
  throw std::runtime_error(std::string("sortile: the table's library gave no column: ") +
                           (why != nullptr ? why : "it does not say why"));
}

template <class Struct>
Struct& held_by(nb::handle capsule, const char* name) {
  void* const held = PyCapsule_GetPointer(capsule.ptr(), name);
  if (held == nullptr)
    throw nb::python_error();
  return *static_cast<Struct*>(held);
}

/// The capsule's struct becomes ours.
template <class Struct>
void take_out(const nb::object& capsule, const char* name, arrow_owner<Struct>& to) {
  Struct& held = held_by<Struct>(capsule, name);
  to.it = std::exchange(held, Struct{});
}

} // namespace

arrow_stream::arrow_stream(nb::handle given) {
  if (PyTuple_CheckExact(given.ptr())) {
    take_out(given[0], "arrow_schema", schema);
    take_out(given[1], "arrow_array", pieces.emplace_back());
    return;
  }
  ArrowArrayStream& stream = held_by<ArrowArrayStream>(given, "arrow_array_stream");
  need_success(stream, stream.get_schema(&stream, &schema.it));
  for (;;) {
    arrow_array piece;
    need_success(stream, stream.get_next(&stream, &piece.it));
    if (piece.it.release == nullptr)
      return;
    pieces.push_back(std::move(piece));
  }
}

arrow_stream* read_table(nb::handle given) {
  return PyCapsule_IsValid(given.ptr(), table_capsule) != 0
             ? static_cast<arrow_stream*>(PyCapsule_GetPointer(given.ptr(), table_capsule))
             : nullptr;
}

std::vector<arrow_array> children_of(const std::vector<arrow_array>& pieces, std::int64_t number) {
  std::vector<arrow_array> children;
  children.reserve(pieces.size());
  for (const arrow_array& of : pieces) {
    ArrowArray& child = children.emplace_back().it;
    child = *of.it.children[number];
    child.offset += of.it.offset;
    child.null_count = child.null_count == 0 ? 0 : -1;
    child.length = of.it.length;
    child.release = nullptr;
  }
  return children;
}

arrow_stream column_of(nb::handle given) {
  const arrow_stream* const table = PyTuple_CheckExact(given.ptr()) ? read_table(given[0]) : nullptr;
  if (table == nullptr)
    return arrow_stream(given);
  const auto number = nb::cast<std::int64_t>(given[1]);
  arrow_stream column;
  column.schema.it = *table->schema.it.children[number];
  column.schema.it.release = nullptr;
  column.pieces = children_of(table->pieces, number);
  return column;
}

} // namespace sortile::python
