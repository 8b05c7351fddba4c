// Sorts entries that a block holds, a block each, in one read and one write: by one bit per bin, as the local step of
// the key sort does (local/local_sort_kernel.hpp), and where the keys are skewed by merging.
//
//   load    elements into registers: images, with their places where equal keys can be told apart; their range
//   bins    cut that range as segment_bins.hpp says, so that all are about as full, whatever part of the type's range
//           an entry takes. Where all find room: one fetch_or an element, a scan of the words, and a popcount each
//   merge   else, block_merge_sort: its time does not depend on the keys
//
// Floats without places are sorted like integers; zeros and NaNs are then written once more (equal_floats.hpp).
//
// Elements of 24 bytes (keys of 128 bits with their places) are merged at once, by segment_merge_kernel.
#pragma once

#include "kernels/local/local_sort_kernel.hpp"
#include "kernels/segments/segment_bins.hpp"
#include "kernels/segments/short_kernel.hpp"
#include "primitives/block_merge_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Threads of a block, vectors of 16 bytes a thread holds, words of sixteen bins, room for elements whose bin was
/// taken; by the bytes of an element, for each of the three classes of blocks.
template <unsigned Threads, unsigned MinBlocks, int Vectors, unsigned Words, unsigned List>
struct segment_bins_tuning {
  static constexpr unsigned threads = Threads, min_blocks = MinBlocks, words = Words, list_size = List,
                            most_unlisted = 0;
  static constexpr int vectors = Vectors;
};
template <std::size_t Bytes, unsigned Block>
struct segment_block_tuning;
template <>
struct segment_block_tuning<4, 0> : segment_bins_tuning<64, 16, 4, 512, 128> {};
template <>
struct segment_block_tuning<4, 1> : segment_bins_tuning<128, 8, 4, 1024, 256> {};
template <>
struct segment_block_tuning<4, 2> : segment_bins_tuning<320, 3, 4, 2560, 640> {};
template <>
struct segment_block_tuning<4, 3> : segment_bins_tuning<1024, 1, 4, 8192, 1280> {};
template <>
struct segment_block_tuning<8, 0> : segment_bins_tuning<128, 8, 4, 1024, 256> {};
template <>
struct segment_block_tuning<8, 1> : segment_bins_tuning<256, 4, 4, 2048, 256> {};
template <>
struct segment_block_tuning<8, 2> : segment_bins_tuning<640, 1, 4, 5120, 512> {};
template <>
struct segment_block_tuning<8, 3> : segment_bins_tuning<1024, 1, 4, 8192, 768> {};
template <>
struct segment_block_tuning<16, 0> : segment_bins_tuning<256, 3, 4, 2048, 512> {};
template <>
struct segment_block_tuning<16, 1> : segment_bins_tuning<512, 1, 5, 4096, 512> {};
template <>
struct segment_block_tuning<16, 2> : segment_bins_tuning<1024, 1, 5, 8192, 512> {};

template <class Word, segment_elements Elements, class Tuning>
struct segment_block_kernel {
  static constexpr bool placed = Elements == segment_elements::placed, floats = Elements == segment_elements::floats;
  using element = sample_element<Word, placed>;
  using packed = packing<Word, element>;
  using tuning = Tuning;
  using local = local_sort_kernel<element, tuning>;
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = tuning::threads, min_blocks = tuning::min_blocks;
  static constexpr unsigned warps = block_threads / simt::warp_size;
  static constexpr int vector = local::vector, vectors = local::vectors, items = local::items;
  static constexpr std::uint32_t capacity = local::capacity;
  static constexpr int merged_items = [] {
    int n = 4;
    while (unsigned(n) * block_threads < capacity)
      n *= 2;
    return n;
  }();
  using sorter = primitives::block_merge_sort<merged_items, element>;
  using bins = even_bins<element>;
  static constexpr bool counts = Elements != segment_elements::integers;
  using cell_bins = counted_bins<element, block_threads>;

  struct shared {
    union {
      struct {
        typename local::shared binned;
        alignas(16) simt::shared_array<std::uint32_t, cell_bins::room> cells;
      };
      alignas(16) simt::shared_array<element, primitives::merge_sort_room<element>(capacity)> elements;
    };
    simt::shared_array<element, 2 * warps> ends; // the warps' least and greatest elements
    simt::shared_array<std::uint32_t, floats ? warps : 1> met;
  };

  segment_work work;
  segment_arrays<Word> arrays;
  bool beside_predecessor; ///< that is another kernel of lists

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t all = work.size();
    for (std::uint64_t i = simt::block_index(); i < all; i += simt::grid_size()) {
      const segment_item item = work.load(i);
      if (item.length == 0) // not from a list
        continue;
      if (!by_bins(s, item)) {
        simt::block_barrier();
        merge(s.elements.view(), arrays.from(item.source), arrays.codec, item.begin, std::uint32_t(item.length));
        simt::block_barrier();
        write_equals(s, item, [&](std::uint32_t p, Word image) {
          s.elements[primitives::merge_sort_place<element>(p)] = image;
        });
        write(item, [&](std::uint32_t p) { return s.elements.load(primitives::merge_sort_place<element>(p)); });
        simt::block_barrier();
        continue;
      }
      write_equals(s, item, [&](std::uint32_t p, Word image) { s.binned.keys[p] = image; });
      if (!placed && in_vectors(item))
        store(s, item);
      else
        write(item, [&](std::uint32_t p) { return s.binned.keys.load(p); });
      // No barrier behind what by_bins() left: it clears bins that nobody reads any more, and has barriers before it
      // writes elements.
    }
  }

 private:
  template <class At>
  SORTILE_DEVICE void write(const segment_item& item, At at) const {
    write_segment<items, packed, Elements>(arrays, item, simt::thread_index(), block_threads, at,
                                           [] { simt::block_barrier(); });
  }
  SORTILE_DEVICE bool in_vectors(const segment_item& item) const {
    return arrays.vectors && item.begin % unsigned(vector) == 0;
  }
  SORTILE_DEVICE void store(shared& s, const segment_item& item) const {
    if constexpr (!placed) {
      const auto n = std::uint32_t(item.length);
      SORTILE_UNROLL
      for (int v = 0; v < vectors; ++v) {
        const std::uint32_t p = local::place_of(v);
        if (p >= n)
          continue;
        auto x = simt::load_vector<vector>(s.binned.keys, p);
        SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          x[e] = arrays.template key<Elements>(x[e]);
        if (p + unsigned(vector) <= n)
          simt::store_vector<vector>(arrays.out, item.begin + p, x);
        else
          SORTILE_UNROLL
        for (int e = 0; e < vector; ++e)
          if (p + unsigned(e) < n)
            arrays.out.store(item.begin + p + unsigned(e), x[e]);
      }
    }
  }
  /// Of floats that lie in order, as images: zeros and NaNs once more, if there are any to mind; put(p, image).
  template <class Put>
  SORTILE_DEVICE void write_equals(shared& s, const segment_item& item, Put put) const {
    if constexpr (floats) {
      if (!was_met(s, untold))
        return;
      const auto from = arrays.from(item.source);
      equal_floats<Word>{arrays}.template write_by_block<warps>(
          simt::view_as<std::uint32_t>(s.ends.view()), std::uint32_t(item.length),
          [&](std::uint32_t p) { return from.load(item.begin + p); },
          [&](std::uint32_t p, Word key) { put(p, arrays.float_bits(key)); });
    }
  }
  /// A call, so that the usual way need not share its registers with this one.
  static SORTILE_DEVICE_CALL void merge(simt::shared_view<element> elements, simt::global<const Word> from,
                                        key_codec<Word> codec, std::uint64_t begin, std::uint32_t n) {
    sorter::sort_loaded(
        elements, n, packed::greatest(), [&](std::uint32_t p) { return from.load(begin + p); },
        [&](Word key, std::uint32_t p) { return packed::pack(codec.image(key), p); });
  }

  /// The entry's elements in s.binned.keys, in order; or false, in all threads.
  SORTILE_DEVICE bool by_bins(shared& s, const segment_item& item) const {
    local step{};
    step.image = {element{0}};
    const typename local::bucket all{0, 0, 0, std::uint32_t(item.length)};
    const auto from = arrays.from(item.source);
    typename local::keys_vector x[vectors];
    load(s, from, item, x);
    local::clear(s.binned);
    const auto ends = range_of(s, all, x);
    if (!placed && ends.least == ends.greatest) { // one and the same key
      local::each_key(all, x, [&](element e, int i) { s.binned.keys[place_of(i)] = e; });
      simt::block_barrier();
      return true;
    }
    if (was_met(s, repeated))
      return false;
    constexpr std::uint32_t all_bins = local::words * 16;
    const bins even = bins::between(ends.least, ends.greatest, all_bins);
    const auto again = [&](std::uint32_t p) {
      return packed::pack(arrays.template image<Elements>(from.load(item.begin + p)), p);
    };
    if (!counts || arrays.codec.infinity == 0)
      return step.put_in_order(s.binned, all, x, even, again);
    if constexpr (counts) { // floats
      const cell_bins counted{even, s.cells.view()};
      counted.count(s.binned.sums.view(), all.end, all_bins,
                    [&](auto f) { local::each_key(all, x, [&](element e, int) { f(e); }); });
      return step.put_in_order(s.binned, all, x, counted, again);
    }
  }
  // What warps met among floats without places, as they loaded them: one that its image does not tell; equal
  // neighbours.
  enum met_by_warp : std::uint32_t { untold = 1, repeated = 2 };
  /// A barrier, behind which the next entry's warps may note what they meet.
  SORTILE_DEVICE bool was_met(shared& s, met_by_warp what) const {
    if constexpr (!floats)
      return false;
    const unsigned lane = simt::lane_index();
    return simt::block_any(lane < warps && (s.met.load(lane < warps ? lane : 0) & what) != 0);
  }
  static SORTILE_DEVICE std::uint32_t place_of(int i) { return local::place_of(i / vector) + unsigned(i % vector); }
  /// Of the thread's elements, behind its first.
  static constexpr std::uint32_t offset_of(int i) {
    return unsigned(i / vector) * block_threads * unsigned(vector) + unsigned(i % vector);
  }
  SORTILE_DEVICE void load(shared& s, const simt::global<const Word>& from, const segment_item& item,
                           typename local::keys_vector (&x)[vectors]) const {
    const auto n = std::uint32_t(item.length);
    const std::uint32_t place = local::place_of(0);
    const std::uint64_t first = item.begin + place; // constants are added to it: one address for all loads
    const bool whole = !placed && in_vectors(item);
    SORTILE_UNROLL
    for (int v = 0; v < vectors; ++v)
      if (!placed && whole && place + offset_of(v * vector) + unsigned(vector) <= n)
        load_vector(from, first + offset_of(v * vector), x[v]);
      else
        load_keys(from, first, n - place, v, x[v]);
    if constexpr (placed) {
      Word images[items];
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        images[i] = packed::image(x[i / vector][i % vector]);
      arrays.make_images(images);
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i)
        x[i / vector][i % vector] = packed::pack(images[i], place + offset_of(i));
    } else {
      bool is_told = true, is_repeated = false;
      Word before = 0;
      SORTILE_UNROLL
      for (int i = 0; i < items; ++i) {
        const Word key = x[i / vector][i % vector];
        if (floats && place + offset_of(i) < n) {
          is_told = is_told && arrays.is_told(key);
          is_repeated = is_repeated || (i > 0 && key == before);
          before = key;
        }
        x[i / vector][i % vector] = arrays.template image<Elements>(key);
      }
      if constexpr (floats) {
        const std::uint32_t met = (simt::warp_all(is_told) ? 0 : untold) | (simt::warp_any(is_repeated) ? repeated : 0);
        if (simt::lane_index() == 0)
          s.met[simt::warp_index()] = met; // and a barrier follows
      }
    }
  }
  static SORTILE_DEVICE void load_vector(const simt::global<const Word>& from, std::uint64_t at,
                                         typename local::keys_vector& x) {
    if constexpr (!placed)
      x = simt::load_vector<vector>(from, at);
  }
  /// The keys of vector v that there are, one by one; packed without their images.
  static SORTILE_DEVICE void load_keys(const simt::global<const Word>& from, std::uint64_t first, std::uint32_t left,
                                       int v, typename local::keys_vector& x) {
    SORTILE_UNROLL
    for (int e = 0; e < vector; ++e)
      if (std::int32_t(left) > std::int32_t(offset_of(v * vector + e)))
        x[e] = packed::pack(from.load(first + offset_of(v * vector + e)), 0);
  }

  struct range {
    element least, greatest;
  };
  static SORTILE_DEVICE range range_of(shared& s, const typename local::bucket& all,
                                       const typename local::keys_vector (&x)[vectors]) {
    range r{packed::greatest(), element{0}};
    local::each_key(all, x, [&](element e, int) { r = {e < r.least ? e : r.least, r.greatest < e ? e : r.greatest}; });
    const unsigned lane = simt::lane_index();
    r = over_warp(r);
    if (lane == 0) {
      s.ends[simt::warp_index()] = r.least;
      s.ends[warps + simt::warp_index()] = r.greatest;
    }
    simt::block_barrier();
    const unsigned w = lane < warps ? lane : 0;
    return over_warp({s.ends.load(w), s.ends.load(warps + w)});
  }
  static SORTILE_DEVICE range over_warp(range r) {
    return {primitives::warp_reduce(r.least, primitives::minimum{}),
            primitives::warp_reduce(r.greatest, primitives::maximum{})};
  }
};

/// By merging alone.
template <class Word, std::uint32_t Capacity>
struct segment_merge_kernel {
  static constexpr bool starts_early = true;
  static constexpr int items = 8;
  static constexpr std::uint32_t capacity = Capacity;
  static constexpr unsigned block_threads = Capacity / unsigned(items);
  using element = sample_element<Word, true>;
  using packed = packing<Word, element>;
  using sorter = primitives::block_merge_sort<items, element>;

  struct shared {
    alignas(16) simt::shared_array<element, primitives::merge_sort_room<element>(Capacity)> elements;
  };

  segment_work work;
  segment_arrays<Word> arrays;
  bool beside_predecessor; ///< that is another kernel of lists

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t all = work.size();
    for (std::uint64_t i = simt::block_index(); i < all; i += simt::grid_size()) {
      const segment_item item = work.load(i);
      if (item.length == 0) // not from a list
        continue;
      const auto from = arrays.from(item.source);
      sorter::sort_loaded(
          s.elements.view(), std::uint32_t(item.length), packed::greatest(),
          [&](std::uint32_t p) { return from.load(item.begin + p); },
          [&](Word key, std::uint32_t p) { return packed::pack(arrays.codec.image(key), p); });
      simt::block_barrier();
      write_segment<items, packed, segment_elements::placed>(
          arrays, item, simt::thread_index(), block_threads,
          [&](std::uint32_t p) { return s.elements.load(primitives::merge_sort_place<element>(p)); },
          [] { simt::block_barrier(); });
      simt::block_barrier();
    }
  }
};

/// The kernel of a class of blocks.
template <class Word, segment_elements Elements, unsigned Block,
          std::size_t Bytes = sizeof(sample_element<Word, Elements == segment_elements::placed>)>
struct segment_kernel_of_block {
  /// Elements with places are loaded one by one: two blocks a multiprocessor hide that better.
  using tuning = std::conditional_t<Elements == segment_elements::placed && Bytes == 8 && Block == 2,
                                    segment_bins_tuning<512, 2, 5, 4096, 512>, segment_block_tuning<Bytes, Block>>;
  using type = segment_block_kernel<Word, Elements, tuning>;
};
template <class Word, unsigned Block>
struct segment_kernel_of_block<Word, segment_elements::placed, Block, 24> {
  static constexpr unsigned list = detail::segment_classes::shorts + Block;
  using type = segment_merge_kernel<Word, detail::segment_classes::of(sizeof(Word), true).most[list]>;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
