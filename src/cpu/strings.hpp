// How the sort of strings reads them: as views, or by offsets.
#pragma once

#include <sortile/sortile.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace sortile::cpu {

/// An array of views.
struct viewed_strings {
  const std::string_view* views;

  explicit viewed_strings(const strings_request& r) : views(r.views) {}
  std::string_view operator[](std::size_t i) const { return views[i]; }
  void prefetch(std::size_t i) const { __builtin_prefetch(views + i); }
};

/// Strings one after the other.
template <class Offset>
struct offset_strings {
  const Offset* offsets;
  const char* bytes;
  std::size_t separator;

  explicit offset_strings(const strings_request& r)
      : offsets(static_cast<const Offset*>(r.offsets)), bytes(r.bytes), separator(r.separator_bytes) {}
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = offsets[i];
    return {bytes + begin, static_cast<std::size_t>(offsets[i + 1]) - begin - separator};
  }
  void prefetch(std::size_t i) const { __builtin_prefetch(offsets + i); }
};

/// Calls f(strings) with the strings of a request.
template <class F>
decltype(auto) with_strings(const strings_request& r, F&& f) {
  if (r.views != nullptr || r.offsets == nullptr)
    return std::forward<F>(f)(viewed_strings(r));
  if (r.offset_bytes == 4)
    return std::forward<F>(f)(offset_strings<std::uint32_t>(r));
  return std::forward<F>(f)(offset_strings<std::uint64_t>(r));
}

/// The order of strings (checked). Returns how many positions were written.
std::size_t sort_strings(const strings_request& request, const options& opts, unsigned threads);

} // namespace sortile::cpu
