// Selections of 16-bit keys.
#include "cpu/select_width.hpp"

namespace sortile::cpu {

template const select_functions& select_functions_of<std::uint16_t>();

} // namespace sortile::cpu
