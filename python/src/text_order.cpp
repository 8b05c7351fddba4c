// Words and ranks of texts: what a column of text becomes before rows are ordered.
//
// Texts that end within few bytes of what all of them begin with, as codes and numbered names do, are words right away.
//
// Others become ranks. A text is cut into pieces of 7 bytes. Each piece is a 64-bit key: its bytes from the top down,
// zeros where the text has ended, and at the bottom how many bytes were left there, at most 8: texts that end in a
// piece differ from longer ones by that number, and "8" says that more follows. All texts are sorted by their first
// piece at once, by all threads. Those that agree in it and go on form groups, which are independent of each other:
// each is sorted by its next piece, or, where it is small, by comparing, until all are told apart or equal. A group
// that agrees in its next piece too, as texts with a long common beginning do, is not sorted but passed on to the piece
// behind.
//
// Cost: a sort of n 64-bit keys with positions, then work in proportion to the bytes that have to be compared.
#include "text_order.hpp"

#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "primitives/text_word.hpp"

#include <sortile/request.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <vector>

namespace sortile::python {

namespace {

constexpr std::size_t piece = text_word_bytes;
constexpr std::size_t text_alone_below = std::size_t{1} << 14;
constexpr std::size_t compared_below = 48; // texts in a group

int compare(std::string_view a, std::string_view b, std::size_t depth) {
  const std::size_t common = std::min(a.size(), b.size()) - depth;
  const int difference = common == 0 ? 0 : std::memcmp(a.data() + depth, b.data() + depth, common);
  if (difference != 0)
    return difference;
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

/// Texts [begin, end) of the order, equal as far as `depth`, all of them longer.
struct group {
  std::size_t begin, end, depth;
};

class ranking {
 public:
  ranking(std::span<const std::string_view> texts, unsigned threads)
      : texts_(texts), threads_(threads), space_(texts.size() * sizeof(std::uint32_t), "the order of texts"),
        order_(reinterpret_cast<std::uint32_t*>(space_.bytes().data())), begins_(texts.size()) {}

  void run(std::uint32_t* ranks) {
    const std::vector<group> groups = sort_first_pieces();
    cpu::for_each_task(threads_, groups.size(), nullptr, [&](unsigned, std::size_t i) { tell_apart(groups[i]); });
    write(ranks);
  }

 private:
  std::vector<group> sort_first_pieces() {
    const std::size_t n = texts_.size();
    const cpu::scratch space(n * sizeof(std::uint64_t), "the first pieces of texts");
    std::uint64_t* const keys = reinterpret_cast<std::uint64_t*>(space.bytes().data());
    cpu::for_each_piece(threads_, n, text_alone_below, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        keys[i] = text_word_at(texts_[i], 0);
    });
    sortile::run(sort_request{.type = key_type::u64,
                              .n = n,
                              .keys_in = keys,
                              .keys_out = keys,
                              .carries = payload::indices,
                              .value_bytes = sizeof(std::uint32_t),
                              .values_out = order_},
                 {.threads = threads_});
    std::vector<group> groups;
    find_groups(keys, {0, n, 0}, groups);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const group& a, const group& b) { return a.end - a.begin > b.end - b.begin; });
    return groups;
  }

  /// Marks where keys differ, and adds the groups that are still to be told apart. keys[0] belongs to within.begin.
  void find_groups(const std::uint64_t* keys, const group& within, std::vector<group>& groups) {
    const std::size_t n = within.end - within.begin;
    for (std::size_t begin = 0, end; begin < n; begin = end) {
      for (end = begin + 1; end < n && keys[end] == keys[begin];)
        ++end;
      if (begin > 0 || within.begin == 0)
        begins_[within.begin + begin] = 1;
      if (end - begin > 1 && !is_last_word(keys[begin]))
        groups.push_back({within.begin + begin, within.begin + end, within.depth + piece});
    }
  }

  void tell_apart(const group& first) {
    std::vector<group> open{first}; // no recursion: a thousand texts may differ in length alone
    std::vector<std::uint64_t> keys;
    while (!open.empty()) {
      const group g = open.back();
      open.pop_back();
      if (g.end - g.begin < compared_below)
        sort_by_comparing(g);
      else
        sort_next_piece(g, keys, open);
    }
  }

  void sort_by_comparing(const group& g) {
    std::stable_sort(order_ + g.begin, order_ + g.end,
                     [&](std::uint32_t a, std::uint32_t b) { return compare(texts_[a], texts_[b], g.depth) < 0; });
    for (std::size_t i = g.begin + 1; i < g.end; ++i)
      begins_[i] = compare(texts_[order_[i - 1]], texts_[order_[i]], g.depth) != 0;
  }

  void sort_next_piece(const group& g, std::vector<std::uint64_t>& keys, std::vector<group>& open) {
    const std::size_t n = g.end - g.begin;
    keys.resize(n);
    bool differ = false;
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = text_word_at(texts_[order_[g.begin + i]], g.depth);
      differ |= keys[i] != keys[0];
    }
    if (differ)
      sortile::run(sort_request{.type = key_type::u64,
                                .n = n,
                                .keys_in = keys.data(),
                                .keys_out = keys.data(),
                                .carries = payload::values,
                                .value_bytes = sizeof(std::uint32_t),
                                .values_in = order_ + g.begin,
                                .values_out = order_ + g.begin},
                   {.threads = 1});
    find_groups(keys.data(), g, open);
  }

  void write(std::uint32_t* ranks) const {
    const std::size_t n = texts_.size(), pieces = n < text_alone_below ? 1 : std::size_t{4} * threads_;
    std::vector<std::uint32_t> before(pieces + 1);
    const auto each = [&](auto&& f) {
      cpu::for_each_task(threads_, pieces, nullptr, [&](unsigned, std::size_t i) {
        f(i, cpu::part_begin(n, pieces, i), cpu::part_begin(n, pieces, i + 1));
      });
    };
    each([&](std::size_t i, std::size_t begin, std::size_t end) {
      before[i + 1] = static_cast<std::uint32_t>(std::count(begins_.data() + begin, begins_.data() + end, 1));
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    each([&](std::size_t i, std::size_t begin, std::size_t end) {
      std::uint32_t rank = before[i];
      for (std::size_t at = begin; at < end; ++at) {
        rank += begins_[at];
        ranks[order_[at]] = rank - 1;
      }
    });
  }

  std::span<const std::string_view> texts_;
  unsigned threads_;
  cpu::scratch space_;
  std::uint32_t* order_;
  std::vector<std::uint8_t> begins_; ///< 1 where a text differs from the one before it
};

} // namespace

text_extent extent_of(std::span<const std::string_view> texts, unsigned threads) {
  const auto is_text = [](std::string_view t) { return t.data() != nullptr; };
  const auto first = std::find_if(texts.begin(), texts.end(), is_text);
  if (first == texts.end())
    return {};
  text_extent all{first->size(), 0};
  std::mutex lock;
  cpu::for_each_piece(threads, texts.size(), text_alone_below, [&](std::size_t begin, std::size_t end) {
    text_extent found{first->size(), 0};
    for (const std::string_view t : texts.subspan(begin, end - begin)) {
      if (!is_text(t))
        continue;
      found.longest = std::max(found.longest, t.size());
      found.shared = std::min(found.shared, t.size());
      if (std::memcmp(t.data(), first->data(), found.shared) != 0)
        found.shared = static_cast<std::size_t>(
            std::mismatch(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(found.shared), first->begin()).first -
            t.begin());
    }
    const std::lock_guard held(lock);
    all.longest = std::max(all.longest, found.longest);
    all.shared = std::min(all.shared, found.shared);
  });
  return all;
}

void make_words(std::span<const std::string_view> texts, std::size_t from, std::uint64_t* words, unsigned threads) {
  cpu::for_each_piece(threads, texts.size(), text_alone_below, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      words[i] = texts[i].size() <= from ? 0 : text_word_at(texts[i], from);
  });
}

void rank_texts(std::span<const std::string_view> texts, std::uint32_t* ranks, unsigned threads) {
  if (!texts.empty())
    ranking(texts, threads).run(ranks);
}

} // namespace sortile::python
