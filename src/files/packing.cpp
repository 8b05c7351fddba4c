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

void unpack(std::string_view packed, packing how, const std::string& name, byte_buffer& to) {
  constexpr std::size_t first_room = std::size_t{1} << 16;
  unpacker from(how, name);
  while (!packed.empty()) {
    if (to.room() == 0)
      to.reserve(std::max({first_room, 2 * to.size(), 4 * packed.size()}), name);
    const unpacker::step step = from.run(packed, to.end(), to.room());
    to.grow(step.put);
    packed.remove_prefix(step.taken);
  }
  // What the codec still holds when all is taken.
  for (std::size_t put = 1; put != 0;) {
    if (to.room() == 0)
      to.reserve(std::max(first_room, 2 * to.size()), name);
    put = from.run({}, to.end(), to.room()).put;
    to.grow(put);
  }
  from.finish();
}

} // namespace sortile::files
