// The CPU's radix sort: scan, partition, local.
//
// A segment (at first the whole input) that is larger than a core's L2 cache can hold is scanned once, all threads
// sharing the work: which bits differ, is it in order already, how many keys does each bucket of its highest differing
// bits get. It is then partitioned by those bits, stably, into up to 2048 buckets in the other buffer, and each bucket
// is a segment again. Where a sample shows that those bits would leave too much together, it is partitioned by a map
// (cell_map.hpp) or between splitters (kernels_splitters.ipp), beside heavy keys (kernels_heavy.ipp), or around one
// very frequent key. A segment that fits is sorted locally (kernels_local.hpp) into the place where the result belongs.
//
//          input            spare                     result
//        [ ------- ] ──▶ [ b0 | b1 | … | b2047 ] ──▶ [ ------- ]     each key: scanned once, moved twice in memory,
//             scan + partition          local (inside L2)            whatever its width
//
// Invariants
//   - Every move is stable: chunks of a segment are in input order, and bucket b of chunk c starts where bucket b of
//     chunk c − 1 ends. So the whole is stable, and the result does not depend on the number of threads.
//   - A digit starts at the highest bit in which keys of the segment differ, so each partition splits; no key is moved
//     for bits that are equal throughout.
//   - The input is only read, unless it is the result or spare buffer.
//
// Parallelism: scan and partition share chunks of a segment. Buckets are tasks, handed out largest first. A bucket that
// would keep one thread busy while others idle is not a task but a segment for all threads: skew cannot serialise the
// sort.
//
// Shortcuts that the scan finds: keys in order are copied, or left; strictly descending ones are reversed; equal ones
// are in order. Keys alone whose differing bits span at most 16 are counted, and written from the counts.
//
// Cost: for uniform keys 3 reads and 2 writes of the input.
//
// Source: MSD radix sort with write-combining: Wassenberg and Sanders, "Engineering a multi-core radix sort", Euro-Par
// 2011; Polychroniou and Ross, "A comprehensive study of main-memory partitioning", SIGMOD 2014.
#pragma once

#include "cpu/byte_scatter.hpp"
#include "cpu/chain_sort.hpp"
#include "cpu/heavy_pairs.hpp"
#include "cpu/in_order.hpp"
#include "cpu/kernels_words.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/split_choice.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <span>

namespace sortile::cpu {

template <class K>
class radix_sorter {
 public:
  explicit radix_sorter(const radix_job& job)
      : layout_(sizeof(K), job.value_width, job.n, job.threads), kernels_(best_kernels<K>()),
        movers_(best_movers<K>(job.value_width)), job_(job), image_(job.type, job.direction, job.bits),
        result_(lanes_of(job.keys_out, job.values_out)), spare_(lanes_of(job.spare_keys, job.spare_values)) {}

  /// False where it has stopped at −0 or a NaN.
  bool run() {
    const source<K> input(static_cast<const K*>(job_.keys_in), job_.values_in, job_.value_width);
    image_.exact = image_.is_float && job_.n <= insertion_limit;
    if (job_.n <= insertion_limit)
      movers_.local(input, job_.n, image_, result_, {}, false);
    else if (scattered() || merged())
      return true;
    else if (!chained())
      sort_segment({input, 0, job_.n, false}, layout_.workers, 0);
    return !stopped_;
  }

 private:
  // Of 8-bit keys with values, unless they may be in order: then the scan finds a shorter way.
  bool scattered() {
    if constexpr (sizeof(K) == 1)
      if (job_.values_in != job_.values_out && scatters_bytes(job_.type, job_.n, job_.value_width, job_.bits)) {
        look_result<K> found;
        kernels_.look(static_cast<const K*>(job_.keys_in), std::min<std::size_t>(job_.n, 1024), nullptr, image_, found);
        if (found.ascending || found.descending)
          return false;
        byte_scatter(job_, image_, layout_.workers).run();
        return true;
      }
    return false;
  }

  // Keys of 128 bits alone, which no vectors sort, of which few are out of place: these are taken out while the others
  // go to the result, sorted, and merged into them. Either the key that is below the one before it is out of place, or
  // a few before it are, where it goes behind the one before those. Equal keys are equal bits, so the sort need not be
  // stable, and after giving up a prefix of the input has changed its order.
  bool merged() const {
    if constexpr (sizeof(K) == 16) {
      constexpr unsigned most_threads = 4; // more sort sooner
      constexpr std::size_t at_first = 4, share = 32, most_before = 3;
      if (job_.value_width != 0 || image_.window != static_cast<K>(~K{0}) || layout_.workers > most_threads)
        return false;
      const K* const from = static_cast<const K*>(job_.keys_in);
      K* const to = result_.keys;
      const auto below = [&](K a, K b) { return image_.plain(a) < image_.plain(b); };
      call_vector<K> out;
      out.reserve(at_first + job_.n / share + most_before);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < job_.n; ++i) {
        const K key = from[i];
        if (kept > 0 && below(key, to[kept - 1])) {
          if (out.size() >= at_first + i / share) {
            if (from == to)
              std::copy(out.begin(), out.end(), to + kept);
            return false;
          }
          std::size_t before = 1;
          while (before <= most_before && before < kept && below(key, to[kept - 1 - before]))
            ++before;
          if (before > most_before) {
            out.push_back(key);
            continue;
          }
          out.insert(out.end(), to + kept - before, to + kept);
          kept -= before;
        }
        to[kept++] = key;
      }
      std::sort(out.begin(), out.end(), below);
      for (std::size_t at = job_.n; !out.empty();) {
        const bool is_out = kept == 0 || !below(out.back(), to[kept - 1]);
        to[--at] = is_out ? out.back() : to[--kept];
        if (is_out)
          out.pop_back();
      }
      job_.progress->add(4 * job_.n);
      return true;
    }
    return false;
  }

  // Pairs of few values. Of a local sort some keys must say so before a larger sample is drawn: the fewer pairs, the
  // more clearly.
  bool chained() {
    if (job_.value_width == 0)
      return false;
    const auto* const keys = static_cast<const K*>(job_.keys_in);
    // Fewer than least_packed have been looked at by short sorts.
    constexpr std::size_t least_packed = 512, least_chained = 2048, most_of_short = 32, most = 60;
    const bool is_local = job_.n <= layout_.local_limit,
               may_pack [[maybe_unused]] = job_.n >= least_packed && image_.window == static_cast<K>(~K{0}) &&
                                           (is_local || layout_.workers == 1);
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
      if (may_pack && packed({keys, job_.n, job_.n}))
        return true;
    if (!is_local)
      return chain_sorter<K>(job_, layout_, image_, result_, spare_).run();
    return job_.n >= least_chained &&
           values_of_few<K>(keys, job_.n, image_) <= (job_.n < key_sample<K>::short_below ? most_of_short : most) &&
           chain_sorter<K>(job_, local_area(0), image_, result_).run();
  }

  // Most of them have heavy keys; those that are in order have a shorter way.
  bool packed(heavy_pairs<K> heavy) {
    constexpr std::size_t most_chains = 4;
    const bool is_local = job_.n <= layout_.local_limit;
    // Of few keys alone whole lines go past the caches as chains; which of many a wide key is takes less time to look
    // up than to compare it with all. A large rest is partitioned into the result here, where small pages cost more
    // than beside heavy keys into the spare arrays.
    const bool other_ways_pay = heavy.keys() * sizeof(K) > 64 ||
                                (streams(job_.n / 4) && (heavy.are_all() ? heavy.keys() <= most_chains
                                                                         : heavy.likely_rest(job_.n) > job_.n / 2));
    if (!heavy.is_likely() || (!is_local && other_ways_pay) || (!heavy.is_one() && are_in_order()))
      return false;
    const local_scratch<K> scratch = local_area(0);
    const auto sort_rest = [&](const lanes<K>& rest, std::size_t n, std::span<std::byte> room) {
      const std::size_t lane_keys = (n + 63) / 64 * 64;
      const key_image<K> exact = image_.exactly();
      local_scratch<K> own;
      own.counts = scratch.counts;
      if (n > insertion_limit) {
        if (room.size() < 3 * lane_keys * (sizeof(K) + rest.width))
          return lanes<K>{};
        own.first = {reinterpret_cast<K*>(room.data()), room.data() + 3 * lane_keys * sizeof(K), rest.width};
        own.second = own.first.at(lane_keys);
        own.result = own.second.at(lane_keys);
      }
      movers_.local(rest, n, exact, rest, own, false);
      return rest;
    };
    // The rest lies in the end of the spare arrays, and goes to that of the result.
    std::size_t told = 0; // of progress, by the sort of the rest
    const auto sort_long_rest = [&](const lanes<K>& rest, std::size_t n, std::span<std::byte>) {
      const std::size_t begin = job_.n - n;
      told = 2 * n;
      sort_segment({source<K>(rest.keys, rest.values, rest.width), begin, n, true}, 1, 0);
      return result_.at(begin);
    };
    const source<K> input(static_cast<const K*>(job_.keys_in), job_.values_in, job_.value_width);
    if (is_local) {
      const std::span<std::byte> room(reinterpret_cast<std::byte*>(scratch.first.keys), layout_.lanes_bytes);
      if (!heavy.sort(input, job_.n, result_, image_, heavy.likely_rest(job_.n), {{}, 0, {room, {}}},
                      std::ref(sort_rest)))
        return false;
    } else {
      const std::size_t rest = heavy.likely_rest(job_.n), beside = job_.n - rest;
      const heavy_room<K> room{spare_.at(beside),
                               rest,
                               {std::span(spare_.values, beside * spare_.width),
                                std::span(reinterpret_cast<std::byte*>(spare_.keys), beside * sizeof(K))}};
      if (!heavy.sort(input, job_.n, result_, image_, job_.n, room, std::ref(sort_long_rest)))
        return false;
    }
    job_.progress->add(4 * job_.n - told);
    return true;
  }

  bool are_in_order() const {
    const auto* const keys = static_cast<const K*>(job_.keys_in);
    const key_image<K> exact = image_.exactly();
    look_result<K> found;
    kernels_.look(keys, std::min<std::size_t>(job_.n, 64), nullptr, exact, found);
    if (found.ascending)
      kernels_.look(keys, job_.n, nullptr, exact, found);
    return found.ascending;
  }

  static constexpr std::size_t block_keys = 4096; // scanned, then counted, while in the L1 cache
  static constexpr unsigned counting_bits = 16;

  struct segment {
    source<K> from;    // its first key
    std::size_t begin; // its place in the result
    std::size_t n;
    bool in_spare; // else in the input (first level) or in the result
  };

  // Positions of a chunk's buckets while it is moved, and where they began.
  struct chunk_counts {
    std::uint64_t position[max_buckets];
    std::uint64_t start[max_buckets];
  };

  // A part of a segment that one thread scans, counts and moves at a time.
  struct chunk {
    std::size_t begin, end;  // in the segment
    chunk_counts* counts;    // of its buckets
    kept_digits kept;        // where it has a tree or a map: in memory that nothing else is in meanwhile
    look_result<K> found{};  // what the scan met
    std::size_t counted = 0; // of its first keys, by the scan

    std::size_t keys() const { return end - begin; }
    kept_digits kept_of(const split<K>& d) const { return d.tree != nullptr ? kept : kept_digits{}; }
  };

  // ---- scratch ----

  lanes<K> lanes_of(void* keys, void* values) const {
    return {static_cast<K*>(keys), static_cast<std::byte*>(values), job_.value_width};
  }

  std::byte* worker_area(unsigned worker) const { return job_.scratch + worker * layout_.worker_bytes; }

  local_scratch<K> local_area(unsigned worker) const {
    return {worker_area(worker), layout_.lane_keys, job_.value_width};
  }

  std::byte* line_area(unsigned worker) const {
    return worker_area(worker + 1) - layout_.line_bytes - sizeof(chunk_counts);
  }

  chunk_counts* counts_of(unsigned workers, unsigned worker) const {
    std::byte* const at = workers == 1 ? worker_area(worker + 1) - sizeof(chunk_counts) : worker_area(layout_.workers);
    return reinterpret_cast<chunk_counts*>(at);
  }

  // Digits of chunks are kept where the result will be made, if that is neither read nor written by a partition, else
  // in the lanes of local sorts, as far as those reach.
  call_vector<chunk> chunks_of(const segment& s, unsigned workers, unsigned worker) const {
    const std::size_t chunks = workers == 1 ? 1 : layout_.chunks;
    const std::size_t sharers = workers == 1 ? 1 : chunks / workers; // chunks that share one worker's lanes
    const std::size_t room = layout_.lanes_bytes / sizeof(std::uint16_t) / sharers;
    const bool beside = sizeof(K) >= sizeof(std::uint16_t) && !s.in_spare && s.from.keys != result_.keys + s.begin;
    call_vector<chunk> all;
    for (std::size_t c = 0; c < chunks; ++c) {
      const std::size_t begin = part_begin(s.n, chunks, c), end = part_begin(s.n, chunks, c + 1);
      const unsigned owner = workers == 1 ? worker : static_cast<unsigned>(c / sharers);
      auto* const lanes = reinterpret_cast<std::uint16_t*>(local_area(owner).first.keys);
      auto* const places = reinterpret_cast<std::uint16_t*>(result_.keys + s.begin + begin);
      const kept_digits kept = beside ? kept_digits{places, end - begin}
                                      : kept_digits{lanes + c % sharers * room, std::min(end - begin, room)};
      all.push_back({begin, end, counts_of(workers, worker) + c, kept});
    }
    return all;
  }

  // ---- segments ----

  // Sorts a segment into its place in the result. With several workers it runs on the calling thread and shares the
  // work out; with one it is a task of `worker`.
  void sort_segment(const segment& s, unsigned workers, unsigned worker) {
    call_vector<chunk> chunks = chunks_of(s, workers, worker);
    splitter_tree<K> tree; // where the guess is to split by one, or by a map
    split<K> guess = s.n <= layout_.local_limit ? split<K>{} : choice().guess(s.from.keys, s.n, tree);
    look_result<K> found = look(s, workers, guess, chunks);
    if (found.special && job_.stops_at_specials) {
      stopped_ = true;
      return;
    }
    if (found.special) {
      image_.exact = true; // set by the first scan of the whole input, before any other thread reads it
      guess = s.n <= layout_.local_limit ? guess : choice().guess(s.from.keys, s.n, tree);
      found = look(s, workers, guess, chunks);
    }
    if (found.ascending)
      return place(s, workers);
    if (found.descending)
      return place_reversed(s, workers);
    const K differing = static_cast<K>(found.any ^ found.all);
    if (can_count(differing, s.n))
      return count_and_fill(s, workers, worker, found);
    if (s.n <= layout_.local_limit || (workers == 1 && s.n <= vector_limit(s)))
      return sort_locally(s, worker);
    const split<K> d = choice().final(s.from.keys, s.n, guess, static_cast<K>(differing & image_.window), tree);
    count_rest(s, workers, d, d == guess, chunks);
    std::uint64_t begins[max_buckets + 1];
    find_begins(s, workers, d, chunks, begins);
    partition(s, workers, worker, d, chunks);
    sort_buckets(s, workers, worker, d, begins);
  }

  void sort_locally(const segment& s, unsigned worker) {
    const bool stream = s.in_spare && streams(job_.n);
    if (!sort_by_vectors(s, worker, stream))
      movers_.local(s.from, s.n, image_, result_.at(s.begin), local_area(worker), stream);
    finished(s.n);
  }

  // In main memory, what is in cache is sorted first and written then; what is not is sorted where it comes to lie.
  bool sort_by_vectors(const segment& s, unsigned worker, bool stream) {
    if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
      if (job_.value_width != 0 || !sorts_by_vectors(image_))
        return false;
      K* const to = result_.keys + s.begin;
      K* const lane = stream && s.n <= layout_.local_limit ? local_area(worker).result.keys : to;
      best_vector_kernels<K>()->sort(s.from.keys, s.n, image_, lane);
      if (lane != to)
        kernels_.write_out(lane, s.n * sizeof(K), to);
      return true;
    }
    return false;
  }

  // Segments above the local limit that vectors sort in place sooner than another partition would.
  std::size_t vector_limit(const segment& s) const {
    if (job_.value_width != 0 || !sorts_by_vectors(image_))
      return 0;
    return (s.in_spare ? tuning().skewed_vector_bytes : tuning().vector_bytes) / sizeof(K);
  }

  // Progress: the scan of the whole input, its partition and its local sorts count 1 : 1 : 2; further steps on parts of
  // it do not count.
  void moved_along(const segment& s, std::size_t n) const {
    if (s.n == job_.n)
      job_.progress->add(n);
  }
  bool streams(std::size_t n) const { return n * (sizeof(K) + job_.value_width) >= tuning().stream_from_bytes; }

  void finished(std::size_t n) { job_.progress->add(2 * n); }

  // ---- look ----

  split_choice<K> choice() const { return {layout_, image_, job_.value_width}; }

  look_result<K> look(const segment& s, unsigned workers, const split<K>& guess, call_vector<chunk>& chunks) const {
    for_each_task(workers, chunks.size(), meter(workers), [&](unsigned, std::size_t c) {
      scan_chunk(s, guess, chunks[c]);
      moved_along(s, chunks[c].keys());
    });
    look_result<K> found;
    for (const chunk& c : chunks)
      found.join(c.found);
    return found;
  }

  // As long as the chunk is in order nothing is counted: it may be in order to the end.
  void scan_chunk(const segment& s, const split<K>& guess, chunk& c) const {
    c.found = {};
    c.counted = 0;
    if (guess.is_any())
      std::fill_n(c.counts->position, guess.buckets(), 0);
    for (std::size_t i = c.begin; i < c.end;) {
      const std::size_t n = std::min(block_keys, c.end - i);
      kernels_.look(s.from.keys + i, n, i > 0 ? s.from.keys + i - 1 : nullptr, image_, c.found);
      i += n;
      if (c.found.special && !image_.exact)
        return;
      if (guess.is_any() && !c.found.ascending && !c.found.descending) {
        count_keys(s, guess, c, c.counted, i - c.begin);
        c.counted = i - c.begin;
      }
    }
  }

  // Counts keys [first, last) of a chunk.
  void count_keys(const segment& s, const split<K>& d, const chunk& c, std::size_t first, std::size_t last) const {
    const K* const keys = s.from.keys + c.begin;
    const kept_digits kept = c.kept_of(d);
    const std::size_t middle = std::clamp(kept.n, first, last);
    if (first < middle)
      kernels_.count_and_keep(keys + first, middle - first, image_, d, c.counts->position, kept.digits + first);
    if (middle < last)
      kernels_.histogram(keys + middle, last - middle, image_, d, c.counts->position);
  }

  // Counts what the scan did not, or everything where it counted the wrong digit.
  void count_rest(const segment& s, unsigned workers, const split<K>& d, bool guessed,
                  const call_vector<chunk>& chunks) const {
    const auto counted = [&](const chunk& c) { return guessed ? c.counted : 0; };
    if (std::all_of(chunks.begin(), chunks.end(), [&](const chunk& c) { return counted(c) == c.keys(); }))
      return;
    for_each_task(workers, chunks.size(), meter(workers), [&](unsigned, std::size_t i) {
      const chunk& c = chunks[i];
      if (!guessed)
        std::fill_n(c.counts->position, d.buckets(), 0);
      count_keys(s, d, c, counted(c), c.keys());
    });
  }

  // ---- partition ----

  // Turns counts into positions in the target: bucket by bucket, within a bucket chunk by chunk. begins[b] counts from
  // the segment. The counts are read as they lie, some buckets of one chunk after the other: those of one bucket lie
  // far apart, in caches of all threads.
  void find_begins(const segment& s, unsigned workers, const split<K>& d, const call_vector<chunk>& chunks,
                   std::uint64_t* begins) const {
    constexpr std::size_t together = 128;
    const std::size_t buckets = d.buckets();
    const auto some_buckets = [&](auto f) { // f(first, last)
      for_each_task(workers, (buckets + together - 1) / together, nullptr,
                    [&](unsigned, std::size_t t) { f(t * together, std::min(buckets, (t + 1) * together)); });
    };
    begins[0] = 0;
    some_buckets([&](std::size_t first, std::size_t last) {
      std::fill(begins + first + 1, begins + last + 1, 0);
      for (const chunk& c : chunks)
        for (std::size_t b = first; b < last; ++b)
          begins[b + 1] += c.counts->position[b];
    });
    std::partial_sum(begins, begins + buckets + 1, begins);
    some_buckets([&](std::size_t first, std::size_t last) {
      std::uint64_t at[together];
      std::transform(begins + first, begins + last, at, [&](std::uint64_t begin) { return s.begin + begin; });
      for (const chunk& c : chunks)
        for (std::size_t b = first; b < last; ++b) {
          const std::uint64_t count = c.counts->position[b];
          c.counts->position[b] = c.counts->start[b] = at[b - first];
          at[b - first] += count;
        }
    });
  }

  void partition(const segment& s, unsigned workers, unsigned worker, const split<K>& d,
                 const call_vector<chunk>& chunks) {
    const lanes<K> target = s.in_spare ? result_ : spare_;
    const bool stream = streams(s.n);
    for_each_task(workers, chunks.size(), meter(workers), [&](unsigned w, std::size_t i) {
      const chunk& c = chunks[i];
      movers_.partition(s.from.at(c.begin), c.keys(), image_, d, c.kept_of(d), c.counts->position, c.counts->start,
                        target, stream, line_area(workers == 1 ? worker : w));
      moved_along(s, c.keys());
    });
  }

  void sort_buckets(const segment& s, unsigned workers, unsigned worker, const split<K>& d,
                    const std::uint64_t* begins) {
    const lanes<K> target = s.in_spare ? result_ : spare_;
    const auto bucket = [&](std::size_t b) -> segment {
      const std::size_t begin = s.begin + begins[b];
      return {target.at(begin), begin, begins[b + 1] - begins[b], !s.in_spare};
    };
    if (workers == 1) {
      for (std::size_t b = 0; b < d.buckets(); ++b) {
        sort_bucket(bucket(b), worker, d, b);
        if (worker == 0)
          job_.progress->report();
      }
      return;
    }
    sort_buckets_together(workers, d, begins, bucket);
  }

  void sort_bucket(const segment& s, unsigned worker, const split<K>& d, std::size_t b) {
    if (s.n == 0)
      return;
    if (d.is_of_equals(b))
      place_equal(s, 1, d);
    else if (s.n <= layout_.local_limit || s.n <= vector_limit(s))
      sort_locally(s, worker);
    else
      sort_segment(s, 1, worker);
  }

  // Buckets too large for one thread first, each by all; then the others as tasks, large ones one by one, small ones in
  // groups.
  template <class Bucket>
  void sort_buckets_together(unsigned workers, const split<K>& d, const std::uint64_t* begins, Bucket bucket) {
    struct task {
      std::size_t n;
      std::size_t first, last; // buckets
    };
    const std::size_t all = begins[d.buckets()];
    const std::size_t too_large = std::max(all / (4 * workers), 8 * layout_.local_limit);
    const std::size_t group = std::min(std::max(all / (64 * workers), layout_.local_limit / 8), layout_.local_limit);
    call_vector<task> tasks;
    for (std::size_t b = 0; b < d.buckets(); ++b) {
      const std::size_t n = begins[b + 1] - begins[b];
      if (n > too_large) {
        d.is_of_equals(b) ? place_equal(bucket(b), workers, d) : sort_segment(bucket(b), workers, 0);
        continue;
      }
      if (n == 0)
        continue;
      if (!tasks.empty() && tasks.back().last == b && tasks.back().n + n <= group)
        tasks.back() = {tasks.back().n + n, tasks.back().first, b + 1};
      else
        tasks.push_back({n, b, b + 1});
    }
    std::sort(tasks.begin(), tasks.end(), [](const task& a, const task& b) { return a.n > b.n; });
    for_each_task(workers, tasks.size(), job_.progress, [&](unsigned w, std::size_t t) {
      for (std::size_t b = tasks[t].first; b < tasks[t].last; ++b)
        sort_bucket(bucket(b), w, d, b);
    });
  }

  progress_meter* meter(unsigned workers) const { return workers > 1 ? job_.progress : nullptr; }

  // ---- segments in order already ----

  void place(const segment& s, unsigned workers) {
    copy_in_order(s.from, s.n, result_.at(s.begin), workers);
    finished(s.n);
  }

  // Of a bucket of equal keys. Where those are equal bits, the first one is written again and again: others need not be
  // there. Where they are, and in place, nothing is to be done.
  void place_equal(const segment& s, unsigned workers, const split<K>& d) {
    const bool in_place = !s.in_spare && !d.leaves_keys_out();
    if (in_place || image_.exact || image_.window != static_cast<K>(~K{0}))
      return place(s, workers);
    const K key = s.from.keys[0];
    const lanes<K> to = result_.at(s.begin);
    const bool stream = streams(job_.n);
    for_each_piece(workers, s.n, 1, [&](std::size_t begin, std::size_t end) {
      kernels_.fill(to.keys + begin, end - begin, key, stream);
      if (to.width == 0 || !s.in_spare)
        return;
      const std::size_t bytes = (end - begin) * to.width;
      if (stream)
        kernels_.write_out(s.from.at(begin).values, bytes, to.at(begin).values);
      else
        std::memcpy(to.at(begin).values, s.from.at(begin).values, bytes);
    });
    finished(s.n);
  }

  void place_reversed(const segment& s, unsigned workers) {
    copy_reversed(s.from, s.n, result_.at(s.begin), workers);
    finished(s.n);
  }

  // ---- count and fill ----

  // Equal keys must be equal bits: keys alone, plain images, and no key differs outside the window.
  bool can_count(K differing, std::size_t n) const {
    if (job_.value_width != 0 || image_.exact || static_cast<K>(differing & image_.window) != differing)
      return false;
    const unsigned span = span_of(differing).bits;
    return span <= counting_bits && n >= std::size_t{4} << span &&
           sizeof(std::uint64_t) << span <= 2 * layout_.lane_keys * sizeof(K);
  }

  static digit span_of(K differing) { return highest_digit(differing, 8 * sizeof(K)); }

  // The counts lie in the lanes of the local sorts, which do nothing meanwhile.
  void count_and_fill(const segment& s, unsigned workers, unsigned worker, const look_result<K>& found) {
    const digit d = span_of(static_cast<K>(found.any ^ found.all));
    const std::size_t buckets = d.buckets();
    const auto counts = [&](unsigned w) {
      return reinterpret_cast<std::uint64_t*>(local_area(workers == 1 ? worker : w).first.keys);
    };
    for (unsigned w = 0; w < workers; ++w)
      std::fill_n(counts(w), buckets, 0);
    const std::size_t pieces = workers == 1 ? 1 : layout_.chunks;
    for_each_task(workers, pieces, meter(workers), [&](unsigned w, std::size_t c) {
      const std::size_t begin = part_begin(s.n, pieces, c), end = part_begin(s.n, pieces, c + 1);
      kernels_.histogram(s.from.keys + begin, end - begin, image_, d, counts(w));
    });
    std::uint64_t* const ends = counts(0); // of each bucket in the result
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      for (unsigned w = 0; w < workers; ++w)
        sum += counts(w)[b];
      ends[b] = sum;
    }
    const K base = static_cast<K>(found.all & static_cast<K>(~static_cast<K>(static_cast<K>(buckets - 1) << d.shift)));
    K* const to = result_.keys + s.begin;
    for_each_task(workers, pieces, meter(workers), [&](unsigned, std::size_t c) {
      fill_between(to, part_begin(s.n, pieces, c), part_begin(s.n, pieces, c + 1), ends, buckets, [&](std::size_t b) {
        return image_.key_of(static_cast<K>(base | static_cast<K>(static_cast<K>(b) << d.shift)));
      });
    });
    finished(s.n);
  }

  const radix_layout layout_;
  const kernels<K>& kernels_;
  const movers<K>& movers_;
  const radix_job& job_;
  key_image<K> image_;
  const lanes<K> result_;
  const lanes<K> spare_;
  bool stopped_ = false;
};

} // namespace sortile::cpu
