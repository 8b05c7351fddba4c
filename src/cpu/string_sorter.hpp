// The sort of byte strings: a most-significant-digit radix sort whose digit is a word of seven bytes.
//
// Idea. The words that tell strings apart are kept beside their positions, and words are sorted as any 64-bit keys are.
// All strings are sorted by the word after the prefix that all of them share. Strings whose words differ are then in
// their final order. A group of equal words is sorted by its next word, and so on. What the strings of a group have in
// common is skipped at once, so long common prefixes are read once. Most groups are short: up to eight strings are
// sorted by comparison; longer groups become words again, which vectors sort (small_sort.cpp), or a radix sort of one
// thread. All threads share a group of 2^15 strings or more.
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

  struct group {
    Index* positions;
    std::size_t n;
    std::size_t depth; // bytes
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
        words[i] = text_word_at(strings_[i], depth) ^ complement_;
      progress_.add(end - p * piece);
    });
    sort_words(words, positions_, n_, true, threads_, workers_[0]);
    progress_.add(n_);
    std::vector<group> large;
    split({positions_, n_, depth}, words, large);
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
  void sort_large(group g, std::uint64_t* words, std::vector<group>& large) {
    for (;;) {
      for_each_task(threads_, pieces(g.n), &progress_, [&](unsigned, std::size_t p) {
        words_of(g.positions + p * piece, std::min(piece, g.n - p * piece), g.depth, words + p * piece);
      });
      if (!all_equal(words, g.n))
        break;
      if (is_last(words[0]))
        return mark_repeats(g.positions, g.n);
      g.depth = shared_prefix(g);
    }
    sort_words(words, g.positions, g.n, false, threads_, workers_[0]);
    split(g, words, large);
  }

  /// Bytes that all strings of a group begin with: more than the word in which they are known to agree.
  std::size_t shared_prefix(const group& g) {
    const std::size_t known = g.depth + text_word_bytes;
    std::atomic<std::size_t> shared{strings_[g.positions[0]].size()};
    for_each_task(g.n >= alone ? threads_ : 1, pieces(g.n), nullptr, [&](unsigned, std::size_t p) {
      const std::size_t end = std::min(g.n, (p + 1) * piece);
      std::size_t least = shared.load(std::memory_order_relaxed);
      for (std::size_t i = p * piece; i < end && least > known; ++i) {
        if (i + ahead < end)
          fetch(g.positions[i + ahead], known);
        least = common(strings_[g.positions[0]], strings_[g.positions[i]], known, least);
      }
      lower(shared, least);
    });
    return std::max<std::size_t>(shared, known);
  }

  /// Of sorted words: groups of equal ones are finished, in parallel, and the large ones handed back.
  void split(const group& g, const std::uint64_t* words, std::vector<group>& large) {
    std::mutex lock;
    for_each_task(g.n >= alone ? threads_ : 1, pieces(g.n), &progress_, [&](unsigned w, std::size_t p) {
      const std::size_t until = std::min(g.n, (p + 1) * piece);
      std::size_t begin = p * piece;
      while (begin > 0 && begin < until && words[begin] == words[begin - 1])
        ++begin; // belongs to the piece before
      for (std::size_t end; begin < until; begin = end) {
        ask_ahead(g, words, begin);
        end = end_of_equals(words, begin, g.n);
        if (end - begin == 1)
          continue;
        if (end - begin >= alone && threads_ > 1 && !is_last(words[begin])) {
          const std::lock_guard held(lock);
          large.push_back({g.positions + begin, end - begin, g.depth + text_word_bytes});
        } else {
          finish_equals(g.positions + begin, end - begin, words[begin], g.depth, workers_[w]);
        }
      }
      if (g.n == n_)
        progress_.add(2 * std::uint64_t{until - p * piece});
    });
  }

  // ---- groups of one thread ----

  /// Strings whose words at `depth` are equal.
  void finish_equals(Index* positions, std::size_t n, std::uint64_t word, std::size_t depth, worker& w) {
    if (is_last(word))
      return mark_repeats(positions, n);
    w.stack.push_back({positions, n, depth + text_word_bytes});
    while (!w.stack.empty()) {
      const group next = w.stack.back();
      w.stack.pop_back();
      next.n <= compared ? insertion_sort(next) : sort_by_words(next, w);
    }
  }

  void sort_by_words(group g, worker& w) {
    if (w.words.size() < g.n)
      w.words.resize(std::max<std::size_t>(g.n, 1024));
    std::uint64_t* const words = w.words.data();
    for (words_of(g.positions, g.n, g.depth, words); all_equal(words, g.n);) {
      if (is_last(words[0]))
        return mark_repeats(g.positions, g.n);
      g.depth = shared_prefix(g);
      words_of(g.positions, g.n, g.depth, words);
    }
    sort_words(words, g.positions, g.n, false, 1, w);
    for (std::size_t begin = 0, end; begin < g.n; begin = end) {
      end = end_of_equals(words, begin, g.n);
      if (end - begin == 1)
        continue;
      if (is_last(words[begin]))
        mark_repeats(g.positions + begin, end - begin);
      else
        w.stack.push_back({g.positions + begin, end - begin, g.depth + text_word_bytes});
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

  void words_of(const Index* positions, std::size_t n, std::size_t depth, std::uint64_t* words) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 2 * ahead < n)
        strings_.prefetch(positions[i + 2 * ahead]);
      if (i + ahead < n)
        fetch(positions[i + ahead], depth);
      words[i] = text_word_at(strings_[positions[i]], depth) ^ complement_;
    }
  }

  void fetch(Index position, std::size_t depth) const { __builtin_prefetch(strings_[position].data() + depth); }

  /// Asks for the strings of a group some way after `at`.
  void ask_ahead(const group& g, const std::uint64_t* words, std::size_t at) const {
    const std::size_t near = at + ahead, far = near + ahead;
    if (far < g.n && words[far] == words[far - 1])
      strings_.prefetch(g.positions[far]);
    if (near < g.n && words[near] == words[near - 1]) {
      fetch(g.positions[near - 1], g.depth + text_word_bytes);
      fetch(g.positions[near], g.depth + text_word_bytes);
    }
  }

  bool is_last(std::uint64_t word) const { return is_last_word(word ^ complement_); }

  static bool all_equal(const std::uint64_t* words, std::size_t n) {
    return std::all_of(words, words + n, [first = words[0]](std::uint64_t w) { return w == first; });
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
      if (std::memcmp(a.data() + i, b.data() + i, 8) != 0)
        break;
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
