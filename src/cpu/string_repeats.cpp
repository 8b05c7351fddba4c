// See string_repeats.hpp.
#include "cpu/string_repeats.hpp"

#include "cpu/string_words.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#define SORTILE_INLINE __attribute__((always_inline)) inline

namespace sortile::cpu {

namespace {

std::uint64_t load(const char* p) {
  std::uint64_t eight;
  std::memcpy(&eight, p, sizeof eight);
  return eight;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Where the k-th eight bytes behind `from` begin, or the last eight of n. Lengths differ from string to string, so a
/// branch for each eight bytes would hardly be foreseen: 64 are read together.
std::size_t at(std::size_t from, std::size_t k, std::size_t n) {
  return std::min(from + 8 * k, n - 8);
}

/// Of the bytes and their number, so that equal strings have one hash: of the first 256 and the last eight.
SORTILE_INLINE std::uint64_t hash(std::string_view text) {
  constexpr std::uint64_t odd[] = {0x9e3779b97f4a7c15, 0xd6e8feb86659fd93, 0xa0761d6478bd642f, 0xe7037ed1a0b428db,
                                   0x8ebc6af09c88c6e3, 0x589965cc75374cc3, 0x1d8e4e27c47d124f, 0xeb44accab455d165};
  const char* const p = text.data();
  const std::size_t n = text.size();
  if (n < 8)
    return mix(sortile::detail::load_few(p, n) ^ odd[0], n ^ odd[1]);
  std::uint64_t all = mix(load(p + n - 8) ^ odd[0], n ^ odd[1]);
  for (std::size_t from = 0; from < std::min<std::size_t>(n, 256); from += 64) {
    for (std::size_t k = 0; k < 8; k += 2)
      all ^= mix(load(p + at(from, k, n)) ^ odd[k], load(p + at(from, k + 1, n)) ^ odd[k + 1]);
    all = mix(all, odd[2]);
  }
  return all;
}

SORTILE_INLINE bool are_equal(std::string_view a, std::string_view b) {
  const std::size_t n = a.size();
  if (n != b.size())
    return false;
  if (n < 8)
    return sortile::detail::load_few(a.data(), n) == sortile::detail::load_few(b.data(), n);
  std::uint64_t differ = 0;
  for (std::size_t from = 0; from < n && differ == 0; from += 64)
    for (std::size_t k = 0; k < 8; ++k)
      differ |= load(a.data() + at(from, k, n)) ^ load(b.data() + at(from, k, n));
  return differ == 0;
}

} // namespace

std::uint64_t string_repeats::hash_of(std::string_view text) {
  return hash(text);
}

std::size_t string_repeats::sample_of(std::size_t n) {
  return std::min({std::size_t{8192}, n / 16, static_cast<std::size_t>(4 * std::sqrt(static_cast<double>(n)))});
}

// Of n strings that come c times each, 4 √n of them have some 8c pairs of equal ones. Of those seen twice one standard
// deviation is not counted on. The estimate is exact where all come equally often, and too low otherwise.
bool string_repeats::are_few(std::span<std::uint64_t> hashes, std::size_t n) {
  std::sort(hashes.begin(), hashes.end());
  std::size_t different = 0, once = 0, twice = 0;
  for (auto i = hashes.begin(); i != hashes.end(); ++different) {
    const auto next = std::find_if(i, hashes.end(), [&](std::uint64_t other) { return other != *i; });
    once += next - i == 1;
    twice += next - i == 2;
    i = next;
  }
  const double pairs = static_cast<double>(twice), surely = std::max(pairs - std::sqrt(pairs), 0.5);
  return static_cast<double>(different) + static_cast<double>(once * once) / (2 * surely) <= static_cast<double>(n) / 2;
}

void string_repeats::begin(std::size_t n, unsigned threads) {
  n_ = n;
  threads_ = threads;
  size_ = std::bit_ceil(n) / 2;
  most_ = n / 4;
  const std::size_t numbers = most_ + together * threads; // each thread may go so far beyond
  constexpr std::size_t of_a_number = sizeof(std::string_view) + 2 * sizeof(std::uint32_t);
  memory_ = scratch(size_ * sizeof(std::uint64_t) + numbers * of_a_number + n * sizeof(std::uint32_t),
                    "the strings that are different");
  slots_ = reinterpret_cast<std::uint64_t*>(memory_.bytes().data());
  texts_ = reinterpret_cast<std::string_view*>(slots_ + size_);
  counts_ = reinterpret_cast<std::uint32_t*>(texts_ + numbers);
  sorted_ = counts_ + numbers;
  numbers_ = sorted_ + numbers;
  std::memset(slots_, 0, size_ * sizeof(std::uint64_t));
}

/// Whether so many of the strings that were seen had come before.
bool string_repeats::came_before(double least_part) const {
  const auto seen = static_cast<double>(seen_), given = static_cast<double>(given_);
  return seen - given >= least_part * seen;
}

/// `spare`: a number that was given and names nothing yet.
void string_repeats::number(std::span<const std::string_view> texts, std::size_t first, std::uint32_t& spare) {
  std::uint64_t hashes[together];
  for (std::size_t i = 0; i < texts.size(); ++i) {
    hashes[i] = hash(texts[i]);
    __builtin_prefetch(slots_ + (hashes[i] & (size_ - 1)));
  }
  const auto candidate = [&](std::size_t i) -> const std::string_view* {
    const std::uint64_t slot =
        atomic_view<std::uint64_t>(slots_[hashes[i] & (size_ - 1)]).load(std::memory_order_acquire);
    return slot != 0 && slot >> 32 == hashes[i] >> 32 ? texts_ + static_cast<std::uint32_t>(slot) - 1 : nullptr;
  };
  for (std::size_t i = 0; i < texts.size(); ++i)
    __builtin_prefetch(candidate(i));
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (const std::string_view* const other = candidate(i)) {
      __builtin_prefetch(other->data());
      __builtin_prefetch(other->data() + std::min(texts[i].size(), other->size()));
    }
  std::size_t looks = 0;
  for (std::size_t i = 0; i < texts.size(); ++i)
    numbers_[first + i] = number_of(texts[i], hashes[i], spare, looks);
  const std::size_t seen = seen_.fetch_add(texts.size(), std::memory_order_relaxed);
  const std::size_t all_looks = looks_.fetch_add(looks, std::memory_order_relaxed) + looks;
  if (given_.load(std::memory_order_relaxed) > most_ || all_looks > 4 * seen + n_ / 8)
    ended_.store(true, std::memory_order_relaxed);
}

SORTILE_INLINE std::uint32_t string_repeats::number_of(std::string_view text, std::uint64_t hash, std::uint32_t& spare,
                                                       std::size_t& looks) {
  for (std::size_t s = hash & (size_ - 1);; s = (s + 1) & (size_ - 1), ++looks) {
    const atomic_view<std::uint64_t> place(slots_[s]);
    std::uint64_t slot = place.load(std::memory_order_acquire);
    if (slot == 0) {
      if (spare == none)
        spare = given_.fetch_add(1, std::memory_order_relaxed);
      texts_[spare] = text;
      if (place.publish(slot, (hash >> 32 << 32) + spare + 1))
        return std::exchange(spare, none);
    }
    if (slot >> 32 == hash >> 32)
      if (const std::uint32_t number = static_cast<std::uint32_t>(slot) - 1; are_equal(texts_[number], text))
        return number;
  }
}

void string_repeats::sort_different(order order, unsigned threads) {
  different_ = given_;
  std::fill(counts_, counts_ + different_, 0);
  for (std::size_t i = 0; i < n_; ++i)
    ++counts_[numbers_[i]];
  strings_request request{.n = different_, .views = texts_};
  request.indices_out = sorted_;
  request.index_bytes = sizeof *sorted_;
  options opts;
  opts.order = order;
  cpu::sort_strings(request, opts, threads);
}

} // namespace sortile::cpu
