// What neighbours tell of records: which repeat the one before them, and where order ends. See record_sort.hpp.
#include "files/parallel.hpp"
#include "files/record_sort.hpp"

#include <algorithm>
#include <atomic>

namespace sortile::files {

namespace {

constexpr std::size_t neighbour_slice_records = std::size_t{1} << 12;

} // namespace

std::size_t keep_first_of_equals(const record_table& records, const record_order& order,
                                 std::span<std::uint32_t> sorted, unsigned threads, std::span<std::uint64_t> counts) {
  raw_array<char> repeats(sorted.size());
  parallel_slices(threads, sorted.size(), neighbour_slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      repeats[i] = i > 0 && compare(order, records[sorted[i - 1]], records[sorted[i]]) == 0;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (!repeats[i])
      sorted[kept++] = sorted[i];
    if (!counts.empty())
      counts[kept - 1] = repeats[i] ? counts[kept - 1] + 1 : 1;
  }
  return kept;
}

std::optional<std::size_t> first_disorder(const record_table& records, const record_order& order, bool strict,
                                          unsigned threads, std::size_t from, std::size_t to) {
  std::atomic<std::size_t> first{SIZE_MAX};
  const std::size_t n = std::min(to, records.size()) - from;
  parallel_slices(threads, n, neighbour_slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = from + std::max<std::size_t>(begin, 1); i < from + end && i < first; ++i) {
      if (compare(order, records[i - 1], records[i]) < (strict ? 0 : 1))
        continue;
      std::size_t seen = first;
      while (i < seen && !first.compare_exchange_weak(seen, i)) {
      }
      return;
    }
  });
  return first == SIZE_MAX ? std::nullopt : std::optional<std::size_t>(first);
}

} // namespace sortile::files
