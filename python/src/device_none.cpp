// In a module without the engine for GPUs: sorts in device memory end in the library's word that it cannot do them.
#include "device.hpp"

#include <sortile/error.hpp>

namespace sortile::python {

const bool has_gpu_engine = false;

device_scope::device_scope(int) {}
device_scope::~device_scope() = default;

namespace {

[[noreturn]] void refuse() {
  throw engine_unusable("sortile: this program has no engine for GPUs");
}

} // namespace

shared_number::shared_number() {
  refuse();
}
shared_number::~shared_number() = default;
std::uint64_t shared_number::wait(std::uintptr_t) const {
  refuse();
}

bool queue_with_nan_last(const top_k_request&, const options&) {
  refuse();
}
bool takes_top_k_with_nan_last(const top_k_request&) {
  return false;
}
bool queue_with_nan_last(const segmented_top_k_request&, const options&) {
  refuse();
}
bool takes_top_k_with_nan_last(const segmented_top_k_request&) {
  return false;
}
bool queue_with_nan_last(const merge_request&, const options&) {
  refuse();
}
void queue_order_check(int, std::size_t, std::size_t, const void*, bool, std::uint64_t*, const options&) {
  refuse();
}
std::uint64_t shared_number::wait_for_all(std::uintptr_t) const {
  refuse();
}
void queue_copy(void*, const void*, std::size_t, const options&) {
  refuse();
}
void wait_for(std::uintptr_t) {
  refuse();
}
bool answers_always(std::size_t) {
  refuse();
}
bool is_out_of_order(std::uint64_t) {
  refuse();
}
void queue_gather(std::size_t, const void*, std::size_t, void*, const void*, std::size_t, const options&) {
  refuse();
}
void queue_nan_spread(double*, std::size_t, std::size_t, void*, std::size_t, const options&) {
  refuse();
}

} // namespace sortile::python
