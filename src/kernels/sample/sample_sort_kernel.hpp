// A sort in one launch of a grid whose blocks are all resident (sample_sort.hpp says what it does and why); or of one
// block, which goes straight to the last step.
//
// Sample. Every block draws and sorts the same keys: cheaper than one block doing it while all others wait. 24 a
// bucket, 3072 at most; of random input a bucket then exceeds 1.9 times its share once in some hundred sorts of a
// million keys, and the draw is repeated.
//
// Classify. Splitters in shared storage, a binary search a key, all keys of a thread at once. The block counts what it
// has of each bucket by atomics that also rank the keys; where a whole warp has one bucket (keys in order already, or
// all equal: places decide, and neighbours have neighbouring ones) one lane counts for all. One more atomic a bucket
// and block tells where in the bucket the block's keys go.
//
// Scatter. Keys are staged by bucket in shared storage first, so that a run is written by neighbouring threads.
//
// Sort. primitives/block_merge_sort.hpp, with as few elements a thread as the bucket asks for: 3, 7 or 15.
//
// Network. Bitonic, in the form whose comparators all point upwards (the first step of each merge mirrors its upper
// half), so that places beyond n need not exist: log²(n) / 2 steps, a wait after each.
#pragma once

#include "kernels/sample/sample_output.hpp"
#include "kernels/sample/sample_sort_launch.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, bool Placed, bool Grid>
struct sample_sort_kernel {
  static constexpr auto shape = detail::sample_shape::of(sizeof(Word), Placed);
  static constexpr unsigned block_threads = shape.threads, min_blocks = 1, most_buckets = shape.most_buckets;
  static constexpr int most_items = shape.most_items, tile_items = shape.tile_items, sample_items = 3;
  static constexpr unsigned drawn_a_bucket = 24, most_drawn = block_threads * unsigned(sample_items);
  using element = sample_element<Word, Placed>;
  using splitter = sample_element<Word, true>;
  using packed = packing<Word, element>;
  using packed_splitter = packing<Word, splitter>;

  struct stage {
    simt::shared_array<Word, shape.tile()> images;
    simt::shared_array<std::uint32_t, Placed ? shape.tile() : 1> places;
    simt::shared_array<std::uint8_t, shape.tile()> buckets;
  };
  struct tables {
    simt::shared_array<splitter, most_buckets> splitters;         // the last is above all
    simt::shared_array<std::uint32_t, most_buckets> count, first; // of the tile's keys in each bucket
    simt::shared_array<std::uint32_t, most_buckets> offset;       // of the tile's first key, in its bucket
    simt::shared_array<std::uint32_t, most_buckets> move;         // from the place in the stage to that in all buckets
    simt::shared_array<std::uint32_t, most_buckets + 1> start;    // of each bucket
    primitives::block_scan_storage<std::uint32_t, block_threads> scan, more_scan;
  };
  struct nothing {};
  struct shared {
    union {
      simt::shared_array<element, shape.capacity()> elements;
      simt::shared_array<splitter, Grid ? most_drawn : 1> drawn;
      std::conditional_t<Grid, stage, nothing> staged;
    };
    std::conditional_t<Grid, tables, nothing> table;
  };

  simt::global<const Word> in;
  simt::global<const std::uint64_t> device_n; // where is_on_device
  simt::global<std::uint32_t> counts;         // [attempts][most_buckets]
  simt::global<Word> images;
  simt::global<std::uint32_t> places;
  sample_output<Word> output;
  key_codec<Word> codec;
  std::uint32_t bound;
  unsigned attempts;
  bool is_on_device;

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint32_t n = keys();
    if (n == 0)
      return;
    if constexpr (!Grid)
      return sort_and_write(
          s, 0, n, [&](std::uint32_t i) { return packed::pack(codec.image(in.load(i)), i); },
          [] { simt::block_barrier(); });
    else
      sort_by_buckets(s, n);
  }

  /// The place of the i-th key drawn (the finaliser of MurmurHash3, Appleby 2011, as a generator).
  static SORTILE_HOST_DEVICE std::uint32_t draw(std::uint32_t i, unsigned attempt, std::uint32_t n) {
    std::uint32_t h = i + attempt * most_drawn + 1;
    h *= 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return std::uint32_t(std::uint64_t{h ^ h >> 16} * n >> 32);
  }

 private:
  struct tile_span {
    std::uint32_t first, size;
    SORTILE_DEVICE bool has(int i) const { return mine(i) < size; }
    SORTILE_DEVICE std::uint32_t place(int i) const { return first + mine(i); }
    static SORTILE_DEVICE std::uint32_t mine(int i) { return unsigned(i) * block_threads + simt::thread_index(); }
  };

  SORTILE_DEVICE std::uint32_t keys() const {
    if (!is_on_device)
      return bound;
    const std::uint64_t n = device_n.load(0);
    return n < bound ? std::uint32_t(n) : bound;
  }
  static SORTILE_DEVICE tile_span span_of(std::uint32_t n) {
    const std::uint32_t size = (n + simt::grid_size() - 1) / simt::grid_size();
    const std::uint64_t first = std::uint64_t{size} * simt::block_index();
    if (first >= n)
      return {n, 0};
    return {std::uint32_t(first), n - std::uint32_t(first) < size ? n - std::uint32_t(first) : size};
  }

  SORTILE_DEVICE void sort_by_buckets(shared& s, std::uint32_t n) const {
    const tile_span tile = span_of(n);
    Word image[tile_items];
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      image[i] = tile.has(i) ? codec.image(in.load(tile.place(i))) : Word{0};
    if (simt::block_index() == 0)
      for (unsigned i = simt::thread_index(); i < attempts * most_buckets; i += block_threads)
        counts[i] = 0;
    if (!scatter(s, n, tile, image))
      return sort_by_network(n, tile, image);
    simt::grid_barrier();
    const std::uint32_t b = simt::block_index(), begin = s.table.start.load(b);
    sort_and_write(
        s, begin, s.table.start.load(b + 1) - begin,
        [&](std::uint32_t i) {
          std::uint32_t place = 0;
          if constexpr (Placed)
            place = places.load(begin + i);
          return packed::pack(images.load(begin + i), place);
        },
        [] { simt::grid_barrier(); });
  }

  /// Brings all keys to their buckets. False where no draw has given buckets that fit, the same in all blocks.
  SORTILE_DEVICE bool scatter(shared& s, std::uint32_t n, const tile_span& tile,
                              const Word (&image)[tile_items]) const {
    for (unsigned attempt = 0; attempt < attempts; ++attempt) {
      choose_splitters(s, n, attempt);
      if (attempt == 0)
        simt::grid_barrier(); // counts are 0
      std::uint32_t where[tile_items];
      classify(s, tile, image, where);
      reserve(s, attempt);
      simt::grid_barrier();
      if (!lay_out(s, attempt))
        continue;
      move(s, tile, image, where);
      return true;
    }
    return false;
  }

  SORTILE_DEVICE void choose_splitters(shared& s, std::uint32_t n, unsigned attempt) const {
    const unsigned buckets = simt::grid_size(), t = simt::thread_index();
    const unsigned wanted = buckets * drawn_a_bucket, drawn = wanted < most_drawn ? wanted : most_drawn;
    sort_elements<sample_items, packed_splitter>(s.drawn.view(), drawn, [&](std::uint32_t i) {
      const std::uint32_t place = draw(i, attempt, n);
      return packed_splitter::pack(codec.image(in.load(place)), place);
    });
    if (t < most_buckets)
      s.table.splitters[t] = t + 1 < buckets ? s.drawn.load((t + 1) * drawn / buckets) : packed_splitter::greatest();
    simt::block_barrier();
  }

  /// where[i] = bucket · 2^16 + rank among the block's keys of that bucket; counts these.
  SORTILE_DEVICE void classify(shared& s, const tile_span& tile, const Word (&image)[tile_items],
                               std::uint32_t (&where)[tile_items]) const {
    const unsigned t = simt::thread_index();
    if (t < most_buckets)
      s.table.count[t] = 0;
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      where[i] = 0;
    for (unsigned step = most_buckets / 2; step > 0; step /= 2) {
      if (step >= simt::grid_size())
        continue; // splitters beyond are above all
      SORTILE_UNROLL
      for (int i = 0; i < tile_items; ++i)
        if (!(packed_splitter::pack(image[i], tile.place(i)) < s.table.splitters.load(where[i] + step - 1)))
          where[i] += step;
    }
    simt::block_barrier();
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      where[i] = where[i] << 16 | rank(s, where[i], tile.has(i));
    simt::block_barrier();
  }
  static SORTILE_DEVICE std::uint32_t rank(shared& s, std::uint32_t bucket, bool valid) {
    const auto count = [&](std::uint32_t many) {
      return s.table.count.fetch_add(bucket, many, simt::relaxed, simt::block_scope);
    };
    const bool as_first = bucket == simt::shuffle(bucket, 0);
    if (simt::warp_all(valid && as_first)) {
      const std::uint32_t before = simt::lane_index() == 0 ? count(simt::warp_size) : 0;
      return simt::shuffle(before, 0) + simt::lane_index();
    }
    return valid ? count(1) : 0;
  }

  SORTILE_DEVICE void reserve(shared& s, unsigned attempt) const {
    const unsigned t = simt::thread_index();
    if (t >= simt::grid_size())
      return;
    const std::uint32_t count = s.table.count.load(t);
    s.table.offset[t] = count == 0 ? 0 : counts.fetch_add(attempt * most_buckets + t, count);
  }
  /// Where buckets begin. False where one of them is too large.
  SORTILE_DEVICE bool lay_out(shared& s, unsigned attempt) const {
    const unsigned t = simt::thread_index(), buckets = simt::grid_size();
    const std::uint32_t all = t < buckets ? counts.load(attempt * most_buckets + t, simt::relaxed) : 0;
    const std::uint32_t mine = t < buckets ? s.table.count.load(t) : 0;
    const bool too_large = simt::block_any(all > shape.capacity());
    const std::uint32_t start = primitives::block_exclusive_scan(s.table.scan, all, primitives::plus{}, 0u).before;
    const std::uint32_t first =
        primitives::block_exclusive_scan(s.table.more_scan, mine, primitives::plus{}, 0u).before;
    if (t < buckets) {
      s.table.start[t] = start;
      s.table.first[t] = first;
      s.table.move[t] = start + s.table.offset.load(t) - first;
      if (t + 1 == buckets)
        s.table.start[buckets] = start + all;
    }
    simt::block_barrier();
    return !too_large;
  }

  SORTILE_DEVICE void move(shared& s, const tile_span& tile, const Word (&image)[tile_items],
                           const std::uint32_t (&where)[tile_items]) const {
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      if (tile.has(i)) {
        const std::uint32_t bucket = where[i] >> 16, p = s.table.first.load(bucket) + (where[i] & 0xffff);
        s.staged.images[p] = image[i];
        s.staged.buckets[p] = std::uint8_t(bucket);
        if constexpr (Placed)
          s.staged.places[p] = tile.place(i);
      }
    simt::block_barrier();
    for (std::uint32_t p = simt::thread_index(); p < tile.size; p += block_threads) {
      const std::uint32_t to = p + s.table.move.load(s.staged.buckets.load(p));
      images.store(to, s.staged.images.load(p));
      if constexpr (Placed)
        places.store(to, s.staged.places.load(p));
    }
  }

  template <class Load, class Wait>
  SORTILE_DEVICE void sort_and_write(shared& s, std::uint32_t begin, std::uint32_t n, Load load, Wait wait) const {
    constexpr int middle = most_items > 7 ? 7 : most_items;
    const auto elements = s.elements.view();
    if (n <= 3 * block_threads)
      sort_elements<3, packed>(elements, n, load);
    else if (n <= unsigned(middle) * block_threads)
      sort_elements<middle, packed>(elements, n, load);
    else
      sort_elements<most_items, packed>(elements, n, load);
    output.template write<element, block_threads>(
        begin, n, [&](std::uint32_t i) { return elements.load(i); }, wait);
  }
  /// Sorts load(0), …, load(n − 1) in shared storage.
  template <int Items, class Packed, class T, class Load>
  static SORTILE_DEVICE void sort_elements(const simt::shared_view<T>& s, std::uint32_t n, Load load) {
    using sorter = primitives::block_merge_sort<block_threads, Items, T>;
    const unsigned threads = sorter::active(n), t = simt::thread_index();
    T x[Items];
    SORTILE_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t p = t + unsigned(i) * threads;
      x[i] = t < threads && p < n ? load(p) : Packed::greatest();
    }
    sorter::sort(s, x, n);
    simt::block_barrier();
  }

  SORTILE_DEVICE element element_at(std::uint32_t i) const {
    std::uint32_t place = 0;
    if constexpr (Placed)
      place = places.load(i);
    return packed::pack(images.load(i), place);
  }
  SORTILE_DEVICE void exchange(std::uint32_t low, std::uint32_t high, std::uint32_t n) const {
    if (high >= n)
      return;
    const element a = element_at(low), b = element_at(high);
    if (!(b < a))
      return;
    images.store(low, packed::image(b));
    images.store(high, packed::image(a));
    if constexpr (Placed) {
      places.store(low, packed::place(b));
      places.store(high, packed::place(a));
    }
  }
  SORTILE_DEVICE void sort_by_network(std::uint32_t n, const tile_span& tile, const Word (&image)[tile_items]) const {
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      if (tile.has(i)) {
        images.store(tile.place(i), image[i]);
        if constexpr (Placed)
          places.store(tile.place(i), tile.place(i));
      }
    simt::grid_barrier();
    const std::uint32_t mine = simt::block_index() * block_threads + simt::thread_index();
    const std::uint32_t stride = simt::grid_size() * block_threads;
    for (std::uint32_t size = 2; size < 2 * n; size *= 2)
      for (std::uint32_t apart = size / 2; apart > 0; apart /= 2) {
        for (std::uint32_t c = mine; c < n; c += stride) { // a place each; the lower of a pair acts
          const std::uint32_t in_pair = c % (2 * apart), low = c;
          if (in_pair < apart)
            exchange(low, apart == size / 2 ? low + size - 1 - 2 * in_pair : low + apart, n);
        }
        simt::grid_barrier();
      }
    output.template write<element, block_threads>(
        tile.first, tile.size, [&](std::uint32_t i) { return element_at(tile.first + i); },
        [] { simt::grid_barrier(); });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
