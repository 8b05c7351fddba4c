// Short sorts of what is in order already, against it, or nearly in order.
#pragma once

#include <sortile/request.hpp>

namespace sortile::cpu {

/// Keys that short sorts seek to be in order as they are; of more, other ways find it.
inline constexpr std::size_t most_in_order = 32768;

/// Puts 9 or more keys, and what they carry, in order where they rise, fall strictly, or rise but for a few. Whole keys
/// decide. False: the result is not made; where it is the input, elements may have moved, but a stable sort gives what
/// it would have given.
bool is_placed_in_order(const sort_request& request, order direction);

} // namespace sortile::cpu
