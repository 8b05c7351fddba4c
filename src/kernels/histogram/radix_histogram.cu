// Radix histogram: how often each value of each 8-bit digit of the keys occurs, for all digits in one read of the keys.
//
// A resident grid strides over the keys, 16 bytes a load and several loads in flight a thread. Every digit of a key's
// image (primitives/key_codec.hpp) adds one to a counter in shared storage; at the end each block adds its counters
// to the global ones.
//
// Counters stand in several copies, and the copies of one counter beside each other:
//
//   counts[digit][value][copy],  copy = lane mod copies
//
// so that lanes with equal digits, the common case in real data, meet in fewer places, and lanes of different copies
// never share a bank. The hardware joins additions of a warp to one address, where nobody asks for the result.
//
// Counters of a block have 32 bits: the host gives a block fewer than 2^32 keys. Traffic: sizeof(key) bytes per key.
#include "kernels/histogram/radix_histogram.hpp"

#include "kernels/clear_words.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// Measured on the H100 (docs/performance-log.md): many copies are worth more than many blocks. The counters stay
/// within 64 KB.
template <class Word>
struct histogram_tuning {
  static constexpr unsigned threads = sizeof(Word) <= 2 ? 512 : 1024;
  static constexpr unsigned min_blocks = sizeof(Word) <= 2 ? 3 : sizeof(Word) == 4 ? 2 : 1;
  static constexpr unsigned vectors = 4; ///< 16-byte loads in flight a thread
  static constexpr unsigned copies = sizeof(Word) <= 4 ? 16 : sizeof(Word) == 8 ? 8 : 4;
};

template <class Word, class Tuning = histogram_tuning<Word>>
struct radix_histogram_kernel {
  static constexpr unsigned block_threads = Tuning::threads, min_blocks = Tuning::min_blocks;
  static constexpr unsigned digits = sizeof(Word), radix = 256, copies = Tuning::copies;
  static constexpr int vector = int(16 / sizeof(Word));
  /// A byte is its own digit: its 256 values go through the codec when they are added up, not each key.
  static constexpr bool counts_raw_keys = sizeof(Word) == 1;

  struct shared {
    simt::shared_array<std::uint32_t, digits * radix * copies> counts; // [digits][radix][copies]
  };

  simt::global<const Word> keys;
  std::uint64_t n;
  std::uint32_t head; // keys before the first multiple of 16 bytes
  key_codec<Word> codec;
  simt::global<std::uint64_t> counts; // [digits][radix]

  SORTILE_DEVICE void operator()(shared& s) const {
    for (unsigned i = simt::thread_index(); i < digits * radix * copies; i += block_threads)
      s.counts[i] = 0;
    simt::block_barrier();
    count_vectors(s);
    if (simt::block_index() == 0)
      count_ends(s);
    simt::block_barrier();
    publish(s);
  }

 private:
  SORTILE_DEVICE std::uint64_t vectors() const { return (n - head) / unsigned(vector); }

  /// Each block takes every grid-th stretch of Tuning::vectors vectors a thread.
  SORTILE_DEVICE void count_vectors(shared& s) const {
    constexpr unsigned stretch = block_threads * Tuning::vectors;
    const std::uint64_t all = vectors();
    auto first = std::uint64_t{simt::block_index()} * stretch;
    for (; first + stretch <= all; first += std::uint64_t{simt::grid_size()} * stretch) {
      simt::vec<Word, vector> v[Tuning::vectors];
      SORTILE_UNROLL
      for (unsigned k = 0; k < Tuning::vectors; ++k)
        v[k] = load(first + k * block_threads + simt::thread_index());
      SORTILE_UNROLL
      for (unsigned k = 0; k < Tuning::vectors; ++k)
        count(s, v[k]);
    }
    for (auto i = first + simt::thread_index(); i < all && i < first + stretch; i += block_threads)
      count(s, load(i));
  }
  SORTILE_DEVICE simt::vec<Word, vector> load(std::uint64_t i) const {
    return simt::load_vector<vector>(keys, head + i * unsigned(vector), simt::streaming);
  }
  SORTILE_DEVICE void count(shared& s, const simt::vec<Word, vector>& v) const {
    SORTILE_UNROLL
    for (int k = 0; k < vector; ++k)
      count(s, v[k]);
  }

  /// Keys before the first whole vector and after the last: fewer than two vectors.
  SORTILE_DEVICE void count_ends(shared& s) const {
    const std::uint64_t behind = head + vectors() * unsigned(vector);
    const std::uint64_t t = simt::thread_index();
    if (t < head)
      count(s, keys.load(t));
    else if (behind + (t - head) < n)
      count(s, keys.load(behind + (t - head)));
  }

  SORTILE_DEVICE void count(shared& s, Word key) const {
    const Word image = counts_raw_keys ? key : codec.image(key);
    const unsigned copy = simt::lane_index() % copies;
    SORTILE_UNROLL
    for (unsigned d = 0; d < digits; ++d) {
      const auto value = unsigned(static_cast<Word>(image >> (8 * d)) & 255);
      s.counts.fetch_add((d * radix + value) * copies + copy, 1u, simt::relaxed, simt::block_scope);
    }
  }

  SORTILE_DEVICE void publish(shared& s) const {
    for (unsigned i = simt::thread_index(); i < digits * radix; i += block_threads) {
      std::uint32_t sum = 0;
      SORTILE_UNROLL
      for (unsigned c = 0; c < copies; ++c)
        sum += s.counts.load(i * copies + c);
      if (sum == 0)
        continue;
      counts.fetch_add(counts_raw_keys ? unsigned(codec.image(Word(i))) : i, std::uint64_t{sum});
    }
  }
};

namespace {

template <class Word>
void launch(const simt::queue& q, const detail::radix_histogram_request<Word>& r) {
  using kernel = radix_histogram_kernel<Word>;
  clear(q, r.counts, radix_histogram_counters<Word> * sizeof *r.counts);
  if (r.n == 0)
    return;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(r.keys) % 16;
  const std::uint64_t head = std::min<std::uint64_t>(r.n, offset == 0 ? 0 : (16 - offset) / sizeof(Word));
  constexpr std::uint64_t stretch =
      std::uint64_t{kernel::block_threads} * histogram_tuning<Word>::vectors * kernel::vector;
  // As many blocks as are resident, but no more than there is work for, and each with keys for 32-bit counters.
  const std::uint64_t useful = std::min<std::uint64_t>(simt::resident_blocks<kernel>(q), (r.n + stretch - 1) / stretch);
  const auto blocks = unsigned(std::max<std::uint64_t>(useful, (r.n >> 31) + 1));
  simt::launch(q, {.grid = blocks},
               kernel{.keys = {r.keys, r.n},
                      .n = r.n,
                      .head = std::uint32_t(head),
                      .codec = r.codec,
                      .counts = {r.counts, radix_histogram_counters<Word>}});
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_EACH_WORD(SORTILE_LAUNCHES, detail::radix_histogram_request, launch)
