// A sample in groups, of each of which the smallest key is searched (filter_pivot_kernels.hpp says why that is enough).
#pragma once

#include "kernels/sample_place.hpp"

namespace sortile::kernels {

/// Groups of so many keys each. Part e of the array gives each group one key, rotated by a random number of groups: in
/// an array that is sorted, or rises and falls, neighbours are in different groups.
struct sample_groups {
  std::uint32_t groups = 0, each = 1;

  SORTILE_HOST_DEVICE constexpr std::uint32_t keys() const { return groups * each; }
  /// Of n keys, where key e of a group is; n >= keys().
  SORTILE_HOST_DEVICE constexpr std::uint64_t place(std::uint32_t group, std::uint32_t e, std::uint64_t n) const {
    const auto rotation = std::uint32_t(std::uint64_t{(e + 1) * 0x9e3779b9u} * groups >> 32);
    const std::uint32_t turned = group + rotation < groups ? group + rotation : group + rotation - groups;
    return sample_place(std::uint64_t{e} * groups + turned, keys(), n);
  }
};

} // namespace sortile::kernels
