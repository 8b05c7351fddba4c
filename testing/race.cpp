// Interleaved timing, see race.hpp.
#include "testing/race.hpp"

#include "testing/workloads.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace sortile::testing {

namespace {

using clock = std::chrono::steady_clock;

double median_of(std::vector<double> numbers) {
  if (numbers.empty())
    return 0;
  std::sort(numbers.begin(), numbers.end());
  const std::size_t middle = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[middle] : (numbers[middle - 1] + numbers[middle]) / 2;
}

double seconds_of(const std::function<void()>& run) {
  const clock::time_point start = clock::now();
  run();
  return std::chrono::duration<double>(clock::now() - start).count();
}

double time_once(const contender& c) {
  c.prepare();
  const double seconds = c.timed ? c.timed() : seconds_of(c.run);
  if (c.check)
    c.check();
  return seconds;
}

/// 0 … count − 1 in an order of the round's own (Fisher and Yates), so that nobody always runs after the same other.
std::vector<std::size_t> shuffled(std::size_t count, unsigned round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[random_bits(round, i) % i]);
  return order;
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
  for (unsigned w = 0; w < how.warmups; ++w)
    for (const contender& c : contenders)
      time_once(c);
  std::vector<double> spent(contenders.size());
  for (unsigned round = 0; round < std::max(1u, how.repetitions); ++round) {
    for (const std::size_t who : shuffled(contenders.size(), round)) {
      if (round >= how.least_repetitions && how.budget_seconds > 0 && spent[who] > how.budget_seconds)
        continue;
      timings[who].seconds.push_back(time_once(contenders[who]));
      spent[who] += timings[who].seconds.back();
    }
  }
  return timings;
}

} // namespace sortile::testing
