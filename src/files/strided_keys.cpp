// See strided_keys.hpp. The width of the key is a template parameter, so that every copy is a load and a store.
#include "files/strided_keys.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

template <std::size_t Bytes>
struct key_image {
  char bytes[Bytes];

  key_image swapped() const {
    key_image result = *this;
    std::reverse(result.bytes, result.bytes + Bytes);
    return result;
  }
};

// Moves n keys between two strided places.
template <std::size_t Bytes>
void move_keys(const char* from, std::size_t from_stride, char* to, std::size_t to_stride, std::size_t n,
               bool swapped) {
  for (std::size_t i = 0; i < n; ++i) {
    key_image<Bytes> key;
    std::memcpy(&key, from + i * from_stride, Bytes);
    if (swapped)
      key = key.swapped();
    std::memcpy(to + i * to_stride, &key, Bytes);
  }
}

void move_keys(const array_layout& layout, const char* from, std::size_t from_stride, char* to, std::size_t to_stride,
               std::size_t n) {
  switch (layout.key_size()) {
  case 1:
    return move_keys<1>(from, from_stride, to, to_stride, n, layout.swapped);
  case 2:
    return move_keys<2>(from, from_stride, to, to_stride, n, layout.swapped);
  case 4:
    return move_keys<4>(from, from_stride, to, to_stride, n, layout.swapped);
  case 8:
    return move_keys<8>(from, from_stride, to, to_stride, n, layout.swapped);
  default:
    return move_keys<16>(from, from_stride, to, to_stride, n, layout.swapped);
  }
}

} // namespace

void take_keys(const array_layout& layout, const char* records, std::size_t begin, std::size_t end, char* keys) {
  move_keys(layout, records + begin * layout.record_bytes + layout.key_offset, layout.record_bytes,
            keys + begin * layout.key_size(), layout.key_size(), end - begin);
}

void put_keys(const array_layout& layout, const char* keys, std::size_t begin, std::size_t end, char* records) {
  move_keys(layout, keys + begin * layout.key_size(), layout.key_size(), records + layout.key_offset,
            layout.record_bytes, end - begin);
}

void take_rests(const array_layout& layout, const char* records, std::size_t begin, std::size_t end, char* rests) {
  const std::size_t before = layout.key_offset;
  const std::size_t after = layout.record_bytes - before - layout.key_size();
  char* to = rests + begin * (before + after);
  for (std::size_t i = begin; i < end; ++i, to += before + after) {
    const char* record = records + i * layout.record_bytes;
    std::memcpy(to, record, before);
    std::memcpy(to + before, record + before + layout.key_size(), after);
  }
}

void put_rests(const array_layout& layout, const char* rests, std::size_t begin, std::size_t end, char* records) {
  const std::size_t before = layout.key_offset;
  const std::size_t after = layout.record_bytes - before - layout.key_size();
  const char* from = rests + begin * (before + after);
  for (std::size_t i = begin; i < end; ++i, from += before + after, records += layout.record_bytes) {
    std::memcpy(records, from, before);
    std::memcpy(records + before + layout.key_size(), from + before, after);
  }
}

} // namespace sortile::files
