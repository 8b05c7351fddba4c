// Which way does this request go? The table of rules in recipe.cpp says it, from the facts alone: which sort takes the
// keys, and which fallbacks sort keys that it finds skewed. stages.cpp says what each sort then does.
#pragma once

#include "sort/facts.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace sortile::gpu {

enum class sorter {
  nothing,   ///< no keys, or no fallback
  counting,  ///< kernels/narrow: keys of 8 and 16 bits, alone
  sample,    ///< kernels/sample: everything, in one launch, where it fits
  keys,      ///< kernels/sort: integers of 32 bits and more, and many floats of 32, alone
  pairs,     ///< kernels/pairs: 32 and 64 bits, with values, indices or nothing, floats
  splitters, ///< kernels/splitters: skewed keys of 64 bits, skewed keys of 128 bits alone, pairs of 128-bit keys
  lsd,       ///< kernels/lsd: everything
};

/// By role: the first sorts the keys, unless the verdict (kernels/verdict.hpp) gives them to its fallback, and that to
/// the last. The verdict is made on the device, so all are launched, and one of them does the work.
using sorters = std::array<sorter, 3>;

struct rule {
  const char* when;                       ///< in words
  bool (*holds)(const sort_facts& facts); ///< asked where no rule above it holds
  sorters (*takes)(const sort_facts& facts);
  const char* measured; ///< below bench/results/h100: what its bounds are from; empty: there are none
};

/// The first rule that holds decides; the last one always does.
std::span<const rule> all_rules();
const rule& rule_for(const sort_facts& facts);
inline sorters sorters_for(const sort_facts& facts) {
  return rule_for(facts).takes(facts);
}

/// Numbers of keys up to which some rule, or the shape of some sort, holds, in any order; with the values they travel
/// with, keys have so many bytes. Just beyond such a number a request may take less workspace than at it.
/// `workspace.is_enough_for_fewer_keys_at_any_alignment` (tests/gpu) finds one that is missing.
std::vector<std::size_t> last_before_changes(std::size_t travelling_bytes);

} // namespace sortile::gpu
