// The choice between the vector sorts; see the header.
#include "cpu/few_places.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/vector_parts.hpp"
#include "cpu/vector_ranks.hpp"

namespace sortile::cpu {

#if defined(SORTILE_CPU_X86)
namespace {

template <class Table>
const Table* widest(const Table& avx512, const Table& avx2) {
  return uses(instruction_set::avx512) ? &avx512 : uses(instruction_set::avx2) ? &avx2 : nullptr;
}

} // namespace
#define SORTILE_WIDEST(table, width) widest(table##_avx512_##width, table##_avx2_##width)
#else
#define SORTILE_WIDEST(table, width) nullptr
#endif

template <>
const vector_kernels<std::uint32_t>* best_vector_kernels() {
  return SORTILE_WIDEST(vector_kernels, 32);
}
template <>
const vector_kernels<std::uint64_t>* best_vector_kernels() {
  return SORTILE_WIDEST(vector_kernels, 64);
}

template <>
const vector_parts<std::uint32_t>* best_vector_parts() {
  return SORTILE_WIDEST(vector_parts, 32);
}
template <>
const vector_parts<std::uint64_t>* best_vector_parts() {
  return SORTILE_WIDEST(vector_parts, 64);
}

template <>
const rank_parts<std::uint32_t>* best_rank_parts() {
  return SORTILE_WIDEST(rank_parts, 32);
}
template <>
const rank_parts<std::uint64_t>* best_rank_parts() {
  return SORTILE_WIDEST(rank_parts, 64);
}

#undef SORTILE_WIDEST

#if defined(SORTILE_CPU_X86)
#define SORTILE_IN_AVX2(kernel) uses(instruction_set::avx2) ? kernel : nullptr
#else
#define SORTILE_IN_AVX2(kernel) nullptr
#endif

template <>
place_keys<std::uint32_t> best_place_keys() {
  return SORTILE_IN_AVX2(place_keys_avx2_32);
}
template <>
place_keys<std::uint64_t> best_place_keys() {
  return SORTILE_IN_AVX2(place_keys_avx2_64);
}

#undef SORTILE_IN_AVX2

} // namespace sortile::cpu
