// Discovery in a build without the GPU side.
#include <sortile/device.hpp>

namespace sortile {

const device_list& devices() {
  static const device_list none{{}, "this build of sortile has no GPU side (it was configured without CUDA)"};
  return none;
}

const device_info* first_usable_device() {
  return nullptr;
}

} // namespace sortile
