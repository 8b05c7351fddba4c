// From values to places on the page, and the marks of an axis.
#pragma once

#include "bench/classics/plot/chart.hpp"

#include <string>
#include <vector>

namespace sortile::plot {

struct tick {
  double at = 0;     ///< a value
  std::string label; ///< empty: a line without a name
};

/// An axis stretched over a piece of the page.
class scale_map {
 public:
  /// `least` and `most` are those of the values; `from` and `to` are where the axis begins and ends on the page.
  scale_map(const axis& of, double least, double most, double from, double to);

  double operator()(double value) const;
  const std::vector<tick>& ticks() const { return ticks_; }

 private:
  double coordinate(double value) const; ///< the value, or its logarithm
  void mark_linear(double least, double most);
  void mark_powers_of_two(double least, double most);
  void mark_decades(double least, double most);
  void mark_categories(const std::vector<std::string>& names);

  scale kind_;
  double low_ = 0, high_ = 1; ///< coordinates of the ends
  double from_, to_;
  std::vector<tick> ticks_;
};

/// "0.05", "20", "1500": at most four figures, no exponent, the same in every locale.
std::string plain_number(double number);

} // namespace sortile::plot
