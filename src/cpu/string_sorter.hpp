// The sort of byte strings: a most-significant-digit radix sort whose digit is a word of seven bytes.
//
// Idea. The words that tell strings apart are kept beside their positions, and words are sorted as any 64-bit keys are.
// All strings are sorted by the word after the prefix that all of them share. Strings whose words differ are then in
// their final order. A group of equal words is sorted by its next word, and so on. What the strings of a group have in
// common is skipped at once, so long common prefixes are read once. Most groups are short: up to eight strings are
// sorted by comparison; longer groups become words again, which vectors sort (small_sort.cpp), or a radix sort of one
// thread. All threads share a group of 2^15 strings or more.
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
// further word one fetch of each string of a group, asked for in advance, since each is a cache miss.
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
#include <mutex>
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
  static constexpr std::size_t compared = 8;                 // groups up to this size are sorted by comparison
  static constexpr std::size_t alone = std::size_t{1} << 15; // groups below this size are sorted by one thread
  static constexpr std::size_t piece = std::size_t{1} << 12; // strings that a thread takes at a time
  static constexpr std::size_t ahead = 12;                   // strings asked for before they are read
  static constexpr std::size_t pivoted = 16;                 // smaller groups have no pivot
  static constexpr std::size_t most_common = 32767;          // bytes that a word can say a string shares with the pivot
  static constexpr std::size_t behind_common = 5;            // bytes of a word behind those

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

  /// What a thread needs again and again.
  struct worker {
    std::vector<std::uint64_t> words;
    std::vector<group> stack;
    scratch space; // of the engine
  };

  // ---- all strings ----

  void sort_all() {
    const scratch memory(n_ * sizeof(std::uint64_t), "the words of a sort of strings");
    auto* const words = reinterpret_cast<std::uint64_t*>(memory.bytes().data());
    const std::size_t depth = shared_prefix();
    for_each_task(threads_, pieces(n_), &progress_, [&](unsigned, std::size_t p) {
      const std::size_t end = std::min(n_, (p + 1) * piece);
      for (std::size_t i = p * piece; i < end; ++i)
        words[i] = word_of(strings_[i], {depth});
      progress_.add(end - p * piece);
    });
    sort_words(words, positions_, n_, true, threads_, workers_[0]);
    progress_.add(n_);
    std::vector<group> large;
    split({positions_, n_, depth}, {depth}, words, large);
    while (!large.empty()) {
      const group next = large.back();
      large.pop_back();
      sort_large(next, words, large);
    }
  }

  /// Bytes that all strings begin with.
  std::size_t shared_prefix() {
    std::atomic<std::size_t> shared{strings_[0].size()};
    for_each_task(threads_, pieces(n_), nullptr, [&](unsigned, std::size_t p) {
      std::size_t least = shared.load(std::memory_order_relaxed);
      for (std::size_t i = p * piece; i < std::min(n_, (p + 1) * piece) && least > 0; ++i)
        least = common(strings_[0], strings_[i], 0, least);
      lower(shared, least);
    });
    return shared;
  }

  /// A large group, by all threads. `words` has room for it.
  void sort_large(const group& g, std::uint64_t* words, std::vector<group>& large) {
    const digit by = digit_of(g);
    for_each_task(threads_, pieces(g.n), &progress_, [&](unsigned, std::size_t p) {
      words_of(g.positions + p * piece, std::min(piece, g.n - p * piece), by, words + p * piece);
    });
    sort_words(words, g.positions, g.n, false, threads_, workers_[0]);
    split(g, by, words, large);
  }

  /// Bytes that all strings of a group begin with: at least its depth. Strings without more are not read beyond the
  /// first that says so.
  std::size_t shared_prefix(const group& g) const {
    std::atomic<std::size_t> shared{strings_[g.positions[0]].size()};
    for_each_task(g.n >= alone ? threads_ : 1, pieces(g.n), nullptr, [&](unsigned, std::size_t p) {
      const std::size_t end = std::min(g.n, (p + 1) * piece);
      std::size_t least = shared.load(std::memory_order_relaxed);
      for (std::size_t i = p * piece; i < end && least > g.depth; ++i) {
        if (i + ahead < end)
          fetch(g.positions[i + ahead], g.depth);
        least = common(strings_[g.positions[0]], strings_[g.positions[i]], g.depth, least);
      }
      lower(shared, least);
    });
    return shared;
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
        ask_ahead(g, by, words, begin);
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
      if (g.n == n_)
        progress_.add(2 * std::uint64_t{until - p * piece});
    });
  }

  // ---- groups of one thread ----

  /// The strings of a group from `begin` to `end`, whose words are equal and not their last.
  group part(const group& g, const digit& by, const std::uint64_t* words, std::size_t begin, std::size_t end) const {
    return {g.positions + begin, end - begin, depth_behind(words[begin], by), end - begin > g.n / 2};
  }

  void finish(const group& g, worker& w) {
    w.stack.push_back(g);
    while (!w.stack.empty()) {
      const group next = w.stack.back();
      w.stack.pop_back();
      next.n <= compared ? insertion_sort(next) : sort_by_words(next, w);
    }
  }

  void sort_by_words(const group& g, worker& w) {
    if (w.words.size() < g.n)
      w.words.resize(std::max<std::size_t>(g.n, 1024));
    std::uint64_t* const words = w.words.data();
    const digit by = digit_of(g);
    words_of(g.positions, g.n, by, words);
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

  void insertion_sort(const group& g) {
    for (std::size_t i = 1; i < g.n; ++i) {
      const Index moving = g.positions[i];
      const std::string_view text = strings_[moving].substr(g.depth);
      std::size_t at = i;
      for (; at > 0 && comes_before(text, strings_[g.positions[at - 1]].substr(g.depth)); --at)
        g.positions[at] = g.positions[at - 1];
      g.positions[at] = moving;
    }
    if (!repeats_.bytes().empty())
      for (std::size_t i = 1; i < g.n; ++i)
        if (strings_[g.positions[i - 1]].substr(g.depth) == strings_[g.positions[i]].substr(g.depth))
          mark_repeats(g.positions + i - 1, 2);
  }

  bool comes_before(std::string_view a, std::string_view b) const { return complement_ == 0 ? a < b : b < a; }

  // ---- words ----

  digit digit_of(const group& g) const {
    if (g.is_most && g.n >= pivoted)
      return {g.depth, pivot_of(g)};
    return {shared_prefix(g)};
  }

  /// Of a few strings the one that has the most in common with the others.
  std::string_view pivot_of(const group& g) const {
    constexpr std::size_t candidates = 8;
    std::string_view texts[candidates];
    std::size_t shared[candidates] = {};
    for (std::size_t i = 0; i < candidates; ++i)
      texts[i] = strings_[g.positions[g.n / candidates * i]].substr(g.depth);
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

  void words_of(const Index* positions, std::size_t n, const digit& by, std::uint64_t* words) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 2 * ahead < n)
        strings_.prefetch(positions[i + 2 * ahead]);
      if (i + ahead < n)
        fetch(positions[i + ahead], by.depth);
      words[i] = word_of(strings_[positions[i]], by);
    }
  }

  void fetch(Index position, std::size_t depth) const { __builtin_prefetch(strings_[position].data() + depth); }

  /// Asks for the strings of a group some way after `at`.
  void ask_ahead(const group& g, const digit& by, const std::uint64_t* words, std::size_t at) const {
    const std::size_t near = at + ahead, far = near + ahead;
    if (far < g.n && words[far] == words[far - 1])
      strings_.prefetch(g.positions[far]);
    if (near < g.n && words[near] == words[near - 1]) {
      const std::size_t depth = depth_behind(words[near], by);
      fetch(g.positions[near - 1], depth);
      fetch(g.positions[near], depth);
    }
  }

  static std::size_t end_of_equals(const std::uint64_t* words, std::size_t begin, std::size_t n) {
    std::size_t end = begin + 1;
    while (end < n && words[end] == words[begin])
      ++end;
    return end;
  }

  /// Sorts words, and positions with them; `makes`: the positions are 0 … n − 1, which are made.
  void sort_words(std::uint64_t* words, Index* positions, std::size_t n, bool makes, unsigned threads, worker& w) {
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
    const execution how{threads, w.space.bytes().first(wanted), makes && callback_ ? &first : nullptr};
    cpu_engine().run(request, {}, how);
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

  static void lower(std::atomic<std::size_t>& least, std::size_t to) {
    std::size_t seen = least.load(std::memory_order_relaxed);
    while (to < seen && !least.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
    }
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
};

} // namespace sortile::cpu
