// Idea. A quicksort by vectors splits an array nearly as fast as memory can be read and written, needs no memory beside
// the keys, and minds no distribution: equal keys that are a pivot are done with. Several threads split together:
//
//     thread 0         thread 1         thread 2          each splits its stretch around one pivot
//   [ low | high ]   [ low | high ]   [ low | high ]
//                        ^ where the low ones end in all
//           └──swap──────────────────────┘                high ones before that place, with low ones behind it
//
// until there are a few parts for each thread, which then sorts them alone, the largest first. Beforehand a sample, and
// the first keys, say whether something simpler may do: keys in order already, keys from a small range, which are
// counted and written, and up to 127 different keys, which are counted in a tree of splitters.
//
// Cost: 8 bytes a 32-bit key for each level until parts fit the L2 cache. A partition into many buckets moves 12 bytes
// once, but finds a bucket a key by scalar code: it is ahead where many threads share the memory's rate
// (radix_tuning::quicksort_threads), and behind on one or two.
// Source: Tsigas and Zhang, "A simple, fast parallel implementation of quicksort", PDP 2003 (threads that split
// together); Blacher et al., "Vectorized and performance-portable quicksort", 2022.
#include "cpu/vector_quicksort.hpp"

#include "cpu/in_order.hpp"
#include "cpu/sampled_split.hpp"
#include "cpu/vector_parts.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

namespace sortile::cpu {

namespace {

constexpr unsigned counting_bits = 16;

unsigned workers_for(std::size_t bytes, unsigned threads) {
  return bytes < tuning().alone_below_bytes ? 1 : std::max(1u, threads);
}

/// Counters of one thread.
std::size_t counters_for(std::size_t n) {
  return std::min(std::size_t{1} << counting_bits, std::max<std::size_t>(n / 4, 256));
}

template <class K>
class quick_sorter {
 public:
  explicit quick_sorter(const radix_job& job)
      : job_(job), n_(job.n), workers_(workers_for(n_ * sizeof(K), job.threads)),
        image_(job.type, job.direction, job.bits), plain_(image_), parts_(*best_vector_parts<K>()),
        kernels_(best_kernels<K, no_value>()), from_(static_cast<const K*>(job.keys_in)),
        to_(static_cast<K*>(job.keys_out)) {}

  bool run() {
    if (n_ >= 64 * key_sample<K>::least) {
      const key_sample<K> sample(from_, n_, image_);
      switch (take_shortcut(sample)) {
      case outcome::sorted:
        return true;
      case outcome::special:
        return false;
      case outcome::open:
        break;
      }
    }
    if (!make_images())
      return false;
    job_.progress->add(n_);
    sort_images();
    return true;
  }

 private:
  enum class outcome { sorted, special, open };

  struct part {
    std::size_t begin, n;
    K lowest; ///< no image of it is below
  };

  progress_meter* meter() const { return job_.progress; }
  std::size_t pieces() const { return workers_ == 1 ? 1 : 4 * std::size_t{workers_}; }

  template <class F>
  void each_piece(F&& f) const { // f(worker, begin, end)
    for_each_task(workers_, pieces(), meter(), [&](unsigned w, std::size_t p) {
      f(w, part_begin(n_, pieces(), p), part_begin(n_, pieces(), p + 1));
    });
  }

  // ---- what needs no sort ----

  outcome take_shortcut(const key_sample<K>& sample) {
    const bool narrow = sample.differing == 0 || span_of(sample.differing).bits <= counting_bits;
    const auto different = static_cast<std::size_t>(std::count_if(sample.images + 1, sample.images + sample.size,
                                                                  [](const K& x) { return x != (&x)[-1]; })) +
                           1;
    const bool in_order = begins_in_order();
    if (different <= splitter_tree<K>::splitters && !in_order)
      if (const outcome counted = count_few(sample); counted != outcome::open)
        return counted;
    if (!narrow && !in_order)
      return outcome::open;
    const look_result<K> found = look();
    if (found.special)
      return outcome::special;
    if (found.ascending) {
      copy_in_order(source<K, no_value>(from_, nullptr), n_, lanes<K, no_value>{to_}, workers_);
      return done();
    }
    if (found.descending) {
      copy_reversed(source<K, no_value>(from_, nullptr), n_, lanes<K, no_value>{to_}, workers_);
      return done();
    }
    const K differing = static_cast<K>(found.any ^ found.all);
    const digit span = span_of(differing);
    if (span.bits <= counting_bits && n_ >= std::size_t{4} << span.bits) {
      count_and_fill(span, found.all);
      return done();
    }
    return outcome::open;
  }

  outcome done() {
    job_.progress->add(4 * n_);
    return outcome::sorted;
  }

  static digit span_of(K differing) { return highest_digit(differing, 8 * sizeof(K)); }

  /// Whether the first keys are in order, so that all may be.
  bool begins_in_order() const {
    look_result<K> found;
    kernels_.look(from_, std::min<std::size_t>(n_, 1024), nullptr, image_, found);
    return found.ascending || found.descending;
  }

  look_result<K> look() const {
    std::vector<look_result<K>> looks(pieces());
    for_each_task(workers_, pieces(), meter(), [&](unsigned, std::size_t p) {
      constexpr std::size_t step = 4096;
      const std::size_t end = part_begin(n_, pieces(), p + 1);
      for (std::size_t i = part_begin(n_, pieces(), p); i < end; i += step)
        kernels_.look(from_ + i, std::min(step, end - i), i > 0 ? from_ + i - 1 : nullptr, image_, looks[p]);
    });
    look_result<K> found;
    for (const look_result<K>& l : looks)
      found.join(l);
    return found;
  }

  std::uint64_t* counters(unsigned worker) const {
    return reinterpret_cast<std::uint64_t*>(job_.scratch) + worker * counters_for(n_);
  }

  /// How often each digit occurs, in the counters of worker 0.
  void count(const split<K>& d) {
    for (unsigned w = 0; w < workers_; ++w)
      std::fill_n(counters(w), d.buckets(), 0);
    each_piece([&](unsigned w, std::size_t begin, std::size_t end) {
      kernels_.histogram(from_ + begin, end - begin, image_, d, counters(w));
    });
    for (unsigned w = 1; w < workers_; ++w)
      for (std::size_t b = 0; b < d.buckets(); ++b)
        counters(0)[b] += counters(w)[b];
  }

  void count_and_fill(digit d, K all) {
    count(d);
    const K base = static_cast<K>(all & static_cast<K>(~static_cast<K>(static_cast<K>(d.buckets() - 1) << d.shift)));
    fill(d.buckets(),
         [&](std::size_t b) { return static_cast<K>(base | static_cast<K>(static_cast<K>(b) << d.shift)); });
  }

  /// Sorts where the sample holds all keys that there are.
  outcome count_few(const key_sample<K>& sample) {
    using tree_type = splitter_tree<K>;
    K different[tree_type::splitters + 1];
    std::size_t m = 1; // the tree takes them from place 1 on
    for (std::size_t i = 0; i < sample.size; ++i)
      if (i == 0 || sample.images[i] != sample.images[i - 1])
        different[m++] = sample.images[i];
    std::fill(different + m, different + tree_type::splitters + 1, different[m - 1]);
    const tree_type tree(different, tree_type::splitters + 1);
    const split<K> d(tree);
    count(d);
    for (std::size_t b = 0; b < d.buckets(); b += 2)
      if (counters(0)[b] != 0)
        return outcome::open;
    if (image_.is_float &&
        std::any_of(different + 1, different + m, [&](K x) { return image_.is_special(image_.key_of(x)); }))
      return outcome::special;
    fill(d.buckets(), [&](std::size_t b) { return tree.sorted[b / 2]; });
    return done();
  }

  /// Writes the keys of images as often as they were counted.
  template <class ImageOf>
  void fill(std::size_t buckets, ImageOf image_of) {
    std::uint64_t* const ends = counters(0);
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b)
      ends[b] = sum += ends[b];
    each_piece([&](unsigned, std::size_t at, std::size_t end) {
      for (auto b = static_cast<std::size_t>(std::upper_bound(ends, ends + buckets, at) - ends); at < end; ++b) {
        const std::size_t until = std::min<std::size_t>(ends[b], end);
        std::fill(to_ + at, to_ + until, image_.key_of(image_of(b)));
        at = until;
      }
    });
  }

  // ---- images ----

  /// False, and the input as it was, where −0 or NaN is met.
  bool make_images() {
    if (from_ == to_ && !image_.is_float && parts_.images_are_keys(plain_))
      return true;
    std::atomic<bool> special{false};
    each_piece([&](unsigned, std::size_t begin, std::size_t end) {
      if (parts_.to_images(from_ + begin, end - begin, plain_, to_ + begin))
        special.store(true, std::memory_order_relaxed);
    });
    if (!special)
      return true;
    if (from_ == to_)
      each_piece(
          [&](unsigned, std::size_t begin, std::size_t end) { parts_.from_images(to_ + begin, end - begin, plain_); });
    return false;
  }

  // ---- quicksort ----

  void sort_images() {
    const std::size_t alone = std::max<std::size_t>(tuning().vector_bytes / sizeof(K), 4096);
    const std::size_t largest = workers_ == 1 ? alone : std::clamp<std::size_t>(n_ / (4 * workers_), 4096, alone);
    std::vector<part> open{{0, n_, parts_.least}}, parts;
    for (std::size_t splits = 0; !open.empty(); ++splits) {
      const part p = open.back();
      open.pop_back();
      if (p.n <= largest || splits > 2 * n_ / largest + 64) // pivots as bad as that are not met by chance
        parts.push_back(p);
      else
        split_together(p, splits, open);
    }
    std::stable_sort(parts.begin(), parts.end(), [](const part& a, const part& b) { return a.n > b.n; });
    for_each_task(workers_, parts.size(), meter(), [&](unsigned, std::size_t i) {
      parts_.sort(to_ + parts[i].begin, parts[i].n, plain_);
      job_.progress->add(3 * parts[i].n);
    });
  }

  void split_together(const part& p, std::uint64_t seed, std::vector<part>& open) {
    const K pivot = parts_.pivot(to_ + p.begin, p.n, seed);
    const bool equals = pivot == p.lowest; // what is not above it is equal to it
    std::vector<std::size_t> low(pieces());
    for_each_task(workers_, pieces(), meter(), [&](unsigned, std::size_t i) {
      const std::size_t begin = part_begin(p.n, pieces(), i);
      low[i] = parts_.split(to_ + p.begin + begin, part_begin(p.n, pieces(), i + 1) - begin, pivot, equals);
    });
    std::size_t lows = 0;
    for (const std::size_t l : low)
      lows += l;
    swap_misplaced(p, low, lows);
    if (equals) {
      parts_.from_images(to_ + p.begin, lows, plain_);
      job_.progress->add(3 * lows);
    } else if (lows > 0) {
      open.push_back({p.begin, lows, p.lowest});
    }
    if (lows < p.n)
      open.push_back({p.begin + lows, p.n - lows, pivot});
  }

  /// After the stretches were split: the high ones before place `lows` against the low ones behind it.
  void swap_misplaced(const part& p, const std::vector<std::size_t>& low, std::size_t lows) {
    struct stretch {
      std::size_t begin, n;
    };
    std::vector<stretch> high_before, low_behind;
    for (std::size_t i = 0; i < low.size(); ++i) {
      const std::size_t begin = part_begin(p.n, low.size(), i), middle = begin + low[i],
                        end = part_begin(p.n, low.size(), i + 1);
      if (middle < std::min(end, lows))
        high_before.push_back({middle, std::min(end, lows) - middle});
      if (std::max(begin, lows) < middle)
        low_behind.push_back({std::max(begin, lows), middle - std::max(begin, lows)});
    }
    struct exchange {
      std::size_t a, b, n;
    };
    constexpr std::size_t most = std::size_t{1} << 16;
    std::vector<exchange> all;
    for (std::size_t i = 0, j = 0; i < high_before.size() && j < low_behind.size();) {
      stretch &a = high_before[i], &b = low_behind[j];
      const std::size_t n = std::min({a.n, b.n, most});
      all.push_back({a.begin, b.begin, n});
      a.begin += n, a.n -= n;
      b.begin += n, b.n -= n;
      i += a.n == 0;
      j += b.n == 0;
    }
    K* const keys = to_ + p.begin;
    for_each_task(workers_, all.size(), nullptr, [&](unsigned, std::size_t i) {
      std::swap_ranges(keys + all[i].a, keys + all[i].a + all[i].n, keys + all[i].b);
    });
  }

  const radix_job& job_;
  const std::size_t n_;
  const unsigned workers_;
  const key_image<K> image_;
  const plain_image<K> plain_;
  const vector_parts<K>& parts_;
  const kernels<K, no_value>& kernels_;
  const K* const from_;
  K* const to_;
};

} // namespace

bool sorts_by_quicksort(const sort_request& request, const bit_window& bits, unsigned threads) {
  const std::size_t key = key_bytes(request.type);
  if (request.carries != payload::none || (key != 4 && key != 8) || request.n <= insertion_limit || bits.begin != 0 ||
      (bits.end != bit_window::whole_key && bits.end != 8 * key))
    return false;
  return workers_for(request.n * key, threads) <= tuning().quicksort_threads &&
         (key == 4 ? best_vector_parts<std::uint32_t>() != nullptr : best_vector_parts<std::uint64_t>() != nullptr);
}

std::size_t quicksort_bytes(std::size_t n, std::size_t key_bytes, unsigned threads) {
  return workers_for(n * key_bytes, threads) * counters_for(n) * sizeof(std::uint64_t);
}

bool sort_by_quicksort(const radix_job& job) {
  return key_bytes(job.type) == 4 ? quick_sorter<std::uint32_t>(job).run() : quick_sorter<std::uint64_t>(job).run();
}

} // namespace sortile::cpu
