// SVG elements as text: a page with a style for light and for dark, to which lines, shapes and words are added.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::plot {

/// Classes s0, s1, …: a colour each.
inline constexpr std::size_t series_colours = 12;

struct spot {
  double x = 0, y = 0; ///< on the page, y downwards
};

class svg_page {
 public:
  svg_page(double width, double height, std::string_view described_as);

  /// `look` is a class of the style: grid, axis, or that of a series.
  void line(spot from, spot to, std::string_view look);
  void path(const std::vector<spot>& through, std::string_view look, unsigned dashes);
  void rectangle(spot corner, double width, double height, std::string_view look);
  /// One of five shapes.
  void marker(spot at, unsigned shape, std::string_view look);
  /// `look`: title, text, muted; `anchor`: start, middle, end. Turned by `degrees` about its place.
  void words(spot at, std::string_view text, std::string_view look, std::string_view anchor, int degrees = 0);

  std::string finished() &&;

 private:
  std::string text_;
};

/// A length on the page: two decimals, the same everywhere.
std::string length_text(double length);

} // namespace sortile::plot
