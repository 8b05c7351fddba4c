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
// So the sort is stable. The known partitions by blocks (IPS4o) are not: they swap blocks into a bucket in any order;
// here each block has its own slot. Buckets are segments again, until vectors or a local sort take them.
//
// Invariants
//   - A stretch has read at least as many keys as it has written, so no key is overwritten unread.
//   - Slot s of a segment is its keys [s · block, (s + 1) · block). A target slot lies within its bucket's part, so no
//     two blocks have one target.
//   - state[s] says who may touch slot s in step 2: `full`, its block waits; `taken`, a thread reads it; `free`. Only
//     the thread that turned full into taken reads the slot. Only the block whose target it is is written there, once
//     it is free. So every slot is read before it is written.
// Cost: 3 reads and 2 writes a partition, against 2 and 1 out of place; memory 1 MiB a thread and 5 bytes a block.
// Sources: Axtmann, Witt, Ferizovic and Sanders, "In-place parallel super scalar samplesort", ESA 2017; cycle leaders:
// Knuth, TAOCP 1, 1.3.3.
#pragma once

#include "cpu/atomic_view.hpp"
#include "cpu/chain_sort.hpp"
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
      : layout_(sizeof(K), job.value_width, job.n, job.threads, job.scratch_room), kernels_(best_kernels<K>()),
        movers_(best_movers<K>(job.value_width)), job_(job),
        image_(job.type, job.direction, job.bits), array_{static_cast<K*>(job.keys_out),
                                                          static_cast<std::byte*>(job.values_out), job.value_width} {}

  void run() {
    const source<K> input(static_cast<const K*>(job_.keys_in), job_.values_in, job_.value_width);
    if constexpr (sizeof(K) >= 4) { // narrower ones have no room for chains of values
      if (job_.value_width != 0 && job_.n > layout_.local_limit) {
        chain_sorter<K> chains(job_, layout_, image_, array_);
        if (chains.run())
          return;
        if (chains.has_moved())
          return sort_segment({0, job_.n}, layout_.workers, 0);
      }
    }
    copy_in_order(input, job_.n, array_, layout_.workers);
    sort_segment({0, job_.n}, layout_.workers, 0);
  }

 private:
  static constexpr unsigned most_bits = 8;
  static constexpr std::size_t most_buckets = std::size_t{1} << most_bits;
  enum state : std::uint8_t { full, taken, free };

  struct segment {
    std::size_t begin, n;
  };

  /// Beside the buffers of one thread.
  struct tables {
    std::uint64_t counts[most_buckets];
    std::uint64_t begins[most_buckets]; ///< of this thread's part of each bucket, in the segment
    std::uint32_t fill[most_buckets], head[most_buckets], in_head[most_buckets], next[most_buckets];
  };
  static_assert(sizeof(tables) <= in_place_layout::table_bytes);

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
    look_result<K> found = look(s, workers);
    if (found.special) {
      image_.exact = true; // set by the first scan of the whole input, before any other thread reads it
      found = look(s, workers);
    }
    if (found.ascending)
      return finished(s.n);
    if (found.descending) {
      copy_reversed(source<K>(array_.at(s.begin)), s.n, array_.at(s.begin), workers);
      return finished(s.n);
    }
    if (workers == 1 && sort_at_once(s, worker))
      return;
    splitter_tree<K> tree;
    const split<K> d = choose_split(s, static_cast<K>((found.any ^ found.all) & image_.window), tree);
    std::uint64_t begins[most_buckets + 1];
    partition(s, workers, worker, d, begins);
    sort_buckets(s, workers, worker, d, begins);
  }

  /// What needs no partition.
  bool sort_at_once(const segment& s, unsigned worker) {
    const lanes<K> at = array_.at(s.begin);
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
      if (job_.value_width == 0 && sorts_by_vectors(image_) && s.n <= layout_.vector_limit) {
        best_vector_kernels<K>()->sort(at.keys, s.n, image_, at.keys);
        finished(s.n);
        return true;
      }
    }
    if (s.n > layout_.local_limit)
      return false;
    movers_.local(source<K>(at), s.n, image_, at, local_area(worker), false);
    finished(s.n);
    return true;
  }

  void finished(std::size_t n) { job_.progress->add(2 * n); }
  progress_meter* meter(unsigned workers) const { return workers > 1 ? job_.progress : nullptr; }

  look_result<K> look(const segment& s, unsigned workers) const {
    const std::size_t pieces = workers == 1 ? 1 : 4 * std::size_t{workers};
    call_vector<look_result<K>> looks(pieces);
    const K* const keys = array_.keys + s.begin;
    for_each_task(workers, pieces, meter(workers), [&](unsigned, std::size_t p) {
      constexpr std::size_t step = 4096;
      const std::size_t end = part_begin(s.n, pieces, p + 1);
      for (std::size_t i = part_begin(s.n, pieces, p); i < end; i += step)
        kernels_.look(keys + i, std::min(step, end - i), i > 0 ? keys + i - 1 : nullptr, image_, looks[p]);
      if (s.n == job_.n)
        job_.progress->add(end - part_begin(s.n, pieces, p));
    });
    look_result<K> found;
    for (const look_result<K>& l : looks)
      found.join(l);
    return found;
  }

  /// By the highest differing bits, or as a sample suggests where those would leave too much together.
  split<K> choose_split(const segment& s, K differing, splitter_tree<K>& tree) const {
    const split_choice<K> choice(layout_, most_bits, image_, job_.value_width);
    return choice.among(array_.keys + s.begin, s.n, differing, tree);
  }

  // ---- partition ----

  void partition(const segment& s, unsigned workers, unsigned worker, const split<K>& d, std::uint64_t* begins) {
    const std::size_t slots = s.n / layout_.block;
    const unsigned stretches = slots < workers ? 1 : workers;
    const auto number = [&](unsigned stretch) { return workers == 1 ? worker : stretch; };
    const auto begin_of = [&](std::size_t i) { // of stretch i
      return i == stretches ? s.n : part_begin(slots, stretches, i) * layout_.block;
    };
    for_each_task(workers, stretches, meter(workers), [&](unsigned, std::size_t i) {
      tables& t = tables_of(number(static_cast<unsigned>(i)));
      std::fill_n(t.counts, d.buckets(), 0);
      kernels_.histogram(array_.keys + s.begin + begin_of(i), begin_of(i + 1) - begin_of(i), image_, d, t.counts);
    });
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < d.buckets(); ++b) {
      begins[b] = sum;
      for (unsigned i = 0; i < stretches; ++i) {
        tables_of(number(i)).begins[b] = sum;
        sum += tables_of(number(i)).counts[b];
      }
    }
    begins[d.buckets()] = sum;
    for_each_task(workers, stretches, meter(workers), [&](unsigned, std::size_t i) {
      collect(s, d, number(static_cast<unsigned>(i)), begin_of(i), begin_of(i + 1));
    });
    for_each_task(workers, stretches, meter(workers), [&](unsigned w, std::size_t i) {
      permute(s, begin_of(i) / layout_.block, begin_of(i + 1) / layout_.block, workers == 1 ? worker : w);
    });
    for_each_task(workers, stretches, meter(workers), [&](unsigned, std::size_t i) {
      fill_edges(s, d, number(static_cast<unsigned>(i)));
      if (s.n == job_.n)
        job_.progress->add(begin_of(i + 1) - begin_of(i));
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
    const auto take_out = [&](std::size_t slot, const lanes<K>& to) { // false: there is nothing to take
      std::uint8_t seen = full;
      if (!state_of(slot).compare_exchange(seen, taken))
        return false;
      move_block(slot_of(s, slot), to);
      state_of(slot).store(free, std::memory_order_release);
      return true;
    };
    lanes<K> carried = block_area(worker, 2), met = block_area(worker, 3);
    for (std::size_t slot = first; slot < last; ++slot) {
      if (state_of(slot).load(std::memory_order_relaxed) != full || targets[slot] == slot || !take_out(slot, carried))
        continue; // where a block is at its target already, no other block has that target
      for (std::size_t to = targets[slot];;) {
        const bool goes_on = take_out(to, met);
        while (state_of(to).load(std::memory_order_acquire) != free) // another thread is reading what lies there
          std::this_thread::yield();
        move_block(carried, slot_of(s, to));
        if (!goes_on)
          break;
        to = targets[to];
        std::swap(carried, met);
      }
    }
  }

  lanes<K> slot_of(const segment& s, std::size_t slot) const { return array_.at(s.begin + slot * layout_.block); }

  void move_block(const lanes<K>& from, const lanes<K>& to) const { move_keys(from, layout_.block, to); }

  static void move_keys(const lanes<K>& from, std::size_t n, const lanes<K>& to) {
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
      if (t.in_head[b] != 0) { // all that there is
        move_keys(buffers.at(at + head), t.fill[b] - head, array_.at(begin));
        continue;
      }
      if (head != 0)
        move_keys(heads.at(at + head), layout_.block - head, array_.at(begin));
      move_keys(buffers.at(at), t.fill[b], array_.at(begin + t.counts[b] - t.fill[b]));
    }
  }

  // ---- buckets ----

  void sort_buckets(const segment& s, unsigned workers, unsigned worker, const split<K>& d,
                    const std::uint64_t* begins) {
    call_vector<std::size_t> alone; // buckets that are tasks of one thread
    for (std::size_t b = 0; b < d.buckets(); ++b) {
      const segment bucket{s.begin + begins[b], begins[b + 1] - begins[b]};
      if (d.is_of_equals(b) || bucket.n < 2)
        finished(bucket.n);
      else if (workers > 1 && bucket.n > std::max(s.n / (4 * workers), 8 * layout_.local_limit))
        sort_segment(bucket, workers, 0);
      else
        alone.push_back(b);
    }
    const auto size = [&](std::size_t b) { return begins[b + 1] - begins[b]; };
    if (workers > 1)
      std::sort(alone.begin(), alone.end(), [&](std::size_t a, std::size_t b) { return size(a) > size(b); });
    for_each_task(workers, alone.size(), worker == 0 ? job_.progress : nullptr, [&](unsigned w, std::size_t i) {
      const segment bucket{s.begin + begins[alone[i]], size(alone[i])};
      const unsigned by = workers == 1 ? worker : w;
      if (!sort_at_once(bucket, by))
        sort_segment(bucket, 1, by);
    });
  }

  const in_place_layout layout_;
  const kernels<K>& kernels_;
  const movers<K>& movers_;
  const radix_job& job_;
  key_image<K> image_;
  const lanes<K> array_;
};

} // namespace sortile::cpu
