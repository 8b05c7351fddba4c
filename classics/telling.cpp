// How a classic tells its steps: job's and telling's part of classic.hpp.
#include "classics/classic.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

namespace sortile::classics {

unsigned job::parameter(std::string_view name) const {
  return parameters_.at(std::string(name));
}

void job::show(const std::string& text) {
  if (steps_ != nullptr)
    steps_->push_back({.title = text, .launches = launches_so_far()});
}

std::uint64_t job::launches_so_far() const {
  return on.counted().launches;
}

void job::note(const std::string& text) {
  notes_.push_back(text);
  show(text);
}

std::vector<std::string> job::records_of(const device_arrays& arrays, std::uint64_t n) const {
  const std::size_t size = key_bytes(asked.type);
  std::vector<char> keys(n * size);
  std::vector<std::uint32_t> values(arrays.values != nullptr ? n : 0);
  on.copy_to_host(keys.data(), arrays.keys, keys.size());
  on.copy_to_host(values.data(), arrays.values, values.size() * sizeof(std::uint32_t));
  std::vector<std::string> all(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    all[i].assign(keys.data() + i * size, size);
    if (!values.empty())
      all[i].append(reinterpret_cast<const char*>(&values[i]), sizeof values[i]);
  }
  return all;
}

std::string job::text_of(const void* key) const {
  return text_of_key != nullptr && shown == notation::decimal ? text_of_key(key)
                                                              : key_as_text(asked.type, key, shown, shown_bits);
}

std::string job::text_of(const std::string& record) const {
  const std::size_t size = key_bytes(asked.type);
  const std::string text = text_of(static_cast<const void*>(record.data()));
  if (record.size() == size)
    return text;
  std::uint32_t value = 0;
  std::memcpy(&value, record.data() + size, sizeof value);
  return text + "/" + (value < asked.values.size() && !carries_positions ? asked.values[value] : std::to_string(value));
}

void telling::end() {
  if (to_ != nullptr) {
    const std::uint64_t so_far = to_->launches_so_far(); // 0 where nothing is counted
    told_.launches = so_far - std::min(so_far, later_launches_);
    to_->steps_->push_back(std::move(told_));
  }
  to_ = nullptr;
}

telling& telling::add(row r) {
  told_.rows.push_back(std::move(r));
  return *this;
}

telling& telling::keys(const std::string& label, const device_arrays& arrays, std::uint64_t n, std::uint64_t block) {
  if (to_ == nullptr)
    return *this;
  const std::vector<std::string> records = to_->records_of(arrays, n);
  std::vector<std::string> cells;
  cells.reserve(n);
  for (const std::string& record : records)
    cells.push_back(to_->text_of(record));
  if (before_.empty())
    before_ = records;
  return add({label, cell_kind::keys, std::move(cells), bounds_of_blocks(n, block)});
}

telling& telling::before(const device_arrays& arrays, std::uint64_t n) {
  if (to_ != nullptr)
    before_ = to_->records_of(arrays, n);
  return *this;
}

telling& telling::moved(const std::string& label, const device_arrays& arrays, std::uint64_t n,
                        std::uint64_t from_block, std::uint64_t block) {
  if (to_ == nullptr)
    return *this;
  std::unordered_map<std::string, std::deque<std::uint64_t>> places;
  for (std::uint64_t i = 0; i < before_.size(); ++i)
    places[before_[i]].push_back(i);
  const std::vector<std::string> after = to_->records_of(arrays, n);
  std::vector<std::uint64_t> writers;
  for (std::uint64_t i = 0; i < n; ++i) {
    auto& from = places[after[i]];
    if (from.empty()) // a kernel that loses keys: there is no arrow to draw
      continue;
    told_.arrows.push_back({from.front(), i});
    writers.push_back(from_block == 0 ? 0 : from.front() / from_block);
    from.pop_front();
  }
  keys(label, arrays, n, block);
  return from_block != 0 && from_block < n ? numbers("from block", writers) : *this;
}

telling& telling::from_runs(const std::string& label, std::uint64_t run) {
  std::vector<std::string> runs;
  for (const arrow& a : told_.arrows) // in the order of where they lead
    runs.emplace_back(a.from / run % 2 == 0 ? "a" : "b");
  return words(label, std::move(runs), 2 * run);
}

telling& telling::compared(std::vector<wire> places, const device_arrays& arrays, std::uint64_t n,
                           std::uint64_t block) {
  if (to_ == nullptr)
    return *this;
  const std::vector<std::string> after = to_->records_of(arrays, n);
  for (wire& w : places)
    w.exchanged = after[w.low] != before_[w.low];
  told_.wires = std::move(places);
  return keys("keys", arrays, n, block);
}

telling& telling::words(const std::string& label, std::vector<std::string> all, std::uint64_t block) {
  if (to_ == nullptr)
    return *this;
  const std::uint64_t n = all.size();
  return add({label, cell_kind::words, std::move(all), bounds_of_blocks(n, block)});
}

telling& telling::wires(std::vector<wire> compared) {
  told_.wires = std::move(compared);
  return *this;
}

telling& telling::table(const std::string& label, const std::vector<std::uint32_t>& all, std::size_t columns) {
  if (to_ == nullptr)
    return *this;
  for (std::size_t r = 0; r * columns < all.size(); ++r) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(r * columns);
    numbers(std::to_string(r), std::vector<std::uint32_t>(begin, begin + static_cast<std::ptrdiff_t>(columns)));
    in_table(label);
  }
  return *this;
}

telling& telling::table(const std::string& label, const device_array<std::uint32_t>& all, std::size_t columns) {
  return to_ == nullptr ? *this : table(label, all.to_host(), columns);
}

telling& telling::in_table(const std::string& name) {
  if (to_ != nullptr)
    told_.rows.back().table = name;
  return *this;
}

telling& telling::done_at_barrier(std::uint64_t number) {
  told_.barriers = number;
  return *this;
}

telling& telling::done_before_last(std::uint64_t launches) {
  later_launches_ = launches;
  return *this;
}

telling& telling::bounds(std::vector<std::uint64_t> where) {
  if (to_ != nullptr)
    told_.rows.back().bounds = std::move(where);
  return *this;
}

} // namespace sortile::classics
