// Parts of an array on the host's stack, for sorts that divide and go on with what they got: quicksort, sample sort.
//
//   a division moves a part from one array to the other; the next one may move it back
//   small parts are kept, and sorted at the end in one launch, a block each, by the bitonic network
//   parts that were divided too often fall over to the bitonic network in global memory
#pragma once

#include "classics/quicksort.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

/// A part of the array, and which of the two arrays holds it.
struct part {
  std::uint32_t first, count, depth, in_spare;
};

template <class Word, bool Pairs>
struct sort_parts {
  static constexpr unsigned block_threads = 256;
  using shared = quicksort_storage<Word, Pairs>;
  records<Word, Pairs> data, spare;
  key_codec<Word> codec;
  simt::global<const part> parts;

  SORTILE_DEVICE void operator()(shared& s) const {
    const part p = parts.load(simt::block_index());
    sort_small_part(s, p.in_spare ? spare : data, data, p.first, p.count, codec);
  }
};

template <class Word, bool Pairs>
class divided_array {
 public:
  using array = records<Word, Pairs>;
  divided_array(job& j, const array& data, const array& spare, const key_codec<Word>& codec)
      : j_(j), data_(data), spare_(spare), codec_(codec) {}

  const array& holder(const part& p) const { return p.in_spare ? spare_ : data_; }
  const array& other(const part& p) const { return p.in_spare ? data_ : spare_; }

  /// Starts with the whole; divide(p, stack) moves a part to the other array and pushes what has to be done there.
  template <class Divide>
  void run(unsigned small, unsigned deepest, Divide&& divide) const {
    std::vector<part> stack = {{0, static_cast<std::uint32_t>(j_.asked.n), 0, 0}}, kept;
    while (!stack.empty()) {
      const part p = stack.back();
      stack.pop_back();
      if (p.count <= small)
        kept.push_back(p);
      else if (p.depth > deepest)
        fall_over(p);
      else
        divide(p, stack);
    }
    j_.show(std::to_string(kept.size()) + " parts are left to one block each");
    if (!kept.empty())
      sort_small(kept);
  }

  /// What of a part's division is in its place for good: brought to `data`, should the division have left it in
  /// `spare`.
  void settle(const part& p, std::uint64_t first, std::uint64_t count) const {
    if (!p.in_spare)
      copy_to_data(first, count);
  }

 private:
  void sort_small(const std::vector<part>& kept) const {
    const device_array<part> parts(j_.on, kept.size());
    j_.on.copy_to_device(parts.data(), kept.data(), kept.size() * sizeof(part));
    simt::launch(j_.on.queue(), {.grid = static_cast<unsigned>(kept.size())},
                 sort_parts<Word, Pairs>{data_, spare_, codec_, view(parts)});
    j_.on.synchronize(); // before the list goes
  }

  void fall_over(const part& p) const {
    j_.show("keys " + std::to_string(p.first) + " to " + std::to_string(p.first + p.count - 1) + ", divided " +
            std::to_string(p.depth) + " times, fall over to the bitonic sort");
    if (p.in_spare)
      copy_to_data(p.first, p.count);
    const array a{{data_.keys.data() + p.first, p.count},
                  {Pairs ? data_.values.data() + p.first : nullptr, Pairs ? p.count : 0}};
    for (std::uint64_t run = 1; run < p.count; run *= 2)
      for (std::uint64_t distance = run; distance > 0; distance /= 2)
        simt::launch(j_.on.queue(), {.grid = blocks_for(std::bit_ceil(std::uint64_t{p.count}) / 2, 256)},
                     bitonic_step<Word, Pairs>{a, p.count, codec_, distance, distance == run});
  }

  void copy_to_data(std::uint64_t first, std::uint64_t count) const {
    if (count == 0)
      return;
    j_.on.copy_on_device(data_.keys.data() + first, spare_.keys.data() + first, count * sizeof(Word));
    if constexpr (Pairs)
      j_.on.copy_on_device(data_.values.data() + first, spare_.values.data() + first, count * sizeof(std::uint32_t));
  }

  job& j_;
  array data_, spare_;
  key_codec<Word> codec_;
};

} // namespace sortile::classics::inline SORTILE_BACKEND
