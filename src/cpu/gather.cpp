// Values moved by position, or from one width to another, and the permutation of an array.
//
// A gather misses the cache for nearly every value of a large array. The processor overlaps many such misses by itself,
// as long as nothing in the loop waits for a value, so a plain loop is best. Permuting in place goes through a copy:
// following the cycles of the permutation would need no memory, but each step of a cycle waits for the one before it.
#include "cpu/gather.hpp"
#include "cpu/cpu_engine.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

namespace sortile::cpu {

namespace {

constexpr std::size_t gather_alone_below = std::size_t{1} << 15; // values

template <class Index, std::size_t Width>
void gather_piece(const std::byte* from, const Index* indices, std::size_t begin, std::size_t end, std::byte* to) {
  for (std::size_t i = begin; i < end; ++i)
    std::memcpy(to + i * Width, from + std::size_t{indices[i]} * Width, Width);
}

template <class Index>
void gather_piece(const std::byte* from, const Index* indices, std::size_t begin, std::size_t end, std::size_t width,
                  std::byte* to) {
  switch (width) {
  case 1:
    return gather_piece<Index, 1>(from, indices, begin, end, to);
  case 2:
    return gather_piece<Index, 2>(from, indices, begin, end, to);
  case 4:
    return gather_piece<Index, 4>(from, indices, begin, end, to);
  case 8:
    return gather_piece<Index, 8>(from, indices, begin, end, to);
  case 16:
    return gather_piece<Index, 16>(from, indices, begin, end, to);
  default:
    for (std::size_t i = begin; i < end; ++i)
      std::memcpy(to + i * width, from + std::size_t{indices[i]} * width, width);
  }
}

template <class Index>
void check_indices(const Index* indices, std::size_t n, unsigned threads) {
  std::atomic<std::size_t> first_wrong{n};
  for_each_piece(threads, n, gather_alone_below, [&](std::size_t begin, std::size_t end) {
    Index largest = 0;
    for (std::size_t i = begin; i < end; ++i)
      largest = std::max(largest, indices[i]);
    if (begin == end || largest < n)
      return;
    const auto at = static_cast<std::size_t>(
        std::find_if(indices + begin, indices + end, [n](Index x) { return x >= n; }) - indices);
    for (std::size_t seen = first_wrong.load(); at < seen && !first_wrong.compare_exchange_weak(seen, at);) {
    }
  });
  if (const std::size_t at = first_wrong.load(); at < n)
    throw invalid_argument("sortile: permute: index " + std::to_string(indices[at]) + " at position " +
                           std::to_string(at) + " is out of range; allowed are 0 to " + std::to_string(n - 1));
}

/// Calls work(threads). Where that fails, calls it again for the calling thread alone, which allocates nothing; so it
/// must be possible to begin the work again.
template <class Work>
void surely(unsigned threads, Work&& work) noexcept {
  if (threads > 1) {
    try {
      return work(threads);
    } catch (...) {
    }
  }
  work(1);
}

} // namespace

void gather(const void* from, const void* indices, std::size_t index_bytes, std::size_t n, std::size_t width, void* to,
            unsigned threads, progress_meter* progress) {
  const auto* const in = static_cast<const std::byte*>(from);
  auto* const out = static_cast<std::byte*>(to);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    if (index_bytes == 4)
      gather_piece(in, static_cast<const std::uint32_t*>(indices), begin, end, width, out);
    else
      gather_piece(in, static_cast<const std::uint64_t*>(indices), begin, end, width, out);
  };
  for_each_told_piece(threads, n, gather_alone_below, progress, piece);
}

void rewiden(const void* from, std::size_t from_width, std::size_t n, void* to, std::size_t to_width,
             unsigned threads) {
  const auto* const in = static_cast<const std::byte*>(from);
  auto* const out = static_cast<std::byte*>(to);
  const std::size_t common = std::min(from_width, to_width);
  for_each_piece(threads, n, gather_alone_below, [&](std::size_t begin, std::size_t end) {
    const auto each = [&](auto bytes) {
      for (std::size_t i = begin; i < end; ++i)
        std::memcpy(out + i * to_width, in + i * from_width, bytes);
    };
    common == 1   ? each(std::integral_constant<std::size_t, 1>{})
    : common == 2 ? each(std::integral_constant<std::size_t, 2>{})
                  : each(common);
  });
}

// The upper half first: what it becomes lies behind all that is yet to be read. Of the lowest numbers the last first, a
// block at a time, so that vectors widen them.
void widen_in_place(void* numbers, std::size_t n, unsigned threads) {
  auto* const at = static_cast<std::byte*>(numbers);
  constexpr std::size_t block = 256;
  const auto widen = [at](std::size_t begin, std::size_t end) { // at most a block
    std::uint32_t narrow[block] = {};
    std::uint64_t wide[block];
    std::memcpy(narrow, at + begin * sizeof(*narrow), (end - begin) * sizeof(*narrow));
    std::copy(narrow, std::end(narrow), wide);
    std::memcpy(at + begin * sizeof(*wide), wide, (end - begin) * sizeof(*wide));
  };
  for (; n > block; n = (n + 1) / 2) {
    const std::size_t half = (n + 1) / 2;
    for_each_piece(threads, n - half, gather_alone_below, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = half + begin; i < half + end; i += block)
        widen(i, std::min(i + block, half + end));
    });
  }
  widen(0, n);
}

void narrow_in_place(void* numbers, std::size_t n) {
  auto* const at = static_cast<std::byte*>(numbers);
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(at + i * sizeof(std::uint32_t), at + i * sizeof(std::uint64_t), sizeof(std::uint32_t)); // little endian
}

void copy(const void* from, std::size_t bytes, void* to, unsigned threads) {
  if (bytes == 0)
    return; // null pointers are no arguments of memcpy
  for_each_piece(threads, bytes, std::size_t{1} << 20, [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<std::byte*>(to) + begin, static_cast<const std::byte*>(from) + begin, end - begin);
  });
}

void rearrange(void* values, const void* indices, std::size_t index_bytes, std::size_t n, std::size_t width,
               void* space, unsigned threads) noexcept {
  surely(threads, [&](unsigned workers) { gather(values, indices, index_bytes, n, width, space, workers); });
  surely(threads, [&](unsigned workers) { copy(space, n * width, values, workers); });
}

void permute(const permute_request& request, unsigned threads) {
  if (request.n == 0)
    return;
  if (request.index_bytes == 4)
    check_indices(static_cast<const std::uint32_t*>(request.indices), request.n, threads);
  else
    check_indices(static_cast<const std::uint64_t*>(request.indices), request.n, threads);
  const scratch moved(request.n * request.value_bytes, "the copy of a permuted array");
  rearrange(request.values, request.indices, request.index_bytes, request.n, request.value_bytes, moved.bytes().data(),
            threads);
}

} // namespace sortile::cpu
