// The first k keys of a row, in order, by one block: a sample, one read, and a sort in shared memory.
//
//   sample     4096 keys of the row (of a short row 1024) give a pivot whose rank is probably a little above k; where k
//              is a small part of the row, only the smallest of each group of them are searched (sample_groups.hpp).
//              Rows of up to 1024 keys need none: all their keys are candidates
//   filter     one read of the row: keys below the pivot become candidates in shared memory, those equal to it are
//              counted. A pivot that the sample has once is no frequent key: those equal to it are candidates, too, and
//              nothing is counted
//   sort       the candidates, by image and then by position. No two are equal, so the result does not depend on the
//              order in which the warps have found them. Images are spread over 2048 bins of one width, from the
//              greatest of the warps' least ones on; a candidate's place is its bin's begin, and how many in the bin
//              are less. Where a bin has more than 128, the candidates are merged instead
//   write      the first k candidates, keys made of their images again. Where there are fewer, the pivot is a frequent
//              key, and what is missing are keys equal to it: a second read takes those with the lowest positions, and
//              ends when it has them
//   fallback   where there are more candidates than room, or pivot and candidates together are too few, the sample has
//              misled: digits find the k-th key (rank_search.hpp, a read for 8 bits), and the filter is run again
//              with that for a pivot
//
// Instructions decide where rows are many: 256 rows of 262,144 keys took 50 a key, when each was appended by a ballot,
// and 36 with a bit a key in two masks of its thread, and images without a branch. So keys are compared with the pivot
// as they are (below_pivot.hpp), and candidates are taken from registers: read once more, they had often left the L1
// cache. Lost: 32 keys a thread at a time, and the next tile's loads begun before this one is compared (spilled
// registers). All blocks sample, read and sort in step, so that each phase counts: of 110 µs 18, 80 and 10.
//
// Rows that differ, in their lengths or in how many results they have, say so in device memory (ragged_rows). Each then
// has a sample of its own, and one that wants no result is not read.
//
// Shared memory: the candidates, each an image and a position, 72 KB for keys of up to 4 bytes, 8 KB of bins. The
// sample lies in the candidates' room. Bytes moved: the row once, and the result.
#pragma once

#include "kernels/below_pivot.hpp"
#include "kernels/nan_image.hpp"
#include "kernels/sample/sample_elements.hpp"
#include "kernels/segments/segment_reader.hpp"
#include "kernels/select/lane_row.hpp"
#include "kernels/select/rank_search.hpp"
#include "kernels/select/row_limits.hpp"
#include "kernels/select/select_rows.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Rows that differ in their lengths or in how many results they have.
struct ragged_rows {
  segment_reader where;
  row_limits limits;
};

/// Ragged: rows may differ so, else all have n keys and k results.
template <class Word, bool Ragged>
struct select_rows_kernel {
  static constexpr detail::select_rows_shape shape = detail::select_rows_shape::of(sizeof(Word));
  static constexpr unsigned block_threads = detail::select_rows_shape::threads;
  static constexpr unsigned min_blocks = sizeof(Word) <= 4 ? 2 : 1;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr std::uint32_t capacity = shape.capacity();
  static constexpr unsigned below = 0, equals = 1;                                      // counters
  static constexpr int width = int(16 / sizeof(Word)) < 4 ? int(16 / sizeof(Word)) : 4; // keys of a load
  static constexpr unsigned vectors = 4; // loads of a thread that wait for memory together
  static constexpr unsigned tile_items = vectors * unsigned(width), items_mask = (1u << tile_items) - 1;
  using image_word = std::conditional_t<sizeof(Word) <= 4, std::uint32_t, Word>;
  using element = sample_element<Word, true>;
  using packed = packing<Word, element>;
  using sorter = primitives::block_merge_sort<shape.items, element>;

  /// The candidates' bins: of images that are as many to a bin as are needed for that.
  static constexpr unsigned bin_bits = 11, bins = 1u << bin_bits, bins_of_thread = bins / block_threads;
  static constexpr unsigned most_in_bin = 128;
  struct spread_storage {
    simt::shared_array<std::uint32_t, bins> ends; // first counts, then where each bin begins, at last where it ends
    primitives::block_scan_storage<std::uint32_t, block_threads> scan;
    primitives::block_scan_storage<image_word, block_threads> images;
  };

  struct nothing {};
  struct row_storage {
    simt::shared_value<std::uint64_t> begin;
    simt::shared_value<std::uint32_t> keys, results;
  };

  struct shared {
    union {
      alignas(16) simt::shared_array<element, primitives::merge_sort_room<element>(capacity)> elements;
      alignas(16) simt::shared_array<Word, detail::select_rows_sample::most> sample;
    };
    union {
      rank_search_storage<> search;
      spread_storage spread;
    };
    simt::shared_array<std::uint32_t, 2> found;    // candidates, and keys that equal the pivot
    simt::shared_array<std::uint32_t, warps> ties; // of a tile, in each warp
    std::conditional_t<Ragged, row_storage, nothing> row;
  };

  simt::global<const Word> keys;
  simt::global<Word> keys_out;
  simt::global<std::uint32_t> positions_32; // one of both where positions are wanted
  simt::global<std::uint64_t> positions_64;
  std::uint64_t rows, stride;
  std::uint32_t n, k; // ragged rows: k results at most, and from one row's to the next one's
  detail::select_rows_sample sample;
  nan_image<Word> images;
  Word mask; // of the bit window
  unsigned shift, bits;
  unsigned position_bytes;
  bool writes_keys, positions_in_all;
  bool windowed;        // images are cut to a window of their bits
  bool vectors_allowed; // every row begins at a multiple of 16 bytes
  std::conditional_t<Ragged, ragged_rows, nothing> ragged = {};

  SORTILE_DEVICE void operator()(shared& s) const {
    for (std::uint64_t row = simt::block_index(); row < rows; row += simt::grid_size()) {
      find(s, row);
      if (results(s) != 0)
        select(s, row);
      simt::block_barrier();
    }
  }

 private:
  SORTILE_DEVICE void find([[maybe_unused]] shared& s, [[maybe_unused]] std::uint64_t row) const {
    if constexpr (Ragged) {
      if (simt::thread_index() == 0) {
        const auto found = ragged.where.load(row);
        s.row.begin = found.begin;
        s.row.keys = std::uint32_t(found.length);
        s.row.results = std::uint32_t(ragged.limits.at_most(found.length < k ? found.length : k, row));
      }
      simt::block_barrier();
    }
  }
  SORTILE_DEVICE std::uint64_t begin_of([[maybe_unused]] const shared& s, [[maybe_unused]] std::uint64_t row) const {
    if constexpr (Ragged)
      return s.row.begin;
    else
      return row * stride;
  }
  SORTILE_DEVICE std::uint32_t keys_of([[maybe_unused]] const shared& s) const {
    if constexpr (Ragged)
      return s.row.keys;
    else
      return n;
  }
  SORTILE_DEVICE std::uint32_t results([[maybe_unused]] const shared& s) const {
    if constexpr (Ragged)
      return s.row.results;
    else
      return k;
  }
  SORTILE_DEVICE detail::select_rows_sample sample_of([[maybe_unused]] const shared& s) const {
    if constexpr (Ragged)
      return detail::select_rows_sample::of(sizeof(Word), s.row.keys, s.row.results);
    else
      return sample;
  }

  SORTILE_DEVICE Word image(std::uint64_t begin, std::uint32_t i) const { return image_of(keys.load(begin + i)); }
  SORTILE_DEVICE Word image_of(Word key) const { return Word(Word(images.image(key) >> shift) & mask); }

  SORTILE_DEVICE void select(shared& s, std::uint64_t row) const {
    Word pivot = Word(~Word{0});
    wanted keys_wanted = wanted::all;
    if (const detail::select_rows_sample looks = sample_of(s); looks.of_row.groups != 0) {
      const auto sampled = sampled_pivot(s, row, looks);
      const bool is_rare = sampled.equal == 1 && sampled.image != pivot;
      pivot = Word(sampled.image + (is_rare ? 1 : 0));
      keys_wanted = is_rare ? wanted::below : wanted::below_and_equal;
    }
    filter(s, row, pivot, keys_wanted);
    const std::uint32_t found = s.found.load(below), equal = s.found.load(equals);
    if (found > capacity || found + equal < results(s)) {
      simt::block_barrier(); // all have read the counts
      const std::uint64_t begin = begin_of(s, row);
      pivot = rank_search<block_threads, Word>(s.search, keys_of(s), results(s) - 1, bits, [&](std::uint32_t i) {
                return image(begin, i);
              }).image;
      filter(s, row, pivot, wanted::below_and_equal);
    }
    const std::uint32_t candidates = s.found.load(below);
    if (!spread(s, row, candidates)) {
      sorter::sort_loaded(s.elements.view(), candidates, packed::greatest(),
                          [&](std::uint32_t i) { return s.elements.load(i); });
      simt::block_barrier();
      for (std::uint32_t i = simt::thread_index(); i < candidates && i < results(s); i += block_threads)
        put(s, row, i, s.elements.load(primitives::merge_sort_place<element>(i)));
    }
    if (candidates < results(s))
      add_equal(s, row, pivot, candidates);
  }

  SORTILE_DEVICE found_rank<Word> sampled_pivot(shared& s, std::uint64_t row,
                                                const detail::select_rows_sample& looks) const {
    constexpr std::uint32_t together = 4; // loads of a thread that wait for memory
    const std::uint64_t begin = begin_of(s, row);
    const auto [groups, each] = looks.of_row;
    const std::uint32_t group = simt::thread_index(), searched = looks.in_groups ? groups : groups * each;
    Word least = Word(~Word{0});
    for (std::uint32_t first = 0; first < each; first += together) {
      Word u[together];
      SORTILE_UNROLL
      for (std::uint32_t e = 0; e < together; ++e)
        u[e] = first + e < each ? keys.load(begin + looks.of_row.place(group, first + e, keys_of(s))) : Word{0};
      SORTILE_UNROLL
      for (std::uint32_t e = 0; e < together; ++e)
        if (first + e < each) {
          const Word sampled = image_of(u[e]);
          least = sampled < least ? sampled : least;
          if (!looks.in_groups)
            s.sample[(first + e) * groups + group] = sampled;
        }
    }
    if (looks.in_groups)
      s.sample[group] = least;
    simt::block_barrier();
    const auto pivot = rank_search<block_threads, Word>(s.search, searched, looks.rank, bits,
                                                        [&](std::uint32_t i) { return s.sample.load(i); });
    simt::block_barrier(); // before candidates take the sample's place
    return pivot;
  }

  enum class wanted { all, below, below_and_equal };
  /// Candidates into shared memory, in any order, and their number; keys equal to the pivot are counted, where wanted.
  SORTILE_DEVICE void filter(shared& s, std::uint64_t row, Word pivot, wanted keys_wanted) const {
    const std::uint64_t begin = begin_of(s, row);
    const std::uint32_t n_row = keys_of(s);
    if (simt::thread_index() == 0) {
      s.found[below] = 0;
      s.found[equals] = 0;
    }
    simt::block_barrier();
    const bool all = keys_wanted == wanted::all, counts = keys_wanted == wanted::below_and_equal;
    const bool counts_all = counts && pivot == Word(~Word{0});
    const below_pivot<Word> before(images, pivot), upto(images, Word(pivot + 1));
    std::uint32_t equal = 0;
    constexpr std::uint32_t tile_keys = tile_items * block_threads;
    const std::uint32_t whole = loads_vectors(begin) ? n_row - n_row % tile_keys : 0;
    for (std::uint32_t tile = 0; tile < whole; tile += tile_keys) {
      Word x[tile_items];
      load(x, begin + tile);
      const std::uint32_t is_below = all ? items_mask : items_below(x, pivot, before);
      if (counts)
        equal += simt::popcount(is_below ^ (counts_all ? items_mask : items_below(x, Word(pivot + 1), upto)));
      append(s, is_below, [&](unsigned i) {
        const std::uint32_t place = tile + vector_place(i / unsigned(width)) + i % unsigned(width);
        return packed::pack(image_of(item_at(x, i)), place);
      });
    }
    for (std::uint32_t tile = whole; tile < n_row; tile += block_threads) {
      const std::uint32_t i = tile + simt::thread_index();
      const Word u = i < n_row ? image(begin, i) : Word{0};
      equal += i < n_row && u == pivot && counts;
      append(s, i < n_row && (u < pivot || all), [=](unsigned) { return packed::pack(u, i); });
    }
    const std::uint32_t sum = simt::warp_reduce_add(equal);
    if (simt::lane_index() == 0 && sum != 0)
      s.found.fetch_add(equals, sum);
    simt::block_barrier();
  }
  SORTILE_DEVICE bool loads_vectors(std::uint64_t begin) const {
    return vectors_allowed && (!Ragged || begin * sizeof(Word) % 16 == 0);
  }
  SORTILE_DEVICE void load(Word (&x)[tile_items], std::uint64_t from) const {
    SORTILE_UNROLL
    for (unsigned j = 0; j < vectors; ++j) {
      const auto loaded = simt::load_vector<width>(keys, from + vector_place(j), simt::streaming);
      SORTILE_UNROLL
      for (int w = 0; w < width; ++w)
        x[j * unsigned(width) + unsigned(w)] = loaded[w];
    }
  }
  /// A bit for each key below the pivot.
  SORTILE_DEVICE std::uint32_t items_below(const Word (&x)[tile_items], Word pivot,
                                           const below_pivot<Word>& is_below) const {
    image_word greatest = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < tile_items; ++i) {
      const image_word magnitude = is_below.magnitude(x[i]);
      greatest = magnitude > greatest ? magnitude : greatest;
    }
    if (windowed || simt::warp_any(greatest > is_below.most))
      return items_where(x, [&](Word u) { return image_of(u) < pivot; });
    return items_where(x, [&](Word u) { return is_below(u); });
  }
  template <class Wanted>
  static SORTILE_DEVICE std::uint32_t items_where(const Word (&x)[tile_items], Wanted wanted_of) {
    std::uint32_t found = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < tile_items; ++i)
      found |= wanted_of(x[i]) ? 1u << i : 0u;
    return found;
  }
  static SORTILE_DEVICE std::uint32_t vector_place(unsigned j) {
    return (j * block_threads + simt::thread_index()) * unsigned(width);
  }
  /// Those of a thread's keys that have a bit.
  template <class Element>
  SORTILE_DEVICE void append(shared& s, std::uint32_t items, Element element_of) const {
    if (!simt::warp_any(items != 0))
      return;
    const std::uint32_t mine = simt::popcount(items), upto = primitives::warp_inclusive_scan(mine, primitives::plus{});
    std::uint32_t at = 0;
    if (simt::lane_index() == simt::warp_size - 1)
      at = s.found.fetch_add(below, upto);
    at = simt::shuffle(at, simt::warp_size - 1) + upto - mine;
    for (; items != 0 && at < capacity; items &= items - 1, ++at)
      s.elements[at] = element_of(simt::trailing_zeros(items));
  }

  /// Writes the first k candidates by their bins, unless one of these has too many.
  SORTILE_DEVICE bool spread(shared& s, std::uint64_t row, std::uint32_t candidates) const {
    if constexpr (sizeof(Word) > 8) {
      return false;
    } else {
      image_word least = ~image_word{0}, greatest = 0;
      for (std::uint32_t i = simt::thread_index(); i < candidates; i += block_threads) {
        const image_word u = packed::image(s.elements.load(i));
        least = u < least ? u : least;
        greatest = u > greatest ? u : greatest;
      }
      for (std::uint32_t b = simt::thread_index(); b < bins; b += block_threads)
        s.spread.ends[b] = 0;
      // Most lie above the greatest of the warps' least ones: a few that lie far below must not make bins wide.
      least = primitives::warp_reduce(least, primitives::minimum{});
      least = simt::warp_index() * simt::warp_size < candidates ? least : 0;
      least = primitives::block_reduce(s.spread.images, least, primitives::maximum{});
      simt::block_barrier(); // all have read
      greatest = primitives::block_reduce(s.spread.images, greatest, primitives::maximum{});
      const unsigned digits = 8 * sizeof(image_word) - simt::leading_zeros(image_word((greatest - least) | 1));
      const unsigned dropped = digits > bin_bits ? digits - bin_bits : 0;
      const auto bin = [=](const element& e) {
        const image_word u = packed::image(e);
        return std::uint32_t((u < least ? image_word{0} : image_word(u - least)) >> dropped);
      };
      for (std::uint32_t i = simt::thread_index(); i < candidates; i += block_threads)
        s.spread.ends.fetch_add(bin(s.elements.load(i)), 1u);
      simt::block_barrier();
      if (!find_begins(s))
        return false;
      element x[shape.items];
      SORTILE_UNROLL
      for (unsigned i = 0; i < unsigned(shape.items); ++i) {
        const std::uint32_t at = i * block_threads + simt::thread_index();
        x[i] = at < candidates ? s.elements.load(at) : packed::greatest();
      }
      simt::block_barrier(); // all have been read, before they change places
      SORTILE_UNROLL
      for (unsigned i = 0; i < unsigned(shape.items); ++i)
        if (i * block_threads + simt::thread_index() < candidates)
          s.elements[s.spread.ends.fetch_add(bin(x[i]), 1u)] = x[i];
      simt::block_barrier();
      for (std::uint32_t i = simt::thread_index(); i < candidates; i += block_threads) {
        const element e = s.elements.load(i);
        const std::uint32_t b = bin(e), begin = b == 0 ? 0 : s.spread.ends.load(b - 1), end = s.spread.ends.load(b);
        if (begin >= results(s))
          break;
        std::uint32_t rank = begin;
        for (std::uint32_t j = begin; j < end; ++j)
          rank += s.elements.load(j) < e ? 1 : 0;
        if (rank < results(s))
          put(s, row, rank, e);
      }
      return true;
    }
  }
  /// Makes begins of counts; whether no bin that counts has too many.
  SORTILE_DEVICE bool find_begins(shared& s) const {
    const std::uint32_t first = simt::thread_index() * bins_of_thread;
    std::uint32_t counts[bins_of_thread], begins[bins_of_thread], most = 0;
    SORTILE_UNROLL
    for (unsigned i = 0; i < bins_of_thread; ++i)
      counts[i] = begins[i] = s.spread.ends.load(first + i);
    primitives::block_exclusive_scan(s.spread.scan, begins, primitives::plus{}, 0u);
    SORTILE_UNROLL
    for (unsigned i = 0; i < bins_of_thread; ++i) {
      most = begins[i] < results(s) && counts[i] > most ? counts[i] : most;
      s.spread.ends[first + i] = begins[i];
    }
    return !simt::block_any(most > most_in_bin);
  }

  /// An element as result i.
  SORTILE_DEVICE void put(const shared& s, std::uint64_t row, std::uint32_t i, const element& e) const {
    const std::uint32_t place = packed::place(e);
    const std::uint64_t to = row * k + i, from = begin_of(s, row) + place;
    if (writes_keys)
      keys_out[to] = key_of(packed::image(e), from);
    const std::uint64_t position = positions_in_all ? from : place;
    if (position_bytes == 4)
      positions_32[to] = std::uint32_t(position);
    else if (position_bytes == 8)
      positions_64[to] = position;
  }

  /// The key at this place, most often without reading it.
  SORTILE_DEVICE Word key_of(Word image, std::uint64_t from) const {
    const Word up = Word(image ^ images.complement);
    if (windowed || (images.negative != 0 && (up == images.sign || image == images.nan)))
      return keys.load(from);
    return images.negative != 0 ? images.key_of(image) : Word(up ^ images.sign);
  }

  /// Keys equal to the pivot, from the row's front, behind `done` results.
  SORTILE_DEVICE void add_equal(shared& s, std::uint64_t row, Word pivot, std::uint32_t done) const {
    const unsigned lane = simt::lane_index(), warp = simt::warp_index();
    for (std::uint32_t tile = 0; done < results(s) && tile < keys_of(s); tile += block_threads) {
      const std::uint64_t i = std::uint64_t{tile} + simt::thread_index();
      const bool is_equal = i < keys_of(s) && image(begin_of(s, row), std::uint32_t(i)) == pivot;
      const unsigned found = simt::ballot(is_equal);
      if (lane == 0)
        s.ties[warp] = simt::popcount(found);
      simt::block_barrier();
      const std::uint32_t of_warp = lane < warps ? s.ties.load(lane) : 0;
      const std::uint32_t before = simt::warp_reduce_add(lane < warp ? of_warp : 0);
      const std::uint32_t at = done + before + simt::popcount(found & simt::lanes_below());
      if (is_equal && at < results(s))
        put(s, row, at, packed::pack(pivot, std::uint32_t(i)));
      done += simt::warp_reduce_add(of_warp);
      simt::block_barrier();
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
