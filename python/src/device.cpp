#include "device.hpp"

#include <sortile/device.hpp>
#include <sortile/request.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace sortile::python {

namespace {

/// Workspace from the framework's own allocator. It hands memory out again in the order of its current stream, on which
/// the sort is queued, so a block may go back as soon as the call has returned.
class framework_memory final : public device_memory_resource {
 public:
  explicit framework_memory(nb::handle allocate) : allocate_(allocate) {}

  void* allocate(std::size_t bytes, void*) override {
    const nb::gil_scoped_acquire locked;
    const nb::tuple made = nb::cast<nb::tuple>(allocate_(bytes));
    void* const address = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(made[0]));
    owners_.emplace_back(address, made[1]);
    return address;
  }

  void deallocate(void* memory, std::size_t, void*) noexcept override {
    const nb::gil_scoped_acquire locked;
    owners_.erase(std::find_if(owners_.begin(), owners_.end(), [&](const auto& o) { return o.first == memory; }));
  }

 private:
  nb::handle allocate_;
  std::vector<std::pair<void*, nb::object>> owners_;
};

options on_device(bool descending) {
  options opts;
  opts.order = descending ? order::descending : order::ascending;
  opts.memory = memory::device;
  return opts;
}

} // namespace

void device_sort(int wanted, int type, std::size_t rows, std::size_t n, std::uintptr_t keys_in, std::uintptr_t keys_out,
                 std::size_t value_bytes, std::uintptr_t values_in, std::uintptr_t values_out, bool descending,
                 int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const rows_call call{static_cast<product>(wanted),
                       static_cast<key_type>(type),
                       rows,
                       n,
                       reinterpret_cast<const void*>(keys_in),
                       reinterpret_cast<void*>(keys_out),
                       value_bytes,
                       reinterpret_cast<const void*>(values_in),
                       reinterpret_cast<void*>(values_out)};
  framework_memory workspace(allocate);
  options opts = on_device(descending);
  opts.stream = reinterpret_cast<void*>(stream);
  opts.resource = &workspace;
  const nb::gil_scoped_release unlocked;
  const device_scope current(ordinal);
  run_rows(call, opts);
}

nb::object device_explain(int wanted, int type, std::size_t rows, std::size_t n, bool descending) {
  const auto nowhere = [all = rows * n](std::uintptr_t number) { // compared, never followed
    return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 20) + number * (all + 256) / 256 * 256 * 16);
  };
  const segmented_request request = request_of({static_cast<product>(wanted), static_cast<key_type>(type), rows, n,
                                                nowhere(0), nowhere(1), 8, nowhere(2), nowhere(3)});
  const options opts = on_device(descending);
  return nb::str(to_string(rows == 1 ? explain(request.arrays, opts) : explain(request, opts)).c_str());
}

} // namespace sortile::python
