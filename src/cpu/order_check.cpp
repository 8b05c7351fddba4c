// Finds the first key that is out of order.
//
// Blocks are taken in order by whichever thread is free. A block after a disorder that has been found is skipped, so
// all threads stop soon. The smallest position counts, so the answer does not depend on the threads.
#include "cpu/cpu_engine.hpp"
#include "cpu/kernels.hpp"
#include "cpu/parallel.hpp"

#include <atomic>

namespace sortile::cpu {

namespace {

constexpr std::size_t block_keys = std::size_t{1} << 14;
constexpr std::size_t check_alone_below = std::size_t{1} << 18;

// Whether keys[begin, end) and the key before them are in order.
template <class K>
bool in_order(const K* keys, std::size_t begin, std::size_t end, key_image<K> image) {
  const K* const before = begin > 0 ? keys + begin - 1 : nullptr;
  look_result<K> found;
  best_kernels<K>().look(keys + begin, end - begin, before, image, found);
  if (image.is_float && (found.special || (before != nullptr && image.is_special(*before)))) {
    image.exact = true;
    found = {};
    best_kernels<K>().look(keys + begin, end - begin, before, image, found);
  }
  return found.ascending;
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
    key_image<K> exact = image;
    exact.exact = image.is_float;
    std::size_t at = std::max<std::size_t>(begin, 1);
    while (exact.ordering(keys[at]) >= exact.ordering(keys[at - 1]))
      ++at;
    for (std::size_t seen = first.load(); at < seen && !first.compare_exchange_weak(seen, at);) {
    }
  });
  progress.finish();
  if (first.load() == n)
    return std::nullopt;
  return first.load();
}

template <class K>
std::optional<std::size_t> find_disorder(key_type type, const void* keys, std::size_t n, const options& opts,
                                         unsigned threads) {
  return find_disorder(static_cast<const K*>(keys), n, key_image<K>(type, opts.order, opts.bits), opts, threads);
}

} // namespace

std::optional<std::size_t> first_disorder(key_type type, const void* keys, std::size_t n, const options& opts,
                                          unsigned threads) {
  switch (key_bytes(type)) {
  case 1:
    return find_disorder<std::uint8_t>(type, keys, n, opts, threads);
  case 2:
    return find_disorder<std::uint16_t>(type, keys, n, opts, threads);
  case 4:
    return find_disorder<std::uint32_t>(type, keys, n, opts, threads);
  case 8:
    return find_disorder<std::uint64_t>(type, keys, n, opts, threads);
  default:
    return find_disorder<uint128>(type, keys, n, opts, threads);
  }
}

} // namespace sortile::cpu
