// Checks requests for a sort of keys, decides how they are cut, and sends them to the queue's backend.
#include "kernels/sort/sort_keys.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/sort/sort_keys_launch.hpp"

namespace sortile::kernels {

namespace {

using detail::sort_keys_layout;
using detail::sort_keys_plan;

void check_count(std::uint64_t n) {
  if (n > sort_keys_most)
    throw invalid_argument("sort_keys: n = " + std::to_string(n) + ", at most " + std::to_string(sort_keys_most) +
                           " keys are allowed");
}

void check_bits(unsigned partition_bits) {
  if (partition_bits > sort_keys_plan::most_bits && partition_bits != ~0u)
    throw invalid_argument("sort_keys: partition_bits = " + std::to_string(partition_bits) + ", 0 to " +
                           std::to_string(sort_keys_plan::most_bits) + " are allowed");
}

/// Floats: +0 and −0, and NaNs, would lose their order, so that where there are some another sort has to stand behind.
template <class Word>
void check_floats(const sort_keys_request<Word>& r) {
  if (sizeof(Word) != 4)
    throw invalid_argument("sort_keys: floating-point keys of " + std::to_string(8 * sizeof(Word)) +
                           " bits are not supported; those of 32 bits are");
  if (r.unsuited == nullptr)
    throw invalid_argument("sort_keys: unsuited is null: floating-point keys need it, since +0 and -0, and NaNs, would "
                           "lose their order");
  if (!sort_keys_plan::of<Word>(r.n, r.partition_bits).counts)
    throw invalid_argument("sort_keys: n = " + std::to_string(r.n) + " floating-point keys are too few; they are " +
                           "supported from n = " + std::to_string(sort_keys_plan::least_counted) +
                           " on, or with partition_bits = 16");
  if (r.tiles == partition_tiles::small)
    throw invalid_argument("sort_keys: tiles = small: floating-point keys are partitioned in large tiles");
}

template <class Word>
void check_codec(const key_codec<Word>& codec) {
  if (codec.shift != 0 || codec.mask != Word(~Word{0}))
    throw invalid_argument("sort_keys: a bit window of " + std::to_string(codec.bits) +
                           " bits is not supported: keys equal in it would lose their order; the whole key is");
}

template <class Word>
void check(const sort_keys_request<Word>& r) {
  constexpr std::size_t vector = 16;
  const std::size_t bytes = std::size_t(r.n) * sizeof(Word);
  for (const auto& [name, address] : {std::pair{"in", reinterpret_cast<std::uintptr_t>(r.in)},
                                      std::pair{"out", reinterpret_cast<std::uintptr_t>(r.out)}})
    if (address % vector != 0)
      throw invalid_argument(std::string("sort_keys: ") + name + " is not aligned to 16 bytes");
  if (r.giant_from < r.least_giant || r.giant_from > r.most_giant)
    throw invalid_argument("sort_keys: giant_from = " + std::to_string(r.giant_from) + ", " +
                           std::to_string(r.least_giant) + " to " + std::to_string(r.most_giant) + " are allowed");
  check_array("sort_keys", "in", r.in, r.n);
  check_array("sort_keys", "out", r.out, r.n);
  if (r.in != r.out)
    check_apart("sort_keys", "in", r.in, bytes, "out", r.out, bytes);
  else if (r.input_is_scratch)
    throw invalid_argument("sort_keys: input_is_scratch, but in and out are the same array");
  check_workspace("sort_keys", r.workspace, r.workspace_bytes,
                  sort_keys_workspace_bytes<Word>(r.n, r.partition_bits, r.input_is_scratch),
                  sort_keys_layout::alignment);
  check_apart("sort_keys", "workspace", r.workspace, r.workspace_bytes, "in", r.in, bytes);
  check_apart("sort_keys", "workspace", r.workspace, r.workspace_bytes, "out", r.out, bytes);
}

} // namespace

template <class Word>
std::size_t sort_keys_workspace_bytes(std::uint64_t n, unsigned partition_bits, bool input_is_scratch) {
  check_count(n);
  check_bits(partition_bits);
  const auto plan = sort_keys_plan::of<Word>(n, partition_bits);
  return n == 0 ? 0 : sort_keys_layout::of<Word>(plan, n, input_is_scratch).bytes;
}

template <class Word>
sort_shape sort_keys_shape_of(std::uint64_t n) {
  const auto plan = sort_keys_plan::of<Word>(n, ~0u);
  return {plan.first_bits, plan.second_bits, plan.in_one_block, plan.counts};
}

template <class Word>
void sort_keys(const simt::queue& q, const sort_keys_request<Word>& request) {
  check_count(request.n);
  check_bits(request.partition_bits);
  check_codec(request.codec);
  if (request.n == 0)
    return;
  check(request);
  if (request.codec.infinity != 0)
    check_floats(request);
  const auto plan = sort_keys_plan::of<Word>(request.n, request.partition_bits);
  simt::visit(q, [&](auto backend) {
    if constexpr (sizeof(Word) == 4)
      if (request.codec.infinity != 0)
        return detail::launch_sort_floats<decltype(backend)>(q, request, plan);
    detail::launch_sort_keys<decltype(backend)>(q, request, plan);
  });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::size_t sort_keys_workspace_bytes<WORD>(std::uint64_t, unsigned, bool);                                 \
  template sort_shape sort_keys_shape_of<WORD>(std::uint64_t);                                                         \
  template void sort_keys(const simt::queue&, const sort_keys_request<WORD>&);
SORTILE_INSTANCE(std::uint32_t)
SORTILE_INSTANCE(std::uint64_t)
SORTILE_INSTANCE(uint128)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
