// Scans: each piece of the array is folded, the folds are scanned, and each piece is scanned from what stands before
// it. A single piece is scanned at once. Histograms: each thread counts in a table of its own, and the tables are added
// up. Both read memory once or twice and are bound by that.
#include "cpu/scan.hpp"

#include "cpu/parallel.hpp"
#include "primitives/key_codec.hpp"
#include "primitives/operators.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <type_traits>
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
  std::vector<T> before(pieces, initial);
  const auto begin = [&](std::size_t piece) { return part_begin(r.n, pieces, piece); };
  if (pieces > 1) {
    std::vector<T> folds(pieces);
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

template <class Word>
void count_digits(const histogram_request& r, const key_codec<Word>& codec, unsigned threads) {
  constexpr std::size_t digits = sizeof(Word), bins = 256 * digits;
  const auto* const keys = static_cast<const Word*>(r.keys);
  const std::size_t pieces = pieces_of(r.n, threads);
  std::vector<std::uint64_t> tables(pieces == 1 ? bins : threads * bins);
  for_each_task(threads, pieces, nullptr, [&](unsigned worker, std::size_t piece) {
    std::uint64_t* const counts = tables.data() + worker * bins;
    for (std::size_t i = part_begin(r.n, pieces, piece); i < part_begin(r.n, pieces, piece + 1); ++i) {
      const Word image = codec.image(keys[i]);
      for (std::size_t d = 0; d < digits; ++d)
        ++counts[256 * d + static_cast<std::size_t>(static_cast<Word>(image >> (8 * d)) & 255)];
    }
  });
  for (std::size_t bin = 0; bin < bins; ++bin) {
    r.counts[bin] = 0;
    for (std::size_t at = bin; at < tables.size(); at += bins)
      r.counts[bin] += tables[at];
  }
}

} // namespace

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
