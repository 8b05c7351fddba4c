// Byte strings in order: arrays of std::string_view and std::string, and strings that lie one after the other with an
// array of offsets, as Arrow and most column stores keep them. Part of sortile.hpp.
//
// Strings are compared byte by byte, bytes as unsigned numbers, a string before those that it begins. Stable: equal
// strings keep their order. Only options::order, threads, engine and progress have a meaning here.
#pragma once

#include <sortile/arrays.hpp>
#include <sortile/few.hpp>
#include <sortile/options.hpp>
#include <sortile/request.hpp>
#include <sortile/types.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// The order of n byte strings. They are given as `views`, or where that is null as `offsets` and `bytes`: string i is
/// then bytes[offsets[i], offsets[i + 1] − separator_bytes).
struct strings_request {
  std::size_t n = 0;
  const std::string_view* views = nullptr;

  const void* offsets = nullptr; ///< n + 1 numbers, none below the one before it
  std::size_t offset_bytes = 8;  ///< 4 or 8
  const char* bytes = nullptr;
  std::size_t size = 0;            ///< of `bytes`: no string ends beyond it
  std::size_t separator_bytes = 0; ///< behind each string, no part of it: 1 where lines keep their newlines

  bool distinct = false;       ///< of equal strings the first alone
  void* indices_out = nullptr; ///< room for n positions
  std::size_t index_bytes = 8; ///< 4 or 8
};

/// Writes the positions of the strings in order, and returns how many: n, or with `distinct` that of different strings.
/// Reads little more of the strings than tells them apart. Workspace of its own: 8 or 16 bytes a string, and what a
/// sort of n 64-bit keys with positions takes; up to 8192 strings 28 or 32 bytes each alone. No heap below 10^5 strings
/// on up to two threads.
/// \throws invalid_argument  null pointers, offsets that decrease or lie beyond `size`, an index type too narrow for n,
/// options::bits
/// \throws engine_unusable, out_of_memory, cancelled
std::size_t run(const strings_request& request, const options& opts = default_options());

/// Strings that lie one after the other: string i is bytes[offsets[i], offsets[i + 1]). One more offset than strings;
/// without strings there may be none.
template <class Offset>
requires(std::integral<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8)) struct byte_strings {
  std::span<const Offset> offsets;
  std::span<const char> bytes;

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    const auto begin = static_cast<std::size_t>(offsets[i]);
    return {bytes.data() + begin, static_cast<std::size_t>(offsets[i + 1]) - begin};
  }
};

/// Arrays of std::string_view.
template <class R>
concept string_views = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::same_as<std::ranges::range_value_t<R>, std::string_view>;

/// Arrays of std::string.
template <class R>
concept string_array = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    std::same_as<std::ranges::range_value_t<R>, std::string>;

namespace detail {

/// Views of strings, for the time of a call. \throws out_of_memory
class views_of_strings {
 public:
  template <string_array Strings>
  explicit views_of_strings(const Strings& strings)
      : n_(length(strings)), memory_(n_, sizeof(std::string_view), "views of strings") {
    const std::string* const first = std::ranges::data(strings);
    std::uninitialized_copy(first, first + n_, static_cast<std::string_view*>(memory_.data()));
  }

  std::span<const std::string_view> all() const { return {static_cast<const std::string_view*>(memory_.data()), n_}; }

 private:
  std::size_t n_;
  call_memory memory_;
};

template <string_views Strings>
strings_request strings_to_sort(const Strings& strings) {
  return {.n = length(strings), .views = std::ranges::data(strings)};
}

template <class Offset>
strings_request strings_to_sort(const byte_strings<Offset>& strings) {
  return {.n = strings.size(),
          .offsets = strings.offsets.data(),
          .offset_bytes = sizeof(Offset),
          .bytes = strings.bytes.data(),
          .size = strings.bytes.size()};
}

template <class Strings>
concept strings = requires(const Strings& s) {
  strings_to_sort(s);
};

/// Copies strings in the order of the positions, one after the other. \throws invalid_argument where they do not fit
void gather_strings(const strings_request& strings, const void* positions, void* offsets_out, char* bytes_out,
                    std::size_t bytes_size, const options& opts);

/// Whether strings are few enough to be put in order here, each between those before it, and as the library wants them.
template <class String>
bool are_few_strings(const String* strings, std::size_t n, const options& opts) noexcept {
  if (n - 2 > most_inserted - 2 || !few_door_is_open() || !are_usual(opts) || strings == nullptr ||
      reinterpret_cast<std::uintptr_t>(strings) % alignof(String) != 0)
    return false;
  return std::all_of(strings, strings + n, [](const String& s) { return s.data() != nullptr || s.empty(); });
}

template <class String>
void insert_strings(String* strings, std::size_t n, order all) noexcept {
  for (std::size_t i = 1; i < n; ++i) {
    if (!comes_first(strings[i].compare(strings[i - 1]), all))
      continue;
    String held = std::move(strings[i]);
    std::size_t at = i;
    do
      strings[at] = std::move(strings[at - 1]);
    while (--at > 0 && comes_first(held.compare(strings[at - 1]), all));
    strings[at] = std::move(held);
  }
}

/// The order of few strings. An empty vector where the library has to be called.
template <class Index, class String>
std::vector<Index> argsort_few_strings(const String* strings, std::size_t n, const options& opts) {
  if (!are_few_strings(strings, n, opts))
    return {};
  std::vector<Index> positions = room_for_positions<Index>("argsort_strings", n);
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t at = i;
    for (; at > 0; --at) {
      const Index before = positions[at - 1];
      if (!comes_first(strings[i].compare(strings[before]), opts.order))
        break;
      positions[at] = before;
    }
    positions[at] = static_cast<Index>(i);
  }
  return positions;
}

template <class Index>
std::vector<Index> positions_of_strings(strings_request request, const options& opts) {
  std::vector<Index> positions = room_for_positions<Index>("argsort_strings", request.n);
  request.indices_out = positions.data();
  request.index_bytes = sizeof(Index);
  positions.resize(run(request, opts));
  return positions;
}

/// The order of strings, for the time of a call.
class order_of_strings {
 public:
  order_of_strings(strings_request request, std::size_t index_bytes, const options& opts)
      : n_(request.n), memory_(n_, index_bytes, "positions") {
    request.indices_out = memory_.data();
    request.index_bytes = index_bytes;
    run(request, opts);
  }

  template <class Index>
  std::span<const Index> positions() const {
    return {static_cast<const Index*>(memory_.data()), n_};
  }

 private:
  std::size_t n_;
  call_memory memory_;
};

} // namespace detail

/// The order of strings as a new vector: strings[positions[0]] is the first, and so on.
template <index Index = std::uint64_t, detail::strings Strings>
[[nodiscard]] std::vector<Index> argsort_strings(const Strings& strings, const options& opts = default_options()) {
  if constexpr (string_views<Strings>)
    if (std::vector<Index> few =
            detail::argsort_few_strings<Index>(std::ranges::data(strings), detail::length(strings), opts);
        !few.empty())
      return few;
  return detail::positions_of_strings<Index>(detail::strings_to_sort(strings), opts);
}

template <index Index = std::uint64_t, string_array Strings>
[[nodiscard]] std::vector<Index> argsort_strings(const Strings& strings, const options& opts = default_options()) {
  if (std::vector<Index> few =
          detail::argsort_few_strings<Index>(std::ranges::data(strings), detail::length(strings), opts);
      !few.empty())
    return few;
  return argsort_strings<Index>(detail::views_of_strings(strings).all(), opts);
}

/// The positions of the different strings, in order; of equal strings that of the first.
template <index Index = std::uint64_t, detail::strings Strings>
[[nodiscard]] std::vector<Index> unique_strings(const Strings& strings, const options& opts = default_options()) {
  strings_request request = detail::strings_to_sort(strings);
  request.distinct = true;
  return detail::positions_of_strings<Index>(request, opts);
}

template <index Index = std::uint64_t, string_array Strings>
[[nodiscard]] std::vector<Index> unique_strings(const Strings& strings, const options& opts = default_options()) {
  return unique_strings<Index>(detail::views_of_strings(strings).all(), opts);
}

/// Sorts an array of views in place; the bytes stay where they are.
template <string_views Strings>
requires(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Strings>>>) void sort_strings(
    Strings&& strings, const options& opts = default_options()) {
  if (const std::size_t n = detail::length(strings); detail::are_few_strings(std::ranges::data(strings), n, opts))
    return detail::insert_strings(std::ranges::data(strings), n, opts.order);
  const std::size_t n = detail::length(strings), index_bytes = n <= UINT32_MAX ? 4 : 8;
  const detail::order_of_strings order(detail::strings_to_sort(strings), index_bytes, opts);
  run(permute_request{.n = n,
                      .indices = order.positions<std::byte>().data(),
                      .index_bytes = index_bytes,
                      .values = std::ranges::data(strings),
                      .value_bytes = sizeof(std::string_view)},
      {.engine = opts.engine, .threads = opts.threads});
}

/// Sorts an array of strings in place, by moving them.
template <string_array Strings>
requires writable<Strings>
void sort_strings(Strings&& strings, const options& opts = default_options()) {
  std::string* const from = std::ranges::data(strings);
  if (const std::size_t n = detail::length(strings); detail::are_few_strings(from, n, opts))
    return detail::insert_strings(from, n, opts.order);
  const std::size_t n = detail::length(strings);
  const detail::views_of_strings views(strings);
  const detail::order_of_strings order(detail::strings_to_sort(views.all()), sizeof(std::uint64_t), opts);
  const detail::call_memory memory(n, sizeof(std::string), "strings in order");
  auto* const sorted = static_cast<std::string*>(memory.data());
  std::string* to = sorted;
  for (const std::uint64_t position : order.positions<std::uint64_t>())
    std::construct_at(to++, std::move(from[position]));
  std::move(sorted, sorted + n, from);
  std::destroy_n(sorted, n);
}

/// Sorts strings that lie one after the other into new offsets and bytes, as many of both; the first offset is 0.
template <class Offset>
void sort_strings(const byte_strings<Offset>& strings, std::span<Offset> offsets_out, std::span<char> bytes_out,
                  const options& opts = default_options()) {
  if (offsets_out.size() != strings.offsets.size())
    detail::lengths_differ("sort_strings", "offsets", strings.offsets.size(), "offsets_out", offsets_out.size());
  const strings_request all = detail::strings_to_sort(strings);
  const detail::order_of_strings order(all, sizeof(std::uint64_t), opts);
  detail::gather_strings(all, order.positions<std::uint64_t>().data(), offsets_out.data(), bytes_out.data(),
                         bytes_out.size(), opts);
}

} // namespace sortile
#pragma GCC visibility pop
