// What a sort says, in a word of device memory, of keys that it leaves to another one.
#pragma once

#include <cstdint>

namespace sortile::kernels {

enum unsuited_keys : std::uint32_t {
  keys_suit = 0,
  keys_crowd = 1,    ///< in buckets of this sort
  keys_are_dense = 2 ///< few values close together: few of their digits differ, but for strays
};

} // namespace sortile::kernels
