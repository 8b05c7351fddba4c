// Checks requests for a sort of pairs, decides how they are cut, and sends them to the queue's backend.
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/pairs/sort_pairs_launch.hpp"

#include <vector>

namespace sortile::kernels {

namespace {

using detail::sort_pairs_layout;
using detail::sort_pairs_plan;

[[noreturn]] void refuse(const std::string& what) {
  throw invalid_argument("sort_pairs: " + what);
}

template <class Word>
void check_shape(const sort_pairs_request<Word>& r) {
  if (r.n > sort_pairs_most)
    refuse("n = " + std::to_string(r.n) + ", at most " + std::to_string(sort_pairs_most) + " pairs are allowed");
  if (r.value_bytes != 0 && r.value_bytes != 4 && r.value_bytes != 8 && r.value_bytes != 16)
    refuse("value_bytes = " + std::to_string(r.value_bytes) + ", 0, 4, 8 and 16 are allowed");
  const unsigned bits = r.partition_bits;
  if (bits > sort_pairs_plan::most_bits && bits != r.follows_n)
    refuse("partition_bits = " + std::to_string(bits) + ", 0 to " + std::to_string(sort_pairs_plan::most_bits) +
           " are allowed");
  if (bits == 0 && r.n > sort_pairs_small)
    refuse("partition_bits = 0 with n = " + std::to_string(r.n) +
           ", allowed up to n = " + std::to_string(sort_pairs_small));
}

template <class Word>
void check_options(const sort_pairs_request<Word>& r) {
  if (r.make_indices && r.value_bytes != 4 && r.value_bytes != 8)
    refuse("indices of " + std::to_string(r.value_bytes) + " bytes, 4 and 8 are allowed");
  if (r.keys_out == nullptr && r.value_bytes == 0 && r.n > 0)
    refuse("keys_out is null and there are no values: nothing to write");
  if (r.chunks != r.follows_n && (r.chunks == 0 || r.chunks > sort_pairs_plan::most_chunks))
    refuse("chunks = " + std::to_string(r.chunks) + ", 1 to " + std::to_string(sort_pairs_plan::most_chunks) +
           " are allowed");
  if (r.codec.shift != 0 || r.codec.mask != Word(~Word{0}))
    refuse("a bit window of " + std::to_string(r.codec.bits) + " bits is not supported; the whole key is");
}

struct named_array {
  const char* name;
  const void* data;
  std::size_t bytes;
};

template <class Word>
void check_arrays(const sort_pairs_request<Word>& r, std::size_t workspace_bytes) {
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
    check_array("sort_pairs", a.name, static_cast<const char*>(a.data), r.n);
    if (reinterpret_cast<std::uintptr_t>(a.data) % vector != 0)
      refuse(std::string(a.name) + " is not aligned to 16 bytes");
  }
  check_workspace("sort_pairs", r.workspace, r.workspace_bytes, workspace_bytes, sort_pairs_layout::alignment);
  arrays.push_back({"workspace", r.workspace, r.workspace_bytes});
  for (std::size_t i = 0; i < arrays.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const void *a = arrays[i].data, *b = arrays[j].data;
      const bool in_place = a == b && ((a == r.keys_out && b == r.keys_in) || (a == r.values_in && b == r.values_out));
      if (!in_place)
        check_apart("sort_pairs", arrays[i].name, a, arrays[i].bytes, arrays[j].name, b, arrays[j].bytes);
    }
  if (reinterpret_cast<std::uintptr_t>(r.unsuited) % alignof(std::uint32_t) != 0)
    refuse("unsuited is not aligned to its 4 bytes");
}

} // namespace

template <class Word>
std::size_t sort_pairs_workspace_bytes(const sort_pairs_request<Word>& r) {
  check_shape(r);
  return r.n == 0 ? 0 : sort_pairs_layout::of<Word>(sort_pairs_plan::of(r.n, r.partition_bits), r).bytes;
}

sort_shape sort_pairs_shape_of(std::uint64_t n) {
  const auto plan = sort_pairs_plan::of(n, ~0u);
  return {plan.first_bits, plan.second_bits, plan.bins() == 1};
}

template <class Word>
void sort_pairs(const simt::queue& q, const sort_pairs_request<Word>& request) {
  check_shape(request);
  check_options(request);
  check_arrays(request, sort_pairs_workspace_bytes(request));
  const auto plan = sort_pairs_plan::of(request.n, request.partition_bits);
  simt::visit(q, [&](auto backend) { detail::launch_sort_pairs<decltype(backend)>(q, request, plan); });
}

template std::size_t sort_pairs_workspace_bytes(const sort_pairs_request<std::uint32_t>&);
template std::size_t sort_pairs_workspace_bytes(const sort_pairs_request<std::uint64_t>&);
template void sort_pairs(const simt::queue&, const sort_pairs_request<std::uint32_t>&);
template void sort_pairs(const simt::queue&, const sort_pairs_request<std::uint64_t>&);

} // namespace sortile::kernels
