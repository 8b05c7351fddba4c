// The choice between the vector sorts; see the header.
#include "cpu/vector_parts.hpp"

#include "cpu/radix_job.hpp"

namespace sortile::cpu {

template <>
const vector_kernels<std::uint32_t>* best_vector_kernels() {
#if defined(SORTILE_CPU_X86)
  if (uses(instruction_set::avx512))
    return &vector_kernels_avx512_32;
  if (uses(instruction_set::avx2))
    return &vector_kernels_avx2_32;
#endif
  return nullptr;
}

template <>
const vector_kernels<std::uint64_t>* best_vector_kernels() {
#if defined(SORTILE_CPU_X86)
  if (uses(instruction_set::avx512))
    return &vector_kernels_avx512_64;
  if (uses(instruction_set::avx2))
    return &vector_kernels_avx2_64;
#endif
  return nullptr;
}

template <>
const vector_parts<std::uint32_t>* best_vector_parts() {
#if defined(SORTILE_CPU_X86)
  if (uses(instruction_set::avx512))
    return &vector_parts_avx512_32;
  if (uses(instruction_set::avx2))
    return &vector_parts_avx2_32;
#endif
  return nullptr;
}

template <>
const vector_parts<std::uint64_t>* best_vector_parts() {
#if defined(SORTILE_CPU_X86)
  if (uses(instruction_set::avx512))
    return &vector_parts_avx512_64;
  if (uses(instruction_set::avx2))
    return &vector_parts_avx2_64;
#endif
  return nullptr;
}

} // namespace sortile::cpu
