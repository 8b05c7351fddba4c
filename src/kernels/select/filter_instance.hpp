// The launches of the filter for one key width; included by the .cu files.
#pragma once

#include "kernels/clear_words.hpp"
#include "kernels/select/filter_kernel.hpp"
#include "primitives/sample_ranks.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Position>
class filter_launcher {
 public:
  filter_launcher(const simt::queue& q, const filter_request<Word>& r)
      : q_(q), r_(r), shape_(sizeof(Word), r.n), space_(static_cast<char*>(r.workspace)) {}

  void launch() const {
    clear(q_, space_ + shape_.histograms, shape_.bytes - shape_.histograms);
    const std::uint64_t m = filter_sample(sizeof(Word), r_.n);
    simt::launch(q_, {.grid = 1},
                 choose_pivot_kernel<Word>{.keys = {r_.keys, r_.n},
                                           .pivot = state().pivot,
                                           .n = r_.n,
                                           .sample_keys = std::uint32_t(m),
                                           .rank = std::uint32_t(primitives::sample_rank_behind(r_.k, r_.n, m)),
                                           .codec = r_.codec});
    simt::launch(q_, {.grid = shape_.tiles}, filter_kernel<Word, Position>{arrays(), chain(), state(), shape_.tiles});
    using again = filter_again_kernel<Word, Position>;
    const unsigned resident = simt::resident_blocks<again>(q_, {.cooperative = true});
    simt::launch(q_, {.grid = std::min(resident, shape_.tiles), .cooperative = true},
                 again{arrays(), chain(), state(), histograms(), shape_.tiles});
  }

 private:
  using tile = typename filter_kernel<Word, Position>::tile;

  filter_state<Word> state() const {
    char* const at = space_ + shape_.state;
    return {{reinterpret_cast<Word*>(at), 1}, {reinterpret_cast<std::uint64_t*>(at + 16), 1}, {r_.count, 1}};
  }
  simt::global<std::uint64_t> histograms() const {
    return {reinterpret_cast<std::uint64_t*>(space_ + shape_.histograms), (shape_.chain - shape_.histograms) / 8};
  }
  typename tile::chain chain() const { return {space_ + shape_.chain, shape_.tiles}; }

  typename tile::arrays arrays() const {
    using position = typename tile::position;
    const auto positions = [](void* at, std::uint64_t count) {
      return simt::global<position>{static_cast<position*>(at), tile::placed ? count : 0};
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
void launch_filter_of(const simt::queue& q, const filter_request<Word>& r) {
  if (r.position_bytes == 0)
    filter_launcher<Word, void>(q, r).launch();
  else if (r.position_bytes == 4)
    filter_launcher<Word, std::uint32_t>(q, r).launch();
  else
    filter_launcher<Word, std::uint64_t>(q, r).launch();
}

template <class Word, class Position, class Index>
void launch_write_as(const simt::queue& q, const write_first_request<Word>& r) {
  using kernel = write_first_kernel<Word, Position, Index>;
  using position = typename kernel::position;
  using index = typename kernel::index;
  constexpr std::uint64_t most_blocks = 1024;
  const std::uint64_t blocks = (r.k + kernel::block_threads - 1) / kernel::block_threads;
  const std::uint64_t bound = kernel::placed ? r.k : 0;
  simt::launch(q, {.grid = unsigned(std::min(blocks, most_blocks))},
               kernel{.count = {r.count, 1},
                      .candidates = {r.candidates, r.k},
                      .equals = {r.equals, r.k},
                      .keys_out = {r.keys_out, r.keys_out == nullptr ? 0 : r.k},
                      .positions = {static_cast<const position*>(r.positions), bound},
                      .equal_positions = {static_cast<const position*>(r.equal_positions), bound},
                      .positions_out = {static_cast<index*>(r.positions_out), bound},
                      .k = r.k,
                      .writes_keys = r.keys_out != nullptr});
}

template <class Word>
void launch_write_of(const simt::queue& q, const write_first_request<Word>& r) {
  if (r.position_bytes == 0)
    launch_write_as<Word, void, void>(q, r);
  else if (r.position_bytes == 8)
    launch_write_as<Word, std::uint64_t, std::uint64_t>(q, r);
  else if (r.position_out_bytes == 8)
    launch_write_as<Word, std::uint32_t, std::uint64_t>(q, r);
  else
    launch_write_as<Word, std::uint32_t, std::uint32_t>(q, r);
}

} // namespace sortile::kernels::inline SORTILE_BACKEND

/// In namespace sortile::kernels::detail.
#define SORTILE_FILTER_LAUNCHES(WORD)                                                                                  \
  template <>                                                                                                          \
  void launch_filter<simt::this_backend, WORD>(const simt::queue& q, const filter_request<WORD>& r) {                  \
    launch_filter_of(q, r);                                                                                            \
  }                                                                                                                    \
  template <>                                                                                                          \
  void launch_write_first<simt::this_backend, WORD>(const simt::queue& q, const write_first_request<WORD>& r) {        \
    launch_write_of(q, r);                                                                                             \
  }
