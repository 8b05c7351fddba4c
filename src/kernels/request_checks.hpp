// The one check of a typed_request: each sort says what it takes of a request, and the rest is refused with an error
// that names the call, the argument and what is allowed.
#pragma once

#include "kernels/arena.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/typed_request.hpp"

#include <array>

namespace sortile::kernels {

/// What a sort takes of what a request can ask.
struct sort_limits {
  const char* call;
  std::uint64_t most;        ///< keys
  unsigned widest_value = 0; ///< bytes; 0: keys alone
  bool windows = false;      ///< of bits; else the whole key
  bool floats = true;        ///< without a fallback, too
  bool n_on_device = false;
  bool vectors = false; ///< arrays are read and written 16 bytes at a time, and lie at multiples of that
};

[[noreturn]] inline void refuse(const sort_limits& l, const std::string& what) {
  throw invalid_argument(std::string(l.call) + ": " + what);
}
inline void need_within(std::uint64_t least, std::uint64_t given, std::uint64_t most, const sort_limits& l,
                        const char* argument) {
  if (given < least || given > most)
    refuse(l, std::string(argument) + " = " + std::to_string(given) + ", " + std::to_string(least) + " to " +
                  std::to_string(most) + " are allowed");
}

/// Of the partitions' tuning.
inline void check_partitions(const sort_limits& l, const sort_tuning& t, unsigned least_bits = 0) {
  constexpr unsigned most_bits = 16, most_chunks = 132;
  if (t.partition_bits != t.follows_n)
    need_within(least_bits, t.partition_bits, most_bits, l, "partition_bits");
  if (t.chunks != t.follows_n)
    need_within(1, t.chunks, most_chunks, l, "chunks");
  need_within(t.least_giant, t.giant_from, t.most_giant, l, "giant_from");
}

/// Numbers, widths and the codec.
template <class Word>
void check_shape(const sort_limits& l, const typed_request<Word>& r) {
  if (r.n > l.most)
    refuse(l, "n = " + std::to_string(r.n) + ", at most " + std::to_string(l.most) + " keys are allowed");
  const unsigned bytes = r.value_bytes;
  if ((bytes != 0 && bytes != 4 && bytes != 8 && bytes != 16) || bytes > l.widest_value)
    refuse(l, "value_bytes = " + std::to_string(bytes) + ", of 0, 4, 8 and 16 those up to " +
                  std::to_string(l.widest_value) + " are allowed");
  if (r.make_indices && bytes != 4 && bytes != 8)
    refuse(l, "make_indices with indices of " + std::to_string(bytes) + " bytes; 4 and 8 are allowed");
  if (r.make_indices && bytes == 4 && r.n > std::uint64_t{1} << 32)
    refuse(l, "n = " + std::to_string(r.n) + " with indices of 4 bytes; at most 2^32");
  constexpr unsigned width = 8 * sizeof(Word);
  if (r.codec.bits > width || r.codec.shift > width - r.codec.bits)
    refuse(l, "the codec's bit window ends beyond the key's " + std::to_string(width) + " bits");
  if (!l.windows && (r.codec.shift != 0 || r.codec.mask != Word(~Word{0})))
    refuse(l, "a bit window of " + std::to_string(r.codec.bits) +
                  " bits is not supported: keys equal in it could lose their order; the whole key is");
  if (!l.floats && r.codec.infinity != 0 && !r.may_fall_back())
    refuse(l, "floating-point keys without a verdict: +0 and -0, and NaNs, would lose their order, so they need a "
              "fallback");
}

/// Of sorts of pairs: scratch that serves as third arrays.
template <class Word>
void check_scratch(const sort_limits& l, const typed_request<Word>& r) {
  if (r.input_is_scratch && (r.make_indices || r.keys_out == nullptr || r.in_place()))
    refuse(l, "input_is_scratch, but outputs are not apart from inputs, or made without them");
}

/// A piece of memory that a request names.
struct memory_piece {
  const char* name;
  const void* begin;
  std::size_t bytes;
  bool is_aligned(std::size_t to) const { return reinterpret_cast<std::uintptr_t>(begin) % to == 0; }
};

/// Arrays and words are there, aligned, and apart where they must be.
template <class Word>
void check_memory(const sort_limits& l, const typed_request<Word>& r, std::size_t workspace_bytes) {
  const std::size_t keys = std::size_t(r.n) * sizeof(Word), values = std::size_t(r.n) * r.value_bytes;
  if (r.keys_out == nullptr && r.value_bytes == 0 && r.n != 0)
    refuse(l, "keys_out is null and there are no values: nothing to write");
  if (r.value_bytes == 0 && (r.values_in != nullptr || r.values_out != nullptr))
    refuse(l, "values are given although value_bytes = 0");
  if (r.make_indices && r.values_in != nullptr)
    refuse(l, "values_in is given although make_indices is set");
  check_array(l.call, "keys_in", r.keys_in, r.n);
  if (r.value_bytes != 0)
    check_array(l.call, "values_out", static_cast<const char*>(r.values_out), r.n);
  if (r.value_bytes != 0 && !r.make_indices)
    check_array(l.call, "values_in", static_cast<const char*>(r.values_in), r.n);
  const auto or_none = [](const void* p, std::size_t bytes) { return p == nullptr ? 0 : bytes; };
  const std::array<memory_piece, 7> all{{{"keys_in", r.keys_in, keys},
                                         {"keys_out", r.keys_out, or_none(r.keys_out, keys)},
                                         {"values_in", r.values_in, or_none(r.values_in, values)},
                                         {"values_out", r.values_out, or_none(r.values_out, values)},
                                         {"workspace", r.workspace, r.workspace_bytes},
                                         {"device_n", r.device_n, or_none(r.device_n, sizeof *r.device_n)},
                                         {"verdict", r.verdict.word, or_none(r.verdict.word, sizeof(std::uint32_t))}}};
  const std::size_t aligned_to[] = {sizeof(Word), sizeof(Word), r.value_bytes, r.value_bytes, arena::alignment, 8, 4};
  check_workspace(l.call, r.workspace, r.workspace_bytes, workspace_bytes, arena::alignment);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t to = i < 4 && l.vectors ? 16 : aligned_to[i];
    if (all[i].bytes != 0 && !all[i].is_aligned(to))
      refuse(l, std::string(all[i].name) + " is not aligned to " + std::to_string(to) + " bytes");
    for (std::size_t j = 0; j < i; ++j)
      if ((i != 1 && i != 3) || j + 1 != i || all[i].begin != all[j].begin) // an output may be its input
        check_apart(l.call, all[j].name, all[j].begin, all[j].bytes, all[i].name, all[i].begin, all[i].bytes);
  }
  if (!l.n_on_device && r.device_n != nullptr)
    refuse(l, "device_n is given; the number of keys has to be known");
}

} // namespace sortile::kernels
