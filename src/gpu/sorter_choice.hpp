// Which of the sorts in kernels/ does a request, by n and the types alone: so that a plan costs nothing, and the list
// of launches is the same for all keys.
#pragma once

#include <cstddef>
#include <vector>

namespace sortile::gpu {

/// Older devices are not served.
inline constexpr unsigned oldest_architecture = 80;

/// Of the device that a plan is for.
struct device_facts {
  unsigned architecture = 90;   ///< 10 · major + minor
  unsigned multiprocessors = 0; ///< 0: not known. Plans are then for many, with workspace for what few would do instead
};
/// Plans are then for the latest, with workspace for what others would do instead.
inline constexpr device_facts any_device{.architecture = 0};

enum class sorter {
  nothing,   ///< no keys, or nobody behind
  counting,  ///< kernels/narrow: keys of 8 and 16 bits, alone
  sample,    ///< kernels/sample: everything, in one launch, where it fits
  keys,      ///< kernels/sort: integers of 32 bits and more, and many floats of 32, alone
  pairs,     ///< kernels/pairs: 32 and 64 bits, with values, indices or nothing, floats
  splitters, ///< kernels/splitters: pairs of 64-bit keys and 128-bit keys alone that crowd, pairs of 128-bit keys
  lsd,       ///< kernels/lsd: everything
};

/// What the choice goes by.
struct sort_facts {
  std::size_t n = 0;
  unsigned key_bits = 32, value_bytes = 0; ///< of what travels, an index too
  bool floats = false;
  bool whole_keys = true;   ///< no bit window
  bool vectors_fit = true;  ///< all arrays can be read and written 16 bytes at a time
  bool n_on_device = false; ///< n is an upper bound
  bool sample_fits = true;  ///< the device's blocks can hold all keys of a sample sort
  device_facts device{};
};

/// `first` sorts the keys, unless they turn out to be what it is bad at: then `second` does, where there is one, and
/// where there is none, or it finds the same, `behind`. That is found out on the device, so all are launched and only
/// one of them does anything.
struct sorter_choice {
  sorter first = sorter::nothing, behind = sorter::nothing, second = sorter::nothing;
};

sorter_choice choose_sorter(const sort_facts& facts);

/// Numbers of keys, with what travels beside them of so many bytes each, up to which some choice, or the shape of some
/// sort, holds, in any order: beyond one of them a request may take less workspace than at it.
/// `workspace.is_enough_for_fewer_keys` (tests/gpu) finds one that is missing.
std::vector<std::size_t> last_before_changes(std::size_t travelling_bytes);

/// Whether a sort of partitions takes one launch of one block for so many keys.
bool partitions_in_one_block(sorter which, const sort_facts& facts);
/// Whether it may find that keys crowd, or are floats that it cannot order, so that another sort has to stand behind
/// it.
bool partitions_may_leave(sorter which, const sort_facts& facts);

} // namespace sortile::gpu
