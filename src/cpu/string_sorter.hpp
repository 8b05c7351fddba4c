// The sort of byte strings: a most-significant-digit radix sort whose digit is a word of seven bytes.
//
// Idea. The words that tell strings apart are kept beside their positions, and words are sorted as any 64-bit keys are.
// All strings are sorted by the word after the prefix that all of them share. Strings whose words differ are then in
// their final order. A group of equal words is sorted by its next word, and so on; groups of up to 8192 strings, which
// the cache holds, to the end (string_batch.hpp), and so are up to 8192 strings from the beginning. All threads share a
// group of 2^15 strings or more.
//
// What a sample of a group has in common is skipped at once; each string is compared with it where its word is made.
// Where one turns out to differ, or where most strings of a group have one word, the group is sorted by how its strings
// compare with one of them, the pivot (string_words.hpp): so long common prefixes are read once, and few strings that
// leave them cost one more read of the group's.
//
// A string that is read again is a cache miss or two, so long groups ask some strings ahead. And where a sample says
// that many strings agree in their first words, but not most of them in the same one, their second words are made in
// the same read, in memory order, and wait in an array of huge pages.
//
//   words      | ab… | ab… | ab… | ba… | ca… | ca… |      sorted
//   positions  |  2  |  7  |  9  |  4  |  0  |  5  |
//               └─ group: next words ─┘  done   └ group ┘
//
// Of long lists whose strings come again and again only the different ones are sorted so (string_repeats.hpp).
//
// Invariants: a group is a range of positions that holds its strings' final places. Before it is sorted its positions
// ascend, since every step is stable; so equal strings keep their order. Its strings agree in their first `depth` bytes
// and none ends before them.
//
// Cost: one read of every string's first bytes in memory order, one sort of n (64-bit, position) pairs, then for each
// further word of a long group one fetch of each of its strings, for all further words of a short one together one.
// Lost: two and three words kept (text as long or longer); second words kept where few first words differ (addresses
// 1.1 times as long).
// Sources: Bentley and Sedgewick, "Fast algorithms for sorting and searching strings", SODA 1997 (multikey);
// Kärkkäinen and Rantala, "Engineering radix sort for strings", SPIRE 2008 (cached characters); Ng and Kakehi, 2007.
#pragma once

#include "cpu/parallel.hpp"
#include "cpu/string_batch.hpp"
#include "cpu/string_repeats.hpp"

#include <array>
#include <functional>
#include <mutex>

namespace sortile::cpu {

template <class Strings, class Index>
class string_sorter {
 public:
  string_sorter(const strings_request& request, const options& opts, unsigned threads)
      : repeats_(request.distinct ? request.n : 0, "the marks of equal strings"),
        task_{Strings(request), request.n, static_cast<Index*>(request.indices_out),
              opts.order == order::descending ? ~std::uint64_t{0} : 0, repeats_.bytes()},
        threads_(request.n < alone ? 1 : threads),
        progress_(opts.progress ? &opts.progress : nullptr, 4 * std::uint64_t{request.n} + 1),
        callback_(opts.progress) {
    std::fill(task_.repeats.begin(), task_.repeats.end(), std::byte{0});
    workers_.reserve(threads_);
    for (unsigned w = 0; w < threads_; ++w)
      workers_.emplace_back(task_);
  }

  std::size_t run() {
    const std::size_t n = task_.n;
    progress_.report();
    if (n == 1)
      task_.positions[0] = 0;
    else if (n > 1 && n <= batch::most)
      workers_[0].by_text.sort_all();
    else if (n > 1 && !sort_different())
      sort_all();
    const std::size_t remaining = task_.repeats.empty() ? n : keep_first_of_equals();
    progress_.finish();
    return remaining;
  }

 private:
  using task = string_task<Strings, Index>;
  using batch = string_batch<Strings, Index>;
  using group = string_group<Index>;

  static constexpr std::size_t alone = std::size_t{1} << 15;   // groups below this size are sorted by one thread
  static constexpr std::size_t piece = std::size_t{1} << 12;   // strings that a thread takes at a time
  static constexpr std::size_t keeping = std::size_t{1} << 14; // fewer strings keep no second words
  static constexpr std::size_t ahead = 12;                     // strings asked for before they are read
  static constexpr std::size_t none = SIZE_MAX;

  /// What a thread needs again and again.
  struct worker {
    explicit worker(const task& all) : by_text(all) {}

    scratch words{};              // of a long group
    call_vector<group> stack{};   // groups that are to be sorted
    call_vector<group> waiting{}; // those that have second words
    std::size_t waiting_strings = 0;
    batch by_text;
  };

  // ---- all strings ----

  /// Sorts strings of which few are different; false where there is nothing to gain, and nothing is done.
  bool sort_different() {
    if (threads_ > string_repeats::most_threads || !string_repeats::seem_to_pay(task_.strings, task_.n))
      return false;
    string_repeats all;
    if (!all.find(task_.strings, task_.n, threads_, &progress_))
      return false;
    progress_.add(2 * std::uint64_t{task_.n});
    progress_.report();
    all.place(task_.complement == 0 ? order::ascending : order::descending, threads_, task_.positions,
              [&](std::size_t begin, std::size_t n) { task_.mark_repeats(task_.positions + begin, n); });
    progress_.add(2 * std::uint64_t{task_.n});
    return true;
  }

  void sort_all() {
    const std::size_t n = task_.n;
    const scratch memory(n * sizeof(std::uint64_t), "the words of a sort of strings");
    auto* const words = reinterpret_cast<std::uint64_t*>(memory.bytes().data());
    const group all{task_.positions, n, 0};
    const text_digit by = make_words<true>(all, words, threads_);
    const std::function<bool(double)> told = [this](double done) { return callback_(0.25 + 0.25 * done); };
    workers_[0].by_text.sorter().sort(words, task_.positions, n, true, threads_, callback_ ? &told : nullptr);
    progress_.add(n);
    call_vector<group> large;
    split(all, by, words, large);
    while (!large.empty()) {
      const group next = large.back();
      large.pop_back();
      sort_large(next, words, large);
    }
  }

  /// A large group, by all threads. `words` has room for it.
  void sort_large(const group& g, std::uint64_t* words, call_vector<group>& large) {
    const text_digit by = make_words<false>(g, words, threads_);
    workers_[0].by_text.sorter().sort(words, g.positions, g.n, false, threads_);
    split(g, by, words, large);
  }

  /// Of sorted words: groups of equal ones are finished, in parallel, and the large ones handed back.
  void split(const group& g, const text_digit& by, const std::uint64_t* words, call_vector<group>& large) {
    std::mutex lock;
    for_each_task(g.n >= alone ? threads_ : 1, pieces(g.n), &progress_, [&](unsigned w, std::size_t p) {
      const std::size_t until = std::min(g.n, (p + 1) * piece);
      std::size_t begin = p * piece;
      while (begin > 0 && begin < until && words[begin] == words[begin - 1])
        ++begin; // belongs to the piece before
      for_each_group(g, by, words, begin, until, [&](const group& next) {
        if (next.n >= alone && threads_ > 1) {
          const std::lock_guard held(lock);
          large.push_back(next);
        } else {
          finish(next, workers_[w]);
        }
      });
      finish_waiting(workers_[w]);
      if (g.n == task_.n)
        progress_.add(2 * std::uint64_t{until - p * piece});
    });
  }

  /// Calls f(group) for the strings of a group that have equal words which go on, and begin from `begin` to `until`.
  template <class F>
  void for_each_group(const group& g, const text_digit& by, const std::uint64_t* words, std::size_t begin,
                      std::size_t until, const F& f) const {
    for (std::size_t end; begin < until; begin = end) {
      for (end = begin + 1; end < g.n && words[end] == words[begin];)
        ++end;
      if (end - begin == 1)
        continue;
      const std::uint64_t word = words[begin] ^ task_.complement;
      if (wide_words::is_last(word, by))
        task_.mark_repeats(g.positions + begin, end - begin);
      else
        f(group{g.positions + begin, end - begin, wide_words::depth_behind(word, by), end - begin > g.n / 2});
    }
  }

  // ---- groups of one thread ----

  /// Short groups wait for more of them, or for finish_waiting().
  void finish(const group& g, worker& w) {
    w.stack.push_back(g);
    finish_stack(w);
  }

  void finish_waiting(worker& w) {
    sort_by_second_words(w);
    finish_stack(w);
    w.by_text.sort();
  }

  void finish_stack(worker& w) {
    while (!w.stack.empty()) {
      const group next = w.stack.back();
      w.stack.pop_back();
      if (next.n > batch::longest_added(task_.n))
        sort_by_words(next, w);
      else if (has_second_words(next))
        wait_for_second_words(next, w);
      else
        wait_for_text(next, w);
    }
  }

  void sort_by_words(const group& g, worker& w) {
    if (w.words.bytes().size() < g.n * sizeof(std::uint64_t))
      w.words = scratch(g.n * sizeof(std::uint64_t), "the words of a sort of strings");
    auto* const words = reinterpret_cast<std::uint64_t*>(w.words.bytes().data());
    const text_digit by = make_words<false>(g, words, 1);
    w.by_text.sorter().sort(words, g.positions, g.n, false, 1);
    for_each_group(g, by, words, 0, g.n, [&](const group& next) { w.stack.push_back(next); });
  }

  void wait_for_text(const group& g, worker& w) {
    if (w.by_text.is_full_for(g))
      w.by_text.sort();
    w.by_text.add(g);
  }

  void wait_for_second_words(const group& g, worker& w) {
    if (w.waiting_strings + g.n > batch::together)
      sort_by_second_words(w);
    for (std::size_t i = 0; i < g.n; ++i)
      __builtin_prefetch(second_words() + g.positions[i]);
    w.waiting.push_back(g);
    w.waiting_strings += g.n;
  }

  /// What is equal then goes on w.stack.
  void sort_by_second_words(worker& w) {
    for (const group& g : w.waiting)
      w.by_text.sort_by_made(g, second_words(), [&](const group& next) { w.stack.push_back(next); });
    w.waiting.clear();
    w.waiting_strings = 0;
  }

  // ---- words ----

  /// The words of a group and how they are made; `All`: of all strings, whose positions are not written yet.
  template <bool All>
  text_digit make_words(const group& g, std::uint64_t* words, unsigned threads) {
    if (has_second_words(g)) {
      copy_second_words(g, words, threads);
      return {g.depth};
    }
    if (g.is_most) {
      const text_digit by{g.depth, pivot_of<All>(g)};
      words_of<All>(g, by, {}, words, threads);
      return by;
    }
    const std::string_view head = head_of<All>(g);
    const text_digit behind{g.depth + head.size()};
    if (All && task_.n >= keeping && first_words_repeat(behind.depth)) {
      second_ = scratch(task_.n * sizeof(std::uint64_t), "the words of a sort of strings");
      second_depth_ = behind.depth + text_word_bytes;
    }
    if (words_of<All>(g, behind, head, words, threads))
      return behind;
    if constexpr (All)
      second_depth_ = none;
    const text_digit beside{g.depth, pivot_of<All>(g)};
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
        task_.strings.prefetch(g.positions[g.n / sample * i]);
    for (std::size_t i = 0; i < sample; ++i) {
      texts[i] = string_at<All>(g, g.n / sample * i);
      __builtin_prefetch(texts[i].data() + g.depth);
    }
    std::size_t least = std::min(texts[0].size(), g.depth + most_common);
    for (std::size_t i = 1; i < sample && least > g.depth; ++i)
      least = common_bytes(texts[0], texts[i], g.depth, least);
    return texts[0].substr(g.depth, least - g.depth);
  }

  /// Whether a sample of all strings has several with words that come again, but not many of each.
  bool first_words_repeat(std::size_t depth) const {
    std::array<std::uint64_t, 512> words;
    const std::size_t sample = std::min(words.size(), task_.n / 128);
    auto end = words.begin();
    for (std::size_t i = 0; i < sample; ++i)
      if (const std::string_view text = task_.strings[task_.n / sample * i]; text.size() > depth + text_word_bytes)
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
    return task_.strings[All ? i : static_cast<std::size_t>(g.positions[i])];
  }

  template <bool All>
  std::string_view pivot_of(const group& g) const {
    return choose_pivot(g.n, [&](std::size_t i) { return string_at<All>(g, i).substr(g.depth); });
  }

  /// Words of all strings of a group. False where not all go on with `head`; then words may hold anything.
  template <bool All>
  bool words_of(const group& g, const text_digit& by, std::string_view head, std::uint64_t* words, unsigned threads) {
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
  bool words_of_piece(const group& g, const text_digit& by, std::string_view head, std::uint64_t* words,
                      std::size_t begin, std::size_t end) {
    if (All && head.empty() && by.pivot.empty() && second_depth_ == none) { // nothing else to do
      for (std::size_t i = begin; i < end; ++i)
        words[i] = text_word_at(task_.strings[i], by.depth) ^ task_.complement;
      return true;
    }
    for (std::size_t i = begin; i < end; ++i) {
      if (!All && i + 2 * ahead < end)
        task_.strings.prefetch(g.positions[i + 2 * ahead]);
      if (!All && i + ahead < end)
        __builtin_prefetch(string_at<All>(g, i + ahead).data() + g.depth);
      const std::string_view text = string_at<All>(g, i);
      if (!begins_with(text, g.depth, head))
        return false;
      words[i] = (wide_words::make(text, by) ^ task_.complement);
      if (All && text.size() >= second_depth_)
        second_words()[i] = text_word_at(text, second_depth_) ^ task_.complement;
    }
    return true;
  }

  static bool begins_with(std::string_view text, std::size_t depth, std::string_view head) {
    return head.empty() ||
           (text.size() - depth >= head.size() && std::memcmp(text.data() + depth, head.data(), head.size()) == 0);
  }

  // ---- equal strings ----

  std::size_t keep_first_of_equals() {
    std::size_t remaining = 0;
    for (std::size_t i = 0; i < task_.n; ++i)
      if (task_.repeats[i] == std::byte{0})
        task_.positions[remaining++] = task_.positions[i];
    return remaining;
  }

  // ---- helpers ----

  static std::size_t pieces(std::size_t n) { return (n + piece - 1) / piece; }

  const scratch repeats_;
  const task task_;
  const unsigned threads_;
  progress_meter progress_;
  const std::function<bool(double)>& callback_;
  call_vector<worker> workers_;
  scratch second_{};                // words, in memory order
  std::size_t second_depth_ = none; // where these begin
};

} // namespace sortile::cpu
