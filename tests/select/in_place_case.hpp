// Partial sorts and nth_element on guarded buffers, checked against the oracle's stable sort. Cases are those of top-k:
// of one row, values moving where the case carries some.
#pragma once

#include "tests/select/select_case.hpp"

namespace sortile::testing {

/// The first k keys in order, every other key where it is promised, values with them.
verdict check_partial_sort(const top_k_case& c);

/// The key of rank nth = k in its place, none before it that comes after it, none behind it that comes before it, and
/// the same keys as before.
verdict check_nth_element(const top_k_case& c);

/// A case of one row drawn from a seed. k goes up to n.
top_k_case random_in_place(std::uint64_t seed, const std::string& engine, std::size_t largest_n);

/// What a partial sort must make of positions 0 … n − 1, of which `order` is the stable sort.
std::vector<std::uint64_t> partially_sorted(const std::vector<std::uint64_t>& order, std::size_t k);

} // namespace sortile::testing
