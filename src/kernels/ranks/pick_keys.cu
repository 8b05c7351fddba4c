// Keys at places, and numbers between two keys, of all segments: a thread a result. What is asked for comes with the
// launch, `batch` of it at most.
#include "kernels/ranks/pick_keys.hpp"

#include "kernels/ranks/key_number.hpp"
#include "kernels/segments/segment_reader.hpp"
#include "kernels/send.hpp"

#include <algorithm>
#include <limits>

namespace sortile::kernels::inline SORTILE_BACKEND {

/// What the kernels have in common: sorted keys, and for each segment `count` of its `results` from `first` on.
template <class Word, class Result, class Item>
struct picking {
  static constexpr bool starts_early = true;
  static constexpr unsigned block_threads = 256, batch = 64;

  simt::global<const Word> from;
  simt::global<Result> out;
  segment_reader where;
  std::uint64_t step; // from a key of a segment to its next one
  std::uint64_t results, first;
  std::uint32_t count;
  Item items[batch];

  /// pick(item, its segment, the result's place) of each result.
  template <class Pick>
  SORTILE_DEVICE void for_each(Pick pick) const {
    const std::uint64_t all = where.count * count, stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < all; i += stride) {
      const std::uint64_t segment = i / count, which = i % count;
      pick(items[which], where.load(segment), segment * results + first + which);
    }
  }
  SORTILE_DEVICE Word key(const segment_reader::found& segment, std::uint64_t place) const {
    return from.load(segment.begin + place * step);
  }
};

template <class Word>
struct pick_keys_kernel : picking<Word, Word, std::uint64_t> {
  SORTILE_DEVICE void operator()() const {
    this->for_each([this](std::uint64_t place, const segment_reader::found& segment, std::uint64_t to) {
      if (place < segment.length)
        this->out.store(to, this->key(segment, place));
    });
  }
};

/// Item: quantile_place, or a probability.
template <class Word, class Item>
struct pick_quantiles_kernel : picking<Word, double, Item> {
  key_type type;
  quantile_method method;

  SORTILE_DEVICE void operator()() const {
    this->for_each([this](const Item& item, const segment_reader::found& segment, std::uint64_t to) {
      this->out.store(to, segment.length == 0 ? std::numeric_limits<double>::quiet_NaN() : number(item, segment));
    });
  }

 private:
  SORTILE_DEVICE double number(double probability, const segment_reader::found& segment) const {
    return number(quantile_place(probability, segment.length, method), segment);
  }
  SORTILE_DEVICE double number(const quantile_place& at, const segment_reader::found& segment) const {
    const double low = number_of(type, this->key(segment, at.low)), high = number_of(type, this->key(segment, at.high));
    return between(low, high, at.fraction);
  }
};

namespace {

/// A launch for each `batch` of the items; `more` gives each launch's kernel what else it needs.
template <class Kernel, class Request, class Item, class More>
void launch_batches(const simt::queue& q, const Request& r, std::span<const Item> items, More more) {
  constexpr std::uint64_t most_blocks = 4096;
  for (std::size_t first = 0; first < items.size(); first += Kernel::batch) {
    const auto some = items.subspan(first, std::min<std::size_t>(Kernel::batch, items.size() - first));
    Kernel k{};
    k.from = {r.from, r.extent};
    k.out = {r.out, r.where.count * items.size()};
    k.where = reader_of(r.where, r.extent);
    k.step = r.where.form == segment_form::strided ? r.where.step : 1;
    k.results = items.size();
    k.first = first;
    k.count = std::uint32_t(some.size());
    std::copy(some.begin(), some.end(), k.items);
    more(k);
    const std::uint64_t blocks = (r.where.count * some.size() + Kernel::block_threads - 1) / Kernel::block_threads;
    simt::launch(q, {.grid = unsigned(std::min(blocks, most_blocks))}, k);
  }
}

template <class Word>
void launch(const simt::queue& q, const pick_keys_request<Word>& r) {
  launch_batches<pick_keys_kernel<Word>>(q, r, r.places, [](auto&) {});
}

template <class Word>
void launch(const simt::queue& q, const pick_quantiles_request<Word>& r) {
  const auto more = [&](auto& kernel) {
    kernel.type = r.type;
    kernel.method = r.method;
  };
  launch_batches<pick_quantiles_kernel<Word, quantile_place>>(q, r, r.places, more);
  launch_batches<pick_quantiles_kernel<Word, double>>(q, r, r.probabilities, more);
}

} // namespace
} // namespace sortile::kernels::inline SORTILE_BACKEND

SORTILE_EACH_WORD(SORTILE_LAUNCHES, pick_keys_request, launch)
SORTILE_EACH_WORD(SORTILE_LAUNCHES, pick_quantiles_request, launch)
