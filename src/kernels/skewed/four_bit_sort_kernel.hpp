// Sorts the buckets of 32-bit keys that are too large for the steps before (medium_sort_kernel.hpp), by counting in
// four bits, before the others are counted (count_skewed_kernel.hpp), whose counters of sixteen bits leave no room for
// a second block.
//
//   count    a counter of four bits for each of 2^16 values (bucket_values.hpp), eight in a word of shared storage
//   place    each warp goes through 2048 neighbouring values, and writes down their ranks, each as often as counted
//   write    ranks become keys again
//
//   values    0 1 2 3 4 5 6 7 …      counters    2 0 0 1 0 3 0 0 …      ranks    0 0 3 5 5 5 …
//
// Keys that are spread over a bucket's values hardly ever have one of them sixteen times, where there are up to four
// for a value. Where one has, the bucket stays as it is, and in the list of deferred buckets, as do larger buckets,
// such with outliers (keys from outside of the interval), and smaller ones whose values suited the step before. Others
// leave `done` in their place. Where there are giant buckets, values repeat that no counts foretell: then a value that
// occurs six times in the first 4096 keys is enough.
//
// As many blocks as are resident go through the list. In place is allowed: a bucket is read before it is written.
//
// Traffic: 2 sizeof(key) per key. Shared storage 115 KB, two blocks a multiprocessor (of sm_80: one).
#pragma once

#include "kernels/skewed/medium_sort_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Image = integer_image<std::uint32_t>>
struct four_bit_sort_kernel {
  using Word = typename Image::word;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024, min_blocks = 2;
  static constexpr unsigned counter_bits = 4, most = (1u << counter_bits) - 1, in_a_word = 32 / counter_bits;
  static constexpr unsigned words = bucket_ranks::most / in_a_word, warps = block_threads / simt::warp_size;
  static constexpr unsigned rows = words / block_threads; // of 32 words, that a warp places
  static constexpr unsigned capacity = 40'960;            ///< keys, and what lies before them in a vector
  static constexpr std::uint32_t keys_a_value = 4;
  static constexpr std::uint32_t most_at_first = 5; ///< of a value, in the first row of a vector a thread
  using medium = typename medium_sort_kernel<Image>::local;
  static constexpr int vector = 4, in_flight = 4;
  struct shared {
    alignas(16) simt::shared_array<std::uint32_t, words> counters;
    alignas(16) simt::shared_array<std::uint16_t, capacity> ranks;
    simt::shared_array<std::uint32_t, warps> keys;           // that each warp places
    simt::shared_value<Word> first;                          // of the bucket's values, from the window's lowest image
    simt::shared_value<std::uint32_t> often, often_at_first; ///< 1: some value occurs too often
  };
  static_assert(sizeof(shared) <= 227 * 1024 / min_blocks - 1024);

  skewed_arrays<Image> at;
  std::uint32_t n;

  SORTILE_DEVICE void operator()(shared& s) const {
    const key_window<Word> w = at.window.load(0);
    if (course_of<Word>(at.deferred.findings, w, at.bins()) != key_course::buckets)
      return;
    const auto many = std::uint32_t(at.deferred.findings.load(finding_deferred));
    const bool repeats = at.deferred.findings.load(finding_giants) != 0;
    for (std::uint32_t q = simt::block_index(); q < many; q += simt::grid_size()) {
      if (const std::uint32_t next = q + simt::grid_size(); next < many && takes(bucket_at(next), w))
        prefetch(bucket_at(next));
      const bucket b = bucket_at(q);
      if (!takes(b, w) || has_outliers(at.deferred.findings, w, b.number, at.bins()))
        continue;
      if (sort(s, b, w, repeats) && simt::thread_index() == 0)
        at.deferred.buckets[q] = bucket_list::done;
    }
  }

 private:
  /// Places count from `first`, the last multiple of a vector at or before the bucket: its keys are [lead, end).
  struct bucket {
    std::uint32_t number, first, lead, end;
  };
  SORTILE_DEVICE bucket bucket_at(std::uint32_t place) const {
    const std::uint32_t number = at.deferred.buckets.load(place);
    if (number == bucket_list::done)
      return {number, 0, 0, 0};
    const std::uint32_t begin = at.start.load(number), lead = begin % unsigned(vector);
    return {number, begin - lead, lead, at.start.load(number + 1) - begin + lead};
  }
  SORTILE_DEVICE bool takes(const bucket& b, const key_window<Word>& w) const {
    const std::uint32_t keys = b.end - b.lead, values = at.values_a_bucket(w);
    return b.end <= capacity && keys <= keys_a_value * values &&
           (b.end > medium::capacity || medium::will_be_skewed(keys, values));
  }
  SORTILE_DEVICE void prefetch(const bucket& b) const {
    constexpr std::uint32_t line = 128 / sizeof(Word);
    for (std::uint32_t p = line * simt::thread_index(); p < b.end; p += line * block_threads)
      simt::prefetch(at.in, b.first + p);
  }

  /// False, in all threads, where nothing was done.
  SORTILE_DEVICE bool sort(shared& s, const bucket& b, const key_window<Word>& w, bool repeats) const {
    const unsigned t = simt::thread_index();
    for (unsigned i = vector * t; i < words; i += vector * block_threads)
      simt::store_vector<vector>(s.counters, i, simt::vec<std::uint32_t, vector>{});
    if (t == 0) {
      s.often = 0;
      s.often_at_first = 0;
      s.first = w.first_of(b.number, at.bits); // a division, by one thread
    }
    simt::block_barrier();
    const auto distance = key_distance<Image>::from(Word(w.low + Word(s.first)), at.image);
    count(s, b, distance, repeats);
    simt::block_barrier();
    if (s.often != 0 || s.often_at_first != 0) {
      simt::block_barrier(); // all have read that
      return false;
    }
    place(s, b);
    simt::block_barrier();
    write(s, b, distance);
    return true;
  }
  SORTILE_DEVICE void count(shared& s, const bucket& b, const key_distance<Image>& distance, bool repeats) const {
    constexpr std::uint32_t row = vector * block_threads;
    std::uint32_t p = vector * simt::thread_index();
    bool gives_up = one_value_leads(b, p); // before all of its keys add to one word
    if (gives_up)
      s.often.store(0, 1u, simt::relaxed, simt::block_scope);
    if (repeats) {
      if (!gives_up)
        count_rows<1>(s, b, p, distance, most_at_first, s.often_at_first);
      simt::block_barrier(); // so that nobody adds more before
      gives_up = gives_up || s.often_at_first != 0;
      p += row;
    }
    for (; !gives_up && p < b.end; p += in_flight * row)
      count_rows<in_flight>(s, b, p, distance, most, s.often);
  }
  /// Whether more than a quarter of the keys that the warp reads first are equal, one of four looked at.
  SORTILE_DEVICE bool one_value_leads(const bucket& b, std::uint32_t p) const {
    const bool own = p >= b.lead && p < b.end;
    const Word key = own ? at.in.load(b.first + p) : Word{0}, first = simt::shuffle(key, 1); // lane 0 may own none
    return unsigned(simt::popcount(simt::ballot(own && key == first))) > simt::warp_size / 4;
  }
  /// This thread's vector at place p, and those in as many rows behind it.
  template <int Rows>
  SORTILE_DEVICE void count_rows(shared& s, const bucket& b, std::uint32_t p, const key_distance<Image>& distance,
                                 std::uint32_t allowed, simt::shared_value<std::uint32_t>& often) const {
    constexpr std::uint32_t row = vector * block_threads;
    simt::vec<Word, vector> x[Rows];
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j)
      if (p + unsigned(j) * row < b.end)
        x[j] = load_up_to<vector>(at.in, b.first + p + unsigned(j) * row, n);
    SORTILE_UNROLL
    for (int j = 0; j < Rows; ++j) {
      const std::uint32_t q = p + unsigned(j) * row;
      const bool whole = q >= b.lead && q + vector <= b.end;
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        if (whole || (q + unsigned(e) >= b.lead && q + unsigned(e) < b.end))
          add(s, std::uint32_t(distance.of(x[j][e])), allowed, often);
    }
  }
  static SORTILE_DEVICE void add(shared& s, std::uint32_t rank, std::uint32_t allowed,
                                 simt::shared_value<std::uint32_t>& often) {
    const unsigned shift = rank % in_a_word * counter_bits;
    const std::uint32_t old = s.counters.fetch_add(rank / in_a_word, 1u << shift, simt::relaxed, simt::block_scope);
    if ((old >> shift & most) >= allowed) // what its neighbours have may mean nothing from now on
      often.store(0, 1u, simt::relaxed, simt::block_scope);
  }
  /// The ranks in order, from s.ranks[b.lead] on.
  static SORTILE_DEVICE void place(shared& s, const bucket& b) {
    const unsigned warp = simt::warp_index(), lane = simt::lane_index();
    const unsigned first = warp * rows * simt::warp_size + lane;
    std::uint32_t own = 0;
    SORTILE_UNROLL
    for (unsigned r = 0; r < rows; ++r)
      own += in_word(s.counters.load(first + r * simt::warp_size));
    const std::uint32_t of_warp = simt::warp_reduce_add(own);
    if (lane == 0)
      s.keys[warp] = of_warp;
    simt::block_barrier();
    static_assert(warps <= simt::warp_size);
    std::uint32_t begin = b.lead + simt::warp_reduce_add(lane < warp ? s.keys.load(lane) : 0u);
    SORTILE_NO_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      const unsigned at = first + r * simt::warp_size;
      std::uint32_t rest = s.counters.load(at);
      const std::uint32_t here = in_word(rest), up_to = primitives::warp_inclusive_scan(here, primitives::plus{});
      for (std::uint32_t place = begin + up_to - here; rest != 0; ++place) {
        const unsigned lowest = unsigned(simt::trailing_zeros(rest)) / counter_bits;
        s.ranks[place] = std::uint16_t(at * in_a_word + lowest);
        rest -= 1u << lowest * counter_bits;
      }
      begin += simt::shuffle(up_to, simt::warp_size - 1);
    }
  }
  /// The sum of a word's counters.
  static SORTILE_DEVICE std::uint32_t in_word(std::uint32_t word) {
    constexpr std::uint32_t every_other = 0x0f0f0f0f;
    return ((word & every_other) + (word >> counter_bits & every_other)) * 0x01010101u >> 24;
  }
  SORTILE_DEVICE void write(shared& s, const bucket& b, const key_distance<Image>& distance) const {
    for (std::uint32_t p = vector * simt::thread_index(); p < b.end; p += vector * block_threads) {
      const auto ranks = simt::load_vector<vector>(s.ranks, p);
      simt::vec<Word, vector> x;
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        x[e] = distance.key(ranks[e]);
      if (p >= b.lead && p + vector <= b.end) {
        simt::store_vector<vector>(at.out, b.first + p, x);
      } else {
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          if (p + unsigned(e) >= b.lead && p + unsigned(e) < b.end)
            at.out[b.first + p + unsigned(e)] = x[e];
      }
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
