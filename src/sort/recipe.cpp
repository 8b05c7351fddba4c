// Bounds are from single calls on one H100, most of them before kernels started early. A launch took 3 to 4 µs, so
// below some hundred thousand keys the number of launches decided, and above it the bytes that are moved. Each rule
// names the results that it is from.
#include "sort/recipe.hpp"

#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/partition_plan.hpp"
#include "kernels/sort/sort_keys.hpp"

#include <algorithm>

namespace sortile::gpu {
namespace {

using kernels::partition_plan;

constexpr std::size_t two_to(unsigned exponent) {
  return std::size_t{1} << exponent;
}

// ---- up to how many keys --------------------------------------------------------------------------------------------

/// Bytes that the sample sort moves about for a key: places are compared too, where values or images need them.
std::size_t sample_bytes(const sort_facts& f) {
  const bool placed = f.value_bytes != 0 || f.floats || !f.whole_keys;
  return std::max<std::size_t>(4, f.key_bits / 8) * (placed ? 2 : 1);
}
/// Merging in one block is as quick as the bins of the pairs' one block, and quicker where keys are skewed.
std::size_t merged_in_one_block(const sort_facts& f) {
  return f.key_bits == 32 ? two_to(10) : two_to(9);
}
/// One launch is quicker than the partitions' four or five, whatever the keys are.
std::size_t sample_before_partitions(const sort_facts& f) {
  return sample_bytes(f) <= 4 ? two_to(17) : sample_bytes(f) <= 8 || f.key_bits == 128 ? two_to(16) : two_to(15);
}
/// The sample sort is the quickest where partitions give the keys away. Of 2^20 integers alone the LSD sort is as
/// quick, and of few values quicker: it counts them (docs/performance-log-gpu.md, 136). Of 2^19 pairs and floats of 64
/// bits the LSD sort takes 0.88 to 1.06 times as long as this one, and 0.6 where few digits differ (keys-apart.txt).
std::size_t sample_after_partitions(const sort_facts& f) {
  const bool placed = f.value_bytes != 0 || f.floats;
  if (!placed || f.key_bits > 64)
    return two_to(19);
  return f.key_bits == 32 ? two_to(18) : two_to(19) - two_to(16);
}
/// One launch is quicker than a pass a digit: the fewer digits, the less.
std::size_t sample_before_lsd(const sort_facts& f) {
  switch (f.key_bits) {
  case 8:
    return two_to(13);
  case 16:
    return f.value_bytes == 0 ? two_to(18) : two_to(17);
  case 32:
    return two_to(18);
  case 64:
    return two_to(19);
  default: // 24 bytes an element where its place is needed
    return sample_bytes(f) > 16 ? two_to(18) : two_to(19);
  }
}
/// Up to here the key sort of 32- and 64-bit keys takes longer than the pair sort without values, whose scan has no
/// launch before it.
constexpr std::size_t keys_as_pairs = two_to(20);
/// Floats of 32 bits, alone: from here on until their buckets are counted, passes are as quick as partitions, whatever
/// the keys are (docs/performance-log-gpu.md, 237).
constexpr std::size_t least_floats_by_passes = two_to(21);
/// Up to here buckets of pairs fit the local step.
constexpr std::size_t most_pairs = two_to(28);
/// From so many keys on, log2, partitions between splitters are quicker than a pass a digit where keys are skewed, by
/// so much that it is worth their launches where they are not (splitters-for-fewer.txt, second-sort-in-one-launch.txt).
/// Pairs of 128-bit keys are sorted so at once.
struct between_splitters_from {
  static constexpr unsigned pairs_of_128 = 19, alone_128 = 21, with_8_bytes = 22, with_4_bytes = 23, floats_alone = 24,
                            integers_alone = 26;
};
std::size_t least_between_splitters(const sort_facts& f) {
  using from = between_splitters_from;
  if (f.key_bits == 128)
    return two_to(f.value_bytes != 0 ? from::pairs_of_128 : from::alone_128);
  return two_to(f.value_bytes >= 8   ? from::with_8_bytes
                : f.value_bytes != 0 ? from::with_4_bytes
                : f.floats           ? from::floats_alone
                                     : from::integers_alone);
}
/// Up to here hardly a bucket between splitters is too large for the local step.
std::size_t most_between_splitters(const sort_facts& f) {
  if (f.key_bits == 128)
    return f.value_bytes == 0 ? most_pairs : f.value_bytes == 4 ? two_to(27) : two_to(26);
  return f.value_bytes > 8 ? two_to(25) : most_pairs;
}
/// Keys of 16 bits: beyond, counting is quicker than sorting.
constexpr std::size_t few_of_16_bits = two_to(18);

// ---- who can --------------------------------------------------------------------------------------------------------

bool has_bulk_copies(const sort_facts& f) {
  return f.device.architecture >= kernels::sort_pairs_architecture;
}
/// Which of the sorts by partitions may be asked at all.
bool partitions_can(const sort_facts& f) {
  return f.whole_keys && f.vectors_fit && !f.n_on_device && f.key_bits >= 32;
}
bool splitters_can(const sort_facts& f) {
  return has_bulk_copies(f) && f.n >= least_between_splitters(f) && f.n <= most_between_splitters(f);
}
/// Floats where their buckets are counted.
bool keys_can(const sort_facts& f) {
  return partitions_can(f) && f.value_bytes == 0 && f.n <= kernels::sort_keys_most &&
         (!f.floats || (f.key_bits == 32 && f.n >= partition_plan::least_counted));
}
bool floats_by_passes(const sort_facts& f) {
  return f.floats && f.key_bits == 32 && f.value_bytes == 0 && f.n >= least_floats_by_passes;
}
bool pairs_can(const sort_facts& f) {
  return partitions_can(f) && !floats_by_passes(f) && f.key_bits <= 64 && has_bulk_copies(f) && f.n <= most_pairs;
}
bool keys_in_one_block(const sort_facts& f) {
  return f.n <= (f.key_bits == 32   ? partition_plan::one_block_keys<std::uint32_t>
                 : f.key_bits == 64 ? partition_plan::one_block_keys<std::uint64_t>
                                    : partition_plan::one_block_keys<uint128>);
}
bool by_keys(const sort_facts& f) {
  return keys_can(f) && (!pairs_can(f) || f.n > keys_as_pairs || keys_in_one_block(f));
}
bool by_partitions(const sort_facts& f) {
  return by_keys(f) || pairs_can(f);
}
sorter partitions_of(const sort_facts& f) {
  return by_keys(f) ? sorter::keys : sorter::pairs;
}
/// Whether one block sorts all, so that no skew is too much.
bool one_block_takes_all(const sort_facts& f) {
  return by_keys(f) ? keys_in_one_block(f) : f.n <= partition_plan::one_block_pairs;
}
bool counting_can(const sort_facts& f) {
  return f.key_bits <= 16 && f.value_bytes == 0 && f.whole_keys;
}

// ---- the rules ------------------------------------------------------------------------------------------------------

constexpr sorter none = sorter::nothing;
template <sorter First, sorter Fallback = none, sorter Last = none>
sorters always(const sort_facts&) {
  return {First, Fallback, Last};
}
template <sorter Fallback, sorter Last = none>
sorters partitions_and(const sort_facts& f) {
  return {partitions_of(f), Fallback, Last};
}

constexpr rule rules[] = {
    {"there are no keys", [](const sort_facts& f) { return f.n == 0; }, always<none>, ""},
    {"keys of 8 bits, and many of 16: counted",
     [](const sort_facts& f) { return counting_can(f) && !f.floats && (f.key_bits == 8 || f.n > few_of_16_bits); },
     always<sorter::counting>, "engine-choice-2.json"},
    {"many floats of 16 bits: counted, unless there are two zeros or several kinds of NaN",
     [](const sort_facts& f) { return counting_can(f) && f.floats && f.n > few_of_16_bits; },
     always<sorter::counting, sorter::lsd>, "engine-choice-2.json"},
    {"pairs of 128-bit keys: sixteen passes are long, and no partitions by their bits take them",
     [](const sort_facts& f) {
       return partitions_can(f) && f.key_bits == 128 && (f.value_bytes == 4 || f.value_bytes == 8) && splitters_can(f);
     },
     always<sorter::splitters, sorter::lsd>, "splitters-for-fewer.txt"},
    {"no partitions take them, and one launch is quicker than passes",
     [](const sort_facts& f) { return !by_partitions(f) && f.sample_fits && f.n <= sample_before_lsd(f); },
     always<sorter::sample>, "engine-choice-2.json"},
    {"no partitions take them: bit windows, n on the device, narrow keys with values, more than 2^28 pairs, odd "
     "places; or passes are as quick: floats of 32 bits",
     [](const sort_facts& f) { return !by_partitions(f); }, always<sorter::lsd>, ""},
    {"a few hundred pairs",
     [](const sort_facts& f) { return !by_keys(f) && f.sample_fits && f.n <= merged_in_one_block(f); },
     always<sorter::sample>, "engine-sorts-steps.json"},
    {"one block sorts all", one_block_takes_all, partitions_and<none>, ""},
    {"one launch is quicker than several",
     [](const sort_facts& f) { return f.sample_fits && f.n <= sample_before_partitions(f); }, always<sorter::sample>,
     "engine-choice-2.json"},
    {"partitions, unless the keys are skewed; then one launch, which is quicker than passes",
     [](const sort_facts& f) { return f.sample_fits && f.n <= sample_after_partitions(f); },
     partitions_and<sorter::sample>, "engine-choice-2.json"},
    {"the same, of so many wide keys that partitions between splitters are quicker than passes",
     [](const sort_facts& f) {
       const bool wide = f.key_bits == 64 || (f.key_bits == 128 && f.integers_alone());
       return wide && splitters_can(f);
     },
     partitions_and<sorter::splitters, sorter::lsd>, "engine-between-splitters.json"},
    {"partitions, unless the keys are skewed, or, where buckets are counted, have few values, or are floats with a -0 "
     "or a NaN among them; then passes",
     [](const sort_facts&) { return true; }, partitions_and<sorter::lsd>, ""},
};

} // namespace

std::span<const rule> all_rules() {
  return rules;
}

const rule& rule_for(const sort_facts& facts) {
  return *std::find_if(std::begin(rules), std::end(rules) - 1, [&](const rule& r) { return r.holds(facts); });
}

std::vector<std::size_t> last_before_changes(std::size_t travelling_bytes) {
  std::vector<std::size_t> all{partition_plan::one_block_pairs,
                               kernels::sort_pairs_most,
                               partition_plan::one_block_keys<std::uint32_t>,
                               partition_plan::one_block_keys<std::uint64_t>,
                               partition_plan::one_block_keys<uint128>,
                               two_to(19) - two_to(16),        // sample_after_partitions
                               two_to(27) / travelling_bytes}; // the middle tiles of kernels/lsd
  for (unsigned exponent = 0; exponent <= 42; ++exponent)
    all.push_back(two_to(exponent));
  using from = between_splitters_from;
  for (const unsigned exponent : {from::pairs_of_128, from::alone_128, from::with_8_bytes, from::with_4_bytes,
                                  from::floats_alone, from::integers_alone})
    all.push_back(two_to(exponent) - 1);
  return all;
}

} // namespace sortile::gpu
