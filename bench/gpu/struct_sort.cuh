// A sort of structs by compare.cuh as a contestant that brings its workspace along.
#pragma once

#include "bench/gpu/contestant.hpp"

#include <sortile/compare.cuh>

namespace sortile::bench {

template <class T, class Decomposer>
contestant struct_sort_contestant(std::span<const T> in, std::span<T> out, const Decomposer& decompose) {
  const auto described = make_struct_sort(in, out, decompose);
  const std::size_t bytes = workspace_bytes(described);
  const auto workspace = make_buffer(bytes);
  const std::span<std::byte> space(static_cast<std::byte*>(workspace->data()), bytes);
  return {"sortile", [=, kept = workspace] { run(described, {.workspace = space}); }, bytes};
}

} // namespace sortile::bench
