// Many sorts in one call: the neighbours of each vertex of a graph, which lie one vertex behind the other. First by
// distance, with their names moving along; then only the order of a matrix's rows is asked for.
#include <sortile/sortile.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  // Vertex v has the edges offsets[v] … offsets[v + 1] - 1; vertex 1 has none.
  const std::vector<std::uint32_t> offsets{0, 3, 3, 7};
  std::vector<float> distance{4.5f, 0.5f, 2.0f, 9.0f, 1.0f, 3.0f, 2.5f};
  std::vector<std::uint32_t> neighbour{10, 11, 12, 20, 21, 22, 23};

  sortile::segment_sort_by_key(distance, neighbour, sortile::segments::by_offsets(offsets));
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    std::cout << "vertex " << v << ":";
    for (std::uint32_t e = offsets[v]; e < offsets[v + 1]; ++e)
      std::cout << ' ' << neighbour[e] << " (" << distance[e] << ')';
    std::cout << '\n';
  }
  const bool nearest_first = neighbour[0] == 11 && neighbour[2] == 10 && neighbour[3] == 21 && neighbour[6] == 20;

  // Which column of each row holds the largest score?
  const std::vector<std::int16_t> scores{3, 9, 4, //
                                         8, 1, 8};
  const auto best = sortile::segment_argsort<std::uint32_t>(scores, sortile::segments::rows(2, 3),
                                                            {.order = sortile::order::descending});
  std::cout << "largest scores in columns " << best[0] << " and " << best[3] << '\n';
  return nearest_first && best[0] == 1 && best[3] == 0 ? 0 : 1; // of equal scores the first
}
