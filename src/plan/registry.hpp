// How an engine that is no part of the library "sortile" comes into a program.
//
// The libraries of the engines "cuda" and "executor" register them from a static initialiser (src/gpu/register_*.cpp):
// before main() where they are linked, static or shared, in the course of dlopen() where they are loaded. Their CMake
// targets and pkg-config files see to it that the linker does not leave the initialiser out.
#pragma once

#include "plan/engine.hpp"

namespace sortile {

/// Where an engine stands in the order of preference: the lowest is asked first.
namespace rank {
inline constexpr int cuda = 10, cpu = 20, executor = 30;
}

/// Puts an engine, which must outlive the process, into the registry; a second one of the same name is ignored. At any
/// time, from any thread. Exported: other libraries than this one call it.
[[gnu::visibility("default")]] void register_engine(const engine& brought, int rank);

} // namespace sortile
