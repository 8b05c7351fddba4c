// The end of a sort in one launch: sorted elements become keys and values in the caller's arrays.
//
//   keys     from their images, where these are only the key with its bits flipped; else gathered by place
//   values   gathered by place; or the places themselves
//
// Where results go to the input's own array, they wait in the workspace until all blocks have gathered, so that nothing
// is overwritten that another block still has to read.
#pragma once

#include "kernels/sample/sample_elements.hpp"
#include "primitives/key_codec.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct sample_output {
  simt::global<const Word> keys_in;
  simt::global<Word> keys_out;
  const void* values_in;
  void* values_out;
  simt::global<Word> waiting_keys; // room for as many
  void* waiting_values;
  std::uint64_t size; // of all arrays
  key_codec<Word> codec;
  unsigned value_bytes;
  bool make_indices, keys_wanted, image_is_key, keys_wait, values_wait;

  /// Writes the places [begin, begin + n) of the result; `at(i)` is the element of place begin + i. `wait()` returns
  /// when all who write have come to it; all threads of the block call.
  template <class Element, unsigned Threads, class At, class Wait>
  SORTILE_DEVICE void write(std::uint64_t begin, std::uint32_t n, At at, Wait wait) const {
    using packed = packing<Word, Element>;
    for (std::uint32_t i = simt::thread_index(); keys_wanted && i < n; i += Threads) {
      const Element e = at(i);
      if (image_is_key)
        keys_out.store(begin + i, Word(packed::image(e) ^ codec.sign ^ codec.complement));
      else
        (keys_wait ? waiting_keys : keys_out).store(begin + i, keys_in.load(packed::place(e)));
    }
    if (value_bytes == 4)
      gather<std::uint32_t, packed, Threads>(begin, n, at);
    else if (value_bytes == 8)
      gather<std::uint64_t, packed, Threads>(begin, n, at);
    else if (value_bytes == 16)
      gather<uint128, packed, Threads>(begin, n, at);
    if (!keys_wait && !values_wait)
      return;
    wait();
    for (std::uint32_t i = simt::thread_index(); keys_wait && i < n; i += Threads)
      keys_out.store(begin + i, waiting_keys.load(begin + i));
    if (!values_wait)
      return;
    if (value_bytes == 4)
      fetch<std::uint32_t, Threads>(begin, n);
    else if (value_bytes == 8)
      fetch<std::uint64_t, Threads>(begin, n);
    else
      fetch<uint128, Threads>(begin, n);
  }

 private:
  template <class Value>
  SORTILE_DEVICE simt::global<Value> array(void* values) const {
    return {static_cast<Value*>(values), size};
  }
  template <class Value, class Packed, unsigned Threads, class At>
  SORTILE_DEVICE void gather(std::uint64_t begin, std::uint32_t n, At at) const {
    const simt::global<const Value> from{static_cast<const Value*>(values_in), size};
    const auto to = array<Value>(values_wait ? waiting_values : values_out);
    for (std::uint32_t i = simt::thread_index(); i < n; i += Threads) {
      const std::uint32_t place = Packed::place(at(i));
      to.store(begin + i, make_indices ? Value(place) : from.load(place));
    }
  }
  template <class Value, unsigned Threads>
  SORTILE_DEVICE void fetch(std::uint64_t begin, std::uint32_t n) const {
    for (std::uint32_t i = simt::thread_index(); i < n; i += Threads)
      array<Value>(values_out).store(begin + i, array<Value>(waiting_values).load(begin + i));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
