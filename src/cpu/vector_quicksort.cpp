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

#include "cpu/heavy_keys.hpp"
#include "cpu/in_order.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/sampled_split.hpp"
#include "cpu/shared_quicksort.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/zeros_and_nans.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

namespace sortile::cpu {

namespace {

constexpr unsigned counting_bits = 16;
constexpr std::size_t look_step = 2048; // keys that the L1 cache still has when they are read again

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
    if (n_ * sizeof(K) > most_short_bytes) { // the short sorts have asked that
      if (workers_ == 1) {                   // in order but for a few
        if (best_vector_kernels<K>()->in_order(from_, n_, image_, to_))
          return done();
      } else if (seem_one_key(from_, n_) && are_one_key()) {
        copy_in_order(source<K>(from_, nullptr, 0), n_, lanes<K>{to_}, workers_);
        return done();
      }
    }
    if (n_ >= 64 * key_sample<K>::least && take_shortcut(key_sample<K>(from_, n_, image_)))
      return true;
    if (!splits_pay(n_ * sizeof(K), workers_) && job_.scratch_room == 0 && !is_special_ && partition())
      return true;
    if (is_special_ || !make_images(from_, n_)) {
      if (!sort_around_specials(from_, n_))
        return false;
    } else {
      sort_images(n_);
    }
    job_.progress->add(n_);
    return true;
  }

 private:
  progress_meter* meter() const { return job_.progress; }
  std::size_t pieces() const { return zeros_and_nans<K>::pieces_for(workers_); }

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

  /// Of shorter arrays the short sorts have asked that.
  bool are_one_key() const {
    std::atomic<bool> others{false};
    each_piece([&](unsigned, std::size_t begin, std::size_t end) {
      if (!others.load(std::memory_order_relaxed) && !parts_.are_all(from_ + begin, end - begin, from_[0]))
        others.store(true, std::memory_order_relaxed);
    });
    return !others;
  }

  /// False where none leads to the end.
  bool take_shortcut(const key_sample<K>& sample) {
    is_special_ = image_.is_float && std::any_of(sample.images, sample.images + sample.size,
                                                 [&](K x) { return image_.is_special(image_.key_of(x)); });
    const value_frequencies<K> frequencies(sample, [&](K x) { return is_special_ && is_set_aside(image_.key_of(x)); });
    const bool narrow = sample.differing == 0 || span_of(sample.differing).bits <= counting_bits;
    const bool in_order = frequencies.values > 1 && begins_in_order();
    const bool beside =
        frequencies.are_all_heavy() || workers_ <= tuning().quicksort_threads; // what is left moves alone
    const std::size_t most = value_table<K>::most_in(counter_bytes());
    if (!in_order && beside && frequencies.heavy_ones_pay(most))
      return (image_.is_float && frequencies.are_all_heavy() && count_heavy(frequencies)) || sort_beside(frequencies);
    if (!in_order && narrow && !is_special_ && count_digit(sample.differing))
      return done();
    if (!in_order && !is_special_ && frequencies.table_pays(most) && count_values())
      return true;
    if (!in_order && (!narrow || is_special_))
      return false;
    const look_result<K> found = look(narrow);
    if (found.ascending) {
      copy_in_order(source<K>(from_, nullptr, 0), n_, lanes<K>{to_}, workers_);
      return done();
    }
    if (found.descending) {
      copy_reversed(source<K>(from_, nullptr, 0), n_, lanes<K>{to_}, workers_);
      return done();
    }
    return narrow && !is_special_ && count_digit(static_cast<K>(found.any ^ found.all)) && done();
  }

  bool done() {
    job_.progress->add(4 * n_);
    return true;
  }

  /// Of floats, what cannot be told apart by vectors, or not put back in its order.
  bool is_set_aside(K key) const { return static_cast<K>(key & ~image_.codec.sign) == 0 || image_.is_special(key); }

  static digit span_of(K differing) { return highest_digit(differing, 8 * sizeof(K)); }

  /// Whether the first keys are in order, so that all may be.
  bool begins_in_order() const {
    look_result<K> found;
    kernels_.look(from_, std::min<std::size_t>(n_, 1024), nullptr, image_.exactly(), found);
    return found.ascending || found.descending;
  }

  /// With −0 and NaN where they are met: is_special_ tells. Unless `to_the_end`, it stops where keys are in no order.
  look_result<K> look(bool to_the_end) {
    call_vector<look_result<K>> looks(pieces());
    std::atomic<bool> stopped{false};
    for_each_task(workers_, pieces(), meter(), [&](unsigned, std::size_t p) {
      look_result<K>& found = looks[p];
      const std::size_t end = part_begin(n_, pieces(), p + 1);
      for (std::size_t i = part_begin(n_, pieces(), p); i < end && !stopped.load(std::memory_order_relaxed);
           i += look_step) {
        look_at(i, std::min(look_step, end - i), found);
        if (!to_the_end && !found.ascending && !found.descending)
          stopped.store(true, std::memory_order_relaxed);
      }
    });
    look_result<K> found;
    for (const look_result<K>& l : looks)
      found.join(l);
    is_special_ = is_special_ || found.special;
    return found;
  }

  /// By exact images where plain ones do not do.
  void look_at(std::size_t i, std::size_t n, look_result<K>& found) const {
    const K* const before = i > 0 ? from_ + i - 1 : nullptr;
    const bool after_special = image_.is_float && before != nullptr && image_.is_special(*before);
    look_result<K> with_these = found;
    with_these.special = after_special;
    if (!after_special)
      kernels_.look(from_ + i, n, before, image_, with_these);
    if (with_these.special) {
      with_these = found;
      with_these.special = true;
      kernels_.look(from_ + i, n, before, image_.exactly(), with_these);
    }
    with_these.special = with_these.special || found.special;
    found = with_these;
  }

  /// Of one thread: counters of digits, or a table of values.
  std::uint64_t* counters(unsigned worker) const {
    return reinterpret_cast<std::uint64_t*>(job_.scratch) + worker * counters_for(n_);
  }

  std::size_t counter_bytes() const { return counters_for(n_) * sizeof(std::uint64_t); }

  /// The counters of all threads, to those of worker 0.
  void add_counters(std::size_t n) const {
    for (unsigned w = 1; w < workers_; ++w)
      std::transform(counters(0), counters(0) + n, counters(w), counters(0), std::plus<>());
  }

  /// Counts the digit that spans the bits in which keys are thought to differ, and writes keys from the counts. False
  /// where there are too few keys for so many counters, where other bits differ too, and where −0 or NaN is met.
  bool count_digit(K differing) {
    const digit d = span_of(differing);
    if (d.bits > counting_bits || n_ < std::size_t{4} << d.bits)
      return false;
    const split<K> by(d);
    const K within = static_cast<K>(static_cast<K>(d.buckets() - 1) << d.shift);
    const K base = static_cast<K>(image_(from_[0]) & static_cast<K>(~within));
    for (unsigned w = 0; w < workers_; ++w)
      std::fill_n(counters(w), d.buckets(), 0);
    std::atomic<bool> others{false};
    each_piece([&](unsigned w, std::size_t begin, std::size_t end) {
      look_result<K> found{.any = base, .all = base, .ascending = false, .descending = false}; // its order is known
      for (; begin < end && !others.load(std::memory_order_relaxed); begin += look_step) {
        const std::size_t n = std::min(look_step, end - begin);
        kernels_.look(from_ + begin, n, nullptr, image_, found);
        kernels_.histogram(from_ + begin, n, image_, by, counters(w));
        if (found.special || static_cast<K>((found.any ^ found.all) & ~within) != 0)
          others.store(true, std::memory_order_relaxed);
      }
    });
    if (others)
      return false;
    add_counters(d.buckets());
    fill(counters(0), d.buckets(), [&](std::size_t b) {
      return image_.key_of(static_cast<K>(base | static_cast<K>(static_cast<K>(b) << d.shift)));
    });
    return true;
  }

  /// Counts every value in a table, where they fit into one.
  bool count_values() {
    using table = value_table<K>;
    call_vector<table> tables;
    for (unsigned w = 0; w < workers_; ++w)
      tables.emplace_back(reinterpret_cast<std::byte*>(counters(w)), counter_bytes());
    std::atomic<bool> too_many{false};
    each_piece([&](unsigned w, std::size_t begin, std::size_t end) {
      constexpr std::size_t step = std::size_t{1} << 16;
      for (; begin < end && !too_many.load(std::memory_order_relaxed); begin += step)
        if (!tables[w].count(from_ + begin, std::min(step, end - begin)))
          too_many.store(true, std::memory_order_relaxed);
    });
    if (too_many)
      return false;
    call_vector<typename table::entry> all;
    for (const table& t : tables)
      t.append_to(all);
    is_special_ =
        image_.is_float && std::any_of(all.begin(), all.end(), [&](const auto& e) { return image_.is_special(e.key); });
    if (is_special_)
      return false;
    std::sort(all.begin(), all.end(),
              [&](const auto& a, const auto& b) { return image_.plain(a.key) < image_.plain(b.key); });
    call_vector<std::uint64_t> ends(all.size());
    std::transform(all.begin(), all.end(), ends.begin(), [](const auto& e) { return e.what; });
    fill(ends.data(), ends.size(), [&](std::size_t v) { return all[v].key; });
    return done();
  }

  /// Writes each value as often as `ends` has counted it, but where it stands; `ends` then says where it ends.
  template <class KeyOf>
  void fill(std::uint64_t* ends, std::size_t values, KeyOf key_of, const standing_values& there = standing_values(0)) {
    std::uint64_t sum = 0;
    for (std::size_t v = 0; v < values; ++v)
      ends[v] = sum += ends[v];
    each_piece([&](unsigned, std::size_t at, std::size_t end) {
      for (auto v = static_cast<std::size_t>(std::upper_bound(ends, ends + values, at) - ends); at < end; ++v) {
        const std::size_t until = std::min<std::size_t>(ends[v], end);
        standing_values::each_stretch(at, until, [&](std::size_t begin, std::size_t stretch_end) {
          if (!there.has(begin, v))
            parts_.fill(to_ + begin, stretch_end - begin, key_of(v));
        });
        at = until;
      }
    });
  }

  // ---- heavy keys ----

  /// Counts floats where the heavy keys are all that there are: without images, which would have to be undone where −0
  /// or NaN is met.
  bool count_heavy(const value_frequencies<K>& frequencies) {
    const heavy_keys<K> heavy(frequencies, parts_, image_);
    for (unsigned w = 0; w < workers_; ++w)
      std::fill_n(counters(w), heavy.size(), 0);
    standing_values there(from_ == to_ ? n_ : 0);
    std::atomic<bool> others{false};
    each_piece([&](unsigned w, std::size_t begin, std::size_t end) {
      K rest[standing_values::stretch];
      standing_values::each_stretch(begin, end, [&](std::size_t from, std::size_t until) {
        if (others.load(std::memory_order_relaxed) ||
            heavy.take_out_stretch(from_, from, until, rest, counters(w), there) > 0)
          others.store(true, std::memory_order_relaxed);
      });
    });
    if (others)
      return false;
    add_counters(heavy.size());
    fill(
        counters(0), heavy.size(), [&](std::size_t j) { return heavy.key(j); }, there);
    return done();
  }

  /// Takes the heavy keys out, sorts what is left, and puts them back. False where −0 or NaN is met. They are taken out
  /// before images are made; of floats if none is a zero, whose place among zeros of the other sign would be forgotten,
  /// and if there is room to set aside what is −0 or NaN among the others.
  bool sort_beside(const value_frequencies<K>& frequencies) {
    heavy_keys<K> heavy(frequencies, parts_, image_);
    const bool as_they_are = !image_.is_float || (job_.spare_room >= n_ && !heavy.has_zero());
    if (!as_they_are && !make_images(from_, n_))
      return false;
    const std::size_t rest = as_they_are ? heavy.take_out(from_, n_, to_, workers_, meter())
                                         : heavy.take_out_images(to_, n_, workers_, meter());
    job_.progress->add(n_ + 3 * (n_ - rest));
    if (!as_they_are || (!is_special_ && make_images(to_, rest)))
      sort_images(rest);
    else
      sort_around_specials(to_, rest);
    heavy.put_back(to_, n_, rest, workers_);
    return true;
  }

  // ---- images ----

  /// Of n keys, in the result. False where −0 or NaN is met: made_ says how many images stand in front of each piece
  /// then.
  bool make_images(const K* keys, std::size_t n) {
    if (keys == to_ && !image_.is_float && parts_.images_are_keys(plain_))
      return true;
    made_.assign(pieces(), 0);
    std::atomic<bool> special{false};
    for_each_task(workers_, pieces(), meter(), [&](unsigned, std::size_t p) {
      if (special.load(std::memory_order_relaxed))
        return;
      const std::size_t begin = part_begin(n, pieces(), p), in_piece = part_begin(n, pieces(), p + 1) - begin;
      made_[p] = parts_.to_images(keys + begin, in_piece, plain_, to_ + begin);
      if (made_[p] < in_piece)
        special.store(true, std::memory_order_relaxed);
    });
    is_special_ = is_special_ || special;
    return !special;
  }

  /// Of n keys, to the front of the result. False, and the input as it was, where there is no room for them.
  bool sort_around_specials(const K* keys, std::size_t n) {
    zeros_and_nans<K> aside(parts_, image_, keys, n, static_cast<K*>(job_.spare_keys), job_.spare_room, made_, workers_,
                            meter());
    if (!aside.fit()) {
      if (keys == to_)
        for (std::size_t p = 0; p < made_.size(); ++p)
          parts_.from_images(to_ + part_begin(n, pieces(), p), made_[p], plain_);
      return false;
    }
    const std::size_t rest = aside.take_out(to_);
    job_.progress->add(3 * (n - rest));
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
  bool is_special_ = false;       ///< −0 or NaN is known to be among the keys
  call_vector<std::size_t> made_; ///< of each piece, images that stand in the place of its first keys
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
