// Keys for the tests that order what a block holds: spread evenly, skewed at any depth, frequent, or few bits apart.
#pragma once

#include "tests/simt/fixture.hpp"

#include <vector>

namespace sortile::simt_tests {

enum class keys {
  random,
  few_bits,
  magnitudes,
  equal,
  two_values,
  two_neighbours,
  frequent,
  low_bits,
  rising,
  falling,
  pairs_rising,
  ends,
  about_the_ends,
  high_bits,
  runs
};
constexpr keys all_keys[] = {keys::random,         keys::few_bits,       keys::magnitudes,   keys::equal,
                             keys::two_values,     keys::two_neighbours, keys::frequent,     keys::low_bits,
                             keys::rising,         keys::falling,        keys::pairs_rising, keys::ends,
                             keys::about_the_ends, keys::high_bits,      keys::runs};

/// Key i of n; wide(j) are random words of its own, j = 0, 2, 4.
template <class Word, class Wide>
Word key_of(std::size_t i, keys kind, Wide wide) {
  constexpr unsigned width = 8 * sizeof(Word);
  switch (kind) {
  case keys::random:
    return wide(0);
  case keys::few_bits: // AND of three: values of any frequency, skew within skew
    return Word(wide(0) & wide(2) & wide(4));
  case keys::magnitudes:
    return Word(wide(0) >> wide(2) % width);
  case keys::equal:
    return Word(0x1234567890abcdefu);
  case keys::two_values:
    return (wide(0) & 1) != 0 ? Word{7} : Word(Word{7} ^ Word{1} << (width - 2));
  case keys::two_neighbours:
    return Word(100 + (wide(0) & 1));
  case keys::frequent: // a value of a third of all among others
    return wide(0) % 3 == 0 ? Word{77} : wide(2);
  case keys::low_bits: // most differ in their lowest bits, far above the lowest keys
    return wide(0) % 64 == 0 ? wide(2) : Word(Word(Word{1} << (width - 1)) + wide(4) % 100);
  case keys::rising:
    return Word(i * 3);
  case keys::falling:
    return Word(Word(~Word{0}) - Word(i / 2));
  case keys::pairs_rising:
    return Word(i / 2);
  case keys::ends: // only the lowest and the highest bit differ
    return Word((wide(0) & 1) | (wide(2) & 1) << (width - 1));
  case keys::about_the_ends:
    return (wide(0) & 1) != 0 ? Word(wide(2) % 3) : Word(Word(~Word{0}) - wide(2) % 3);
  case keys::high_bits: // three of them, less than a digit
    return Word(Word(wide(0) & 7) << (width - 3));
  default: // rows of one digit among rows of many
    return i / 100 % 2 == 0 ? Word{5} : wide(0);
  }
}

template <class Word>
std::vector<Word> make(std::size_t n, keys kind) {
  const auto words = noise(6 * n, std::uint32_t(n) + 3);
  std::vector<Word> k(n);
  for (std::size_t i = 0; i < n; ++i)
    k[i] = key_of<Word>(
        i, kind, [&](std::size_t j) { return Word(std::uint64_t{words[6 * i + j]} << 32 | words[6 * i + j + 1]); });
  return k;
}

} // namespace sortile::simt_tests
