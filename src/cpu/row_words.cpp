// Ranges of columns, and words made of their distances; see the header.
#include "cpu/row_words.hpp"

#include "cpu/parallel.hpp"
#include "cpu/sampled_split.hpp"
#include "primitives/key_codec.hpp"

#include <algorithm>
#include <atomic>

namespace sortile::cpu {

namespace {

constexpr std::size_t alone_below = std::size_t{1} << 14; // rows
constexpr std::size_t block = 2048;                       // rows whose words stay in the L1 cache
constexpr std::size_t ranked_from = std::size_t{1} << 15; // rows: fewer are sorted as soon as their values are ranked
constexpr unsigned ranked_bits = 24;                      // columns of more bits are worth it

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
  std::vector<column_range> seen(n_ < alone_below ? 1 : std::size_t{4} * threads_);
  for_each_task(threads_, seen.size(), nullptr, [&](unsigned, std::size_t i) {
    seen[i] = range_of(data, part_begin(n_, seen.size(), i), part_begin(n_, seen.size(), i + 1), image);
  });
  column_range range;
  for (const column_range& r : seen)
    range.join(r);
  if (range.differing == 0)
    return {};
  const unsigned shift = zeros_below(range.differing);
  field f{&c, nullptr, c.order == order::descending ? ~range.greatest : range.least, shift,
          width_of_key(static_cast<uint128>((range.greatest - range.least) >> shift))};
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    if (n_ >= ranked_from && f.bits > ranked_bits)
      if (const auto ranks = ranks_of<K, Float>(c))
        return {&c, ranks, 0, 0, width_of_key(ranks->size() - 1)};
  return f;
}

/// Null where the values are too many.
template <class K, bool Float>
std::shared_ptr<const value_ranks> row_words::ranks_of(const column& c) const {
  const row_image<K, Float> image(c.type);
  const K* const data = static_cast<const K*>(c.data);
  std::vector<std::uint64_t> values(value_ranks::sample);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = image(data[part_begin(n_, values.size(), i)]);
  if (!value_ranks::may_be_few(values))
    return nullptr;
  const std::size_t blocks = (n_ + block - 1) / block;
  std::vector<value_ranks> found(threads_);
  std::atomic<bool> few = true;
  for_each_task(threads_, blocks, nullptr, [&](unsigned worker, std::size_t b) {
    value_ranks& mine = found[worker];
    for (std::size_t i = b * block; i < std::min(n_, (b + 1) * block) && few.load(std::memory_order_relaxed); ++i)
      if (!mine.insert(image(data[i])))
        few.store(false, std::memory_order_relaxed);
  });
  if (!few)
    return nullptr;
  values.clear();
  for (const value_ranks& of_worker : found)
    of_worker.append_to(values);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() > value_ranks::most)
    return nullptr;
  return std::make_shared<value_ranks>(values, c.order == order::descending);
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
      const auto append = [&](auto&& bits_of) {
        for (std::size_t i = 0; i < n; ++i)
          words[i] = words[i] << room | (static_cast<Word>(bits_of(image(data[row_of(i)])) >> shift) & mask);
      };
      if (p.of.ranks != nullptr)
        append([&ranks = *p.of.ranks](K x) { return ranks[static_cast<std::uint64_t>(x)]; });
      else
        append([flip, base](K x) { return static_cast<K>((x ^ flip) - base); });
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
