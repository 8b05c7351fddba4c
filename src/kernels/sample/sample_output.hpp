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
  /// when all who write have come to it; all threads of the block call. AtOnce: a thread's loads that wait together.
  template <class Element, unsigned Threads, unsigned AtOnce, class At, class Wait>
  SORTILE_DEVICE void write(std::uint64_t begin, std::uint32_t n, At at, Wait wait) const {
    using packed = packing<Word, Element>;
    if (keys_wanted)
      put<packed, Threads, AtOnce>(
          !image_is_key, keys_in, keys_wait ? waiting_keys : keys_out, begin, n, at,
          [&](const Element& e) { return Word(packed::image(e) ^ codec.sign ^ codec.complement); });
    const auto put_values = [&]<class Value>(Value) {
      put<packed, Threads, AtOnce>(!make_indices, simt::global<const Value>{static_cast<const Value*>(values_in), size},
                                   array<Value>(values_wait ? waiting_values : values_out), begin, n, at,
                                   [](const Element& e) { return Value(packed::place(e)); });
    };
    if (value_bytes == 4)
      put_values(std::uint32_t{});
    else if (value_bytes == 8)
      put_values(std::uint64_t{});
    else if (value_bytes == 16)
      put_values(uint128{});
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
  /// to[begin + i] becomes what stands at the place of at(i) in `from`, or made(at(i)).
  template <class Packed, unsigned Threads, unsigned AtOnce, class T, class At, class Made>
  static SORTILE_DEVICE void put(bool gathers, simt::global<const T> from, simt::global<T> to, std::uint64_t begin,
                                 std::uint32_t n, At at, Made made) {
    SORTILE_NO_UNROLL
    for (std::uint32_t i = simt::thread_index(); i < n; i += AtOnce * Threads) {
      const auto each = [&](auto f) {
        SORTILE_UNROLL
        for (unsigned r = 0; r < AtOnce; ++r)
          if (r == 0 || i + r * Threads < n)
            f(r);
      };
      decltype(at(i)) e[AtOnce] = {};
      T x[AtOnce] = {};
      each([&](unsigned r) { e[r] = at(i + r * Threads); });
      if (gathers)
        each([&](unsigned r) { x[r] = from.load(Packed::place(e[r])); });
      else
        each([&](unsigned r) { x[r] = made(e[r]); });
      each([&](unsigned r) { to.store(begin + i + r * Threads, x[r]); });
    }
  }
  template <class Value, unsigned Threads>
  SORTILE_DEVICE void fetch(std::uint64_t begin, std::uint32_t n) const {
    for (std::uint32_t i = simt::thread_index(); i < n; i += Threads)
      array<Value>(values_out).store(begin + i, array<Value>(waiting_values).load(begin + i));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
