// Launches the steps of a sort of pairs; instantiated for each key width (CMakeLists.txt). Which arrays a step reads
// and writes, keys and values alike:
//
//   partitions   first        second       local, large
//   0                                      in   → out
//   1            in → spare                spare → out
//   2            in → out     out → spare  spare → out      in and out apart
//   2            in → spare   spare → out  out   → out      keys or values in place
//
// Where the inputs are scratch they serve as the spare arrays of the third line, and one partition goes in → out.
//
// Where sorted keys are not wanted, keys go to an array of the workspace for `out`. The list of launches depends on n
// alone, so that a captured graph can be replayed with other pairs.
//
// Kernels are instantiated by key width, value width and image: that of integers, or that of floats (pair_types.hpp).
#pragma once

#include "kernels/pairs/chunk_scan_kernel.hpp"
#include "kernels/pairs/local_pairs_kernel.hpp"
#include "kernels/pairs/pair_arrays.hpp"
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/pairs/spread_digits.hpp"
#include "kernels/pairs/stable_partition_kernel.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value, class Image>
class pair_sort {
 public:
  pair_sort(const simt::queue& q, const typed_request<Word>& r, const partition_plan& plan)
      : q_(q), r_(r), plan_(plan), n_(std::uint32_t(r.n)), all_{r, detail::sort_pairs_layout::of(plan, r)},
        image_(image_maker<Word>{r.codec}.template as<Image>()) {
    chunks_ = std::min(plan.chunks(r.n), r.tuning.chunks);
    if (plan.bins() > 1 && r.tuning.chunks == sort_tuning::follows_n)
      chunks_ = std::min(chunks_, simt::resident_blocks<partition_kernel>(q));
    if (!plan.in_one_block)
      chunks_ = std::min(chunks_, simt::resident_blocks<scan_kernel>(q, {.cooperative = true}));
    constexpr std::uint64_t row = 128; // chunks begin at sectors, and at the scan's vectors
    chunk_ = std::uint32_t(((r.n + chunks_ - 1) / chunks_ + row - 1) / row * row);
  }

  void launch(unsigned step) const {
    each_step(step, plan_.steps(), [this](unsigned i) { launch_step(i); });
  }

 private:
  static constexpr unsigned y_bits = 32;
  using digits = spread_digits<Word, Image>;
  using scan_kernel = chunk_scan_kernel<Word, Image>;
  using partition_kernel = stable_partition_kernel<Word, Value, digits>;
  using local_kernel = local_pairs_kernel<Word, Value, Image>;
  using large_local_kernel = local_pairs_kernel<Word, Value, Image, local_step::large_buckets>;

  using all_arrays = pair_arrays<Word, Value, detail::sort_pairs_layout>;
  using arrays = typename all_arrays::arrays;

  void launch_step(unsigned step) const {
    if (plan_.in_one_block)
      local<local_step::one_block>(all_.in(), 1);
    else if (step == 0)
      scan();
    else if (step > plan_.partitions())
      sort_buckets(after(plan_.partitions()));
    else if (step == 1)
      partition(all_.in(), after(1), table(at().coarse, chunks_ * plan_.coarse()),
                {1, plan_.coarse() - 1, plan_.fine(), plan_.coarse(), y_bits - plan_.first_bits, chunks_, chunk_},
                r_.make_indices);
    else
      partition(after(1), after(2), fine(),
                {plan_.coarse(), plan_.fine() - 1, 1, plan_.bins(), y_bits - plan_.bits(), chunks_,
                 (n_ + chunks_ - 1) / chunks_},
                false);
  }
  void sort_buckets(const arrays& now) const {
    local<local_step::buckets>(now, plan_.bins());
    if (takes_large_buckets())
      local<local_step::large_buckets>(now, std::min(plan_.bins(), simt::resident_blocks<large_local_kernel>(q_)));
    if (!r_.may_fall_back())
      large(now.keys == all_.spare().keys);
  }
  /// Where the pairs are after so many partitions.
  arrays after(unsigned partitions) const {
    const bool inputs_stay = plan_.second_bits == 0 && !r_.input_is_scratch;
    return (partitions == 1) == (inputs_stay || r_.in_place()) ? all_.spare() : all_.out();
  }

  const detail::sort_pairs_layout& at() const { return all_.at; }
  simt::global<std::uint32_t> table(std::size_t offset, std::uint64_t size) const { return all_.table(offset, size); }

  simt::global<std::uint32_t> findings() const { return table(at().findings, pair_findings); }
  simt::global<std::uint32_t> start() const { return table(at().start, plan_.bins() + 1); }
  simt::global<std::uint32_t> count() const { return table(at().count, plan_.bins()); }
  simt::global<std::uint32_t> fine() const { return table(at().fine, std::uint64_t{chunks_} * plan_.bins()); }
  simt::global<std::uint32_t> order() const { return table(at().order, chunks_); }
  pair_bucket_list deferred() const { return {findings(), table(at().deferred, plan_.bins())}; }
  pairs_gate gate() const {
    return {findings(), verdict::of(r_.verdict), limits().judges() || repeats().each != 0};
  }
  using spread = key_spread<Word, Image>;
  static_assert(sizeof(spread) <= 32);
  simt::global<spread> spreads() const {
    return all_.template table<spread>(at().spread, may_map() ? plan_.bins() + 1 : 1);
  }
  using numbers = map_numbers<Word, Image>;
  bool may_map() const { return detail::maps_pairs(plan_, r_); }
  simt::global<std::uint32_t> map() const { return table(at().map, may_map() ? numbers::map::words : 0); }
  simt::global<std::uint32_t> cells() const {
    return table(at().cells, may_map() ? detail::pair_map_rows * numbers::map::cells / 2 : 0);
  }
  unsigned map_sample_bits() const { return may_map() ? r_.tuning.map_sample_bits(r_.n) : 0; }
  using sample = typename scan_kernel::spread_finder::sample;
  /// By what samples are judged. Before a map is drawn, buckets should fit the local step.
  sample limits(bool of_map = false) const {
    const std::uint32_t most = may_map() && !of_map ? local_kernel::capacity : most_of_a_bucket();
    auto s = sample::of(r_.n, plan_.bits(), most, most);
    if (!r_.may_fall_back() || (r_.n < r_.tuning.sample_from && !may_map()))
      s.limit = 0;
    s.in_order_too = r_.fallback_sees_order;
    s.equal_too = r_.passes_follow();
    s.pairs_limit = 0; // each of the scan's blocks would ask, which takes longer than it saves
    return s;
  }
  /// Whether keys of few values are quicker sorted by passes.
  repeated_samples<scan_kernel::block_threads> repeats() const {
    const bool asks = sizeof(Word) == 4 && r_.fallback_sees_order && r_.n >= r_.tuning.repeats_from;
    return asks ? repeated_samples<scan_kernel::block_threads>::of(r_.n)
                : repeated_samples<scan_kernel::block_threads>{};
  }
  bool takes_large_buckets() const {
    return may_map() || (sizeof(Word) == 4 && value_size<Value> != 0 && r_.may_fall_back() && plan_.second_bits != 0 &&
                         r_.n >= r_.tuning.large_buckets_from);
  }
  /// Pairs of a bucket from which on another sort, or large_pairs_kernel, has to take it.
  std::uint32_t most_of_a_bucket() const {
    return takes_large_buckets() ? large_local_kernel::capacity : local_kernel::capacity;
  }
  /// With fewer values, and another sort to take them, buckets are not worth making.
  std::uint32_t fewest_values() const { return r_.may_fall_back() ? n_ / local_kernel::pairs_a_value : 0; }
  /// Whether keys that hardly repeat and that no map spreads, as those dense at every scale, are sorted by passes where
  /// others go between splitters: these take longer with them (second-sort-in-one-launch.txt).
  bool passes_take_uneven() const {
    constexpr std::uint64_t alone = std::uint64_t{1} << 25, with_4_bytes = std::uint64_t{1} << 24;
    return sizeof(Word) == 8 && value_size<Value> <= 4 && r_.n < (value_size<Value> == 0 ? alone : with_4_bytes);
  }
  /// One partition is short enough for each block to find its places by itself.
  bool makes_own_tables() const { return plan_.second_bits == 0; }
  own_tables tables_of_blocks() const {
    return {.counts = fine(),
            .order = order(),
            .start = start(),
            .gate = gate(),
            .n = n_,
            .bins = plan_.bins(),
            .rows = chunks_,
            .capacity = most_of_a_bucket(),
            .made_here = makes_own_tables()};
  }

  chunk_counts<Word, Image> counts() const {
    return {.in = {r_.keys_in, r_.n},
            .fine = fine(),
            .coarse = table(at().coarse, chunks_ * plan_.coarse()),
            .order = order(),
            .start = start(),
            .image = image_,
            .n = n_,
            .chunk = chunk_,
            .bins = plan_.bins(),
            .fine_bins = plan_.fine(),
            .shift = y_bits - plan_.bits(),
            .two_levels = !makes_own_tables()};
  }
  typename scan_kernel::map_of_keys drawn_map() const {
    return {.in = {r_.keys_in, r_.n},
            .spreads = spreads(),
            .cells = cells(),
            .map = map(),
            .limits = limits(true),
            .n = n_,
            .bins = plan_.bins(),
            .shift = y_bits - plan_.bits(),
            .sample_bits = map_sample_bits()};
  }
  typename scan_kernel::places_of_chunks places() const {
    return {.fine = {fine(), plan_.bins()},
            .coarse = {table(at().coarse, chunks_ * plan_.coarse()), plan_.coarse()},
            .order = order(),
            .count = count(),
            .start = start(),
            .most = {},
            .most_each = false,
            .n = n_,
            .rows = chunks_,
            .capacity = most_of_a_bucket()};
  }
  void scan() const {
    simt::launch(q_, {.grid = chunks_, .cooperative = true},
                 scan_kernel{.chunk = counts(),
                             .gate = gate(),
                             .drawn = drawn_map(),
                             .tables = places(),
                             .limits = limits(),
                             .repeats = repeats(),
                             .fewest = fewest_values(),
                             .uneven_to_passes = passes_take_uneven(),
                             .uneven_bits_to_passes = value_size<Value> == 0 || passes_take_uneven()});
  }

  void partition(const arrays& from, const arrays& to, const simt::global<std::uint32_t>& before,
                 const stable_shape& shape, bool make_indices) const {
    simt::launch(q_, {.grid = chunks_},
                 partition_kernel{.in = {from.keys, r_.n},
                                  .in_values = {from.values, r_.n},
                                  .out = {to.keys, r_.n},
                                  .out_values = {to.values, r_.n},
                                  .start = start(),
                                  .before = before,
                                  .source = {.coarse = table(at().coarse, chunks_ * plan_.coarse()),
                                             .tables = tables_of_blocks(),
                                             .spread = spreads(),
                                             .map = map(),
                                             .gate = gate(),
                                             .image = image_,
                                             .may_map = may_map()},
                                  .shape = shape,
                                  .n = n_,
                                  .make_indices = make_indices});
  }

  template <local_step Step>
  void local(const arrays& from, unsigned blocks) const {
    using kernel = local_pairs_kernel<Word, Value, Image, Step>;
    simt::launch(q_, {.grid = blocks},
                 kernel{.original = {r_.keys_in, r_.n},
                        .original_values = {all_.in().values, r_.n},
                        .in = {from.keys, r_.n},
                        .in_values = {from.values, r_.n},
                        .out = {all_.out().keys, r_.n},
                        .out_values = {all_.out().values, r_.n},
                        .start = start(),
                        .spread = spreads(),
                        .most = {},
                        .cuts = {},
                        .gate = gate(),
                        .deferred = deferred(),
                        .image = image_,
                        .n = n_,
                        .shift = y_bits - plan_.bits() - kernel::bin_bits,
                        .make_indices = r_.make_indices,
                        .may_map = may_map(),
                        .write_keys = r_.keys_out != nullptr,
                        .copy_keys = r_.keys_out != nullptr && r_.keys_out != r_.keys_in,
                        .copy_values = r_.values_out != r_.values_in,
                        .behind = handover::of(r_.verdict)});
  }
  void large(bool in_spare) const {
    sort_deferred_buckets(q_, all_,
                          {.start = start(),
                           .gate = gate(),
                           .deferred = deferred(),
                           .bins = plan_.bins(),
                           .above = 0,
                           .in_spare = in_spare});
  }

  const simt::queue& q_;
  const typed_request<Word>& r_;
  partition_plan plan_;
  std::uint32_t n_, chunks_ = 0, chunk_ = 0; // chunk_: pairs a chunk
  all_arrays all_;
  Image image_;
};

template <class Word>
void launch_pairs(const simt::queue& q, const typed_request<Word>& r, const partition_plan& plan, unsigned step) {
  if (r.n != 0 || r.may_fall_back())
    by_value_and_image(r, [&]<class Value, class Image>(const Value*, const Image*) {
      pair_sort<Word, Value, Image>(q, r, plan).launch(step);
    });
}

} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_SORT_PAIRS_INSTANCE(WORD)                                                                              \
  namespace sortile::kernels::detail {                                                                                 \
  template <>                                                                                                          \
  void launch_sort_pairs<simt::this_backend>(const simt::queue& q, const typed_request<WORD>& request,                 \
                                             const partition_plan& plan, unsigned step) {                              \
    launch_pairs(q, request, plan, step);                                                                              \
  }                                                                                                                    \
  }
