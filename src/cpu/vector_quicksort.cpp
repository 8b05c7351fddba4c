// The sort of keys alone without spare arrays: what need not be sorted, and the quicksort of the rest.
//
// Idea. A quicksort by vectors splits an array nearly as fast as memory can be read and written, needs no memory beside
// the keys, and minds no distribution: equal keys that are a pivot are done with. Threads share it
// (shared_quicksort.hpp). Beforehand a sample, and the first keys, say whether something simpler may do: keys in order
// already, keys from a small range, which are counted and written, and few values in many places (few_values.hpp),
// which are counted before the rest is sorted. Zeros and NaNs of floats are set aside (zeros_and_nans.hpp) where one of
// them is −0 or NaN.
//
// Cost: 8 bytes a 32-bit key for each level until parts fit the L2 cache. A partition into many buckets moves 12 bytes
// once, but finds a bucket a key by scalar code, and copies the result past the caches: it is ahead where threads have
// little to sort each (splits_pay()).
// Source: Blacher et al., "Vectorized and performance-portable quicksort", 2022.
#include "cpu/vector_quicksort.hpp"

#include "cpu/few_values.hpp"
#include "cpu/in_order.hpp"
#include "cpu/sampled_split.hpp"
#include "cpu/shared_quicksort.hpp"
#include "cpu/zeros_and_nans.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <vector>

namespace sortile::cpu {

namespace {

constexpr unsigned counting_bits = 16;

unsigned workers_for(std::size_t bytes, unsigned threads) {
  return bytes < tuning().alone_below_bytes ? 1 : std::max(1u, threads);
}

/// Whether so many threads sort sooner by splits than by a partition: more than a few do where each has enough to sort,
/// else the meetings of the first splits do not pay.
bool splits_pay(std::size_t bytes, unsigned workers) {
  constexpr unsigned most = 16;
  constexpr std::size_t enough = std::size_t{2} << 20;
  return workers <= tuning().quicksort_threads || (workers <= most && bytes / workers >= enough);
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
        kernels_(best_kernels<K>()), from_(static_cast<const K*>(job.keys_in)), to_(static_cast<K*>(job.keys_out)) {}

  bool run() {
    if (n_ >= 64 * key_sample<K>::least && take_shortcut(key_sample<K>(from_, n_, image_)))
      return true;
    if (!splits_pay(n_ * sizeof(K), workers_) && job_.workspace_limit == 0 && !is_special_ && partition())
      return true;
    if (is_special_ || !make_images())
      return sort_around_specials();
    job_.progress->add(n_);
    sort_images(n_);
    return true;
  }

 private:
  progress_meter* meter() const { return job_.progress; }
  std::size_t pieces() const { return workers_ == 1 ? 1 : 4 * std::size_t{workers_}; }

  template <class F>
  void each_piece(F&& f) const { // f(worker, begin, end)
    for_each_task(workers_, pieces(), meter(), [&](unsigned w, std::size_t p) {
      f(w, part_begin(n_, pieces(), p), part_begin(n_, pieces(), p + 1));
    });
  }

  // ---- what needs no sort ----

  /// Whether the partition into many buckets has sorted them; it leaves floats with −0 or NaN.
  bool partition() {
    radix_job job = job_;
    job.stops_at_specials = true;
    return !(is_special_ = !radix_sort_keys<K>(job));
  }

  /// False where none leads to the end.
  bool take_shortcut(const key_sample<K>& sample) {
    const value_frequencies<K> frequencies(sample);
    is_special_ = image_.is_float && std::any_of(sample.images, sample.images + sample.size,
                                                 [&](K x) { return image_.is_special(image_.key_of(x)); });
    const bool narrow = sample.differing == 0 || span_of(sample.differing).bits <= counting_bits;
    const bool in_order = frequencies.values > 1 && begins_in_order();
    const bool beside =
        frequencies.are_all_heavy() || workers_ <= tuning().quicksort_threads; // what is left moves alone
    if (!in_order && !is_special_ && beside && frequencies.heavy_ones_pay())
      return (image_.is_float && frequencies.are_all_heavy() && count_heavy(frequencies)) || sort_beside(frequencies);
    if (!in_order && !is_special_ && frequencies.table_pays() && count_values())
      return true;
    if (!in_order && (!narrow || is_special_))
      return false;
    const look_result<K> found = look();
    if (found.ascending) {
      copy_in_order(source<K>(from_, nullptr, 0), n_, lanes<K>{to_}, workers_);
      return done();
    }
    if (found.descending) {
      copy_reversed(source<K>(from_, nullptr, 0), n_, lanes<K>{to_}, workers_);
      return done();
    }
    const digit span = span_of(static_cast<K>(found.any ^ found.all));
    if (!is_special_ && span.bits <= counting_bits && n_ >= std::size_t{4} << span.bits) {
      count_and_fill(span, found.all);
      return done();
    }
    return false;
  }

  bool done() {
    job_.progress->add(4 * n_);
    return true;
  }

  static digit span_of(K differing) { return highest_digit(differing, 8 * sizeof(K)); }

  /// Whether the first keys are in order, so that all may be.
  bool begins_in_order() const {
    look_result<K> found;
    kernels_.look(from_, std::min<std::size_t>(n_, 1024), nullptr, exact_image(), found);
    return found.ascending || found.descending;
  }

  /// With −0 and NaN where they are met: is_special_ tells.
  look_result<K> look() {
    const look_result<K> found = is_special_ ? look_result<K>{.special = true} : look(image_);
    is_special_ = found.special;
    return is_special_ ? look(exact_image()) : found;
  }

  key_image<K> exact_image() const {
    key_image<K> exact = image_;
    exact.exact = image_.is_float;
    return exact;
  }

  look_result<K> look(const key_image<K>& image) const {
    std::vector<look_result<K>> looks(pieces());
    for_each_task(workers_, pieces(), meter(), [&](unsigned, std::size_t p) {
      constexpr std::size_t step = 4096;
      const std::size_t end = part_begin(n_, pieces(), p + 1);
      for (std::size_t i = part_begin(n_, pieces(), p); i < end; i += step)
        kernels_.look(from_ + i, std::min(step, end - i), i > 0 ? from_ + i - 1 : nullptr, image, looks[p]);
    });
    look_result<K> found;
    for (const look_result<K>& l : looks)
      found.join(l);
    return found;
  }

  /// Of one thread: counters of digits, or a table of values.
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
    add_counters(d.buckets());
  }

  /// The counters of all threads, to those of worker 0.
  void add_counters(std::size_t n) const {
    for (unsigned w = 1; w < workers_; ++w)
      std::transform(counters(0), counters(0) + n, counters(w), counters(0), std::plus<>());
  }

  void count_and_fill(digit d, K all) {
    count(d);
    const K base = static_cast<K>(all & static_cast<K>(~static_cast<K>(static_cast<K>(d.buckets() - 1) << d.shift)));
    fill(counters(0), d.buckets(), [&](std::size_t b) {
      return image_.key_of(static_cast<K>(base | static_cast<K>(static_cast<K>(b) << d.shift)));
    });
  }

  /// Counts every value in a table, where they fit into one.
  bool count_values() {
    using table = value_table<K>;
    static_assert(table::bytes <= 64 * key_sample<K>::least / 4 * sizeof(std::uint64_t)); // see counters_for()
    const auto memory = [&](unsigned worker) { return reinterpret_cast<std::byte*>(counters(worker)); };
    std::vector<table> tables;
    for (unsigned w = 0; w < workers_; ++w)
      tables.emplace_back(memory(w));
    std::atomic<bool> too_many{false};
    each_piece([&](unsigned w, std::size_t begin, std::size_t end) {
      constexpr std::size_t step = std::size_t{1} << 16;
      for (; begin < end && !too_many.load(std::memory_order_relaxed); begin += step)
        if (!tables[w].count(from_ + begin, std::min(step, end - begin)))
          too_many.store(true, std::memory_order_relaxed);
    });
    if (too_many)
      return false;
    std::vector<typename table::entry> all;
    for (const table& t : tables)
      t.append_to(all);
    is_special_ =
        image_.is_float && std::any_of(all.begin(), all.end(), [&](const auto& e) { return image_.is_special(e.key); });
    if (is_special_)
      return false;
    std::sort(all.begin(), all.end(),
              [&](const auto& a, const auto& b) { return image_.plain(a.key) < image_.plain(b.key); });
    std::vector<std::uint64_t> ends(all.size());
    std::transform(all.begin(), all.end(), ends.begin(), [](const auto& e) { return e.count; });
    fill(ends.data(), ends.size(), [&](std::size_t v) { return all[v].key; });
    return done();
  }

  /// Writes each value as often as `ends` has counted it; `ends` then says where it ends.
  template <class KeyOf>
  void fill(std::uint64_t* ends, std::size_t values, KeyOf key_of) {
    std::uint64_t sum = 0;
    for (std::size_t v = 0; v < values; ++v)
      ends[v] = sum += ends[v];
    each_piece([&](unsigned, std::size_t at, std::size_t end) {
      for (auto v = static_cast<std::size_t>(std::upper_bound(ends, ends + values, at) - ends); at < end; ++v) {
        const std::size_t until = std::min<std::size_t>(ends[v], end);
        parts_.fill(to_ + at, until - at, key_of(v));
        at = until;
      }
    });
  }

  // ---- heavy keys ----

  void keys_of(const value_frequencies<K>& heavy, K* keys) const {
    std::transform(heavy.heavy, heavy.heavy + heavy.heavy_values, keys, [&](K x) { return image_.key_of(x); });
  }

  /// Counts floats where the heavy keys are all that there are: without images, which would have to be undone where −0
  /// or NaN is met.
  bool count_heavy(const value_frequencies<K>& heavy) {
    K keys[value_frequencies<K>::most_heavy];
    keys_of(heavy, keys);
    for (unsigned w = 0; w < workers_; ++w)
      std::fill_n(counters(w), heavy.heavy_values, 0);
    std::atomic<bool> others{false};
    each_piece([&](unsigned w, std::size_t begin, std::size_t end) {
      constexpr std::size_t step = 1024;
      K rest[step];
      for (; begin < end && !others.load(std::memory_order_relaxed); begin += step)
        if (parts_.take_out(from_ + begin, std::min(step, end - begin), keys, heavy.heavy_values, counters(w), rest) >
            0)
          others.store(true, std::memory_order_relaxed);
    });
    if (others)
      return false;
    add_counters(heavy.heavy_values);
    fill(counters(0), heavy.heavy_values, [&](std::size_t j) { return keys[j]; });
    return done();
  }

  /// Takes the heavy keys out, sorts what is left, and puts them back. False, and the input as it was, where −0 or NaN
  /// is met.
  bool sort_beside(const value_frequencies<K>& heavy) {
    const bool as_they_are = !image_.is_float && parts_.images_are_keys(plain_);
    if (!as_they_are && !make_images()) {
      is_special_ = true;
      return false;
    }
    std::vector<std::uint64_t> counts(heavy.heavy_values);
    const std::size_t rest = take_out(heavy, as_they_are ? from_ : to_, counts);
    job_.progress->add(n_ + 3 * (n_ - rest));
    if (counts.front() == n_ && as_they_are && from_ == to_)
      return true;
    sort_images(rest);
    put_back(heavy, counts, rest);
    return true;
  }

  /// What is left of the images stands at the front of the result then.
  std::size_t take_out(const value_frequencies<K>& heavy, const K* images, std::vector<std::uint64_t>& counts) const {
    struct found {
      std::size_t begin, rest;
      std::uint64_t counts[value_frequencies<K>::most_heavy];
    };
    std::vector<found> in(pieces());
    K wanted[value_frequencies<K>::most_heavy]; // as the vectors know them
    keys_of(heavy, wanted);
    parts_.to_images(wanted, heavy.heavy_values, plain_, wanted);
    for_each_task(workers_, pieces(), meter(), [&](unsigned, std::size_t p) {
      found f{part_begin(n_, pieces(), p), 0, {}};
      f.rest = parts_.take_out(images + f.begin, part_begin(n_, pieces(), p + 1) - f.begin, wanted, heavy.heavy_values,
                               f.counts, to_ + f.begin);
      in[p] = f;
    });
    std::size_t rest = 0;
    for (const found& f : in) {
      std::memmove(to_ + rest, to_ + f.begin, f.rest * sizeof(K));
      rest += f.rest;
      for (std::size_t j = 0; j < counts.size(); ++j)
        counts[j] += f.counts[j];
    }
    return rest;
  }

  /// From the greatest down: keys above it move to the end, and it is written before them.
  void put_back(const value_frequencies<K>& heavy, const std::vector<std::uint64_t>& counts, std::size_t rest) const {
    std::size_t end = n_;
    for (std::size_t j = counts.size(); j > 0; --j) {
      const K image = heavy.heavy[j - 1];
      const auto above = static_cast<std::size_t>(
          std::partition_point(to_, to_ + rest, [&](K key) { return image_.plain(key) < image; }) - to_);
      end -= rest - above;
      std::memmove(to_ + end, to_ + above, (rest - above) * sizeof(K));
      rest = above;
      end -= counts[j - 1];
      for_each_piece(workers_, counts[j - 1], std::size_t{1} << 16, [&](std::size_t from, std::size_t until) {
        parts_.fill(to_ + end + from, until - from, image_.key_of(image));
      });
    }
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

  /// False where there is no room for them.
  bool sort_around_specials() {
    zeros_and_nans<K> aside(parts_, image_, from_, n_, static_cast<K*>(job_.spare_keys), job_.spare_room, workers_,
                            meter());
    if (!aside.fit())
      return false;
    const std::size_t rest = aside.take_out(to_);
    job_.progress->add(n_ + 3 * (n_ - rest));
    sort_images(rest);
    aside.put_back(to_);
    return true;
  }

  // ---- quicksort ----

  /// Sorts the first n of the result, which are images, and leaves keys.
  void sort_images(std::size_t n) {
    shared_quicksort<K>(parts_, plain_, workers_, tuning().vector_bytes / sizeof(K), job_.progress).sort(to_, n);
  }

  const radix_job& job_;
  const std::size_t n_;
  const unsigned workers_;
  const key_image<K> image_;
  const plain_image<K> plain_;
  const vector_parts<K>& parts_;
  const kernels<K>& kernels_;
  const K* const from_;
  K* const to_;
  bool is_special_ = false; ///< −0 or NaN is known to be among the keys
};

} // namespace

bool sorts_keys_alone(const sort_request& request, const bit_window& bits) {
  const std::size_t key = key_bytes(request.type);
  if (request.carries != payload::none || (key != 4 && key != 8) || request.n <= insertion_limit || bits.begin != 0 ||
      (bits.end != bit_window::whole_key && bits.end != 8 * key))
    return false;
  return key == 4 ? best_vector_parts<std::uint32_t>() != nullptr : best_vector_parts<std::uint64_t>() != nullptr;
}

bool sorts_by_quicksort(const sort_request& request, const bit_window& bits, unsigned threads) {
  const std::size_t bytes = request.n * key_bytes(request.type);
  return sorts_keys_alone(request, bits) && splits_pay(bytes, workers_for(bytes, threads));
}

std::size_t quicksort_bytes(std::size_t n, std::size_t key_bytes, unsigned threads) {
  return workers_for(n * key_bytes, threads) * counters_for(n) * sizeof(std::uint64_t);
}

bool sort_keys_alone(const radix_job& job) {
  return key_bytes(job.type) == 4 ? quick_sorter<std::uint32_t>(job).run() : quick_sorter<std::uint64_t>(job).run();
}

} // namespace sortile::cpu
