// Keys that fill so many places that they are taken out before the rest is sorted (few_values.hpp says which those
// are).
//
//     keys   [ 7 7 3 7 9 7 7 1 … ]  ──take out──▶  rest [ 3 9 1 … ]     7 occurs 5 times
//                                   ──put back──▶  [ 1 3 | 7 7 7 7 7 | 9 … ]
//
// A vector of keys is compared with each heavy key; what equals none is moved to the front. Cost: one read, and as many
// comparisons a vector as there are heavy keys; the result is written once, but where it stands already.
#pragma once

#include "cpu/few_values.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "cpu/vector_parts.hpp"
#include "cpu/zeros_and_nans.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>

namespace sortile::cpu {

/// Where an array of n keys holds nothing but one heavy key for a while. What stands where the result has the same need
/// not be written, which takes half of the time where one value is nearly all that there is.
class standing_values {
 public:
  static constexpr std::size_t stretch = 2048;

  explicit standing_values(std::size_t n)
      : stretches_((n + stretch - 1) / stretch), many_(stretches_ > few ? stretches_ : 0) {
    std::fill_n(values(), stretches_, none);
  }

  /// Calls f(begin, end) for what [begin, end) has of each stretch.
  template <class F>
  static void each_stretch(std::size_t begin, std::size_t end, F&& f) {
    for (std::size_t until; begin < end; begin = until) {
      until = std::min(end, (begin / stretch + 1) * stretch);
      f(begin, until);
    }
  }

  /// The j-th heavy key is all that there is in [begin, end), a stretch or a part of one, which says nothing.
  void note(std::size_t begin, std::size_t end, std::size_t j) {
    if (end - begin == stretch && stretches_ > 0)
      values()[begin / stretch] = static_cast<std::uint8_t>(j);
  }
  /// Something else may be in [begin, end) now.
  void forget(std::size_t begin, std::size_t end) {
    each_stretch(begin, std::min(end, stretches_ * stretch),
                 [&](std::size_t at, std::size_t) { values()[at / stretch] = none; });
  }
  /// Whether the stretch around `at` holds the j-th heavy key.
  bool has(std::size_t at, std::size_t j) const {
    return stretches_ > 0 && (many_.empty() ? few_ : many_.data())[at / stretch] == j;
  }

 private:
  static constexpr std::uint8_t none = 0xff;
  static constexpr std::size_t few = 128; // without an allocation
  std::uint8_t* values() { return many_.empty() ? few_ : many_.data(); }

  std::size_t stretches_;
  std::uint8_t few_[few] = {};
  call_vector<std::uint8_t> many_;
};

template <class K>
class heavy_keys {
 public:
  static constexpr std::size_t most = value_frequencies<K>::most_heavy;

  heavy_keys(const value_frequencies<K>& frequencies, const vector_parts<K>& parts, const key_image<K>& image)
      : parts_(parts), image_(image), values_(frequencies.heavy_values), there_(0) {
    std::transform(frequencies.heavy, frequencies.heavy + values_, keys_, [&](K x) { return image.key_of(x); });
  }

  std::size_t size() const { return values_; }
  /// Keys are in order.
  K key(std::size_t j) const { return keys_[j]; }
  bool has_zero() const {
    return std::any_of(keys_, keys_ + values_, [&](K key) { return static_cast<K>(key & ~image_.codec.sign) == 0; });
  }

  /// Of [begin, end) of `from`, a stretch or a part of one: adds to counts, moves what is left to `rest`, and says how
  /// many those are.
  std::size_t take_out_stretch(const K* from, std::size_t begin, std::size_t end, K* rest, std::uint64_t* counts,
                               standing_values& there) const {
    return take_out_stretch(from, begin, end, keys_, rest, counts, there);
  }

  /// Of keys; what is left of them stands at the front of `to` then. `from` may be `to`.
  std::size_t take_out(const K* from, std::size_t n, K* to, unsigned workers, progress_meter* progress) {
    there_ = standing_values(from == to ? n : 0);
    return take_out(from, n, to, keys_, workers, progress);
  }
  /// The same of floats, up to the stretch with the first −0 or NaN that is no heavy key; how many were read. What has
  /// been read of them has none, so put_back() then leaves there an order that sorts alike.
  std::size_t take_out_plain(const K* from, std::size_t n, K* to, std::size_t& rest) {
    there_ = standing_values(from == to ? n : 0);
    rest = 0;
    K others[standing_values::stretch];
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      end = std::min(n, begin + standing_values::stretch);
      std::uint64_t counts[most] = {};
      const std::size_t left = take_out_stretch(from, begin, end, others, counts, there_);
      if (std::any_of(others, others + left, [&](K key) { return image_.is_special(key); }))
        return begin;
      std::transform(counts_, counts_ + values_, counts, counts_, std::plus<>());
      there_.forget(rest, rest + left);
      std::copy(others, others + left, to + rest);
      rest += left;
    }
    return n;
  }
  /// The same of the images of keys.
  std::size_t take_out_images(K* images, std::size_t n, unsigned workers, progress_meter* progress) {
    K wanted[most];
    parts_.to_images(keys_, values_, image_, wanted);
    there_ = standing_values(0);
    return take_out(images, n, images, wanted, workers, progress);
  }

  /// Among the others, `rest` sorted keys at the front of n. From the greatest down: keys above it move to the end, and
  /// it is written before them.
  void put_back(K* to, std::size_t n, std::size_t rest, unsigned workers) const {
    const key_image<K> exact = image_.exactly();
    std::size_t end = n;
    for (std::size_t j = values_; j > 0; --j) {
      const K key = keys_[j - 1], image = exact(key);
      const auto above =
          static_cast<std::size_t>(std::partition_point(to, to + rest, [&](K k) { return exact(k) < image; }) - to);
      end -= rest - above;
      std::memmove(to + end, to + above, (rest - above) * sizeof(K));
      rest = above;
      end -= counts_[j - 1];
      for_each_piece(workers, counts_[j - 1], std::size_t{1} << 16, [&](std::size_t from, std::size_t until) {
        standing_values::each_stretch(end + from, end + until, [&](std::size_t begin, std::size_t stretch_end) {
          if (!there_.has(begin, j - 1))
            parts_.fill(to + begin, stretch_end - begin, key);
        });
      });
    }
  }

 private:
  std::size_t take_out_stretch(const K* from, std::size_t begin, std::size_t end, const K* wanted, K* rest,
                               std::uint64_t* counts, standing_values& there) const {
    std::uint64_t here[most] = {};
    const std::size_t left = parts_.take_out(from + begin, end - begin, wanted, values_, here, rest);
    for (std::size_t j = 0; j < values_; ++j) {
      counts[j] += here[j];
      if (here[j] == end - begin)
        there.note(begin, end, j);
    }
    return left;
  }

  std::size_t take_out(const K* from, std::size_t n, K* to, const K* wanted, unsigned workers,
                       progress_meter* progress) {
    struct found {
      std::size_t begin, rest;
      std::uint64_t counts[most];
    };
    found all;
    const std::size_t pieces = zeros_and_nans<K>::pieces_for(workers);
    call_vector<found> parts(pieces > 1 ? pieces : 0);
    const std::span<found> in = pieces > 1 ? std::span(parts) : std::span(&all, 1);
    for_each_task(workers, in.size(), progress, [&](unsigned, std::size_t p) {
      found f{part_begin(n, in.size(), p), 0, {}};
      standing_values::each_stretch(f.begin, part_begin(n, in.size(), p + 1), [&](std::size_t begin, std::size_t end) {
        f.rest += take_out_stretch(from, begin, end, wanted, to + f.begin + f.rest, f.counts, there_);
      });
      in[p] = f;
    });
    std::size_t rest = 0;
    for (const found& f : in) {
      constexpr std::size_t written_beyond = 64 / sizeof(K); // whole vectors are
      there_.forget(f.begin, f.begin + (f.rest > 0 ? f.rest + written_beyond : 0));
      std::memmove(to + rest, to + f.begin, f.rest * sizeof(K));
      there_.forget(rest, rest + f.rest);
      rest += f.rest;
      std::transform(counts_, counts_ + values_, f.counts, counts_, std::plus<>());
    }
    return rest;
  }

  const vector_parts<K>& parts_;
  const key_image<K>& image_;
  const std::size_t values_;
  K keys_[most];
  std::uint64_t counts_[most] = {};
  standing_values there_;
};

} // namespace sortile::cpu
