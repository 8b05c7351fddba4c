// Groups of equal keys: a sort, then one read of the sorted keys that counts where new groups begin, and one that
// writes what is wanted of each.
//
//   sorted    2 2 2 5 7 7       positions travel along where anything but keys and counts is wanted
//   begins    1 0 0 1 1 0       a key whose image differs from the one before it
//   group     0 0 0 1 2 2       each piece of the array counts its beginnings; the sum over the pieces before it is the
//                               number of its first group
#include "cpu/groups.hpp"

#include "cpu/cpu_engine.hpp"
#include "cpu/key_image.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "plan/group_bytes.hpp"
#include "plan/nowhere.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

namespace sortile::cpu {

namespace {

constexpr std::size_t groups_least_piece = std::size_t{1} << 15; // keys
constexpr std::size_t groups_told_piece = std::size_t{1} << 16;  // keys, where progress is told
constexpr double share_of_the_sort = 0.6;                        // of the whole

template <class K, class Index>
class grouper {
 public:
  /// `progress` counts every key twice.
  grouper(const groups_request& r, const options& opts, unsigned threads, progress_meter& progress)
      : request_(r), image_(key_image<K>(r.type, opts.order, opts.bits).exactly()), threads_(threads),
        progress_(progress), pieces_(r.n < 2 * groups_least_piece ? 1
                                     : progress.is_told() ? std::max(std::size_t{4} * threads, r.n / groups_told_piece)
                                                          : std::size_t{4} * threads) {}

  /// `sorted` keys; `order` their positions, or null.
  std::size_t run(const K* sorted, const Index* order) const {
    call_vector<std::size_t> first_group(pieces_ + 1);
    for_each_task(threads_, pieces_, &progress_, [&](unsigned, std::size_t piece) {
      std::size_t begins = 0;
      for (std::size_t i = begin(piece); i < begin(piece + 1); ++i)
        begins += is_begin(sorted, i);
      first_group[piece + 1] = begins;
      progress_.add(begin(piece + 1) - begin(piece));
    });
    for (std::size_t piece = 0; piece < pieces_; ++piece)
      first_group[piece + 1] += first_group[piece];
    const std::size_t groups = first_group[pieces_];
    call_vector<ends> begins(pieces_);
    for_each_task(threads_, pieces_, &progress_, [&](unsigned, std::size_t piece) {
      begins[piece] = write(sorted, order, piece, first_group[piece]);
      progress_.add(begin(piece + 1) - begin(piece));
    });
    progress_.finish();
    if (request_.counts != nullptr)
      close_counts(first_group, begins);
    if (request_.offsets != nullptr)
      static_cast<Index*>(request_.offsets)[groups] = static_cast<Index>(request_.n);
    return groups;
  }

 private:
  /// Where the first and the last group begin of those that begin in a piece.
  struct ends {
    std::size_t first = 0, last = 0;
  };

  std::size_t begin(std::size_t piece) const { return part_begin(request_.n, pieces_, piece); }

  bool is_begin(const K* sorted, std::size_t i) const {
    return i == 0 || image_.ordering(sorted[i]) != image_.ordering(sorted[i - 1]);
  }

  /// Of the groups that begin in the piece, which go from number `group` up; the count of the last one is not known
  /// yet.
  ends write(const K* sorted, const Index* order, std::size_t piece, std::size_t group) const {
    auto* const keys_out = static_cast<K*>(request_.keys_out);
    auto *const first = static_cast<Index*>(request_.first), *const counts = static_cast<Index*>(request_.counts);
    auto *const offsets = static_cast<Index*>(request_.offsets), *const inverse = static_cast<Index*>(request_.inverse);
    ends begins;
    const std::size_t before = group;
    for (std::size_t i = begin(piece); i < begin(piece + 1); ++i) {
      if (is_begin(sorted, i)) {
        if (group == before)
          begins.first = i;
        else if (counts != nullptr)
          counts[group - 1] = static_cast<Index>(i - begins.last);
        if (keys_out != nullptr)
          keys_out[group] = sorted[i];
        if (first != nullptr)
          first[group] = order[i];
        if (offsets != nullptr)
          offsets[group] = static_cast<Index>(i);
        begins.last = i;
        ++group;
      }
      if (inverse != nullptr)
        inverse[order[i]] = static_cast<Index>(group - 1);
    }
    return begins;
  }

  /// The last group of each piece ends where the next group begins, perhaps several pieces further on.
  void close_counts(const call_vector<std::size_t>& first_group, const call_vector<ends>& begins) const {
    auto* const counts = static_cast<Index*>(request_.counts);
    std::size_t next = request_.n;
    for (std::size_t piece = pieces_; piece-- > 0;)
      if (first_group[piece + 1] > first_group[piece]) {
        counts[first_group[piece + 1] - 1] = static_cast<Index>(next - begins[piece].last);
        next = begins[piece].first;
      }
  }

  const groups_request& request_;
  key_image<K> image_;
  unsigned threads_;
  progress_meter& progress_;
  std::size_t pieces_;
};

/// `order`: where positions of the keys go, or null.
sort_request sort_of(const groups_request& r, void* sorted, void* order) {
  sort_request sort{.type = r.type, .n = r.n, .keys_in = r.keys, .keys_out = sorted};
  if (order != nullptr) {
    sort.carries = payload::indices;
    sort.value_bytes = r.index_bytes;
    sort.values_out = order;
  }
  return sort;
}

options options_of_sort(const options& opts) {
  options of_sort;
  of_sort.order = opts.order;
  of_sort.bits = opts.bits;
  return of_sort;
}

void sort_keys(const groups_request& r, const options& opts, unsigned threads, void* sorted, void* order) {
  const sort_request sort = sort_of(r, sorted, order);
  const options of_sort = options_of_sort(opts);
  const scratch space(cpu_engine().workspace_used(sort, of_sort, threads), "the workspace of a sort of groups");
  const std::function<bool(double)> told = progress_of_step(opts.progress, 0, share_of_the_sort);
  cpu_engine().run(sort, of_sort, {threads, space.bytes(), told ? &told : nullptr});
}

template <class K>
std::size_t groups_of(const groups_request& r, const options& opts, unsigned threads) {
  const scratch sorted(r.n * sizeof(K), "the sorted keys of groups");
  const scratch positions(needs_order(r) && r.order == nullptr ? r.n * r.index_bytes : 0, "the positions of groups");
  void* const order = !needs_order(r) ? nullptr : r.order != nullptr ? r.order : positions.bytes().data();
  sort_keys(r, opts, threads, sorted.bytes().data(), order);
  const auto* const keys = reinterpret_cast<const K*>(sorted.bytes().data());
  const std::function<bool(double)> told = progress_of_step(opts.progress, share_of_the_sort, 1);
  progress_meter progress(&told, 2 * std::uint64_t{r.n});
  if (r.index_bytes == 4)
    return grouper<K, std::uint32_t>(r, opts, threads, progress).run(keys, static_cast<const std::uint32_t*>(order));
  return grouper<K, std::uint64_t>(r, opts, threads, progress).run(keys, static_cast<const std::uint64_t*>(order));
}

} // namespace

[[gnu::cold]] void add_groups_steps(const groups_request& r, const options& opts, unsigned threads,
                                    std::vector<plan_step>& steps) {
  if (r.n == 0)
    return;
  const sort_request sort = sort_of(r, nowhere(6), needs_order(r) ? nowhere(7) : nullptr);
  steps = cpu_engine().make_plan(sort, options_of_sort(opts), threads).steps;
  steps.push_back(groups_step(r, 2, "where sorted keys differ: counted piece by piece, then written"));
}

std::size_t groups(const groups_request& r, const options& opts, unsigned threads) {
  if (r.n == 0) {
    if (r.offsets != nullptr)
      std::memset(r.offsets, 0, r.index_bytes);
    if (opts.progress && !opts.progress(1.0))
      throw cancelled("cancelled by the progress callback; outputs may hold unspecified contents");
    return 0;
  }
  switch (key_bytes(r.type)) {
  case 1:
    return groups_of<std::uint8_t>(r, opts, threads);
  case 2:
    return groups_of<std::uint16_t>(r, opts, threads);
  case 4:
    return groups_of<std::uint32_t>(r, opts, threads);
  case 8:
    return groups_of<std::uint64_t>(r, opts, threads);
  default:
    return groups_of<uint128>(r, opts, threads);
  }
}

} // namespace sortile::cpu
