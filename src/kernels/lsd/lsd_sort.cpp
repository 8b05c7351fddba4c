// Checks requests for a stable sort and sends them to the queue's backend.
#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/lsd/lsd_launch.hpp"

namespace sortile::kernels {

namespace {

constexpr const char* call = "lsd_sort";

/// A stretch of memory that a request names.
struct stretch {
  const char* name;
  const void* begin;
  std::size_t bytes;
};
void check_apart(const stretch& a, const stretch& b) {
  kernels::check_apart(call, a.name, a.begin, a.bytes, b.name, b.begin, b.bytes);
}
void check_apart_or_same(const stretch& a, const stretch& b) {
  if (a.begin != b.begin)
    check_apart(a, b);
}

template <class Word>
void check_shape(const lsd_request<Word>& r) {
  if (r.value_bytes != 0 && r.value_bytes != 4 && r.value_bytes != 8 && r.value_bytes != 16)
    throw invalid_argument("lsd_sort: value_bytes = " + std::to_string(r.value_bytes) + "; 0, 4, 8 and 16 are allowed");
  if (r.make_indices && r.value_bytes != 4 && r.value_bytes != 8)
    throw invalid_argument("lsd_sort: make_indices with value_bytes = " + std::to_string(r.value_bytes) +
                           "; indices of 4 and 8 bytes are made");
  if (r.make_indices && r.values_in != nullptr)
    throw invalid_argument("lsd_sort: values_in is given although make_indices is set");
  if (r.make_indices && r.value_bytes == 4 && r.n > std::uint64_t{1} << 32)
    throw invalid_argument("lsd_sort: n = " + std::to_string(r.n) + " with indices of 4 bytes; at most 2^32");
  if (r.value_bytes == 0 && (r.values_in != nullptr || r.values_out != nullptr))
    throw invalid_argument("lsd_sort: values are given although value_bytes = 0");
  if (r.value_bytes == 0 && r.keys_out == nullptr && r.n != 0)
    throw invalid_argument("lsd_sort: keys_out is null and there are no values: nothing would be written");
  constexpr std::uint64_t most = std::uint64_t{1} << 42;
  if (r.n > most)
    throw invalid_argument("lsd_sort: n = " + std::to_string(r.n) + ", at most 2^42 keys are allowed");
  if (r.codec.bits > 8 * sizeof(Word) || r.codec.shift > 8 * sizeof(Word) - r.codec.bits)
    throw invalid_argument("lsd_sort: the codec's window ends beyond the key's " + std::to_string(8 * sizeof(Word)) +
                           " bits");
}

void check_values(const char* name, const void* values, unsigned bytes, std::uint64_t n) {
  check_array(call, name, static_cast<const char*>(values), n);
  if (reinterpret_cast<std::uintptr_t>(values) % bytes != 0)
    throw invalid_argument(std::string(call) + ": " + name + " is not aligned to its items' " + std::to_string(bytes) +
                           " bytes");
  if (n > SIZE_MAX / bytes)
    throw invalid_argument(std::string(call) + ": " + name + ": n = " + std::to_string(n) +
                           " items exceed the address space");
}

template <class Word>
void check_arrays(const lsd_request<Word>& r) {
  check_array(call, "keys_in", r.keys_in, r.n);
  if (r.keys_out != nullptr)
    check_array(call, "keys_out", r.keys_out, r.n);
  if (r.value_bytes != 0) {
    check_values("values_out", r.values_out, r.value_bytes, r.n);
    if (!r.make_indices)
      check_values("values_in", r.values_in, r.value_bytes, r.n);
  }
  if (reinterpret_cast<std::uintptr_t>(r.device_n) % alignof(std::uint64_t) != 0)
    throw invalid_argument("lsd_sort: device_n is not aligned to 8 bytes");
  const std::size_t bytes = std::size_t(r.n) * sizeof(Word), value_bytes = std::size_t(r.n) * r.value_bytes;
  const stretch keys_in{"keys_in", r.keys_in, bytes}, values_out{"values_out", r.values_out, value_bytes};
  const stretch keys_out{"keys_out", r.keys_out, r.keys_out == nullptr ? 0 : bytes};
  const stretch values_in{"values_in", r.values_in, r.make_indices ? 0 : value_bytes};
  const stretch workspace{"workspace", r.workspace, r.workspace_bytes};
  const stretch count{"device_n", r.device_n, r.device_n == nullptr ? 0 : sizeof(std::uint64_t)};
  check_apart_or_same(keys_in, keys_out);
  check_apart_or_same(values_in, values_out);
  for (const stretch& keys : {keys_in, keys_out})
    for (const stretch& values : {values_in, values_out})
      check_apart(keys, values);
  for (const stretch& a : {keys_in, keys_out, values_in, values_out}) {
    check_apart(workspace, a);
    check_apart(count, a);
  }
  check_apart(workspace, count);
}

} // namespace

template <class Word>
std::size_t lsd_workspace_bytes(const lsd_request<Word>& request) {
  check_shape(request);
  return request.n == 0 ? 0 : detail::lay_out_lsd(request, detail::plan_lsd(request)).bytes;
}

template <class Word>
void lsd_sort(const simt::queue& q, const lsd_request<Word>& request) {
  check_shape(request);
  if (request.n == 0)
    return;
  check_arrays(request);
  const auto plan = detail::plan_lsd(request);
  check_workspace(call, request.workspace, request.workspace_bytes, detail::lay_out_lsd(request, plan).bytes,
                  detail::lsd_layout::alignment);
  simt::visit(q, [&](auto backend) { detail::launch_lsd_sort<decltype(backend)>(q, request, plan); });
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template std::size_t lsd_workspace_bytes(const lsd_request<WORD>&);                                                  \
  template void lsd_sort(const simt::queue&, const lsd_request<WORD>&);
SORTILE_INSTANCE(std::uint8_t)
SORTILE_INSTANCE(std::uint16_t)
SORTILE_INSTANCE(std::uint32_t)
SORTILE_INSTANCE(std::uint64_t)
SORTILE_INSTANCE(uint128)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
