// Launches the selection of rows: a block a row, or of short rows a warp.
#include "kernels/select/select_rows_kernel.hpp"
#include "kernels/select/select_short_rows_kernel.hpp"
#include "kernels/send.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
namespace {

template <unsigned Lanes, unsigned Groups, bool All, class Word>
void launch_short_as(const simt::queue& q, const select_rows_request<Word>& r) {
  using kernel = select_short_rows_kernel<Word, Lanes, Groups, All>;
  constexpr std::uint64_t most_blocks = std::uint64_t{1} << 20;
  const std::uint64_t results = r.rows * r.k, blocks = (r.rows + kernel::block_rows - 1) / kernel::block_rows;
  const auto positions = [&](unsigned bytes) { return r.position_bytes == bytes ? results : 0; };
  simt::launch(q, {.grid = unsigned(std::min(blocks, most_blocks))},
               kernel{.keys = {r.keys, (r.rows - 1) * r.stride + r.n},
                      .keys_out = {r.keys_out, r.keys_out == nullptr ? 0 : results},
                      .positions_32 = {static_cast<std::uint32_t*>(r.positions_out), positions(4)},
                      .positions_64 = {static_cast<std::uint64_t*>(r.positions_out), positions(8)},
                      .rows = r.rows,
                      .stride = r.stride,
                      .n = std::uint32_t(r.n),
                      .k = std::uint32_t(r.k),
                      .images = nan_image<Word>(r.codec, r.nan_last),
                      .usual = usual_image<Word>(r.codec),
                      .mask = r.codec.mask,
                      .shift = r.codec.shift,
                      .position_bytes = r.position_bytes,
                      .writes_keys = r.keys_out != nullptr,
                      .positions_in_all = r.positions_in_all,
                      .windowed = r.codec.bits < 8 * sizeof(Word),
                      .vectors_allowed = reinterpret_cast<std::uintptr_t>(r.keys) % kernel::load_bytes == 0 &&
                                         r.stride * sizeof(Word) % kernel::load_bytes == 0 &&
                                         r.n * sizeof(Word) % kernel::load_bytes == 0,
                      .one = 1,
                      .vectors_of_results = r.results.bytes_each() == 0 && r.k % 4 == 0 &&
                                            reinterpret_cast<std::uintptr_t>(r.keys_out) % 16 == 0 &&
                                            reinterpret_cast<std::uintptr_t>(r.positions_out) % 16 == 0,
                      .limits = row_limits::of(r.results, r.rows)});
}

template <unsigned Lanes, class Word>
void launch_short(const simt::queue& q, const select_rows_request<Word>& r) {
  constexpr unsigned groups = 32 / Lanes; // for k ≤ 16
  constexpr bool all = Lanes == 8;
  if (r.k <= 16)
    launch_short_as<Lanes, groups, false>(q, r);
  else if (r.k <= 32)
    launch_short_as<Lanes, all ? groups : 2 * groups, all>(q, r);
  else
    launch_short_as<Lanes, all ? 2 * groups : 4 * groups, all>(q, r);
}

template <bool Ragged, class Word>
void launch_blocks(const simt::queue& q, const select_rows_request<Word>& r) {
  using kernel = select_rows_kernel<Word, Ragged>;
  constexpr std::uint64_t most_blocks = std::uint64_t{1} << 20;
  const bool of_segments = r.where.count != 0;
  const std::uint64_t results = r.rows * r.k, keys = of_segments ? r.n : (r.rows - 1) * r.stride + r.n;
  const auto positions = [&](unsigned bytes) { return r.position_bytes == bytes ? results : 0; };
  kernel k{.keys = {r.keys, keys},
           .keys_out = {r.keys_out, r.keys_out == nullptr ? 0 : results},
           .positions_32 = {static_cast<std::uint32_t*>(r.positions_out), positions(4)},
           .positions_64 = {static_cast<std::uint64_t*>(r.positions_out), positions(8)},
           .rows = r.rows,
           .stride = r.stride,
           .n = std::uint32_t(r.n),
           .k = std::uint32_t(r.k),
           .sample = detail::select_rows_sample::of(sizeof(Word), std::uint32_t(r.n), std::uint32_t(r.k)),
           .images = nan_image<Word>(r.codec, r.nan_last),
           .mask = r.codec.mask,
           .shift = r.codec.shift,
           .bits = r.codec.bits,
           .position_bytes = r.position_bytes,
           .writes_keys = r.keys_out != nullptr,
           .positions_in_all = r.positions_in_all,
           .windowed = r.codec.bits < 8 * sizeof(Word),
           .vectors_allowed = reinterpret_cast<std::uintptr_t>(r.keys) % 16 == 0 && r.stride * sizeof(Word) % 16 == 0};
  if constexpr (Ragged) {
    const segments rows{.count = r.rows, .length = r.n, .stride = r.stride};
    k.ragged = {reader_of(of_segments ? r.where : rows, keys), row_limits::of(r.results, r.rows)};
  }
  simt::launch(q, {.grid = unsigned(std::min(r.rows, most_blocks))}, k);
}

template <class Word>
void launch(const simt::queue& q, const select_rows_request<Word>& r) {
  const bool of_segments = r.where.count != 0;
  if constexpr (sizeof(Word) <= 8) {
    constexpr std::uint64_t most_short = 1024, most_k = 64;
    if (!of_segments && r.n <= most_short / 4 && r.k <= most_k)
      return launch_short<8>(q, r);
    if (!of_segments && r.n <= most_short && r.k <= most_k)
      return launch_short<32>(q, r);
  }
  if (of_segments || r.results.bytes_each() != 0)
    launch_blocks<true>(q, r);
  else
    launch_blocks<false>(q, r);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_EACH_WORD(SORTILE_LAUNCHES, select_rows_request, launch)
