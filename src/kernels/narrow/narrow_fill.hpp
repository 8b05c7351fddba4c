// Fill: writes the sorted keys from the counts of their ranks, by warps that know nothing of each other.
//
// A row is what a warp stores at once: 32 vectors of 16 bytes. A warp takes slices of neighbouring rows; it finds the
// chunk of 128 ranks in which its first key lies by bisection, loads the chunk's counts, four a lane, and scans them:
//
//   begin[0 … 4]    where the keys of this lane's ranks begin, and where those of the next lane's do
//
// Long runs. Where one rank covers all of the row, the warp stores that key 32 vectors long, and does so for the next
// rows up to the run's end.
//
// Short runs. Else each rank with keys in the row marks the place where its keys begin with itself, chunk after chunk;
// the row's keys are the running maximum of the marks, since ranks rise:
//
//   marks   7 . . . 8 . 11 . . . | . . 12 . …         places without a mark hold 0, the least rank
//   keys    7 7 7 7 8 8 11 11 11 11 11 11 12 12 …
//
// so a row costs the same whether it holds 2 runs or 256. Where keys are sparse, a row spans many chunks: of 2^16 keys
// of 16 bits that are the AND of three random words, the last 256 lie in 100 chunks. They are loaded two at a time, and
// only the place of the last one is searched for.
//
// Slices are dealt out in turn, so that at any time all multiprocessors write within some 30 MB. They grow to 16 rows
// with n, since finding a place costs two round trips to the L2. Where there are more warps than rows, each takes a
// part of a row, since a warp walks through the chunks of its slice one after the other. Traffic: sizeof(key) bytes per
// key.
#pragma once

#include "kernels/narrow/narrow_counters.hpp"
#include "kernels/narrow/narrow_tables.hpp"
#include "primitives/bisect.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned Threads>
struct narrow_fill {
  using tables_type = narrow_tables<Word>;
  using layout = typename tables_type::layout;
  static constexpr int vector = int(16 / sizeof(Word)), each = tables_type::each;
  static constexpr unsigned warps = Threads / simt::warp_size, row_keys = simt::warp_size * unsigned(vector);
  static constexpr unsigned most_rows = 16, least_places = 64 / sizeof(Word); // of a slice
  static constexpr unsigned ahead = layout::chunks > warps ? 2 : 1;           // chunks under way at once
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
    const std::uint64_t share = (n + shift + all - 1) / all;
    const std::uint32_t places = ahead > 1 && share < row_keys
                                     ? std::uint32_t(share + least_places - 1) / least_places * least_places
                                     : std::uint32_t((rows + all * rounds - 1) / (all * rounds)) * row_keys;
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
    std::uint32_t chunk;
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
        load(s, here, p, chunk_at(s, here, low));
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

  /// The chunk that holds this place: the last one that begins there or before.
  SORTILE_DEVICE std::uint32_t chunk_at(shared& s, const slice& here, std::uint32_t place) const {
    const std::uint64_t i = here.base + place - shift;
    return primitives::last_that(0, layout::chunks - 1, [&](std::uint32_t c) { return s.start.load(c) <= i; });
  }
  SORTILE_DEVICE void load(shared& s, const slice& here, piece& p, std::uint32_t chunk) const {
    std::uint64_t keys[each];
    tables.load(chunk, keys);
    take(s, here, p, chunk, keys);
  }
  SORTILE_DEVICE void take(shared& s, const slice& here, piece& p, std::uint32_t chunk,
                           const std::uint64_t (&keys)[each]) const {
    std::uint64_t sum = 0;
    SORTILE_UNROLL
    for (const std::uint64_t k : keys)
      sum += k;
    std::uint64_t begin = s.start.load(chunk) + primitives::warp_inclusive_scan(sum, primitives::plus{}) - sum;
    SORTILE_UNROLL
    for (int j = 0; j < each; ++j) {
      p.begin[j] = place_of(here, begin);
      begin += keys[j];
    }
    p.begin[each] = place_of(here, begin);
    p.chunk = chunk;
    p.first = chunk * layout::chunk_values + simt::lane_index() * unsigned(each);
    p.end = place_of(here, s.start.load(chunk + 1));
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
    const auto mark = [&] {
      SORTILE_UNROLL
      for (int j = 0; j < each; ++j)
        if (p.begin[j] < p.begin[j + 1] && p.begin[j] < high && p.begin[j + 1] > low)
          s.marks[mine + (p.begin[j] > low ? p.begin[j] : low) - row] = Word(p.first + unsigned(j));
    };
    mark();
    if constexpr (ahead == 1) {
      while (p.end < high) {
        load(s, here, p, chunk_at(s, here, p.end));
        mark();
      }
    } else if (p.end < high) {
      const std::uint32_t last = chunk_at(s, here, high - 1);
      for (std::uint32_t next = p.chunk + 1; next <= last; next += ahead) {
        std::uint64_t keys[ahead][each];
        SORTILE_UNROLL
        for (unsigned k = 0; k < ahead; ++k)
          if (next + k <= last)
            tables.load(next + k, keys[k]);
        SORTILE_UNROLL
        for (unsigned k = 0; k < ahead; ++k)
          if (next + k <= last) {
            take(s, here, p, next + k, keys[k]);
            mark();
          }
      }
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
