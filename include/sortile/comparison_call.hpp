// What sorts and merges by a comparison, which are compiled in the user's program, need of the compiled library: checks
// before an element is read, threads, memory and progress. Part of sortile.hpp.
#pragma once

#include <sortile/arrays.hpp>
#include <sortile/options.hpp>
#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <ranges>
#include <type_traits>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile::detail {

inline constexpr std::size_t most_buckets = 256;                  // a byte says which
inline constexpr std::size_t merged_alone = std::size_t{1} << 11; // as many elements, and fewer, are not divided

/// An array of the caller, to be checked before an element is read.
struct caller_array {
  const char* name;
  const void* data;
  std::size_t count, element_bytes, alignment;
  bool written;
};

/// What a sort or a merge by a comparison needs of the library while it runs: threads, memory and progress.
class comparison_call {
 public:
  struct request {
    const char* operation;                ///< "a sort by a comparison"
    std::size_t n = 0, element_bytes = 0; ///< of each buffer
    unsigned buffers = 1;                 ///< 2 where the sort does not take place in the caller's array
    bool takes_workspace = true;          ///< whether options::workspace means anything here
  };

  /// \throws invalid_argument, workspace_too_small, engine_unusable, unknown_engine, out_of_memory
  comparison_call(const request& asked, std::initializer_list<caller_array> arrays, const options& opts);
  comparison_call(const comparison_call&) = delete;
  comparison_call& operator=(const comparison_call&) = delete;
  ~comparison_call();

  /// Of n elements each, aligned to workspace_alignment.
  template <class T>
  T* buffer(unsigned which) const noexcept {
    return static_cast<T*>(buffers_[which]);
  }
  /// A byte for each element, and most_buckets counts for each of most_chunks() chunks; none where n <= merged_alone.
  std::uint8_t* buckets() const noexcept { return buckets_; }
  std::size_t* counts() const noexcept { return counts_; }
  std::size_t most_chunks() const noexcept { return std::size_t{4} * threads_; }

  /// How many units of progress all tasks together will return; said once, before the first.
  void expect(std::uint64_t units);
  /// Calls task(i) for every i in [0, tasks), side by side; each returns the units that it has done. Between tasks the
  /// caller's progress callback is called. \throws cancelled, and what a task throws; then no further one is begun
  template <class Task>
  void for_each(std::size_t tasks, Task&& task) {
    using Function = std::remove_reference_t<Task>;
    for_each(tasks, const_cast<void*>(static_cast<const void*>(&task)),
             [](void* object, std::size_t i) -> std::size_t { return (*static_cast<Function*>(object))(i); });
  }
  /// Tells the callback that all is done; later calls of for_each() tell it nothing.
  void finish();

 private:
  void for_each(std::size_t tasks, void* object, std::size_t (*call)(void* object, std::size_t task));

  struct state;
  state* state_;
  unsigned threads_ = 1;
  void* buffers_[2] = {};
  std::uint8_t* buckets_ = nullptr;
  std::size_t* counts_ = nullptr;
};

/// \throws invalid_argument for options::order and options::bits, which a comparison leaves no choice in
void check_comparison_direction(const options& opts);

std::size_t comparison_workspace_bytes(std::size_t n, std::size_t element_bytes, unsigned buffers, const options& opts);

/// Checks arrays, options and that the workspace is apart from the arrays before anything is written. \throws as
/// comparison_call
inline void need_apart(const char* operation, std::initializer_list<caller_array> arrays, const options& opts) {
  comparison_call({operation}, arrays, opts);
}

template <class R>
caller_array named(const char* name, R& range, bool written) {
  if constexpr (array_like<R>) {
    using T = std::ranges::range_value_t<R>;
    return {name, std::ranges::data(range), length(range), sizeof(T), alignof(T), written};
  } else {
    return {name, nullptr, 0, 1, 1, written}; // in no one piece
  }
}

} // namespace sortile::detail
#pragma GCC visibility pop
