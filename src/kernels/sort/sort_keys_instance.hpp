// The list of launches of a sort of keys; instantiated for each key width (CMakeLists.txt). Which array a step reads
// and writes:
//
//   partitions   first        second       local and deferred
//   0                                      in   → out
//   1            in → spare                spare → out
//   2            in → out     out → spare  spare → out      in and out apart
//   2            in → spare   spare → out  out   → out      in place
//
// Where the input is scratch it serves as the spare array of the second line, and one partition goes in → out.
//
// The list of launches depends on n alone, so that a captured graph can be replayed with other keys. Floats
// (float_image.hpp) are sorted where buckets are counted, so there are many of them: their instance has neither a sort
// in one block nor small tiles.
#pragma once

#include "kernels/key_scan/key_map_kernel.hpp"
#include "kernels/key_scan/key_scan_kernel.hpp"
#include "kernels/key_scan/window_kernel.hpp"
#include "kernels/local/heavy_kernel.hpp"
#include "kernels/local/large_sort_kernel.hpp"
#include "kernels/local/one_block_sort_kernel.hpp"
#include "kernels/local/refined_sort_kernel.hpp"
#include "kernels/skewed/few_values_sort_kernel.hpp"
#include "kernels/skewed/fill_giants_kernel.hpp"
#include "kernels/skewed/four_bit_sort_kernel.hpp"
#include "kernels/skewed/medium_sort_kernel.hpp"
#include "kernels/sort/sort_keys.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Word, class Image = integer_image<Word>>
class key_sort {
 public:
  key_sort(const simt::queue& q, const typed_request<Word>& r, const partition_plan& plan)
      : q_(q), r_(r), plan_(plan), n_(std::uint32_t(r.n)),
        at_(detail::sort_keys_layout::of(plan, r)), image_{flip_of(r.codec)} {}

  void launch(unsigned step) const {
    each_step(step, plan_.steps(), [this](unsigned i) { launch_step(i); });
  }

 private:
  void launch_step(unsigned step) const {
    if constexpr (!floats)
      if (plan_.in_one_block)
        return in_one_block();
    if (step == 0)
      scan();
    else if (step > plan_.partitions())
      local(after(plan_.partitions()));
    else if (step == 1)
      partition(r_.keys_in, after(1), coarse_rings(),
                {1, plan_.coarse() - 1, plan_.fine(), spread - plan_.first_bits, 1});
    else
      partition(after(1), after(2), fine_rings(), {plan_.coarse(), plan_.fine() - 1, 1, spread - plan_.bits(), 1});
  }
  void scan() const {
    choose_window();
    if constexpr (may_map)
      if (maps())
        draw_map();
    scan_keys(false);
    if (plan_.counts)
      scan_keys(true);
    if (!scan_makes_tables())
      make_tables();
  }
  /// Where the keys are after so many partitions.
  Word* after(unsigned partitions) const {
    if (partitions == 0)
      return const_cast<Word*>(r_.keys_in);
    const bool input_stays = plan_.second_bits == 0 && !r_.input_is_scratch;
    const bool first_in_spare = input_stays || r_.keys_in == r_.keys_out;
    return (partitions == 1) == first_in_spare ? spare() : r_.keys_out;
  }

  static constexpr unsigned width = 8 * sizeof(Word), spread = key_window<Word>::spread_bits;
  static constexpr bool floats = Image::of_floats, may_map = key_map<Word>::exists && !floats;

  /// Unfolding a float takes care of its sign.
  static Word flip_of(const key_codec<Word>& codec) {
    return floats ? codec.complement : Word(codec.sign ^ codec.complement);
  }

  template <class T>
  T* part(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(r_.workspace) + offset);
  }
  simt::global<std::uint32_t> table(std::size_t offset, std::uint32_t size) const {
    return {part<std::uint32_t>(offset), size};
  }
  simt::global<std::uint64_t> findings() const {
    static_assert(finding_words * sizeof(std::uint64_t) <= detail::sort_keys_layout::finding_bytes);
    return {part<std::uint64_t>(at_.findings), finding_words};
  }
  simt::global<std::uint32_t> start() const { return table(at_.start, plan_.bins() + 1); }
  bucket_rings coarse_rings() const {
    return {table(at_.coarse_next, plan_.coarse()), table(at_.coarse_left, plan_.coarse())};
  }
  bucket_rings fine_rings() const { return {table(at_.fine_next, plan_.bins()), table(at_.fine_left, plan_.bins())}; }
  bucket_list deferred() const { return {findings(), table(at_.deferred, plan_.bins())}; }
  Word* spare() const { return r_.input_is_scratch ? const_cast<Word*>(r_.keys_in) : part<Word>(at_.keys); }
  bool maps() const { return may_map && detail::sort_keys_layout::maps(plan_, r_); }
  bool parts_heavy() const { return may_map && detail::sort_keys_layout::parts_heavy(plan_, r_); }
  static constexpr unsigned cells = key_map<Word>::cells, map_words = key_map<Word>::words;
  simt::global<const std::uint32_t> map() const { return {part<std::uint32_t>(at_.map), maps() ? map_words : 0}; }
  simt::global<Word> first() const { return {part<Word>(at_.first), maps() ? plan_.bins() : 0}; }
  simt::global<key_window<Word>> window() const { return {part<key_window<Word>>(at_.window), 1}; }
  /// Because of skew. Floats may be given away in any case: there may be a −0 or a NaN.
  bool may_leave() const { return r_.may_fall_back() && !plan_.counts; }
  /// Buckets that several blocks count, or heavy ones of a map.
  giant_list giants() const {
    static_assert(giant_list::room <= detail::sort_keys_layout::least_giant);
    if (parts_heavy())
      return heavy_list();
    if (!plan_.counts)
      return {};
    const auto most = std::uint32_t(detail::sort_keys_layout::most_giants(r_.n, r_.tuning.giant_from)) + 1;
    return {table(at_.giants, most), table(at_.giants + std::size_t{most} * 4, most),
            table(at_.giants + std::size_t{most} * 8, most), r_.tuning.giant_from};
  }

  giant_list heavy_list() const {
    constexpr std::uint32_t least = detail::sort_keys_layout::least_heavy;
    static_assert(!key_map<Word>::parts_heavy || least == large_sort_kernel<Word>::held + 1);
    const std::uint32_t room = heavy_room();
    return {table(at_.giants, room), table(at_.giants + std::size_t{room} * 4, room),
            table(at_.giants + std::size_t{room} * 8, room), least};
  }
  std::uint32_t heavy_room() const { return std::uint32_t(detail::sort_keys_layout::heavy_room(r_.n)); }
  /// Keys below and above the value of each heavy bucket: counters.
  simt::global<std::uint32_t> below() const { return table(at_.heavy, parts_heavy() ? heavy_room() : 0); }
  simt::global<std::uint32_t> above() const {
    return table(at_.heavy + std::size_t{heavy_room()} * 4, parts_heavy() ? heavy_room() : 0);
  }
  heavy_buckets<Word, Image> heavy(const Word* from) const {
    if (!parts_heavy())
      return {};
    return {.list = heavy_list(),
            .below = below(),
            .above = above(),
            .value = {part<Word>(at_.heavy + std::size_t{heavy_room()} * 8), heavy_room()},
            .in = {from, r_.n},
            .out = {r_.keys_out, r_.n},
            .spare = {spare(), r_.n},
            .start = start(),
            .findings = findings(),
            .window = window(),
            .image = image_,
            .bins = plan_.bins()};
  }

  /// Many samples take 5 µs longer than few, and see smaller clusters.
  bool samples_many() const { return r_.n >= r_.tuning.many_samples_from; }
  bool asks_samples() const { return r_.may_fall_back() && r_.n >= r_.tuning.sample_from; }
  skew_limits limits() const {
    using few = typename window_kernel<Word, Image>::few;
    using many = typename window_kernel<Word, Image>::many;
    if (!asks_samples())
      return {};
    if (plan_.counts)
      return {.equal_too = r_.passes_follow()};
    skew_limits found = samples_many() ? skew_limits(many::of(r_.n, plan_.bits(), most_for_one_block, fitting))
                                       : skew_limits(few::of(r_.n, plan_.bits(), most_for_one_block, fitting));
    found.equal_too = r_.passes_follow();
    found.repeats_too = sizeof(Word) == 4 && r_.passes_follow() && r_.n >= r_.tuning.repeats_from;
    found.uneven_limit = !maps()          ? 0
                         : samples_many() ? many::uneven_from(r_.n, plan_.bits(), fitting)
                                          : few::uneven_from(r_.n, plan_.bits(), fitting);
    return found;
  }

  void in_one_block() const {
    using kernel = one_block_sort_kernel<Word>;
    static_assert(partition_plan::one_block_keys<Word> == kernel::capacity);
    simt::launch(q_, {.grid = 1},
                 kernel{.in = {r_.keys_in, r_.n},
                        .out = {r_.keys_out, r_.n},
                        .image = image_,
                        .n = n_,
                        .copy_if_sorted = r_.keys_in != r_.keys_out});
  }
  void choose_window() const {
    using kernel = window_kernel<Word, Image>;
    const std::uint64_t words = at_.start / sizeof(std::uint64_t);
    constexpr std::uint64_t words_a_block = 4 * kernel::block_threads;
    simt::launch(q_, {.grid = unsigned((words + words_a_block - 1) / words_a_block)},
                 kernel{.in = {r_.keys_in, r_.n},
                        .zeroed = {part<std::uint64_t>(0), words},
                        .zeroed_words = words,
                        .window = window(),
                        .findings = findings(),
                        .told = verdict::of(r_.verdict),
                        .image = image_,
                        .limits = limits(),
                        .n = n_,
                        .bins = plan_.bins(),
                        .samples_many = samples_many(),
                        .may_map = maps(),
                        .few_alone = plan_.counts && asks_samples()});
  }
  void draw_map() const {
    using kernel = key_map_kernel<Word, Image>;
    static_assert(cells == detail::sort_keys_layout::map_cells(width));
    const unsigned sample_bits = r_.tuning.map_sample_bits(r_.n);
    simt::launch(q_, {.grid = kernel::blocks(sample_bits, simt::resident_blocks<kernel>(q_))},
                 kernel{.in = {r_.keys_in, r_.n},
                        .window = window(),
                        .cells = table(at_.cells, cells + width / 32),
                        .words = {part<std::uint32_t>(at_.map), map_words},
                        .findings = findings(),
                        .told = verdict::of(r_.verdict),
                        .image = image_,
                        .limits = kernel::sample::of(r_.n, plan_.bits(), most_for_one_block, fitting),
                        .n = n_,
                        .sample_bits = sample_bits});
  }
  void scan_keys(bool second) const {
    using kernel = key_scan_kernel<Word, Image>;
    constexpr std::uint64_t stretch = std::uint64_t{kernel::block_threads} * kernel::in_flight * kernel::vector;
    const auto useful = (r_.n + stretch - 1) / stretch;
    simt::launch(q_, {.grid = unsigned(std::min<std::uint64_t>(useful, simt::resident_blocks<kernel>(q_)))},
                 kernel{.in = {r_.keys_in, r_.n},
                        .count = table(second ? at_.deferred : at_.count, plan_.bins()),
                        .findings = findings(),
                        .window = window(),
                        .map = map(),
                        .first_images = first(),
                        .image = image_,
                        .n = n_,
                        .bits = plan_.bits(),
                        .may_spread = may_leave() || plan_.counts,
                        .second = second,
                        .first_count = table(at_.count, plan_.bins()),
                        .tables = tables(),
                        .makes_tables = scan_makes_tables()});
  }
  using tables_of_buckets = bucket_tables<Word, Image>;
  bool scan_makes_tables() const { return plan_.bins() <= tables_of_buckets::block_threads; }
  tables_of_buckets tables() const {
    return {.first_count = table(at_.count, plan_.bins()),
            .second_count = table(at_.deferred, plan_.bins()),
            .start = start(),
            .coarse = coarse_rings(),
            .fine_rings = fine_rings(),
            .findings = findings(),
            .window = window(),
            .giants = giants(),
            .below = below(),
            .above = above(),
            .told = verdict::of(r_.verdict),
            .n = n_,
            .bins = plan_.bins(),
            .fine = plan_.fine(),
            .granule = partition_kernel<Word, tile_size::large>::granule,
            .fitting = fitting,
            .held = large_sort_kernel<Word>::held,
            .most = most_for_one_block,
            .may_leave = may_leave()};
  }
  void make_tables() const {
    constexpr unsigned each = tables_of_buckets::block_threads;
    simt::launch(q_, {.grid = (plan_.bins() + each - 1) / each},
                 bucket_tables_kernel<Word, Image>{tables(), floats || asks_samples()});
  }

  /// Keys of a bucket that the local step takes.
  static constexpr std::uint32_t fitting = local_sort_kernel<Word>::capacity;
  /// Where a bucket has more keys, a sort with a fallback gives the keys away.
  static constexpr std::uint32_t most_for_one_block = 4 * fitting;
  /// Large tiles from this many bytes of keys on.
  static constexpr std::uint64_t large_tiles_bytes = std::uint64_t{1} << (sizeof(Word) == 4 ? 29 : 28);

  /// Not where a map may spread keys of 32 bits: large tiles have no registers for it, whatever is asked for.
  bool in_large_tiles() const {
    if (maps() && !partition_kernel<Word, tile_size::large, Image>::maps)
      return false;
    return r_.tuning.tiles == partition_tiles::follow_n ? r_.n * sizeof(Word) >= large_tiles_bytes
                                                        : r_.tuning.tiles == partition_tiles::large;
  }
  void partition(const Word* from, Word* to, const bucket_rings& rings, const partition_shape& shape) const {
    if constexpr (!floats) {
      if (plan_.first_bits > partition_plan::most_bits_at_once)
        return partition_by<tile_size::wide>(from, to, rings, shape);
      if (!in_large_tiles())
        return partition_by<tile_size::small>(from, to, rings, shape);
    }
    partition_by<tile_size::large>(from, to, rings, shape);
  }
  template <tile_size Size>
  void partition_by(const Word* from, Word* to, const bucket_rings& rings, partition_shape shape) const {
    using kernel = partition_kernel<Word, Size, Image>;
    const auto tiles = (r_.n + kernel::tile_keys - 1) / kernel::tile_keys;
    const unsigned resident = simt::resident_blocks<kernel>(q_);
    // Neighbouring tiles of one segment, where every block gets several chunks of them.
    shape.chunk = shape.segments > 1 && tiles >= std::uint64_t{16} * resident ? 4 : 1;
    simt::launch(q_, {.grid = unsigned(std::min<std::uint64_t>(tiles + shape.segments, resident))},
                 kernel{.in = {from, r_.n},
                        .out = {to, r_.n},
                        .start = start(),
                        .rings = rings,
                        .findings = findings(),
                        .window = window(),
                        .map = map(),
                        .image = image_,
                        .shape = shape,
                        .n = n_,
                        .bins = plan_.bins()});
  }
  template <class Tuning>
  local_sort_kernel<Word, Tuning, Image> local_step(const Word* from) const {
    return {.original = {r_.keys_in, r_.n},
            .in = {from, r_.n},
            .out = {r_.keys_out, r_.n},
            .start = start(),
            .deferred = deferred(),
            .window = window(),
            .image = image_,
            .n = n_,
            .bits = plan_.bits(),
            .copy_if_sorted = r_.keys_in != r_.keys_out,
            .giants = giants(),
            .counts_giants = plan_.counts,
            .counters = {from == r_.keys_out ? spare() : r_.keys_out, r_.n},
            .first_images = first(),
            .many_deferred = refines() ? plan_.bins() / 8 : ~0u};
  }
  void local(const Word* from) const {
    simt::launch(q_, {.grid = plan_.bins()}, local_step<local_sort_tuning<Word>>(from));
    if constexpr (!floats)
      if (!plan_.counts)
        return sort_large(from);
    sort_skewed(from);
  }
  /// Of fewer keys, a launch in vain would cost more than finer bins are worth.
  bool refines() const { return !floats && !plan_.counts && r_.n * sizeof(Word) >= r_.tuning.refined_bytes_from; }
  void sort_refined(const Word* from) const {
    using kernel = refined_sort_kernel<Word>;
    simt::launch(q_, {.grid = std::min(plan_.bins(), simt::resident_blocks<kernel>(q_))},
                 kernel{local_step<refining_tuning<Word>>(from)});
  }
  void sort_large(const Word* from) const {
    if (refines())
      sort_refined(from);
    if constexpr (may_map && key_map<Word>::parts_heavy)
      if (parts_heavy())
        sort_heavy(from);
    using large = large_sort_kernel<Word>;
    simt::launch(q_, {.grid = std::min(plan_.bins(), simt::resident_blocks<large>(q_))},
                 large{.in = {from, r_.n},
                       .out = {r_.keys_out, r_.n},
                       .spare = {spare(), r_.n},
                       .start = start(),
                       .deferred = deferred(),
                       .image = image_,
                       .below = width,
                       .behind = handover::of(r_.verdict)});
  }
  void sort_heavy(const Word* from) const {
    using kernel = heavy_kernel<Word, Image>;
    simt::launch(q_, {.grid = simt::resident_blocks<kernel>(q_, {.cooperative = true}), .cooperative = true},
                 kernel{heavy(from), deferred()});
  }
  void sort_skewed(const Word* from) const {
    if constexpr (sizeof(Word) == 4) {
      const unsigned blocks = simt::resident_blocks<count_skewed_kernel<Image>>(q_);
      const skewed_arrays<Image> at{.in = {from, r_.n},
                                    .out = {r_.keys_out, r_.n},
                                    .spare = {spare(), r_.n},
                                    .start = start(),
                                    .deferred = deferred(),
                                    .giants = giants(),
                                    .window = window(),
                                    .image = image_,
                                    .bits = plan_.bits(),
                                    .shares = blocks};
      using medium = medium_sort_kernel<Image>;
      simt::launch(q_, {.grid = simt::resident_blocks<medium>(q_)}, medium{at, n_});
      using four_bit = four_bit_sort_kernel<Image>;
      simt::launch(q_, {.grid = simt::resident_blocks<four_bit>(q_)}, four_bit{at, n_});
      using few_values = few_values_sort_kernel<Image>;
      simt::launch(q_, {.grid = simt::resident_blocks<few_values>(q_)}, few_values{at, n_});
      using tails = sort_tails_kernel<Image>;
      simt::launch(q_, {.grid = simt::resident_blocks<tails>(q_)}, tails{at});
      simt::launch(q_, {.grid = blocks}, count_skewed_kernel<Image>{at});
      simt::launch(q_, {.grid = blocks}, fill_giants_kernel<Image>{at, handover::of(r_.verdict)});
    }
  }

  const simt::queue& q_;
  const typed_request<Word>& r_;
  partition_plan plan_;
  std::uint32_t n_;
  detail::sort_keys_layout at_;
  Image image_;
};

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

#define SORTILE_SORT_KEYS_INSTANCE(WORD)                                                                               \
  namespace sortile::kernels::detail {                                                                                 \
  template <>                                                                                                          \
  void launch_sort_keys<simt::this_backend>(const simt::queue& q, const typed_request<WORD>& request,                  \
                                            const partition_plan& plan, unsigned step) {                               \
    key_sort<WORD>(q, request, plan).launch(step);                                                                     \
  }                                                                                                                    \
  }
