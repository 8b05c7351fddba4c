// What a sort by any order moves: keys alone, keys with values, or keys with the positions that they had; and how each
// is read from the caller's arrays and written to them.
//
// Between the first launch and the last, elements lie in the workspace as records. A type of the caller need not be
// default constructible to stand in registers and shared storage: its bytes do, as words.
#pragma once

#include "simt/simt.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// The bytes of a T, in words as wide as its alignment.
template <class T>
struct alignas(T) held {
  using word =
      std::conditional_t<alignof(T) == 1, std::uint8_t,
                         std::conditional_t<alignof(T) == 2, std::uint16_t,
                                            std::conditional_t<alignof(T) == 4, std::uint32_t, std::uint64_t>>>;
  word words[sizeof(T) / sizeof(word)];

  SORTILE_DEVICE T get() const { return __builtin_bit_cast(T, *this); }
};

template <class Key>
struct key_alone {
  held<Key> key;
};
/// A record of 2, 4, 8 or 16 bytes is read and written at once: records lie in the workspace and in shared storage.
template <class Key, class Carried>
struct key_with_layout {
  held<Key> key;
  held<Carried> carried;
};
template <class Record>
inline constexpr std::size_t record_alignment = sizeof(Record) <= 16 && (sizeof(Record) & (sizeof(Record) - 1)) == 0
                                                    ? sizeof(Record)
                                                    : alignof(Record);
template <class Key, class Carried>
struct alignas(record_alignment<key_with_layout<Key, Carried>>) key_with {
  held<Key> key;
  held<Carried> carried;
};

/// The caller's order, of elements.
template <class Less>
struct by_key {
  Less less;
  template <class Element>
  SORTILE_DEVICE bool operator()(const Element& a, const Element& b) const {
    return static_cast<bool>(less(a.key.get(), b.key.get()));
  }
  template <class Key>
  SORTILE_DEVICE bool of_keys(const held<Key>& a, const held<Key>& b) const {
    return static_cast<bool>(less(a.get(), b.get()));
  }
};

template <class T>
simt::global<const held<T>> held_input(const T* data, std::uint64_t n) {
  return {reinterpret_cast<const held<T>*>(data), n};
}
template <class T>
simt::global<held<T>> held_output(T* data, std::uint64_t n) {
  return {reinterpret_cast<held<T>*>(data), n};
}

// The caller's arrays. load(i) is of the input, store(i, element) of the output, and load_stored(i) gives what has been
// stored there.

template <class Key>
struct keys_alone {
  using key = Key;
  using element = key_alone<Key>;
  simt::global<const held<Key>> in;
  simt::global<held<Key>> out;

  SORTILE_DEVICE element load(std::uint64_t i) const { return {in.load(i)}; }
  SORTILE_DEVICE void store(std::uint64_t i, const element& e) const { out.store(i, e.key); }
  SORTILE_DEVICE element load_stored(std::uint64_t i) const { return {out.load(i)}; }
};

template <class Key, class Value>
struct keys_and_values {
  using key = Key;
  using element = key_with<Key, Value>;
  simt::global<const held<Key>> in;
  simt::global<held<Key>> out;
  simt::global<const held<Value>> values_in;
  simt::global<held<Value>> values_out;

  SORTILE_DEVICE element load(std::uint64_t i) const { return {in.load(i), values_in.load(i)}; }
  SORTILE_DEVICE void store(std::uint64_t i, const element& e) const {
    out.store(i, e.key);
    values_out.store(i, e.carried);
  }
  SORTILE_DEVICE element load_stored(std::uint64_t i) const { return {out.load(i), values_out.load(i)}; }
};

/// The keys are only read; the positions that they had are written.
template <class Key, class Index>
struct keys_and_positions {
  using key = Key;
  using element = key_with<Key, Index>;
  simt::global<const held<Key>> in;
  simt::global<held<Index>> positions;

  SORTILE_DEVICE element load(std::uint64_t i) const {
    return {in.load(i), __builtin_bit_cast(held<Index>, static_cast<Index>(i))};
  }
  SORTILE_DEVICE void store(std::uint64_t i, const element& e) const { positions.store(i, e.carried); }
  SORTILE_DEVICE element load_stored(std::uint64_t i) const {
    const held<Index> position = positions.load(i);
    return {in.load(static_cast<std::uint64_t>(position.get())), position};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
