// The header of numpy's .npy format, versions 1 to 3: what the array in it is made of.
//
// Source: numpy/lib/format (NEP 1): "\x93NUMPY", major, minor, header length (2 bytes in version 1, else 4,
// little-endian), a Python dictionary literal with 'descr', 'fortran_order' and 'shape', in UTF-8 in version 3 and in
// Latin-1 before, padded with blanks and a newline; then the array. Read by hand: the libraries for it take neither
// structured types nor byte orders.
#pragma once

#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::files {

/// One field of a record; a plain array has a single field without a name.
struct npy_field {
  std::string name;       ///< UTF-8
  std::string descr;      ///< "<u8", "|S10", …; of a nested record or an array in it as numpy prints it
  std::size_t offset = 0; ///< within the record
  std::size_t bytes = 0;
  std::optional<key_type> key; ///< where the field can be a key of the library
  bool big_endian = false;
  /// What other fields can be ordered by too.
  enum class kind : std::uint8_t { other, number, time, bytes, characters } what = kind::other;

  bool can_be_ordered() const { return what != kind::other; }
};

struct npy_header {
  std::vector<npy_field> fields;
  std::vector<npy_field> nested; ///< the fields of records within records, called "outer.inner"
  bool structured = false;
  std::size_t record_bytes = 0;
  std::size_t count = 0;            ///< elements, of all axes together
  std::vector<std::size_t> shape{}; ///< the length of each axis
  bool fortran_order = false;       ///< the first axis lies side by side, not the last
  std::size_t data_offset = 0;      ///< bytes before the array
  std::string descr;                ///< the dtype as Python prints it, in UTF-8: "'<u4'" or "[('key', '<u8'), …]"
};

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// How many axes an array may have.
enum class npy_axes { one, any };

/// Reads and checks the header against the size of the file.
/// \param name  of the file, for messages
/// \throws io_failure: no .npy, an unknown version, a header that is cut off or not understood, a shape of other axes,
///         fewer or more bytes than the shape says
npy_header parse_npy(std::string_view bytes, std::string_view name, npy_axes axes = npy_axes::one);

/// The same for a file of which no more than the header need be there.
npy_header parse_npy_header(std::string_view bytes, std::string_view name, npy_axes axes = npy_axes::one);
/// \throws io_failure where the elements of the header make another number of bytes
void need_whole_array(const npy_header& header, std::uint64_t bytes, std::string_view name);
/// Bytes of a header with what stands in front of its dictionary, by the file's first npy_frame_bytes. Of another file,
/// that many.
inline constexpr std::size_t npy_frame_bytes = 12;
std::size_t npy_header_size(std::string_view begin);

/// The header of a one-dimensional array; `descr` as Python writes it: "'<u4'" or "[('key', '<u8'), ('value', '<u4')]".
/// Its version is the first that can say it: 2 where it is long, 3 where a name is not ASCII.
std::string make_npy_header(std::string_view descr, std::uint64_t count);
/// The same of an array of any number of axes.
std::string make_npy_header(std::string_view descr, const std::vector<std::size_t>& shape, bool fortran_order);

/// "'<u4'" for u32, … \throws invalid_argument for the types that the format does not know (128-bit integers, bfloat16)
std::string npy_descr(key_type type);

} // namespace sortile::files
