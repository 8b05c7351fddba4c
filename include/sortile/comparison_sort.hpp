// The stable sort by any strict weak order that any_order.hpp calls: sampled splitters, then merges.
//
// Idea (super scalar sample sort: Sanders and Winkel, ESA 2004; with equality buckets: IPS4o, Axtmann, Witt, Ferizovic,
// Sanders, ESA 2017). Merging 2^24 elements from blocks of 8 takes 21 passes, and each comparison of a merge waits for
// the one before it. Between 255 splitters the bucket of an element takes 8 comparisons too, but those of different
// elements do not wait for each other, and an element moves once instead of eight times.
//
//     n elements ──sample──▶ splitters ──▶ classify: the bucket of each element, a byte ──▶ scatter, stable
//                                              │ each bucket
//                         again, where it is long ◀─┴─▶ by merges (comparison_merge.hpp), where it fits the caches
//
// Elements that are equal to a splitter get a bucket of their own, which is done, where two splitters are equal: some
// key is frequent then. Before all that, one scan: where the elements are a few ascending or strictly descending runs,
// as sorted, reversed and appended arrays are, these are merged; where runs are long and few elements are out of place,
// these are put where they belong (comparison_few.hpp).
//
// What holds. The sample is drawn at places that n alone decides, and no step's result depends on how the work is
// shared out; the result of a stable sort has no freedom anyway. The byte of an element is written once and read once,
// so a comparison that contradicts itself can put an element into a wrong bucket, and lose none. Where a bucket is more
// than half of what was divided, it is sorted by merges: n log n comparisons, whatever comes. Every function leaves a
// permutation where its result belongs, also where the comparison throws: what was read last is one.
//
// Cost of n elements of T bytes: about n log2 n + 2 n comparisons. A level of splitters reads the elements twice and
// writes them once; there are one or two until buckets fit the caches. Memory: n (T + 1) bytes.
//
// What lost, on one thread of a Xeon at 2.1 GHz: merges alone, 1.2 to 1.5 times as long at 2^22 elements of 32 and 64
// bits, 1.8 times at 2^20 of 32 bytes.
#pragma once

#include <sortile/comparison_call.hpp>
#include <sortile/comparison_few.hpp>
#include <sortile/comparison_merge.hpp>
#include <sortile/projections.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

/// Buckets of elements between splitters.
template <class T, class Less>
class divider {
 public:
  /// Draws a sample of [data, data + n) and takes splitters from it, both to `room`, at least n elements.
  divider(const T* data, std::size_t n, T* room, const Less& less) : less_(less) {
    constexpr std::size_t bucket_elements = 256, oversampling = 16;
    while (depth_ < 8 && (n >> depth_) > bucket_elements)
      ++depth_;
    const std::size_t most = std::size_t{1} << depth_, sampled = most * oversampling;
    T* const sample = room;
    for (std::size_t i = 0; i < sampled; ++i)
      put(sample + i, data + place_of_sample(i, n, sampled));
    sort_by_merges(sample, room + sampled, sampled, false, less_);
    const auto splitter = [&](std::size_t i) { return sample + (i + 1) * oversampling - 1; };
    for (std::size_t i = 1; i + 1 < most && !equals_; ++i)
      equals_ = !less_(*splitter(i - 1), *splitter(i));
    if (equals_ && depth_ == 8)
      --depth_; // two buckets a splitter
    const std::size_t step = most >> depth_;
    nodes_ = room + sampled;
    for (unsigned level = 0; level < depth_; ++level)
      for (std::size_t i = 0; i < std::size_t{1} << level; ++i)
        put(nodes_ + (std::size_t{1} << level) + i, splitter(step * ((2 * i + 1) << (depth_ - level - 1)) - 1));
    splitters_ = room + sampled + 2 * most;
    for (std::size_t i = 0; i + 1 < std::size_t{1} << depth_; ++i)
      put(splitters_ + i, splitter(step * (i + 1) - 1));
  }

  std::size_t buckets() const { return (std::size_t{1} << depth_) << equals_; }
  /// Whether all elements of a bucket are equal.
  bool all_equal(std::size_t bucket) const { return equals_ && bucket % 2 == 1; }

  /// Writes the bucket of each element, and adds to the counts.
  void classify(const T* data, std::size_t n, std::uint8_t* buckets, std::size_t* counts) const {
    constexpr std::size_t at_once = 8;
    std::size_t i = 0;
    for (; i + at_once <= n; i += at_once)
      descend<at_once>(data + i, buckets + i);
    for (; i < n; ++i)
      descend<1>(data + i, buckets + i);
    for (i = 0; i < n; ++i)
      ++counts[buckets[i]];
  }

 private:
  /// Spread over the array without a pattern that keys could share.
  static std::size_t place_of_sample(std::size_t i, std::size_t n, std::size_t sampled) {
    const std::size_t share = n / sampled;
    const std::uint64_t scrambled = (i + 1) * std::uint64_t{0x9e3779b97f4a7c15};
    return i * share + (scrambled >> 32) % share;
  }

  template <std::size_t Count>
  void descend(const T* data, std::uint8_t* buckets) const {
    std::size_t node[Count];
    for (std::size_t& start : node)
      start = 1;
    for (unsigned level = 0; level < depth_; ++level) {
      SORTILE_UNROLLED
      for (std::size_t e = 0; e < Count; ++e)
        node[e] = 2 * node[e] + !less_(data[e], nodes_[node[e]]);
    }
    const std::size_t leaves = std::size_t{1} << depth_;
    for (std::size_t e = 0; e < Count; ++e) {
      std::size_t bucket = node[e] - leaves;
      if (equals_) // bucket 2 b is what lies between splitters, 2 b - 1 what equals the lower one
        bucket = 2 * bucket - (bucket > 0 && !less_(splitters_[bucket - 1], data[e]));
      buckets[e] = static_cast<std::uint8_t>(bucket);
    }
  }

  const Less& less_;
  unsigned depth_ = 1;
  bool equals_ = false;
  T* nodes_ = nullptr;     // [buckets]  a search tree, its root at 1
  T* splitters_ = nullptr; // [buckets - 1]  in order
};

/// Moves each element to the next place of its bucket.
template <class T>
void scatter(const T* from, std::size_t n, const std::uint8_t* buckets, T* to, std::size_t* places) {
  for (std::size_t i = 0; i < n; ++i)
    put(to + places[buckets[i]]++, from + i);
}

/// Sorts [data, data + n) on the calling thread; as sort_by_merges(), with a byte of `buckets` for each element.
template <class T, class Less>
void sort_alone(T* data, T* other, std::uint8_t* buckets, std::size_t n, bool into_other, const Less& less) {
  if (n <= merged_alone)
    return sort_by_merges(data, other, n, into_other, less);
  std::size_t ends[most_buckets] = {};
  std::size_t count = 0, done = 0;
  bool moved = false;
  try {
    const divider<T, Less> division(data, n, other, less);
    division.classify(data, n, buckets, ends);
    count = division.buckets();
    std::size_t begin = 0;
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t length = ends[b];
      ends[b] = begin;
      begin += length;
    }
    scatter(data, n, buckets, other, ends);
    moved = true;
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t length = ends[b] - done, at = done;
      done = ends[b]; // whatever happens, the next call leaves a permutation
      if (!division.all_equal(b))
        (length > n / 2 ? sort_by_merges(other + at, data + at, length, !into_other, less)
                        : sort_alone(other + at, data + at, buckets + at, length, !into_other, less));
      else if (!into_other)
        put(data + at, other + at, length);
    }
  } catch (...) {
    if (!moved && into_other)
      put(other, data, n);
    if (moved && !into_other)
      put(data + done, other + done, n - done);
    throw;
  }
}

/// Where piece i of n elements in `pieces` begins (i = pieces: n).
inline std::size_t piece_begin(std::size_t n, std::size_t pieces, std::size_t i) {
  return n / pieces * i + (i < n % pieces ? i : n % pieces);
}

/// Copies by several threads.
template <class T>
void copy_all(comparison_call& call, T* to, const T* from, std::size_t n) {
  const std::size_t pieces = n <= merged_alone ? 1 : call.most_chunks();
  call.for_each(pieces, [&](std::size_t i) {
    const std::size_t begin = piece_begin(n, pieces, i);
    put(to + begin, from + begin, piece_begin(n, pieces, i + 1) - begin);
    return std::size_t{0};
  });
}

/// Merges sorted runs, stably, pass by pass, each of neighbours, by several threads. A pass is cut into parts of equal
/// length; all cuts are made before a part is merged.
template <class T, class Less>
class run_merger {
 public:
  using run = std::span<const T>;

  run_merger(comparison_call& call, std::span<run> runs, const Less& less)
      : call_(call), runs_(runs), less_(less), share_(share_of(call, runs)),
        parts_(count_parts(), sizeof(part), "the parts of a merge") {}

  std::size_t passes() const {
    std::size_t passes = 0;
    while (std::size_t{1} << passes < runs_.size())
      ++passes;
    return passes;
  }

  /// Merges all to `out`; `spare` takes the passes between. The runs may lie in the one of the two that the first pass
  /// does not write to: `out` where the passes are even in number, else `spare`.
  void merge(T* out, T* spare) {
    T* to = passes() % 2 == 1 ? out : spare;
    for (; runs_.size() > 1; to = to == out ? spare : out) {
      pass(to);
      holder_ = to;
    }
  }

  /// What the last whole pass has written: a permutation. Null where there is none.
  const T* holder() const { return holder_; }

 private:
  struct part {
    run a, b;
    T* to;
  };

  static std::size_t share_of(const comparison_call& call, std::span<const run> runs) {
    constexpr std::size_t least = std::size_t{1} << 14;
    std::size_t n = 0;
    for (const run& r : runs)
      n += r.size();
    const std::size_t share = n / call.most_chunks() + 1;
    return share < least ? least : share;
  }

  /// No pass has more parts than the first.
  std::size_t count_parts() const {
    std::size_t parts = runs_.size();
    for (const run& r : runs_)
      parts += r.size() / share_ + 1;
    return parts;
  }

  void pass(T* to) {
    part* const parts = static_cast<part*>(parts_.data());
    std::size_t count = 0, merged = 0;
    for (std::size_t i = 0; i < runs_.size(); i += 2) {
      run a = runs_[i], b = i + 1 < runs_.size() ? runs_[i + 1] : run{};
      T* const begin = to;
      for (; a.size() + b.size() > share_; to += share_) {
        const merge_in_progress<T> front = cut_front(a, b, share_, to, less_);
        parts[count++] = {{front.a, front.a_end}, {front.b, front.b_end}, to};
      }
      parts[count++] = {a, b, to};
      to += a.size() + b.size();
      runs_[merged++] = {begin, to};
    }
    runs_ = runs_.first(merged);
    call_.for_each(count, [&](std::size_t i) {
      merge_two(parts[i].a, parts[i].b, parts[i].to, less_);
      return parts[i].a.size() + parts[i].b.size();
    });
  }

  comparison_call& call_;
  std::span<run> runs_;
  const Less& less_;
  std::size_t share_;
  call_memory parts_;
  const T* holder_ = nullptr;
};

/// One sort by several threads, in [data, data + n) with the buffer `other`.
template <class T, class Less>
class comparison_sorter {
 public:
  comparison_sorter(comparison_call& call, T* data, T* other, std::size_t n, const Less& less)
      : call_(call), data_(data), other_(other), n_(n), less_(less) {}

  /// Whatever is thrown, data holds a permutation.
  void run() {
    array_runs<T> found(data_, n_, less_);
    const bool few_runs = found.are_all() && n_ / least_merged >= found.count();
    if (put_in_order(found, data_, other_, n_, less_)) {
      call_.expect(0);
    } else if (few_runs) {
      merge_runs(found.turned());
    } else if (n_ <= merged_alone) {
      call_.expect(n_);
      call_.for_each(1, [&](std::size_t) {
        sort_by_merges(data_, other_, n_, false, less_);
        return n_;
      });
    } else {
      call_.expect(3 * std::uint64_t{n_});
      divide();
    }
    call_.finish();
  }

 private:
  static constexpr std::size_t least_merged = 16; // elements of a run, on the average

  void merge_runs(std::span<std::span<const T>> runs) {
    run_merger<T, Less> merger(call_, runs, less_);
    call_.expect(merger.passes() * std::uint64_t{n_});
    const bool from_other = merger.passes() % 2 == 1; // the first pass writes to data
    if (from_other) {
      copy_all(call_, other_, data_, n_);
      for (std::span<const T>& run : runs)
        run = {other_ + (run.data() - data_), run.size()};
    }
    try {
      merger.merge(data_, other_);
    } catch (...) {
      const T* const given = from_other ? other_ : data_;
      put(data_, merger.holder() != nullptr ? merger.holder() : given, n_);
      throw;
    }
  }

  void divide() {
    const divider<T, Less> division(data_, n_, other_, less_);
    const std::size_t chunks = call_.most_chunks(), buckets = division.buckets();
    const auto begin_of = [&](std::size_t chunk) { return piece_begin(n_, chunks, chunk); };
    const auto counts_of = [&](std::size_t chunk) { return call_.counts() + chunk * most_buckets; };
    call_.for_each(chunks, [&](std::size_t chunk) {
      const std::size_t begin = begin_of(chunk), length = begin_of(chunk + 1) - begin;
      std::memset(counts_of(chunk), 0, most_buckets * sizeof(std::size_t));
      division.classify(data_ + begin, length, call_.buckets() + begin, counts_of(chunk));
      return length;
    });
    std::size_t begins[most_buckets + 1];
    std::size_t place = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      begins[b] = place;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        const std::size_t count = counts_of(chunk)[b];
        counts_of(chunk)[b] = place;
        place += count;
      }
    }
    begins[buckets] = n_;
    bool begun[most_buckets] = {};
    try {
      call_.for_each(chunks, [&](std::size_t chunk) {
        const std::size_t begin = begin_of(chunk), length = begin_of(chunk + 1) - begin;
        scatter(data_ + begin, length, call_.buckets() + begin, other_, counts_of(chunk));
        return length;
      });
      moved_ = true;
      call_.for_each(buckets, [&](std::size_t b) {
        begun[b] = true;
        const std::size_t begin = begins[b], length = begins[b + 1] - begin;
        sort_bucket(division, b, begin, length);
        return length;
      });
    } catch (...) {
      for (std::size_t b = 0; moved_ && b < buckets; ++b)
        if (!begun[b])
          put(data_ + begins[b], other_ + begins[b], begins[b + 1] - begins[b]);
      throw;
    }
  }

  void sort_bucket(const divider<T, Less>& division, std::size_t b, std::size_t begin, std::size_t length) {
    if (division.all_equal(b))
      put(data_ + begin, other_ + begin, length);
    else if (length > n_ / 2)
      sort_by_merges(other_ + begin, data_ + begin, length, true, less_);
    else
      sort_alone(other_ + begin, data_ + begin, call_.buckets() + begin, length, true, less_);
  }

  comparison_call& call_;
  T* data_;
  T* other_;
  std::size_t n_;
  const Less& less_;
  bool moved_ = false;
};

} // namespace sortile::detail
#pragma GCC visibility pop
#undef SORTILE_UNROLLED
