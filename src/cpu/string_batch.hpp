// Groups of up to 8192 strings, sorted to the end in the cache, several at a time.
//
// Idea. A string that is read again is a cache miss, on pages of 4 KiB mostly two, and as a view one more for the view.
// So small groups wait until they are some hundred strings: the views are asked for as groups come, then all first
// bytes, and from then on strings are found by what was kept of them, without their views. A word holds the number of
// its string, so that only words are moved, and the vector sort of keys alone does it:
//
//   texts     0: views…   1: views…   2: views…        where each string begins and ends
//   words     [six bytes | used | 2] [… | 0] [… | 1]   sorted; equal but for the number: a part that goes on
//
// A part of two strings is compared to the end. Of a longer one the next words are made, and while that is done what
// all of its strings have in common, so that words begin behind that. So a part of equal strings is read once.
// Where one word is that of most strings of a part again and again, as with strings that begin one another, words are
// made beside a pivot (string_words.hpp). string_parts.ipp is that sort, for each instruction set.
//
// Cost: room of 24 bytes a string and its position; for each part that a string is in one read of some of its bytes,
// in the cache, and one sort of 64-bit numbers.
#pragma once

#include "cpu/string_parts.hpp"
#include "cpu/string_words.hpp"
#include "cpu/strings.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

namespace sortile::cpu {

/// What all parts of a sort of strings share.
template <class Strings, class Index>
struct string_task {
  Strings strings;
  std::size_t n;
  Index* positions;
  std::uint64_t complement;     ///< of words: all ones where the order is descending
  std::span<std::byte> repeats; ///< a byte a place, where asked for: 1 where a string is equal to the one before it

  /// All but the first of these are equal to the one before.
  void mark_repeats(const Index* first, std::size_t count) const {
    if (!repeats.empty())
      std::memset(repeats.data() + (first - positions) + 1, 1, count - 1);
  }
};

/// A range of positions that holds its strings' final places. They agree in their first `depth` bytes, and none ends
/// before them.
template <class Index>
struct string_group {
  Index* positions;
  std::size_t n;
  std::size_t depth;
  bool is_most{}; ///< of the strings of the group that it comes from
};

template <class Strings, class Index>
class string_batch {
 public:
  using task = string_task<Strings, Index>;
  using group = string_group<Index>;
  static constexpr std::size_t most = numbered_words::most; ///< strings of a group

  explicit string_batch(const task& all) : task_(&all), complement_(all.complement & ~numbered_words::number_mask) {}

  /// Strings of a group that is added: in the cache they may be more.
  static std::size_t longest_added(std::size_t all) { return all <= all_in_cache ? most : longest_beyond; }

  word_sorter& sorter() { return sorter_; }

  /// All strings, of which there are at most `most`.
  void sort_all() {
    need_room();
    sort_parts(all_texts(), room_.words, {task_->positions, task_->n, 0});
    for (std::size_t i = 0; i < task_->n; ++i)
      task_->positions[i] = static_cast<Index>(numbered_words::number(room_.words[i]));
  }

  /// Whether a group has to wait for the next batch.
  bool is_full_for(const group& g) const { return strings_ > 0 && strings_ + g.n > together; }

  void add(const group& g) {
    if (groups_.capacity() == 0)
      groups_.reserve(together / 4);
    for (std::size_t i = 0, end = std::min(g.n, together / 2); i < end; ++i)
      task_->strings.prefetch(g.positions[i]);
    groups_.push_back(g);
    strings_ += g.n;
  }

  /// Sorts what was added.
  void sort() {
    if (strings_ == 0)
      return;
    need_room();
    std::size_t at = 0;
    for (const group& g : groups_)
      for (std::size_t i = 0; i < g.n; ++i, ++at) {
        if (i + ahead < g.n)
          task_->strings.prefetch(g.positions[i + ahead]);
        keep(at, g.positions[i], g.depth);
      }
    at = 0;
    for (const group& g : groups_) {
      sort_parts(room_.texts + at, room_.words + at, g);
      put_positions(g, at);
      at += g.n;
    }
    groups_.clear();
    strings_ = 0;
  }

  /// Sorts a group by words of seven bytes that were made of its strings, `words[position]`, and calls
  /// go_on(group) for what is to be sorted further.
  template <class GoOn>
  void sort_by_made(const group& g, const std::uint64_t* words, const GoOn& go_on) {
    need_room();
    for (std::size_t i = 0; i < g.n; ++i) {
      room_.positions[i] = g.positions[i];
      room_.words[i] = (numbered_words::make(words[g.positions[i]] ^ task_->complement) ^ complement_) | i;
    }
    sorter_.sort(room_.words, g.n);
    put_positions(g, 0);
    for_each_equal(room_.words, g.n, [&](std::size_t begin, std::size_t n) {
      if (numbered_words::is_last(room_.words[begin] ^ complement_))
        task_->mark_repeats(g.positions + begin, n);
      else
        go_on(group{g.positions + begin, n, g.depth + numbered_words::bytes});
    });
  }

  static constexpr std::size_t together = 512; ///< strings of small groups that are sorted at a time

 private:
  static constexpr std::size_t all_in_cache = std::size_t{1} << 17; // strings
  static constexpr std::size_t longest_beyond = 256;                // of which more are read once more, in time
  static constexpr std::size_t ahead = 32;                          // views that are asked for before they are read

  void need_room() {
    const std::size_t n = std::min(task_->n, most);
    if (room_.texts != nullptr)
      return;
    memory_ = scratch(n * (sizeof(std::string_view) + sizeof(std::uint64_t) + sizeof(Index)), "groups of strings");
    room_.texts = reinterpret_cast<std::string_view*>(memory_.bytes().data());
    room_.words = reinterpret_cast<std::uint64_t*>(room_.texts + n);
    room_.positions = reinterpret_cast<Index*>(room_.words + n);
  }

  /// The views of all strings, which are given or made.
  const std::string_view* all_texts() {
    if constexpr (std::is_same_v<Strings, viewed_strings>)
      return task_->strings.views;
    for (std::size_t i = 0; i < task_->n; ++i)
      room_.texts[i] = task_->strings[i];
    return room_.texts;
  }

  void keep(std::size_t at, std::size_t position, std::size_t depth) {
    const std::string_view of = task_->strings[position];
    room_.texts[at] = of;
    room_.positions[at] = static_cast<Index>(position);
    __builtin_prefetch(of.data() + depth);
    __builtin_prefetch(of.data() + std::min(of.size(), depth + 64)); // words behind a head may be there
  }

  void put_positions(const group& g, std::size_t at) {
    for (std::size_t i = 0; i < g.n; ++i)
      g.positions[i] = room_.positions[at + numbered_words::number(room_.words[at + i])];
  }

  /// Sorts the strings of a group to the end, by their numbers.
  void sort_parts(const std::string_view* texts, std::uint64_t* words, const group& g) {
    std::byte* const repeats = task_->repeats.empty() ? nullptr : &task_->repeats[g.positions - task_->positions];
    sort_parts_({texts, words, g.n, g.depth, complement_, task_->n > all_in_cache, repeats}, sorter_, parts_);
  }

  const task* task_;
  word_sorter sorter_;
  std::uint64_t complement_;
  call_vector<group> groups_; // that wait
  std::size_t strings_ = 0;   // in these
  sort_of_parts* sort_parts_ = best_sort_of_parts();
  call_vector<string_part> parts_;
  scratch memory_{};
  struct {
    std::string_view* texts = nullptr;
    std::uint64_t* words = nullptr;
    Index* positions = nullptr;
  } room_;
};

} // namespace sortile::cpu
