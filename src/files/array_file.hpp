// An array in a file: where its keys lie, whatever the format. Made from .npy files and from raw arrays.
#pragma once

#include "files/input.hpp"
#include "files/npy.hpp"

#include <sortile/types.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sortile::files {

/// Records of equal size with a key at a fixed place.
struct array_layout {
  key_type key = key_type::u32;
  bool swapped = false; ///< the key's bytes are in the other order than this machine's
  std::size_t key_offset = 0;
  std::size_t record_bytes = 0;

  std::size_t key_size() const { return key_bytes(key); }
  /// The record is the key and nothing else.
  bool keys_alone() const { return record_bytes == key_size(); }
  bool operator==(const array_layout&) const = default;
};

/// An array whose bytes are in memory. `header` goes in front of any rearrangement of the same records.
struct array_file {
  input source;
  array_layout layout;
  std::size_t count = 0;
  std::string_view header;          ///< of the file's own format; empty for raw arrays
  std::string_view data;            ///< count records
  std::string descr;                ///< the dtype as .npy writes it; empty for raw arrays
  std::vector<std::size_t> shape{}; ///< of .npy files: the length of each axis, the last lying side by side
  bool axes_reversed = false;       ///< the file names the axes the other way round (fortran_order)

  const std::string& name() const { return source.name(); }
};

/// The field of a name, within records too ("outer.inner"); the first where no name is given. \throws io_failure where
/// there is none or it cannot be ordered
const npy_field& key_field(const npy_header& header, const std::string& wanted, std::string_view name);

/// The layout of the records of a .npy file that are ordered by a field; empty: the first.
/// \throws io_failure as key_field(), and where the key is none of the library's (fixed_records.hpp)
array_layout layout_of(const npy_header& header, const std::string& field, std::string_view name);

/// Opens a .npy file. \param field  the field to order by; empty: the first
/// \throws io_failure as parse_npy() and layout_of()
array_file open_npy(const std::string& path, const std::string& field = {});
array_file open_npy(input source, const std::string& field = {}, npy_axes axes = npy_axes::one);

/// The layout of raw keys of this machine's byte order.
array_layout layout_of(key_type type);
/// \throws io_failure where bytes are no whole number of keys
void need_whole_keys(key_type type, std::uint64_t bytes, std::string_view name);

/// Records in memory, for messages without a name.
array_file array_of(const array_layout& layout, std::string_view data);

/// Opens a raw array of keys of this machine's byte order. \throws io_failure where its size is not a multiple of the
/// key's
array_file open_raw(const std::string& path, key_type type);
array_file open_raw(input source, key_type type);

/// Values that travel with the keys of another file: a .npy file of any plain dtype, or raw elements of
/// `element_bytes`.
struct values_file {
  input source;
  std::size_t element_bytes = 0;
  std::size_t count = 0;
  std::string_view header;
  std::string_view data;
};
values_file open_values(input source, std::optional<std::size_t> element_bytes);

/// How values lie in their file, by what it begins with: a .npy header, or the bytes of one. \throws io_failure
struct values_layout {
  std::size_t element_bytes = 0;
  std::optional<npy_header> npy;
};
values_layout layout_of_values(std::string_view begin, std::string_view name, std::optional<std::size_t> element_bytes);

/// Whether the bytes begin as a .npy file does.
bool looks_like_npy(std::string_view bytes);

} // namespace sortile::files
