// What both directions know of packed files; see packing.hpp.
#include "files/packing.hpp"

#include <algorithm>

namespace sortile::files {

namespace {

bool is_zstd(std::string_view bytes) {
  const bool is_frame = bytes.starts_with("\x28\xb5\x2f\xfd");
  return is_frame || (bytes.size() >= 4 && bytes.substr(1, 3) == "\x2a\x4d\x18" && (bytes[0] & 0xf0) == 0x50);
}

} // namespace

packing packing_of(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x1f\x8b\x08"))
    return packing::gzip;
  return is_zstd(first_bytes) ? packing::zstd : packing::none;
}

packing packing_by_name(std::string_view path) {
  return path.ends_with(".gz") ? packing::gzip : path.ends_with(".zst") ? packing::zstd : packing::none;
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
