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
// owns one 64-bit word: a state above, a sum below. It is empty at first, and written by lane 0 of the tile's first
// warp alone, twice: "aggregate", the sum of the tile, then "prefix", the sum of the tile and of all before it.
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
/// `told`, for --steps: of each tile its aggregate, and how many states it read down to a prefix; empty: nobody looks.
SORTILE_DEVICE std::uint32_t look_back(simt::global<std::uint64_t> states, std::uint32_t tile, std::uint32_t aggregate,
                                       simt::global<std::uint32_t> told = {}) {
  const unsigned lane = simt::lane_index();
  if (lane == 0)
    states.store(tile, (tile == 0 ? tile_prefix : tile_aggregate) | aggregate, simt::relaxed);
  std::uint32_t sum = 0, seen = 0;
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
    seen += prefixes == 0 ? simt::warp_size : simt::trailing_zeros(prefixes) + 1;
    if (prefixes != 0)
      break;
  }
  if (lane == 0 && tile != 0)
    states.store(tile, tile_prefix | static_cast<std::uint32_t>(sum + aggregate), simt::relaxed);
  if (lane == 0 && told.data() != nullptr) {
    told.store(2 * tile, aggregate);
    told.store(2 * tile + 1, seen);
  }
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
  static constexpr unsigned block_threads = 256, most_elements = 2 * block_threads;
  struct shared {
    simt::shared_array<std::uint32_t, padded<32>(most_elements)> tree;
    simt::shared_value<std::uint32_t> tile, before;
  };
  simt::global<const std::uint32_t> in;
  simt::global<std::uint32_t> out; // may be `in`
  std::uint64_t n;
  simt::global<std::uint32_t> begun;  // [1], 0 at the start
  simt::global<std::uint64_t> states; // [tiles], empty at the start
  simt::global<std::uint32_t> total;  // [1]: the sum of all
  simt::global<std::uint32_t> told;   // [2 tiles], or empty
  unsigned tile_elements;             // a power of two

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned t = simt::thread_index(), threads = simt::block_size();
    const std::uint32_t tile = next_tile(s, begun);
    const std::uint64_t first = std::uint64_t{tile} * tile_elements;
    for (unsigned i = t; i < tile_elements; i += threads)
      s.tree[padded<32>(i)] = first + i < n ? in.load(first + i) : 0u;
    const std::uint32_t sum = scan_block<32>(s.tree, tile_elements);
    if (simt::warp_index() == 0) {
      const std::uint32_t before = look_back(states, tile, sum, told);
      if (t == 0) {
        s.before = before;
        if (first + tile_elements >= n)
          total[0] = before + sum;
      }
    }
    simt::block_barrier();
    for (unsigned i = t; i < tile_elements && first + i < n; i += threads)
      out[first + i] = s.before + s.tree.load(padded<32>(i));
  }
};

/// The states of a look-back, and what its tiles told of it.
class look_back_states {
 public:
  look_back_states(machine& on, std::uint64_t tiles, bool is_told)
      : begun_(on, 1), states_(on, tiles), told_(on, is_told ? 2 * tiles : 0) {}
  /// Before each look-back: no block has begun, every state is empty.
  void clear() const {
    begun_.clear();
    states_.clear();
  }
  unsigned tiles() const { return static_cast<unsigned>(states_.size()); }
  simt::global<std::uint32_t> begun() const { return view(begun_); }
  simt::global<std::uint64_t> states() const { return view(states_); }
  simt::global<std::uint32_t> told() const { return view(told_); }

  /// Of the first `tiles` tiles: what each summed, how far it looked, what it published last.
  void tell(telling& step, std::uint64_t tiles) const {
    if (!step.is_read())
      return;
    const std::vector<std::uint32_t> told = told_.to_host();
    const std::vector<std::uint64_t> states = states_.to_host();
    std::vector<std::uint32_t> sums, seen, prefixes;
    for (std::uint64_t i = 0; i < tiles; ++i) {
      sums.push_back(told[2 * i]);
      seen.push_back(told[2 * i + 1]);
      prefixes.push_back(static_cast<std::uint32_t>(states[i]));
    }
    step.numbers("sum of each tile", sums).in_table("look-back");
    step.numbers("states it read", seen).in_table("look-back");
    step.numbers("prefix it published", prefixes).in_table("look-back");
  }

 private:
  device_array<std::uint32_t> begun_;
  device_array<std::uint64_t> states_;
  device_array<std::uint32_t> told_;
};

/// Scans arrays of up to n numbers, as often as wanted, in one launch each. Workspace: 8 bytes for 512 numbers.
class single_pass_scan {
 public:
  static constexpr unsigned most = single_pass_scan_kernel::most_elements;

  single_pass_scan(machine& on, std::uint64_t n, unsigned tile = most, bool is_told = false)
      : on_(on), n_(n), tile_(tile), total_(on, 1), states_(on, blocks_for(n, tile), is_told) {}

  /// out[i] = in[0] + … + in[i − 1]; `out` may be `in`.
  void operator()(simt::global<const std::uint32_t> in, simt::global<std::uint32_t> out) const { (*this)(in, out, n_); }
  /// Of the first n numbers alone.
  void operator()(simt::global<const std::uint32_t> in, simt::global<std::uint32_t> out, std::uint64_t n) const {
    if (n == 0)
      return;
    states_.clear();
    simt::launch(
        on_.queue(), {.grid = blocks_for(n, tile_), .block = whole_warps(tile_ / 2)},
        single_pass_scan_kernel{in, out, n, states_.begun(), states_.states(), view(total_), states_.told(), tile_});
  }
  /// On the device, written by each call: the sum of all numbers, which no element of an exclusive scan holds.
  simt::global<std::uint32_t> total() const { return view(total_); }
  /// What tiles published in the last call, of n numbers.
  void tell(telling& step, std::uint64_t n) const { states_.tell(step, blocks_for(n, tile_)); }

 private:
  machine& on_;
  std::uint64_t n_;
  unsigned tile_;
  device_array<std::uint32_t> total_;
  look_back_states states_;
};

/// A tile a block, in its tree; the tile's sum goes to sums[block].
template <unsigned Most, unsigned Every>
struct scan_tiles {
  static constexpr unsigned block_threads = Most / 2;
  struct shared {
    simt::shared_array<std::uint32_t, padded<Every>(Most)> tree;
  };
  simt::global<const std::uint32_t> in;
  simt::global<std::uint32_t> out; // may be `in`
  std::uint64_t n;
  simt::global<std::uint32_t> sums; // [blocks]
  unsigned tile;                    // a power of two

  SORTILE_DEVICE void operator()(shared& s) const {
    const unsigned threads = simt::block_size();
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    for (unsigned i = simt::thread_index(); i < tile; i += threads)
      s.tree[padded<Every>(i)] = first + i < n ? in.load(first + i) : 0u;
    const std::uint32_t sum = scan_block<Every>(s.tree, tile);
    for (unsigned i = simt::thread_index(); i < tile && first + i < n; i += threads)
      out[first + i] = s.tree.load(padded<Every>(i));
    if (simt::thread_index() == 0)
      sums[simt::block_index()] = sum;
  }
};

/// Adds sums_before[block] to each number of the block's tile.
template <unsigned Most>
struct add_sums {
  static constexpr unsigned block_threads = Most / 2;
  simt::global<std::uint32_t> out;
  std::uint64_t n;
  simt::global<const std::uint32_t> sums_before;
  unsigned tile;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t first = std::uint64_t{simt::block_index()} * tile;
    const std::uint32_t before = sums_before.load(simt::block_index());
    for (unsigned i = simt::thread_index(); i < tile && first + i < n; i += simt::block_size())
      out[first + i] += before;
  }
};

/// Scans an array by blocks of `tile` numbers, their sums by the same means, and adds these: two launches a level of a
/// tree of fan-out `tile`, at most `Most`. Every number is read and written twice.
template <unsigned Most, unsigned Every>
class block_sum_scan {
 public:
  block_sum_scan(machine& on, std::uint64_t n, unsigned tile = Most)
      : on_(on), n_(n), tile_(tile), sums_(on, blocks_for(n, tile)) {
    if (sums_.size() > 1)
      above_ = std::make_unique<block_sum_scan>(on, sums_.size(), tile);
  }

  void operator()(simt::global<const std::uint32_t> in, simt::global<std::uint32_t> out,
                  telling* step = nullptr) const {
    if (n_ == 0)
      return;
    const simt::launch_config tiles{.grid = static_cast<unsigned>(sums_.size()), .block = tile_ / 2};
    simt::launch(on_.queue(), tiles, scan_tiles<Most, Every>{in, out, n_, view(sums_), tile_});
    tell(step, "scanned by blocks", out);
    if (above_ == nullptr)
      return;
    if (step != nullptr)
      step->numbers("sums of blocks", sums_, tile_);
    (*above_)(view(sums_), view(sums_), step);
    if (step != nullptr)
      step->numbers("sums before each", sums_, tile_);
    simt::launch(on_.queue(), tiles, add_sums<Most>{out, n_, view(sums_), tile_});
    tell(step, "added", out);
  }

 private:
  void tell(telling* step, const char* what, simt::global<std::uint32_t> numbers) const {
    if (step != nullptr && step->is_read())
      step->numbers(what, fetch(on_, numbers, n_), tile_);
  }

  machine& on_;
  std::uint64_t n_;
  unsigned tile_;
  device_array<std::uint32_t> sums_;
  std::unique_ptr<block_sum_scan> above_;
};

} // namespace sortile::classics::inline SORTILE_BACKEND
