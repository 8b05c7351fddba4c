// An LSD sort in one launch: the look and the passes of lsd_look_kernel.hpp and lsd_pass_kernel.hpp one after the
// other, by a grid whose blocks are all resident, with a wait of all blocks where a launch would have ended.
//
// A launch costs the host 2 to 4 µs, whether it has anything to do or not. Behind a sort that may find the keys
// unsuited (lsd_request::only_if) an LSD sort is there in case: as one launch it costs that once, not seven times.
// Where it does work, a wait takes the place of a launch that would have overlapped with the end of the one before.
//
// Nothing is read before the first wait but only_if, and what is counted and announced is zeroed here.
#pragma once

#include "kernels/lsd/lsd_look_kernel.hpp"
#include "kernels/lsd/lsd_pass_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned ValueBytes, bool Large>
struct lsd_grid_kernel {
  using pass_kernel = lsd_pass_kernel<Word, ValueBytes, Large>;
  using look_kernel = lsd_look_kernel<Word, pass_kernel::block_threads>;
  static constexpr unsigned block_threads = pass_kernel::block_threads, min_blocks = pass_kernel::min_blocks;
  static constexpr unsigned radix = pass_kernel::radix;

  struct shared {
    union {
      typename look_kernel::shared look;
      typename pass_kernel::shared pass;
    };
  };

  simt::global<std::uint64_t> zeroed;
  std::uint64_t zeroed_words;
  look_kernel look;
  pass_kernel first; ///< what all passes have in common; of pass 0 otherwise
  simt::global<std::uint32_t> tickets;
  lsd_copy_kernel<Word, ValueBytes> copy;
  bool may_end_elsewhere;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (look.count.is_conditional && look.count.only_if.load(0) == 0)
      return;
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < zeroed_words;
         i += stride)
      zeroed[i] = 0;
    simt::grid_barrier();
    const unsigned passes = look.passes.count;
    if (passes != 0) {
      look(s.look);
      simt::grid_barrier();
    }
    if (look.passes.active(look.findings) == 0)
      return first.write_at_once();
    for (unsigned p = 0; p < passes; ++p) {
      pass_kernel pass = first;
      pass.pass = p;
      pass.digit = digit_of(p);
      pass.counts = look.counts.subview(std::uint64_t{p} * radix, radix);
      pass.ticket = tickets.subview(p, 1);
      pass.sort(s.pass);
      simt::grid_barrier();
    }
    if (may_end_elsewhere)
      copy();
  }

 private:
  SORTILE_DEVICE lsd_digit<Word> digit_of(unsigned p) const {
    const unsigned begin = p * look.passes.digit_bits, left = look.codec.bits - begin;
    const unsigned bits = left < look.passes.digit_bits ? left : look.passes.digit_bits;
    return {look.codec, look.codec.shift + begin, (1u << bits) - 1};
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
