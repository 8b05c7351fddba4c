// Merges sorted runs into one, stably, by several threads.
//
// The output is cut into pieces of equal length. Where a piece begins is found by rank: the r smallest keys of all
// runs, ties to the earlier run, end at some position in each run. Bisection over key images finds the smallest image x
// such that at least r keys are not above it. That takes at most as many steps as a key has bits, each with a binary
// search in every run. All keys below x come first, and of the keys equal to x as many as are wanted, run by run. So
// pieces are exact, whatever the keys are, and independent of each other.
//
// Runs need not be in order: nothing beyond them and the output is then read or written, and the output holds the same
// elements in some order. So no merge goes by what a key ought to be, only by what is left of both runs, and all pieces
// are cut before one is merged: cuts that runs in order cannot have are replaced.
//
// Within a piece two runs are merged by comparison, more by a loser tree: a tournament in which each inner node keeps
// the loser of its match, so that replacing the winner replays one path, one comparison a level (Knuth, TAOCP
// 3, 5.4.1). Ties go to the lower run.
//
//                      winner 2
//                    ┌────┴────┐          inner nodes hold losers: run numbers
//                   (0)       (3)
//                 run 0 1    run 2 3
//
// Cost: n · log2(runs) comparisons, each key and value moved once. Splitting by rank: Varman, Scheufler, Iyer, Ricard,
// "Merging multiple lists on hierarchical-memory multiprocessors", JPDC 1991, use samples; bisection is shorter, and as
// good for the few pieces that threads need.
#include "cpu/cpu_engine.hpp"
#include "cpu/key_image.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sortile::cpu {

namespace {

constexpr std::size_t merge_alone_below = std::size_t{1} << 16; // keys
constexpr std::size_t piece_keys = std::size_t{1} << 20;
constexpr std::size_t keys_a_cut = std::size_t{1}
                                   << 10; // at least so many for each run that a piece's cut goes through

// What moves values of a width known at compile time, none (0), or any width (dynamic).
constexpr std::size_t dynamic = ~std::size_t{0};

template <class K, std::size_t Width>
class merger {
 public:
  merger(const merge_request& request, const options& opts)
      : request_(request), runs_(request.runs), image_(key_image<K>(request.type, opts.order, opts.bits).exactly()) {}

  void run(unsigned threads, progress_meter& progress) const {
    std::size_t n = 0;
    for (const sorted_run& r : runs_)
      n += r.n;
    const std::size_t piece = std::max(piece_keys, keys_a_cut * runs_.size());
    const std::size_t pieces = n < merge_alone_below ? 1 : std::max<std::size_t>(4 * threads, n / piece);
    threads = n < merge_alone_below ? 1 : threads;
    const call_vector<cut> cuts = make_cuts(n, pieces, threads, progress);
    for_each_task(threads, pieces, &progress, [&](unsigned, std::size_t i) {
      const std::size_t begin = part_begin(n, pieces, i), end = part_begin(n, pieces, i + 1);
      if (begin == end)
        return;
      merge_piece(cuts[i], cuts[i + 1], begin);
      progress.add(end - begin);
    });
  }

 private:
  struct stretch {
    std::size_t run, at, end;
  };
  using cut = call_vector<std::size_t>; // a position in each run

  const K* keys(std::size_t run) const { return static_cast<const K*>(runs_[run].keys); }
  K image(std::size_t run, std::size_t i) const { return image_.ordering(keys(run)[i]); }

  // Keys of a run whose image is below x (or x and below).
  std::size_t count_below(std::size_t run, K x, bool and_equal) const {
    const K* const first = keys(run);
    return static_cast<std::size_t>(std::partition_point(first, first + runs_[run].n,
                                                         [&](K key) {
                                                           const K y = image_.ordering(key);
                                                           return y < x || (and_equal && y == x);
                                                         }) -
                                    first);
  }

  std::size_t count_to(K x) const {
    std::size_t count = 0;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      count += count_below(r, x, true);
    return count;
  }

  // Where each piece begins in each run, and at last where all runs end.
  call_vector<cut> make_cuts(std::size_t n, std::size_t pieces, unsigned threads, progress_meter& progress) const {
    call_vector<cut> cuts(pieces + 1);
    cuts[0].assign(runs_.size(), 0);
    cuts[pieces] = end_to_end(n);
    for_each_task(threads, pieces - 1, &progress,
                  [&](unsigned, std::size_t i) { cuts[i + 1] = split(part_begin(n, pieces, i + 1)); });
    for (std::size_t i = 0; i < pieces; ++i)
      if (!is_piece(cuts[i], cuts[i + 1], part_begin(n, pieces, i + 1) - part_begin(n, pieces, i))) {
        for (std::size_t j = 1; j < pieces; ++j) // runs that are not in order
          cuts[j] = end_to_end(part_begin(n, pieces, j));
        break;
      }
    return cuts;
  }

  // The first `rank` keys of all runs laid end to end.
  cut end_to_end(std::size_t rank) const {
    cut ends;
    for (const sorted_run& r : runs_) {
      ends.push_back(std::min(rank, r.n));
      rank -= ends.back();
    }
    return ends;
  }

  static bool is_piece(const cut& begins, const cut& ends, std::size_t length) {
    std::size_t sum = 0;
    for (std::size_t r = 0; r < begins.size(); ++r) {
      if (ends[r] < begins[r])
        return false;
      sum += ends[r] - begins[r];
    }
    return sum == length;
  }

  // Where the `rank` first keys of the output end in each run; of runs that are not in order, any positions in them.
  cut split(std::size_t rank) const {
    cut ends(runs_.size(), 0);
    K low = 0, high = image_.window;
    while (low < high) { // the smallest image of which `rank` keys are no larger
      const K middle = static_cast<K>(low + static_cast<K>(high - low) / 2);
      if (count_to(middle) >= rank)
        high = middle;
      else
        low = static_cast<K>(middle + 1);
    }
    std::size_t left = rank;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      left -= ends[r] = count_below(r, low, false);
    for (std::size_t r = 0; r < runs_.size() && left > 0; ++r) {
      const std::size_t equal = std::min(left, count_below(r, low, true) - ends[r]);
      ends[r] += equal;
      left -= equal;
    }
    return ends;
  }

  void merge_piece(const cut& begins, const cut& ends, std::size_t to) const {
    call_vector<stretch> parts;
    for (std::size_t r = 0; r < runs_.size(); ++r)
      if (begins[r] < ends[r])
        parts.push_back({r, begins[r], ends[r]});
    if (parts.size() > 2)
      to = merge_many(parts, to);
    else if (parts.size() == 2)
      to = merge_two(parts[0], parts[1], to);
    for (const stretch& s : parts)
      to = put_all(s, to);
  }

  // From both ends, without branches on keys, until one of the two is nearly used up: as many keys at each end as are
  // there in either run, so that neither end can leave a run. The two ends wait for loads of their own only.
  template <class Image>
  std::size_t merge_ends(stretch& a, stretch& b, std::size_t to, Image&& image) const {
    constexpr std::size_t few = 8;
    const auto chosen = [](bool second, K x, K y) { // no branch, whatever the compiler thinks of its odds
      return static_cast<K>(x ^ (static_cast<K>(x ^ y) & static_cast<K>(K{0} - static_cast<K>(second))));
    };
    for (;;) {
      const std::size_t a_left = a.end - a.at, b_left = b.end - b.at, steps = std::min(a_left, b_left) / 2;
      if (steps < few)
        return to;
      const K *x = keys(a.run) + a.at, *y = keys(b.run) + b.at, *x_end = x + a_left - 1, *y_end = y + b_left - 1;
      K *front = static_cast<K*>(request_.keys_out) + to, *back = front + a_left + b_left - 1;
      for (K* const stop = front + steps; front != stop; ++front, --back) {
        const K first = *x, other_first = *y, last = *x_end, other_last = *y_end;
        const bool b_first = image(other_first) < image(first), b_last = !(image(other_last) < image(last));
        if constexpr (Width != 0) {
          put_value(b_first ? b.run : a.run, static_cast<std::size_t>(b_first ? y - keys(b.run) : x - keys(a.run)),
                    static_cast<std::size_t>(front - static_cast<K*>(request_.keys_out)));
          put_value(b_last ? b.run : a.run,
                    static_cast<std::size_t>(b_last ? y_end - keys(b.run) : x_end - keys(a.run)),
                    static_cast<std::size_t>(back - static_cast<K*>(request_.keys_out)));
        }
        *front = chosen(b_first, first, other_first);
        *back = chosen(b_last, last, other_last);
        x += !b_first;
        y += b_first;
        x_end -= !b_last;
        y_end -= b_last;
      }
      to += steps;
      a = {a.run, static_cast<std::size_t>(x - keys(a.run)), static_cast<std::size_t>(x_end - keys(a.run)) + 1};
      b = {b.run, static_cast<std::size_t>(y - keys(b.run)), static_cast<std::size_t>(y_end - keys(b.run)) + 1};
    }
  }

  // Until one of the two is used up.
  std::size_t merge_two(stretch& a, stretch& b, std::size_t to) const {
    const key_image<K> i = image_; // which no store can change
    const bool whole_integers = !i.is_float && i.window == static_cast<K>(~K{0});
    to = whole_integers ? merge_ends(a, b, to, [i](K u) { return static_cast<K>(u ^ i.flip); })
                        : merge_ends(a, b, to, [i](K u) { return i.ordering(u); });
    if (a.at == a.end || b.at == b.end)
      return to;
    K x = image(a.run, a.at), y = image(b.run, b.at);
    for (;;) {
      if (y < x) {
        put(b.run, b.at, to++);
        if (++b.at == b.end)
          return to;
        y = image(b.run, b.at);
      } else {
        put(a.run, a.at, to++);
        if (++a.at == a.end)
          return to;
        x = image(a.run, a.at);
      }
    }
  }

  // A loser tree over the parts, until all are used up.
  std::size_t merge_many(call_vector<stretch>& parts, std::size_t to) const {
    const std::size_t k = parts.size();
    call_vector<K> heads(k);
    for (std::size_t i = 0; i < k; ++i)
      heads[i] = image(parts[i].run, parts[i].at);
    const auto before = [&](std::size_t a, std::size_t b) {
      const bool a_left = parts[a].at < parts[a].end, b_left = parts[b].at < parts[b].end;
      if (a_left != b_left)
        return a_left;
      return heads[a] != heads[b] ? heads[a] < heads[b] : a < b;
    };
    call_vector<std::size_t> losers(k), winners(2 * k);
    for (std::size_t i = 0; i < k; ++i)
      winners[k + i] = i;
    for (std::size_t node = k - 1; node > 0; --node) {
      const std::size_t a = winners[2 * node], b = winners[2 * node + 1];
      winners[node] = before(a, b) ? a : b;
      losers[node] = before(a, b) ? b : a;
    }
    for (std::size_t winner = winners[1]; parts[winner].at < parts[winner].end;) {
      stretch& s = parts[winner];
      put(s.run, s.at, to++);
      if (++s.at < s.end)
        heads[winner] = image(s.run, s.at);
      for (std::size_t node = (k + winner) / 2; node > 0; node /= 2)
        if (before(losers[node], winner))
          std::swap(losers[node], winner);
    }
    return to;
  }

  void put(std::size_t run, std::size_t i, std::size_t to) const {
    static_cast<K*>(request_.keys_out)[to] = keys(run)[i];
    put_value(run, i, to);
  }

  void put_value([[maybe_unused]] std::size_t run, [[maybe_unused]] std::size_t i,
                 [[maybe_unused]] std::size_t to) const {
    if constexpr (Width != 0) {
      const std::size_t width = Width == dynamic ? request_.value_bytes : Width;
      std::memcpy(static_cast<std::byte*>(request_.values_out) + to * width,
                  static_cast<const std::byte*>(runs_[run].values) + i * width, width);
    }
  }

  std::size_t put_all(const stretch& s, std::size_t to) const {
    const std::size_t n = s.end - s.at;
    if (n == 0)
      return to;
    std::memcpy(static_cast<K*>(request_.keys_out) + to, keys(s.run) + s.at, n * sizeof(K));
    if constexpr (Width != 0) {
      const std::size_t width = Width == dynamic ? request_.value_bytes : Width;
      std::memcpy(static_cast<std::byte*>(request_.values_out) + to * width,
                  static_cast<const std::byte*>(runs_[s.run].values) + s.at * width, n * width);
    }
    return to + n;
  }

  const merge_request& request_;
  const std::span<const sorted_run> runs_;
  key_image<K> image_;
};

template <class K>
void merge_keys(const merge_request& request, const options& opts, unsigned threads, progress_meter& progress) {
  switch (request.value_bytes) {
  case 0:
    return merger<K, 0>(request, opts).run(threads, progress);
  case 4:
    return merger<K, 4>(request, opts).run(threads, progress);
  case 8:
    return merger<K, 8>(request, opts).run(threads, progress);
  case 16:
    return merger<K, 16>(request, opts).run(threads, progress);
  default:
    return merger<K, dynamic>(request, opts).run(threads, progress);
  }
}

} // namespace

void merge(const merge_request& request, const options& opts, unsigned threads) {
  std::uint64_t n = 0;
  for (const sorted_run& r : request.runs)
    n += r.n;
  progress_meter progress(&opts.progress, n);
  switch (key_bytes(request.type)) {
  case 1:
    merge_keys<std::uint8_t>(request, opts, threads, progress);
    break;
  case 2:
    merge_keys<std::uint16_t>(request, opts, threads, progress);
    break;
  case 4:
    merge_keys<std::uint32_t>(request, opts, threads, progress);
    break;
  case 8:
    merge_keys<std::uint64_t>(request, opts, threads, progress);
    break;
  default:
    merge_keys<uint128>(request, opts, threads, progress);
  }
  progress.finish();
}

[[gnu::cold]] void add_merge_steps(const merge_request& request, std::vector<plan_step>& steps) {
  std::uint64_t n = 0;
  for (const sorted_run& r : request.runs)
    n += r.n;
  const std::uint64_t bytes = n * (key_bytes(request.type) + request.value_bytes);
  steps.push_back(
      {"merge", std::to_string(request.runs.size()) + " runs at once, in pieces of equal length that are found by rank",
       bytes, bytes});
}

} // namespace sortile::cpu
