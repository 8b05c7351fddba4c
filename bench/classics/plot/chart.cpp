// Lays a chart out on a page, see chart.hpp.
#include "bench/classics/plot/chart.hpp"

#include "bench/classics/plot/scale_map.hpp"
#include "bench/classics/plot/svg.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

namespace sortile::plot {

namespace {

// The page and the frame of the plot on it.
constexpr double width = 900, left = 78, right = 660, top = 66, legend_left = 680, legend_step = 19, line_height = 14;

struct bounds {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
  void take(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

void refuse(const chart& drawn, const std::string& what) {
  throw invalid_argument("chart " + drawn.name + ": " + what);
}

bounds bounds_of(const chart& drawn, const axis& of, double value::*coordinate) {
  bounds found;
  for (const series& s : drawn.lines)
    for (const value& v : s.values) {
      if (!std::isfinite(v.*coordinate))
        refuse(drawn, "series " + s.name + " has a value that is no number");
      if ((of.kind == scale::powers_of_two || of.kind == scale::decades) && v.*coordinate <= 0)
        refuse(drawn, "series " + s.name + " has a value of 0 or less on a logarithmic axis");
      found.take(v.*coordinate);
    }
  if (found.least > found.most)
    refuse(drawn, "there is no value to draw");
  return found;
}

std::string look_of(std::size_t series_number) {
  return "s" + std::to_string(series_number % series_colours);
}

class drawing {
 public:
  explicit drawing(const chart& drawn)
      : drawn_(drawn), bottom_(bottom_of(drawn)), below_(double(most_lines(drawn)) * line_height),
        page_(width, bottom_ + below_ + 44, drawn.title + ". " + drawn.subtitle),
        x_(map_of(drawn.x, &value::x, left, right)), y_(map_of(drawn.y, &value::y, bottom_, top)) {}

  std::string finished() && {
    frame();
    for (std::size_t k = 0; k < drawn_.lines.size(); ++k)
      drawn_.bars ? bars(k) : points(k);
    legend();
    return std::move(page_).finished();
  }

 private:
  /// A name under the axis, broken between words so that it stays in its column.
  static std::vector<std::string> lines_of(const chart& drawn, const std::string& name) {
    constexpr double letter = 6.6;
    const double columns = std::max(1.0, double(drawn.x.categories.size()));
    const std::size_t letters =
        drawn.x.kind != scale::categories ? name.size() : std::size_t((right - left) / columns / letter);
    std::vector<std::string> lines{""};
    std::istringstream words(name);
    for (std::string word; words >> word;) {
      if (!lines.back().empty() && lines.back().size() + 1 + word.size() > letters)
        lines.emplace_back();
      lines.back() += (lines.back().empty() ? "" : " ") + word;
    }
    return lines;
  }
  static std::size_t most_lines(const chart& drawn) {
    std::size_t most = 1;
    for (const std::string& name : drawn.x.categories)
      most = std::max(most, lines_of(drawn, name).size());
    return most;
  }
  static double bottom_of(const chart& drawn) {
    return std::max(400.0, top + legend_step * double(drawn.lines.size()));
  }
  scale_map map_of(const axis& of, double value::*coordinate, double from, double to) const {
    const bounds b = bounds_of(drawn_, of, coordinate);
    return {of, b.least, b.most, from, to};
  }

  void frame() {
    page_.words({left - 60, 26}, drawn_.title, "title", "start");
    page_.words({left - 60, 46}, drawn_.subtitle, "muted", "start");
    for (const tick& t : y_.ticks()) {
      page_.line({left, y_(t.at)}, {right, y_(t.at)}, "grid");
      page_.words({left - 8, y_(t.at) + 4}, t.label, "text", "end");
    }
    for (const tick& t : x_.ticks()) {
      if (drawn_.x.kind != scale::categories)
        page_.line({x_(t.at), top}, {x_(t.at), bottom_}, "grid");
      double y = bottom_ + 4;
      for (const std::string& line : lines_of(drawn_, t.label))
        page_.words({x_(t.at), y += line_height}, line, "text", "middle");
    }
    page_.line({left, bottom_}, {right, bottom_}, "axis");
    page_.line({left, top}, {left, bottom_}, "axis");
    page_.words({(left + right) / 2, bottom_ + below_ + 30}, drawn_.x.title, "muted", "middle");
    page_.words({22, (top + bottom_) / 2}, drawn_.y.title, "muted", "middle", -90);
  }

  void points(std::size_t k) {
    std::vector<spot> through;
    for (const value& v : drawn_.lines[k].values)
      through.push_back({x_(v.x), y_(v.y)});
    if (through.size() > 1)
      page_.path(through, look_of(k), unsigned(k / series_colours));
    for (const spot& at : through)
      page_.marker(at, unsigned(k), look_of(k));
  }

  void bars(std::size_t k) {
    const double room = 0.8 * (x_(1) - x_(0)), each = room / double(drawn_.lines.size());
    for (const value& v : drawn_.lines[k].values) {
      const double begin = x_(v.x) - room / 2 + each * double(k), high = y_(v.y);
      page_.rectangle({begin, high}, std::max(each - 1, 1.0), std::max(bottom_ - high, 1.0), look_of(k));
    }
  }

  void legend() {
    for (std::size_t k = 0; k < drawn_.lines.size(); ++k) {
      const double y = top + 8 + legend_step * double(k);
      if (drawn_.bars) {
        page_.rectangle({legend_left + 4, y - 6}, 14, 11, look_of(k));
      } else {
        page_.path({{legend_left, y}, {legend_left + 22, y}}, look_of(k), unsigned(k / series_colours));
        page_.marker({legend_left + 11, y}, unsigned(k), look_of(k));
      }
      page_.words({legend_left + 30, y + 4}, drawn_.lines[k].name, "text", "start");
    }
  }

  const chart& drawn_;
  double bottom_, below_; ///< where the frame ends; what the names under it take
  svg_page page_;
  scale_map x_, y_;
};

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string shortest(double number) {
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

} // namespace

std::string svg_of(const chart& drawn) {
  return drawing(drawn).finished();
}

std::string csv_of(const chart& drawn) {
  std::string text = "series," + csv_text(drawn.x.title) + "," + csv_text(drawn.y.title) + "\n";
  for (const series& s : drawn.lines)
    for (const value& v : s.values)
      text += csv_text(s.name) + "," +
              (drawn.x.kind == scale::categories ? csv_text(drawn.x.categories.at(std::size_t(v.x))) : shortest(v.x)) +
              "," + shortest(v.y) + "\n";
  return text;
}

} // namespace sortile::plot
