// See device_arrays.hpp. One kernel a width: the workload is a run-time value.
#include "bench/gpu/device_arrays.hpp"

#include "simt/simt.hpp"
#include "testing/workload_rules.hpp"

#include <algorithm>

namespace sortile::bench::inline SORTILE_BACKEND {
namespace {

constexpr unsigned threads = 256;

template <class Word>
struct keys_kernel {
  static constexpr unsigned block_threads = threads;
  simt::global<Word> out;
  unsigned rule;
  testing::rules::recipe<Word> recipe;

  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < recipe.shape.n;
         i += stride) {
      const Word key = testing::rules::all::key(rule, recipe, i);
      const bool minus_zero = recipe.space.holds_floats() && key == recipe.space.sign();
      out[i] = minus_zero ? Word(key | 1) : key;
    }
  }
};

struct differences_kernel {
  static constexpr unsigned block_threads = threads;
  simt::global<const std::uint32_t> a, b;
  simt::global<std::uint64_t> differences;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      if (a.load(i) != b.load(i))
        differences.fetch_add(0, std::uint64_t{1});
  }
};

simt::launch_config blocks_for(std::uint64_t n) {
  constexpr std::uint64_t most = 1024;
  return {.grid = unsigned(std::clamp<std::uint64_t>(n / threads, 1, most))};
}

} // namespace
} // namespace sortile::bench::inline SORTILE_BACKEND

namespace sortile::bench::detail {

template <>
void fill_with_keys<simt::this_backend>(const simt::queue& q, void* out, const testing::workload& w,
                                        const testing::array_shape& shape) {
  testing::with_word(shape.type, [&]<class Word>(Word) {
    simt::launch(
        q, blocks_for(shape.n),
        keys_kernel<Word>{{static_cast<Word*>(out), shape.n}, w.rule(), testing::rules::recipe_of<Word>(w, shape)});
  });
}

template <>
void count_differences<simt::this_backend>(const simt::queue& q, const void* a, const void* b, std::size_t bytes,
                                           std::uint64_t* differences) {
  const std::uint64_t words = bytes / 4;
  simt::launch(q, blocks_for(words),
               differences_kernel{{static_cast<const std::uint32_t*>(a), words},
                                  {static_cast<const std::uint32_t*>(b), words},
                                  {differences, 1},
                                  words});
}

} // namespace sortile::bench::detail
