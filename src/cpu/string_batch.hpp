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
// made beside a pivot (string_words.hpp).
//
// Cost: room of 24 bytes a string and its position; for each part that a string is in one read of some of its bytes,
// in the cache, and one sort of 64-bit numbers.
#pragma once

#include "cpu/cpu_engine.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/scratch.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/string_words.hpp"
#include "cpu/strings.hpp"
#include "cpu/vector_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

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

/// Sorts words, with the memory that this takes.
class word_sorter {
 public:
  /// With positions, stably; `makes`: these are 0 … n − 1, which are made.
  template <class Index>
  void sort(std::uint64_t* words, Index* positions, std::size_t n, bool makes, unsigned threads,
            const std::function<bool(double)>* progress = nullptr) {
    sort_request request{.type = key_type::u64, .n = n, .keys_in = words, .keys_out = words};
    request.carries = makes ? payload::indices : payload::values;
    request.value_bytes = sizeof(Index);
    request.values_in = makes ? nullptr : positions;
    request.values_out = positions;
    sort(request, threads, progress);
  }

  /// Words with numbers.
  void sort(std::uint64_t* words, std::size_t n) {
    if (n <= inserted)
      insert(words, n);
    else if (vectors_ != nullptr)
      vectors_->sort(words, n, {}, words);
    else
      sort({.type = key_type::u64, .n = n, .keys_in = words, .keys_out = words}, 1, nullptr);
  }

 private:
  static constexpr std::size_t inserted = 8;

  void sort(const sort_request& request, unsigned threads, const std::function<bool(double)>* progress) {
    if (sort_small(request, plain_, true))
      return;
    const std::size_t wanted = cpu_engine().workspace_bytes(request, {}, threads);
    if (space_.bytes().size() < wanted)
      space_ = scratch(wanted, "the workspace of a sort of strings");
    cpu_engine().run(request, {}, {threads, space_.bytes().first(wanted), progress});
  }

  static void insert(std::uint64_t* words, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint64_t word = words[i];
      std::size_t at = i;
      for (; at > 0 && word < words[at - 1]; --at)
        words[at] = words[at - 1];
      words[at] = word;
    }
  }

  const options plain_{};
  const vector_kernels<std::uint64_t>* vectors_ = best_vector_kernels<std::uint64_t>();
  scratch space_{}; // of the engine
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
    for (std::size_t i = 0; i < task_->n; ++i)
      keep(i, i, 0);
    sort_parts({0, task_->n, 0, 0}, room_.texts, room_.words, task_->positions);
    for (std::size_t i = 0; i < task_->n; ++i)
      task_->positions[i] = static_cast<Index>(number(room_.words[i]));
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
      sort_parts({0, g.n, g.depth, 0}, room_.texts + at, room_.words + at, g.positions);
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
    for_each_run(room_.words, g.n, [&](std::size_t begin, std::size_t n) {
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
  static constexpr std::size_t most_skipped_alone = 1; // bytes in common for which few words are not made anew
  static constexpr std::size_t sampled = 16;           // strings that say what those of a part have in common
  static constexpr unsigned often = 3; // so many parts that were most of the one before, and a pivot is taken

  static constexpr std::size_t none = SIZE_MAX;

  /// Strings of a group whose words are equal so far.
  struct part {
    std::size_t begin, n;
    std::size_t depth;
    unsigned times_most; // of the part before it, in a row
  };

  void need_room() {
    const std::size_t n = std::min(task_->n, most);
    if (room_.texts != nullptr)
      return;
    memory_ = scratch(n * (sizeof(std::string_view) + sizeof(std::uint64_t) + sizeof(Index)), "groups of strings");
    room_.texts = reinterpret_cast<std::string_view*>(memory_.bytes().data());
    room_.words = reinterpret_cast<std::uint64_t*>(room_.texts + n);
    room_.positions = reinterpret_cast<Index*>(room_.words + n);
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
      g.positions[i] = room_.positions[at + number(room_.words[at + i])];
  }

  static std::size_t number(std::uint64_t word) { return word & numbered_words::number_mask; }

  /// Sorts strings to the end: `texts[number]`. Their positions go to `places`.
  void sort_parts(const part& all, const std::string_view* texts, std::uint64_t* words, const Index* places) {
    for (std::size_t i = 0; i < all.n; ++i)
      words[i] = i;
    parts_.push_back(all);
    while (!parts_.empty()) {
      const part p = parts_.back();
      parts_.pop_back();
      if (p.n == 2)
        sort_two(texts, words + p.begin, p.depth, places + p.begin);
      else
        sort_part(p, texts, words + p.begin, places + p.begin);
    }
  }

  void sort_part(const part& p, const std::string_view* texts, std::uint64_t* words, const Index* places) {
    text_digit by{p.depth};
    if (p.times_most >= often || (p.n > sampled && !make(texts, words, p.n, by)))
      by = make_beside_pivot(p, texts, words);
    else if (p.n <= sampled)
      make_few(texts, words, p.n, by);
    if (by.depth == none)
      return task_->mark_repeats(places, p.n);
    sorter_.sort(words, p.n);
    for_each_run(words, p.n, [&](std::size_t begin, std::size_t n) {
      const std::uint64_t word = words[begin] ^ complement_;
      if (numbered_words::is_last(word))
        return task_->mark_repeats(places + begin, n);
      const std::size_t depth = numbered_words::depth_behind(word, by);
      parts_.push_back({p.begin + begin, n, depth, n > p.n / 2 ? p.times_most + 1 : 0});
    });
  }

  /// Calls f(begin, n) where two and more words are equal but for their numbers.
  template <class F>
  static void for_each_run(const std::uint64_t* words, std::size_t n, const F& f) {
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      for (end = begin + 1; end < n && (words[end] ^ words[begin]) <= numbered_words::number_mask;)
        ++end;
      if (end - begin > 1)
        f(begin, end - begin);
    }
  }

  /// What making words has seen of strings.
  struct made {
    std::uint64_t differ;        // bits in which eight bytes differ from the first one's
    std::size_t least, greatest; // size of a string
  };

  /// Makes words of what follows what all strings have in common, from by.depth on, which becomes where that is; `none`
  /// where they are equal.
  void make_few(const std::string_view* texts, std::uint64_t* words, std::size_t n, text_digit& by) const {
    for (;;) {
      const made all = make_at(texts, words, n, by.depth);
      std::size_t common = std::min(static_cast<std::size_t>(std::countl_zero(all.differ)) / 8, all.least - by.depth);
      if (common <= most_skipped_alone && all.differ != 0)
        return;
      if (all.differ == 0 && all.least >= by.depth + 8)
        common = head_of(texts, words, n, n, by.depth);
      if (by.depth + common == all.greatest)
        by.depth = none;
      if (common == 0 || by.depth == none)
        return;
      by.depth += common;
    }
  }

  made make_at(const std::string_view* texts, std::uint64_t* words, std::size_t n, std::size_t depth) const {
    const std::uint64_t complement = complement_, first = eight_bytes(texts[number(words[0])], depth);
    made all{0, SIZE_MAX, 0};
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = number(words[i]);
      const std::string_view text = texts[at];
      const std::uint64_t eight = eight_bytes(text, depth);
      all.differ |= eight ^ first;
      all.least = std::min(all.least, text.size());
      all.greatest = std::max(all.greatest, text.size());
      words[i] = (numbered_words::make(eight, text.size() - depth) ^ complement) | at;
    }
    return all;
  }

  /// The same by what a sample of the strings has in common. False where not all begin so: words then hold nothing but
  /// numbers.
  bool make(const std::string_view* texts, std::uint64_t* words, std::size_t n, text_digit& by) const {
    const std::size_t head = head_of(texts, words, n, sampled, by.depth);
    made all{};
    if (head == 0) {
      make_at(texts, words, n, by.depth);
    } else if (make_behind(texts, words, n, by.depth, head, all)) {
      by.depth = all.greatest == by.depth + head ? none : by.depth + head;
    } else {
      return false;
    }
    return true;
  }

  bool make_behind(const std::string_view* texts, std::uint64_t* words, std::size_t n, std::size_t depth,
                   std::size_t head, made& all) const {
    const std::string_view first = texts[number(words[0])];
    const std::uint64_t complement = complement_, short_head = head > 8 ? 0 : ~std::uint64_t{0} << (64 - 8 * head);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = number(words[i]);
      const std::string_view text = texts[at];
      if (text.size() < depth + head)
        return false;
      all.differ |= head > 8 ? differ_in(text.data() + depth, first.data() + depth, head)
                             : (eight_bytes(text, depth) ^ eight_bytes(first, depth)) & short_head;
      all.greatest = std::max(all.greatest, text.size());
      words[i] = (numbered_words::make(eight_bytes(text, depth + head), text.size() - depth - head) ^ complement) | at;
    }
    return all.differ == 0;
  }

  /// Bits in which n bytes differ, at least eight, folded into 64.
  static std::uint64_t differ_in(const char* a, const char* b, std::size_t n) {
    std::uint64_t differ = load(a + n - 8) ^ load(b + n - 8);
    for (std::size_t i = 0; i + 8 < n; i += 8)
      differ |= load(a + i) ^ load(b + i);
    return differ;
  }

  static std::uint64_t load(const char* p) {
    std::uint64_t eight;
    std::memcpy(&eight, p, 8);
    return eight;
  }

  /// How many bytes behind `depth` a sample of strings has in common.
  static std::size_t head_of(const std::string_view* texts, const std::uint64_t* words, std::size_t n,
                             std::size_t sample, std::size_t depth) {
    const std::string_view first = rest_of(texts[number(words[0])], depth);
    std::size_t head = first.size();
    for (std::size_t i = 1; i < sample && head > 0; ++i)
      head = common_bytes(first, rest_of(texts[number(words[n * i / sample])], depth), 0, head);
    return head;
  }

  text_digit make_beside_pivot(const part& p, const std::string_view* texts, std::uint64_t* words) const {
    const text_digit by{p.depth,
                        choose_pivot(p.n, [&](std::size_t i) { return rest_of(texts[number(words[i])], p.depth); })};
    for (std::size_t i = 0; i < p.n; ++i) {
      const std::size_t at = number(words[i]);
      words[i] = (numbered_words::make_beside(texts[at], by) ^ complement_) | at;
    }
    return by;
  }

  void sort_two(const std::string_view* texts, std::uint64_t* words, std::size_t depth, const Index* places) {
    const std::string_view a = rest_of(texts[number(words[0])], depth), b = rest_of(texts[number(words[1])], depth);
    const std::size_t shared = common_bytes(a, b, 0, a.size());
    if (shared == a.size() && shared == b.size())
      return task_->mark_repeats(places, 2);
    const bool is_larger = shared < a.size() && (shared == b.size() || static_cast<unsigned char>(a[shared]) >
                                                                           static_cast<unsigned char>(b[shared]));
    if (is_larger == (complement_ == 0))
      std::swap(words[0], words[1]);
  }

  static std::string_view rest_of(std::string_view text, std::size_t depth) {
    return {text.data() + depth, text.size() - depth};
  }

  /// Eight bytes from `depth` on, zeros behind the end of the string; reads no byte of others.
  [[gnu::always_inline]] static std::uint64_t eight_bytes(std::string_view text, std::size_t depth) {
    if (text.size() < 8)
      return sortile::detail::load_few(text.data() + depth, text.size() - depth);
    const std::size_t used = std::min<std::size_t>(text.size() - depth, 8);
    const std::uint64_t last = sortile::detail::load_big_endian(text.data() + depth + used - 8);
    return last << (4 * (8 - used)) << (4 * (8 - used)); // 64 bits at once cannot be shifted
  }

  const task* task_;
  word_sorter sorter_;
  std::uint64_t complement_;
  call_vector<group> groups_; // that wait
  std::size_t strings_ = 0;   // in these
  call_vector<part> parts_;   // of the group that is being sorted, still to be
  scratch memory_{};
  struct {
    std::string_view* texts = nullptr;
    std::uint64_t* words = nullptr;
    Index* positions = nullptr;
  } room_;
};

} // namespace sortile::cpu
