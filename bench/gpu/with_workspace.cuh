// A CUB call as a contestant that brings its workspace along.
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

} // namespace sortile::bench
