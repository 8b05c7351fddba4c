// Exclusive prefix sums as parts: the work-efficient scan of a block, and the scan of a whole array in a single launch.
// scan_one_block.cu and scan_whole_array.cu tell their story; the sorts of the gallery take their destinations from
// them.
//
//   scan_block(tree, elements)      Blelloch's up- and down-sweep over 2 * block_threads numbers in shared memory
//   block_sum_scan                  blocks scan their tiles, the sums of tiles are scanned, then added to the tiles
//   look_back(states, tile, sum)    the sum of all earlier tiles, from what their blocks publish (one warp)
//   single_pass_scan                scan_block and look_back: every number is read once and written once
//
// Look-back protocol (Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Each tile
// owns one 64-bit word: a state above, a sum below. It is written by lane 0 of the tile's first warp alone, twice:
//
//   empty ──▶ aggregate (sum of the tile) ──▶ prefix (sum of the tile and of all before it)
//
// State and sum are in one word, so a relaxed load sees either both or neither, and no other data needs ordering. No
// tile waits for ever: tiles are numbered in the order in which their blocks begin (by an atomic counter, not by the
// block index), so every tile that is waited for belongs to a block that is running already.
#pragma once

#include "classics/records.hpp"

namespace sortile::classics::inline SORTILE_BACKEND {

/// Where element i lies when `Every` elements are followed by an unused one, so that strides that are powers of two
/// spread over the 32 banks; 0: no padding.
template <unsigned Every>
SORTILE_HOST_DEVICE constexpr unsigned padded(unsigned i) {
  if constexpr (Every == 0)
    return i;
  else
    return i + i / Every;
}

/// Does nothing after a level of a scan.
struct no_trace {
  template <class Tree>
  SORTILE_DEVICE void operator()(Tree&) const {}
};

/// Turns `elements` numbers in shared memory, a power of two, into their exclusive scan; returns their sum to every
/// thread. By all threads of a block of at least elements / 2. Begins and ends with a barrier. `after_level` is called
/// by all threads when a level of the tree is done.
template <unsigned Every, class Tree, class Trace = no_trace>
SORTILE_DEVICE std::uint32_t scan_block(Tree& tree, unsigned elements, const Trace& after_level = {}) {
  const unsigned t = simt::thread_index();
  unsigned stride = 1; // of the nodes that are added: leaves first
  for (unsigned nodes = elements / 2; nodes > 0; nodes /= 2, stride *= 2) {
    simt::block_barrier();
    if (t < nodes)
      tree[padded<Every>(stride * (2 * t + 2) - 1)] += tree.load(padded<Every>(stride * (2 * t + 1) - 1));
    after_level(tree);
  }
  simt::block_barrier();
  const std::uint32_t total = tree.load(padded<Every>(elements - 1));
  simt::block_barrier();
  if (t == 0)
    tree[padded<Every>(elements - 1)] = 0;
  for (unsigned nodes = 1; nodes < elements; nodes *= 2) {
    stride /= 2;
    simt::block_barrier();
    if (t < nodes) {
      const unsigned left = padded<Every>(stride * (2 * t + 1) - 1), right = padded<Every>(stride * (2 * t + 2) - 1);
      const std::uint32_t sum_left = tree.load(left), before = tree.load(right);
      tree[left] = before;
      tree[right] = before + sum_left;
    }
    after_level(tree);
  }
  simt::block_barrier();
  return total;
}

// States of a tile, in the upper half of its word.
inline constexpr std::uint64_t tile_aggregate = std::uint64_t{1} << 32, tile_prefix = std::uint64_t{2} << 32;

/// The sum of the tiles before `tile`, whose own sum is `aggregate`. By all lanes of one warp; all get the answer.
SORTILE_DEVICE std::uint32_t look_back(simt::global<std::uint64_t> states, std::uint32_t tile,
                                       std::uint32_t aggregate) {
  const unsigned lane = simt::lane_index();
  if (lane == 0)
    states.store(tile, (tile == 0 ? tile_prefix : tile_aggregate) | aggregate, simt::relaxed);
  std::uint32_t sum = 0;
  for (std::int64_t last = std::int64_t{tile} - 1; last >= 0; last -= simt::warp_size) {
    std::uint64_t state;
    unsigned prefixes, empty;
    for (;;) { // until every tile down to the nearest prefix among these 32 has published something
      state = last >= lane ? states.load(last - lane, simt::relaxed) : tile_prefix;
      prefixes = simt::ballot((state & tile_prefix) != 0);
      empty = simt::ballot(state < tile_aggregate);
      if (prefixes != 0)
        empty &= (prefixes & (~prefixes + 1)) - 1;
      if (empty == 0)
        break;
      simt::spin_hint(32);
    }
    const bool counts = prefixes == 0 || lane <= simt::trailing_zeros(prefixes);
    sum += simt::warp_reduce_add(counts ? static_cast<std::uint32_t>(state) : 0u);
    if (prefixes != 0)
      break;
  }
  if (lane == 0 && tile != 0)
    states.store(tile, tile_prefix | static_cast<std::uint32_t>(sum + aggregate), simt::relaxed);
  return sum;
}

/// The number of this block among those that have begun; one more barrier and an atomic a block.
template <class Shared>
SORTILE_DEVICE std::uint32_t next_tile(Shared& s, simt::global<std::uint32_t> begun) {
  if (simt::thread_index() == 0)
    s.tile = begun.fetch_add(0, 1u);
  simt::block_barrier();
  return s.tile;
}

struct single_pass_scan_kernel {
  static constexpr unsigned block_threads = 256, tile_elements = 512;
  struct shared {
    simt::shared_array<std::uint32_t, padded<32>(tile_elements)> tree;
    simt::shared_value<std::uint32_t> tile, before;
  };
  simt::global<const std::uint32_t> in;
  simt::global<std::uint32_t> out; // may be `in`
  std::uint64_t n;
  simt::global<std::uint32_t> begun;  // [1], 0 at the start
  simt::global<std::uint64_t> states; // [tiles], empty at the start
  simt::global<std::uint32_t> total;  // [1]: the sum of all

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index();
    const std::uint32_t tile = next_tile(s, begun);
    const std::uint64_t first = std::uint64_t{tile} * tile_elements;
    for (unsigned i = t; i < tile_elements; i += block_threads)
      s.tree[padded<32>(i)] = first + i < n ? in.load(first + i) : 0u;
    const std::uint32_t sum = scan_block<32>(s.tree, tile_elements);
    if (simt::warp_index() == 0) {
      const std::uint32_t before = look_back(states, tile, sum);
      if (t == 0) {
        s.before = before;
        if (first + tile_elements >= n)
          total[0] = before + sum;
      }
    }
    simt::block_barrier();
    for (unsigned i = t; i < tile_elements && first + i < n; i += block_threads)
      out[first + i] = s.before + s.tree.load(padded<32>(i));
  }
};

/// For --steps: what tiles published, of a look-back that is done.
inline void show_tiles(job& j, const device_array<std::uint64_t>& states) {
  if (!j.shows_steps())
    return;
  std::vector<std::uint32_t> sums;
  for (const std::uint64_t state : states.to_host())
    sums.push_back(static_cast<std::uint32_t>(state));
  j.show("prefix that each tile published", sums);
}

/// Scans arrays of up to n numbers, as often as wanted, in one launch each. Workspace: 8 bytes for 512 numbers.
class single_pass_scan {
 public:
  /// For --steps: what each tile published last, the sum up to its end.
  void show_tiles(job& j) const { classics::show_tiles(j, states_); }

  single_pass_scan(machine& on, std::uint64_t n)
      : on_(on), n_(n), begun_(on, 1), total_(on, 1),
        states_(on, blocks_for(n, single_pass_scan_kernel::tile_elements)) {}

  /// out[i] = in[0] + … + in[i − 1]; `out` may be `in`.
  void operator()(simt::global<const std::uint32_t> in, simt::global<std::uint32_t> out) const { (*this)(in, out, n_); }
  /// Of the first n numbers alone.
  void operator()(simt::global<const std::uint32_t> in, simt::global<std::uint32_t> out, std::uint64_t n) const {
    if (n == 0)
      return;
    begun_.clear();
    states_.clear();
    simt::launch(on_.queue(), {.grid = blocks_for(n, single_pass_scan_kernel::tile_elements)},
                 single_pass_scan_kernel{in, out, n, view(begun_), view(states_), view(total_)});
  }
  /// On the device, written by each call: the sum of all numbers, which no element of an exclusive scan holds.
  simt::global<std::uint32_t> total() const { return view(total_); }

 private:
  machine& on_;
  std::uint64_t n_;
  device_array<std::uint32_t> begun_, total_;
  device_array<std::uint64_t> states_;
};

/// A tile a block, in its tree; the tile's sum goes to sums[block].
template <unsigned Elements, unsigned Every>
struct scan_tiles {
  static constexpr unsigned block_threads = Elements / 2;
  struct shared {
    simt::shared_array<std::uint32_t, padded<Every>(Elements)> tree;
  };
  simt::global<const std::uint32_t> in;
  simt::global<std::uint32_t> out; // may be `in`
  std::uint64_t n;
  simt::global<std::uint32_t> sums; // [blocks]

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * Elements;
    for (unsigned i = simt::thread_index(); i < Elements; i += block_threads)
      s.tree[padded<Every>(i)] = first + i < n ? in.load(first + i) : 0u;
    const std::uint32_t sum = scan_block<Every>(s.tree, Elements);
    for (unsigned i = simt::thread_index(); i < Elements && first + i < n; i += block_threads)
      out[first + i] = s.tree.load(padded<Every>(i));
    if (simt::thread_index() == 0)
      sums[simt::block_index()] = sum;
  }
};

/// Adds sums_before[block] to each number of the block's tile.
template <unsigned Elements>
struct add_sums {
  static constexpr unsigned block_threads = Elements / 2;
  simt::global<std::uint32_t> out;
  std::uint64_t n;
  simt::global<const std::uint32_t> sums_before;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * Elements;
    const std::uint32_t before = sums_before.load(simt::block_index());
    for (unsigned i = simt::thread_index(); i < Elements && first + i < n; i += block_threads)
      out[first + i] += before;
  }
};

/// Scans an array by blocks of `Elements`, their sums by the same means, and adds these: two launches a level of a tree
/// of fan-out `Elements`. Every number is read and written twice.
template <unsigned Elements, unsigned Every>
class block_sum_scan {
 public:
  block_sum_scan(machine& on, std::uint64_t n) : on_(on), n_(n), sums_(on, blocks_for(n, Elements)) {
    if (sums_.size() > 1)
      above_ = std::make_unique<block_sum_scan>(on, sums_.size());
  }

  void operator()(simt::global<const std::uint32_t> in, simt::global<std::uint32_t> out) const {
    if (n_ == 0)
      return;
    const auto grid = static_cast<unsigned>(sums_.size());
    simt::launch(on_.queue(), {.grid = grid}, scan_tiles<Elements, Every>{in, out, n_, view(sums_)});
    if (above_ == nullptr)
      return;
    (*above_)(view(sums_), view(sums_));
    simt::launch(on_.queue(), {.grid = grid}, add_sums<Elements>{out, n_, view(sums_)});
  }
  /// The sums of the tiles, scanned if there is more than one.
  const device_array<std::uint32_t>& sums() const { return sums_; }

 private:
  machine& on_;
  std::uint64_t n_;
  device_array<std::uint32_t> sums_;
  std::unique_ptr<block_sum_scan> above_;
};

} // namespace sortile::classics::inline SORTILE_BACKEND
