// The merges of runs of one key width: by the order of integers, or of any keys, and by the width of values.
#pragma once

#include "kernels/any_order/merge_list.hpp"
#include "kernels/merge/merge_runs.hpp"
#include "kernels/nan_image.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// By the bits of images that the mask keeps: those of a bit window compare where they are as they do shifted down.
template <class Word>
struct integer_order {
  Word flip, mask;
  SORTILE_DEVICE bool operator()(Word a, Word b) const { return ((a ^ flip) & mask) < ((b ^ flip) & mask); }
};
template <class Word>
struct any_image_order {
  nan_image<Word> of;
  Word mask;
  SORTILE_DEVICE bool operator()(Word a, Word b) const { return (of.image(a) & mask) < (of.image(b) & mask); }
};

namespace {

template <class Word, class Order>
void merge_by_values(const simt::queue& q, const merge_runs_request<Word>& r, const Order& order) {
  run_sequence runs;
  for (const sorted_run& run : r.runs)
    runs.add(run.keys, run.values, run.n);
  auto* const space = static_cast<std::byte*>(r.workspace);
  const auto pairs = [&]<class Value>(Value* values) {
    launch_list_merge(q, r.plan, runs, pair_columns<Word, Value>{r.keys_out, values}, r.numbered, order, space);
  };
  if (r.value_bytes == 0)
    launch_list_merge(q, r.plan, runs, key_column<Word>{r.keys_out}, false, order, space);
  else if (r.value_bytes == 4)
    pairs(static_cast<std::uint32_t*>(r.values_out));
  else
    pairs(static_cast<std::uint64_t*>(r.values_out));
}

template <class Word>
void merge_by_order(const simt::queue& q, const merge_runs_request<Word>& r) {
  const Word mask = Word(r.codec.mask << r.codec.shift);
  if constexpr (sizeof(Word) <= 8)
    if (r.codec.infinity != 0)
      return merge_by_values(q, r, any_image_order<Word>{nan_image<Word>(r.codec, r.nan_last), mask});
  merge_by_values(q, r, integer_order<Word>{Word(r.codec.sign ^ r.codec.complement), mask});
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_MERGE_INSTANCE(WORD) SORTILE_LAUNCHES(WORD, merge_runs_request, merge_by_order)
