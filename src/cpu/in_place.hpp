// The CPU's radix sort within little memory: partitions move blocks of keys within the array, so no second array of n
// keys is needed.
//
// Idea. Three steps a partition, each by all threads:
//   1. Collect. Every thread reads a stretch of the array and collects its keys in a block for each bucket. Full blocks
//      are written to the front of the stretch, over keys that have been read. Counts have told where each bucket will
//      lie, so each block's target is noted.
//   2. Permute. Blocks move to their targets along the cycles of that permutation. A thread takes a block out of its
//      slot, puts it into its target, takes the block that was there, and so on, until a target is free.
//   3. Fill. The keys left in the buffers go to the edges of the buckets, which are not multiples of a block:
//
//        bucket b of thread t:   … │ head │ block │ block │ block │ tail │ …
//                                  └ kept apart     └ step 2        └ still in the buffer
//
// Blocks of one heavy key (kernels_heavy.ipp) are moved without their keys, which are written when all have come to
// lie.
//
// So the sort is stable. The known partitions by blocks (IPS4o) are not: they swap blocks into a bucket in any order;
// here each block has its own slot. Buckets are segments again, until vectors or a local sort take them.
//
// What need not be in place is not. An input that lies apart from the result is partitioned into it as with spare
// arrays. A segment that fits where the blocks lie, within the L2 cache, is scattered there, and its buckets are sorted
// back into their places: two moves instead of five.
//
// Invariants
//   - A stretch has read at least as many keys as it has written, so no key is overwritten unread.
//   - Slot s of a segment is its keys [s · block, (s + 1) · block). A target slot lies within its bucket's part, so no
//     two blocks have one target.
//   - state[s] says who may touch slot s in step 2: `full`, its block waits; `taken`, a thread reads it; `free`. Only
//     the thread that turned full into taken reads the slot. Only the block whose target it is is written there, once
//     it is free. So every slot is read before it is written.
// Cost: 3 reads and 2 writes a partition, against 2 and 1 out of place; memory 1 MiB a thread and 5 bytes a block. What
// step 2 takes is waiting for memory: blocks are asked for three moves before, which is a tenth of a sort of 160 MB.
// Sources: Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar samplesort", ESA 2017; cycle leaders:
// Knuth, TAOCP 1, 1.3.3.
#pragma once

#include "cpu/atomic_view.hpp"
#include "cpu/chain_sort.hpp"
#include "cpu/gather.hpp"
#include "cpu/in_order.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/split_choice.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

namespace sortile::cpu {

template <class K>
class in_place_sorter {
 public:
  explicit in_place_sorter(const radix_job& job)
      : whole_(job), job_(as_moved(job)), layout_(sizeof(K), job_.value_width, job.n, job.threads, job.scratch_room),
        kernels_(best_kernels<K>()), movers_(best_movers<K>(job_.value_width)),
        image_(job.type, job.direction, job.bits), array_(result_of(job_)) {}

  void run() {
    source<K> input(static_cast<const K*>(job_.keys_in), job_.values_in, job_.value_width);
    if constexpr (sizeof(K) >= 4) { // narrower ones have no room for chains of values
      if (job_.value_width != 0 && job_.n > layout_.local_limit) {
        chain_sorter<K> chains(whole_, layout_, image_, result_of(whole_));
        if (chains.run())
          return;
        if (chains.has_moved()) {
          if (widens())
            narrow_in_place(job_.values_out, job_.n);
          input = array_;
        }
      }
    }
    if (input.keys != array_.keys && !layout_.has_room_for_lines) {
      copy_in_order(input, job_.n, array_, layout_.workers);
      input = array_;
    }
    sort_segment({input, 0, job_.n}, layout_.workers, 0);
    if (widens() && !is_wide_)
      widen_in_place(job_.values_out, job_.n, layout_.workers);
  }

 private:
  static constexpr unsigned most_bits = 8;
  static constexpr std::size_t most_buckets = std::size_t{1} << most_bits;
  static constexpr unsigned blocks_ahead = 3;
  enum state : std::uint8_t { full, taken, free };

  struct segment {
    source<K> from;    // where it lies in the array; or the input, if that lies apart, or spare lanes
    std::size_t begin; // its place in the array
    std::size_t n;
  };

  // Of a segment, whole slots but for the last one: each is looked at, counted and moved by one thread.
  struct stretches {
    std::size_t n, block;
    unsigned count;

    stretches(std::size_t keys, std::size_t block_keys, unsigned workers)
        : n(keys), block(block_keys), count(keys / block_keys < workers ? 1 : workers) {}
    std::size_t begin(std::size_t i) const { return i == count ? n : part_begin(n / block, count, i) * block; }
    std::size_t keys(std::size_t i) const { return begin(i + 1) - begin(i); }
  };

  // What the look at a stretch has found, and how many of its first keys it has counted.
  struct looked {
    look_result<K> found{};
    std::size_t counted = 0;
  };

  /// Beside the buffers of one thread.
  struct tables {
    std::uint64_t counts[most_buckets];
    std::uint64_t begins[most_buckets]; ///< of this thread's part of each bucket, in the segment
    std::uint32_t fill[most_buckets], head[most_buckets], in_head[most_buckets], next[most_buckets];
  };
  static_assert(sizeof(tables) <= in_place_layout::table_bytes);

  static radix_job as_moved(const radix_job& job) {
    radix_job moved = job;
    moved.value_width = width_in_place(job.value_width != 0 && job.values_in == nullptr, job.value_width, job.n);
    return moved;
  }
  static lanes<K> result_of(const radix_job& job) {
    return {static_cast<K*>(job.keys_out), static_cast<std::byte*>(job.values_out), job.value_width};
  }
  /// Positions are moved as 32 bits.
  bool widens() const { return job_.value_width != whole_.value_width; }

  // ---- scratch ----

  std::byte* worker_area(unsigned worker) const { return job_.scratch + worker * layout_.worker_bytes; }
  tables& tables_of(unsigned worker) const { return *reinterpret_cast<tables*>(worker_area(worker)); }

  /// Lanes of `n` keys at `at`, which moves behind them.
  lanes<K> take(std::byte*& at, std::size_t n) const {
    K* const keys = reinterpret_cast<K*>(at);
    at += n * sizeof(K);
    std::byte* const values = job_.value_width != 0 ? at : nullptr;
    at += n * job_.value_width;
    return {keys, values, job_.value_width};
  }

  lanes<K> block_area(unsigned worker, unsigned which) const { // 0: buffers, 1: heads, 2 and 3: single blocks
    std::byte* at = worker_area(worker) + in_place_layout::table_bytes;
    lanes<K> area;
    for (unsigned i = 0; i <= which; ++i)
      area = take(at, i < 2 ? most_buckets * layout_.block : layout_.block);
    return area;
  }

  /// Where the blocks lie: of a segment that one thread partitions.
  lanes<K> spare_lanes(unsigned worker) const {
    std::byte* at = worker_area(worker) + in_place_layout::table_bytes;
    return take(at, layout_.spare_keys);
  }

  local_scratch<K> local_area(unsigned worker) const {
    return {worker_area(worker) + in_place_layout::table_bytes + layout_.block_bytes, layout_.local_limit,
            job_.value_width};
  }

  /// Of the slots of a segment; segments that are apart have tables that are apart.
  std::uint32_t* targets_of(const segment& s) const {
    return reinterpret_cast<std::uint32_t*>(worker_area(layout_.workers)) + s.begin / layout_.block;
  }
  std::uint8_t* states_of(const segment& s) const {
    std::byte* const states = worker_area(layout_.workers) + layout_.slots * sizeof(std::uint32_t);
    return reinterpret_cast<std::uint8_t*>(states) + s.begin / layout_.block;
  }

  // ---- segments ----

  void sort_segment(const segment& s, unsigned workers, unsigned worker) {
    const stretches parts(s.n, layout_.block, workers);
    call_vector<looked> looks(parts.count);
    splitter_tree<K> tree; // where the guess is to split by one, or by a map
    split<K> guess = choice().guess_in_place(s.from.keys, s.n, tree);
    look_result<K> found = look(s, workers, worker, parts, guess, looks);
    if (found.special) {
      image_.exact = true; // set by the first scan of the whole input, before any other thread reads it
      guess = choice().guess_in_place(s.from.keys, s.n, tree);
      found = look(s, workers, worker, parts, guess, looks);
    }
    if (found.ascending || found.descending)
      return place_ordered(s, workers, found.ascending);
    if (workers == 1 && sort_at_once(s, worker))
      return;
    const split<K> d =
        choice().final_in_place(s.from.keys, s.n, guess, static_cast<K>((found.any ^ found.all) & image_.window), tree);
    count_rest(s, workers, worker, parts, d, d == guess, looks);
    std::uint64_t begins[most_buckets + 1];
    find_begins(workers, worker, parts, d, begins);
    const lanes<K> to = partition(s, workers, worker, parts, d);
    sort_buckets(s, to, workers, worker, d, begins);
  }

  /// What needs no partition.
  bool sort_at_once(const segment& s, unsigned worker) {
    const lanes<K> to = array_.at(s.begin);
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
      if (job_.value_width == 0 && sorts_by_vectors(image_) && s.n <= layout_.vector_limit) {
        best_vector_kernels<K>()->sort(s.from.keys, s.n, image_, to.keys);
        finished(s.n);
        return true;
      }
    }
    if (s.n > layout_.local_limit)
      return false;
    movers_.local(s.from, s.n, image_, to, local_area(worker), false);
    finished(s.n);
    return true;
  }

  /// What is in order, or strictly against it. Positions are made as wide as they are wanted.
  void place_ordered(const segment& s, unsigned workers, bool ascending) {
    source<K> from = s.from;
    lanes<K> to = array_.at(s.begin);
    if (from.makes_indices()) { // so it is the whole input
      from.width = to.width = whole_.value_width;
      is_wide_ = true;
    }
    ascending ? copy_in_order(from, s.n, to, workers) : copy_reversed(from, s.n, to, workers);
    finished(s.n);
  }

  void finished(std::size_t n) { job_.progress->add(2 * n); }
  void moved_along(const segment& s, std::size_t n) const {
    if (s.n == job_.n)
      job_.progress->add(n);
  }
  progress_meter* meter(unsigned workers) const { return workers > 1 ? job_.progress : nullptr; }
  split_choice<K> choice() const { return {layout_, most_bits, image_, job_.value_width}; }

  /// Whose tables a stretch has: of a segment that one thread sorts, that thread's.
  static unsigned owner(unsigned workers, unsigned worker, std::size_t stretch) {
    return workers == 1 ? worker : static_cast<unsigned>(stretch);
  }

  // ---- look and count ----

  /// Keys are counted by the guess while they are in the L1 cache, from where they are known to be in no order.
  look_result<K> look(const segment& s, unsigned workers, unsigned worker, const stretches& parts,
                      const split<K>& guess, call_vector<looked>& looks) const {
    for_each_task(workers, parts.count, meter(workers), [&](unsigned, std::size_t p) {
      constexpr std::size_t step = 4096;
      looked& l = looks[p] = {};
      std::uint64_t* const counts = tables_of(owner(workers, worker, p)).counts;
      std::fill_n(counts, guess.is_any() ? guess.buckets() : 0, 0);
      const K* const keys = s.from.keys + parts.begin(p);
      for (std::size_t i = 0, n = parts.keys(p); i < n && (!l.found.special || image_.exact); i += step) {
        const K* const before = i > 0 || p > 0 ? keys + i - 1 : nullptr;
        kernels_.look(keys + i, std::min(step, n - i), before, image_, l.found);
        if (guess.is_any() && !l.found.ascending && !l.found.descending) {
          const std::size_t end = std::min(i + step, n);
          kernels_.histogram(keys + l.counted, end - l.counted, image_, guess, counts);
          l.counted = end;
        }
      }
      moved_along(s, parts.keys(p));
    });
    look_result<K> found;
    for (const looked& l : looks)
      found.join(l.found);
    return found;
  }

  /// What the look has not counted, or everything where it has counted by another split.
  void count_rest(const segment& s, unsigned workers, unsigned worker, const stretches& parts, const split<K>& d,
                  bool guessed, const call_vector<looked>& looks) const {
    for_each_task(workers, parts.count, meter(workers), [&](unsigned, std::size_t p) {
      std::uint64_t* const counts = tables_of(owner(workers, worker, p)).counts;
      if (!guessed)
        std::fill_n(counts, d.buckets(), 0);
      const std::size_t counted = guessed ? looks[p].counted : 0;
      kernels_.histogram(s.from.keys + parts.begin(p) + counted, parts.keys(p) - counted, image_, d, counts);
    });
  }

  /// Where buckets begin in the segment, and within them those of each stretch.
  void find_begins(unsigned workers, unsigned worker, const stretches& parts, const split<K>& d,
                   std::uint64_t* begins) const {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < d.buckets(); ++b) {
      begins[b] = sum;
      for (unsigned p = 0; p < parts.count; ++p) {
        tables& t = tables_of(owner(workers, worker, p));
        t.begins[b] = sum;
        sum += t.counts[b];
      }
    }
    begins[d.buckets()] = sum;
  }

  // ---- partition ----

  /// Returns where the buckets lie: the segment's place in the array, or spare lanes, which the cache holds.
  lanes<K> partition(const segment& s, unsigned workers, unsigned worker, const stretches& parts, const split<K>& d) {
    const lanes<K> place = array_.at(s.begin);
    if (s.from.keys != place.keys) {
      partition_apart(s, workers, worker, parts, d, place, 0);
      return place;
    }
    if (workers == 1 && s.n <= layout_.spare_keys && (layout_.has_room_beside || !d.leaves_keys_out())) {
      const lanes<K> spare = spare_lanes(worker);
      if (d.leaves_keys_out())
        partition_apart(s, 1, worker, parts, d, spare, layout_.block_bytes);
      else
        movers_.scatter(s.from, s.n, image_, d, tables_of(worker).begins, spare);
      return spare;
    }
    for_each_task(workers, parts.count, meter(workers), [&](unsigned, std::size_t p) {
      collect(s, d, owner(workers, worker, p), parts.begin(p), parts.begin(p + 1));
    });
    for_each_task(workers, parts.count, meter(workers), [&](unsigned w, std::size_t p) {
      permute(s, parts.begin(p) / layout_.block, parts.begin(p + 1) / layout_.block, workers == 1 ? worker : w);
    });
    for_each_task(workers, parts.count, meter(workers), [&](unsigned, std::size_t p) {
      fill_edges(s, d, owner(workers, worker, p));
      moved_along(s, parts.keys(p));
    });
    return place;
  }

  /// To where nothing is read, as with spare arrays; the lines lie behind so many bytes of a worker's blocks.
  void partition_apart(const segment& s, unsigned workers, unsigned worker, const stretches& parts, const split<K>& d,
                       const lanes<K>& to, std::size_t behind) {
    const bool stream = s.n * (sizeof(K) + job_.value_width) >= tuning().stream_from_bytes;
    for_each_task(workers, parts.count, meter(workers), [&](unsigned, std::size_t p) {
      const unsigned own = owner(workers, worker, p);
      tables& t = tables_of(own);
      std::copy_n(t.begins, d.buckets(), t.counts); // positions now
      movers_.partition(s.from.at(parts.begin(p)), parts.keys(p), image_, d, {}, t.counts, t.begins, to, stream,
                        worker_area(own) + in_place_layout::table_bytes + behind);
      moved_along(s, parts.keys(p));
    });
  }

  void collect(const segment& s, const split<K>& d, unsigned worker, std::size_t begin, std::size_t end) {
    tables& t = tables_of(worker);
    const std::size_t block = layout_.block;
    for (std::size_t b = 0; b < d.buckets(); ++b) {
      const auto misplaced = static_cast<std::uint32_t>(t.begins[b] % block);
      t.head[b] = t.fill[b] = misplaced; // a head ends where a slot does, and so does its buffer
      t.in_head[b] = misplaced != 0;
      t.next[b] = static_cast<std::uint32_t>((t.begins[b] + block - 1) / block);
    }
    block_collector<K> c;
    c.from = s.from;
    c.array = array_.at(s.begin);
    c.buffers = block_area(worker, 0), c.heads = block_area(worker, 1);
    c.fill = t.fill, c.head = t.head, c.in_head = t.in_head, c.next = t.next;
    c.targets = targets_of(s);
    c.slot = begin / block, c.block = block;
    movers_.collect(begin, end - begin, image_, d, c);
    std::uint8_t* const states = states_of(s);
    std::fill(states + begin / block, states + c.slot, full);
    std::fill(states + c.slot, states + end / block, free);
  }

  void permute(const segment& s, std::size_t first, std::size_t last, unsigned worker) {
    std::uint8_t* const states = states_of(s);
    const std::uint32_t* const targets = targets_of(s);
    const auto state_of = [&](std::size_t slot) { return atomic_view<std::uint8_t>(states[slot]); };
    const auto target_of = [&](std::size_t slot) { return targets[slot] & ~block_collector<K>::without_keys; };
    const auto has_keys = [&](std::size_t slot) { return (targets[slot] & block_collector<K>::without_keys) == 0; };
    const auto take_out = [&](std::size_t slot, const lanes<K>& to) { // false: there is nothing to take
      std::uint8_t seen = full;
      if (!state_of(slot).compare_exchange(seen, taken))
        return false;
      move_keys(slot_of(s, slot), layout_.block, to, has_keys(slot));
      state_of(slot).store(free, std::memory_order_release);
      return true;
    };
    // The blocks of a cycle lie anywhere, so they are asked for some moves before.
    const auto ask_for = [&](std::size_t& at) {
      if (state_of(at).load(std::memory_order_relaxed) != full)
        return;
      fetch(slot_of(s, at).keys, 0, layout_.block);
      fetch(slot_of(s, at).values, 0, layout_.block * job_.value_width);
      at = target_of(at);
    };
    lanes<K> carried = block_area(worker, 2), met = block_area(worker, 3);
    for (std::size_t slot = first; slot < last; ++slot) {
      if (state_of(slot).load(std::memory_order_relaxed) != full || target_of(slot) == slot || !take_out(slot, carried))
        continue; // where a block is at its target already, no other block has that target
      bool with_keys = has_keys(slot);
      std::size_t ahead = target_of(slot);
      for (unsigned i = 0; i < blocks_ahead; ++i)
        ask_for(ahead);
      for (std::size_t to = target_of(slot);;) {
        const bool goes_on = take_out(to, met);
        ask_for(ahead);
        while (state_of(to).load(std::memory_order_acquire) != free) // another thread is reading what lies there
          std::this_thread::yield();
        move_keys(carried, layout_.block, slot_of(s, to), with_keys);
        if (!goes_on)
          break;
        with_keys = has_keys(to);
        to = target_of(to);
        std::swap(carried, met);
      }
    }
  }

  lanes<K> slot_of(const segment& s, std::size_t slot) const { return array_.at(s.begin + slot * layout_.block); }

  /// With their values; or these alone.
  static void move_keys(const lanes<K>& from, std::size_t n, const lanes<K>& to, bool with_keys) {
    if (with_keys)
      std::memcpy(to.keys, from.keys, n * sizeof(K));
    if (from.width != 0)
      std::memcpy(to.values, from.values, n * from.width);
  }

  /// Heads and what is left in the buffers, where no block has come to lie.
  void fill_edges(const segment& s, const split<K>& d, unsigned worker) {
    const tables& t = tables_of(worker);
    const lanes<K> buffers = block_area(worker, 0), heads = block_area(worker, 1);
    for (std::size_t b = 0; b < d.buckets(); ++b) {
      const std::size_t at = b * layout_.block, head = t.head[b], begin = s.begin + t.begins[b];
      const bool with_keys = d.left_out(b) == nullptr;
      if (t.in_head[b] != 0) { // all that there is
        move_keys(buffers.at(at + head), t.fill[b] - head, array_.at(begin), with_keys);
        continue;
      }
      if (head != 0)
        move_keys(heads.at(at + head), layout_.block - head, array_.at(begin), with_keys);
      move_keys(buffers.at(at), t.fill[b], array_.at(begin + t.counts[b] - t.fill[b]), with_keys);
    }
  }

  // ---- buckets ----

  void sort_buckets(const segment& s, const lanes<K>& from, unsigned workers, unsigned worker, const split<K>& d,
                    const std::uint64_t* begins) {
    const auto bucket = [&](std::size_t b) -> segment {
      return {from.at(begins[b]), s.begin + begins[b], begins[b + 1] - begins[b]};
    };
    call_vector<std::size_t> alone; // buckets that are tasks of one thread
    for (std::size_t b = 0; b < d.buckets(); ++b) {
      const segment one = bucket(b);
      if (one.n == 0)
        continue;
      if (d.is_of_equals(b) || one.n == 1)
        place_equal(one, workers, d.left_out(b));
      else if (workers > 1 && one.n > std::max(s.n / (4 * workers), 8 * layout_.local_limit))
        sort_segment(one, workers, 0);
      else
        alone.push_back(b);
    }
    const auto size = [&](std::size_t b) { return begins[b + 1] - begins[b]; };
    if (workers > 1)
      std::sort(alone.begin(), alone.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    call_vector<segment> large; // of spare lanes, which they would need
    for_each_task(workers, alone.size(), worker == 0 ? job_.progress : nullptr, [&](unsigned w, std::size_t i) {
      segment one = bucket(alone[i]);
      const unsigned by = workers == 1 ? worker : w;
      if (sort_at_once(one, by))
        return;
      const lanes<K> place = array_.at(one.begin);
      if (one.from.keys == place.keys)
        return sort_segment(one, 1, by);
      copy_in_order(one.from, one.n, place, 1);
      one.from = place;
      large.push_back(one);
    });
    for (const segment& one : large)
      sort_segment(one, 1, worker);
  }

  /// A bucket of equal keys, or of one; with the key where a partition has left it out.
  void place_equal(const segment& s, unsigned workers, const K* left_out) {
    const lanes<K> to = array_.at(s.begin);
    if (left_out != nullptr)
      for_each_piece(workers, s.n, 1, [&](std::size_t begin, std::size_t end) {
        kernels_.fill(to.keys + begin, end - begin, *left_out, false);
        if (to.width != 0 && s.from.values != to.values)
          std::memcpy(to.at(begin).values, s.from.at(begin).values, (end - begin) * to.width);
      });
    else
      copy_in_order(s.from, s.n, to, workers);
    finished(s.n);
  }

  const radix_job& whole_;
  const radix_job job_; ///< with values as they are moved
  const in_place_layout layout_;
  const kernels<K>& kernels_;
  const movers<K>& movers_;
  key_image<K> image_;
  const lanes<K> array_;
  bool is_wide_ = false; ///< positions have been written as they are wanted
};

} // namespace sortile::cpu
