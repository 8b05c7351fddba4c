// The engine called "cuda": sorts on one GPU, of arrays in its memory or in the host's.
#pragma once

#include "plan/engine.hpp"

namespace sortile::gpu {

/// In a build without CUDA too: there it says that it cannot be used.
const engine& cuda_engine();

/// Gives back the pinned memory that sorts of host arrays keep for the next one.
void release_staging() noexcept;

} // namespace sortile::gpu
