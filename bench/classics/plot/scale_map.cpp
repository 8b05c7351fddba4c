// See scale_map.hpp.
#include "bench/classics/plot/scale_map.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sortile::plot {

namespace {

std::string superscript(int number) {
  static constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(number)))
    text += digits[c - '0'];
  return text;
}

} // namespace

std::string plain_number(double number) {
  char text[64];
  const double size = std::abs(number);
  const int decimals = size >= 100 || size == 0 ? 0
                       : size >= 10             ? 1
                       : size >= 1              ? 2
                                                : 3 - int(std::floor(std::log10(size))) - 1;
  char* end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed, std::min(decimals, 12)).ptr;
  if (std::find(text, end, '.') != end) {
    while (end[-1] == '0')
      --end;
    if (end[-1] == '.')
      --end;
  }
  return {text, end};
}

scale_map::scale_map(const axis& of, double least, double most, double from, double to)
    : kind_(of.kind), from_(from), to_(to) {
  switch (kind_) {
  case scale::linear:
    mark_linear(least, most);
    break;
  case scale::powers_of_two:
    mark_powers_of_two(least, most);
    break;
  case scale::decades:
    mark_decades(least, most);
    break;
  case scale::categories:
    mark_categories(of.categories);
    break;
  }
}

double scale_map::coordinate(double value) const {
  switch (kind_) {
  case scale::powers_of_two:
    return std::log2(value);
  case scale::decades:
    return std::log10(value);
  default:
    return value;
  }
}

double scale_map::operator()(double value) const {
  return from_ + (to_ - from_) * (coordinate(value) - low_) / (high_ - low_);
}

void scale_map::mark_linear(double least, double most) {
  least = std::min(least, 0.0);
  most = most > least ? most : least + 1;
  const double rough = (most - least) / 5, decade = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double each : {5.0, 2.0, 1.0})
    step = each * decade >= rough ? each * decade : step;
  low_ = std::floor(least / step) * step;
  high_ = std::ceil(most / step) * step;
  for (int k = 0; low_ + k * step <= high_ + step / 2; ++k)
    ticks_.push_back({low_ + k * step, plain_number(low_ + k * step)});
}

void scale_map::mark_powers_of_two(double least, double most) {
  const double margin = 0.03 * std::max(1.0, std::log2(most / least));
  low_ = std::log2(least) - margin;
  high_ = std::log2(most) + margin;
  const int first = int(std::ceil(low_)), last = int(std::floor(high_));
  const int step = std::max(1, (last - first + 9) / 10);
  for (int k = first; k <= last; k += step)
    ticks_.push_back({std::exp2(k), last <= 6 ? plain_number(std::exp2(k)) : "2" + superscript(k)});
}

void scale_map::mark_decades(double least, double most) {
  const double margin = 0.04 * std::max(1.0, std::log10(most / least));
  low_ = std::log10(least) - margin;
  high_ = std::log10(most) + margin;
  const bool narrow = high_ - low_ < 2.5;
  for (int k = int(std::floor(low_)); k <= int(std::floor(high_)); ++k)
    for (int digit = 1; digit <= 9; ++digit) {
      const double value = digit * std::pow(10, k), at = std::log10(value);
      if (at < low_ || at > high_)
        continue;
      const bool named = digit == 1 || (narrow && (digit == 2 || digit == 5));
      if (named || high_ - low_ < 5)
        ticks_.push_back({value, named ? plain_number(value) : ""});
    }
}

void scale_map::mark_categories(const std::vector<std::string>& names) {
  low_ = -0.5;
  high_ = double(std::max<std::size_t>(names.size(), 1)) - 0.5;
  for (std::size_t k = 0; k < names.size(); ++k)
    ticks_.push_back({double(k), names[k]});
}

} // namespace sortile::plot
