// Rows held as columns, ordered by several keys: most points first, ties by time, ties of both as they came in.
#include <sortile/sortile.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

int main() {
  std::vector<std::int32_t> points{12, 30, 12, 30, 7};
  std::vector<float> seconds{61.5f, 58.0f, 59.25f, 57.5f, 70.0f};
  const std::vector<std::string> names{"Ada", "Grace", "Edsger", "Tony", "Barbara"};

  // Numeric columns can be rearranged in place...
  std::vector<std::uint32_t> row(names.size());
  for (std::size_t i = 0; i < row.size(); ++i)
    row[i] = static_cast<std::uint32_t>(i);
  sortile::sort_rows(std::array{sortile::by(points, sortile::order::descending), sortile::by(seconds)},
                     std::tie(points, seconds, row));

  // ... and `row` leads to whatever cannot be copied as bytes.
  for (std::size_t i = 0; i < row.size(); ++i)
    std::cout << points[i] << " points in " << seconds[i] << " s: " << names[row[i]] << '\n';
}
