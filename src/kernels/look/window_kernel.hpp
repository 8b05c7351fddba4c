// The first launch of a sort of keys: zeroes what is counted in, and chooses the window from a sample.
//
// Block 0 reads 8192 keys at even distances, the first and the last among them, and takes their smallest and largest
// image. If the aligned power of two that holds both is hardly larger (as it is for keys that use all bits below some
// bit), the window is that; otherwise 1/256 of the distance is added on both sides. Of keys that are spread evenly over
// an interval about one in 8192 lies outside of the sample's, and hardly ever one outside of the window. The look
// counts what does.
#pragma once

#include "kernels/look/key_window.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct window_kernel {
  static constexpr unsigned block_threads = 1024, samples = 8; // a thread
  using reduction = primitives::block_scan_storage<Word, block_threads>;
  struct shared {
    reduction lowest, highest;
  };

  simt::global<const Word> in;
  simt::global<std::uint64_t> zeroed;
  std::uint64_t zeroed_words;
  simt::global<key_window<Word>> window;
  simt::global<std::uint32_t> unsuited; // zeroed too, where there is one
  integer_image<Word> image;
  std::uint32_t n;
  bool may_leave;

  SORTILE_DEVICE void operator()(shared& s) const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    const auto first = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index();
    for (auto i = first; i < zeroed_words; i += stride)
      zeroed[i] = 0;
    if (simt::block_index() != 0)
      return;
    Word low = Word(~Word{0}), high = 0;
    SORTILE_UNROLL
    for (unsigned j = 0; j < samples; ++j) {
      const std::uint64_t which = std::uint64_t{j} * block_threads + simt::thread_index();
      const Word x = image.image(in.load(which * (n - 1) / (samples * block_threads - 1)));
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
    low = primitives::block_reduce(s.lowest, low, primitives::minimum{});
    high = primitives::block_reduce(s.highest, high, primitives::maximum{});
    if (simt::thread_index() != 0)
      return;
    window[0] = around(low, high);
    if (may_leave)
      unsuited[0] = 0;
  }

 private:
  static SORTILE_DEVICE key_window<Word> around(Word low, Word high) {
    const Word distance = Word(high - low);
    Word rest = Word(low ^ high); // becomes all ones below the highest bit that differs
    SORTILE_UNROLL
    for (unsigned step = 1; step < 8 * sizeof(Word); step *= 2)
      rest = Word(rest | rest >> step);
    if (rest - distance <= distance / 10)
      return key_window<Word>::of(Word(low & ~rest), Word(low | rest));
    const Word margin = Word(distance / 256 + 1), above = Word(~Word{0}) - high;
    return key_window<Word>::of(Word(low - (low < margin ? low : margin)),
                                Word(high + (above < margin ? above : margin)));
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
