// How a sort by partitions is cut, for those who tell people about it.
#pragma once

namespace sortile::kernels {

struct sort_shape {
  unsigned first_bits, second_bits; ///< of the two partitions, 0 where there is none
  bool in_one_block;                ///< one launch does it all
  bool counts = false;              ///< buckets too large for one block are counted, and none is left to another sort
};

} // namespace sortile::kernels
