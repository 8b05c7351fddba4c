// Keys, keys with values, positions: the three sorts, on vectors.
#include <sortile/sortile.hpp>

#include <cstdint>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

template <class Range>
void print(const std::string& title, const Range& range) {
  std::cout << title;
  for (const auto& element : range)
    std::cout << ' ' << element;
  std::cout << '\n';
}

int main() {
  // Keys alone, in place. NaN is the largest, whatever its sign; −0 and +0 are equal and stay in the order they came
  // in.
  std::vector<double> temperatures{21.5, -3.0, std::numeric_limits<double>::quiet_NaN(), 0.0, -0.0, 17.25};
  sortile::sort(temperatures);
  print("sorted:     ", temperatures);

  sortile::sort(temperatures, {.order = sortile::order::descending});
  print("descending: ", temperatures);

  // Values move with their keys; equal keys keep the order of their values.
  std::vector<std::uint32_t> years{2009, 1998, 2009, 1972};
  std::vector<std::uint64_t> serials{100, 101, 102, 103};
  sortile::sort_by_key(years, serials);
  print("years:      ", years);
  print("serials:    ", serials);

  // Positions: the keys are only read.
  const std::vector<std::int16_t> depths{40, -7, 40, 3};
  print("order:      ", sortile::argsort(depths));

  // Only bits 8 to 15 decide: a sort by the second byte.
  std::vector<std::uint16_t> words{0x0203, 0x0102, 0x0201};
  sortile::sort(words, {.bits = {.begin = 8, .end = 16}});
  print("by byte:    ", words);
}
