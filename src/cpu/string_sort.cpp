// The instances of the sort of strings, and copies of strings in an order.
#include "cpu/string_sorter.hpp"

#include "cpu/string_gather.hpp"

namespace sortile::cpu {

std::size_t sort_strings(const strings_request& request, const options& opts, unsigned threads) {
  return with_strings(request, [&](auto strings) {
    using Strings = decltype(strings);
    return request.index_bytes == 4 ? string_sorter<Strings, std::uint32_t>(request, opts, threads).run()
                                    : string_sorter<Strings, std::uint64_t>(request, opts, threads).run();
  });
}

namespace {

/// Lengths summed up piece by piece: where each piece of the copy begins.
template <class Strings, class Offset>
void gather_strings(const Strings& strings, const std::uint64_t* positions, std::size_t n, Offset* offsets, char* bytes,
                    unsigned threads) {
  offsets[0] = 0;
  for (std::size_t i = 0; i < n; ++i)
    offsets[i + 1] = static_cast<Offset>(offsets[i] + strings[positions[i]].size());
  for_each_piece(threads, n, std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
    constexpr std::size_t ahead = 12;
    for (std::size_t i = begin; i < end; ++i) {
      if (i + ahead < end)
        __builtin_prefetch(strings[positions[i + ahead]].data());
      const std::string_view text = strings[positions[i]];
      std::copy(text.begin(), text.end(), bytes + offsets[i]);
    }
  });
}

} // namespace

void gather_strings(const strings_request& request, const std::uint64_t* positions, void* offsets, char* bytes,
                    unsigned threads) {
  with_strings(request, [&](auto strings) {
    if (request.offset_bytes == 4)
      gather_strings(strings, positions, request.n, static_cast<std::uint32_t*>(offsets), bytes, threads);
    else
      gather_strings(strings, positions, request.n, static_cast<std::uint64_t*>(offsets), bytes, threads);
  });
}

bool offsets_rise(const strings_request& request, unsigned threads, std::size_t& first_wrong) {
  std::atomic<std::size_t> wrong{SIZE_MAX};
  const auto look = [&](const auto* offsets) {
    for_each_piece(threads, request.n, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < request.separator_bytes ||
            offsets[i + 1] - request.separator_bytes > request.size) {
          std::size_t seen = wrong.load(std::memory_order_relaxed);
          while (i < seen && !wrong.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
          }
          return;
        }
    });
  };
  if (request.offset_bytes == 4)
    look(static_cast<const std::uint32_t*>(request.offsets));
  else
    look(static_cast<const std::uint64_t*>(request.offsets));
  first_wrong = wrong;
  return first_wrong == SIZE_MAX;
}

} // namespace sortile::cpu
