// The vector sort of 64-bit keys in AVX-512.
#include "cpu/vector_avx512.hpp"

#if defined(SORTILE_CPU_X86)
namespace sortile::cpu {

const vector_kernels<std::uint64_t> vector_kernels_avx512_64 = avx512_kernels<avx512::vector_64>;
const vector_parts<std::uint64_t> vector_parts_avx512_64 = avx512::parts<avx512::vector_64>;
const rank_parts<std::uint64_t> rank_parts_avx512_64 = avx512::parts_of_ranks<avx512::vector_64>;

} // namespace sortile::cpu
#endif
