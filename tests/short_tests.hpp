// Fewer and smaller inputs for tests that have a whole grid of them: what a plain ctest runs, and what runs under tools
// that slow kernels down a hundredfold. `make test-all` runs the whole grids.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace sortile::testing {

/// Whether tests make do with fewer and smaller inputs, SORTILE_TESTS_SHORT=1: under tools that slow kernels down a
/// hundredfold and more. Every kernel is still run, by each of its ways.
inline bool short_tests() {
  const char* asked = std::getenv("SORTILE_TESTS_SHORT");
  return asked != nullptr && std::string_view(asked) != "" && std::string_view(asked) != "0";
}
template <class T>
T unless_short(T usual, T shorter) {
  return short_tests() ? shorter : usual;
}
/// Of inputs that are alike all, or in short tests so many: the last, the first, and evenly between.
template <class T>
std::vector<T> a_few(std::size_t kept, std::span<const T> all) {
  if (!short_tests() || kept >= all.size())
    return {all.begin(), all.end()};
  std::vector<T> few{all.back()};
  for (std::size_t i = 0; i + 1 < kept; ++i)
    few.insert(few.end() - 1, all[i * (all.size() - 1) / (kept - 1)]);
  return few;
}
template <class T>
std::vector<T> a_few(std::size_t kept, std::initializer_list<T> all) {
  return a_few(kept, std::span<const T>(all.begin(), all.size()));
}
template <class T, std::size_t Size>
std::vector<T> a_few(std::size_t kept, const T (&all)[Size]) {
  return a_few(kept, std::span<const T>(all));
}

/// Of inputs that are counted as they come, nested loops through, every one; in short tests one in `stride`. A stride
/// without a divisor in common with the loops' lengths still meets each of their members now and then.
class one_in {
 public:
  explicit one_in(unsigned stride) : stride_(unless_short(1u, stride)) {}
  /// Whether the next is taken.
  bool operator()() { return next_++ % stride_ == 0; }

 private:
  unsigned stride_, next_ = 0;
};

} // namespace sortile::testing
