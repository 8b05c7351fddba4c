// Scans: each piece of the array is folded, the folds are scanned, and each piece is scanned from what stands before
// it. A single piece is scanned at once. Histograms: each thread counts in tables of its own, and these are added up.
#include "cpu/scan.hpp"

#include "cpu/key_image.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "primitives/key_codec.hpp"
#include "primitives/operators.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sortile::cpu {
namespace {

constexpr std::size_t scan_least_piece = std::size_t{1} << 15; // elements

std::size_t pieces_of(std::size_t n, unsigned threads) {
  return threads <= 1 || n < 2 * scan_least_piece ? 1 : std::size_t{4} * threads;
}

template <class T, class Op>
void scan_with(const scan_request& r, T initial, unsigned threads) {
  constexpr Op op{};
  const auto* const in = static_cast<const T*>(r.in);
  auto* const out = static_cast<T*>(r.out);
  const std::size_t pieces = pieces_of(r.n, threads);
  call_vector<T> before(pieces, initial);
  const auto begin = [&](std::size_t piece) { return part_begin(r.n, pieces, piece); };
  if (pieces > 1) {
    call_vector<T> folds(pieces);
    for_each_task(threads, pieces - 1, nullptr, [&](unsigned, std::size_t piece) {
      T fold = Op::template identity<T>();
      for (std::size_t i = begin(piece); i < begin(piece + 1); ++i)
        fold = op(fold, in[i]);
      folds[piece] = fold;
    });
    for (std::size_t piece = 1; piece < pieces; ++piece)
      before[piece] = op(before[piece - 1], folds[piece - 1]);
  }
  for_each_task(threads, pieces, nullptr, [&](unsigned, std::size_t piece) {
    T fold = before[piece];
    for (std::size_t i = begin(piece); i < begin(piece + 1); ++i) {
      const T next = op(fold, in[i]);
      out[i] = r.kind == scan_kind::inclusive ? next : fold;
      fold = next;
    }
  });
}

// Counts the digits of keys. Images of some keys are made in a buffer that stays in the first-level cache, and counted
// digit by digit. A digit that they all share is added at once. Of others every fourth key goes to one table: an
// increment waits for the one before it of the same counter.
template <class Word>
class digit_counter {
 public:
  static constexpr std::size_t digits = sizeof(Word), bins = 256 * digits;

  void add(const Word* keys, std::size_t n, const key_codec<Word>& codec) {
    for (std::size_t m = 0; n > 0; keys += m, n -= m) {
      m = std::min(n, chunk);
      const Word differing = take(keys, m, codec);
      for (std::size_t d = 0; d < digits; ++d)
        if (static_cast<std::uint8_t>(differing >> (8 * d)) == 0)
          total_[256 * d + digit(0, d)] += m;
        else
          count(d, m);
      if ((since_ += m) >= (std::size_t{1} << 24)) // long before a counter is full
        add_up();
    }
  }

  /// Adds what was counted to these.
  void give(std::uint64_t* counts) {
    add_up();
    for (std::size_t bin = 0; bin < bins; ++bin)
      counts[bin] += total_[bin];
  }

 private:
  static constexpr std::size_t chunk = (std::size_t{1} << 14) / sizeof(Word), tables = 4;
  static_assert(std::endian::native == std::endian::little, "digits are read as bytes");

  std::size_t digit(std::size_t i, std::size_t d) const {
    return reinterpret_cast<const unsigned char*>(images_)[i * sizeof(Word) + d];
  }

  // Images of the keys, and the bits in which they differ. By choices in place of branches, and of copies that no write
  // to the buffer could change, so that the loop is one of vectors.
  Word take(const Word* keys, std::size_t n, const key_codec<Word>& codec) {
    key_image<Word> of_float;
    of_float.codec = codec;
    const auto flip = static_cast<Word>(codec.sign ^ codec.complement);
    return codec.infinity == 0 ? fill(keys, n, codec, [flip](Word u) { return static_cast<Word>(u ^ flip); })
                               : fill(keys, n, codec, [of_float](Word u) { return of_float.exact_float(u); });
  }

  template <class Whole>
  Word fill(const Word* keys, std::size_t n, const key_codec<Word>& codec, const Whole& whole) {
    const unsigned shift = codec.shift;
    const Word mask = codec.mask, first = codec.image(keys[0]);
    Word differing = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto image = static_cast<Word>((whole(keys[i]) >> shift) & mask);
      images_[i] = image;
      differing = static_cast<Word>(differing | (image ^ first));
    }
    return differing;
  }

  void count(std::size_t d, std::size_t n) {
    auto* const of_digit = counts_[d];
    std::size_t i = 0;
    for (; i + tables <= n; i += tables)
      for (std::size_t t = 0; t < tables; ++t)
        ++of_digit[t][digit(i + t, d)];
    for (; i < n; ++i)
      ++of_digit[0][digit(i, d)];
  }

  void add_up() {
    for (std::size_t d = 0; d < digits; ++d)
      for (auto& table : counts_[d])
        for (std::size_t bin = 0; bin < 256; ++bin)
          total_[256 * d + bin] += std::exchange(table[bin], 0);
    since_ = 0;
  }

  Word images_[chunk];
  std::uint32_t counts_[digits][tables][256] = {};
  std::uint64_t total_[bins] = {};
  std::size_t since_ = 0; // keys since tables were added up
};

template <class Word>
void count_digits(const histogram_request& r, const key_codec<Word>& codec, unsigned threads) {
  constexpr std::size_t bins = digit_counter<Word>::bins;
  const auto* const keys = static_cast<const Word*>(r.keys);
  const std::size_t pieces = pieces_of(r.n, threads);
  std::fill_n(r.counts, bins, 0);
  if (r.n < 2048) { // tables of their own cost more than waiting
    for (std::size_t i = 0; i < r.n; ++i) {
      const Word image = codec.image(keys[i]);
      for (std::size_t d = 0; d < sizeof(Word); ++d)
        ++r.counts[256 * d + static_cast<std::uint8_t>(image >> (8 * d))];
    }
    return;
  }
  call_vector<digit_counter<Word>> counters(pieces == 1 ? 1 : threads);
  for_each_task(threads, pieces, nullptr, [&](unsigned worker, std::size_t piece) {
    const std::size_t begin = part_begin(r.n, pieces, piece);
    counters[worker].add(keys + begin, part_begin(r.n, pieces, piece + 1) - begin, codec);
  });
  for (digit_counter<Word>& counter : counters)
    counter.give(r.counts);
}

} // namespace

[[gnu::cold]] void add_scan_steps(const scan_request& r, unsigned threads, std::vector<plan_step>& steps) {
  const std::size_t bytes = r.n * key_bytes(r.type);
  if (r.n == 0)
    return;
  if (pieces_of(r.n, threads) > 1)
    steps.push_back({"fold", "each of " + std::to_string(pieces_of(r.n, threads)) + " pieces", bytes, 0});
  steps.push_back({"scan", "each piece from what stands before it", bytes, bytes});
}

[[gnu::cold]] void add_histogram_steps(const histogram_request& r, std::vector<plan_step>& steps) {
  const std::size_t digits = key_bytes(r.type);
  steps.push_back({"count", "the values of " + std::to_string(digits) + " digits of 8 bits, tables for each thread",
                   r.n * digits, 256 * digits * sizeof(std::uint64_t)});
}

void scan(const scan_request& request, unsigned threads) {
  with_integer(request.type, [&]<class T>(T) {
    using primitives::maximum;
    using primitives::plus;
    using Sum = std::make_unsigned_t<T>; // wraps
    if (request.op == scan_operator::sum)
      scan_with<Sum, plus>(request, static_cast<Sum>(request.initial.value_or(0)), threads);
    else
      scan_with<T, maximum>(request, request.initial ? static_cast<T>(*request.initial) : maximum::identity<T>(),
                            threads);
  });
}

void histogram(const histogram_request& request, const options& opts, unsigned threads) {
  with_word(request.type, [&]<class Word>(Word) {
    count_digits(request, make_key_codec<Word>(request.type, opts.order, opts.bits), threads);
  });
}

} // namespace sortile::cpu
