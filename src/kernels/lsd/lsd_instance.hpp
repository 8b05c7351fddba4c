// The list of launches of an LSD sort; instantiated for each key width (CMakeLists.txt).
#pragma once

#include "kernels/clear_words.hpp"
#include "kernels/lsd/lsd_copy_kernel.hpp"
#include "kernels/lsd/lsd_pass_kernel.hpp"
#include "kernels/lsd/lsd_scan_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, unsigned ValueBytes>
class lsd_launcher {
 public:
  lsd_launcher(const simt::queue& q, const typed_request<Word>& r, const detail::lsd_plan& plan)
      : q_(q), r_(r), plan_(plan), at_(detail::lay_out_lsd(r, plan)) {}

  void launch(unsigned step) const {
    if (step == all_steps && r_.verdict.role != 0)
      return launch_as_fallback();
    each_step(step, plan_.steps(), [this](unsigned i) { launch_step(i); });
  }

 private:
  /// Mostly in vain: in few launches.
  void launch_as_fallback() const {
    launch_step(0);
    pass(0, plan_.passes);
    copy_home();
  }
  void launch_step(unsigned step) const {
    if (step == 0) {
      if (r_.verdict.zeroed == nullptr)
        clear(q_, r_.workspace, at_.portions); // the scan zeroes the words of the passes' look-back
      if (plan_.passes != 0)
        scan_keys();
      return;
    }
    pass(step - 1, step);
    if (step == plan_.passes)
      copy_home();
  }
  void copy_home() const {
    if (may_end_elsewhere(keys().route) || may_end_elsewhere(values().route))
      copy();
  }

  using value_type = typename lsd_value<ValueBytes>::type;

  template <class T>
  simt::global<T> part(std::size_t offset, std::uint64_t size) const {
    return {size == 0 ? nullptr : reinterpret_cast<T*>(static_cast<char*>(r_.workspace) + offset), size};
  }
  simt::global<std::uint64_t> findings() const { return part<std::uint64_t>(at_.findings, lsd_findings_size); }
  simt::global<std::uint64_t> counts() const {
    return part<std::uint64_t>(at_.counts, std::uint64_t{plan_.passes} * plan_.radix);
  }
  value_table<Word> values_counted() const {
    const unsigned slots = passes().counts_values() ? value_table<Word>::places::all_slots : 0;
    return {.images = part<Word>(at_.value_images, slots),
            .counts = part<std::uint64_t>(at_.value_counts, slots),
            .values = part<std::uint64_t>(at_.findings + lsd_different * sizeof(std::uint64_t), 1)};
  }
  lsd_passes passes() const {
    return {plan_.passes, plan_.digit_bits, plan_.few, plan_.most_apart, plan_.part, r_.keys_in == r_.keys_out};
  }
  lsd_count count() const {
    return {.bound = r_.n,
            .on_device = {r_.device_n, r_.device_n == nullptr ? 0u : 1u},
            .is_on_device = r_.device_n != nullptr,
            .called = verdict::of(r_.verdict)};
  }

  lsd_arrays<Word> keys() const {
    const bool in_place = r_.keys_in == r_.keys_out, scratch = r_.input_is_scratch && !in_place;
    lsd_arrays<Word> a{.in = {r_.keys_in, r_.n}, .out = {r_.keys_out, r_.n}, .spare = {}, .route = {}};
    if (r_.keys_out == nullptr)
      a.out = part<Word>(at_.more_keys, needs_more_keys(r_, plan_) ? r_.n : 0);
    a.spare = scratch ? simt::global<Word>(const_cast<Word*>(r_.keys_in), r_.n)
                      : part<Word>(at_.keys, needs_spare_keys(r_, plan_) ? r_.n : 0);
    a.route = in_place ? lsd_route::starts_in_spare : scratch ? lsd_route::starts_in_output : lsd_route::ends_in_output;
    return a;
  }
  lsd_arrays<value_type> values() const {
    lsd_arrays<value_type> a{.in = {}, .out = {}, .spare = {}, .route = lsd_route::ends_in_output};
    if constexpr (ValueBytes != 0) {
      auto* const in = static_cast<value_type*>(const_cast<void*>(r_.values_in));
      const bool in_place = !r_.make_indices && r_.values_in == r_.values_out;
      const bool scratch = r_.input_is_scratch && !r_.make_indices && !in_place;
      a.in = {in, r_.make_indices ? 0 : r_.n};
      a.out = {static_cast<value_type*>(r_.values_out), r_.n};
      a.spare = scratch ? simt::global<value_type>(in, r_.n)
                        : part<value_type>(at_.values, needs_spare_values(r_, plan_) ? r_.n : 0);
      a.route = in_place  ? lsd_route::starts_in_spare
                : scratch ? lsd_route::starts_in_output
                          : lsd_route::ends_in_output;
    }
    return a;
  }
  static bool may_end_elsewhere(lsd_route route) { return route != lsd_route::ends_in_output; }
  static bool both_aligned(const void* a, const void* b) {
    return reinterpret_cast<std::uintptr_t>(a) % 16 == 0 && reinterpret_cast<std::uintptr_t>(b) % 16 == 0;
  }

  using scan_kernel = lsd_scan_kernel<Word>;
  /// Blocks that the scan can use; enough of them that none overflows its 32-bit counters. An eighth of a stretch is no
  /// block's alone: of so few keys it would name other usual digits than the others (keys_apart.hpp).
  std::uint64_t scan_blocks() const {
    constexpr std::uint64_t stretch =
        std::uint64_t{scan_kernel::block_threads} * scan_kernel::in_flight * scan_kernel::vector;
    const std::uint64_t resident = simt::resident_blocks<scan_kernel>(q_);
    return std::max(std::min(resident, std::max<std::uint64_t>((r_.n + stretch - stretch / 8) / stretch, 1)),
                    (r_.n >> 31) + 1);
  }
  scan_kernel scan_arguments() const {
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(r_.keys_in) % 16;
    const std::uint64_t looked_back_by = (at_.keys - at_.portions) / sizeof(std::uint64_t);
    return {.keys = {r_.keys_in, r_.n},
            .count = count(),
            .lead = std::uint32_t(offset == 0 ? 0 : (16 - offset) / sizeof(Word)),
            .codec = r_.codec,
            .passes = passes(),
            .counts = counts(),
            .findings = findings(),
            .values = values_counted(),
            .others = plan_.part ? keys().parted() : simt::global<Word>{},
            .zeroed = part<std::uint64_t>(at_.portions, looked_back_by),
            .zeroed_words = looked_back_by,
            .ties_rise = r_.value_bytes != 0 || r_.codec.infinity != 0 || r_.codec.bits != 8 * sizeof(Word)};
  }
  void scan_keys() const { simt::launch(q_, {.grid = unsigned(scan_blocks())}, scan_arguments()); }

  template <class Kernel>
  Kernel pass_kernel(unsigned begin, unsigned end) const {
    return {
        {.keys = keys(),
         .values = values(),
         .count = count(),
         .passes = passes(),
         .codec = r_.codec,
         .findings = findings(),
         .counts = counts(),
         .counted = values_counted(),
         .tickets = part<std::uint32_t>(at_.tickets, plan_.most_passes),
         .finished = part<std::uint32_t>(at_.finished, plan_.most_passes),
         .earlier = {.status = part<std::uint32_t>(at_.status, std::uint64_t{plan_.tiles} * plan_.radix),
                     .portions = part<std::uint64_t>(at_.portions, std::uint64_t{plan_.portions() - 1} * plan_.radix),
                     .portion_tiles = plan_.portion_tiles},
         .begin = begin,
         .end = end,
         .wants = {.keys = r_.keys_out != nullptr,
                   .make_indices = r_.make_indices,
                   .copy_keys = r_.keys_out != nullptr && r_.keys_out != r_.keys_in,
                   .copy_values = !r_.make_indices && r_.values_out != r_.values_in,
                   .key_vectors = both_aligned(r_.keys_in, r_.keys_out),
                   .value_vectors = both_aligned(r_.values_in, r_.values_out),
                   .output_vectors = both_aligned(r_.keys_out, r_.keys_out)}}};
  }
  /// The passes [begin, end), in one launch.
  void pass(unsigned begin, unsigned end) const {
    if (plan_.shape == lsd_tiles::small)
      return pass_by<lsd_tiles::small>(begin, end);
    if constexpr (detail::lsd_has_broad_tiles<Word>(ValueBytes))
      if (plan_.shape == lsd_tiles::broad)
        return pass_by<lsd_tiles::broad>(begin, end);
    if constexpr (detail::lsd_has_middle_tiles<Word>)
      if (plan_.shape == lsd_tiles::middle)
        return pass_by<lsd_tiles::middle>(begin, end);
    pass_by<lsd_tiles::large>(begin, end);
  }
  template <lsd_tiles Tiles>
  void pass_by(unsigned begin, unsigned end) const {
    using kernel = lsd_pass_kernel<Word, ValueBytes, Tiles>;
    constexpr bool may_rank = ValueBytes != 0 && detail::lsd_values::of_width<Word>;
    if constexpr (may_rank && !kernel::may_rank)
      if (begin == 0 && passes().counts_values())
        launch_passes<lsd_pass_kernel<Word, ValueBytes, Tiles, lsd_passes_by::ranks>>(0,
                                                                                      value_ranks<Word>::most_passes);
    launch_passes<kernel>(begin, end);
  }
  template <class Kernel>
  void launch_passes(unsigned begin, unsigned end) const {
    simt::launch(q_, {.grid = std::min(plan_.tiles, simt::resident_blocks<Kernel>(q_))},
                 pass_kernel<Kernel>(begin, end));
  }

  lsd_copy_kernel<Word, ValueBytes> copy_kernel() const {
    const auto k = keys();
    const auto v = values();
    return {.keys = k,
            .values = v,
            .count = count(),
            .passes = passes(),
            .findings = findings(),
            .keys_wanted = r_.keys_out != nullptr,
            .key_vectors = both_aligned(k.spare.data(), k.out.data()),
            .value_vectors = both_aligned(v.spare.data(), v.out.data())};
  }
  void copy() const {
    using kernel = lsd_copy_kernel<Word, ValueBytes>;
    const auto useful = (r_.n * std::max<std::uint64_t>(sizeof(Word), ValueBytes) + 16 * kernel::block_threads - 1) /
                        (16 * kernel::block_threads);
    simt::launch(q_, {.grid = unsigned(std::min<std::uint64_t>(useful, simt::resident_blocks<kernel>(q_)))},
                 copy_kernel());
  }

  const simt::queue& q_;
  const typed_request<Word>& r_;
  detail::lsd_plan plan_;
  detail::lsd_layout at_;
};

template <class Word>
void launch_lsd(const simt::queue& q, const typed_request<Word>& r, const detail::lsd_plan& plan, unsigned step) {
  switch (r.value_bytes) {
  case 0:
    return lsd_launcher<Word, 0>(q, r, plan).launch(step);
  case 4:
    return lsd_launcher<Word, 4>(q, r, plan).launch(step);
  case 8:
    return lsd_launcher<Word, 8>(q, r, plan).launch(step);
  default:
    return lsd_launcher<Word, 16>(q, r, plan).launch(step);
  }
}

} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_LSD_INSTANCE(WORD)                                                                                     \
  namespace sortile::kernels::detail {                                                                                 \
  template <>                                                                                                          \
  void launch_lsd_sort<simt::this_backend>(const simt::queue& q, const typed_request<WORD>& r, const lsd_plan& plan,   \
                                           unsigned step) {                                                            \
    launch_lsd(q, r, plan, step);                                                                                      \
  }                                                                                                                    \
  }
