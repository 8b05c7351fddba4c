// See record_summary.hpp. The checksum is that of valsort, the checker of the sort benchmark (sortbenchmark.org).
#include "files/record_summary.hpp"

#include "files/parallel.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <zlib.h>

namespace sortile::files {

namespace {

void keep_least(std::optional<std::size_t>& least, std::optional<std::size_t> other) {
  if (other && (!least || *other < *least))
    least = other;
}

} // namespace

record_summary summarize(const record_table& records, const record_order& order, unsigned threads) {
  constexpr std::size_t slice_records = std::size_t{1} << 12;
  record_summary all{.records = records.size()};
  std::mutex lock;
  parallel_slices(threads, records.size(), slice_records, [&](std::size_t begin, std::size_t end) {
    record_summary part;
    for (std::size_t i = begin; i < end; ++i) {
      const std::string_view record = records[i];
      part.checksum += ::crc32_z(0, reinterpret_cast<const unsigned char*>(record.data()), record.size());
      const int step = i == 0 ? -1 : compare(order, records[i - 1], record);
      part.duplicates += step == 0 ? 1 : 0;
      if (step == 0)
        keep_least(part.first_duplicate, i);
      if (step > 0)
        keep_least(part.first_disorder, i);
    }
    const std::lock_guard guard(lock);
    all.checksum += part.checksum;
    all.duplicates += part.duplicates;
    keep_least(all.first_duplicate, part.first_duplicate);
    keep_least(all.first_disorder, part.first_disorder);
  });
  return all;
}

std::string checksum_text(uint128 checksum) {
  const auto upper = static_cast<std::uint64_t>(checksum >> 64);
  const auto lower = static_cast<std::uint64_t>(checksum);
  return upper != 0 ? fmt::format("{:x}{:016x}", upper, lower) : fmt::format("{:x}", lower);
}

} // namespace sortile::files
