// All that is known of a sort before a key is read: what is asked of it, as far as it decides how the sort is done.
// Recipes follow from facts alone, so a plan costs nothing, and the list of launches is the same for all keys.
#pragma once

#include <sortile/request.hpp>

#include <cstddef>

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

/// How the values of a request come along:
///
///   direct     of 4, 8 or 16 bytes, as they are
///   indices    positions that the sort makes
///   moved      of other sizes up to 16, or misaligned: into a wider aligned copy, and back at the end
///   gathered   of more than 16 bytes: they stay where they are; positions are sorted, then the values gathered
enum class value_handling { none, direct, indices, moved, gathered };

struct sort_facts {
  std::size_t n = 0;
  unsigned key_bits = 32, value_bytes = 0; ///< of what travels: an index, a widened value
  bool floats = false;
  bool whole_keys = true;   ///< no bit window
  bool vectors_fit = true;  ///< all arrays can be read and written 16 bytes at a time
  bool n_on_device = false; ///< n is an upper bound
  bool sample_fits = true;  ///< the device's blocks can hold all keys of a sample sort
  device_facts device{};
  value_handling values = value_handling::none;
  std::size_t given_value_bytes = 0;         ///< of a value as the caller has it
  unsigned window_begin = 0, window_end = 0; ///< bits of the image, where !whole_keys
  bool in_place = false, keys_wanted = true;
  bool double_buffer = false; ///< inputs serve as third arrays

  bool integers_alone() const { return value_bytes == 0 && !floats; }
  bool makes_indices() const { return values == value_handling::indices || values == value_handling::gathered; }
  std::size_t all_keys() const { return n * (key_bits / 8); } ///< bytes
  std::size_t all_values() const { return n * value_bytes; }  ///< of what travels
  std::size_t given_values() const { return n * given_value_bytes; }
  /// What the caller's values are aligned to at least, where they travel as they are.
  std::size_t given_alignment() const { return given_value_bytes <= 4 ? 4 : given_value_bytes <= 8 ? 8 : 16; }
};

/// Of a request that the front door has checked.
sort_facts facts_of(const sort_request& request, const options& opts, const device_facts& device);

/// Up to how many keys the device's blocks can hold all of them.
std::size_t most_of_a_sample(const sort_facts& facts);

} // namespace sortile::gpu
