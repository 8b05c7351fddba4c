// What both directions know of packed files; see packing.hpp.
#include "files/packing.hpp"

#include "files/failure.hpp"

namespace sortile::files {

namespace {

constexpr std::string_view gzip_magic = "\x1f\x8b\x08"; // of deflated data, and there is no other
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

bool begins_with(std::string_view bytes, std::string_view magic, bool is_called_so) {
  const std::size_t least = is_called_so ? 1 : 2;
  return bytes.starts_with(magic) || (bytes.size() >= least && magic.starts_with(bytes));
}

bool is_skippable_zstd(std::string_view bytes) {
  return bytes.size() >= packing_magic_bytes && bytes.substr(1, 3) == "\x2a\x4d\x18" && (bytes[0] & 0xf0) == 0x50;
}

} // namespace

packing packing_of(std::string_view first_bytes, std::string_view path) {
  const packing named = packing_by_name(path);
  if (begins_with(first_bytes, gzip_magic, named == packing::gzip))
    return packing::gzip;
  const bool is_zstd = begins_with(first_bytes, zstd_magic, named == packing::zstd) || is_skippable_zstd(first_bytes);
  return is_zstd ? packing::zstd : packing::none;
}

packing packing_by_name(std::string_view path) {
  return path.ends_with(".gz") ? packing::gzip : path.ends_with(".zst") ? packing::zstd : packing::none;
}

packing packing_to_write(std::string_view path) {
  for (const std::string_view ending : {".xz", ".bz2", ".lz4", ".lzma", ".br", ".Z", ".zip", ".7z"})
    if (path.ends_with(ending))
      refuse("{}: {} is not written (allowed: .gz, .zst; sort and merge write plain bytes under any name with --as-is)",
             path, ending);
  return packing_by_name(path);
}

std::string_view without_packing(std::string_view path) {
  switch (packing_by_name(path)) {
  case packing::gzip:
    return path.substr(0, path.size() - 3);
  case packing::zstd:
    return path.substr(0, path.size() - 4);
  default:
    return path;
  }
}

} // namespace sortile::files
