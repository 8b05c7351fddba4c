// A sort in one launch of a grid whose blocks are all resident (sample_sort.hpp says what it does and why); or of one
// block, which goes straight to the last step.
//
// Its cost is latency, so it waits seldom: once for the whole grid, and once while it sorts.
//
//   sample     every block draws and sorts the same keys, which is cheaper than waiting for one block to do it
//   classify   splitters in shared storage, a binary search a key, all keys of a thread at once. The block counts what
//              it has of each bucket by atomics that also rank the keys. Where a whole warp has one bucket, as with
//              sorted or equal keys, one lane counts for all
//   lay out    the block's tile, by buckets, to the workspace; for each bucket where its part begins
//   ---------- the grid waits
//   gather     a bucket a block, from all tiles: what the block needs of the tables is two rows, where its bucket
//              begins in each tile and where the next one does. The beginnings' sum is where it begins in the output
//   agree      a block says that it has gathered, or that its bucket is too large for it, and hears all others say so
//              while its warps sort
//   sort       primitives/block_merge_sort.hpp, with as few elements per thread as the bucket asks for: 4, 8 or 16
//   write
//
// How many are drawn. A bucket between splitters that stand `a` drawn keys apart holds Gamma(a) / a times its share, so
// it exceeds f times the share with the probability that a Poisson variable of mean f · a is below a. One of 128
// buckets is too large
//
//   room for f = 10 shares   a = 4     once in 10^11 sorts
//               6            a = 8     once in 4 · 10^10
//               2            a = 24    once in 160 sorts of a full grid: then other keys are drawn
//
// The largest of 128 buckets mostly holds 2.6, 2.1 and 1.5 shares. Sorting fewer drawn keys saves more than the larger
// buckets cost.
//
// Network, where no draw helps. It is bitonic, in the form whose comparators all point upwards (the first step of each
// merge mirrors its upper half), so that places beyond n need not exist. It has log²(n) / 2 steps, with a wait after
// each.
#pragma once

#include "kernels/sample/sample_output.hpp"
#include "kernels/sample/sample_sort.hpp"
#include "kernels/verdict.hpp"
#include "primitives/block_merge_sort.hpp"
#include "primitives/block_scan.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, bool Placed, bool Grid>
struct sample_sort_kernel {
  static constexpr auto shape = detail::sample_shape::of(sizeof(Word), Placed);
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = shape.threads, min_blocks = 1, most_buckets = shape.most_buckets;
  static constexpr int most_items = shape.most_items, tile_items = shape.tile_items;
  /// A thread's loads that wait together: of a grid's blocks most have an element a thread.
  static constexpr unsigned at_once = Grid ? 1 : 4;
  static constexpr unsigned most_drawn_a_bucket = 24, most_drawn = most_buckets * most_drawn_a_bucket;
  using element = sample_element<Word, Placed>;
  using splitter = sample_element<Word, true>;
  using packed = packing<Word, element>;
  using packed_splitter = packing<Word, splitter>;
  static constexpr int splitter_items = sizeof(splitter) <= 8 ? 8 : 4;
  static_assert(most_drawn <= block_threads * 4 && shape.tile() < 65536);

  struct stage {
    simt::shared_array<Word, shape.tile()> images;
    simt::shared_array<std::uint32_t, Placed ? shape.tile() : 1> places;
  };
  struct tables {
    simt::shared_array<splitter, most_buckets> splitters;         // the last is above all
    simt::shared_array<std::uint32_t, most_buckets> count, first; // of the tile's keys in each bucket
    simt::shared_array<std::uint32_t, most_buckets> part, at, to; // of the bucket in each tile: size, where, whereto
    primitives::block_scan_storage<std::uint64_t, block_threads> scan;
    simt::shared_value<std::uint32_t> too_large; // buckets, once agreed on
  };
  struct nothing {};
  struct shared {
    union {
      alignas(16) simt::shared_array<element, primitives::merge_sort_room<element>(shape.capacity())> elements;
      alignas(
          16) simt::shared_array<splitter, Grid ? primitives::merge_sort_room<splitter>(4 * block_threads) : 1> drawn;
      std::conditional_t<Grid, stage, nothing> staged;
    };
    std::conditional_t<Grid, tables, nothing> table;
  };

  simt::global<const Word> in;
  simt::global<const std::uint64_t> device_n; // where is_on_device
  verdict called;
  simt::global<std::uint16_t> parts;  // [bucket][tile]: where it begins in the tile
  simt::global<std::uint32_t> agreed; // [attempts]: blocks, and 2^16 for each whose bucket is too large
  simt::global<Word> images;
  simt::global<std::uint32_t> places;
  sample_output<Word> output;
  key_codec<Word> codec;
  std::uint32_t bound;
  unsigned attempts;
  bool is_on_device;

  SORTILE_DEVICE void operator()(shared& s) const {
    if (!called.calls())
      return;
    const std::uint32_t n = keys();
    if (n == 0)
      return;
    if constexpr (!Grid) {
      sort_elements<most_items, packed>(
          s.elements.view(), n, [&](std::uint32_t i) { return in.load(i); },
          [&](Word key, std::uint32_t i) { return packed::pack(codec.image(key), i); });
      write(s, 0, n, [] { simt::block_barrier(); });
    } else {
      sort_by_buckets(s, n);
    }
  }

  /// The place of the i-th key drawn (the finaliser of MurmurHash3, Appleby 2011, as a generator).
  static SORTILE_HOST_DEVICE std::uint32_t draw(std::uint32_t i, unsigned attempt, std::uint32_t n) {
    std::uint32_t h = i + attempt * most_drawn + 1;
    h *= 0x9e3779b9u;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return std::uint32_t(std::uint64_t{h ^ h >> 16} * n >> 32);
  }
  static SORTILE_HOST_DEVICE unsigned keys_drawn(unsigned buckets, std::uint32_t n) {
    const auto room_for = [=](unsigned shares) { return n <= buckets * (shape.capacity() / shares); };
    return buckets * (room_for(10) ? 4 : room_for(6) ? 8 : most_drawn_a_bucket);
  }

 private:
  struct tile_span {
    std::uint32_t first, size;
    SORTILE_DEVICE bool has(int i) const { return mine(i) < size; }
    /// Whether any thread has an i-th key: the same in all.
    SORTILE_DEVICE bool anyone_has(int i) const { return unsigned(i) * block_threads < size; }
    SORTILE_DEVICE std::uint32_t place(int i) const { return first + mine(i); }
    static SORTILE_DEVICE std::uint32_t mine(int i) { return unsigned(i) * block_threads + simt::thread_index(); }
  };
  struct bucket_span {
    std::uint32_t begin, size;
  };

  SORTILE_DEVICE std::uint32_t keys() const {
    if (!is_on_device)
      return bound;
    const std::uint64_t n = device_n.load(0);
    return n < bound ? std::uint32_t(n) : bound;
  }
  static SORTILE_DEVICE tile_span tile_of(std::uint32_t block, std::uint32_t n) {
    const std::uint32_t size = (n + simt::grid_size() - 1) / simt::grid_size();
    const std::uint64_t first = std::uint64_t{size} * block;
    if (first >= n)
      return {n, 0};
    return {std::uint32_t(first), n - std::uint32_t(first) < size ? n - std::uint32_t(first) : size};
  }

  SORTILE_DEVICE void sort_by_buckets(shared& s, std::uint32_t n) const {
    const tile_span tile = tile_of(simt::block_index(), n);
    // Keys that wait do so in the workspace, from which all must have gathered.
    const bool need_not_agree = n <= shape.capacity() && !output.keys_wait;
    if (simt::block_index() == 0 && simt::thread_index() < attempts)
      agreed[simt::thread_index()] = 0;
    for (unsigned attempt = 0; attempt < attempts; ++attempt) {
      lay_out(s, n, attempt, tile);
      simt::grid_barrier();
      const bucket_span mine = this_bucket(s, n);
      const bool fits = mine.size <= shape.capacity();
      if (fits)
        gather(s);
      simt::block_barrier();
      if (!need_not_agree)
        agree(s, attempt, fits);
      const auto elements = s.elements.view();
      if (fits)
        sort_elements<most_items, packed>(elements, mine.size, [&](std::uint32_t i) {
          return elements.load(primitives::merge_sort_place<element>(i));
        });
      if (need_not_agree || all_fit(s))
        return write(s, mine.begin, mine.size, [] { simt::grid_barrier(); });
    }
    sort_by_network(n, tile);
  }

  /// Brings the tile's keys to the workspace, bucket by bucket.
  SORTILE_DEVICE void lay_out(shared& s, std::uint32_t n, unsigned attempt, const tile_span& tile) const {
    choose_splitters(s, n, attempt);
    Word image[tile_items];
    std::uint32_t where[tile_items]; // bucket · 2^16 + rank among the block's keys of that bucket
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      image[i] = tile.has(i) ? codec.image(in.load(tile.place(i))) : Word{0};
    classify(s, tile, image, where);
    tell_parts(s);
    move(s, tile, image, where);
  }

  SORTILE_DEVICE void choose_splitters(shared& s, std::uint32_t n, unsigned attempt) const {
    const unsigned buckets = simt::grid_size(), t = simt::thread_index(), drawn = keys_drawn(buckets, n);
    const auto sorted = s.drawn.view();
    sort_elements<splitter_items, packed_splitter>(sorted, drawn, [&](std::uint32_t i) {
      const std::uint32_t place = draw(i, attempt, n);
      return packed_splitter::pack(codec.image(in.load(place)), place);
    });
    if (t < most_buckets) {
      s.table.splitters[t] = t + 1 < buckets
                                 ? sorted.load(primitives::merge_sort_place<splitter>((t + 1) * (drawn / buckets)))
                                 : packed_splitter::greatest();
      s.table.count[t] = 0;
    }
    simt::block_barrier();
  }

  SORTILE_DEVICE void classify(shared& s, const tile_span& tile, const Word (&image)[tile_items],
                               std::uint32_t (&where)[tile_items]) const {
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      where[i] = 0;
    SORTILE_NO_UNROLL
    for (unsigned step = most_buckets / 2; step > 0; step /= 2) {
      if (step >= simt::grid_size())
        continue; // splitters beyond are above all
      SORTILE_UNROLL
      for (int i = 0; i < tile_items; ++i)
        if (tile.anyone_has(i) &&
            !(packed_splitter::pack(image[i], tile.place(i)) < s.table.splitters.load(where[i] + step - 1)))
          where[i] += step;
    }
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      if (tile.anyone_has(i))
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

  /// Where each bucket's part of the tile begins: for the block, and for the one that gathers the bucket.
  SORTILE_DEVICE void tell_parts(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t count = t < most_buckets ? s.table.count.load(t) : 0;
    const auto first = std::uint32_t(
        primitives::block_exclusive_scan(s.table.scan, std::uint64_t{count}, primitives::plus{}, std::uint64_t{0})
            .before);
    if (t < most_buckets)
      s.table.first[t] = first;
    if (t < simt::grid_size())
      parts[t * simt::grid_size() + simt::block_index()] = std::uint16_t(first);
    simt::block_barrier();
  }

  SORTILE_DEVICE void move(shared& s, const tile_span& tile, const Word (&image)[tile_items],
                           const std::uint32_t (&where)[tile_items]) const {
    SORTILE_UNROLL
    for (int i = 0; i < tile_items; ++i)
      if (tile.has(i)) {
        const std::uint32_t p = s.table.first.load(where[i] >> 16) + (where[i] & 0xffff);
        s.staged.images[p] = image[i];
        if constexpr (Placed)
          s.staged.places[p] = tile.place(i);
      }
    simt::block_barrier();
    for (std::uint32_t p = simt::thread_index(); p < tile.size; p += block_threads) {
      images.store(tile.first + p, s.staged.images.load(p));
      if constexpr (Placed)
        places.store(tile.first + p, s.staged.places.load(p));
    }
  }

  /// Where the block's bucket lies in all tiles, and where it goes.
  SORTILE_DEVICE bucket_span this_bucket(shared& s, std::uint32_t n) const {
    const unsigned t = simt::thread_index(), tiles = simt::grid_size(), bucket = simt::block_index();
    const bool last = bucket + 1 == tiles; // as many buckets as tiles
    const std::uint32_t begin = t < tiles ? parts.load(bucket * tiles + t) : 0;
    const std::uint32_t end = t >= tiles ? 0 : last ? tile_of(t, n).size : parts.load((bucket + 1) * tiles + t);
    const std::uint32_t size = end - begin;
    const auto sums = primitives::block_exclusive_scan(s.table.scan, std::uint64_t{begin} << 32 | size,
                                                       primitives::plus{}, std::uint64_t{0});
    if (t < most_buckets) {
      s.table.part[t] = size;
      s.table.at[t] = tile_of(t, n).first + begin;
      s.table.to[t] = std::uint32_t(sums.before);
    }
    simt::block_barrier();
    return {std::uint32_t(sums.total >> 32), std::uint32_t(sums.total)};
  }

  /// The bucket's elements to shared storage, a tile a warp; four tiles' loads are under way at once.
  SORTILE_DEVICE void gather(shared& s) const {
    constexpr unsigned warps = block_threads / simt::warp_size;
    constexpr int tiles = int(most_buckets / warps);
    std::uint32_t left[tiles], at[tiles], to[tiles];
    std::uint32_t most = 0;
    SORTILE_UNROLL
    for (int k = 0; k < tiles; ++k) {
      const unsigned tile = simt::warp_index() + unsigned(k) * warps;
      left[k] = s.table.part.load(tile);
      at[k] = s.table.at.load(tile);
      to[k] = s.table.to.load(tile);
      most = left[k] > most ? left[k] : most;
    }
    SORTILE_NO_UNROLL
    for (std::uint32_t j = simt::lane_index(); j < most; j += simt::warp_size) {
      element e[tiles];
      SORTILE_UNROLL
      for (int k = 0; k < tiles; ++k)
        e[k] = j < left[k] ? element_at(at[k] + j) : packed::greatest();
      SORTILE_UNROLL
      for (int k = 0; k < tiles; ++k)
        if (j < left[k])
          s.elements.store(primitives::merge_sort_place<element>(to[k] + j), e[k]);
    }
  }

  /// Says whether the bucket fits, and hears what all blocks say: in a thread of the last warp, which has the least to
  /// sort.
  SORTILE_DEVICE void agree(shared& s, unsigned attempt, bool fits) const {
    if (simt::thread_index() != block_threads - 1)
      return;
    agreed.fetch_add(attempt, fits ? 1u : 1u | 1u << 16, simt::release);
    std::uint32_t all = 0;
    while (((all = agreed.load(attempt, simt::acquire)) & 0xffff) != simt::grid_size())
      simt::spin_hint(20);
    s.table.too_large = all >> 16;
  }
  /// What the blocks have agreed on.
  static SORTILE_DEVICE bool all_fit(shared& s) {
    simt::block_barrier();
    const bool fit = s.table.too_large == 0;
    simt::block_barrier(); // nobody lays out anew before all have read it
    return fit;
  }

  template <class Wait>
  SORTILE_DEVICE void write(shared& s, std::uint32_t begin, std::uint32_t n, Wait wait) const {
    output.template write<element, block_threads, at_once>(
        begin, n, [&](std::uint32_t i) { return s.elements.load(primitives::merge_sort_place<element>(i)); }, wait);
  }
  /// Sorts n elements in shared storage, by up to Most a thread; as block_merge_sort::sort_loaded.
  template <int Most, class Packed, class T, class... Load>
  static SORTILE_DEVICE void sort_elements(const simt::shared_view<T>& s, std::uint32_t n, Load... load) {
    constexpr int middle = Most > 8 ? 8 : Most;
    if (n <= 2 * block_threads || Most == 4)
      sort_by<4, Packed>(s, n, load...);
    else if (n <= 8 * block_threads || Most == 8)
      sort_by<middle, Packed>(s, n, load...);
    else
      sort_by<Most, Packed>(s, n, load...);
  }
  template <int Items, class Packed, class T, class... Load>
  static SORTILE_DEVICE void sort_by(const simt::shared_view<T>& s, std::uint32_t n, Load... load) {
    primitives::block_merge_sort<Items, T>::sort_loaded(s, n, Packed::greatest(), load...);
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
  SORTILE_DEVICE void sort_by_network(std::uint32_t n, const tile_span& tile) const {
    for (std::uint32_t i = simt::thread_index(); i < tile.size; i += block_threads) {
      images.store(tile.first + i, codec.image(in.load(tile.first + i)));
      if constexpr (Placed)
        places.store(tile.first + i, tile.first + i);
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
    output.template write<element, block_threads, at_once>(
        tile.first, tile.size, [&](std::uint32_t i) { return element_at(tile.first + i); },
        [] { simt::grid_barrier(); });
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
