// The launches of a search for ranks; instantiated for each key width (CMakeLists.txt).
#pragma once

#include "kernels/ranks/find_ranks_kernel.hpp"
#include "kernels/ranks/write_found_kernel.hpp"
#include "kernels/send.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
class find_ranks_launcher {
 public:
  find_ranks_launcher(const simt::queue& q, const find_ranks_request<Word>& r)
      : q_(q), r_(r), plan_(*r.plan), images_(ambiguous_images(r.codec, plan_)), layout_(sizeof(Word), images_),
        space_(static_cast<char*>(r.workspace)) {}

  void launch(detail::ranks_step step) const {
    switch (step) {
    case detail::ranks_step::draw_sample:
      return draw_sample();
    case detail::ranks_step::gather_brackets:
      return gather();
    case detail::ranks_step::write_found:
      return write_found();
    }
  }

 private:
  void draw_sample() const {
    begin_ranks_kernel<Word> begin{.state = state(), .ranks = {}, .brackets = {}};
    std::copy(plan_.ranks.begin(), plan_.ranks.end(), begin.ranks);
    for (std::size_t i = 0; i < plan_.brackets.size(); ++i) {
      begin.brackets[2 * i] = plan_.brackets[i].low;
      begin.brackets[2 * i + 1] = plan_.brackets[i].high;
    }
    simt::launch(q_, {.grid = 1}, begin);
    using kernel = draw_sample_kernel<Word>;
    const std::uint64_t blocks = (plan_.sample + kernel::block_threads - 1) / kernel::block_threads;
    simt::launch(q_, {.grid = unsigned(blocks)},
                 kernel{{r_.keys, r_.n}, {r_.sample, plan_.sample}, r_.n, plan_.sample});
  }

  void gather() const {
    const auto ends = std::uint32_t(2 * plan_.brackets.size());
    simt::launch(q_, {.grid = 1}, choose_cuts_kernel<Word>{{r_.sample, plan_.sample}, state(), ends});
    if (plan_.brackets.size() == 1)
      read<true>();
    else
      read<false>();
    using settle = settle_ranks_kernel<Word>;
    const unsigned resident = simt::resident_blocks<settle>(q_, {.cooperative = true});
    simt::launch(q_, {.grid = at_most(resident, settle::reader::tile_keys), .cooperative = true},
                 settle{arrays(), state()});
  }

  void write_found() const {
    simt::launch(q_, {.grid = 1},
                 write_found_kernel<Word>{.gathered = {r_.gathered, plan_.capacity},
                                          .found = {r_.found, plan_.ranks.size()},
                                          .state = state(),
                                          .wants_before = images_ > 0});
    if (images_ == 0)
      return;
    using choose = choose_equal_kernel<Word>;
    constexpr unsigned most_blocks = detail::find_ranks_layout::most_units / choose::warps;
    const unsigned resident = std::min(most_blocks, simt::resident_blocks<choose>(q_, {.cooperative = true}));
    simt::launch(q_, {.grid = at_most(resident, choose::at_once * choose::block_threads), .cooperative = true},
                 choose{.keys = {r_.keys, r_.n},
                        .found = {r_.found, plan_.ranks.size()},
                        .of_units = {reinterpret_cast<std::uint32_t*>(space_ + layout_.of_units),
                                     std::uint64_t{images_} * detail::find_ranks_layout::most_units},
                        .state = state()});
  }

  using limits = detail::find_ranks_layout;

  template <bool OneBracket>
  void read() const {
    using kernel = read_ranks_kernel<Word, OneBracket>;
    simt::launch(q_, {.grid = at_most(simt::resident_blocks<kernel>(q_), kernel::reader::tile_keys)},
                 kernel{arrays(), state()});
  }
  unsigned at_most(unsigned resident, std::uint64_t block_keys) const {
    return unsigned(std::min<std::uint64_t>(resident, (r_.n + block_keys - 1) / block_keys));
  }

  ranks_arrays<Word> arrays() const {
    return {.keys = {r_.keys, r_.n},
            .gathered = {r_.gathered, plan_.capacity},
            .vectors_allowed = reinterpret_cast<std::uintptr_t>(r_.keys) % 16 == 0};
  }
  template <class T>
  simt::global<T> at(std::size_t offset, std::uint64_t items) const {
    return {reinterpret_cast<T*>(space_ + offset), items};
  }
  ranks_state<Word> state() const {
    return {.wanted = at<std::uint64_t>(layout_.wanted, limits::ranks),
            .brackets = at<std::uint32_t>(layout_.brackets, 2 * limits::ranks),
            .cuts = at<Word>(layout_.cuts_at, limits::cuts),
            .shape = at<std::uint32_t>(layout_.shape, 5),
            .counts = at<std::uint64_t>(layout_.counts, limits::regions),
            .reserved = at<std::uint64_t>(layout_.reserved, 1),
            .count = {r_.count, 1},
            .first = at<Word>(layout_.first, limits::ranks),
            .last = at<Word>(layout_.last, limits::ranks),
            .below = at<std::uint64_t>(layout_.below, limits::ranks),
            .upto = at<std::uint64_t>(layout_.upto, limits::ranks),
            .place = at<std::uint64_t>(layout_.place, limits::ranks),
            .image = at<Word>(layout_.image, limits::ranks),
            .before = at<std::uint64_t>(layout_.before, limits::ranks),
            .n = r_.n,
            .capacity = plan_.capacity,
            .ranks = std::uint32_t(plan_.ranks.size()),
            .codec = r_.codec};
  }

  const simt::queue& q_;
  const find_ranks_request<Word>& r_;
  const ranks_plan& plan_;
  unsigned images_;
  detail::find_ranks_layout layout_;
  char* space_;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_FIND_RANKS_INSTANCE(WORD)                                                                              \
  namespace sortile::kernels {                                                                                         \
  template <>                                                                                                          \
  void detail::launch_request<simt::this_backend>(const simt::queue& q, const find_ranks_request<WORD>& r,             \
                                                  detail::ranks_step step) {                                           \
    find_ranks_launcher<WORD>(q, r).launch(step);                                                                      \
  }                                                                                                                    \
  }
