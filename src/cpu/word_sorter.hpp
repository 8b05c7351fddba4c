// Sorts of the words of strings (string_words.hpp), with the memory that these take.
#pragma once

#include "cpu/cpu_engine.hpp"
#include "cpu/scratch.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/vector_sort.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sortile::cpu {

/// Sorts words, with the memory that this takes.
class word_sorter {
 public:
  /// With positions, stably; `makes`: these are 0 … n − 1, which are made.
  template <class Index>
  void sort(std::uint64_t* words, Index* positions, std::size_t n, bool makes, unsigned threads,
            const std::function<bool(double)>* progress = nullptr) {
    sort_request request{.type = key_type::u64, .n = n, .keys_in = words, .keys_out = words};
    request.carries = makes ? payload::indices : payload::values;
    request.value_bytes = sizeof(Index);
    request.values_in = makes ? nullptr : positions;
    request.values_out = positions;
    sort(request, threads, progress);
  }

  /// Words with numbers.
  void sort(std::uint64_t* words, std::size_t n) {
    if (n <= inserted_)
      insert(words, n);
    else if (vectors_ != nullptr)
      vectors_->sort(words, n, {}, words);
    else
      sort({.type = key_type::u64, .n = n, .keys_in = words, .keys_out = words}, 1, nullptr);
  }

 private:
  void sort(const sort_request& request, unsigned threads, const std::function<bool(double)>* progress) {
    if (sort_small(request, plain_, true))
      return;
    const std::size_t wanted = cpu_engine().workspace_bytes(request, {}, threads);
    if (space_.bytes().size() < wanted)
      space_ = scratch(wanted, "the workspace of a sort of strings");
    cpu_engine().run(request, {}, {threads, space_.bytes().first(wanted), progress});
  }

  static void insert(std::uint64_t* words, std::size_t n) {
    for (std::size_t i = 1; i < n; ++i) {
      const std::uint64_t word = words[i];
      std::size_t at = i;
      for (; at > 0 && word < words[at - 1]; --at)
        words[at] = words[at - 1];
      words[at] = word;
    }
  }

  const options plain_{};
  const vector_kernels<std::uint64_t>* vectors_ = best_vector_kernels<std::uint64_t>();
  const std::size_t inserted_ = vectors_ != nullptr ? 4 : 8;
  scratch space_{}; // of the engine
};

} // namespace sortile::cpu
