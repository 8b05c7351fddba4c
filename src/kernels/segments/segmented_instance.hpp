// The launches of a sort within segments; instantiated for each key width (CMakeLists.txt).
#pragma once

#include "kernels/segments/block_kernel.hpp"
#include "kernels/segments/classify_kernel.hpp"
#include "kernels/segments/large_kernel.hpp"
#include "kernels/segments/transpose_kernel.hpp"
#include "kernels/send.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, segment_elements Elements>
class segmented_launcher {
  static constexpr bool placed = Elements == segment_elements::placed;

 public:
  segmented_launcher(const simt::queue& q, const segmented_sort_request<Word>& r)
      : q_(q), r_(r), at_(detail::segmented_layout::of(r)), transposes_(detail::is_transposed(r.where)),
        equal_(r.where.form == segment_form::strided), longest_(detail::longest_segment(r)) {}

  void launch() const {
    if (transposes_)
      transpose<true>();
    const bool lists = at_.makes_lists;
    if (at_.control_words > 0)
      simt::launch(q_, {.grid = 1}, segment_begin_kernel{control(), status(), r_.status != nullptr});
    if (lists || longest_ <= classes.tiny)
      classify(lists);
    if (partitions())
      simt::launch(q_, {.grid = simt::resident_blocks<large>(q_, {.cooperative = true}), .cooperative = true},
                   large_kernel());
    by_lanes(lists); // waits for the lists; the others stand beside each other
    by_blocks<0>(lists);
    by_blocks<1>(lists);
    by_blocks<2>(lists);
    by_blocks<3>(lists);
    if (transposes_)
      transpose<false>();
  }

 private:
  using partition = detail::segment_partition;
  using large = segment_large_kernel<Word, Elements>;
  static constexpr auto classes = detail::segment_classes::of(sizeof(Word), placed);

  bool partitions() const { return longest_ > classes.block(); }

  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(r_.workspace) + offset);
  }
  template <class T>
  simt::global<T> part(std::size_t offset, std::uint64_t size) const {
    return {size == 0 ? nullptr : at<T>(offset), size};
  }
  simt::global<std::uint32_t> control() const { return part<std::uint32_t>(at_.control, at_.control_words); }
  simt::global<std::uint32_t> status() const { return {r_.status, r_.status == nullptr ? 0u : 1u}; }
  segment_list list(std::size_t offset, std::uint64_t entries, unsigned counter) const {
    return {part<std::uint64_t>(offset, 2 * entries), control(), counter, std::uint32_t(entries)};
  }
  segment_list listed(unsigned c) const { return list(at_.lists[c], at_.entries[c], kernels::listed + c); }
  segment_list larges(unsigned level) const {
    return list(at_.large_lists + level * at_.larges * detail::segment_item_bytes, at_.larges, larges_found + level);
  }
  segment_lists lists() const {
    segment_lists all{.of = {}, .classes = classes};
    for (unsigned c = 0; c < detail::segment_classes::lists; ++c)
      all.of[c] = listed(c);
    return all;
  }

  /// Of the arrays that are sorted: the caller's, or transposed ones in the workspace.
  segment_reader where() const {
    segment_reader s = reader_of(r_.where, equal_ ? at_.elements : r_.n);
    if (transposes_)
      s.stride = r_.where.length;
    return s;
  }
  /// Elements of the arrays that the kernels sort in: rows may have gaps.
  std::uint64_t size() const { return transposes_ ? at_.elements : r_.n; }

  segment_arrays<Word> arrays() const {
    segment_arrays<Word> a;
    const std::uint64_t n = size();
    const bool wanted = r_.keys_out != nullptr, spare = partitions();
    Word* const transposed = at<Word>(at_.transposed_keys);
    a.in = {transposes_ ? transposed : r_.keys_in, n};
    a.out = {transposes_ ? transposed
             : wanted    ? r_.keys_out
             : spare     ? at<Word>(at_.more_keys)
                         : nullptr,
             transposes_ || wanted || spare ? n : 0};
    a.spare = part<Word>(at_.spare_keys, spare ? n : 0);
    a.values = values();
    a.codec = r_.codec;
    a.keys_wanted = wanted;
    a.in_place = transposes_ || r_.keys_in == r_.keys_out;
    const auto in_vectors = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
    a.vectors = transposes_ || (in_vectors(r_.keys_in) && in_vectors(r_.keys_out));
    return a;
  }
  value_arrays values() const {
    void* const transposed = at<void>(at_.transposed_values);
    return {.in = r_.make_indices || r_.value_bytes == 0 ? nullptr
                  : transposes_                          ? transposed
                                                         : r_.values_in,
            .spare = r_.value_bytes != 0 && partitions() ? at<void>(at_.spare_values) : nullptr,
            .out = r_.value_bytes == 0 ? nullptr
                   : transposes_       ? transposed
                                       : r_.values_out,
            .n = size(),
            .words = r_.value_bytes / 4,
            .make_indices = r_.make_indices};
  }

  template <class Kernel>
  unsigned blocks_for(std::uint64_t useful) const {
    return unsigned(std::max<std::uint64_t>(1, std::min<std::uint64_t>(useful, simt::resident_blocks<Kernel>(q_))));
  }

  void classify(bool lists_wanted) const {
    using kernel = segment_classify_kernel<Word, Elements>;
    simt::launch(
        q_, {.grid = blocks_for<kernel>((r_.where.count + kernel::block_threads - 1) / kernel::block_threads)},
        kernel{where(), arrays(), lists(), larges(0), control(), status(), r_.status != nullptr, lists_wanted});
  }
  large large_kernel() const {
    return {.arrays = arrays(),
            .lists = lists(),
            .even = larges(0),
            .odd = larges(1),
            .tables = {part<std::uint64_t>(at_.counts, at_.rows * partition::radix),
                       part<std::uint64_t>(at_.starts, at_.larges * partition::radix),
                       part<std::uint32_t>(at_.large_rows, at_.larges),
                       part<std::uint32_t>(at_.large_moves, at_.larges),
                       part<std::uint32_t>(at_.row_list, at_.rows * 2)},
            .ranges = part<Word>(at_.ranges, at_.larges * 2),
            .control = control(),
            .row_elements = at_.row_elements,
            .most_rows = std::uint32_t(at_.rows),
            .copies = !arrays().in_place};
  }
  segment_work work(unsigned c, bool from_list) const { return {listed(c), where(), from_list}; }
  /// Whether list c may have an entry; without lists all segments are taken as of one class, by the longest.
  bool has_work(unsigned c, bool from_list) const {
    return from_list ? at_.entries[c] > 0 : longest_ > classes.below(c) && longest_ <= classes.most[c];
  }
  std::uint64_t items(unsigned c, bool from_list) const { return from_list ? at_.entries[c] : r_.where.count; }

  void by_lanes(bool from_list) const {
    using kernel = segment_short_kernel<Word, Elements>;
    kernel k{.works = {}, .arrays = arrays()};
    std::uint64_t useful = 0;
    for (unsigned c = 0; c < detail::segment_classes::shorts; ++c)
      if (has_work(c, from_list)) {
        k.works[c] = work(c, from_list);
        k.wanted |= 1u << c;
        useful = std::max(useful, kernel::blocks_for(c, items(c, from_list)));
      }
    if (useful > 0)
      simt::launch(q_, {.grid = blocks_for<kernel>(useful)}, k);
  }
  template <unsigned Block>
  void by_blocks(bool from_list) const {
    constexpr unsigned c = detail::segment_classes::shorts + Block;
    if constexpr (classes.most[c] > classes.most[c - 1]) {
      using kernel = typename segment_kernel_of_block<Word, Elements, Block>::type;
      static_assert(kernel::capacity >= classes.most[c]);
      if (has_work(c, from_list))
        simt::launch(q_, {.grid = blocks_for<kernel>(items(c, from_list))},
                     kernel{work(c, from_list), arrays(), from_list});
    }
  }

  template <bool Gathers>
  void transpose() const {
    if (Gathers || r_.keys_out != nullptr)
      transpose_array<Word, Gathers>(r_.keys_in, r_.keys_out, at<Word>(at_.transposed_keys));
    if (r_.value_bytes == 0 || (Gathers && r_.make_indices))
      return;
    if (r_.value_bytes == 4)
      transpose_values<std::uint32_t, Gathers>();
    else if (r_.value_bytes == 8)
      transpose_values<std::uint64_t, Gathers>();
    else
      transpose_values<uint128, Gathers>();
  }
  template <class T, bool Gathers>
  void transpose_values() const {
    transpose_array<T, Gathers>(static_cast<const T*>(r_.values_in), static_cast<T*>(r_.values_out),
                                at<T>(at_.transposed_values));
  }
  template <class T, bool Gathers>
  void transpose_array(const T* in, T* out, T* rows) const {
    using kernel = segment_transpose_kernel<T, Gathers>;
    const segments& w = r_.where;
    const std::uint64_t tiles =
        (w.count + kernel::side - 1) / kernel::side * ((w.length + kernel::side - 1) / kernel::side);
    const std::uint64_t from = Gathers ? r_.n : at_.elements, to = Gathers ? at_.elements : r_.n;
    simt::launch(q_, {.grid = blocks_for<kernel>(tiles)},
                 kernel{{Gathers ? in : rows, from}, {Gathers ? rows : out, to}, w.count, w.length, w.stride, w.step});
  }

  const simt::queue& q_;
  const segmented_sort_request<Word>& r_;
  detail::segmented_layout at_;
  bool transposes_, equal_;
  std::uint64_t longest_;
};

template <class Word>
void launch_segmented_sort(const simt::queue& q, const segmented_sort_request<Word>& r) {
  using enum segment_elements;
  if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8)
    if (detail::segments_without_places(r))
      return r.codec.infinity != 0 ? segmented_launcher<Word, floats>(q, r).launch()
                                   : segmented_launcher<Word, integers>(q, r).launch();
  segmented_launcher<Word, placed>(q, r).launch();
}

} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_SEGMENTS_INSTANCE(WORD) SORTILE_LAUNCHES(WORD, segmented_sort_request, launch_segmented_sort)
