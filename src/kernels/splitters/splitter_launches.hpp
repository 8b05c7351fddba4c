// Launches the steps of a sort between splitters, for one key width. Arrays, keys and values alike:
//
//   partitions   first: in → spare        second: spare → out        local: out, in place
//
// So the second partition puts buckets of one key where they belong. The output may be the input, which has been read
// by then; that the buckets fit is known before. Where the inputs are scratch they are the spare arrays:
//
//   partitions   first: in → out          second: out → in           local, and one-key buckets: in → out
//
// The input stays as it was until the buckets are known to fit. The list of launches depends on n alone.
//
// One launch divides the pairs; many of 128-bit keys take a launch for each split and each partition. The local steps
// are those of the sort of pairs, and one more for buckets that are larger.
#pragma once

#include "kernels/pairs/local_pairs_kernel.hpp"
#include "kernels/pairs/pair_arrays.hpp"
#include "kernels/splitters/divide_kernel.hpp"
#include "kernels/splitters/one_key_buckets_kernel.hpp"
#include "kernels/splitters/splitter_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value, class Image>
class splitter_sorter {
 public:
  splitter_sorter(const simt::queue& q, const typed_request<Word>& r, const partition_plan& plan)
      : q_(q), r_(r), plan_(plan), n_(std::uint32_t(r.n)), all_{r, detail::splitter_layout::of(plan, r)},
        image_(image_maker<Word>{r.codec}.template as<Image>()),
        common_(image_maker<Word>{r.codec}.template as<common_image<Word>>()) {
    chunks_ = std::min(plan.chunks(r.n), r.tuning.chunks);
    chunks_ = std::min(chunks_, most_chunks());
    constexpr std::uint64_t row = 128;
    share_ = std::uint32_t(((r.n + chunks_ - 1) / chunks_ + row - 1) / row * row);
  }

  void launch(unsigned step) const {
    each_step(step, steps, [this](unsigned i) { launch_step(i); });
  }

 private:
  static constexpr unsigned steps = 5;
  using at_once = divide_kernel<Word, Value, Image>;
  using split_kernel = split_segments_kernel<Word, Image>;
  using partition_kernel = typename at_once::partition;
  /// Whether a split for so many needs more samples than the kernel that does it all has room for.
  bool by_steps() const {
    using choice = typename at_once::split::choice_of_splitters;
    return samples() * (gives_uneven_away() ? 2 : 1) << plan_.first_bits > choice::most_samples;
  }
  std::uint32_t most_chunks() const {
    return by_steps() ? simt::resident_blocks<split_kernel>(q_, {.cooperative = true})
                      : simt::resident_blocks<at_once>(q_, {.cooperative = true});
  }
  using spread = key_spread<Word, Image>;
  using local_kernel = local_pairs_kernel<Word, Value, Image, local_step::between_splitters>;
  using large_kernel = local_pairs_kernel<Word, Value, Image, local_step::large_between_splitters>;
  /// Whether buckets that exceed the local step have launches of their own. Of half its share each hardly one does.
  bool takes_large_buckets() const { return r_.n > (partition_plan::bucket_keys / 2) << plan_.bits(); }
  /// Pairs of a bucket, of several keys, from which on another sort has to take them all.
  std::uint32_t most_of_a_bucket() const {
    return takes_large_buckets() ? 2 * large_kernel::capacity : local_kernel::capacity;
  }
  static_assert(sizeof(spread) <= detail::splitter_layout::bytes_of_spread<Word>);

  using all_arrays = pair_arrays<Word, Value, detail::splitter_layout>;
  using arrays = typename all_arrays::arrays;
  /// What one of the two partitions goes by.
  struct level {
    bool is_first;
    std::uint32_t segments;
    unsigned bits;
    std::size_t start, cuts;
    arrays from, to;
    std::uint32_t bins() const { return segments << bits; }
  };
  level first() const { return {true, 1, plan_.first_bits, at().coarse_start, at().coarse_cuts, all_.in(), between()}; }
  level second() const {
    return {false, plan_.coarse(), plan_.second_bits, at().start, at().cuts, between(), partitioned()};
  }

  void launch_step(unsigned step) const {
    if (step == steps - 1)
      return sort_buckets();
    if (by_steps())
      return divide_by(step);
    if (step == 0)
      simt::launch(q_, {.grid = chunks_, .cooperative = true},
                   at_once{{split_of<typename at_once::split>(first()), partition_of(first())},
                           {split_of<typename at_once::split>(second()), partition_of(second())}});
  }
  void divide_by(unsigned step) const {
    const level l = step < 2 ? first() : second();
    if (step % 2 == 0)
      simt::launch(q_, {.grid = chunks_, .cooperative = true}, split_kernel{split_of<typename split_kernel::split>(l)});
    else
      simt::launch(q_, {.grid = chunks_}, partition_of(l));
  }
  void sort_buckets() const {
    local();
    if (r_.input_is_scratch)
      one_key_buckets();
    if (!takes_large_buckets())
      return;
    if constexpr (large_kernel::capacity > local_kernel::capacity)
      local_large();
    largest();
  }

  const detail::splitter_layout& at() const { return all_.at; }
  simt::global<std::uint32_t> table(std::size_t offset, std::uint64_t size) const { return all_.table(offset, size); }
  pairs_gate gate() const { return {table(at().findings, pair_findings), verdict::of(r_.verdict), true}; }
  pair_bucket_list deferred() const {
    return {table(at().findings, pair_findings), table(at().deferred, plan_.bins())};
  }
  simt::global<std::uint32_t> start(const level& l) const { return table(l.start, l.bins() + 1); }
  simt::global<Word> cuts(const level& l) const { return all_.template table<Word>(l.cuts, l.bins()); }
  simt::global<std::uint32_t> fine(const level& l) const { return table(at().fine, std::uint64_t{chunks_} * l.bins()); }
  simt::global<std::uint32_t> most() const { return table(at().most, plan_.bins()); }
  simt::global<spread> spreads() const { return all_.template table<spread>(at().spreads, plan_.bins()); }

  bool is_first_sort() const { return r_.verdict.role == 0; }
  /// Integers alone have been asked for their digits when a map was drawn (key_scan/key_map_kernel.hpp).
  bool are_integers_alone() const { return value_size<Value> == 0 && r_.codec.infinity == 0; }
  bool asks_for_passes() const { return r_.leaves_to_passes && (is_first_sort() || !are_integers_alone()); }
  bool gives_uneven_away() const { return r_.leaves_to_passes && !is_first_sort() && value_size<Value> == 0; }
  template <class Split>
  typename Split::sample_for_passes passes(const level& l) const {
    const bool asks = l.is_first && asks_for_passes();
    const std::uint32_t blocks = asks ? std::min(chunks_, Split::sample_for_passes::most_blocks) : 0;
    return {.in = {r_.keys_in, r_.n},
            .seen = table(at().order, chunks_), // free until the keys are counted
            .image = common_,
            .n = n_,
            .blocks = blocks,
            .rare = Split::sample_for_passes::rare_of(r_.n, blocks),
            .asks_order = is_first_sort()};
  }
  std::uint32_t samples() const { return detail::splitter_samples / (takes_large_buckets() ? 1 : 2); }
  template <class Split>
  typename Split::choice_of_splitters choice(const level& l) const {
    return {.in = {l.from.keys, r_.n},
            .segment_start = start(first()),
            .segment_cuts = cuts(first()),
            .cuts = cuts(l),
            .spreads = spreads(),
            .most = most(),
            .image = image_,
            .n = n_,
            .capacity = most_of_a_bucket(),
            .samples_a_bucket = samples(),
            .bits = l.bits,
            .first_level = l.is_first,
            .asks_evenness = l.is_first && gives_uneven_away()};
  }
  template <class Split>
  typename Split::counts_of_shares shares(const level& l) const {
    return {.in = {l.from.keys, r_.n},
            .cuts = cuts(l),
            .fine = fine(l),
            .order = table(at().order, chunks_),
            .kept = kept(),
            .keeps = keeps(l),
            .segment_start = start(first()),
            .image = common_,
            .n = n_,
            .share = share_,
            .segments = l.segments,
            .bits = l.bits};
  }
  template <class Split>
  typename Split::places_of_shares places(const level& l) const {
    return {.fine = {fine(l), l.bins()},
            .coarse = {{}, 0},
            .order = table(at().order, chunks_),
            .count = table(at().count, l.bins()),
            .start = start(l),
            .most = most(),
            .most_each = !l.is_first,
            .n = n_,
            .rows = chunks_,
            .capacity = any_number};
  }
  template <class Split>
  Split split_of(const level& l) const {
    return {.passes = passes<Split>(l),
            .splitters = choice<Split>(l),
            .shares = shares<Split>(l),
            .tables = places<Split>(l),
            .gate = gate()};
  }
  partition_kernel partition_of(const level& l) const {
    return {
        .in = {l.from.keys, r_.n},
        .in_values = {l.from.values, r_.n},
        .out = {l.to.keys, r_.n},
        .out_values = {l.to.values, r_.n},
        .start = start(l),
        .before = fine(l),
        .source =
            {.cuts = cuts(l), .gate = gate(), .kept = kept(), .are_kept = keeps(l), .image = common_, .bits = l.bits},
        .shape = {.segments = l.segments,
                  .mask = (1u << l.bits) - 1,
                  .step = 1,
                  .row = l.bins(),
                  .shift = 0,
                  .chunks = chunks_,
                  .share = share_},
        .n = n_,
        .make_indices = l.is_first && r_.make_indices};
  }
  /// Until the second partition nobody writes to the output. Of its keys, the first bytes then say in which bucket of
  /// the first level each key is; unless it is the input, or has the pairs between the partitions.
  bool keeps(const level& l) const { return l.is_first && !r_.input_is_scratch && all_.out().keys != r_.keys_in; }
  simt::global<std::uint8_t> kept() const { return {reinterpret_cast<std::uint8_t*>(all_.out().keys), r_.n}; }
  /// Where the two partitions end.
  arrays between() const { return r_.input_is_scratch ? all_.out() : all_.spare(); }
  arrays partitioned() const { return r_.input_is_scratch ? all_.spare() : all_.out(); }
  void one_key_buckets() const {
    using kernel = one_key_buckets_kernel<Word, Value>;
    const arrays from = partitioned(), to = all_.out();
    simt::launch(q_, {.grid = simt::resident_blocks<kernel>(q_)},
                 kernel{.in = {from.keys, r_.n},
                        .in_values = {from.values, r_.n},
                        .out = {to.keys, r_.n},
                        .out_values = {to.values, r_.n},
                        .start = start(second()),
                        .most = most(),
                        .gate = gate(),
                        .n = n_,
                        .bins = plan_.bins()});
  }
  template <class Kernel>
  Kernel local_step_of() const {
    const arrays from = partitioned(), a = all_.out();
    return {.original = {r_.keys_in, r_.n},
            .original_values = {all_.in().values, r_.n},
            .in = {from.keys, r_.n},
            .in_values = {from.values, r_.n},
            .out = {a.keys, r_.n},
            .out_values = {a.values, r_.n},
            .start = start(second()),
            .spread = spreads(),
            .most = most(),
            .cuts = cuts(second()),
            .gate = gate(),
            .deferred = deferred(),
            .image = image_,
            .n = n_,
            .shift = 32 - Kernel::bin_bits,
            .make_indices = false,
            .may_map = false,
            .write_keys = r_.keys_out != nullptr,
            .copy_keys = false,
            .copy_values = false,
            .behind = handover::of(r_.verdict)};
  }
  void local() const { simt::launch(q_, {.grid = plan_.bins()}, local_step_of<local_kernel>()); }
  void local_large() const {
    simt::launch(q_, {.grid = std::min(plan_.bins(), simt::resident_blocks<large_kernel>(q_))},
                 local_step_of<large_kernel>());
  }
  /// What exceeds the local steps: a few buckets, if any.
  void largest() const {
    sort_deferred_buckets(q_, all_,
                          {.start = start(second()),
                           .gate = gate(),
                           .deferred = deferred(),
                           .bins = plan_.bins(),
                           .above = large_kernel::capacity,
                           .in_spare = r_.input_is_scratch});
  }

  const simt::queue& q_;
  const typed_request<Word>& r_;
  partition_plan plan_;
  std::uint32_t n_, chunks_ = 0, share_ = 0;
  all_arrays all_;
  Image image_;
  common_image<Word> common_;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
