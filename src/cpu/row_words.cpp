// Ranges of columns, and words made of their distances; see the header.
#include "cpu/row_words.hpp"

#include "cpu/memory_slots.hpp"
#include "cpu/parallel.hpp"
#include "cpu/row_values.hpp"
#include "cpu/sampled_split.hpp"
#include "primitives/key_codec.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

namespace sortile::cpu {

namespace {

constexpr std::size_t words_alone_below = std::size_t{1} << 14; // rows
constexpr std::size_t block = 2048;                             // rows whose words stay in the L1 cache
constexpr std::size_t sampled_from = std::size_t{1}
                                     << 15; // rows: columns of fewer are read sooner than sampled and ranked

/// A number for each key that is in the order of the keys, ascending.
template <class K, bool Float>
struct row_image {
  K sign, infinity;

  explicit row_image(key_type type) {
    const key_codec<K> codec = make_key_codec<K>(type, order::ascending, {});
    sign = codec.sign;
    infinity = codec.infinity;
  }

  K operator()(K u) const {
    if constexpr (!Float)
      return static_cast<K>(u ^ sign);
    const K magnitude = static_cast<K>(u & static_cast<K>(~sign));
    const K quiet = static_cast<K>(infinity + (infinity & static_cast<K>(-infinity)) / 2); // ends in zeros
    const bool is_nan = magnitude > infinity;
    const K distance = is_nan ? quiet : magnitude;
    return static_cast<K>(!is_nan && (u & sign) != 0 ? sign - distance : sign + distance);
  }
};

/// What has been seen of a column's images.
struct column_range {
  uint128 least = ~uint128{0}, greatest = 0, differing = 0;

  void join(const column_range& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    differing |= other.differing;
  }
};

template <class K, bool Float>
column_range range_of(const K* data, std::size_t begin, std::size_t end, row_image<K, Float> image) {
  const K origin = image(data[0]);
  K least = origin, greatest = origin, differing = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const K x = image(data[i]);
    least = std::min(least, x);
    greatest = std::max(greatest, x);
    differing = static_cast<K>(differing | (x ^ origin));
  }
  return {least, greatest, differing};
}

unsigned zeros_below(uint128 x) {
  return width_of_key(static_cast<uint128>(x & (~x + 1))) - 1;
}

template <class Type, bool IsFloat>
struct kind_of_key {
  using word = Type;
  static constexpr bool is_float = IsFloat;
};

/// Calls f(kind) with the word that holds a key of this type, and whether it is a float.
template <class F>
decltype(auto) with_kind(key_type type, F&& f) {
  switch (key_bytes(type)) {
  case 1:
    return f(kind_of_key<std::uint8_t, false>{});
  case 2:
    return is_float(type) ? f(kind_of_key<std::uint16_t, true>{}) : f(kind_of_key<std::uint16_t, false>{});
  case 4:
    return is_float(type) ? f(kind_of_key<std::uint32_t, true>{}) : f(kind_of_key<std::uint32_t, false>{});
  case 8:
    return is_float(type) ? f(kind_of_key<std::uint64_t, true>{}) : f(kind_of_key<std::uint64_t, false>{});
  default:
    return f(kind_of_key<uint128, false>{});
  }
}

} // namespace

template <class K, bool Float>
row_words::field row_words::measure(const column& c) const {
  const row_image<K, Float> image(c.type);
  const K* const data = static_cast<const K*>(c.data);
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    if (n_ >= sampled_from) {
      std::uint64_t drawn[value_numbers::sample];
      for (std::size_t i = 0; i < std::size(drawn); ++i)
        drawn[i] = image(data[part_begin(n_, std::size(drawn), i)]);
      const value_sample sample = look_at(drawn);
      if (sample.may_be_few)
        if (const std::optional<field> ranked = rank_values<K, Float>(c))
          return *ranked;
      if (sample.bits + 1 >= 8 * sizeof(K)) // to find a bit less would take a read of the column
        return {nullptr, &c, 0, 0, 8 * sizeof(K)};
    }
  call_vector<column_range> seen(n_ < words_alone_below ? 1 : std::size_t{4} * threads_);
  for_each_task(threads_, seen.size(), nullptr, [&](unsigned, std::size_t i) {
    seen[i] = range_of(data, part_begin(n_, seen.size(), i), part_begin(n_, seen.size(), i + 1), image);
  });
  column_range range;
  for (const column_range& r : seen)
    range.join(r);
  if (range.differing == 0)
    return {};
  const unsigned shift = zeros_below(range.differing);
  return {nullptr, &c, c.order == order::descending ? ~range.greatest : range.least, shift,
          width_of_key(static_cast<uint128>((range.greatest - range.least) >> shift))};
}

/// Nothing where the values are too many.
template <class K, bool Float>
std::optional<row_words::field> row_words::rank_values(const column& c) const {
  const row_image<K, Float> image(c.type);
  const K* const data = static_cast<const K*>(c.data);
  const auto made = std::allocate_shared<ranked_column>(call_allocator<ranked_column>());
  made->memory = scratch(n_ * sizeof(std::uint16_t), "the ranks of a column's values");
  auto* const numbers = reinterpret_cast<std::uint16_t*>(made->memory.bytes().data());
  call_vector<unsigned> worker_of((n_ + block - 1) / block);
  call_vector<value_numbers> seen(threads_);
  std::atomic<bool> few = true;
  const auto each_block = [&](auto&& f) {
    for_each_task(threads_, worker_of.size(), nullptr, [&](unsigned worker, std::size_t b) {
      if (few.load(std::memory_order_relaxed))
        f(worker, b, b * block, std::min(n_, (b + 1) * block));
    });
  };
  each_block([&](unsigned worker, std::size_t b, std::size_t begin, std::size_t end) {
    worker_of[b] = worker;
    value_numbers& mine = seen[worker];
    for (std::size_t i = begin; i < end; ++i)
      numbers[i] = mine(image(data[i]));
    if (mine.values().size() == value_numbers::most) // numbers beyond may be in the block
      few.store(false, std::memory_order_relaxed);
  });
  const value_ranks ranks = few ? rank(seen, c.order == order::descending) : value_ranks{};
  if (ranks.values == 0)
    return std::nullopt;
  each_block([&](unsigned, std::size_t b, std::size_t begin, std::size_t end) {
    const std::uint16_t* const rank_of = ranks.of_worker[worker_of[b]].data();
    for (std::size_t i = begin; i < end; ++i)
      numbers[i] = rank_of[numbers[i]];
  });
  made->as_given = {key_type::u16, numbers};
  return field{made, &made->as_given, 0, 0, width_of_key(ranks.values - 1)};
}

row_words::field row_words::measure(const column& c) const {
  return with_kind(c.type, [&](auto kind) { return measure<typename decltype(kind)::word, kind.is_float>(c); });
}

unsigned row_words::next() {
  parts_.clear();
  unsigned used = 0;
  while (used < word_bits && n_ > 0) {
    if (last_.left_out == 0) {
      if (next_column_ == columns_.size())
        break;
      last_.of = measure(columns_[next_column_++]);
      last_.left_out = last_.of.bits;
      continue;
    }
    last_.bits = std::min(word_bits - used, last_.left_out);
    last_.left_out -= last_.bits;
    used += last_.bits;
    parts_.push_back(last_);
  }
  return used;
}

template <class RowOf, class Word>
void row_words::make_words(RowOf row_of, std::size_t n, Word* words) const {
  std::fill_n(words, n, Word{0});
  for (const part& p : parts_)
    with_kind(p.of.from->type, [&](auto kind) {
      using K = typename decltype(kind)::word;
      const row_image<K, kind.is_float> image(p.of.from->type);
      const K* const data = static_cast<const K*>(p.of.from->data);
      const K flip = p.of.from->order == order::descending ? static_cast<K>(~K{0}) : K{0};
      const K base = static_cast<K>(p.of.base);
      const unsigned shift = p.of.shift + p.left_out;
      const unsigned room = p.bits % (8 * sizeof(Word)); // a whole word follows nothing
      const Word mask = static_cast<Word>(~Word{0} >> (8 * sizeof(Word) - p.bits));
      for (std::size_t i = 0; i < n; ++i) {
        const K distance = static_cast<K>((image(data[row_of(i)]) ^ flip) - base);
        words[i] = words[i] << room | (static_cast<Word>(distance >> shift) & mask);
      }
    });
}

template <class Word>
void row_words::make(std::size_t first, std::size_t n, Word* words) const {
  for (std::size_t at = 0; at < n; at += block)
    make_words([from = first + at](std::size_t i) { return from + i; }, std::min(block, n - at), words + at);
}

template <class Index>
void row_words::make(const Index* rows, std::size_t n, std::uint64_t* words) const {
  for (std::size_t at = 0; at < n; at += block)
    make_words([from = rows + at](std::size_t i) { return std::size_t{from[i]}; }, std::min(block, n - at), words + at);
}

template void row_words::make(std::size_t, std::size_t, std::uint32_t*) const;
template void row_words::make(std::size_t, std::size_t, std::uint64_t*) const;
template void row_words::make(const std::uint32_t*, std::size_t, std::uint64_t*) const;
template void row_words::make(const std::uint64_t*, std::size_t, std::uint64_t*) const;

} // namespace sortile::cpu
