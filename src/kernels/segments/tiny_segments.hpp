// Sorts 32 neighbouring tiny segments, a thread each, or a few of them by four lanes each.
//
// The warp brings the segments' keys to its part of shared storage, side by side, whatever lies between them in the
// array. Each thread takes its own into registers and puts them in order by a network of 2, 4, 8, 12, 16, 20, 24 or 32,
// as the longest of the warp's segments asks for. What it writes back goes to the array in rows again. So memory is
// read and written in whole sectors, and a network of 16 takes 63 comparisons for a thread's 16 keys: 8 instructions
// for a row of 32 keys.
//
//   arrays    … a b c │ d │ e f g h │ (long) │ i j …        lengths   3 1 4 0 2
//   staged    a b c d e f g h i j                            first     0 3 4 8 8
//             (a gap every 32: bank conflicts)
//
// Mixes. A network for the longest is too wide for most of the others. Where up to eight segments have 5 to 16
// elements, threads sort only those of up to 4, and four lanes each of the longer ones, which takes a third of the
// instructions.
//
// Where equal keys can be told apart, threads sort words of keys and places (segment_words.hpp), and write the order
// instead: for each place the one that its element came from. Keys and values are then staged and written in that
// order. An order that the words did not settle is put right by insertions.
//
// Lost: a lane an element, ranked by counting with shuffles: 16 shuffles and some 100 instructions a row at 16.
#pragma once

#include "kernels/segments/segment_items.hpp"
#include "kernels/segments/segment_words.hpp"
#include "primitives/warp_scan.hpp"
#include "primitives/warp_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, segment_elements Elements>
class tiny_segments {
 public:
  static constexpr bool placed = Elements == segment_elements::placed, floats = Elements == segment_elements::floats;
  static constexpr unsigned most = detail::segment_classes::of(sizeof(Word), placed).thread;
  static constexpr unsigned room = (most + 1) * simt::warp_size; ///< elements of a warp, and gaps
  using slot = segment_staged<Word>;

  /// Of a warp.
  struct storage {
    alignas(16) simt::shared_array<slot, room> staged;
    alignas(16) simt::shared_array<std::uint64_t, simt::warp_size> shift; // from a staged place to one in the arrays
    // Of each row: a bit for each lane whose element begins a segment, and the segments that begin before the row.
    alignas(8) simt::shared_array<std::uint32_t, 2 * simt::warp_size> rows;
    simt::shared_array<std::uint16_t, placed ? room : 2> order; // slots of `staged` that elements came from
    alignas(8) simt::shared_array<std::uint32_t, floats ? 2 * simt::warp_size : 2> zeros; // see part_floats()
  };

  /// The lane's segment; n is 0 where it is not tiny. All lanes of the warp call.
  static SORTILE_DEVICE void sort(storage& s, const segment_arrays<Word>& arrays, std::uint64_t begin, unsigned n) {
    const unsigned longest = simt::warp_reduce_max(n);
    if (longest == 0 || (longest == 1 && stays(arrays)))
      return;
    const std::uint32_t end = primitives::warp_inclusive_scan(n, primitives::plus{});
    std::uint32_t first = end - n;
    const places at = locate(s, begin, n, first, simt::shuffle(end, simt::warp_size - 1));
    const bool is_told = load_keys(s, arrays, at);
    if (!is_told)
      part_floats(s, arrays, first, n);
    const unsigned more = simt::ballot(n > own_in_mix);
    if (longest <= 2)
      sort_own<2>(s, arrays, first, n);
    else if (longest <= 4)
      sort_own<4>(s, arrays, first, n);
    else if (longest <= group_lanes * group_items && simt::popcount(more) <= groups)
      sort_mix(s, arrays, first, n, more);
    else if (longest <= 8)
      sort_own<8>(s, arrays, first, n);
    else if (most > 8 && longest <= 12)
      sort_own<(most > 8 ? 12 : 8)>(s, arrays, first, n);
    else if (most > 8 && longest <= 16)
      sort_own<(most > 8 ? 16 : 8)>(s, arrays, first, n);
    else if (most > 16 && longest <= 20)
      sort_own<(most > 16 ? 20 : 8)>(s, arrays, first, n);
    else if (most > 16 && longest <= 24)
      sort_own<(most > 16 ? 24 : 8)>(s, arrays, first, n);
    else if (most > 16)
      sort_own<(most > 16 ? 32 : 8)>(s, arrays, first, n);
    simt::warp_barrier();
    if (!is_told)
      write_zeros(s, arrays, first);
    if (arrays.keys_wanted)
      store_keys(s, arrays, at);
    if constexpr (placed)
      arrays.values.with_size([&](auto size) { move_values(s, arrays.values, at, first, n, size); });
    simt::warp_barrier();
  }

 private:
  /// Of the lane's element of a row.
  static SORTILE_DEVICE unsigned slot_in(unsigned row) { return row * (simt::warp_size + 1) + simt::lane_index(); }

  /// Whether segments of one element are there already.
  static SORTILE_DEVICE bool stays(const segment_arrays<Word>& a) {
    return (a.in_place || !a.keys_wanted) && !a.values.make_indices && (a.values.words == 0 || a.values.in_place());
  }

  /// From staged places to the arrays.
  struct places {
    storage* s;
    std::uint64_t base;
    std::uint32_t size;
    bool together; // segments lie one behind the other

    /// f(r) for each of Rows rows, of which the first is `row`, in which the lane has an element.
    template <unsigned Rows, class F>
    SORTILE_DEVICE void each(unsigned row, F f) const {
      const int left = int(size) - int(row * simt::warp_size + simt::lane_index());
      SORTILE_UNROLL
      for (unsigned r = 0; r < Rows; ++r)
        if (int(r * simt::warp_size) < left)
          f(r);
    }
    /// The place in the arrays of the lane's element of a row, where segments do not lie together.
    SORTILE_DEVICE std::uint64_t apart(unsigned row) const {
      const auto begun = simt::load_vector<2>(s->rows, row * 2); // one for all lanes
      const unsigned mine = simt::popcount(begun[0] & (simt::lanes_below() | 1u << simt::lane_index()));
      return s->shift.load(begun[1] + mine - 1) + row * simt::warp_size + simt::lane_index();
    }
  };
  static SORTILE_DEVICE places locate(storage& s, std::uint64_t begin, unsigned n, std::uint32_t first,
                                      std::uint32_t size) {
    const std::uint64_t shift = begin - first;
    const unsigned there = simt::ballot(n > 0), some = simt::trailing_zeros(there);
    const std::uint64_t base = simt::shuffle(shift, some);
    const bool together = simt::warp_all(n == 0 || shift == base);
    if (!together) {
      s.rows[2 * simt::lane_index()] = 0;
      simt::warp_barrier();
      if (n > 0) {
        s.rows.fetch_or(first / simt::warp_size * 2, 1u << first % simt::warp_size, simt::relaxed, simt::block_scope);
        s.shift[simt::popcount(there & simt::lanes_below())] = shift;
      }
      simt::warp_barrier();
      const unsigned begun = simt::popcount(s.rows.load(2 * simt::lane_index()));
      s.rows[2 * simt::lane_index() + 1] = primitives::warp_inclusive_scan(begun, primitives::plus{}) - begun;
      simt::warp_barrier();
    }
    return {&s, base, size, together};
  }

  // Rows that are in flight together; of keys alone the last two are by themselves. Who moves them is told once whether
  // segments lie together: then a row's elements lie a constant behind the first one's.
  static constexpr unsigned loaded_rows = sizeof(slot) == 4 ? 8 : sizeof(slot) == 8 ? 4 : 2;
  static constexpr unsigned stored_rows = sizeof(slot) <= 8 ? 4 : 2;

  /// put(slot, x) for each x = get(place in the arrays), once all of some rows have been asked for.
  template <class Get, class Put>
  static SORTILE_DEVICE void load(const places& at, Get get, Put put) {
    each_rows<loaded_rows>(at, [&](auto rows, unsigned row, auto place) {
      decltype(get(0)) x[rows()] = {};
      at.template each<rows()>(row, [&](unsigned r) { x[r] = get(place(row, r)); });
      simt::warp_barrier(); // or some loads would wait for others
      at.template each<rows()>(row, [&](unsigned r) { put(slot_in(row + r), x[r]); });
    });
    simt::warp_barrier();
  }
  /// put(place in the arrays, x) for each x = get(slot), in order.
  template <class Get, class Put>
  static SORTILE_DEVICE void store(storage& s, const places& at, Get get, Put put) {
    each_rows<stored_rows>(at, [&](auto rows, unsigned row, auto place) {
      unsigned from[rows()] = {};
      decltype(get(0)) x[rows()] = {};
      at.template each<rows()>(
          row, [&](unsigned r) { from[r] = placed ? unsigned(s.order.load(slot_in(row + r))) : slot_in(row + r); });
      at.template each<rows()>(row, [&](unsigned r) { x[r] = get(from[r]); });
      at.template each<rows()>(row, [&](unsigned r) { put(place(row, r), x[r]); });
    });
  }
  /// f(number of rows, the first one, place) for all rows; place(row, r): of row + r, in the arrays.
  template <unsigned Rows, class F>
  static SORTILE_DEVICE void each_rows(const places& at, F f) {
    const auto by = [&](auto place) {
      constexpr unsigned last_rows = placed ? 0 : 2;
      unsigned row = 0;
      SORTILE_NO_UNROLL
      for (; (row + last_rows) * simt::warp_size < at.size; row += Rows)
        f(std::integral_constant<unsigned, Rows>{}, row, place);
      if constexpr (last_rows > 0)
        if (row * simt::warp_size < at.size)
          f(std::integral_constant<unsigned, last_rows>{}, row, place);
    };
    const std::uint64_t first = at.base + simt::lane_index();
    if (at.together)
      by([&](unsigned row, unsigned r) { return first + row * simt::warp_size + r * simt::warp_size; });
    else
      by([&](unsigned row, unsigned r) { return at.apart(row + r); });
  }

  /// Keys, or without places their images. False where some are floats that these do not tell.
  static SORTILE_DEVICE bool load_keys(storage& s, const segment_arrays<Word>& arrays, const places& at) {
    bool is_told = true;
    load(
        at, [&](std::uint64_t i) { return arrays.in.load(i); },
        [&](unsigned to, Word key) {
          if constexpr (floats)
            is_told = is_told & arrays.is_told(key);
          s.staged[to] = placed   ? slot(key)
                         : floats ? slot(arrays.float_bits(key))
                                  : slot(arrays.template image<Elements>(key));
        });
    return !floats || simt::warp_all(is_told);
  }
  static SORTILE_DEVICE void store_keys(storage& s, const segment_arrays<Word>& arrays, const places& at) {
    store(
        s, at, [&](unsigned from) { return s.staged.load(from); },
        [&](std::uint64_t i, slot x) {
          arrays.out.store(i, placed ? Word(x) : arrays.template key<Elements>(Word(x)));
        });
  }
  // Floats that equal each other in other bits: a thread takes its segment's NaNs out of the sort, in their order, and
  // notes which of its zeros are which, to write them in theirs when all is sorted.

  static SORTILE_DEVICE void part_floats(storage& s, const segment_arrays<Word>& arrays, std::uint32_t& first,
                                         unsigned& n) {
    const bool come_last = arrays.codec.complement == 0;
    const Word zero = arrays.codec.sign, other = Word(~zero); // the images of 0 and −0, or of −0 and 0
    std::uint32_t nans = 0, zeros = 0, kinds = 0, before = 0;
    SORTILE_NO_UNROLL
    for (unsigned i = 0; i < n; ++i) { // from the end where NaNs belong
      const unsigned p = segment_slot(first + (come_last ? n - 1 - i : i));
      const Word x = s.staged.load(p);
      if (arrays.is_nan_bits(x)) {
        const unsigned end = segment_slot(first + (come_last ? n - 1 - nans : nans));
        s.staged[p] = s.staged.load(end);
        s.staged[end] = x;
        ++nans;
      } else if (x == zero || x == other) {
        const std::uint32_t kind = x == zero;
        kinds = come_last ? kinds << 1 | kind : kinds | kind << zeros;
        ++zeros;
      } else {
        before += x < other;
      }
    }
    n -= nans;
    first += come_last ? 0 : nans;
    simt::store_vector<2>(s.zeros, 2 * simt::lane_index(), {{kinds, before | zeros << 16}});
    simt::warp_barrier();
  }
  static SORTILE_DEVICE void write_zeros(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first) {
    const auto noted = simt::load_vector<2>(s.zeros, 2 * simt::lane_index());
    SORTILE_NO_UNROLL
    for (std::uint32_t r = 0; r < noted[1] >> 16; ++r)
      s.staged[segment_slot(first + (noted[1] & 0xffff) + r)] =
          (noted[0] >> r & 1) != 0 ? slot(arrays.codec.sign) : slot(~arrays.codec.sign);
    simt::warp_barrier();
  }

  /// The lane's n elements from staged place `first` on.
  template <unsigned Width>
  static SORTILE_DEVICE void sort_own(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first, unsigned n) {
    sort_by<1, Width>(s, arrays, first, n, [](auto& x) { primitives::sort_in_registers(x); });
  }

  // Of a mix: what a thread sorts by itself, and groups of lanes for the others.
  static constexpr unsigned own_in_mix = 4, group_lanes = 4, group_items = 4;
  static constexpr unsigned groups = simt::warp_size / group_lanes;

  /// Up to `groups` of the warp's segments, for which `more` has bits, have more than a thread sorts by itself here.
  static SORTILE_DEVICE void sort_mix(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first, unsigned n,
                                      unsigned more) {
    sort_own<own_in_mix>(s, arrays, first, n <= own_in_mix ? n : 0);
    const unsigned group = simt::lane_index() / group_lanes;
    unsigned segment = more; // the group's has the lowest bit of what is left
    SORTILE_UNROLL
    for (unsigned g = 1; g < groups; ++g)
      segment = g <= group ? segment & (segment - 1) : segment;
    const unsigned from = segment != 0 ? simt::trailing_zeros(segment) : 0;
    const std::uint32_t begin = simt::shuffle(first, from), size = simt::shuffle(n, from);
    sort_by<group_lanes, group_items>(s, arrays, begin, segment != 0 ? size : 0,
                                      [](auto& x) { primitives::sort_in_lanes<group_lanes>(x); });
  }

  /// Groups of lanes sort a segment each, whose n elements are staged from place `first` on: the staged images, or
  /// s.order. `first` is opaque, or the compiler shares addresses among networks and across them, and spills them.
  template <unsigned Lanes, unsigned Items, class Sort>
  static SORTILE_DEVICE void sort_by(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first, unsigned n,
                                     Sort sort) {
    if constexpr (placed) {
      find_order<Lanes, Items>(s, arrays, first, n, sort);
    } else {
      const unsigned lane = simt::lane_index() % Lanes;
      std::uint32_t begin = simt::opaque(first);
      Word k[Items];
      SORTILE_UNROLL
      for (unsigned j = 0; j < Items; ++j)
        k[j] = j * Lanes + lane < n ? s.staged.load(segment_slot(begin + j * Lanes + lane)) : Word(~Word{0});
      sort(k);
      if constexpr (Lanes > 1)
        simt::warp_barrier(); // all have read what is written now
      begin = simt::opaque(first);
      const std::uint32_t end = begin + n, mine = begin + lane * Items;
      SORTILE_UNROLL
      for (unsigned j = 0; j < Items; ++j)
        if (mine + j < end)
          s.staged[segment_slot(mine + j)] = k[j];
    }
  }

  /// x becomes the words of a segment's keys. Twice as many registers as a word takes are too many for all images:
  /// those are made once to find their range, and once more.
  template <unsigned Lanes, class Words, unsigned Items>
  static SORTILE_DEVICE Words make_words(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first,
                                         unsigned n, unsigned lane, typename Words::word (&x)[Items]) {
    constexpr unsigned at_once = sizeof(Word) <= sizeof(typename Words::word) || Items < 4 ? Items : 4;
    Word k[at_once];
    // Behind the last it is taken again; who has none takes another's.
    std::uint32_t begin = n == 0 ? 0 : first, last = n == 0 ? 0 : first + n - 1;
    const auto make_images = [&](unsigned from) {
      begin = simt::opaque(begin);
      SORTILE_UNROLL
      for (unsigned j = 0; j < at_once; ++j) {
        const std::uint32_t place = begin + (from + j) * Lanes + lane;
        k[j] = Word(s.staged.load(segment_slot(place < last ? place : last)));
      }
      arrays.make_images(k);
    };
    if constexpr (at_once == Items) {
      make_images(0);
      return Words::template of_lanes<Lanes>(k, n, lane, x);
    } else {
      static_assert(Items % at_once == 0);
      Word least = Word(~Word{0}), greatest = 0;
      SORTILE_UNROLL
      for (unsigned i = 0; i < Items; i += at_once) {
        make_images(i);
        Words::widen(least, greatest, k);
      }
      const Words w = Words::template of_lanes<Lanes>(least, greatest);
      SORTILE_UNROLL
      for (unsigned i = 0; i < Items; i += at_once) {
        make_images(i);
        SORTILE_UNROLL
        for (unsigned j = 0; j < at_once; ++j)
          x[i + j] = w.of(k[j], (i + j) * Lanes + lane, n);
      }
      return w;
    }
  }

  /// s.order becomes the staged places that the elements come from.
  template <unsigned Lanes, unsigned Items, class Sort>
  static SORTILE_DEVICE void find_order(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first, unsigned n,
                                        Sort sort) {
    constexpr unsigned place_bits = [] {
      unsigned bits = 0;
      while (1u << bits < Lanes * Items)
        ++bits;
      return bits;
    }();
    using words = segment_words<Word, place_bits>;
    const unsigned lane = simt::lane_index() % Lanes;
    typename words::word x[Items];
    const words w = make_words<Lanes, words>(s, arrays, first, n, lane, x);
    sort(x);
    first = simt::opaque(first);
    const std::uint32_t end = first + n, mine = first + lane * Items;
    SORTILE_UNROLL
    for (unsigned j = 0; j < Items; ++j)
      if (mine + j < end)
        s.order[segment_slot(mine + j)] = std::uint16_t(segment_slot(first + words::place(x[j])));
    bool ties = false;
    SORTILE_UNROLL
    for (unsigned j = 1; j < Items; ++j)
      ties = ties | words::tie(x[j - 1], x[j]);
    if constexpr (Lanes > 1) {
      const auto next = simt::shuffle_down(x[0], 1);
      ties = ties | (lane + 1 < Lanes && words::tie(x[Items - 1], next));
    }
    // Words that hold all of their images tell ties by places.
    if constexpr (8 * sizeof(Word) <= words::digit_bits)
      return;
    ties = ties && w.highest() > 0;
    if (!simt::warp_any(ties))
      return;
    if constexpr (Lanes > 1) {
      simt::warp_barrier();
      ties = (simt::ballot(ties) >> (simt::lane_index() - lane) & ((1u << Lanes) - 1)) != 0;
    }
    if (ties && lane == 0)
      repair(s, arrays, first, n);
    if constexpr (Lanes > 1)
      simt::warp_barrier();
  }
  /// By one thread: insertions into an order in which few elements stand before smaller ones.
  static SORTILE_DEVICE void repair(storage& s, const segment_arrays<Word>& arrays, std::uint32_t first, unsigned n) {
    const auto image = [&](unsigned slot) { return arrays.codec.image(Word(s.staged.load(slot))); };
    SORTILE_NO_UNROLL
    for (std::uint32_t p = first + 1; p < first + n; ++p)
      insert_in_order(s.order, image, first, p);
  }

  /// Values, which may lie in place, word by word: all are staged before one is written. `size`: words of a value, a
  /// constant where it is one.
  template <class Size>
  static SORTILE_DEVICE void move_values(storage& s, const value_arrays& values, const places& at, std::uint32_t first,
                                         unsigned n, Size size) {
    const auto staged = simt::view_as<std::uint32_t>(s.staged.view());
    const auto from = values.from<std::uint32_t>(segment_source::input);
    const auto out = values.to<std::uint32_t>(segment_source::output);
    SORTILE_NO_UNROLL
    for (unsigned w = 0; w < size; ++w) {
      simt::warp_barrier();
      if (values.make_indices) {
        for (unsigned j = 0; j < n; ++j)
          staged[segment_slot(first + j)] = w == 0 ? j : 0;
        simt::warp_barrier();
      } else {
        load(
            at, [&](std::uint64_t i) { return from.load(i * size + w); },
            [&](unsigned to, std::uint32_t word) { staged[to] = word; });
      }
      store(
          s, at, [&](unsigned slot) { return staged.load(slot); },
          [&](std::uint64_t i, std::uint32_t word) { out.store(i * size + w, word); });
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
