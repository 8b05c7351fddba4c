// The arrays of a routing as its kernels see them: experts' numbers as they are read, outputs of 4 or 8 bytes a number.
#pragma once

#include "kernels/number_array.hpp"
#include "kernels/route/route.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// An output. no_expert is written with all bits set, whatever the width.
struct route_numbers : number_array {
  SORTILE_DEVICE void store(std::uint32_t i, std::uint32_t v) const {
    if (bytes == 4)
      narrow[i] = v;
    else if (bytes == 8)
      wide[i] = v == no_expert ? ~std::uint64_t{0} : std::uint64_t{v};
  }
};

template <class Word>
struct route_arrays {
  simt::global<const Word> experts;
  route_numbers offsets, counts, order, inverse, block_experts, dropped;
  std::uint32_t n, expert_count, limit, block, rows;

  static route_arrays of(const route_job<Word>& job) {
    const auto numbers = [&job](void* data, std::uint64_t count) {
      return route_numbers{number_array::of(data, count, job.index_bytes)};
    };
    return {.experts = {job.experts, job.n},
            .offsets = numbers(job.offsets, std::uint64_t{job.expert_count} + 1),
            .counts = numbers(job.counts, job.expert_count),
            .order = numbers(job.order, job.rows),
            .inverse = numbers(job.inverse, job.n),
            .block_experts = numbers(job.block_experts, job.rows / job.block),
            .dropped = numbers(job.dropped, 1),
            .n = job.n,
            .expert_count = job.expert_count,
            .limit = job.limit,
            .block = job.block,
            .rows = job.rows};
  }

  /// Of pair i; no_expert behind the last pair, and where it is dropped.
  SORTILE_DEVICE std::uint32_t expert(std::uint32_t i) const {
    if (i >= n)
      return no_expert;
    const Word word = experts.load(i, simt::read_only);
    return word < limit ? std::uint32_t(word) : no_expert;
  }
  SORTILE_DEVICE std::uint32_t padded(std::uint32_t pairs) const {
    return block == 1 ? pairs : (pairs + block - 1) / block * block;
  }

  /// Pair i has this row; none where it is dropped.
  SORTILE_DEVICE void put(std::uint32_t i, std::uint32_t row) const {
    if (row != no_expert && order.are_there())
      order.store(row, i);
    if (inverse.are_there())
      inverse.store(i, row);
  }
  /// What lies behind the last expert's rows: of several threads, which stride.
  SORTILE_DEVICE void fill_behind(std::uint32_t used_rows, std::uint32_t thread, std::uint32_t threads) const {
    if (order.are_there())
      for (std::uint32_t row = used_rows + thread; row < rows; row += threads)
        order.store(row, n);
    if (block_experts.are_there())
      for (std::uint32_t b = used_rows / block + thread; b < rows / block; b += threads)
        block_experts.store(b, no_expert);
  }
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
