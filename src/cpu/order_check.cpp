// Finds the first key that is out of order.
//
// Blocks are taken in order by whichever thread is free. A block after a disorder that has been found is skipped, so
// all threads stop soon. The smallest position counts, so the answer does not depend on the threads.
//
// Where one thread is enough the front door asks for no others, and looks at the first keys one by one: most arrays
// that are not in order show it there.
#include "cpu/cpu_engine.hpp"
#include "cpu/few_keys.hpp"
#include "cpu/kernels.hpp"
#include "cpu/parallel.hpp"
#include "cpu/short_calls.hpp"
#include "primitives/with_word.hpp"

#include <atomic>

namespace sortile::cpu {

namespace {

constexpr std::size_t block_keys = std::size_t{1} << 14;
constexpr std::size_t check_alone_below = std::size_t{1} << 18;
constexpr std::size_t checked_one_by_one = 64; // at the beginning

// Whether keys[begin, end) and the key before them are in order.
template <class K>
bool in_order(const K* keys, std::size_t begin, std::size_t end, key_image<K> image) {
  const K* const before = begin > 0 ? keys + begin - 1 : nullptr;
  if constexpr (sizeof(K) == 16) { // the scan of sorts does more than compare
    bool falls = false;
    K last = image.ordering(before != nullptr ? *before : keys[begin]);
    for (std::size_t i = begin; i < end; ++i) {
      const K ordering = image.ordering(keys[i]);
      falls |= ordering < last;
      last = ordering;
    }
    return !falls;
  }
  look_result<K> found;
  best_kernels<K>().look(keys + begin, end - begin, before, image, found);
  if (image.is_float && (found.special || (before != nullptr && image.is_special(*before)))) {
    image.exact = true;
    found = {};
    best_kernels<K>().look(keys + begin, end - begin, before, image, found);
  }
  return found.ascending;
}

// The first key from `at` on that is out of order, of which there is one.
template <class K>
std::size_t disorder_from(const K* keys, std::size_t at, const key_image<K>& image) {
  const key_image<K> exact = image.exactly();
  at = std::max<std::size_t>(at, 1);
  while (exact.ordering(keys[at]) >= exact.ordering(keys[at - 1]))
    ++at;
  return at;
}

template <class K>
std::optional<std::size_t> find_disorder_alone(const K* keys, std::size_t n, const key_image<K>& image) {
  const key_image<K> exact = image.exactly();
  const std::size_t few = std::min(n, checked_one_by_one);
  K last = exact.ordering(keys[0]);
  for (std::size_t i = 1; i < few; ++i) {
    const K ordering = exact.ordering(keys[i]);
    if (ordering < last)
      return i;
    last = ordering;
  }
  for (std::size_t begin = few; begin < n; begin += block_keys)
    if (!in_order(keys, begin, std::min(n, begin + block_keys), image))
      return disorder_from(keys, begin, image);
  return std::nullopt;
}

template <class K>
std::optional<std::size_t> find_disorder(const K* keys, std::size_t n, key_image<K> image, const options& opts,
                                         unsigned threads) {
  std::atomic<std::size_t> first{n};
  const std::size_t blocks = (n + block_keys - 1) / block_keys;
  progress_meter progress(&opts.progress, blocks);
  for_each_task(n < check_alone_below ? 1 : threads, blocks, &progress, [&](unsigned, std::size_t block) {
    progress.add(1);
    const std::size_t begin = block * block_keys, end = std::min(n, begin + block_keys);
    if (begin >= first.load(std::memory_order_relaxed) || in_order(keys, begin, end, image))
      return;
    const std::size_t at = disorder_from(keys, begin, image);
    for (std::size_t seen = first.load(); at < seen && !first.compare_exchange_weak(seen, at);) {
    }
  });
  progress.finish();
  if (first.load() == n)
    return std::nullopt;
  return first.load();
}

} // namespace

std::optional<std::size_t> first_disorder(key_type type, const void* keys, std::size_t n, const options& opts,
                                          unsigned threads) {
  return with_word(type, [&]<class K>(K) {
    return find_disorder(static_cast<const K*>(keys), n, key_image<K>(type, opts.order, opts.bits), opts, threads);
  });
}

bool find_disorder_at_once(key_type type, const void* keys, std::size_t n, const options& opts, bool engine_is_open,
                           std::optional<std::size_t>& found) noexcept {
  const std::size_t key = key_bytes(type);
  if (n == 0 || n >= check_alone_below || key == 0 || keys == nullptr || !is_aligned(keys, key) ||
      !is_plain(opts, engine_is_open) || opts.workspace_limit != 0 || opts.bits.begin != 0 ||
      opts.bits.end != bit_window::whole_key || !are_in_reach({keys}))
    return false;
  with_word(type, [&]<class K>(K) {
    found = find_disorder_alone(static_cast<const K*>(keys), n, key_image<K>(type, opts.order, {}));
  });
  return true;
}

} // namespace sortile::cpu
