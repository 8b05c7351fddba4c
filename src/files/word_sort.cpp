// See word_sort.hpp.
//
// Idea. A key is a string of 64-bit words that compare as the key does (key_word.hpp). All records are sorted by their
// first words with the library's radix engine, their numbers travelling along. Records whose first words differ are
// then in order for good; a group of equal words is sorted by its next words, and so on: a most-significant-digit radix
// sort whose digit is a word (Bentley and Sedgewick 1997 on strings; Kärkkäinen and Rantala 2008 on caching the next
// bytes beside the pointers). Most groups have one record after the first word; small ones are finished by comparison,
// large ones go back to the engine with all threads.
//
//   words   | ab… | ab… | ab… | ba… | ca… | ca… |        first words, sorted
//   numbers |  7  |  2  |  9  |  4  |  0  |  5  |
//             └─ group: next words ─┘  done   └ group ┘
//
// Where the first words are numbers of few bits, they carry the beginning of the next part too, and most words the
// numbers of their records, so that they are sorted alone (first_words.cpp).
//
// Invariants: every group is a range of `numbers` that holds its records' final places; before a group is sorted, its
// numbers ascend, since each step is stable; so equal records keep their order.
//
// Cost: one pass over the text, one sort of n 64-bit words, or (64-bit, 32-bit) pairs, then for each further word of a
// group one fetch of every record in it. Where a whole group has the same word, the common prefix of the group is
// skipped in one pass. A word of a number or of a field is found by reading what lies before it; so that this does not
// become quadratic in the length of a record, such a part is given `most_passes` words, and what is equal then is
// sorted by comparison.
#include "files/word_sort.hpp"

#include "files/first_words.hpp"
#include "files/parallel.hpp"

#include <sortile/select.hpp>
#include <sortile/sortile.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t slice_records = std::size_t{1} << 12;
constexpr std::size_t compared = 12;                // groups up to this size are sorted by comparison
constexpr std::size_t alone = std::size_t{1} << 15; // groups up to this size are sorted by one thread
constexpr unsigned most_passes = 8;                 // words of a part, where each means reading the record

// Numbers of records that are equal in all words before (part, depth).
struct group {
  std::span<std::uint32_t> ids;
  std::size_t part = 0;
  std::size_t depth = 0;
  unsigned passes = 0; // words that were made of this part
};

class sorter {
 public:
  sorter(const record_table& records, const record_order& order, const options& opts)
      : records_(records), order_(order), opts_(opts), threads_(thread_count(opts.threads)) {
    opts_.order = sortile::order::ascending;
    opts_.bits = {};
    opts_.workspace = {};
  }

  void sort_all(std::span<std::uint32_t> ids) {
    std::vector<group> large;
    sort_by_first_word(ids, large);
    sort_groups(large);
  }

  // Some of the records, whose numbers ascend.
  void sort_some(std::span<std::uint32_t> ids) {
    if (ids.size() < 2)
      return;
    std::vector<group> large{{ids, 0, 0, 0}};
    sort_groups(large);
  }

  // The records whose first words are among the `most` smallest, ties included, in ascending order of their numbers;
  // empty where they are so many that choosing them gains nothing.
  raw_array<std::uint32_t> candidates(std::size_t most) {
    const std::size_t n = records_.size();
    raw_array<std::uint64_t> words(n);
    first_words(records_, order_, {words.data(), n}, threads_);
    raw_array<std::uint64_t> smallest(most);
    sortile::run(
        top_k_request{.type = key_type::u64, .n = n, .k = most, .keys_in = words.data(), .keys_out = smallest.data()},
        opts_);
    const std::uint64_t bound = smallest[most - 1];
    const slices parts(n, threads_, slice_records);
    std::vector<std::size_t> place(parts.count() + 1, 0);
    parallel_for(threads_, parts.count(), [&](std::size_t i) {
      place[i + 1] = static_cast<std::size_t>(std::count_if(words.data() + parts.begin(i), words.data() + parts.end(i),
                                                            [=](auto w) { return w <= bound; }));
    });
    std::partial_sum(place.begin(), place.end(), place.begin());
    if (place.back() > n / 2)
      return {};
    raw_array<std::uint32_t> ids(place.back());
    parallel_for(threads_, parts.count(), [&](std::size_t i) {
      std::uint32_t* next = ids.data() + place[i];
      for (std::size_t r = parts.begin(i); r < parts.end(i); ++r)
        if (words[r] <= bound)
          *next++ = static_cast<std::uint32_t>(r);
    });
    return ids;
  }

  // Behind a sort by the whole first part: sorts those that are equal in it, where repeats[i] says that the one at i is
  // equal to the one before.
  void sort_behind_first_part(std::span<std::uint32_t> ids, const raw_array<char>& repeats) {
    std::vector<group> large;
    split_groups(
        {ids, 0, 0, 0}, [&](std::size_t i) { return repeats[i] != 0; },
        [](std::span<std::uint32_t> equal) {
          return group{equal, 1, 0, 0};
        },
        large);
    sort_groups(large);
  }

 private:
  void sort_groups(std::vector<group>& large) {
    opts_.progress = {};
    while (!large.empty()) {
      const group next = large.back();
      large.pop_back();
      sort_large(next, large);
    }
  }

  // The first words need no fetching: the records are read as they lie.
  void sort_by_first_word(std::span<std::uint32_t> ids, std::vector<group>& large) {
    raw_array<std::uint64_t> words(ids.size());
    const std::span<std::uint64_t> all(words.data(), words.size());
    const bool whole = first_words(records_, order_, all, threads_);
    const group first{ids, 0, 0, 0};
    const bool are_of_two_parts = whole && add_second_part(records_, order_, all, threads_);
    if (sort_numbered(all, ids.data(), !are_of_two_parts, opts_) == sorted_words::whole)
      split_words(first, all.data(), whole, large);
    else
      split_alike(first, all.data(), large);
  }

  // A large group, by all threads.
  void sort_large(group g, std::vector<group>& large) {
    raw_array<std::uint64_t> words(g.ids.size());
    do {
      if (is_worn(g))
        return merge_sort(g);
      parallel_slices(threads_, g.ids.size(), slice_records, [&](std::size_t begin, std::size_t end) {
        words_of(order_[g.part], records_, g.ids.data() + begin, 0, end - begin, g.depth, words.data() + begin);
      });
      if (!all_equal({words.data(), words.size()})) {
        run(sort_request{.type = key_type::u64,
                         .n = g.ids.size(),
                         .keys_in = words.data(),
                         .keys_out = words.data(),
                         .carries = payload::values,
                         .value_bytes = sizeof(std::uint32_t),
                         .values_in = g.ids.data(),
                         .values_out = g.ids.data()},
            opts_);
        return split_words(g, words.data(), false, large);
      }
    } while (advance(g, threads_));
  }

  static bool all_equal(std::span<const std::uint64_t> words) {
    return std::all_of(words.begin(), words.end(), [first = words[0]](std::uint64_t w) { return w == first; });
  }

  // Past a word that all records of the group share, and past what else they have in common. False where nothing is
  // left to compare.
  bool advance(group& g, unsigned threads) const {
    g = next_of(g, g.ids);
    if (g.part == order_.size())
      return false;
    if (order_[g.part].as == key_part::form::text && g.depth > 0)
      g.depth = shared_bytes(g, threads) / text_word_bytes;
    return true;
  }

  // Whether words no longer pay.
  bool is_worn(const group& g) const { return g.passes >= most_passes && !order_[g.part].has_cheap_words(); }

  bool comes_before(const group& g, std::uint32_t a, std::uint32_t b) const {
    return compare(order_, records_[a], records_[b], g.part, g.depth) < 0;
  }

  // By comparison on all threads: sorted pieces, then pairs of pieces merged until one is left.
  void merge_sort(const group& g) const {
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return comes_before(g, a, b); };
    const auto at = [&](std::size_t i) { return g.ids.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t n = g.ids.size();
    std::size_t piece = std::max<std::size_t>((n + threads_ - 1) / threads_, 1);
    parallel_for(threads_, (n + piece - 1) / piece,
                 [&](std::size_t i) { std::stable_sort(at(i * piece), at(std::min(n, (i + 1) * piece)), before); });
    for (; piece < n; piece *= 2)
      parallel_for(threads_, (n + 2 * piece - 1) / (2 * piece), [&](std::size_t i) {
        const std::size_t begin = 2 * i * piece;
        std::inplace_merge(at(begin), at(std::min(n, begin + piece)), at(std::min(n, begin + 2 * piece)), before);
      });
  }

  // What comes after a word that the records `ids` of a group share. (Whether it was their last is seen on any one of
  // them.)
  group next_of(const group& g, std::span<std::uint32_t> ids) const {
    std::string scratch;
    const bool last = word_of(order_[g.part], records_[ids[0]], g.depth, scratch).last;
    return last ? group{ids, g.part + 1, 0, 0} : group{ids, g.part, g.depth + 1, g.passes + 1};
  }

  // Bytes of the part's text that all records of the group have in common; a multiple of whole words is meant to be
  // made of it. The last word before the end of the shortest text stays, so that a word that ends the text is always
  // seen.
  std::size_t shared_bytes(const group& g, unsigned threads) const {
    const key_part& part = order_[g.part];
    const std::size_t known = g.depth * text_word_bytes;
    std::atomic<std::size_t> shared{SIZE_MAX};
    parallel_slices(threads, g.ids.size(), slice_records, [&](std::size_t begin, std::size_t end) {
      std::size_t least = shared;
      for (std::size_t i = std::max<std::size_t>(begin, 1); i < end && least > known; ++i)
        least = std::min(least, common_prefix(part, records_[g.ids[0]], records_[g.ids[i]], known));
      std::size_t seen = shared;
      while (least < seen && !shared.compare_exchange_weak(seen, least)) {
      }
    });
    const std::size_t bytes = std::max<std::size_t>(shared, known);
    return bytes == known ? known
                          : std::max(known, bytes - 1); // a text that ends at a word's edge has that word as its last
  }

  void split_words(const group& g, const std::uint64_t* words, bool words_are_whole, std::vector<group>& large) {
    split_groups(
        g, [words](std::size_t i) { return words[i] == words[i - 1]; },
        [&](std::span<std::uint32_t> equal) {
          return words_are_whole ? group{equal, g.part + 1, 0, 0} : next_of(g, equal);
        },
        large);
  }

  // Where the words are only the beginnings of what the group's words are.
  void split_alike(const group& g, const std::uint64_t* words, std::vector<group>& large) {
    split_groups(
        g, [words](std::size_t i) { return words[i] == words[i - 1]; },
        [&](std::span<std::uint32_t> alike) {
          return group{alike, g.part, g.depth, g.passes};
        },
        large);
  }

  // Finds the groups of equal records; sorts the small ones here and now, in parallel, and hands back the large ones.
  // \param repeats  repeats(i): does record i of the group belong to the one before it?
  // \param next_of_equals  what is left to compare of these
  template <class Repeats, class Next>
  void split_groups(const group& g, const Repeats& repeats, const Next& next_of_equals, std::vector<group>& large) {
    std::mutex lock;
    const std::size_t n = g.ids.size();
    const slices parts(n, threads_, slice_records);
    const auto end_of_group = [&](std::size_t i) { // the first group that begins at or behind i
      while (i > 0 && i < n && repeats(i))
        ++i;
      return i;
    };
    parallel_for(threads_, parts.count(), [&](std::size_t slice) {
      const std::size_t last = end_of_group(parts.end(slice));
      for (std::size_t begin = end_of_group(parts.begin(slice)), end = 0; begin < last; begin = end) {
        end = end_of_group(begin + 1);
        if (end - begin == 1)
          continue;
        const group next = next_of_equals(g.ids.subspan(begin, end - begin));
        if (next.part == order_.size())
          continue;
        if (next.ids.size() <= alone) {
          sort_small(next);
        } else {
          const std::lock_guard guard(lock);
          large.push_back(next);
        }
      }
    });
  }

  // A group that one thread sorts, with its subgroups, on a stack of its own.
  void sort_small(const group& first) const {
    std::vector<group> stack{first};
    std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs;
    while (!stack.empty()) {
      group g = stack.back();
      stack.pop_back();
      if (g.ids.size() <= compared)
        insertion_sort(g);
      else if (is_worn(g))
        std::stable_sort(g.ids.begin(), g.ids.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return comes_before(g, a, b); });
      else
        sort_by_word(g, pairs, stack);
    }
  }

  void insertion_sort(const group& g) const {
    for (std::size_t i = 1; i < g.ids.size(); ++i) {
      const std::uint32_t moving = g.ids[i];
      std::size_t j = i;
      for (; j > 0 && comes_before(g, moving, g.ids[j - 1]); --j)
        g.ids[j] = g.ids[j - 1];
      g.ids[j] = moving;
    }
  }

  void sort_by_word(group g, std::vector<std::pair<std::uint64_t, std::uint32_t>>& pairs,
                    std::vector<group>& stack) const {
    std::vector<std::uint64_t> words(g.ids.size());
    do {
      if (is_worn(g))
        return stack.push_back(g);
      words_of(order_[g.part], records_, g.ids.data(), 0, g.ids.size(), g.depth, words.data());
      if (all_equal(words))
        continue;
      pairs.resize(g.ids.size());
      for (std::size_t i = 0; i < pairs.size(); ++i)
        pairs[i] = {words[i], g.ids[i]};
      std::sort(pairs.begin(), pairs.end()); // stable: of equal words the numbers ascend before and after
      for (std::size_t begin = 0; begin < pairs.size();) {
        std::size_t end = begin;
        for (; end < pairs.size() && pairs[end].first == pairs[begin].first; ++end)
          g.ids[end] = pairs[end].second;
        if (end - begin > 1)
          if (const group next = next_of(g, g.ids.subspan(begin, end - begin)); next.part < order_.size())
            stack.push_back(next);
        begin = end;
      }
      return;
    } while (advance(g, 1));
  }

  const record_table& records_;
  const record_order& order_;
  options opts_;
  unsigned threads_;
};

} // namespace

void sort_by_words(const record_table& records, const record_order& order, const options& opts,
                   std::span<std::uint32_t> ids) {
  sorter(records, order, opts).sort_all(ids);
}

void sort_behind_first_part(const record_table& records, const record_order& order, const options& opts,
                            std::span<std::uint32_t> ids, const raw_array<char>& repeats) {
  sorter(records, order, opts).sort_behind_first_part(ids, repeats);
}

raw_array<std::uint32_t> select_by_words(const record_table& records, const record_order& order, const options& opts,
                                         std::size_t most) {
  sorter chosen(records, order, opts);
  raw_array<std::uint32_t> ids = chosen.candidates(most);
  chosen.sort_some({ids.data(), ids.size()});
  ids.keep_first(most);
  return ids;
}

} // namespace sortile::files
