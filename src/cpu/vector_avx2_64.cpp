// The vector sort of 64-bit keys in AVX2.
#include "cpu/vector_avx2.hpp"

#if defined(SORTILE_CPU_X86)
namespace sortile::cpu {

const vector_kernels<std::uint64_t> vector_kernels_avx2_64 = avx2_kernels<avx2::vector_64>;
const vector_parts<std::uint64_t> vector_parts_avx2_64 = avx2::parts<avx2::vector_64>;
const rank_parts<std::uint64_t> rank_parts_avx2_64 = avx2::parts_of_ranks<avx2::vector_64>;
const place_keys<std::uint64_t> place_keys_avx2_64 = avx2::find_places<avx2::vector_64>;

} // namespace sortile::cpu
#endif
