// The door of sortile/few.hpp, which opens the first time that a call finds nobody to have asked for another engine
// than the CPU's. So any call opens it, whichever operation and options it is of.
#pragma once

namespace sortile::detail {

/// Lets few_door lead to the word that tells of drivers. Does so once; costs two reads from then on.
void decide_few_door() noexcept;

} // namespace sortile::detail
