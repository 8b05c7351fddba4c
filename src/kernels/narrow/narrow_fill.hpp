// Fill: writes the sorted keys from the counts of their ranks, by warps that know nothing of each other.
//
// A row is what a warp stores at once: 32 vectors of 16 bytes. A warp takes slices of neighbouring rows; it finds the
// chunk of 128 ranks in which its first key lies by bisection, loads the chunk's counts, four a lane, and scans them:
//
//   begin[0 … 4]    where the keys of this lane's ranks begin, and where those of the next lane's do
//
// Long runs. Where one rank covers all of the row, the row is that key 32 vectors long, and so are the rows behind it
// up to the run's end.
//
// Short runs. Else each rank with keys in the row marks the place where its keys begin with itself, chunk after chunk;
// the row's keys are the running maximum of the marks, since ranks rise:
//
//   marks   7 . . . 8 . 11 . . . | . . 12 . …         places without a mark hold 0, the least rank
//   keys    7 7 7 7 8 8 11 11 11 11 11 11 12 12 …
//
// so a row costs the same whether it holds 2 runs or 256; rows with more ranks than keys cost a chunk's load each.
//
// Slices are dealt out round robin, so that all multiprocessors write into a window of some 30 MB, and grow to 16 rows
// with n: finding a place costs two round trips to the L2. Traffic: sizeof(key) bytes a key.
#pragma once

#include "kernels/narrow/narrow_counters.hpp"
#include "kernels/narrow/narrow_tables.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads>
struct narrow_fill {
  using tables_type = narrow_tables<Word>;
  using layout = typename tables_type::layout;
  static constexpr int vector = int(16 / sizeof(Word)), each = tables_type::each;
  static constexpr unsigned warps = Threads / simt::warp_size, row_keys = simt::warp_size * unsigned(vector);
  static constexpr unsigned most_rows = 16; // of a slice
  using keys_vector = narrow_vector<Word>;

  struct shared {
    alignas(16) simt::shared_array<Word, warps * row_keys> marks;
    simt::shared_array<std::uint64_t, layout::chunks + 1> start; // of a chunk; behind the last: n
  };

  simt::global<Word> out;
  tables_type tables;
  narrow_order<Word> order;
  std::uint32_t shift; // places from the last multiple of 16 bytes to `out`: where the keys stand in their first row
  std::uint64_t n;

  /// By the whole grid; start is filled in.
  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t rows = (n + shift + row_keys - 1) / row_keys, all = std::uint64_t{simt::grid_size()} * warps;
    const std::uint64_t rounds = (rows + all * most_rows - 1) / (all * most_rows);
    const auto places = std::uint32_t((rows + all * rounds - 1) / (all * rounds)) * row_keys;
    // Neighbouring slices in different blocks: few slices keep all multiprocessors busy.
    const std::uint64_t first = std::uint64_t{simt::warp_index()} * simt::grid_size() + simt::block_index();
    for (std::uint64_t base = first * places; base < n + shift; base += all * places)
      fill(s, base, n + shift - base < places ? std::uint32_t(n + shift - base) : places);
  }

 private:
  // Places in a slice count from its base, which is a place of the output plus `shift`. [0, end) is all of a slice.
  struct slice {
    std::uint64_t base;
    std::uint32_t end;
  };
  /// A chunk as a warp has it in registers.
  struct piece {
    std::uint32_t first;           // rank of this lane
    std::uint32_t begin[each + 1]; // cut off at the slice
    std::uint32_t end;             // where the next chunk begins; what lies before it lies in this chunk or before
  };

  SORTILE_DEVICE std::uint32_t place_of(const slice& of, std::uint64_t i) const {
    const std::uint64_t place = i + shift;
    return place <= of.base ? 0 : place - of.base < of.end ? std::uint32_t(place - of.base) : of.end;
  }

  SORTILE_DEVICE void fill(shared& s, std::uint64_t base, std::uint32_t end) const {
    const slice here{base, end};
    piece p{};
    for (std::uint32_t row = 0; row < end;) {
      const std::uint32_t low = base == 0 && row == 0 ? shift : row;
      if (low >= p.end)
        load(s, here, p, low);
      const run r = run_at(p, low);
      const auto covers = [&] { return r.end >= row + row_keys || r.end == end; };
      if (!covers()) {
        store(here, row, mixed(s, here, p, row, low));
        row += row_keys;
        continue;
      }
      const auto x = keys_vector::made([&](int) { return order.key(Word(r.rank)); });
      for (; row < end && covers(); row += row_keys)
        store(here, row, x);
    }
  }

  /// The chunk that holds this place.
  SORTILE_DEVICE void load(shared& s, const slice& here, piece& p, std::uint32_t place) const {
    const std::uint64_t i = here.base + place - shift;
    std::uint32_t low = 0, high = layout::chunks - 1; // the last chunk that begins at i or before
    while (low < high) {
      const std::uint32_t middle = (low + high + 1) / 2;
      if (s.start.load(middle) <= i)
        low = middle;
      else
        high = middle - 1;
    }
    std::uint64_t keys[each], sum = 0;
    tables.load(low, keys);
    SORTILE_UNROLL
    for (const std::uint64_t k : keys)
      sum += k;
    std::uint64_t begin = s.start.load(low) + primitives::warp_inclusive_scan(sum, primitives::plus{}) - sum;
    SORTILE_UNROLL
    for (int j = 0; j < each; ++j) {
      p.begin[j] = place_of(here, begin);
      begin += keys[j];
    }
    p.begin[each] = place_of(here, begin);
    p.first = low * layout::chunk_values + simt::lane_index() * unsigned(each);
    p.end = place_of(here, s.start.load(low + 1));
  }

  struct run {
    std::uint32_t rank, end;
  };
  /// The rank that has its keys around this place of the chunk; the same in all lanes.
  static SORTILE_DEVICE run run_at(const piece& p, std::uint32_t place) {
    run r{0, 0};
    SORTILE_UNROLL
    for (int j = 0; j < each; ++j)
      if (p.begin[j] <= place && place < p.begin[j + 1])
        r = {p.first + unsigned(j), p.begin[j + 1]};
    const unsigned lane = simt::trailing_zeros(simt::ballot(r.end != 0));
    return {simt::shuffle(r.rank, lane), simt::shuffle(r.end, lane)};
  }

  /// A row of several runs, whose keys begin at `low`; p moves on to the chunk that holds the row's end.
  SORTILE_DEVICE keys_vector mixed(shared& s, const slice& here, piece& p, std::uint32_t row, std::uint32_t low) const {
    const std::uint32_t high = row + row_keys < here.end ? row + row_keys : here.end;
    const unsigned mine = simt::warp_index() * row_keys, lane = simt::lane_index();
    simt::warp_barrier(); // the row before has been read
    keys_vector::made([](int) { return Word{0}; }).store(s.marks, mine + lane * unsigned(vector));
    simt::warp_barrier();
    for (;;) {
      SORTILE_UNROLL
      for (int j = 0; j < each; ++j)
        if (p.begin[j] < p.begin[j + 1] && p.begin[j] < high && p.begin[j + 1] > low)
          s.marks[mine + (p.begin[j] > low ? p.begin[j] : low) - row] = Word(p.first + unsigned(j));
      if (p.end >= high)
        break;
      load(s, here, p, p.end);
    }
    simt::warp_barrier();
    const auto marks = keys_vector::load(s.marks, mine + lane * unsigned(vector));
    std::uint32_t most = 0;
    SORTILE_UNROLL
    for (int e = 0; e < vector; ++e)
      most = marks[e] > most ? marks[e] : most;
    const std::uint32_t up_to = simt::shuffle_up(primitives::warp_inclusive_scan(most, primitives::maximum{}), 1);
    std::uint32_t running = lane == 0 ? 0 : up_to;
    return keys_vector::made([&](int e) {
      running = marks[e] > running ? marks[e] : running;
      return order.key(Word(running));
    });
  }

  SORTILE_DEVICE void store(const slice& here, std::uint32_t row, const keys_vector& x) const {
    const std::uint32_t place = row + simt::lane_index() * unsigned(vector), low = here.base == 0 ? shift : 0;
    if (place >= low && place + unsigned(vector) <= here.end) {
      x.store(out, here.base + place - shift);
    } else {
      SORTILE_UNROLL
      for (int e = 0; e < vector; ++e)
        if (place + unsigned(e) >= low && place + unsigned(e) < here.end)
          out[here.base + place + unsigned(e) - shift] = x[e];
    }
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
