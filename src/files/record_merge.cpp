// See record_merge.hpp. A heap of inputs by their current record; ties go to the earlier input, which makes the merge
// stable.
#include "files/record_merge.hpp"

#include "files/failure.hpp"

#include <algorithm>
#include <string>

namespace sortile::files {

namespace {

// Records that are in memory, handed out as record_reader does it.
class table_reader {
 public:
  static constexpr std::string_view unit = "record";
  static constexpr bool delimited = false;

  explicit table_reader(const fixed_records& file) : file_(&file) {}

  bool next() {
    if (next_ == file_->records.size())
      return false;
    record_ = file_->records[next_++];
    return true;
  }
  std::string_view record() const { return record_; }
  const std::string& name() const { return file_->name(); }
  std::uint64_t line() const { return next_ - 1; } // records are counted from 0, as keys of arrays are

 private:
  const fixed_records* file_;
  std::size_t next_ = 0;
  std::string_view record_;
};

template <class Reader>
class merger {
 public:
  merger(std::vector<std::unique_ptr<Reader>>& inputs, const merge_rules& rules, output& to)
      : inputs_(inputs), rules_(rules), to_(to) {}

  void run() {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (advance(*inputs_[i]))
        heap_.push_back(i);
    const auto later = [this](std::size_t a, std::size_t b) { return comes_later(a, b); };
    std::make_heap(heap_.begin(), heap_.end(), later);
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const std::size_t from = heap_.back();
      put(inputs_[from]->record());
      if (step(from))
        std::push_heap(heap_.begin(), heap_.end(), later);
      else
        heap_.pop_back();
    }
  }

 private:
  bool comes_later(std::size_t a, std::size_t b) const {
    const int result = compare(rules_.order, inputs_[a]->record(), inputs_[b]->record());
    return result != 0 ? result > 0 : a > b;
  }

  void put(std::string_view record) {
    if (rules_.unique) {
      if (any_written_ && compare(rules_.order, last_written_, record) == 0)
        return;
      last_written_ = record;
      any_written_ = true;
    }
    if (rules_.write)
      return rules_.write(record, to_);
    to_.write(record);
    if constexpr (Reader::delimited)
      end_record(record);
  }

  void end_record(std::string_view record) {
    if (!rules_.line_end.empty() && !record.ends_with(rules_.line_end))
      to_.write(rules_.line_end);
    to_.write({&rules_.delimiter, 1});
  }

  bool advance(Reader& input) {
    if (!input.next())
      return false;
    try {
      if (rules_.validate)
        rules_.validate(input.record());
    } catch (const invalid_argument& error) {
      fail(input.name(), "{} {}: {}", Reader::unit, input.line(), error.what());
    }
    return true;
  }

  bool step(std::size_t i) {
    Reader& input = *inputs_[i];
    if (rules_.trusted)
      return advance(input);
    before_ = input.record();
    if (!advance(input))
      return false;
    if (compare(rules_.order, before_, input.record()) > 0)
      fail(input.name(), "{} {} is out of order (merge takes sorted inputs: sort this one first)", Reader::unit,
           input.line());
    return true;
  }

  std::vector<std::unique_ptr<Reader>>& inputs_;
  const merge_rules& rules_;
  output& to_;
  std::vector<std::size_t> heap_;
  std::string last_written_;
  std::string before_;
  bool any_written_ = false;
};

} // namespace

void merge_records(std::vector<std::unique_ptr<record_reader>>& inputs, const merge_rules& rules, output& to) {
  merger<record_reader>(inputs, rules, to).run();
}

void merge_fixed(std::span<const fixed_records> inputs, const merge_rules& rules, output& to) {
  std::vector<std::unique_ptr<table_reader>> readers;
  for (const fixed_records& file : inputs)
    readers.push_back(std::make_unique<table_reader>(file));
  merger<table_reader>(readers, rules, to).run();
}

} // namespace sortile::files
