// See svg.hpp.
#include "bench/classics/plot/svg.hpp"

#include <charconv>
#include <cmath>

namespace sortile::plot {

namespace {

// Colours that keep apart for most kinds of colour vision, as far as twelve can; in the dark the same, lighter.
constexpr const char* style = R"(<style>
text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;font-size:12px}
.page{fill:#ffffff}.title{fill:#1f2328;font-size:16px;font-weight:600}.text{fill:#1f2328}.muted{fill:#59636e}
.grid{stroke:#e3e8ed}.axis{stroke:#818b98}
.line{fill:none;stroke-width:2;stroke-linejoin:round}
.s0{color:#0b62c4}.s1{color:#d4570a}.s2{color:#0f8a5f}.s3{color:#b3267a}.s4{color:#8a6d00}
.s5{color:#6f42c1}.s6{color:#c0242b}.s7{color:#0a8ea0}.s8{color:#5c6670}.s9{color:#5a8f00}.s10{color:#7a3e1d}.s11{color:#2f3f8f}
@media (prefers-color-scheme:dark){
.page{fill:#0d1117}.title,.text{fill:#e6edf3}.muted{fill:#9198a1}.grid{stroke:#2a313a}.axis{stroke:#6e7681}
.s0{color:#58a6ff}.s1{color:#ff9b5a}.s2{color:#3fcf96}.s3{color:#f778ba}.s4{color:#e3b341}
.s5{color:#bc8cff}.s6{color:#ff7b72}.s7{color:#4dd0e1}.s8{color:#b1bac4}.s9{color:#a5d64c}.s10{color:#d2a07c}.s11{color:#8fa3ff}
}
</style>
)";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

std::string place(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + length_text(value) + "\"";
}

std::string of_class(std::string_view look) {
  return " class=\"" + std::string(look) + "\"";
}

std::string points_text(const std::vector<spot>& points) {
  std::string text;
  for (const spot& p : points)
    text += (text.empty() ? "" : " ") + length_text(p.x) + "," + length_text(p.y);
  return text;
}

std::string polygon(const std::vector<spot>& corners, std::string_view look) {
  return "<polygon" + of_class(look) + " fill=\"currentColor\" points=\"" + points_text(corners) + "\"/>\n";
}

} // namespace

std::string length_text(double length) {
  char text[64];
  char* end = std::to_chars(text, text + sizeof text, std::round(length * 100) / 100, std::chars_format::fixed, 2).ptr;
  while (end[-1] == '0')
    --end;
  if (end[-1] == '.')
    --end;
  const std::string_view shown(text, std::size_t(end - text));
  return shown == "-0" ? "0" : std::string(shown);
}

svg_page::svg_page(double width, double height, std::string_view described_as) {
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" + place("width", width) + place("height", height) +
          " viewBox=\"0 0 " + length_text(width) + " " + length_text(height) + "\">\n<title>" + escaped(described_as) +
          "</title>\n" + style + "<rect class=\"page\"" + place("width", width) + place("height", height) + "/>\n";
}

void svg_page::line(spot from, spot to, std::string_view look) {
  text_ += "<line" + of_class(look) + place("x1", from.x) + place("y1", from.y) + place("x2", to.x) +
           place("y2", to.y) + "/>\n";
}

void svg_page::path(const std::vector<spot>& through, std::string_view look, unsigned dashes) {
  static constexpr const char* patterns[] = {"", "7 4", "2 3"};
  const std::string pattern = patterns[dashes % 3];
  text_ += "<polyline class=\"line " + std::string(look) + "\" stroke=\"currentColor\"" +
           (pattern.empty() ? "" : " stroke-dasharray=\"" + pattern + "\"") + " points=\"" + points_text(through) +
           "\"/>\n";
}

void svg_page::rectangle(spot corner, double width, double height, std::string_view look) {
  text_ += "<rect" + of_class(look) + " fill=\"currentColor\"" + place("x", corner.x) + place("y", corner.y) +
           place("width", width) + place("height", height) + "/>\n";
}

void svg_page::marker(spot at, unsigned shape, std::string_view look) {
  constexpr double r = 4;
  switch (shape % 5) {
  case 0:
    text_ += "<circle" + of_class(look) + " fill=\"currentColor\"" + place("cx", at.x) + place("cy", at.y) +
             place("r", r) + "/>\n";
    break;
  case 1:
    text_ += polygon({{at.x - r, at.y - r}, {at.x + r, at.y - r}, {at.x + r, at.y + r}, {at.x - r, at.y + r}}, look);
    break;
  case 2:
    text_ += polygon({{at.x, at.y - r - 1}, {at.x + r + 1, at.y + r}, {at.x - r - 1, at.y + r}}, look);
    break;
  case 3:
    text_ += polygon({{at.x, at.y - r - 1}, {at.x + r + 1, at.y}, {at.x, at.y + r + 1}, {at.x - r - 1, at.y}}, look);
    break;
  default:
    text_ += polygon({{at.x, at.y + r + 1}, {at.x + r + 1, at.y - r}, {at.x - r - 1, at.y - r}}, look);
  }
}

void svg_page::words(spot at, std::string_view text, std::string_view look, std::string_view anchor, int degrees) {
  text_ += "<text" + of_class(look) + place("x", at.x) + place("y", at.y) + " text-anchor=\"" + std::string(anchor) +
           "\"" +
           (degrees == 0 ? ""
                         : " transform=\"rotate(" + std::to_string(degrees) + " " + length_text(at.x) + " " +
                               length_text(at.y) + ")\"") +
           ">" + escaped(text) + "</text>\n";
}

std::string svg_page::finished() && {
  return std::move(text_) + "</svg>\n";
}

} // namespace sortile::plot
