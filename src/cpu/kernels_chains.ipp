// The kernel of pairs of few different keys: values are appended to the chains of their keys (value_chains.hpp).
// Included once per instruction set (kernels_all.hpp).
namespace sortile::cpu::SORTILE_CPU_ISA {

/// Whether digit_run keys are the same.
template <class K>
inline bool are_equal(const K* keys) {
  K differing = 0;
  for (std::size_t i = 1; i < digit_run; ++i)
    differing = static_cast<K>(differing | static_cast<K>(keys[i] ^ keys[0]));
  return differing == 0;
}

/// False where there are more values than there is room for chains.
template <class K, class V>
bool chain(const source<K>& from, std::size_t n, value_chains<K>& chains) {
  using entry = typename value_chains<K>::entry;
  const value_chains<K> table = chains; // what `home` needs stays in registers
  const std::uintptr_t in_block = table.block_bytes() - 1;
  const auto put = [&](K key, const V* values, std::size_t count) { // false where there is no room
    entry* e = table.home(key);
    if (e->key != key) [[unlikely]] {
      e = chains.find(key);
      if (e == nullptr)
        return false;
    }
    std::byte* at = e->what;
    // So many chains are too many streams for the processor's own fetching.
    __builtin_prefetch(at + value_chains<K>::fetched, 1);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(at, values + i, sizeof(V));
      at += sizeof(V);
      if ((reinterpret_cast<std::uintptr_t>(at) & in_block) == 0) [[unlikely]]
        at = chains.next_block(e);
    }
    e->what = at;
    return true;
  };
  value_block<V> values_of;
  constexpr std::size_t ahead = 4 * digit_block;
  for (std::size_t i = 0; i < n; i += digit_block) {
    const std::size_t m = n - i < digit_block ? n - i : digit_block;
    const K* const keys = from.keys + i;
    const V* const values = values_of(from, i, m);
    fetch(keys, ahead, ahead + digit_block);
    if (!from.makes_indices())
      fetch(values, ahead, ahead + digit_block);
    std::size_t j = 0;
    for (; j + digit_run <= m; j += digit_run) {
      if (are_equal(keys + j)) {
        if (!put(keys[j], values + j, digit_run))
          return false;
        continue;
      }
      for (std::size_t k = j; k < j + digit_run; ++k)
        if (!put(keys[k], values + k, 1)) [[unlikely]]
          return false;
    }
    for (; j < m; ++j)
      if (!put(keys[j], values + j, 1))
        return false;
  }
  return true;
}

} // namespace sortile::cpu::SORTILE_CPU_ISA
