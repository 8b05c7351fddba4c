// Room for what threads collect from the pieces of an array: chunks of memory, taken one after the other. So memory for
// `capacity` elements is enough, whether they lie in one piece or are spread over all.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "cpu/select_layout.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>

namespace sortile::cpu {

/// Stands for "no positions" where their type is wanted.
struct no_position {};

template <class P>
inline constexpr bool has_positions = !std::is_same_v<P, no_position>;

/// Candidates: keys and, where P is a number, their positions.
template <class K, class P>
struct candidates {
  K* keys = nullptr;
  P* positions = nullptr;
};

template <class K, class P>
class chunk_pool {
 public:
  chunk_pool(const piece_layout& layout, candidates<K, P> memory)
      : layout_(layout), memory_(memory), owner_(layout.chunks), filled_(layout.chunks) {}

  /// Whether a piece found no chunk: then what was collected is not complete.
  bool overflowed() const { return overflowed_.load(std::memory_order_relaxed); }

  /// Whether all was collected, and is at most so much.
  bool holds_at_most(std::size_t most) const {
    std::size_t sum = 0;
    for (std::size_t c = 0; c < used(); ++c)
      sum += filled_[c];
    return !overflowed() && sum <= most;
  }

  void clear() {
    taken_.store(0, std::memory_order_relaxed);
    overflowed_.store(false, std::memory_order_relaxed);
  }

  /// Takes what one piece collects; used by one thread.
  class writer {
   public:
    writer(chunk_pool& pool, std::size_t piece) : pool_(pool), piece_(piece) {}

    /// Adds keys[offsets[i]] for i < count, at most select_block of them; false where there is no room.
    bool add(const K* keys, const std::uint16_t* offsets, std::size_t count, std::size_t first_position) {
      for (std::size_t done = 0; done < count;) {
        if (room_ == 0 && !take())
          return false;
        const std::size_t now = std::min(room_, count - done);
        for (std::size_t i = 0; i < now; ++i)
          to_.keys[i] = keys[offsets[done + i]];
        if constexpr (has_positions<P>)
          for (std::size_t i = 0; i < now; ++i)
            to_.positions[i] = static_cast<P>(first_position + offsets[done + i]);
        to_.keys += now;
        if constexpr (has_positions<P>)
          to_.positions += now;
        room_ -= now;
        done += now;
        pool_.filled_[chunk_] += now;
      }
      return true;
    }

   private:
    bool take() {
      chunk_ = pool_.taken_.fetch_add(1, std::memory_order_relaxed);
      if (chunk_ >= pool_.layout_.chunks) {
        pool_.overflowed_.store(true, std::memory_order_relaxed);
        return false;
      }
      pool_.owner_[chunk_] = piece_;
      pool_.filled_[chunk_] = 0;
      to_ = pool_.at(chunk_);
      room_ = pool_.layout_.chunk;
      return true;
    }

    chunk_pool& pool_;
    std::size_t piece_;
    std::size_t chunk_ = 0;
    std::size_t room_ = 0;
    candidates<K, P> to_{};
  };

  /// Moves all that was collected to `to`, in the order of the pieces: of positions, since a piece takes its chunks one
  /// after the other. Returns how much it is.
  std::size_t gather(candidates<K, P> to, unsigned threads) {
    const std::size_t count = used();
    call_vector<std::size_t> begin(count), of_piece(layout_.pieces + 1); // where a piece's next chunk goes
    for (std::size_t c = 0; c < count; ++c)
      of_piece[owner_[c] + 1] += filled_[c];
    std::partial_sum(of_piece.begin(), of_piece.end(), of_piece.begin());
    const std::size_t total = of_piece.back();
    for (std::size_t c = 0; c < count; ++c)
      begin[c] = std::exchange(of_piece[owner_[c]], of_piece[owner_[c]] + filled_[c]);
    for_each_task(total < std::size_t{1} << 16 ? 1 : threads, count, nullptr, [&](unsigned, std::size_t c) {
      const candidates<K, P> from = at(c);
      std::memcpy(to.keys + begin[c], from.keys, filled_[c] * sizeof(K));
      if constexpr (has_positions<P>)
        std::memcpy(to.positions + begin[c], from.positions, filled_[c] * sizeof(P));
    });
    return total;
  }

 private:
  std::size_t used() const { return std::min(taken_.load(std::memory_order_relaxed), layout_.chunks); }

  candidates<K, P> at(std::size_t chunk) const {
    const std::size_t first = chunk * layout_.chunk;
    if constexpr (has_positions<P>)
      return {memory_.keys + first, memory_.positions + first};
    else
      return {memory_.keys + first, nullptr};
  }

  piece_layout layout_;
  candidates<K, P> memory_;
  call_vector<std::size_t> owner_, filled_; // of a chunk: its piece, and the elements in it
  std::atomic<std::size_t> taken_{0};
  std::atomic<bool> overflowed_{false};
};

} // namespace sortile::cpu
