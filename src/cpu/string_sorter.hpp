// The sort of byte strings: a most-significant-digit radix sort whose digit is a word of seven bytes.
//
// Idea. The words that tell strings apart are kept beside their positions, and words are sorted as any 64-bit keys are.
// All strings are sorted by the word after the prefix that all of them share. Strings whose words differ are then in
// their final order. A group of equal words is sorted by its next word, and so on, longer groups as words again, which
// vectors sort (small_sort.cpp), or a radix sort of one thread. All threads share a group of 2^15 strings or more.
//
// What a sample of a group has in common is skipped at once; each string is compared with it where its word is made.
// Where one turns out to differ, the group gets a pivot (below): so long common prefixes are read once, and few strings
// that leave them cost one more read of the group's.
//
// A string that is read again is a cache miss, on pages of 4 KiB mostly two, and as a view one more for the view. Three
// things are done about that. Small groups wait until they are some hundred strings, of which then all views are asked
// for, then all bytes; and they are sorted to the end by what was fetched, 32 bytes a string. Longer groups ask some
// strings ahead. And where a sample says that many strings agree in their first words, but not most of them in the same
// one, their second words are made in the same read, in memory order, and wait in an array of huge pages.
//
// Where most strings of a group have one word, they are likely to have the next ones, too, each a little longer than
// the other: words of seven bytes would take the same strings in hand again and again. Such a group is sorted by how
// its strings compare with one of them, the pivot. A string that leaves the pivot after p bytes comes the later the
// larger p is where it is less than the pivot, and the earlier where it is larger. So p, in 16 bits, and the five bytes
// behind it make the word. Bytes that a string has in common with the pivot are read once.
//
//   words      | ab… | ab… | ab… | ba… | ca… | ca… |      sorted
//   positions  |  2  |  7  |  9  |  4  |  0  |  5  |
//               └─ group: next words ─┘  done   └ group ┘
//
// Invariants: a group is a range of positions that holds its strings' final places. Before it is sorted its positions
// ascend, since every step is stable; so equal strings keep their order. Its strings agree in their first `depth` bytes
// and none ends before them.
//
// Cost: one read of every string's first bytes in memory order, one sort of n (64-bit, position) pairs, then for each
// further word of a long group one fetch of each of its strings, for all further words of a small one together one.
// Lost: small groups of up to 2048 or 32768 strings (no gain, DNA 1.1 times as long); two and three words kept (text as
// long or longer); second words kept where few first words differ (addresses 1.1 times as long).
// Sources: Bentley and Sedgewick, "Fast algorithms for sorting and searching strings", SODA 1997 (multikey);
// Kärkkäinen and Rantala, "Engineering radix sort for strings", SPIRE 2008 (cached characters); Ng and Kakehi, 2007.
#pragma once

#include "cpu/cpu_engine.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/strings.hpp"
#include "primitives/text_word.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sortile::cpu {

template <class Strings, class Index>
class string_sorter {
 public:
  string_sorter(const strings_request& request, const options& opts, unsigned threads)
      : strings_(request), n_(request.n), positions_(static_cast<Index*>(request.indices_out)),
        complement_(opts.order == order::descending ? ~std::uint64_t{0} : 0), threads_(n_ < alone ? 1 : threads),
        progress_(opts.progress ? &opts.progress : nullptr, 4 * std::uint64_t{n_} + 1), callback_(opts.progress),
        repeats_(request.distinct ? n_ : 0, "the marks of equal strings"), workers_(threads_) {
    std::fill(repeats_.bytes().begin(), repeats_.bytes().end(), std::byte{0});
  }

  std::size_t run() {
    if (n_ < 2) {
      if (n_ == 1)
        positions_[0] = 0;
    } else {
      sort_all();
    }
    const std::size_t remaining = repeats_.bytes().empty() ? n_ : keep_first_of_equals();
    progress_.finish();
    return remaining;
  }

 private:
  static constexpr std::size_t alone = std::size_t{1} << 15;   // groups below this size are sorted by one thread
  static constexpr std::size_t piece = std::size_t{1} << 12;   // strings that a thread takes at a time
  static constexpr std::size_t keeping = std::size_t{1} << 14; // fewer strings keep no second words
  static constexpr std::size_t small = 128;                    // groups up to this size are sorted several at a time
  static constexpr std::size_t together = 512;                 // strings in small groups that are sorted at a time
  static constexpr std::size_t inserted = 16;                  // so few are put between each other
  static constexpr std::size_t ahead = 12;                     // strings asked for before they are read
  static constexpr std::size_t most_common = 32767; // bytes that a word can say a string shares with the pivot
  static constexpr std::size_t behind_common = 5;   // bytes of a word behind those
  static constexpr std::size_t none = SIZE_MAX;

  struct group {
    Index* positions;
    std::size_t n;
    std::size_t depth; // bytes
    bool is_most{};    // of the strings of the group that it comes from
  };

  /// How words are made of the strings of a group.
  struct digit {
    std::size_t depth;
    std::string_view pivot{}; // from depth on; empty: words of seven bytes
  };

  /// A string of a small group: what is left of it, and the first word of that.
  struct rest {
    std::uint64_t word;
    const char* at; // the word's first byte
    const char* end;
    Index position;
  };

  /// Small groups that are sorted together, once there are enough of them.
  struct waiting_groups {
    std::vector<group> groups;
    std::size_t strings{};
    void clear() {
      groups.clear();
      strings = 0;
    }
  };

  /// Room for small groups that are sorted together, and to sort one of them. Not initialised.
  struct few_strings {
    rest rests[together];
    rest moved[small];
    std::uint64_t words[small];
    Index order[small];
  };

  /// What a thread needs again and again.
  struct worker {
    std::vector<std::uint64_t> words;
    std::vector<group> stack;
    waiting_groups by_second_word, by_text;
    std::unique_ptr<few_strings> few;
    scratch space; // of the engine
  };

  // ---- all strings ----

  void sort_all() {
    const scratch memory(n_ * sizeof(std::uint64_t), "the words of a sort of strings");
    auto* const words = reinterpret_cast<std::uint64_t*>(memory.bytes().data());
    const group all{positions_, n_, 0};
    const digit by = make_words<true>(all, words, threads_);
    sort_words(words, positions_, n_, true, threads_, workers_[0]);
    progress_.add(n_);
    std::vector<group> large;
    split(all, by, words, large);
    while (!large.empty()) {
      const group next = large.back();
      large.pop_back();
      sort_large(next, words, large);
    }
  }

  /// A large group, by all threads. `words` has room for it.
  void sort_large(const group& g, std::uint64_t* words, std::vector<group>& large) {
    const digit by = make_words<false>(g, words, threads_);
    sort_words(words, g.positions, g.n, false, threads_, workers_[0]);
    split(g, by, words, large);
  }

  /// Of sorted words: groups of equal ones are finished, in parallel, and the large ones handed back.
  void split(const group& g, const digit& by, const std::uint64_t* words, std::vector<group>& large) {
    std::mutex lock;
    for_each_task(g.n >= alone ? threads_ : 1, pieces(g.n), &progress_, [&](unsigned w, std::size_t p) {
      const std::size_t until = std::min(g.n, (p + 1) * piece);
      std::size_t begin = p * piece;
      while (begin > 0 && begin < until && words[begin] == words[begin - 1])
        ++begin; // belongs to the piece before
      for (std::size_t end; begin < until; begin = end) {
        end = end_of_equals(words, begin, g.n);
        if (end - begin == 1)
          continue;
        if (is_last(words[begin], by)) {
          mark_repeats(g.positions + begin, end - begin);
        } else if (const group next = part(g, by, words, begin, end); next.n >= alone && threads_ > 1) {
          const std::lock_guard held(lock);
          large.push_back(next);
        } else {
          finish(next, workers_[w]);
        }
      }
      finish_waiting(workers_[w]);
      if (g.n == n_)
        progress_.add(2 * std::uint64_t{until - p * piece});
    });
  }

  // ---- groups of one thread ----

  /// The strings of a group from `begin` to `end`, whose words are equal and not their last.
  group part(const group& g, const digit& by, const std::uint64_t* words, std::size_t begin, std::size_t end) const {
    return {g.positions + begin, end - begin, depth_behind(words[begin], by), end - begin > g.n / 2};
  }

  /// Small groups wait for more of them, or for finish_waiting().
  void finish(const group& g, worker& w) {
    w.stack.push_back(g);
    finish_stack(w);
  }

  void finish_waiting(worker& w) {
    sort_by_second_words(w);
    finish_stack(w);
    sort_by_text(w);
  }

  void finish_stack(worker& w) {
    while (!w.stack.empty()) {
      const group next = w.stack.back();
      w.stack.pop_back();
      if (next.n > small)
        sort_by_words(next, w);
      else
        let_wait(next, w);
    }
  }

  void sort_by_words(const group& g, worker& w) {
    if (w.words.size() < g.n)
      w.words.resize(std::max<std::size_t>(g.n, 1024));
    std::uint64_t* const words = w.words.data();
    const digit by = make_words<false>(g, words, 1);
    sort_words(words, g.positions, g.n, false, 1, w);
    for (std::size_t begin = 0, end; begin < g.n; begin = end) {
      end = end_of_equals(words, begin, g.n);
      if (end - begin == 1)
        continue;
      if (is_last(words[begin], by))
        mark_repeats(g.positions + begin, end - begin);
      else
        w.stack.push_back(part(g, by, words, begin, end));
    }
  }

  // ---- small groups ----

  void let_wait(const group& g, worker& w) {
    const bool has_words = has_second_words(g);
    waiting_groups& others = has_words ? w.by_second_word : w.by_text;
    if (others.strings + g.n > together)
      has_words ? sort_by_second_words(w) : sort_by_text(w);
    if (others.groups.capacity() == 0)
      others.groups.reserve(together / 4);
    others.groups.push_back(g);
    others.strings += g.n;
  }

  /// What is equal then goes on w.stack.
  void sort_by_second_words(worker& w) {
    const std::uint64_t* const second = second_words();
    for (const group& g : w.by_second_word.groups)
      for (std::size_t i = 0; i < g.n; ++i)
        __builtin_prefetch(second + g.positions[i]);
    for (const group& g : w.by_second_word.groups)
      sort_by_words(g, w);
    w.by_second_word.clear();
  }

  /// Each string is a cache miss or two, for which others do not wait: all are asked for before the first is read.
  void sort_by_text(worker& w) {
    if (w.by_text.strings == 0)
      return;
    for (const group& g : w.by_text.groups)
      for (std::size_t i = 0; i < g.n; ++i)
        strings_.prefetch(g.positions[i]);
    if (w.few == nullptr)
      w.few.reset(new few_strings);
    rest* next = w.few->rests;
    for (const group& g : w.by_text.groups)
      for (std::size_t i = 0; i < g.n; ++i) {
        const std::string_view text = strings_[g.positions[i]];
        *next = {0, text.data() + g.depth, text.data() + text.size(), g.positions[i]};
        __builtin_prefetch(next++->at);
      }
    next = w.few->rests;
    for (const group& g : w.by_text.groups) {
      if (g.n > 2)
        go_on(next, g.n, 0);
      sort_rests(next, g.n, g.positions, w);
      for (std::size_t i = 0; i < g.n; ++i)
        g.positions[i] = next++->position;
    }
    w.by_text.clear();
  }

  /// The words so many bytes further on.
  void go_on(rest* rests, std::size_t n, std::size_t bytes) const {
    for (rest* r = rests; r < rests + n; ++r) {
      r->at += bytes;
      r->word = text_word_at(text_of(*r), 0) ^ complement_;
    }
  }

  /// `places`: where their positions will be.
  void sort_rests(rest* rests, std::size_t n, const Index* places, worker& w) {
    if (n == 2)
      return sort_two(rests, places);
    for (;;) {
      n <= inserted ? insert_by_words(rests, n) : sort_by_words(rests, n, w);
      if (rests[0].word != rests[n - 1].word)
        break;
      if (is_last_word(rests[0].word ^ complement_))
        return mark_repeats(places, n);
      go_on(rests, n, shared_prefix(rests, n));
    }
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      for (end = begin + 1; end < n && rests[end].word == rests[begin].word;)
        ++end;
      if (end - begin == 1)
        continue;
      if (is_last_word(rests[begin].word ^ complement_)) {
        mark_repeats(places + begin, end - begin);
      } else {
        go_on(rests + begin, end - begin, text_word_bytes);
        sort_rests(rests + begin, end - begin, places + begin, w);
      }
    }
  }

  void sort_two(rest* rests, const Index* places) {
    const int compared = text_of(rests[0]).compare(text_of(rests[1]));
    if (compared == 0)
      mark_repeats(places, 2);
    else if ((compared > 0) == (complement_ == 0))
      std::swap(rests[0], rests[1]);
  }

  static void insert_by_words(rest* rests, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      const rest held = rests[i];
      std::size_t at = i;
      for (; at > 0 && held.word < rests[at - 1].word; --at)
        rests[at] = rests[at - 1];
      rests[at] = held;
    }
  }

  void sort_by_words(rest* rests, std::size_t n, worker& w) {
    few_strings& few = *w.few;
    for (std::size_t i = 0; i < n; ++i)
      few.words[i] = rests[i].word;
    sort_words(few.words, few.order, n, true, 1, w);
    std::copy(rests, rests + n, few.moved);
    for (std::size_t i = 0; i < n; ++i)
      rests[i] = few.moved[few.order[i]];
  }

  static std::string_view text_of(const rest& r) { return {r.at, static_cast<std::size_t>(r.end - r.at)}; }

  /// Bytes that all begin with, which agree in a word that goes on.
  static std::size_t shared_prefix(const rest* rests, std::size_t n) {
    const std::string_view first = text_of(rests[0]);
    std::size_t least = first.size();
    for (std::size_t i = 1; i < n; ++i)
      least = common(first, text_of(rests[i]), text_word_bytes, least);
    return least;
  }

  // ---- words ----

  /// The words of a group and how they are made; `All`: of all strings, whose positions are not written yet.
  template <bool All>
  digit make_words(const group& g, std::uint64_t* words, unsigned threads) {
    if (has_second_words(g)) {
      copy_second_words(g, words, threads);
      return {g.depth};
    }
    if (g.is_most) {
      const digit by{g.depth, pivot_of<All>(g)};
      words_of<All>(g, by, {}, words, threads);
      return by;
    }
    const std::string_view head = head_of<All>(g);
    const digit behind{g.depth + head.size()};
    if (All && n_ >= keeping && first_words_repeat(behind.depth)) {
      second_ = scratch(n_ * sizeof(std::uint64_t), "the words of a sort of strings");
      second_depth_ = behind.depth + text_word_bytes;
    }
    if (words_of<All>(g, behind, head, words, threads))
      return behind;
    if constexpr (All)
      second_depth_ = none;
    const digit beside{g.depth, pivot_of<All>(g)};
    words_of<All>(g, beside, {}, words, threads);
    return beside;
  }

  /// What a sample of a group goes on with. Its strings are cache misses, so all are asked for first.
  template <bool All>
  std::string_view head_of(const group& g) const {
    std::array<std::string_view, 32> texts;
    const std::size_t sample = std::clamp<std::size_t>(g.n / 16, 2, texts.size());
    if constexpr (!All)
      for (std::size_t i = 0; i < sample; ++i)
        strings_.prefetch(g.positions[g.n / sample * i]);
    for (std::size_t i = 0; i < sample; ++i) {
      texts[i] = string_at<All>(g, g.n / sample * i);
      __builtin_prefetch(texts[i].data() + g.depth);
    }
    std::size_t least = std::min(texts[0].size(), g.depth + most_common);
    for (std::size_t i = 1; i < sample && least > g.depth; ++i)
      least = common(texts[0], texts[i], g.depth, least);
    return texts[0].substr(g.depth, least - g.depth);
  }

  /// Whether a sample of all strings has several with words that come again, but not many of each.
  bool first_words_repeat(std::size_t depth) const {
    std::array<std::uint64_t, 512> words;
    const std::size_t sample = std::min(words.size(), n_ / 128);
    auto end = words.begin();
    for (std::size_t i = 0; i < sample; ++i)
      if (const std::string_view text = strings_[n_ / sample * i]; text.size() > depth + text_word_bytes)
        *end++ = text_word_at(text, depth);
    std::sort(words.begin(), end);
    const auto different = std::unique(words.begin(), end) - words.begin(), all = end - words.begin();
    return different + 2 <= all && 2 * different >= all;
  }

  // ---- second words ----

  bool has_second_words(const group& g) const { return g.depth == second_depth_; }

  std::uint64_t* second_words() const { return reinterpret_cast<std::uint64_t*>(second_.bytes().data()); }

  void copy_second_words(const group& g, std::uint64_t* words, unsigned threads) {
    const std::uint64_t* const second = second_words();
    for_each_task(g.n >= alone ? threads : 1, pieces(g.n), threads > 1 ? &progress_ : nullptr,
                  [&](unsigned, std::size_t p) {
                    for (std::size_t i = p * piece, end = std::min(g.n, i + piece); i < end; ++i) {
                      if (i + ahead < end)
                        __builtin_prefetch(second + g.positions[i + ahead]);
                      words[i] = second[g.positions[i]];
                    }
                  });
  }

  // ---- from text ----

  template <bool All>
  std::string_view string_at(const group& g, std::size_t i) const {
    return strings_[All ? i : static_cast<std::size_t>(g.positions[i])];
  }

  /// Of a few strings the one that has the most in common with the others.
  template <bool All>
  std::string_view pivot_of(const group& g) const {
    constexpr std::size_t candidates = 8;
    std::string_view texts[candidates];
    std::size_t shared[candidates] = {};
    for (std::size_t i = 0; i < candidates; ++i)
      texts[i] = string_at<All>(g, g.n / candidates * i).substr(g.depth);
    for (std::size_t i = 1; i < candidates; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const std::size_t bytes = common(texts[i], texts[j], 0, most_common);
        shared[i] += bytes;
        shared[j] += bytes;
      }
    return texts[std::max_element(shared, shared + candidates) - shared];
  }

  std::uint64_t word_of(std::string_view text, const digit& by) const {
    return (by.pivot.empty() ? text_word_at(text, by.depth) : word_beside(by.pivot, text.substr(by.depth))) ^
           complement_;
  }

  /// How a text compares with the pivot, in 16 bits; the five bytes behind what they have in common; and how many of
  /// these are used (6: the text goes on).
  static std::uint64_t word_beside(std::string_view pivot, std::string_view text) {
    const std::size_t shared = common(pivot, text, 0, most_common), rest = text.size() - shared;
    std::uint64_t place = most_common;
    if (shared < most_common && (rest > 0 || shared < pivot.size())) {
      const bool is_larger = rest > 0 && (shared == pivot.size() || static_cast<unsigned char>(text[shared]) >
                                                                        static_cast<unsigned char>(pivot[shared]));
      place = is_larger ? 2 * most_common + 1 - shared : shared;
    }
    return place << 48 | text_word_at(text, shared) >> 24 << 8 | std::min(rest, behind_common + 1);
  }

  /// Where strings with this word, which goes on, are to be compared next.
  std::size_t depth_behind(std::uint64_t word, const digit& by) const {
    if (by.pivot.empty())
      return by.depth + text_word_bytes;
    const std::size_t place = (word ^ complement_) >> 48;
    const std::size_t shared = place < most_common   ? place
                               : place > most_common ? 2 * most_common + 1 - place
                                                     : std::min(by.pivot.size(), most_common);
    return by.depth + shared + behind_common;
  }

  bool is_last(std::uint64_t word, const digit& by) const {
    word ^= complement_;
    return by.pivot.empty() ? is_last_word(word) : (word & 0xff) <= behind_common;
  }

  /// Words of all strings of a group. False where not all go on with `head`; then words may hold anything.
  template <bool All>
  bool words_of(const group& g, const digit& by, std::string_view head, std::uint64_t* words, unsigned threads) {
    std::atomic<bool> all_do{true};
    const auto make = [&](unsigned, std::size_t p) {
      const std::size_t begin = p * piece, end = std::min(g.n, begin + piece);
      if (!all_do.load(std::memory_order_relaxed))
        return;
      if (!words_of_piece<All>(g, by, head, words, begin, end))
        all_do.store(false, std::memory_order_relaxed);
      if (All && head.empty())
        progress_.add(end - begin);
    };
    for_each_task(g.n >= alone ? threads : 1, pieces(g.n), threads > 1 || All ? &progress_ : nullptr, make);
    if (All && !head.empty() && all_do)
      progress_.add(g.n);
    return all_do;
  }

  template <bool All>
  bool words_of_piece(const group& g, const digit& by, std::string_view head, std::uint64_t* words, std::size_t begin,
                      std::size_t end) {
    if (All && head.empty() && by.pivot.empty() && second_depth_ == none) { // nothing else to do
      for (std::size_t i = begin; i < end; ++i)
        words[i] = text_word_at(strings_[i], by.depth) ^ complement_;
      return true;
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (!All && i + 2 * ahead < end)
        strings_.prefetch(g.positions[i + 2 * ahead]);
      if (!All && i + ahead < end)
        __builtin_prefetch(string_at<All>(g, i + ahead).data() + g.depth);
      const std::string_view text = string_at<All>(g, i);
      if (!begins_with(text, g.depth, head))
        return false;
      words[i] = word_of(text, by);
      if (All && text.size() >= second_depth_)
        second_words()[i] = text_word_at(text, second_depth_) ^ complement_;
    }
    return true;
  }

  static bool begins_with(std::string_view text, std::size_t depth, std::string_view head) {
    return head.empty() ||
           (text.size() - depth >= head.size() && std::memcmp(text.data() + depth, head.data(), head.size()) == 0);
  }

  static std::size_t end_of_equals(const std::uint64_t* words, std::size_t begin, std::size_t n) {
    std::size_t end = begin + 1;
    while (end < n && words[end] == words[begin])
      ++end;
    return end;
  }

  /// Sorts words, and positions with them; `makes`: the positions are 0 … n − 1, which are made.
  void sort_words(std::uint64_t* words, Index* positions, std::size_t n, bool makes, unsigned threads, worker& w) {
    if (n <= inserted && !makes)
      return insert_by_words(words, positions, n);
    sort_request request{.type = key_type::u64, .n = n, .keys_in = words, .keys_out = words};
    request.carries = makes ? payload::indices : payload::values;
    request.value_bytes = sizeof(Index);
    request.values_in = makes ? nullptr : positions;
    request.values_out = positions;
    if (sort_small(request, plain_, true))
      return;
    const std::size_t wanted = cpu_engine().workspace_bytes(request, {}, threads);
    if (w.space.bytes().size() < wanted)
      w.space = scratch(wanted, "the workspace of a sort of strings");
    const std::function<bool(double)> first = [&](double done) { return callback_(0.25 + 0.25 * done); };
    const execution how{threads, w.space.bytes().first(wanted),
                        positions == positions_ && makes && callback_ ? &first : nullptr};
    cpu_engine().run(request, {}, how);
  }

  static void insert_by_words(std::uint64_t* words, Index* positions, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint64_t word = words[i];
      const Index position = positions[i];
      std::size_t at = i;
      for (; at > 0 && word < words[at - 1]; --at) {
        words[at] = words[at - 1];
        positions[at] = positions[at - 1];
      }
      words[at] = word;
      positions[at] = position;
    }
  }

  // ---- equal strings ----

  /// All but the first of these are equal to the one before.
  void mark_repeats(const Index* positions, std::size_t n) {
    if (!repeats_.bytes().empty())
      std::memset(repeats_.bytes().data() + (positions - positions_) + 1, 1, n - 1);
  }

  std::size_t keep_first_of_equals() {
    std::size_t remaining = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (repeats_.bytes()[i] == std::byte{0})
        positions_[remaining++] = positions_[i];
    return remaining;
  }

  // ---- helpers ----

  static std::size_t pieces(std::size_t n) { return (n + piece - 1) / piece; }

  /// How many bytes two strings begin with together: at least `known`, at most `most`.
  static std::size_t common(std::string_view a, std::string_view b, std::size_t known, std::size_t most) {
    const std::size_t end = std::min({a.size(), b.size(), most});
    std::size_t i = known;
    for (; i + 8 <= end; i += 8)
      if (const std::uint64_t differ =
              sortile::detail::load_big_endian(a.data() + i) ^ sortile::detail::load_big_endian(b.data() + i))
        return i + static_cast<std::size_t>(std::countl_zero(differ)) / 8;
    while (i < end && a[i] == b[i])
      ++i;
    return i;
  }

  const options plain_{};
  const Strings strings_;
  const std::size_t n_;
  Index* const positions_;
  const std::uint64_t complement_;
  const unsigned threads_;
  progress_meter progress_;
  const std::function<bool(double)>& callback_;
  const scratch repeats_; // a byte a string, where asked for
  std::vector<worker> workers_;
  scratch second_{};                // words, in memory order
  std::size_t second_depth_ = none; // where these begin
};

} // namespace sortile::cpu
