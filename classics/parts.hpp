// Parts of an array on the host's stack, for sorts that divide and go on with what they got: quicksort, sample sort.
//
//   a division moves a part from one array to the other; the next one may move it back
//   small parts are kept, and sorted at the end in one launch, one block each, by the bitonic network
//   parts that were divided too often fall back to the bitonic network in global memory
#pragma once

#include "classics/network.hpp"
#include "classics/quicksort.hpp"

#include <algorithm>

namespace sortile::classics::inline SORTILE_BACKEND {

/// A part of the array, and which of the two arrays holds it.
struct part {
  std::uint32_t first, count, depth, in_spare;
};

/// A part a block, of up to `Largest` records, by the bitonic network in shared memory.
template <class Word, bool Pairs, unsigned Largest>
struct sort_parts {
  static constexpr unsigned block_threads = std::min(Largest / 4, 1024u);
  struct shared {
    simt::shared_array<record<Word, Pairs>, Largest> tile;
  };
  records<Word, Pairs> data, spare;
  key_codec<Word> codec;
  simt::global<const part> parts;

  SORTILE_DEVICE void operator()(shared& s) const {
    const part p = parts.load(simt::block_index());
    sort_small_part(s, p.in_spare ? spare : data, data, p.first, p.count, codec);
  }
};

/// Parts of at most `small` keys are kept for the end; those divided more than `deepest` times fall back.
template <class Word, bool Pairs>
class divided_array {
 public:
  using array = records<Word, Pairs>;
  divided_array(job& j, const array& data, const array& spare, const key_codec<Word>& codec, unsigned small,
                unsigned deepest)
      : j_(j), data_(data), spare_(spare), codec_(codec), small_(small), deepest_(deepest) {}

  const array& holder(const part& p) const { return p.in_spare ? spare_ : data_; }
  const array& other(const part& p) const { return p.in_spare ? data_ : spare_; }
  part whole() const { return {0, static_cast<std::uint32_t>(j_.asked.n), 0, 0}; }

  /// "keys 3 to 7".
  static std::string name(const part& p) {
    return "keys " + std::to_string(p.first) + " to " + std::to_string(p.first + p.count - 1);
  }
  /// For --steps: the records of a part where they lie.
  void show(const std::string& title, const part& p) const {
    if (j_.shows_steps())
      j_.show(title, untyped(piece_of(holder(p), p.first, p.count)), p.count);
  }

  /// Whether a part is to be divided. Where not, it is taken care of.
  bool wants_division(const part& p) {
    if (p.count <= small_)
      kept_.push_back(p);
    else if (p.depth > deepest_)
      fall_over(p);
    else
      return true;
    return false;
  }

  /// From the whole on, one part after another; divide(p, stack) moves a part to the other array and pushes what has to
  /// be done there. `Largest`: what `small` can be.
  template <unsigned Largest = 1024, class Divide>
  void run(Divide&& divide) {
    std::vector<part> stack = {whole()};
    while (!stack.empty()) {
      const part p = stack.back();
      stack.pop_back();
      if (wants_division(p))
        divide(p, stack);
    }
    finish<Largest>();
  }

  /// Sorts what was kept; then `data` is sorted.
  template <unsigned Largest = 1024>
  void finish() {
    j_.show("parts left to a block each: " + std::to_string(kept_.size()));
    for (const part& p : kept_)
      show("  " + name(p), p);
    if (fallen_ != 0)
      j_.note("parts that fell back to the bitonic sort, after more than " + std::to_string(deepest_) +
              " divisions: " + std::to_string(fallen_));
    if (!kept_.empty())
      sort_small<Largest>();
  }

  /// What of a part's division is in its place for good: brought to `data`, should the division have left it in
  /// `spare`.
  void settle(const part& p, std::uint64_t first, std::uint64_t count, const simt::queue& on) const {
    if (!p.in_spare)
      copy_to_data(first, count, on);
  }

 private:
  template <unsigned Largest>
  void sort_small() const {
    const device_array<part> parts(j_.on, kept_.size());
    j_.on.copy_to_device(parts.data(), kept_.data(), kept_.size() * sizeof(part));
    simt::launch(j_.on.queue(), {.grid = static_cast<unsigned>(kept_.size())},
                 sort_parts<Word, Pairs, Largest>{data_, spare_, codec_, view(parts)});
    j_.on.synchronize(); // before the list goes
  }

  void fall_over(const part& p) {
    ++fallen_;
    j_.show(name(p) + ", divided " + std::to_string(p.depth) + " times, fall back to the bitonic sort");
    if (p.in_spare)
      copy_to_data(p.first, p.count, j_.on.queue());
    const array a = piece_of(data_, p.first, p.count);
    for (std::uint64_t run = 1; run < p.count; run *= 2)
      for (std::uint64_t distance = run; distance > 0; distance /= 2)
        launch_network_step<bitonic_network>(j_, a, p.count, codec_, run, distance);
  }

  void copy_to_data(std::uint64_t first, std::uint64_t count, const simt::queue& on) const {
    if (count == 0)
      return;
    j_.on.copy_on_device(data_.keys.data() + first, spare_.keys.data() + first, count * sizeof(Word), on);
    if constexpr (Pairs)
      j_.on.copy_on_device(data_.values.data() + first, spare_.values.data() + first, count * sizeof(std::uint32_t),
                           on);
  }

  job& j_;
  array data_, spare_;
  key_codec<Word> codec_;
  unsigned small_, deepest_;
  std::vector<part> kept_{};
  std::uint64_t fallen_ = 0;
};

} // namespace sortile::classics::inline SORTILE_BACKEND
