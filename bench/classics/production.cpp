// The library's own sort as queued work, through the front door as a program calls it; see gpu.hpp.
#include "bench/classics/gpu.hpp"

#include <sortile/sortile.hpp>

namespace sortile::experiments {

queued_work production_sort(classics::machine& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t n,
                            bit_window bits) {
  options opts;
  opts.bits = bits;
  opts.engine = on.is_executor() ? "executor" : "cuda";
  opts.memory = on.is_executor() ? memory::host : memory::device;
  opts.stream = on.is_executor() ? nullptr : on.queue().cuda_stream();
  const sort_request request{.type = key_type::u32, .n = n, .keys_in = in, .keys_out = out};
  const auto workspace = std::make_shared<classics::device_array<std::byte>>(on, workspace_bytes(request, opts));
  opts.workspace = {workspace->data(), workspace->size()};
  return [workspace, request, opts] { sortile::run(request, opts); };
}

} // namespace sortile::experiments
