// See text_views.hpp.
#include "files/text_views.hpp"

#include "files/parallel.hpp"

#include <atomic>
#include <functional>
#include <string>

namespace sortile::files {

namespace {

constexpr std::size_t text_slice_records = std::size_t{1} << 12;

bool lies_in(std::string_view text, std::string_view record) {
  return !std::less<>()(text.data(), record.data()) &&
         !std::less<>()(record.data() + record.size(), text.data() + text.size());
}

} // namespace

bool begins_with_one_text(const record_order& order) {
  return !order.empty() && order[0].as == key_part::form::text &&
         (order[0].where == key_part::place::fields || order[0].where == key_part::place::cell);
}

bool begin_alike(const record_table& records, const record_order& order) {
  constexpr std::size_t looked_at = 64;
  if (records.size() < looked_at)
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

std::optional<raw_array<std::string_view>> text_views(const record_table& records, const record_order& order,
                                                      unsigned threads) {
  raw_array<std::string_view> views(records.size());
  std::atomic<bool> all_lie_there{true};
  parallel_slices(threads, records.size(), text_slice_records, [&](std::size_t begin, std::size_t end) {
    std::string scratch;
    for (std::size_t i = begin; i < end && all_lie_there; ++i) {
      const std::string_view record = records[i];
      const std::string_view text = locate(order[0], record, scratch);
      views[i] = text.empty() ? record.substr(0, 0) : text;
      if (!lies_in(views[i], record))
        all_lie_there = false;
    }
  });
  if (!all_lie_there)
    return std::nullopt;
  return views;
}

} // namespace sortile::files
