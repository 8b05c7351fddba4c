// Selections of 128-bit keys.
#include "cpu/select_width.hpp"

namespace sortile::cpu {

template const select_functions& select_functions_of<uint128>();

} // namespace sortile::cpu
