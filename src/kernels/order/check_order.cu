// The kernel of check_order.hpp.
#include "kernels/order/check_order.hpp"
#include "kernels/send.hpp"
#include "simt/simt.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <class Word>
struct check_order_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 1024;

  simt::global<const Word> keys;
  simt::global<std::uint64_t> answer; // [1]
  std::uint64_t all, n;               // of all rows, of one
  key_codec<Word> codec;
  Word flips;

  struct shared {
    simt::shared_array<std::uint32_t, block_threads / simt::warp_size> disorder; // in a warp
  };

  SORTILE_DEVICE void operator()(shared& s) const {
    const std::uint64_t stride = std::uint64_t{simt::grid_size()} * block_threads;
    bool disorder = false;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i + 1 < all; i += stride)
      disorder = disorder || (image(i) > image(i + 1) && (n == all || (i + 1) % n != 0));
    const bool in_warp = simt::warp_any(disorder);
    if (simt::lane_index() == 0)
      s.disorder[simt::warp_index()] = in_warp ? 1 : 0;
    simt::block_barrier();
    if (simt::warp_index() != 0)
      return;
    const bool found = simt::warp_any(s.disorder.load(simt::lane_index()) != 0);
    if (simt::lane_index() == 0 && (found || simt::grid_size() == 1))
      answer.store(0, found ? out_of_order : in_order, simt::relaxed); // of several blocks all write the same
  }

 private:
  SORTILE_DEVICE Word image(std::uint64_t i) const { return codec.image(Word(keys.load(i) ^ flips)); }
};

template <class Word>
void launch_order(const simt::queue& q, const check_order_request<Word>& r) {
  constexpr std::uint64_t most_blocks = 2048;
  const std::uint64_t all = r.rows * r.n;
  constexpr std::uint64_t block_keys = 8 * check_order_kernel<Word>::block_threads;
  const std::uint64_t blocks = all <= answers_always ? 1 : (all + block_keys - 1) / block_keys;
  simt::launch(
      q, {.grid = unsigned(std::min(blocks, most_blocks))},
      check_order_kernel<Word>{
          .keys = {r.keys, all}, .answer = {r.answer, 1}, .all = all, .n = r.n, .codec = r.codec, .flips = r.flips});
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_EACH_WORD(SORTILE_LAUNCHES, check_order_request, launch_order)
