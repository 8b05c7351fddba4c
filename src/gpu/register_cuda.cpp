// Puts the engine called "cuda" into the registry of the program that this is linked or loaded into.
#include "gpu/cuda_engine.hpp"
#include "plan/registry.hpp"

/// Named by the linker option -u of those who link this library, so that it is not left out.
extern "C" [[gnu::visibility("default")]] const int sortile_engine_cuda =
    (sortile::register_engine(sortile::gpu::cuda_engine(), sortile::rank::cuda), 1);
