// A chart as data, and the two files that are made of it: an SVG that stands by itself, and the numbers as CSV.
//
//   title
//   subtitle
//   y ┤       ● series a          Series are lines with a marker for each value, or, over categories, bars side by
//     │   ●       ● series b      side. The legend stands at the right, in the order of the series. Colours, text and
//     │ ●   ■ ■ ■                 grid follow the reader's light or dark scheme; markers and dashes tell series apart
//     └──────────── x             where colours do not.
//
// The same chart gives the same bytes on every machine: nothing depends on locale, time or the order of a hash. That is
// why it is drawn by hand: a test compares the committed plots, and no plotting program promises its bytes.
#pragma once

#include <string>
#include <vector>

namespace sortile::plot {

enum class scale { linear, powers_of_two, decades, categories };

struct axis {
  std::string title;
  scale kind = scale::linear;
  std::vector<std::string> categories{}; ///< of scale::categories: the names of the positions 0, 1, …
};

struct value {
  double x = 0, y = 0;
};

struct series {
  std::string name;
  std::vector<value> values;
};

struct chart {
  std::string name; ///< of its files, without an extension
  std::string title, subtitle;
  axis x, y; ///< y: linear (from 0) or decades
  std::vector<series> lines;
  bool bars = false; ///< over categories
};

/// \throws invalid_argument where the chart has no value, one that is not finite, or one that a logarithm cannot take
std::string svg_of(const chart& drawn);

/// series,x,y; one line a value, x as its category's name where it has one.
std::string csv_of(const chart& drawn);

} // namespace sortile::plot
