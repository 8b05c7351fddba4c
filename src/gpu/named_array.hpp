// An array that kernels are to reach, with the name that an error calls it by.
#pragma once

namespace sortile::gpu {

struct named_array {
  const char* name;
  const void* data; ///< null: absent
};

} // namespace sortile::gpu
