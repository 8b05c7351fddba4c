// Checks of stable sorts of keys with values, against std::stable_sort, and of sorts on a condition: what the tests of
// lsd_sort and sample_sort share.
#pragma once

#include "tests/kernels/key_shapes.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace sortile::simt_tests {
inline namespace SORTILE_BACKEND {

/// What a sort is given as its condition in device memory.
enum class condition { none, holds, fails };

struct sort_case {
  key_type type = key_type::u32;
  order direction = order::ascending;
  bit_window window = {};
  unsigned value_bytes = 0;
  bool indices = false, no_keys = false, in_place = false, input_may_change = false;
  std::size_t offset = 0; // elements by which arrays are off the allocation's start
  std::size_t beyond = 0; // n is on the device, and this much less than the bound
  condition only_if = condition::none;
};

constexpr unsigned char poison = 0xa5;

/// The record i of the values: 4 words that name it.
inline std::vector<std::uint32_t> value_words(std::size_t n, unsigned bytes) {
  std::vector<std::uint32_t> w(n * bytes / 4);
  for (std::size_t i = 0; i < n; ++i)
    for (unsigned j = 0; j < bytes / 4; ++j)
      w[i * (bytes / 4) + j] = std::uint32_t(i) * 4 + j;
  return w;
}

/// An array of n elements of `bytes`, `offset` of them behind an aligned start, in the midst of poison.
class guarded {
 public:
  guarded(std::size_t n, std::size_t bytes, std::size_t offset)
      : bytes_(n * bytes), first_((zone + offset) * bytes), memory_(first_ + bytes_ + zone * bytes, poison) {}
  void fill(const void* from) {
    auto all = memory_.host();
    std::memcpy(all.data() + first_, from, bytes_);
    write(all);
  }
  char* data() const { return reinterpret_cast<char*>(memory_.view().data()) + first_; }
  std::vector<unsigned char> host() const {
    const auto all = memory_.host();
    for (std::size_t i = 0; i < all.size(); ++i)
      if ((i < first_ || i >= first_ + bytes_) && all[i] != poison) {
        ADD_FAILURE() << "written " << (i < first_ ? "before" : "behind") << " an array, byte "
                      << std::ptrdiff_t(i) - std::ptrdiff_t(first_);
        break;
      }
    return {all.begin() + std::ptrdiff_t(first_), all.begin() + std::ptrdiff_t(first_ + bytes_)};
  }

 private:
  static constexpr std::size_t zone = 16;
  void write(const std::vector<unsigned char>& all) {
#if SORTILE_ON_CUDA
    EXPECT_EQ(cudaMemcpy(memory_.view().data(), all.data(), all.size(), cudaMemcpyDefault), cudaSuccess);
#else
    std::memcpy(memory_.view().data(), all.data(), all.size());
#endif
  }
  std::size_t bytes_, first_;
  buffer<unsigned char> memory_;
};

/// The array is as it was filled; with nothing: as it was made.
inline void expect_untouched(const guarded& array, const void* filled_with, const char* what) {
  const auto now = array.host();
  std::vector<unsigned char> before(now.size(), poison);
  if (filled_with != nullptr)
    std::memcpy(before.data(), filled_with, before.size());
  ASSERT_EQ(now, before) << what << " have changed";
}

/// Sorts with the request r, once its arrays are filled in, by workspace(r) and sort(r).
template <class Word, class Request, class Workspace, class Sort>
void check_stable_sort(const std::vector<Word>& keys, const sort_case& h, Request r, Workspace workspace_of,
                       Sort sort) {
  const std::size_t bound = keys.size(), n = bound - std::min(bound, h.beyond);
  const auto codec = make_key_codec<Word>(h.type, h.direction, h.window);
  const auto words = value_words(bound, h.value_bytes);
  std::vector<std::size_t> sorted(n);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::size_t a, std::size_t b) { return codec.image(keys[a]) < codec.image(keys[b]); });

  guarded keys_in(bound, sizeof(Word), h.offset), keys_out(bound, sizeof(Word), h.offset);
  guarded values_in(bound, h.value_bytes, h.offset), values_out(bound, h.value_bytes, h.offset);
  keys_in.fill(keys.data());
  values_in.fill(words.data());
  buffer<std::uint64_t> device_n(1, n);
  buffer<std::uint32_t> only_if(1, h.only_if == condition::holds ? 1u : 0u);
  const bool here = h.in_place, with_values = h.value_bytes != 0;
  guarded& keys_result = here ? keys_in : keys_out;
  guarded& values_result = here && !h.indices ? values_in : values_out;
  r.keys_in = reinterpret_cast<const Word*>(keys_in.data());
  r.keys_out = h.no_keys ? nullptr : reinterpret_cast<Word*>(keys_result.data());
  r.values_in = with_values && !h.indices ? values_in.data() : nullptr;
  r.values_out = with_values ? values_result.data() : nullptr;
  r.value_bytes = h.value_bytes;
  r.make_indices = h.indices;
  r.n = bound;
  r.device_n = h.beyond != 0 ? device_n.view().data() : nullptr;
  if (h.only_if != condition::none)
    r.verdict = {only_if.view().data(), 1};
  r.codec = codec;
  const std::size_t bytes = workspace_of(r);
  guarded workspace(bytes / 128 + 1, 128, 0);
  std::vector<unsigned char> noise_bytes((bytes / 128 + 1) * 128, 0x5a);
  workspace.fill(noise_bytes.data());
  r.workspace = workspace.data();
  r.workspace_bytes = bytes;
  sort(r);
#if SORTILE_ON_CUDA
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
#endif

  const auto behind = workspace.host();
  for (std::size_t i = bytes; i < behind.size(); ++i)
    ASSERT_EQ(behind[i], 0x5a) << "behind the workspace";
  if (h.only_if == condition::fails) {
    expect_untouched(keys_in, keys.data(), "the keys given");
    expect_untouched(values_in, words.data(), "the values given");
    expect_untouched(keys_out, nullptr, "keys");
    expect_untouched(values_out, nullptr, "values");
    return;
  }
  if (!h.no_keys) {
    const auto got = keys_result.host();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(std::memcmp(&got[i * sizeof(Word)], &keys[sorted[i]], sizeof(Word)), 0) << "key " << i;
    if (!here) {
      for (std::size_t i = n * sizeof(Word); i < got.size(); ++i)
        ASSERT_EQ(got[i], poison) << "written beyond n, byte " << i;
    }
  }
  if (with_values) {
    const auto got = values_result.host();
    for (std::size_t i = 0; i < n; ++i)
      if (h.indices) {
        std::uint64_t index = 0;
        std::memcpy(&index, &got[i * h.value_bytes], h.value_bytes);
        ASSERT_EQ(index, sorted[i]) << "index " << i;
      } else {
        ASSERT_EQ(std::memcmp(&got[i * h.value_bytes], &words[sorted[i] * (h.value_bytes / 4)], h.value_bytes), 0)
            << "value " << i;
      }
  }
  if (!here && !h.input_may_change) {
    expect_untouched(keys_in, keys.data(), "the keys given");
    expect_untouched(values_in, words.data(), "the values given");
  }
}

/// Every kind of float, each many times: equal ones with different bits must keep their order.
template <class Word>
std::vector<Word> float_keys(std::size_t n, Word infinity) {
  const Word sign = Word(Word{1} << (8 * sizeof(Word) - 1));
  const auto bits = noise(4 * n + 4, 5);
  std::vector<Word> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Word r = key_shapes::draw<Word>(&bits[4 * i]);
    const Word s = bits[4 * i + 3] >> 31 != 0 ? sign : Word{0};
    switch (bits[4 * i + 2] >> 28) {
    case 0:
    case 1:
      keys[i] = s; // ±0
      break;
    case 2:
    case 3:
      keys[i] = Word(s | infinity | (r & 7) | 1); // NaNs
      break;
    case 4:
      keys[i] = Word(s | infinity);
      break;
    case 5:
      keys[i] = Word(s | (r & 3)); // denormal
      break;
    default:
      keys[i] = r;
    }
  }
  return keys;
}
} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
