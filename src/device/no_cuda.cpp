// Discovery in a build without the GPU side.
#include "device/discovery.hpp"

namespace sortile::device {

const device_list& list() {
  static const device_list none{{}, "this build of sortile has no GPU side (it was configured without CUDA)"};
  return none;
}

} // namespace sortile::device
