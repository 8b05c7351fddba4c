// Keys at places, and numbers between two keys, for all rows. The places come with the launch, `batch` of them at most.
#include "kernels/ranks/pick_keys.hpp"

#include "kernels/ranks/key_number.hpp"
#include "kernels/send.hpp"
#include "primitives/quantile_place.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word>
struct pick_keys_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64, batch = 64; // a thread a place

  simt::global<const Word> from;
  simt::global<Word> out;
  std::uint64_t rows, stride, results; // results: of a row
  std::uint64_t first;                 // of them, this launch's
  std::uint32_t count;
  std::uint64_t places[batch];

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (t >= count)
      return;
    const std::uint64_t place = places[t];
    for (std::uint64_t row = simt::block_index(); row < rows; row += simt::grid_size())
      out[row * results + first + t] = from.load(row * stride + place);
  }
};

template <class Word>
struct pick_quantiles_kernel {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 64, batch = 64;

  simt::global<const Word> from;
  simt::global<double> out;
  std::uint64_t rows, stride, results;
  std::uint64_t first;
  std::uint32_t count;
  key_type type;
  picked_quantile quantiles[batch];

  SORTILE_DEVICE void operator()() const {
    const unsigned t = simt::thread_index();
    if (t >= count)
      return;
    const picked_quantile mine = quantiles[t];
    for (std::uint64_t row = simt::block_index(); row < rows; row += simt::grid_size()) {
      const double low = number_of(type, from.load(row * stride + mine.low));
      const double high = number_of(type, from.load(row * stride + mine.high));
      out[row * results + first + t] = between(low, high, mine.fraction);
    }
  }
};

namespace {

/// A launch for each `Kernel::batch` of the items; `write` gives each launch's kernel its own.
template <class Kernel, class Request, class Item, class Out, class Write>
void launch_batches(const simt::queue& q, const Request& r, std::span<const Item> items, Out* out, Write write) {
  constexpr std::uint64_t most_blocks = 4096;
  for (std::size_t first = 0; first < items.size(); first += Kernel::batch) {
    Kernel k{};
    k.from = {r.from, r.extent};
    k.out = {out, r.rows * items.size()};
    k.rows = r.rows;
    k.stride = r.stride;
    k.results = items.size();
    k.first = first;
    k.count = std::uint32_t(std::min<std::size_t>(Kernel::batch, items.size() - first));
    write(k, items.subspan(first, k.count));
    simt::launch(q, {.grid = unsigned(std::min(r.rows, most_blocks))}, k);
  }
}

template <class Word>
void launch(const simt::queue& q, const pick_keys_request<Word>& r) {
  launch_batches<pick_keys_kernel<Word>>(
      q, r, r.places, r.out, [](auto& kernel, auto places) { std::copy(places.begin(), places.end(), kernel.places); });
}

template <class Word>
void launch(const simt::queue& q, const pick_quantiles_request<Word>& r) {
  launch_batches<pick_quantiles_kernel<Word>>(q, r, r.quantiles, r.out, [&](auto& kernel, auto quantiles) {
    kernel.type = r.type;
    std::copy(quantiles.begin(), quantiles.end(), kernel.quantiles);
  });
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_EACH_WORD(SORTILE_LAUNCHES, pick_keys_request, launch)
SORTILE_EACH_WORD(SORTILE_LAUNCHES, pick_quantiles_request, launch)
