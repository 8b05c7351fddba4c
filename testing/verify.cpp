// The two verifiers, see verify.hpp.
#include "testing/verify.hpp"

#include "testing/key_space.hpp"
#include "testing/workloads.hpp"

#include <cstring>

namespace sortile::testing {

namespace {

const std::byte* at(const void* array, std::size_t bytes, std::size_t i) {
  return static_cast<const std::byte*>(array) + bytes * i;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return random_bits(a, b);
}

/// Folds bytes into a pair of hashes, a word at a time; the length is part of it.
struct folded {
  std::uint64_t a, b;

  void fold(const void* bytes, std::size_t count) {
    a = mix(a, count);
    b = mix(b, ~std::uint64_t{count});
    for (std::size_t i = 0; i < count; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at(bytes, 1, i), count - i < 8 ? count - i : 8);
      a = mix(a ^ word, i);
      b = mix(b + (word << 32 | word >> 32), i);
    }
  }
};

constexpr folded fresh{0x243f6a8885a308d3, 0x13198a2e03707344}; // digits of pi

std::string hex(uint128 bits, std::size_t bytes) {
  std::string text;
  for (std::size_t nibble = 2 * bytes; nibble-- > 0;)
    text += "0123456789abcdef"[static_cast<unsigned>(bits >> (4 * nibble)) & 15];
  return text;
}

std::string where(std::size_t i, std::size_t n) {
  return "at " + std::to_string(i) + " of " + std::to_string(n) + ": ";
}

} // namespace

void multiset_hash::add_words(std::uint64_t a, std::uint64_t b) {
  sum_[0] += a;
  sum_[1] += b;
  ++count_;
}

void multiset_hash::add(const void* bytes, std::size_t count) {
  folded hash = fresh;
  hash.fold(bytes, count);
  add_words(hash.a, hash.b);
}

void multiset_hash::add(const void* first, std::size_t first_count, const void* second, std::size_t second_count) {
  folded hash = fresh;
  hash.fold(first, first_count);
  hash.fold(second, second_count);
  add_words(hash.a, hash.b);
}

void multiset_hash::add(const multiset_hash& other) {
  sum_[0] += other.sum_[0];
  sum_[1] += other.sum_[1];
  count_ += other.count_;
}

void multiset_hash::add(key_type type, const pairs_view& pairs) {
  const std::size_t bytes = key_bytes(type);
  for (std::size_t i = 0; i < pairs.n; ++i) {
    if (pairs.value_bytes == 0)
      add(at(pairs.keys, bytes, i), bytes);
    else
      add(at(pairs.keys, bytes, i), bytes, at(pairs.values, pairs.value_bytes, i), pairs.value_bytes);
  }
}

std::string multiset_hash::to_string() const {
  return hex((uint128{sum_[0]} << 64) | sum_[1], 16) + " of " + std::to_string(count_);
}

std::string key_text(key_type type, const void* key) {
  const auto word = with_word(type, [&]<class Word>(Word bits) {
    std::memcpy(&bits, key, sizeof bits);
    return uint128{bits};
  });
  const std::string bits = "0x" + hex(word, key_bytes(type));
  if (type == key_type::f32) {
    float value = 0;
    std::memcpy(&value, key, sizeof value);
    return std::to_string(value) + " (" + bits + ")";
  }
  if (type == key_type::f64) {
    double value = 0;
    std::memcpy(&value, key, sizeof value);
    return std::to_string(value) + " (" + bits + ")";
  }
  if (type == key_type::f16 || type == key_type::bf16)
    return std::to_string(value_of(type, static_cast<std::uint16_t>(word))) + " (" + bits + ")";
  return bits;
}

verdict verify_exact(const ordering& by, const pairs_view& input, const pairs_view& output) {
  if (input.n != output.n)
    return {"the output has " + std::to_string(output.n) + " keys, the input " + std::to_string(input.n)};
  const std::size_t bytes = key_bytes(by.type);
  const std::vector<std::uint64_t> positions = stable_order(by, input.keys, input.n);
  for (std::size_t i = 0; i < input.n; ++i) {
    const std::byte* expected = at(input.keys, bytes, positions[i]);
    if (output.keys != nullptr && std::memcmp(at(output.keys, bytes, i), expected, bytes) != 0)
      return {where(i, input.n) + "key " + key_text(by.type, at(output.keys, bytes, i)) + ", expected " +
              key_text(by.type, expected)};
    if (input.value_bytes != 0 &&
        std::memcmp(at(output.values, input.value_bytes, i), at(input.values, input.value_bytes, positions[i]),
                    input.value_bytes) != 0)
      return {where(i, input.n) + "not the value that came with the key (input position " +
              std::to_string(positions[i]) + ", key " + key_text(by.type, expected) + ")"};
  }
  return {};
}

verdict verify_order(const ordering& by, const pairs_view& output) {
  const std::size_t bytes = key_bytes(by.type);
  for (std::size_t i = 1; i < output.n; ++i)
    if (comes_before(by, at(output.keys, bytes, i), at(output.keys, bytes, i - 1)))
      return {where(i, output.n) + "key " + key_text(by.type, at(output.keys, bytes, i)) + " after " +
              key_text(by.type, at(output.keys, bytes, i - 1))};
  return {};
}

verdict verify_permutation(const ordering& by, const multiset_hash& input, const pairs_view& output) {
  if (verdict v = verify_order(by, output); !v)
    return v;
  multiset_hash hash;
  hash.add(by.type, output);
  if (hash != input)
    return {"in order, but not a permutation of the input: hash " + hash.to_string() + ", the input's " +
            input.to_string()};
  return {};
}

verdict verify_stability(const ordering& by, const pairs_view& output) {
  const std::size_t bytes = key_bytes(by.type);
  const auto position = [&](std::size_t i) {
    std::uint64_t p = 0;
    std::memcpy(&p, at(output.values, output.value_bytes, i), output.value_bytes);
    return p;
  };
  const auto equal = [&](const std::byte* a, const std::byte* b) {
    return !comes_before(by, a, b) && !comes_before(by, b, a);
  };
  for (std::size_t i = 1; i < output.n; ++i)
    if (position(i - 1) >= position(i) && equal(at(output.keys, bytes, i - 1), at(output.keys, bytes, i)))
      return {where(i, output.n) + "equal keys " + key_text(by.type, at(output.keys, bytes, i)) + " from positions " +
              std::to_string(position(i - 1)) + " and " + std::to_string(position(i)) + " changed places"};
  return {};
}

} // namespace sortile::testing
