// The kernel of spread_nan.hpp: a thread a number.
#include "kernels/ranks/spread_nan.hpp"
#include "kernels/send.hpp"
#include "simt/simt.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

struct spread_nan_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<double> numbers;
  std::uint64_t all, count;

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < all; i += stride) {
      const double last = numbers.load(i - i % count + count - 1);
      if (last != last && i % count != count - 1)
        numbers.store(i, last);
    }
  }
};

template <class Result>
struct tell_numbers_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256;

  simt::global<const double> numbers;
  simt::global<Result> results;
  std::uint64_t all, count; // of results: each row of numbers has one more

  SORTILE_DEVICE void operator()() const {
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < all; i += stride) {
      const std::uint64_t row = i / count;
      const double last = numbers.load(row * (count + 1) + count), number = numbers.load(i + row);
      results.store(i, Result(last != last ? last : number));
    }
  }
};

constexpr std::uint64_t most_blocks = 2048;

unsigned blocks_of(std::uint64_t all) {
  constexpr std::uint64_t threads = spread_nan_kernel::block_threads;
  return unsigned(std::min((all + threads - 1) / threads, most_blocks));
}

template <class Result>
void launch_tell_numbers(const simt::queue& q, const spread_nan_request& r) {
  const std::uint64_t all = r.rows * (r.count - 1);
  simt::launch(q, {.grid = blocks_of(all)},
               tell_numbers_kernel<Result>{.numbers = {r.numbers, r.rows * r.count},
                                           .results = {static_cast<Result*>(r.results), all},
                                           .all = all,
                                           .count = r.count - 1});
}

void launch(const simt::queue& q, const spread_nan_request& r) {
  if (r.results != nullptr)
    return r.result_bytes == sizeof(float) ? launch_tell_numbers<float>(q, r) : launch_tell_numbers<double>(q, r);
  const std::uint64_t all = r.rows * r.count;
  simt::launch(q, {.grid = blocks_of(all)},
               spread_nan_kernel{.numbers = {r.numbers, all}, .all = all, .count = r.count});
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_LAUNCHES_OF(spread_nan_request, launch)
