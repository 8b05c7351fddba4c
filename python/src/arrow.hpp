// Columns of tables by the Arrow C interface: numbers, times, decimals, booleans, text, and dictionaries of these.
#pragma once

#include "element.hpp"

#include "cpu/scratch.hpp"

#include <sortile/request.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sortile::python {

/// A column of keys that owns what it points to, or points into its table.
struct owned_column {
  column as_given;
  std::size_t n = 0;
  std::shared_ptr<void> memory;
};

/// Of a column whose elements have no order here; what() names their type, and those that have one.
class type_without_order : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One column of a table as its library hands it out: a type, and pieces that follow each other.
class arrow_column {
 public:
  /// Of what an arrow_stream takes, or a tuple of what read_arrow() gives and the column's number: then the table has
  /// to be there as long. \throws type_without_order
  explicit arrow_column(nb::handle given);
  ~arrow_column();
  arrow_column(arrow_column&&) noexcept;

  std::size_t size() const;

  /// What orders rows as this column does: where something is null, flags that bring nulls to their end, then keys in
  /// which every null is the same. The lock is not needed.
  std::vector<owned_column> keys(order direction, nan_place nan, bool nulls_first, unsigned threads) const;

  struct parts; ///< arrow_pieces.hpp

 private:
  std::unique_ptr<parts> parts_;
};

} // namespace sortile::python
