// Bounds are from single calls on one H100 (bench/results/h100/engine-choice-2.json, made by `sortile bench gpu
// --engine-sorts`; those of splitters and of what one block merges from engine-between-splitters.json and
// engine-sorts-steps.json), most of them before kernels started early: a launch took 3 to 4 µs, so below some hundred
// thousand keys their number decided, and above it the bytes that are moved.
#include "gpu/sorter_choice.hpp"

#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/sort/sort_keys.hpp"

#include <sortile/types.hpp>

#include <algorithm>
#include <cstdint>

namespace sortile::gpu {
namespace {

constexpr std::size_t two_to(unsigned exponent) {
  return std::size_t{1} << exponent;
}

/// Bytes that the sample sort moves about for a key: places are compared too, where values or images need them.
std::size_t sample_bytes(const sort_facts& f) {
  const bool placed = f.value_bytes != 0 || f.floats || !f.whole_keys;
  return std::max<std::size_t>(4, f.key_bits / 8) * (placed ? 2 : 1);
}
/// Up to here merging in one block is as quick as the bins of the pairs' one block, and quicker where keys crowd.
std::size_t merged_in_one_block(const sort_facts& f) {
  return f.key_bits == 32 ? two_to(10) : two_to(9);
}
/// Up to here one launch is quicker than the partitions' four or five, whatever the keys are.
std::size_t sample_before_partitions(const sort_facts& f) {
  return sample_bytes(f) <= 4 ? two_to(17) : sample_bytes(f) <= 8 || f.key_bits == 128 ? two_to(16) : two_to(15);
}
/// Up to here it is the quickest where they leave the keys.
std::size_t sample_behind_partitions(const sort_facts& f) {
  return f.value_bytes == 0 && !f.floats && f.key_bits <= 64 ? two_to(20) : f.key_bits == 32 ? two_to(18) : two_to(19);
}
/// Up to here the key sort of 32- and 64-bit keys takes longer than the pair sort without values, whose look has no
/// launch before it.
constexpr std::size_t keys_as_pairs = two_to(20);
/// Beyond, buckets of pairs grow too large for the local step.
constexpr std::size_t most_pairs = two_to(28);
/// From here on partitions between splitters are quicker than a pass a digit where keys crowd. Measured of 64 bits;
/// keys of 128 have twice the passes, and the samples cost them little more.
constexpr std::size_t least_between_splitters = two_to(24);
/// Up to here buckets between splitters hold so many pairs that hardly one is too large for the local step.
std::size_t most_between_splitters(const sort_facts& f) {
  if (f.key_bits == 128)
    return f.value_bytes == 0 ? most_pairs : f.value_bytes == 4 ? two_to(27) : two_to(26);
  return f.value_bytes > 8 ? two_to(25) : most_pairs;
}
bool splitters_take(const sort_facts& f) {
  return f.device.architecture >= kernels::sort_pairs_architecture && f.n >= least_between_splitters &&
         f.n <= most_between_splitters(f);
}
/// Whether keys that crowd are for them.
bool suits_splitters(const sort_facts& f) {
  const bool whole_numbers_alone = f.value_bytes == 0 && !f.floats;
  return (f.key_bits == 64 ? !whole_numbers_alone : f.key_bits == 128 && whole_numbers_alone) && splitters_take(f);
}
/// Whether all keys are, since no partitions by their bits take such pairs.
bool splitters_come_first(const sort_facts& f) {
  return f.key_bits == 128 && (f.value_bytes == 4 || f.value_bytes == 8) && f.whole_keys && f.vectors_fit &&
         !f.n_on_device && splitters_take(f);
}
/// Up to here one launch is quicker than a pass a digit: the fewer digits, the less.
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

kernels::sort_shape shape_of(sorter which, const sort_facts& f) {
  if (which == sorter::pairs)
    return kernels::sort_pairs_shape_of(f.n);
  switch (f.key_bits) {
  case 32:
    return kernels::sort_keys_shape_of<std::uint32_t>(f.n);
  case 64:
    return kernels::sort_keys_shape_of<std::uint64_t>(f.n);
  default:
    return kernels::sort_keys_shape_of<uint128>(f.n);
  }
}

/// Whether the key sort takes keys of this type and number: floats where their buckets are counted.
bool keys_take(const sort_facts& f) {
  return f.value_bytes == 0 && f.n <= kernels::sort_keys_most &&
         (!f.floats || (f.key_bits == 32 && shape_of(sorter::keys, f).counts));
}

/// The partitions that can sort such keys, or lsd.
sorter partitions_for(const sort_facts& f) {
  if (!f.whole_keys || !f.vectors_fit || f.n_on_device || f.key_bits < 32)
    return sorter::lsd;
  const bool by_keys = keys_take(f);
  const bool by_pairs =
      f.key_bits <= 64 && f.device.architecture >= kernels::sort_pairs_architecture && f.n <= most_pairs;
  if (by_keys && (!by_pairs || f.n > keys_as_pairs || partitions_in_one_block(sorter::keys, f)))
    return sorter::keys;
  return by_pairs ? sorter::pairs : sorter::lsd;
}

} // namespace

bool partitions_in_one_block(sorter which, const sort_facts& f) {
  return shape_of(which, f).in_one_block;
}

bool partitions_may_leave(sorter which, const sort_facts& f) {
  const kernels::sort_shape shape = shape_of(which, f);
  return !shape.in_one_block && (!shape.counts || f.floats);
}

std::vector<std::size_t> last_before_changes(std::size_t travelling_bytes) {
  std::vector<std::size_t> all{kernels::sort_pairs_small, least_between_splitters - 1, kernels::sort_pairs_most};
  for (const unsigned bytes : {4u, 8u, 16u}) // of keys that one block of sort_keys holds
    all.push_back(std::size_t{bytes == 4 ? 8192u : bytes == 8 ? 6144u : 4096u});
  all.push_back(two_to(27) / travelling_bytes); // the middle tiles of kernels/lsd
  for (unsigned exponent = 0; exponent <= 42; ++exponent)
    all.push_back(two_to(exponent));
  return all;
}

sorter_choice choose_sorter(const sort_facts& f) {
  if (f.n == 0)
    return {};
  const bool counts = f.key_bits <= 16 && f.value_bytes == 0 && f.whole_keys;
  if (counts && (f.key_bits == 8 || f.n > two_to(18)))
    return {sorter::counting, f.floats ? sorter::lsd : sorter::nothing};
  if (splitters_come_first(f))
    return {sorter::splitters, sorter::lsd};
  const sorter partitions = partitions_for(f);
  if (partitions == sorter::lsd)
    return {f.sample_fits && f.n <= sample_before_lsd(f) ? sorter::sample : sorter::lsd, sorter::nothing};
  if (partitions == sorter::pairs && f.sample_fits && f.n <= merged_in_one_block(f))
    return {sorter::sample, sorter::nothing};
  if (!partitions_may_leave(partitions, f))
    return {partitions, sorter::nothing};
  if (f.sample_fits && f.n <= sample_before_partitions(f))
    return {sorter::sample, sorter::nothing};
  if (f.sample_fits && f.n <= sample_behind_partitions(f))
    return {partitions, sorter::sample};
  return {partitions, sorter::lsd, suits_splitters(f) ? sorter::splitters : sorter::nothing};
}

} // namespace sortile::gpu
