// See normalized_keys.hpp. Slices of the records make their keys side by side, then each goes to its place.
#include "files/normalized_keys.hpp"

#include "files/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t key_slice_records = std::size_t{1} << 12;

} // namespace

bool needs_normalized_keys(const record_order& order) {
  return std::any_of(order.begin(), order.end(),
                     [](const key_part& part) { return part.as == key_part::form::collated; });
}

normalized_keys make_keys(std::size_t records, const key_appender& append, unsigned threads) {
  const slices parts(records, threads, key_slice_records);
  std::vector<std::string> keys(parts.count());
  normalized_keys made;
  made.records.gap = 0;
  raw_array<std::uint64_t> ends(records); // within the slice
  parallel_for(threads, parts.count(),
               [&](std::size_t slice) { append(parts.begin(slice), parts.end(slice), keys[slice], ends.data()); });
  std::vector<std::uint64_t> before(parts.count() + 1, 0);
  for (std::size_t slice = 0; slice < parts.count(); ++slice)
    before[slice + 1] = before[slice] + keys[slice].size();
  made.bytes = raw_array<char>(before.back());
  made.records.starts = record_starts(records + 1, before.back());
  made.records.starts.set(0, 0);
  parallel_for(threads, parts.count(), [&](std::size_t slice) {
    std::memcpy(made.bytes.data() + before[slice], keys[slice].data(), keys[slice].size());
    std::string().swap(keys[slice]);
    for (std::size_t i = parts.begin(slice); i < parts.end(slice); ++i)
      made.records.starts.set(i + 1, before[slice] + ends[i]);
  });
  made.records.text = {made.bytes.data(), made.bytes.size()};
  return made;
}

normalized_keys make_normalized_keys(const record_table& records, const record_order& order, unsigned threads) {
  return make_keys(
      records.size(),
      [&](std::size_t begin, std::size_t end, std::string& keys, std::uint64_t* ends) {
        for (std::size_t i = begin; i < end; ++i) {
          append_normalized(order, records[i], keys);
          ends[i] = keys.size();
        }
      },
      threads);
}

} // namespace sortile::files
