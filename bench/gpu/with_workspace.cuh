// Calls as contestants that bring their workspace along: CUB's, and the library's.
#pragma once

#include "bench/gpu/contestant.hpp"

namespace sortile::bench {

/// Asks `call(workspace, bytes&)` for its workspace and makes a contestant of it.
template <class Call>
contestant with_workspace(const char* name, Call call) {
  std::size_t bytes = 0;
  SORTILE_CUDA_CHECK(call(nullptr, bytes));
  const auto workspace = make_buffer(bytes);
  return {name,
          [=] {
            std::size_t given = bytes;
            SORTILE_CUDA_CHECK(call(workspace->data(), given));
          },
          bytes};
}

/// The library's, on the GPU.
template <class Request>
contestant library_call(const char* name, const Request& request) {
  options opts{.engine = "cuda", .memory = memory::device};
  const std::size_t bytes = workspace_bytes(request, opts);
  const shared_buffer space = make_buffer(bytes);
  opts.workspace = {static_cast<std::byte*>(space->data()), bytes};
  return {name,
          [=] {
            run(request, opts);
            static_cast<void>(space);
          },
          bytes};
}

} // namespace sortile::bench
