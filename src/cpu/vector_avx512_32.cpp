// The vector sort of 32-bit keys in AVX-512.
#include "cpu/vector_avx512.hpp"

#if defined(SORTILE_CPU_X86)
namespace sortile::cpu {

const vector_kernels<std::uint32_t> vector_kernels_avx512_32 = avx512_kernels<avx512::vector_32>;
const vector_parts<std::uint32_t> vector_parts_avx512_32 = avx512::parts<avx512::vector_32>;
const rank_parts<std::uint32_t> rank_parts_avx512_32 = avx512::parts_of_ranks<avx512::vector_32>;

} // namespace sortile::cpu
#endif
