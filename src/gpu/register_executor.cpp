// Puts the engine called "executor" into the registry of the program that this is linked or loaded into.
#include "gpu/executor_engine.hpp"
#include "plan/registry.hpp"

/// Named by the linker option -u of those who link this library, so that it is not left out.
extern "C" [[gnu::visibility("default")]] const int sortile_engine_executor =
    (sortile::register_engine(sortile::gpu::executor_engine(), sortile::rank::executor), 1);
