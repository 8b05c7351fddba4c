// The library's sort of keys as queued work, see gpu.hpp.
#include "bench/classics/gpu.hpp"

#include "kernels/sort/sort_keys.hpp"

namespace sortile::experiments {

queued_work production_sort(classics::machine& on, const std::uint32_t* in, std::uint32_t* out, std::uint64_t n) {
  const auto workspace =
      std::make_shared<classics::device_array<std::byte>>(on, kernels::sort_keys_workspace_bytes<std::uint32_t>(n));
  return [&on, workspace,
          request = kernels::sort_keys_request<std::uint32_t>{
              .in = in,
              .out = out,
              .n = n,
              .codec = make_key_codec<std::uint32_t>(key_type::u32, order::ascending, {}),
              .workspace = workspace->data(),
              .workspace_bytes = workspace->size()}] { kernels::sort_keys(on.queue(), request); };
}

} // namespace sortile::experiments
