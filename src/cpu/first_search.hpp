// The first k of many keys, where k is small: one read, against a bound that falls.
//
// Idea. No key above a bound is among the first k, and of long arrays nearly all keys are above a good one. So a read
// passes over the keys as fast as memory gives them (select_loops.hpp: next_upto), and only those up to the bound are
// collected, with their positions:
//
//     keys       [ · · · x · · · · · · · x x · · · · x · · … ]        x lies up to the bound
//     collected  [ x x x x … | room for 2 k and some ]                when full: the first k stay, and the bound falls
//
// A sample gives the first bound: a key that probably comes a little after the k-th. It is as many rows of a cache line
// as take a small part of the read, from all over the array, one below the other; vectors find the first key of each
// column, and a few of these are all that is ordered. Of short arrays it has all keys. Whenever 2 k and
// some are collected, the first k of them stay, and the next key must come before the k-th of these: keys equal to it
// have higher positions. So of keys in random order about k · log(n / m) more are collected behind the first m.
//
// Invariants. Collected keys stand in the order of their positions. The first k of what was read are among them, if as
// many lie up to the first bound. That is known at the end: a sample misleads about once in a thousand arrays; then a
// second read begins without a bound.
//
// Cost. To let the bound fall takes k + 64 keys that were collected since it fell last, so any order of keys takes one
// read and a few operations for each key that is collected: rising ones, falling ones, all equal (the first k are
// collected, then none), NaNs. Where the bound is the first key of all, the read ends. Several threads read by turns,
// each with a bound of its own, and what they have collected is merged by position.
//
// What lost: a sample of single keys at random places. To order 64 of them took longer than all the rest of 1000 keys.
// Chunks of 1 KiB: they save little between hits, and a hit costs three times.
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/select_keys.hpp"
#include "cpu/told_steps.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace sortile::cpu {

/// Numbers among which vectors find the one of a rank: images, widened where they are narrower than vectors take them.
template <class K>
using ranked = std::conditional_t<(sizeof(K) < sizeof(std::uint32_t)), std::uint32_t, K>;

/// The number of a rank; others are left in some order around it.
template <class K>
K number_of_rank(K* images, std::size_t n, std::size_t rank) {
  if (rank == 0)
    return *std::min_element(images, images + n);
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    if (const auto* const vectors = best_vector_kernels<K>(); vectors != nullptr) {
      vectors->select(images, n, rank, {});
      return images[rank];
    }
  if (rank < n / 16)
    std::partial_sort(images, images + rank + 1, images + n);
  else
    std::nth_element(images, images + rank, images + n);
  return images[rank];
}

/// What one thread has collected.
template <class K>
class collected_keys {
 public:
  /// `memory`: first_search_layout::bytes_of_one().
  collected_keys(std::size_t k, std::byte* memory)
      : k_(k), spare_(reinterpret_cast<ranked<K>*>(memory)),
        positions_(reinterpret_cast<std::uint32_t*>(spare_ + first_search_layout::room(k))),
        images_(reinterpret_cast<K*>(positions_ + first_search_layout::room(k))) {}

  std::size_t count() const { return count_; }
  const std::uint32_t* positions() const { return positions_; }
  /// Room for as many numbers as images are collected at most, and what is collected.
  ranked<K>* spare() const { return spare_; }
  K* images() const { return images_; }

  /// Nothing above the bound is collected.
  void begin(K bound) {
    bound_ = bound;
    count_ = 0;
    is_done_ = false;
  }

  /// Reads the keys from `from` to `end`, which come behind all that was read.
  void read(const selection<K>& all, std::size_t from, std::size_t end) {
    std::uint16_t offsets[widest_upto_chunk];
    const key_image<K> image = all.image();
    while (!is_done_) {
      const std::size_t hits = all.loops().next_upto(all.keys(), from, end, image, bound_, offsets);
      if (hits == 0)
        return;
      std::size_t count = count_;
      for (std::size_t i = 0; i < hits; ++i) {
        const std::size_t position = from + offsets[i];
        const K x = image.ordering(all.keys()[position]);
        images_[count] = x;
        positions_[count] = static_cast<std::uint32_t>(position);
        count += x <= bound_;
      }
      count_ = count;
      if (count_ >= first_search_layout::full(k_))
        keep_first();
      if (end - from <= upto_chunk<K>)
        return;
      from += upto_chunk<K>;
    }
  }

  /// The first k stay.
  void keep_first() {
    if (count_ <= k_)
      return;
    std::copy(images_, images_ + count_, spare_);
    const K last = static_cast<K>(number_of_rank(spare_, count_, k_ - 1));
    std::size_t equal = k_, staying = 0; // how many of those that equal the last one
    for (std::size_t i = 0; i < count_; ++i)
      equal -= images_[i] < last;
    for (std::size_t i = 0; i < count_; ++i) {
      const K x = images_[i];
      const bool stays_equal = (x == last) & (equal != 0);
      equal -= stays_equal;
      images_[staying] = x;
      positions_[staying] = positions_[i];
      staying += (x < last) | stays_equal;
    }
    count_ = staying;
    is_done_ = last == 0;
    bound_ = static_cast<K>(last - 1);
  }

  /// Adds what another thread has collected from other places. Both keep the first k.
  void merge(collected_keys& other) {
    keep_first();
    other.keep_first();
    std::size_t mine = count_, others = other.count_;
    count_ += others;
    for (std::size_t to = count_; others > 0;) { // from the end: none of mine is written over before it is read
      const bool takes_mine = mine > 0 && positions_[mine - 1] > other.positions_[others - 1];
      const collected_keys& from = takes_mine ? *this : other;
      const std::size_t at = takes_mine ? --mine : --others;
      images_[--to] = from.images_[at];
      positions_[to] = from.positions_[at];
    }
    keep_first();
  }

 private:
  std::size_t k_;
  ranked<K>* spare_;
  std::uint32_t* positions_;
  K* images_;
  std::size_t count_ = 0;
  K bound_{};
  bool is_done_ = false;
};

/// A bound that probably has k keys up to it and not many more; certainly has, where the sample is all of the array.
template <class K>
K sampled_bound(const selection<K>& keys, std::size_t k, const collected_keys<K>& room) {
  const first_search_layout::sample of(sizeof(K), keys.size(), k);
  const std::size_t rows = of.blocks * of.rows, step = rows == 1 ? 0 : (keys.size() - sample_row<K>) / (rows - 1);
  for (std::size_t b = 0; b < of.blocks; ++b)
    keys.loops().least_of_columns(keys.keys() + b * step, of.rows, of.blocks * step, keys.image(),
                                  room.images() + b * sample_row<K>);
  const std::size_t columns = of.blocks * sample_row<K>;
  std::copy(room.images(), room.images() + columns, room.spare());
  return static_cast<K>(number_of_rank(room.spare(), columns, of.rank));
}

/// Finds the first k keys, of which first_search_layout::takes() has said that they are few. The positions, in rising
/// order, are in `memory`, of layout.bytes.
template <class K>
[[gnu::noinline]] const std::uint32_t* find_first(const selection<K>& keys, std::size_t k,
                                                  const first_search_layout& layout, std::byte* memory,
                                                  progress_meter* progress) {
  const std::size_t n = keys.size(), of_one = first_search_layout::bytes_of_one(k, sizeof(K));
  const auto is_found = [&](collected_keys<K>* collected, unsigned workers, K bound) {
    for (unsigned w = 0; w < workers; ++w)
      collected[w].begin(bound);
    const std::size_t pieces = first_search_layout::pieces(n);
    for_each_task(workers, pieces, progress, [&](unsigned worker, std::size_t i) {
      const std::size_t begin = part_begin(n, pieces, i), end = part_begin(n, pieces, i + 1);
      collected[worker].read(keys, begin, end);
      if (progress != nullptr)
        progress->add(end - begin);
    });
    std::size_t found = 0;
    for (unsigned w = 0; w < workers; ++w)
      found += collected[w].count();
    return found >= k;
  };
  const auto find = [&](collected_keys<K>* collected, unsigned workers) {
    tell_step("sample");
    const K bound = sampled_bound(keys, k, *collected);
    tell_step("collect");
    if (!is_found(collected, workers, bound)) {
      tell_step("fallback"); // the sample has misled
      is_found(collected, workers, keys.image().window);
    }
    for (unsigned w = 1; w < workers; ++w)
      collected->merge(collected[w]);
    collected->keep_first();
    return std::as_const(*collected).positions();
  };
  if (layout.workers == 1) {
    collected_keys<K> alone(k, memory);
    return find(&alone, 1);
  }
  call_vector<collected_keys<K>> of_workers;
  of_workers.reserve(layout.workers);
  for (unsigned w = 0; w < layout.workers; ++w)
    of_workers.emplace_back(k, memory + w * of_one);
  return find(of_workers.data(), layout.workers);
}

/// The same of untyped keys.
template <class K>
const std::uint32_t* positions_of_first(const void* keys, std::size_t n, key_type type, const options& opts,
                                        std::size_t k, const first_search_layout& layout, std::byte* memory,
                                        progress_meter* progress) {
  const selection<K> all(static_cast<const K*>(keys), n, exact_image<K>(type, opts), 1, nullptr);
  return find_first(all, k, layout, memory, progress);
}

} // namespace sortile::cpu
