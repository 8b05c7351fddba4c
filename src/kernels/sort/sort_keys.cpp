// Checks requests for a sort of keys and sends them to the queue's backend.
#include "kernels/sort/sort_keys.hpp"
#include "kernels/request_checks.hpp"

namespace sortile::kernels {

namespace {

constexpr sort_limits limits{.call = "sort_keys", .most = sort_keys_most, .floats = false, .vectors = true};

template <class Word>
void check(const typed_request<Word>& r) {
  check_shape(limits, r);
  check_partitions(limits, r.tuning);
}

template <class Word>
void check_floats(const typed_request<Word>& r, const partition_plan& plan) {
  if (sizeof(Word) != 4)
    refuse(limits, "floating-point keys of " + std::to_string(8 * sizeof(Word)) +
                       " bits are not supported; those of 32 bits are");
  if (!plan.counts)
    refuse(limits, "n = " + std::to_string(r.n) + " floating-point keys are too few; they are supported from n = " +
                       std::to_string(partition_plan::least_counted) + " on, or with partition_bits = 16");
  if (r.tuning.tiles == partition_tiles::small)
    refuse(limits, "tiles = small: floating-point keys are partitioned in large tiles");
}

} // namespace

template <class Word>
std::size_t sort_keys_workspace_bytes(const typed_request<Word>& r) {
  check(r);
  return detail::sort_keys_layout::of(partition_plan::of_keys<Word>(r.n, r.tuning.partition_bits), r).bytes;
}

template <class Word>
void sort_keys(const simt::queue& q, const typed_request<Word>& r, unsigned step) {
  const auto plan = partition_plan::of_keys<Word>(r.n, r.tuning.partition_bits);
  const bool floats = r.codec.infinity != 0;
  if (step == all_steps || step == 0) {
    check(r);
    if (r.n == 0)
      return;
    if (floats)
      check_floats(r, plan);
    if (r.input_is_scratch && r.keys_in == r.keys_out)
      refuse(limits, "input_is_scratch, but keys_in and keys_out are the same array");
    check_memory(limits, r, sort_keys_workspace_bytes(r));
  }
  simt::visit(q, [&](auto backend) {
    if constexpr (sizeof(Word) == 4)
      if (floats)
        return detail::launch_sort_floats<decltype(backend)>(q, r, plan, step);
    detail::launch_sort_keys<decltype(backend)>(q, r, plan, step);
  });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::size_t sort_keys_workspace_bytes(const typed_request<WORD>&);                                          \
  template void sort_keys(const simt::queue&, const typed_request<WORD>&, unsigned);
SORTILE_INSTANCE(std::uint32_t)
SORTILE_INSTANCE(std::uint64_t)
SORTILE_INSTANCE(uint128)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
