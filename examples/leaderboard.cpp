// The best ten of a million scores, the median, and who is near the top: without sorting them all.
#include <sortile/select.hpp>

#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  std::vector<float> scores(1'000'000);
  for (std::size_t player = 0; player < scores.size(); ++player)
    scores[player] = static_cast<float>((player * 2'654'435'761u) % 1'000'003) / 1000;

  for (const std::uint32_t player :
       sortile::arg_top_k<std::uint32_t>(scores, 10, {.order = sortile::order::descending}))
    std::cout << "player " << player << ": " << scores[player] << '\n';

  const std::vector<double> shares{0.5, 0.9, 0.99};
  const std::vector<double> limits = sortile::quantiles(scores, shares);
  std::cout << "half of all have at most " << limits[0] << ", a tenth more than " << limits[1]
            << ", a hundredth more than " << limits[2] << '\n';
  return limits[0] < limits[1] && limits[1] < limits[2] ? 0 : 1;
}
