// Interleaved timing, see race.hpp.
#include "testing/race.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sortile::testing {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

double median_of(std::vector<double> numbers) {
  if (numbers.empty())
    return 0;
  std::sort(numbers.begin(), numbers.end());
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

double time_once(const contender& c) {
  c.prepare();
  const clock::time_point start = clock::now();
  c.run();
  return seconds_since(start);
}

} // namespace

double timing::median() const {
  return median_of(seconds);
}

double timing::fastest() const {
  return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end());
}

double timing::noise() const {
  const double middle = median();
  std::vector<double> distances;
  for (const double s : seconds)
    distances.push_back(std::abs(s - middle));
  return middle > 0 ? median_of(distances) / middle : 0;
}

std::vector<timing> race(std::span<const contender> contenders, const race_options& how) {
  std::vector<timing> timings;
  for (const contender& c : contenders)
    timings.push_back({c.name, {}});
  const clock::time_point start = clock::now();
  for (unsigned w = 0; w < how.warmups; ++w)
    for (const contender& c : contenders)
      time_once(c);
  for (unsigned round = 0; round < std::max(1u, how.repetitions); ++round) {
    if (round > 0 && how.budget_seconds > 0 && seconds_since(start) > how.budget_seconds)
      break;
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t who = (turn + round) % contenders.size();
      timings[who].seconds.push_back(time_once(contenders[who]));
    }
  }
  return timings;
}

} // namespace sortile::testing
