// The launches of a sort in one launch; instantiated for each key width (CMakeLists.txt).
#pragma once

#include "kernels/sample/sample_sort_kernel.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, bool Placed>
class sample_launcher {
 public:
  sample_launcher(const simt::queue& q, const typed_request<Word>& r)
      : q_(q), r_(r), at_(detail::sample_layout::of(r)) {}

  void launch() const {
    if (detail::in_one_block(r_))
      return simt::launch(q_, {.grid = 1}, kernel<false>());
    // Buckets of some hundred keys are sorted as fast as a thousand; more of them would need more drawn keys sorted.
    const std::uint64_t follows_n = std::min<std::uint64_t>((r_.n + most_useful - 1) / most_useful,
                                                            std::min(resident(q_), detail::sample_shape::most_buckets));
    simt::launch(q_, {.grid = r_.tuning.blocks != 0 ? r_.tuning.blocks : unsigned(follows_n), .cooperative = true},
                 kernel<true>());
  }
  static unsigned resident(const simt::queue& q) {
    return simt::resident_blocks<sample_sort_kernel<Word, Placed, true>>(q, {.cooperative = true});
  }

 private:
  static constexpr std::uint64_t most_useful = 512;

  template <class T>
  simt::global<T> part(std::size_t begin, std::size_t end) const {
    return {begin == end ? nullptr : reinterpret_cast<T*>(static_cast<char*>(r_.workspace) + begin),
            (end - begin) / sizeof(T)};
  }
  template <bool Grid>
  sample_sort_kernel<Word, Placed, Grid> kernel() const {
    const auto images = part<Word>(at_.images, at_.places);
    return {.in = {r_.keys_in, r_.n},
            .device_n = {r_.device_n, r_.device_n == nullptr ? 0u : 1u},
            .called = verdict::of(r_.verdict),
            .parts = part<std::uint16_t>(at_.parts, at_.agreed),
            .agreed = part<std::uint32_t>(at_.agreed, at_.images),
            .images = images,
            .places = part<std::uint32_t>(at_.places, at_.values),
            .output = {.keys_in = {r_.keys_in, r_.n},
                       .keys_out = {r_.keys_out, r_.keys_out == nullptr ? 0 : r_.n},
                       .values_in = r_.values_in,
                       .values_out = r_.values_out,
                       .waiting_keys = images,
                       .waiting_values = static_cast<char*>(r_.workspace) + at_.values,
                       .size = r_.n,
                       .codec = r_.codec,
                       .value_bytes = r_.value_bytes,
                       .make_indices = r_.make_indices,
                       .keys_wanted = r_.keys_out != nullptr,
                       .image_is_key = detail::image_is_key(r_.codec),
                       .keys_wait = detail::keys_wait(r_),
                       .values_wait = detail::values_wait(r_)},
            .codec = r_.codec,
            .bound = std::uint32_t(r_.n),
            .attempts = r_.tuning.attempts,
            .is_on_device = r_.device_n != nullptr};
  }

  const simt::queue& q_;
  const typed_request<Word>& r_;
  detail::sample_layout at_;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_SAMPLE_INSTANCE(WORD)                                                                                  \
  namespace sortile::kernels::detail {                                                                                 \
  template <>                                                                                                          \
  void launch_sample_sort<simt::this_backend>(const simt::queue& q, const typed_request<WORD>& r) {                    \
    if (needs_places(r))                                                                                               \
      sample_launcher<WORD, true>(q, r).launch();                                                                      \
    else                                                                                                               \
      sample_launcher<WORD, false>(q, r).launch();                                                                     \
  }                                                                                                                    \
  template <>                                                                                                          \
  unsigned resident_sample_blocks<simt::this_backend>(const simt::queue& q, const typed_request<WORD>& r) {            \
    return needs_places(r) ? sample_launcher<WORD, true>::resident(q) : sample_launcher<WORD, false>::resident(q);     \
  }                                                                                                                    \
  }
