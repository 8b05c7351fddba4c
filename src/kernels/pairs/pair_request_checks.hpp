// What the sorts that take a sort_pairs_request check of it: each throws an error that names the call, the argument and
// what is allowed.
#pragma once

#include "kernels/argument_checks.hpp"
#include "kernels/pairs/sort_pairs_launch.hpp"

#include <vector>

namespace sortile::kernels {

[[noreturn]] inline void refuse(const char* call, const std::string& what) {
  throw invalid_argument(std::string(call) + ": " + what);
}

/// What does not depend on where the arrays lie.
template <class Word>
void check_pairs_shape(const char* call, const sort_pairs_request<Word>& r) {
  if (r.n > sort_pairs_most)
    refuse(call, "n = " + std::to_string(r.n) + ", at most " + std::to_string(sort_pairs_most) + " pairs are allowed");
  if (r.value_bytes != 0 && r.value_bytes != 4 && r.value_bytes != 8 && r.value_bytes != 16)
    refuse(call, "value_bytes = " + std::to_string(r.value_bytes) + ", 0, 4, 8 and 16 are allowed");
  const unsigned bits = r.partition_bits;
  if (bits > detail::sort_pairs_plan::most_bits && bits != r.follows_n)
    refuse(call, "partition_bits = " + std::to_string(bits) + ", 0 to " +
                     std::to_string(detail::sort_pairs_plan::most_bits) + " are allowed");
}

template <class Word>
void check_pairs_options(const char* call, const sort_pairs_request<Word>& r) {
  if (r.make_indices && r.value_bytes != 4 && r.value_bytes != 8)
    refuse(call, "indices of " + std::to_string(r.value_bytes) + " bytes, 4 and 8 are allowed");
  if (r.input_is_scratch && (r.make_indices || r.keys_out == nullptr || r.keys_in == r.keys_out ||
                             (r.value_bytes != 0 && r.values_in == r.values_out)))
    refuse(call, "input_is_scratch, but outputs are not apart from inputs, or made without them");
  if (r.keys_out == nullptr && r.value_bytes == 0 && r.n > 0)
    refuse(call, "keys_out is null and there are no values: nothing to write");
  if (r.chunks != r.follows_n && (r.chunks == 0 || r.chunks > detail::sort_pairs_plan::most_chunks))
    refuse(call, "chunks = " + std::to_string(r.chunks) + ", 1 to " +
                     std::to_string(detail::sort_pairs_plan::most_chunks) + " are allowed");
  if (r.codec.shift != 0 || r.codec.mask != Word(~Word{0}))
    refuse(call, "a bit window of " + std::to_string(r.codec.bits) + " bits is not supported; the whole key is");
}

struct named_array {
  const char* name;
  const void* data;
  std::size_t bytes;
};

template <class Word>
void check_pairs_arrays(const char* call, const sort_pairs_request<Word>& r, std::size_t workspace_bytes) {
  constexpr std::size_t vector = 16;
  const std::size_t keys = std::size_t(r.n) * sizeof(Word), values = std::size_t(r.n) * r.value_bytes;
  std::vector<named_array> arrays{{"keys_in", r.keys_in, keys}};
  if (r.keys_out != nullptr)
    arrays.push_back({"keys_out", r.keys_out, keys});
  if (r.value_bytes != 0)
    arrays.push_back({"values_out", r.values_out, values});
  if (r.value_bytes != 0 && !r.make_indices)
    arrays.push_back({"values_in", r.values_in, values});
  for (const named_array& a : arrays) {
    check_array(call, a.name, static_cast<const char*>(a.data), r.n);
    if (reinterpret_cast<std::uintptr_t>(a.data) % vector != 0)
      refuse(call, std::string(a.name) + " is not aligned to 16 bytes");
  }
  check_workspace(call, r.workspace, r.workspace_bytes, workspace_bytes, detail::sort_pairs_layout::alignment);
  arrays.push_back({"workspace", r.workspace, r.workspace_bytes});
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const void *a = arrays[i].data, *b = arrays[j].data;
      const bool in_place = a == b && ((a == r.keys_out && b == r.keys_in) || (a == r.values_in && b == r.values_out));
      if (!in_place)
        check_apart(call, arrays[i].name, a, arrays[i].bytes, arrays[j].name, b, arrays[j].bytes);
    }
  if (reinterpret_cast<std::uintptr_t>(r.unsuited) % alignof(std::uint32_t) != 0)
    refuse(call, "unsuited is not aligned to its 4 bytes");
}

} // namespace sortile::kernels
