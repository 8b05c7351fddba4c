// See record_merge.hpp.
//
// Idea. A tree of losers over the inputs (Knuth, volume 3, 5.4.1): its leaves are the inputs' current records, each
// inner node holds the loser of the match below it, and the winner of all stands at the root. When the winner's record
// is written and its input moves on, the matches on the way from its leaf to the root are played again: one comparison
// a level. Beside every leaf lies the first 64-bit word of its key, made once a record (key_word.hpp), and most matches
// are decided by the words alone; those of equal words go on from the second word.
//
// Invariants: an input that has ended loses against all others; of equal records the earlier input's wins, which makes
// the merge stable.
//
// Cost: log2(inputs) comparisons a record, one word a record.
#include "files/record_merge.hpp"

#include "files/failure.hpp"

#include <string>
#include <utility>

namespace sortile::files {

namespace {

// Records that are in memory, handed out as record_reader does it.
class table_reader {
 public:
  static constexpr std::string_view unit = "record";

  explicit table_reader(const fixed_records& file) : file_(&file) {}

  bool next() {
    if (next_ == file_->records.size())
      return false;
    record_ = file_->records[next_++];
    return true;
  }
  std::string_view record() const { return record_; }
  static constexpr bool delimited() { return false; }
  static constexpr bool was_ended() { return true; }
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

  std::uint64_t run() {
    if (inputs_.empty())
      return 0;
    heads_.resize(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      advance(i);
    for (std::size_t winner = first_winner(); !heads_[winner].ended && put_ < rules_.most; winner = replay(winner)) {
      put(winner);
      step(winner);
    }
    if (put_ < rules_.most)
      put_counted();
    return put_;
  }

 private:
  // The current record of an input.
  struct head {
    key_word word; // the first of its key
    bool ended = false;
  };

  // Plays all matches. Node i has the children 2i and 2i + 1; leaf j is node inputs + j.
  std::size_t first_winner() {
    const std::size_t leaves = inputs_.size();
    losers_.resize(leaves);
    std::vector<std::size_t> winners(2 * leaves);
    for (std::size_t node = 2 * leaves; --node > 0;) {
      if (node >= leaves) {
        winners[node] = node - leaves;
        continue;
      }
      const bool left = comes_first(winners[2 * node], winners[2 * node + 1]);
      winners[node] = winners[2 * node + (left ? 0 : 1)];
      losers_[node] = winners[2 * node + (left ? 1 : 0)];
    }
    return winners[1];
  }

  // Plays the matches of an input whose record is a new one.
  std::size_t replay(std::size_t winner) {
    for (std::size_t node = (inputs_.size() + winner) / 2; node > 0; node /= 2)
      if (comes_first(losers_[node], winner))
        std::swap(losers_[node], winner);
    return winner;
  }

  bool comes_first(std::size_t a, std::size_t b) const {
    const head& x = heads_[a];
    const head& y = heads_[b];
    if (x.ended || y.ended)
      return y.ended && (!x.ended || a < b);
    if (x.word.bits != y.word.bits)
      return x.word.bits < y.word.bits;
    const int result = compare_behind(x.word, inputs_[a]->record(), inputs_[b]->record());
    return result != 0 ? result < 0 : a < b;
  }

  // Of records whose first words are equal.
  int compare_behind(key_word word, std::string_view a, std::string_view b) const {
    return compare(rules_.order, a, b, word.last ? 1 : 0, word.last ? 0 : 1);
  }

  void put(std::size_t from) {
    const std::string_view record = inputs_[from]->record();
    if (rules_.written)
      count(record.size() + (inputs_[from]->delimited() ? 1 : 0));
    if (rules_.unique) {
      const key_word word = heads_[from].word;
      if (any_written_ && word.bits == last_word_.bits && compare_behind(word, last_written_, record) == 0) {
        ++alike_;
        return;
      }
      put_counted();
      last_written_ = record;
      alike_ = 1;
      last_word_ = word;
      any_written_ = true;
    }
    if (rules_.write_counted)
      return; // until it is known how many are alike
    ++put_;
    if (rules_.write)
      return rules_.write(record, to_);
    to_.write(record);
    if (inputs_[from]->delimited())
      end_record(from, record);
  }

  // The last record whose key was a new one.
  void put_counted() {
    if (!rules_.write_counted || !any_written_)
      return;
    ++put_;
    rules_.write_counted(last_written_, alike_, to_);
  }

  void count(std::uint64_t bytes) {
    constexpr std::uint64_t now_and_then = std::uint64_t{1} << 22;
    through_ += bytes;
    if (through_ < told_ + now_and_then)
      return;
    told_ = through_;
    rules_.written(through_);
  }

  void end_record(std::size_t from, std::string_view record) {
    if (!rules_.line_end.empty() && !inputs_[from]->was_ended() && !record.ends_with(rules_.line_end))
      to_.write(rules_.line_end);
    to_.write({&rules_.delimiter, 1});
  }

  void advance(std::size_t i) {
    Reader& input = *inputs_[i];
    heads_[i].ended = !input.next();
    if (heads_[i].ended)
      return;
    try {
      if (rules_.validate)
        rules_.validate(input.record());
    } catch (const invalid_argument& error) {
      fail(input.name(), "{} {}: {}", Reader::unit, input.line(), error.what());
    }
    heads_[i].word = first_word(input.record());
  }

  // Texts in the order of a locale are compared as a whole: strcoll() decides, not the words of strxfrm().
  key_word first_word(std::string_view record) {
    if (rules_.order.empty())
      return {0, true};
    const key_part& first = rules_.order[0];
    return first.as == key_part::form::collated ? key_word{} : word_of(first, record, 0, scratch_);
  }

  void step(std::size_t i) {
    Reader& input = *inputs_[i];
    if (rules_.trusted)
      return advance(i);
    before_ = input.record();
    advance(i);
    if (!heads_[i].ended && compare(rules_.order, before_, input.record()) > 0)
      fail(input.name(), "{} {} is out of order (merge takes sorted inputs: sort this one first)", Reader::unit,
           input.line());
  }

  std::vector<std::unique_ptr<Reader>>& inputs_;
  const merge_rules& rules_;
  output& to_;
  std::vector<head> heads_;
  std::vector<std::size_t> losers_; // [0] is not used
  std::string scratch_;
  std::string last_written_;
  key_word last_word_;
  std::string before_;
  bool any_written_ = false;
  std::uint64_t alike_ = 0; // records equal to the last
  std::uint64_t put_ = 0;
  std::uint64_t through_ = 0; // bytes of records that were written, or left out as repeats
  std::uint64_t told_ = 0;
};

} // namespace

std::uint64_t merge_records(std::vector<std::unique_ptr<record_reader>>& inputs, const merge_rules& rules, output& to) {
  return merger<record_reader>(inputs, rules, to).run();
}

std::uint64_t merge_fixed(std::span<const fixed_records> inputs, const merge_rules& rules, output& to) {
  std::vector<std::unique_ptr<table_reader>> readers;
  for (const fixed_records& file : inputs)
    readers.push_back(std::make_unique<table_reader>(file));
  return merger<table_reader>(readers, rules, to).run();
}

} // namespace sortile::files
