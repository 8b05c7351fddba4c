// A bucket of keys alone, many of which are equal: each value is kept once, with how often it occurs. Whoever sorts the
// values writes each one as often.
//
//   table    a key takes the first free slot from its hash on, or adds 1 to the counter of an equal one's
//   values   come to the bucket's first places, how often each occurs behind them, in any order
//            … and are sorted there, by whatever way
//   bits     one a place of the result, set where a value begins
//   write    a place's value has the number of bits up to it: a row of a warp shares a word of them, and how many
//            stand before it
//
// Repeats are what bins of one bit do not bear (kernels/pairs/pair_places.hpp), and what the pieces of a sample cost
// most for (piece_order.hpp). A sample of eight warps' keys tells whether there are enough of them, and then how many
// of the second key of each thread are new.
//
// Of floats, zeros and NaNs have to keep the order of those that share their image, so a bucket that has one is not
// counted.
//
// Cost: as bins of different keys, and once as much; 4 bytes of shared storage a key, which bins and order use later.
#pragma once

#include "primitives/block_scan.hpp"

namespace sortile::primitives::inline SORTILE_BACKEND {

/// Of up to `Capacity` keys, in a table of about as many slots as are asked for. All functions by all threads of a
/// block.
template <class Word, unsigned Threads, unsigned Capacity, unsigned Slots = Capacity / 2>
struct repeated_keys {
  static constexpr int own = int(Slots / Threads) + (sizeof(Word) <= 8 ? 1 : 0); // slots a thread
  static constexpr unsigned slots = unsigned(own) * Threads, most_values = slots / 5 * 4, most_probes = 48;
  static constexpr unsigned rows = Capacity / simt::warp_size + 2; // of the result, which may begin within one
  static constexpr unsigned asked_warps = 8, enough_alike = 4, most_new = Threads / 8 * 5;
  static_assert(slots % 8 == 0 && Capacity < 65535);

  using slot_array = simt::shared_array<std::uint32_t, slots / 2>; // 16 bits a slot: 1 + the place of a key, or 0
  using times_array = simt::shared_array<std::uint32_t, slots>;
  using sums_array = simt::shared_array<std::uint32_t, Threads / simt::warp_size>;
  /// What stands behind the values, where keys were.
  struct counts {
    simt::shared_view<std::uint16_t> times;          // of each value
    simt::shared_view<std::uint32_t> begins, before; // bits of a row; bits in all rows before

    template <class Keys>
    static SORTILE_DEVICE counts behind(Keys& keys) {
      constexpr unsigned first = (most_values + 16) / 16 * 16, a_word = unsigned(sizeof(Word)),
                         of_times = (most_values * 2 + 15) / 16 * 16 / a_word,
                         of_rows = (rows * 4 + 15) / 16 * 16 / a_word;
      static_assert(first + of_times + 2 * of_rows <= Capacity);
      return {simt::view_as<std::uint16_t>(keys.subview(first, of_times)),
              simt::view_as<std::uint32_t>(keys.subview(first + of_times, of_rows)),
              simt::view_as<std::uint32_t>(keys.subview(first + of_times + of_rows, of_rows))};
    }
  };

  /// Whether many keys are equal to others: so many lanes of eight warps. One block barrier.
  template <class KeyOf>
  static SORTILE_DEVICE bool are_many(std::uint32_t n, KeyOf key_of, unsigned enough = enough_alike) {
    const unsigned t = simt::thread_index();
    bool alike = false;
    if (t < asked_warps * simt::warp_size)
      alike = simt::popcount(simt::match_any(t < n ? hash(key_of(t)) : t)) > 1;
    return simt::block_count(alike) >= enough;
  }

  /// Brings the values of the keys at first … first + n − 1 to first on, and says how many they are; 0, and nothing has
  /// changed, where they are too many, or some key is not counted. Barriers before and behind.
  template <class Keys, class Counted>
  static SORTILE_DEVICE std::uint32_t take_out(sums_array& sums, slot_array& slot, times_array& times, Keys& keys,
                                               std::uint32_t first, std::uint32_t n, Counted counted) {
    const unsigned t = simt::thread_index();
    for (unsigned i = 4 * t; i < slots; i += 4 * Threads)
      simt::store_vector<4>(times, i, simt::vec<std::uint32_t, 4>{});
    for (unsigned i = 4 * t; i < slots / 2; i += 4 * Threads)
      simt::store_vector<4>(slot, i, simt::vec<std::uint32_t, 4>{});
    simt::block_barrier();
    bool fits = true;
    std::uint32_t p = t;
    SORTILE_NO_UNROLL
    for (std::uint32_t first_of_round = 0; first_of_round < n; first_of_round += Threads, p += Threads) {
      std::uint32_t at = none;
      bool is_new = false;
      if (p < n && fits) {
        const Word key = keys.load(first + p);
        at = counted(key) ? find(slot, keys, first, p, key, is_new) : none;
        fits = at != none;
      }
      if (at != none)
        times.fetch_add(at, 1u, simt::relaxed, simt::block_scope);
      if (first_of_round == Threads && n >= 2 * Threads)
        if (simt::block_count(is_new) > most_new)
          return 0;
    }
    if (simt::block_any(!fits))
      return 0;
    Word mine[own];
    std::uint32_t often[own], many = 0;
    SORTILE_UNROLL
    for (int i = 0; i < own; ++i) {
      const std::uint32_t at = unsigned(i) * Threads + t;
      often[i] = times.load(at);
      if (often[i] != 0)
        mine[i] = keys.load(first + held(slot.load(at / 2), at) - 1);
      many += often[i] != 0 ? 1 : 0;
    }
    std::uint32_t to = sum_of_lower_threads(sums.view(), many); // a barrier: all have read
    const std::uint32_t all = sum_of_all_threads(sums.view(), Threads / simt::warp_size);
    if (all > most_values)
      return 0;
    const auto c = counts::behind(keys);
    SORTILE_UNROLL
    for (int i = 0; i < own; ++i)
      if (often[i] != 0) {
        keys[first + to] = mine[i];
        c.times[to] = std::uint16_t(often[i]);
        ++to;
      }
    for (unsigned i = t; i < rows; i += Threads)
      c.begins[i] = 0;
    simt::block_barrier();
    return all;
  }

  /// put(place, r): the value of rank r stands at this place of the result, which begins `lead` places after the start
  /// of a row. value_at(r): which of the values it is. Of n keys. A barrier behind the values' sort.
  template <class Keys, class ValueAt, class Put>
  static SORTILE_DEVICE void write(sums_array& sums, Keys& keys, std::uint32_t values, std::uint32_t n,
                                   std::uint32_t lead, ValueAt value_at, Put put) {
    const unsigned t = simt::thread_index();
    const auto c = counts::behind(keys);
    const std::uint32_t each = (values + Threads - 1) / Threads, begin = t * each < values ? t * each : values,
                        end = begin + each < values ? begin + each : values;
    std::uint32_t sum = 0;
    for (std::uint32_t r = begin; r < end; ++r)
      sum += c.times.load(value_at(r));
    std::uint32_t at = lead + sum_of_lower_threads(sums.view(), sum);
    for (std::uint32_t r = begin; r < end; ++r) {
      c.begins.fetch_or(at / simt::warp_size, 1u << at % simt::warp_size, simt::relaxed, simt::block_scope);
      at += c.times.load(value_at(r));
    }
    simt::block_barrier();
    static_assert(rows <= Threads);
    const std::uint32_t bits = t < rows ? simt::popcount(c.begins.load(t < rows ? t : 0)) : 0;
    const std::uint32_t in_rows_before = sum_of_lower_threads(sums.view(), bits);
    if (t < rows)
      c.before[t] = in_rows_before;
    simt::block_barrier();
    for (std::uint32_t q = t; q < lead + n; q += Threads)
      if (q >= lead) {
        const std::uint32_t row = q / simt::warp_size, up_to = simt::lanes_below() << 1 | 1;
        put(q - lead, c.before.load(row) + simt::popcount(c.begins.load(row) & up_to) - 1);
      }
  }

 private:
  static constexpr std::uint32_t none = ~0u;
  static SORTILE_DEVICE std::uint32_t hash(Word key) {
    std::uint32_t h = 0;
    for (unsigned w = 0; w < sizeof(Word) / 4; ++w)
      h = (h ^ std::uint32_t(key >> (32 * w))) * 0x9e3779b1u;
    return h ^ h >> 15;
  }
  static SORTILE_DEVICE std::uint32_t held(std::uint32_t two, std::uint32_t at) {
    return two >> (at % 2 * 16) & 0xffff;
  }
  /// The slot of the key at place p, or none.
  template <class Keys>
  static SORTILE_DEVICE std::uint32_t find(slot_array& slot, Keys& keys, std::uint32_t first, std::uint32_t p, Word key,
                                           bool& is_new) {
    std::uint32_t at = std::uint32_t(std::uint64_t{hash(key) * 0x85ebca6bu} * slots >> 32);
    for (unsigned probes = 0; probes < most_probes;) {
      std::uint32_t two = slot.load(at / 2, simt::relaxed, simt::block_scope);
      if (held(two, at) == 0) {
        const std::uint32_t was =
            slot.compare_exchange(at / 2, two, two | (p + 1) << (at % 2 * 16), simt::relaxed, simt::block_scope);
        if (was == two) {
          is_new = true;
          return at;
        }
        two = was;
      }
      if (held(two, at) == 0)
        continue; // the other half has changed
      if (keys.load(first + held(two, at) - 1) == key)
        return at;
      at = at + 1 == slots ? 0 : at + 1;
      ++probes;
    }
    return none;
  }
};

} // namespace sortile::primitives::inline SORTILE_BACKEND
