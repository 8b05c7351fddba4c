// The tables' growth, and ranks of what they hold; see the header.
#include "cpu/row_values.hpp"

#include "cpu/memory_slots.hpp"
#include <algorithm>
#include <bit>
#include <utility>

namespace sortile::cpu {

value_sample look_at(std::span<std::uint64_t> drawn) {
  constexpr unsigned least_bits = 24; // that are worth a table
  std::uint64_t differing = 0;
  for (const std::uint64_t value : drawn)
    differing |= value ^ drawn[0];
  if (differing == 0)
    return {};
  std::sort(drawn.begin(), drawn.end());
  const std::uint64_t span = drawn.back() - drawn.front();
  const auto bits = static_cast<unsigned>(std::bit_width(span >> std::countr_zero(differing)));
  // Of as many values as there may be, each in as many rows, a sample would repeat one in 32.
  const auto distinct = static_cast<std::size_t>(std::unique(drawn.begin(), drawn.end()) - drawn.begin());
  return {bits, bits > least_bits && distinct <= drawn.size() - drawn.size() / 32};
}

std::uint16_t value_numbers::find_or_add(std::uint64_t value) {
  std::size_t slot = slot_of(value);
  for (; entries_[slot].after != 0; slot = (slot + 1) % entries_.size())
    if (entries_[slot].value == value)
      return static_cast<std::uint16_t>(entries_[slot].after - 1);
  if (values_.size() == most)
    return most;
  values_.push_back(value);
  if (4 * values_.size() > entries_.size())
    grow();
  free_slot_for(value) = {value, static_cast<std::uint32_t>(values_.size())};
  return static_cast<std::uint16_t>(values_.size() - 1);
}

void value_numbers::grow() {
  const call_vector<entry> old = std::exchange(entries_, call_vector<entry>(2 * entries_.size()));
  --unused_bits_;
  for (const entry& e : old)
    if (e.after != 0)
      free_slot_for(e.value) = e;
}

value_numbers::entry& value_numbers::free_slot_for(std::uint64_t value) {
  std::size_t slot = slot_of(value);
  while (entries_[slot].after != 0)
    slot = (slot + 1) % entries_.size();
  return entries_[slot];
}

value_ranks rank(const call_vector<value_numbers>& numbers, bool descending) {
  call_vector<std::uint64_t> all;
  for (const value_numbers& of_worker : numbers)
    all.insert(all.end(), of_worker.values().begin(), of_worker.values().end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() > value_numbers::most)
    return {};
  value_ranks ranks{{}, all.size()};
  for (const value_numbers& of_worker : numbers) {
    call_vector<std::uint16_t>& mine = ranks.of_worker.emplace_back();
    for (const std::uint64_t value : of_worker.values()) {
      const auto below = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), value) - all.begin());
      mine.push_back(static_cast<std::uint16_t>(descending ? all.size() - 1 - below : below));
    }
  }
  return ranks;
}

} // namespace sortile::cpu
