// In a module without the engine for GPUs: sorts in device memory end in the library's word that it cannot do them.
#include "device.hpp"

namespace sortile::python {

const bool has_gpu_engine = false;

device_scope::device_scope(int) {}
device_scope::~device_scope() = default;

} // namespace sortile::python
