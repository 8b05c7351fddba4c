// What calls with ranges share: two buffers that take turns, lengths, memory, room for positions. Part of sortile.hpp.
#pragma once

#include <cstddef>
#include <new>
#include <ranges>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

/// Two buffers of one length, of which a sort may use both: `current` holds the input before and the result after.
template <class T>
struct double_buffer {
  std::span<T> current;
  std::span<T> other;
};

namespace detail {

[[noreturn]] void lengths_differ(const char* function, const char* first, std::size_t n, const char* second,
                                 std::size_t m);
[[noreturn]] void positions_too_narrow(const char* function, std::size_t n);
[[noreturn]] void no_memory(std::size_t n, std::size_t element_bytes, const char* purpose);

inline void same_length(const char* function, const char* first, std::size_t n, const char* second, std::size_t m) {
  if (n != m)
    lengths_differ(function, first, n, second, m);
}

/// Elements of a range, also where its size() is a signed number.
template <class R>
std::size_t length(R&& range) {
  return static_cast<std::size_t>(std::ranges::size(range));
}

/// Positions of n elements must be numbers of type Index. Of unsigned ones the library sees to that by itself.
template <class Index>
void need_wide_enough(const char* function, std::size_t n) {
  if (std::is_signed_v<Index> && sizeof(Index) == 4 && n > std::size_t{1} << 31)
    positions_too_narrow(function, n);
}

/// Memory for the time of a call, from where the library takes its own.
class call_memory {
 public:
  /// n elements, aligned to workspace_alignment. \throws out_of_memory naming how much was wanted, and the purpose
  call_memory(std::size_t n, std::size_t element_bytes, const char* purpose);
  ~call_memory();
  call_memory(call_memory&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)), data_(std::exchange(other.data_, nullptr)) {}
  call_memory& operator=(call_memory&&) = delete;

  void* data() const noexcept { return data_; }

 private:
  void* owner_ = nullptr;
  void* data_ = nullptr;
};

/// A vector for n positions. \throws out_of_memory
template <class Index>
std::vector<Index> room_for_positions(const char* function, std::size_t n) {
  need_wide_enough<Index>(function, n);
  try {
    return std::vector<Index>(n);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  no_memory(n, sizeof(Index), "positions");
}

} // namespace detail
} // namespace sortile
#pragma GCC visibility pop
