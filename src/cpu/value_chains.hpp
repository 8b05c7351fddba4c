// Pairs of few different keys: one pass that finds each pair its place, without counts.
//
// Idea. Where a sample finds few values, a key says nothing but to which value a pair belongs. So keys are not moved:
// each key is looked up in a table, and the value that travels with it is appended to the chain of its key, in blocks
// that are taken from the spare arrays as chains need them. Then it is known how often each key occurs. Keys are
// written in order, and the blocks of each chain are copied to where they belong, in the order in which they were
// filled.
//
//     keys     b a b c a b …                     spare     [ v0 v2 v5 … ][ v1 v4 … ][ v3 … ]
//     values   v0 v1 v2 v3 v4 v5 …   ──chain──▶             chain of b    of a       of c      owner: b a c
//
//     result   a a a … b b b … c c c …           v1 v4 … v0 v2 v5 … v3 …                  ◀── fill and place
//
// A key that the sample did not have gets a chain when it is met. If there are more values than the table holds, or
// two of them have one image (−0 and 0, NaNs, keys that differ outside a bit window: their order is not that of their
// bits), the sort goes the usual way.
//
// The chain of the sample's least key lies where the result has its values, but for its first block, which brings those
// of the others to the alignment of blocks: these values are written once, not twice. If lesser keys are met, they are
// moved up at the end. If there is no room for all chains, what has been read is put in order where it was, and sorted
// with the rest: as the order is stable, the result is that of the input.
//
// Invariants
//   - What is written before the input has been read lies where it has been read. So the result may lie there.
//   - Each chunk of the input has chains of its own, in its own part of the spare arrays. A value's chains are placed
//     chunk by chunk: so the sort is stable whatever the threads.
//   - Only the last block of a chain may be short. The spare arrays of a chunk have room for all its values in whole
//     blocks and one more block for each chain, since keys are not moved.
//
// Arrays larger than the caches are written past them, chains and result: a line that is to be overwritten whole need
// not be read before.
//
// Cost: a pair's key is read once and written once, its value read and written twice, or once; a partition by counted
// digits reads keys twice, and moves pairs once more if the result is to lie where the input was.
#pragma once

#include "cpu/few_values.hpp"
#include "cpu/in_order.hpp"
#include "cpu/radix_job.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace sortile::cpu {

/// The chains of one chunk of the input.
template <class K>
class value_chains {
  using slots = value_slots<K, std::byte*>; // where the next value of a chain goes

 public:
  using entry = typename slots::entry;

  /// Of n keys of about so many values, which go to blocks in the spare lanes of as many keys; with `bytes` of memory
  /// for tables.
  value_chains(const lanes<K>& spare, std::size_t n, std::size_t values, std::byte* memory, std::size_t bytes,
               bool past_caches)
      : past_caches_(past_caches), slots_(memory, std::min(bytes / 2, slots::bytes_for(most_to_find(values)))),
        left_(reinterpret_cast<std::uint64_t*>(memory + bytes / 2)),
        owners_(reinterpret_cast<std::uint16_t*>(memory + bytes / 4 * 3)) {
    const std::size_t bytes_of_values = n * spare.width, keys = n * sizeof(K),
                      owners = bytes / 4 / sizeof(std::uint16_t);
    most_ = slots::most_in(slots_.slots());
    block_bytes_ = std::max(least_block, std::bit_floor(keys / (most_ + 4)));
    while ((bytes_of_values + keys) / block_bytes_ > owners)
      block_bytes_ *= 2;
    areas_[0] = area(spare.values, bytes_of_values);
    areas_[1] = area(reinterpret_cast<std::byte*>(spare.keys), keys);
    const std::size_t blocks = areas_[0].blocks + areas_[1].blocks, full = bytes_of_values / block_bytes_;
    most_ = std::min(most_, blocks > full ? blocks - full : 0);
  }

  /// So many values have room, whatever their chains' lengths.
  std::size_t most() const { return most_; }
  std::size_t block_bytes() const { return block_bytes_; }
  /// Tells where a key's entry is if it has one, until others are found.
  slots table() const { return slots_; }

  /// The entry of a key, with a block where it is new; null where there is room for no more.
  entry* find(K key) {
    entry* const e = slots_.find(key);
    if (slots_.values() > most_)
      return nullptr;
    if (e->what == nullptr)
      e->what = next_block(e);
    return e;
  }

  /// The chain of this key goes on from `at` after its first block: where it belongs if it is the least key and this is
  /// the first chunk. To be called before others have chains. What is read there has to be read before it is reached.
  void put_in_place(K key, std::byte* at) {
    entry* const e = slots_.find(key);
    const std::size_t skipped = reinterpret_cast<std::uintptr_t>(at) & (block_bytes_ - 1);
    head_ = next_block(e) + skipped;
    e->what = head_;
    in_place_ = e;
    begin_ = at;
    next_in_place_ = at + (block_bytes_ - skipped);
  }
  bool puts_in_place() const { return in_place_ != nullptr; }

  /// Values that have chains.
  std::size_t values() const { return slots_.values(); }
  /// Their entries; none where there are more than `most`.
  std::size_t entries(entry** to, std::size_t most) const {
    if (slots_.values() > most)
      return 0;
    std::size_t n = 0;
    for (std::size_t s = 0; n < slots_.values(); ++s)
      if (slots_[s].what != nullptr)
        to[n++] = &slots_[s];
    return n;
  }

  /// Whether what has been collected of a chain is written past the caches.
  bool past_caches() const { return past_caches_; }

  /// A chain asks so many bytes ahead for the lines of its block.
  static constexpr std::size_t fetched = 512;

  /// The block with which a chain goes on. It has asked for what follows its last block, which is not this one: so the
  /// beginning of a block is asked for before any chain takes it.
  std::byte* next_block(const entry* of) {
    if (of == in_place_)
      return std::exchange(next_in_place_, next_in_place_ + block_bytes_);
    constexpr std::size_t blocks_ahead = 2;
    owners_[taken_] = static_cast<std::uint16_t>(of - &slots_[0]);
    if (taken_ + blocks_ahead < areas_[0].blocks + areas_[1].blocks)
      fetch(block(taken_ + blocks_ahead), 0, std::min(fetched, block_bytes_));
    return block(taken_++);
  }

  /// Calls f(entry, bytes) for each chain, when all values are in them.
  template <class F>
  void each_chain(F&& f) {
    std::fill_n(left_, slots_.slots(), 0);
    for (std::size_t b = 0; b < taken_; ++b)
      left_[owners_[b]] += block_bytes_;
    for (std::size_t s = 0; s < slots_.slots(); ++s)
      if (left_[s] != 0) { // where a block is full, the next one has been taken
        left_[s] -= block_bytes_ - (reinterpret_cast<std::uintptr_t>(slots_[s].what) & (block_bytes_ - 1));
        if (&slots_[s] == in_place_)
          left_[s] = static_cast<std::size_t>(slots_[s].what - (head_is_all() ? head_ : begin_));
        f(slots_[s], left_[s]);
      }
  }

  /// Moves what lies in place to where its entry says now, before any other chain is placed.
  void place_first() {
    if (!puts_in_place())
      return;
    std::uint64_t& bytes = left_[in_place_ - &slots_[0]];
    const std::size_t head =
        std::min<std::size_t>(bytes, block_bytes_ - (reinterpret_cast<std::uintptr_t>(head_) & (block_bytes_ - 1)));
    if (in_place_->what != begin_)
      std::memmove(in_place_->what + head, begin_ + head, bytes - head);
    std::memcpy(in_place_->what, head_, head);
    bytes = 0;
  }

  /// Copies the chains to where their entries say now.
  void place(bool past_caches) {
    for (std::size_t b = 0; b < taken_; ++b) {
      const std::size_t s = owners_[b], bytes = std::min<std::uint64_t>(left_[s], block_bytes_);
      if (past_caches)
        best_kernels<K>().write_out(block(b), bytes, slots_[s].what);
      else
        std::memcpy(slots_[s].what, block(b), bytes);
      slots_[s].what += bytes;
      left_[s] -= bytes;
    }
  }

 private:
  /// Values that the sample has not met are rare, but may be many; and 64 slots for each that is known leave hardly any
  /// key in another one's.
  static std::size_t most_to_find(std::size_t values) {
    constexpr std::size_t least = 512;
    return std::max(least, 16 * values);
  }

  static constexpr std::size_t least_block = 256;
  struct block_area {
    std::byte* first = nullptr; // aligned to the size of a block
    std::size_t blocks = 0;
  };
  block_area area(std::byte* begin, std::size_t bytes) const {
    const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(begin) & (block_bytes_ - 1);
    return {begin + skipped, bytes > skipped ? (bytes - skipped) / block_bytes_ : 0};
  }
  bool head_is_all() const { return next_in_place_ - begin_ <= static_cast<std::ptrdiff_t>(block_bytes_); }
  std::byte* block(std::size_t b) const {
    return b < areas_[0].blocks ? areas_[0].first + b * block_bytes_
                                : areas_[1].first + (b - areas_[0].blocks) * block_bytes_;
  }

  bool past_caches_;
  slots slots_;
  std::uint64_t* left_;   // bytes of each slot's chain that are not yet placed
  std::uint16_t* owners_; // slots of the blocks, as these were taken
  std::size_t most_ = 0, block_bytes_ = 0, taken_ = 0;
  block_area areas_[2];       // spare values, then spare keys
  entry* in_place_ = nullptr; // what is known of the chain that goes on in the result
  std::byte *head_ = nullptr, *begin_ = nullptr, *next_in_place_ = nullptr;
};

/// The sort of pairs by chains; a step of the radix sort.
template <class K>
class chain_sorter {
 public:
  chain_sorter(const radix_job& job, const radix_layout& layout, const key_image<K>& image, const lanes<K>& result,
               const lanes<K>& spare)
      : job_(job), image_(image), movers_(best_movers<K>(job.value_width)),
        input_(static_cast<const K*>(job.keys_in), job.values_in, job.value_width), result_(result), spare_(spare),
        worker_bytes_(layout.worker_bytes), chunks_(layout.workers) {
    image_.exact = image_.is_float;
  }

  /// False where a sample does not find few values, or too few of them, or two keys have one image. Where the result
  /// is the input, what has been read is then in order, or where it was; another result may have been written to.
  bool run() {
    const key_sample<K> sample(input_.keys, job_.n, image_);
    const value_frequencies<K> frequencies(sample);
    for (unsigned c = 0; c < chunks_; ++c)
      chains_.emplace_back(spare_.at(begin(c)), begin(c + 1) - begin(c), frequencies.about(),
                           job_.scratch + c * worker_bytes_, worker_bytes_ / 64 * 64, past_caches());
    const auto least = std::min_element(chains_.begin(), chains_.end(),
                                        [](const auto& a, const auto& b) { return a.most() < b.most(); });
    if (!frequencies.are_few(least->most()))
      return false;
    if (begins_in_order()) {
      const look_result<K> found = look();
      if (found.special)
        return false;
      if (found.ascending) {
        copy_in_order(input_, job_.n, result_, chunks_);
        job_.progress->add(4 * job_.n);
        return true;
      }
    }
    if (may_put_in_place())
      chains_[0].put_in_place(image_.key_of(sample.images[0]), result_.values);
    if (!chain()) {
      progress_meter unheard(nullptr, 0); // of what is done, nothing stays done
      if (chains_[0].puts_in_place() && job_.values_in == job_.values_out)
        place(1, unheard);
      return false;
    }
    return place(chunks_, *job_.progress);
  }

 private:
  struct value {
    K image, key;
    std::uint64_t count;
    std::byte** place; // of its chain in a chunk
    std::uint64_t end; // in the result, of this and all before it
  };

  bool past_caches() const { return job_.n * (sizeof(K) + job_.value_width) >= tuning().stream_chains_from_bytes; }
  std::size_t begin(std::size_t chunk) const { return part_begin(job_.n, chunks_, chunk); }

  /// Up to the first keys that are not in order; by plain images.
  look_result<K> look() const {
    constexpr std::size_t step = 4096;
    key_image<K> plain = image_;
    plain.exact = false;
    std::vector<look_result<K>> looks(chunks_);
    std::atomic<bool> stopped{false};
    for_each_task(chunks_, chunks_, job_.progress, [&](unsigned, std::size_t c) {
      look_result<K>& found = looks[c];
      const std::size_t end = begin(c + 1);
      for (std::size_t i = begin(c); i < end && !stopped.load(std::memory_order_relaxed); i += step) {
        best_kernels<K>().look(input_.keys + i, std::min(step, end - i), i > 0 ? input_.keys + i - 1 : nullptr, plain,
                               found);
        if (!found.ascending || found.special)
          stopped.store(true, std::memory_order_relaxed);
      }
    });
    look_result<K> found;
    for (const look_result<K>& l : looks)
      found.join(l);
    return found;
  }

  /// Such arrays may have a shorter way.
  bool begins_in_order() const {
    look_result<K> found;
    best_kernels<K>().look(input_.keys, std::min<std::size_t>(job_.n, 1024), nullptr, image_, found);
    return found.ascending || found.descending;
  }

  bool chain() {
    constexpr std::size_t step = std::size_t{1} << 18;
    std::atomic<bool> too_many{false};
    for_each_task(chunks_, chunks_, nullptr, [&](unsigned worker, std::size_t c) {
      const std::size_t end = begin(c + 1);
      for (std::size_t i = begin(c); i < end && !too_many.load(std::memory_order_relaxed); i += step) {
        if (!movers_.chain(input_.at(i), std::min(step, end - i), chains_[c]))
          too_many.store(true, std::memory_order_relaxed);
        if (worker == 0)
          job_.progress->report();
      }
    });
    return !too_many;
  }

  /// Values of the least key go to their places at once where a sort that gives up can leave the pairs that it has read
  /// in order: sorted later, they come out as if they had not moved. That needs keys of different images, which are in
  /// place if values are; and values that do not lie across the ends of blocks.
  bool may_put_in_place() const {
    return !image_.is_float && image_.window == static_cast<K>(~K{0}) &&
           (job_.values_in != job_.values_out || job_.keys_in == job_.keys_out) &&
           reinterpret_cast<std::uintptr_t>(result_.values) % job_.value_width == 0;
  }

  /// Writes keys and values of the first chunks to the result; false, and nothing written, where two keys have one
  /// image.
  bool place(unsigned chunks, progress_meter& progress) {
    if (!find_places(chunks))
      return false;
    chains_[0].place_first();
    progress.add(2 * job_.n);
    write_keys(chunks, progress);
    for_each_task(chunks, chunks, &progress, [&](unsigned, std::size_t c) {
      chains_[c].place(past_caches());
      progress.add(begin(c + 1) - begin(c));
    });
    return true;
  }

  /// Where each chain belongs.
  bool find_places(unsigned chunks) {
    for (unsigned c = 0; c < chunks; ++c)
      chains_[c].each_chain([&](auto& e, std::uint64_t bytes) {
        values_.push_back({image_.ordering(e.key), e.key, bytes / job_.value_width, &e.what, 0});
      });
    std::stable_sort(values_.begin(), values_.end(), [](const value& a, const value& b) { return a.image < b.image; });
    std::uint64_t end = 0;
    for (std::size_t v = 0; v < values_.size(); ++v) {
      if (v > 0 && values_[v].image == values_[v - 1].image && values_[v].key != values_[v - 1].key)
        return false;
      *values_[v].place = result_.values + end * job_.value_width;
      values_[v].end = end += values_[v].count;
    }
    return true;
  }

  void write_keys(unsigned chunks, progress_meter& progress) {
    const std::size_t pieces = chunks == 1 ? 1 : std::size_t{4} * chunks, n = values_.back().end;
    for_each_task(chunks, pieces, &progress, [&](unsigned, std::size_t p) {
      const std::size_t first = part_begin(n, pieces, p), end = part_begin(n, pieces, p + 1);
      auto v = std::upper_bound(values_.begin(), values_.end(), first,
                                [](std::size_t at, const value& b) { return at < b.end; });
      for (std::size_t at = first; at < end; ++v) {
        const std::size_t until = std::min<std::size_t>(v->end, end);
        best_kernels<K>().fill(result_.keys + at, until - at, v->key, past_caches());
        at = until;
      }
      progress.add(end - first);
    });
  }

  const radix_job& job_;
  key_image<K> image_;
  const movers<K>& movers_;
  const source<K> input_;
  const lanes<K> result_, spare_;
  const std::size_t worker_bytes_;
  const unsigned chunks_;
  std::vector<value_chains<K>> chains_;
  std::vector<value> values_;
};

} // namespace sortile::cpu
