// Packed files: gzip (RFC 1952, by zlib) and zstd (RFC 8878, by libzstd), known by their first bytes when they are read
// and by their names when they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace sortile::files {

enum class packing : std::uint8_t { none, gzip, zstd };

/// Bytes that are enough to know a packing by.
inline constexpr std::size_t packing_magic_bytes = 4;
/// \param first_bytes  that many, unless the file is shorter: then it is a packed one, cut off, if a packing begins
///                     with all of it. A single byte may be anything, and has to be called so.
packing packing_of(std::string_view first_bytes, std::string_view path);
/// What the end of a file's name says: .gz, .zst.
packing packing_by_name(std::string_view path);
/// How an output of this name is packed. \throws invalid_argument where the name says a packing that is not written
packing packing_to_write(std::string_view path);
/// The name without such an end.
std::string_view without_packing(std::string_view path);

/// Unpacks a stream piece by piece; several gzip members or zstd frames may follow each other.
class unpacker {
 public:
  /// \param name  of the file, for messages
  unpacker(packing how, std::string name);
  unpacker(unpacker&&) noexcept;
  unpacker& operator=(unpacker&&) noexcept;
  ~unpacker();

  struct step {
    std::size_t taken = 0; ///< packed bytes that were used
    std::size_t put = 0;
  };
  /// Takes packed bytes and puts plain ones, as many as there are or fit. \throws io_failure naming the offset of what
  /// is damaged
  step run(std::string_view packed, char* to, std::size_t room);
  /// \throws io_failure where the packed data ends too early
  void finish() const;

 private:
  class codec;
  class gzip_codec;
  class zstd_codec;
  std::unique_ptr<codec> codec_;
};

/// Packs a stream piece by piece.
class packer {
 public:
  packer(packing how, std::string name);
  packer(packer&&) noexcept;
  packer& operator=(packer&&) noexcept;
  ~packer();

  /// Appends to `to` what becomes of the bytes so far; some may stay inside.
  void put(std::string_view bytes, std::string& to);
  /// Appends the rest. To be called once, at the end.
  void finish(std::string& to);

 private:
  class codec;
  class gzip_codec;
  class zstd_codec;
  std::unique_ptr<codec> codec_;
};

} // namespace sortile::files
