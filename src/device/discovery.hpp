// The GPUs of this machine, for the engine that sorts on them: what sortile::devices() says where that engine is
// linked.
#pragma once

#include <sortile/device.hpp>

namespace sortile::device {

/// Found once and kept.
const device_list& list();

} // namespace sortile::device
