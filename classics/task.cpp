// See task.hpp.
#include "classics/classic.hpp"

#include <string>

namespace sortile::classics {

namespace {

// The oracle sorts too: beyond this many keys order and multiset are checked, in linear time.
constexpr std::size_t exact_up_to = std::size_t{1} << 20;

testing::pairs_view view(const host_arrays& a) {
  return {a.keys.data(), a.values.empty() ? nullptr : a.values.data(), a.values.empty() ? 0 : sizeof(std::uint32_t),
          a.n};
}

testing::verdict check_sorting(const request& asked, bool stable, const host_arrays& before, const host_arrays& after) {
  const testing::ordering by{asked.type, asked.direction, asked.bits};
  if (stable && before.n <= exact_up_to)
    return testing::verify_exact(by, view(before), view(after));
  testing::multiset_hash hash;
  hash.add(asked.type, view(before));
  testing::verdict found = testing::verify_permutation(by, hash, view(after));
  if (found && stable && asked.pairs)
    found = testing::verify_stability(by, view(after));
  return found;
}

template <class Function>
testing::verdict check_scan(const host_arrays& before, const host_arrays& after, Function&& number) {
  const auto* in = reinterpret_cast<const std::uint32_t*>(before.keys.data());
  const auto* out = reinterpret_cast<const std::uint32_t*>(after.keys.data());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < before.n; ++i) {
    if (out[i] != sum)
      return {"element " + std::to_string(i) + " is " + std::to_string(out[i]) + ", the sum before it is " +
              std::to_string(sum)};
    sum += number(in[i]);
  }
  return {};
}

testing::verdict check_numbers(const request&, bool, const host_arrays& before, const host_arrays& after) {
  return check_scan(before, after, [](std::uint32_t key) { return key; });
}

testing::verdict check_flags(const request&, bool, const host_arrays& before, const host_arrays& after) {
  return check_scan(before, after, [](std::uint32_t key) { return key & 1; });
}

} // namespace

const task sorting{.name = "sort", .promise = "all keys in order, each with its value", .check = check_sorting};
const task exclusive_scan{.name = "scan",
                          .promise = "each element is the sum of those before it",
                          .has_direction = false,
                          .check = check_numbers};
const task exclusive_scan_of_flags{.name = "flag scan",
                                   .promise = "each element is the number of odd keys before it",
                                   .has_direction = false,
                                   .check = check_flags};

} // namespace sortile::classics
