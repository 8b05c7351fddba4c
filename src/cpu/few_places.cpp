// Sorts of up to 64 keys of 4 and 8 bytes, and of what they carry, by the places that vectors find for them.
#include "cpu/few_places.hpp"

#include "cpu/few_words.hpp"
#include "cpu/with_width.hpp"

#include <cstring>
#include <numeric>

namespace sortile::cpu {

namespace {

/// Moves elements to their places, in place or apart.
void put(const void* from, void* to, std::size_t width, const std::uint32_t* places, std::size_t n) {
  alignas(64) std::byte copy[most_placed * widest_in_words];
  if (from == to)
    from = std::memcpy(copy, from, n * width);
  put_elements(from, to, width, n, [places](std::size_t i) { return places[i]; });
}

/// False where the places of such keys are not found here.
template <class K>
bool find_of(key_type type, const void* keys, std::size_t n, const ordering& by, std::uint32_t* places,
             seen_order& seen) {
  const place_keys<K> place = best_place_keys<K>();
  if (place == nullptr || !are_bits_of(by.bits, 8 * sizeof(K)))
    return false;
  seen = place(static_cast<const K*>(keys), n, make_key_codec<K>(type, by.direction, by.bits), places);
  if (seen == seen_order::falling)
    for (std::size_t i = 0; i < n; ++i)
      places[i] = static_cast<std::uint32_t>(n - 1 - i);
  return true;
}

bool find(key_type type, const void* keys, std::size_t n, const ordering& by, std::uint32_t* places, seen_order& seen) {
  if (n > most_placed)
    return false;
  switch (key_bytes(type)) {
  case 4:
    return find_of<std::uint32_t>(type, keys, n, by, places, seen);
  case 8:
    return find_of<std::uint64_t>(type, keys, n, by, places, seen);
  default:
    return false;
  }
}

/// What rises stays as it is.
void move(const void* from, void* to, std::size_t width, const std::uint32_t* places, std::size_t n, seen_order seen) {
  if (seen != seen_order::rising)
    put(from, to, width, places, n);
  else if (from != to)
    std::memcpy(to, from, n * width);
}

template <class Index>
void put_positions(void* to, const std::uint32_t* places, std::size_t n, seen_order seen) {
  auto* const positions = static_cast<Index*>(to);
  if (seen == seen_order::rising)
    std::iota(positions, positions + n, Index{0});
  else
    for (std::size_t i = 0; i < n; ++i)
      positions[places[i]] = static_cast<Index>(i);
}

} // namespace

bool sort_by_places(const sort_request& r, const ordering& by) {
  alignas(64) std::uint32_t places[most_placed];
  seen_order seen{};
  if (!find(r.type, r.keys_in, r.n, by, places, seen))
    return false;
  if (r.keys_out != nullptr)
    move(r.keys_in, r.keys_out, key_bytes(r.type), places, r.n, seen);
  if (r.carries == payload::values)
    move(r.values_in, r.values_out, r.value_bytes, places, r.n, seen);
  else if (r.carries == payload::indices && r.value_bytes == sizeof(std::uint32_t))
    put_positions<std::uint32_t>(r.values_out, places, r.n, seen);
  else if (r.carries == payload::indices)
    put_positions<std::uint64_t>(r.values_out, places, r.n, seen);
  return true;
}

bool order_by_places(key_type type, const void* keys, std::size_t n, const ordering& by, std::uint8_t* positions) {
  alignas(64) std::uint32_t places[most_placed];
  seen_order seen{};
  if (!find(type, keys, n, by, places, seen))
    return false;
  put_positions<std::uint8_t>(positions, places, n, seen);
  return true;
}

} // namespace sortile::cpu
