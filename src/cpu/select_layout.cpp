#include "cpu/select_layout.hpp"

#include "cpu/cpu_engine.hpp"
#include "cpu/first_keys.hpp"
#include "cpu/select_loops.hpp"
#include "plan/nowhere.hpp"
#include "primitives/sample_ranks.hpp"

#include <algorithm>

namespace sortile::cpu {

namespace {

constexpr std::size_t keys_a_sample_key = 256;
constexpr std::size_t least_sample = 256, most_sample = std::size_t{1} << 16;
constexpr std::size_t layout_least_piece = std::size_t{1} << 15; // keys
constexpr std::size_t pieces_a_thread = 8;
constexpr std::size_t most_chunk = std::size_t{1} << 14;
constexpr std::size_t most_intervals = most_splitters / 2;
constexpr std::size_t rows_alone_below = std::size_t{1} << 14; // keys of all rows: less than a thread's wake-up takes
constexpr std::size_t row_cut_from = std::size_t{1} << 20;     // keys of a row that all threads share

/// Hands out pieces of a workspace.
class workspace_plan {
 public:
  std::size_t take(std::size_t wanted) {
    const std::size_t here = at_;
    at_ += (wanted + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
    return here;
  }
  std::size_t at() const { return at_; }

 private:
  std::size_t at_ = 0;
};

/// Bytes for the sort of so many keys with positions, in place or (whole) from elsewhere, by any bit window: keys that
/// are sorted by a part of their bits take another way, and more.
std::size_t sort_workspace(key_type type, std::size_t n, std::size_t position_bytes, bool whole, unsigned threads) {
  sort_request r{.type = type, .n = n, .keys_in = nowhere(0), .keys_out = nowhere(whole ? 1 : 0)};
  if (position_bytes > 0) {
    r.carries = whole ? payload::indices : payload::values;
    r.value_bytes = position_bytes;
    r.values_in = whole ? nullptr : nowhere(2);
    r.values_out = nowhere(2);
  }
  options by_part;
  by_part.bits = {0, key_bits(type) - 1};
  return std::max(cpu_engine().workspace_bytes(r, {}, threads), cpu_engine().workspace_bytes(r, by_part, threads));
}

} // namespace

std::size_t select_sample(std::size_t n) {
  return std::min(n, std::clamp(n / keys_a_sample_key, least_sample, most_sample));
}

piece_layout::piece_layout(std::size_t n, std::size_t capacity, unsigned threads) {
  pieces = std::clamp<std::size_t>(n / layout_least_piece, 1, threads * pieces_a_thread);
  chunk = std::clamp<std::size_t>(capacity / (2 * pieces), select_block, most_chunk);
  chunks = capacity / chunk + pieces + 1;
}

first_search_layout::sample::sample(std::size_t key, std::size_t n, std::size_t k) {
  constexpr std::size_t keys_a_sampled = 64, least_bytes = 16384;  // a small part of the read
  constexpr std::size_t least_expected = 64, most_expected = 1024; // among the first k: with more it is more certain
  constexpr std::size_t least_columns = 64, columns_a_rank = 4;
  const std::size_t enough = std::clamp(k / 64, least_expected, most_expected) * n / k;
  const std::size_t sampled = std::min({n, std::max(n / keys_a_sampled, least_bytes / key), enough});
  const std::size_t expected = primitives::sampling::scaled(k, sampled, n);
  rank = std::min(k, expected + primitives::sampling::root(expected + 1, 4)) - 1;
  const std::size_t width = 64 / key;
  blocks = (std::max(least_columns, columns_a_rank * (rank + 1)) + width - 1) / width;
  rows = std::max<std::size_t>(1, sampled / (blocks * width));
}

first_search_layout::first_search_layout(std::size_t key, std::size_t n, std::size_t k, unsigned threads) {
  constexpr std::size_t bytes_a_worker = std::size_t{2} << 20; // less is read before another thread wakes
  constexpr std::size_t keys_a_found = 16;                     // of a worker, for each of the keys that it finds
  const std::size_t useful = std::min(n * key / bytes_a_worker, n / (keys_a_found * k));
  workers = static_cast<unsigned>(std::clamp<std::size_t>(useful, 1, threads));
  bytes = workers * bytes_of_one(k, key);
}

top_k_layout::top_k_layout(const top_k_request& r, unsigned threads, bool searches) {
  position_bytes = r.carries == payload::none ? 0 : r.n <= std::size_t{1} << 32 ? 4 : 8;
  const std::size_t key = key_bytes(r.type);
  few = searches && are_found_by_read(r.type, r.n, r.k);
  if (few) {
    workspace_plan at;
    keys = at.take(r.k * key);
    positions = at.take(r.k * position_bytes);
    sort = search_at = at.at();
    search = first_search_layout(key, r.n, r.k, threads);
    sort_bytes = sort_workspace(r.type, r.k, position_bytes, false, threads);
    bytes = at.at() + std::max(search.bytes, sort_bytes);
    return;
  }
  sample = select_sample(r.n);
  if (r.n > 0 && r.k > 0) {
    sample_rank = primitives::sample_rank_behind(r.k, r.n, sample);
    capacity = std::max(r.k, primitives::most_between(sample_rank, r.n, sample));
  }
  whole = r.n < whole_below || capacity >= r.n - r.n / 4;
  if (whole)
    capacity = r.n;
  workspace_plan at;
  keys = at.take(capacity * key);
  positions = at.take(capacity * position_bytes);
  workspace_plan chunks_at = at, sort_at = at;
  if (!whole) {
    pieces = piece_layout(r.n, capacity, threads);
    sample_at = at.at(); // the sample has given its pivot before the first chunk is filled
    chunk_keys = chunks_at.take(std::max(pieces.chunks * pieces.chunk, sample) * key);
    chunk_positions = chunks_at.take(pieces.chunks * pieces.chunk * position_bytes);
  }
  sort_bytes = sort_workspace(r.type, capacity, position_bytes, whole, threads);
  sort = sort_at.take(sort_bytes);
  bytes = std::max(chunks_at.at(), sort_at.at());
}

ranks_layout::ranks_layout(key_type type, std::size_t n, std::size_t intervals, unsigned threads) {
  sample = select_sample(n);
  whole = n < top_k_layout::whole_below || intervals > most_intervals;
  if (!whole) { // an interval is widest at the median
    const std::size_t width = 2 * (primitives::sample_margin(sample / 2, sample) + 1);
    capacity = intervals * primitives::most_between(width, n, sample);
    whole = capacity >= n - n / 4;
  }
  if (whole)
    capacity = n;
  const std::size_t key = key_bytes(type);
  workspace_plan at;
  keys = at.take(capacity * key);
  workspace_plan chunks_at = at, sort_at = at;
  if (!whole) {
    pieces = piece_layout(n, capacity, threads);
    sample_at = at.at();
    chunk_keys = chunks_at.take(std::max(pieces.chunks * pieces.chunk, sample) * key);
  }
  sort_bytes = sort_workspace(type, capacity, 0, whole, threads);
  sort = sort_at.take(sort_bytes);
  bytes = std::max(chunks_at.at(), sort_at.at());
}

long_ranks_layout::long_ranks_layout(std::size_t key, std::size_t n, const few_ranks& ranks, unsigned threads) {
  constexpr std::size_t keys_a_sampled = 1024, least = 4096; // its sort takes a part of what the read takes
  constexpr std::size_t vector_bytes = 64;
  sample = std::clamp(n / keys_a_sampled, least, most_sample);
  workspace_plan at;
  ranks.each_run([&](std::size_t first, std::size_t last) {
    interval& i = of[intervals++];
    i.first = first, i.last = last;
    i.before = primitives::sample_rank_before(first, n, sample);
    i.behind = primitives::sample_rank_behind(last + 1, n, sample);
    i.capacity = primitives::most_between(i.behind - i.before + 1, n, sample);
    i.inside = at.take(i.capacity * key);
  });
  beside = at.take(std::max(threads * (piece * key + vector_bytes), sample * key));
  bytes = at.at();
}

std::size_t long_ranks_layout::capacity() const {
  std::size_t sum = 0;
  for (unsigned i = 0; i < intervals; ++i)
    sum += of[i].capacity;
  return sum;
}

row_shares::row_shares(std::size_t n, std::size_t rows, unsigned available) {
  const bool cut = rows == 1 || (n >= row_cut_from && rows < std::size_t{4} * available);
  threads = cut ? available : 1;
  workers = cut || n * rows < rows_alone_below ? 1 : static_cast<unsigned>(std::min<std::size_t>(available, rows));
}

} // namespace sortile::cpu
