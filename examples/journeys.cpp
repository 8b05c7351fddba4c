// Structs sorted by their members: by departure, the latest last; of one departure the cheapest first. Then only the
// order is asked for, by something computed, and the structs stay where they are.
#include <sortile/sortile.hpp>

#include <chrono>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

enum class comfort : unsigned char { seat, couchette, sleeper };

struct journey {
  std::chrono::minutes departure;
  float price;
  comfort offers;
  std::string to;
};

int main() {
  using namespace std::chrono_literals;
  using sortile::by;
  using enum sortile::order;

  std::vector<journey> journeys{{22h + 15min, 89.5f, comfort::sleeper, "Stockholm"},
                                {7h + 5min, 39.0f, comfort::seat, "Utrecht"},
                                {22h + 15min, 59.5f, comfort::couchette, "Stockholm"},
                                {9h + 40min, 19.9f, comfort::seat, "Gent"}};

  sortile::sort(journeys, by(&journey::departure), by(&journey::price));
  for (const journey& j : journeys)
    std::cout << j.departure.count() / 60 << ':' << j.departure.count() % 60 << ' ' << j.to << ", " << j.price << '\n';

  const auto per_letter = [](const journey& j) { return j.price / static_cast<float>(j.to.size()); };
  for (const std::size_t i : sortile::argsort(journeys, by(&journey::offers, descending), by(per_letter)))
    std::cout << journeys[i].to << '\n';
}
