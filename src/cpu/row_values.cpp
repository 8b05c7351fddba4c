// The tables' growth; see the header.
#include "cpu/row_values.hpp"

#include <algorithm>
#include <utility>

namespace sortile::cpu {

value_ranks::value_ranks(const std::vector<std::uint64_t>& ascending, bool descending) : value_ranks() {
  const auto n = static_cast<std::uint32_t>(ascending.size());
  for (std::uint32_t i = 0; i < n; ++i)
    insert(ascending[i], descending ? n - 1 - i : i);
}

/// Of as many values as there may be, each in as many rows, a sample would repeat one in 32.
bool value_ranks::may_be_few(std::vector<std::uint64_t>& drawn) {
  std::sort(drawn.begin(), drawn.end());
  const auto distinct = std::unique(drawn.begin(), drawn.end()) - drawn.begin();
  return static_cast<std::size_t>(distinct) <= drawn.size() - drawn.size() / 32;
}

bool value_ranks::insert_new(std::uint64_t value, std::uint32_t rank) {
  std::size_t slot = slot_of(value);
  for (; entries_[slot].is_used; slot = (slot + 1) % entries_.size())
    if (entries_[slot].value == value)
      return true;
  if (++values_ > most)
    return false;
  if (4 * values_ > entries_.size()) {
    const std::vector<entry> old = std::exchange(entries_, std::vector<entry>(2 * entries_.size()));
    --unused_bits_;
    for (const entry& e : old)
      if (e.is_used)
        place(e);
  }
  place({value, rank, true});
  return true;
}

void value_ranks::place(const entry& e) {
  std::size_t slot = slot_of(e.value);
  while (entries_[slot].is_used)
    slot = (slot + 1) % entries_.size();
  entries_[slot] = e;
}

void value_ranks::append_to(std::vector<std::uint64_t>& values) const {
  for (const entry& e : entries_)
    if (e.is_used)
      values.push_back(e.value);
}

} // namespace sortile::cpu
