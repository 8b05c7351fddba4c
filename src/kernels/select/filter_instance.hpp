// The launches of the filter; instantiated for each key width (CMakeLists.txt).
#pragma once

#include "kernels/select/filter_kernel.hpp"
#include "kernels/select/filter_pivot_kernels.hpp"
#include "kernels/select/finish_kernel.hpp"
#include "kernels/send.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
class filter_launcher {
 public:
  filter_launcher(const simt::queue& q, const filter_request<Word>& r)
      : q_(q), r_(r), shape_(sizeof(Word), r.n), space_(static_cast<char*>(r.workspace)) {}

  void launch() const {
    const auto sample = filter_sample::of(sizeof(Word), r_.n, r_.k);
    const std::uint64_t cleared = (shape_.bytes - shape_.histograms) / 8;
    using sampler = sample_smallest_kernel<Word>;
    simt::launch(q_, {.grid = unsigned((sample.keys() + sampler::block_threads - 1) / sampler::block_threads)},
                 sampler{.keys = {r_.keys, r_.n},
                         .smallest = {at<Word>(shape_.smallest), sample.groups},
                         .cleared = {at<std::uint64_t>(shape_.histograms), cleared},
                         .n = r_.n,
                         .cleared_words = cleared,
                         .groups = sample.groups,
                         .each = sample.each,
                         .codec = r_.codec});
    simt::launch(q_, {.grid = 1},
                 choose_pivot_kernel<Word>{.smallest = {at<Word>(shape_.smallest), sample.groups},
                                           .pivot = state().pivot,
                                           .groups = sample.groups,
                                           .rank = sample.rank,
                                           .bits = r_.codec.bits});
    simt::launch(q_, {.grid = shape_.tiles}, filter_kernel<Word>{arrays(), chain(), state(), shape_.tiles});
    launch_finish();
  }

 private:
  using tile = typename filter_kernel<Word>::tile;

  void launch_finish() const {
    using finish = finish_kernel<Word>;
    const auto tiles = std::uint32_t((r_.n + finish::tile::tile_keys - 1) / finish::tile::tile_keys);
    const unsigned resident = simt::resident_blocks<finish>(q_, {.cooperative = true});
    const std::uint64_t rows = r_.finishes ? r_.capacity / simt::warp_size : 0; // of candidates, which a block ranks
    const std::uint64_t k = r_.finishes ? r_.k : 0;
    simt::launch(q_,
                 {.grid = unsigned(std::min<std::uint64_t>(resident, std::max<std::uint64_t>(tiles, rows))),
                  .cooperative = true},
                 finish{.arrays = arrays(),
                        .chain = chain(),
                        .state = state(),
                        .histograms = {at<std::uint64_t>(shape_.histograms), (shape_.chain - shape_.histograms) / 8},
                        .tiles = tiles,
                        .finishes = r_.finishes,
                        .keys_out = {r_.result.keys, r_.result.keys == nullptr ? 0 : k},
                        .positions_out = number_array::of(r_.result.positions, k, r_.result.position_bytes),
                        .writes_keys = r_.result.keys != nullptr,
                        .limits = row_limits::of(r_.result.results, 1)});
  }

  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(space_ + offset);
  }
  filter_state<Word> state() const {
    return {{at<Word>(shape_.state), 1}, {at<std::uint64_t>(shape_.state + 16), 1}, {r_.count, 1}};
  }
  typename tile::chain chain() const { return {space_ + shape_.chain, shape_.tiles}; }

  typename tile::arrays arrays() const {
    const auto positions = [this](void* data, std::uint64_t count) {
      return number_array::of(data, count, r_.position_bytes);
    };
    return {.keys = {r_.keys, r_.n},
            .candidates = {r_.candidates, r_.capacity},
            .equals = {r_.equals, r_.k},
            .positions = positions(r_.positions, r_.capacity),
            .equal_positions = positions(r_.equal_positions, r_.k),
            .n = r_.n,
            .capacity = r_.capacity,
            .k = r_.k,
            .codec = r_.codec,
            .vectors_allowed = reinterpret_cast<std::uintptr_t>(r_.keys) % 16 == 0};
  }

  const simt::queue& q_;
  const filter_request<Word>& r_;
  detail::filter_shape shape_;
  char* space_;
};

template <class Word>
void launch_filter(const simt::queue& q, const filter_request<Word>& r) {
  filter_launcher<Word>(q, r).launch();
}

template <class Word>
void launch_write_first(const simt::queue& q, const write_first_request<Word>& r) {
  using kernel = write_first_kernel<Word>;
  constexpr std::uint64_t most_blocks = 1024;
  const std::uint64_t blocks = (r.k + kernel::block_threads - 1) / kernel::block_threads;
  const auto positions = [&r](const void* data) { return const_number_array::of(data, r.k, r.position_bytes); };
  simt::launch(q, {.grid = unsigned(std::min(blocks, most_blocks))},
               kernel{.count = {r.count, 1},
                      .candidates = {r.candidates, r.k},
                      .equals = {r.equals, r.k},
                      .keys_out = {r.result.keys, r.result.keys == nullptr ? 0 : r.k},
                      .positions = positions(r.positions),
                      .equal_positions = positions(r.equal_positions),
                      .positions_out = number_array::of(r.result.positions, r.k, r.result.position_bytes),
                      .k = r.k,
                      .writes_keys = r.result.keys != nullptr,
                      .limits = row_limits::of(r.result.results, 1)});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_FILTER_INSTANCE(WORD)                                                                                  \
  SORTILE_LAUNCHES(WORD, filter_request, launch_filter)                                                                \
  SORTILE_LAUNCHES(WORD, write_first_request, launch_write_first)
