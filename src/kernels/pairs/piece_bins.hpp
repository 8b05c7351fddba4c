// Bins for a bucket whose keys crowd however its interval is divided: pieces between keys of the bucket's own, each
// divided evenly.
//
//   sample   P of the bucket's keys, ranked by counting those below each: P² / threads comparisons a thread, of words
//            that a warp reads together
//   piece    d holds the images above the sample's element d − 1, up to element d
//   bin      d · 2^sub_bits + (image − lowest of the piece) / 2^shift, with the least shift that stays within
//
// A piece holds as many keys as another on average, and hardly ever more than ten times that. Bins never fall as keys
// grow, which is all that the local step asks of them.
//
// Shared storage: two words and four bytes a piece; and, while they are made, a word and four bytes a piece more.
#pragma once

#include "primitives/search_tree.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads, unsigned Pieces, unsigned BinBits>
struct piece_bins {
  static constexpr unsigned piece_bits = Pieces == 256 ? 8 : 7, sub_bits = BinBits - piece_bits;
  static constexpr unsigned shares = Threads / Pieces; // of a sample's comparisons
  using tree = primitives::search_tree<Word>;
  static_assert(Pieces == 1u << piece_bits && Threads % Pieces == 0);

  struct storage {
    alignas(16) simt::shared_array<Word, Pieces> node, low;
    simt::shared_array<std::uint32_t, Pieces> shift;
  };
  struct scratch {
    alignas(16) simt::shared_array<Word, Pieces> sorted;
    simt::shared_array<std::uint32_t, Pieces> rank;
  };

  /// For a bucket of n keys with images from low to high; image_of(i) is that of key i. By all threads; a block barrier
  /// has to follow.
  template <class ImageOf>
  static SORTILE_DEVICE void make(storage& s, scratch& temporary, Word low, Word high, std::uint32_t n,
                                  ImageOf image_of) {
    const unsigned t = simt::thread_index(), mine = t % Pieces;
    if (t < Pieces) {
      s.node[t] = image_of(std::uint32_t(std::uint64_t{t} * n / Pieces));
      temporary.rank[t] = 0;
    }
    simt::block_barrier();
    const Word v = s.node.load(mine);
    std::uint32_t below = 0;
    for (unsigned j = t / Pieces * (Pieces / shares); j < (t / Pieces + 1) * (Pieces / shares); ++j) {
      const Word other = s.node.load(j);
      below += other < v || (other == v && j < mine) ? 1 : 0;
    }
    temporary.rank.fetch_add(mine, below, simt::relaxed, simt::block_scope);
    simt::block_barrier();
    if (t < Pieces)
      temporary.sorted[temporary.rank.load(t)] = v;
    simt::block_barrier();
    if (t >= Pieces)
      return;
    const Word first = t == 0 ? low : Word(temporary.sorted.load(t - 1) + 1);
    const Word last = t == Pieces - 1 ? high : temporary.sorted.load(t);
    s.low[t] = first;
    s.shift[t] = last <= first ? 0 : shift_of(Word(last - first));
    if (t != 0)
      s.node[t] = temporary.sorted.load(tree::cut_of(t, piece_bits));
  }

  static SORTILE_DEVICE std::uint32_t bin(storage& s, Word image) {
    const Word one[1] = {image};
    std::uint32_t piece[1];
    tree::find(s.node.view(), piece_bits, one, piece);
    return piece[0] << sub_bits | std::uint32_t(Word(image - s.low.load(piece[0])) >> s.shift.load(piece[0]));
  }

 private:
  static SORTILE_DEVICE std::uint32_t shift_of(Word span) {
    const unsigned bits = unsigned(8 * sizeof(Word)) - unsigned(simt::leading_zeros(span));
    return bits > sub_bits ? bits - sub_bits : 0;
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
