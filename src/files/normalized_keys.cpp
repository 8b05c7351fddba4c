// See normalized_keys.hpp. Slices of the records make their keys side by side, then each goes to its place.
#include "files/normalized_keys.hpp"

#include "files/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t slice_records = std::size_t{1} << 12;

// One field or cell by its bytes.
bool is_one_text(const record_order& order) {
  return order.size() == 1 && order[0].as == key_part::form::text && order[0].where != key_part::place::record;
}

} // namespace

bool is_one_text_that_begins_alike(const record_table& records, const record_order& order) {
  constexpr std::size_t looked_at = 64;
  if (!is_one_text(order) || records.size() < looked_at)
    return false;
  std::string scratch;
  const auto first_word = [&](std::size_t i) {
    return word_of(order[0], records[i * (records.size() / looked_at)], 0, scratch);
  };
  const key_word common = first_word(looked_at / 2);
  std::size_t alike = 0;
  for (std::size_t i = 0; i < looked_at; ++i)
    alike += first_word(i).bits == common.bits ? 1 : 0;
  return !common.last && 2 * alike > looked_at;
}

bool needs_normalized_keys(const record_order& order) {
  return std::any_of(order.begin(), order.end(),
                     [](const key_part& part) { return part.as == key_part::form::collated; });
}

normalized_keys make_normalized_keys(const record_table& records, const record_order& order, unsigned threads) {
  const slices parts(records.size(), threads, slice_records);
  std::vector<std::string> keys(parts.count());
  normalized_keys made;
  made.records.gap = 0;
  made.records.starts = raw_array<std::uint64_t>(records.size() + 1);
  std::uint64_t* const ends = made.records.starts.data() + 1; // within the slice at first
  const bool one_text = is_one_text(order);
  parallel_for(threads, parts.count(), [&](std::size_t slice) {
    std::string scratch;
    for (std::size_t i = parts.begin(slice); i < parts.end(slice); ++i) {
      if (one_text)
        keys[slice] += locate(order[0], records[i], scratch);
      else
        append_normalized(order, records[i], keys[slice]);
      ends[i] = keys[slice].size();
    }
  });
  std::vector<std::uint64_t> before(parts.count() + 1, 0);
  for (std::size_t slice = 0; slice < parts.count(); ++slice)
    before[slice + 1] = before[slice] + keys[slice].size();
  made.bytes = raw_array<char>(before.back());
  made.records.starts[0] = 0;
  parallel_for(threads, parts.count(), [&](std::size_t slice) {
    std::memcpy(made.bytes.data() + before[slice], keys[slice].data(), keys[slice].size());
    std::string().swap(keys[slice]);
    for (std::size_t i = parts.begin(slice); i < parts.end(slice); ++i)
      ends[i] += before[slice];
  });
  made.records.text = {made.bytes.data(), made.bytes.size()};
  return made;
}

} // namespace sortile::files
