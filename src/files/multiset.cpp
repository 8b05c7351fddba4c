// See multiset.hpp. The hash takes 16 bytes a round, each multiplied with 128-bit products that random keys enter
// ("folded multiply", as in wyhash); two independent ones make the 128 bits.
#include "files/multiset.hpp"

#include "files/parallel.hpp"

#include <sortile/types.hpp>

#include <cstring>
#include <mutex>
#include <random>

namespace sortile::files {

namespace {

constexpr std::size_t multiset_slice_records = std::size_t{1} << 14;

struct hash_keys {
  std::uint64_t k[6];
};

const hash_keys& keys() {
  static const hash_keys made = [] {
    std::random_device device;
    hash_keys random{};
    for (std::uint64_t& k : random.k)
      k = (std::uint64_t{device()} << 32 | device()) | 1;
    return random;
  }();
  return made;
}

std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
  const uint128 product = uint128{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

multiset_sum hash(std::string_view bytes, const hash_keys& key) {
  std::uint64_t a = key.k[0] ^ bytes.size();
  std::uint64_t b = key.k[1] + bytes.size();
  for (const char* end = bytes.data() + bytes.size(); !bytes.empty();) {
    std::uint64_t words[2] = {0, 0};
    const std::size_t taken = std::min(bytes.size(), sizeof words);
    std::memcpy(words, bytes.data(), taken);
    a = folded(a ^ words[0] ^ key.k[2], words[1] ^ key.k[3]) + words[0];
    b = folded(b ^ words[1] ^ key.k[4], words[0] ^ key.k[5]) + words[1];
    bytes = {bytes.data() + taken, static_cast<std::size_t>(end - bytes.data()) - taken};
  }
  return {1, folded(a ^ key.k[5], key.k[2]), folded(b ^ key.k[3], key.k[4])};
}

template <class Record>
multiset_sum sum(std::size_t n, unsigned threads, Record&& record) {
  multiset_sum all;
  std::mutex lock;
  const hash_keys& key = keys();
  parallel_slices(threads, n, multiset_slice_records, [&](std::size_t begin, std::size_t end) {
    multiset_sum part;
    for (std::size_t i = begin; i < end; ++i)
      part += hash(record(i), key);
    const std::lock_guard guard(lock);
    all += part;
  });
  return all;
}

} // namespace

multiset_sum& multiset_sum::operator+=(const multiset_sum& other) {
  records += other.records;
  low += other.low;
  high += other.high;
  return *this;
}

multiset_sum sum_of_records(const record_table& records, unsigned threads) {
  return sum(records.size(), threads, [&](std::size_t i) { return records[i]; });
}

multiset_sum sum_of_records(std::string_view data, std::size_t record_bytes, unsigned threads) {
  return sum(data.size() / record_bytes, threads,
             [&](std::size_t i) { return data.substr(i * record_bytes, record_bytes); });
}

} // namespace sortile::files
