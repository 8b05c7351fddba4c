// Who works in a locale expects its order of text: a terminal is told that there is another one.
#pragma once

#include "talk.hpp"

#include "files/record_order.hpp"

namespace sortile::cli {

/// Says on a terminal, where lines are ordered by the bytes of text first, and the environment's locale has another
/// order, that --locale goes by that. Called once a run.
void note_order_of_bytes(const files::record_order& order, const talk& voice);

} // namespace sortile::cli
