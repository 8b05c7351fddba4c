// Checks that stable sorts of keys with values have in common: requests with keys_in, keys_out, values_in, values_out,
// value_bytes, make_indices, n, device_n, codec, workspace, workspace_bytes. Each throws an error that names the call,
// the argument and what is allowed.
#pragma once

#include "kernels/argument_checks.hpp"

namespace sortile::kernels {

/// What does not depend on where the arrays lie.
template <class Word, template <class> class Request>
void check_request_shape(const std::string& call, const Request<Word>& r) {
  if (r.value_bytes != 0 && r.value_bytes != 4 && r.value_bytes != 8 && r.value_bytes != 16)
    throw invalid_argument(call + ": value_bytes = " + std::to_string(r.value_bytes) + "; 0, 4, 8 and 16 are allowed");
  if (r.make_indices && r.value_bytes != 4 && r.value_bytes != 8)
    throw invalid_argument(call + ": make_indices with value_bytes = " + std::to_string(r.value_bytes) +
                           "; indices of 4 and 8 bytes are made");
  if (r.make_indices && r.values_in != nullptr)
    throw invalid_argument(call + ": values_in is given although make_indices is set");
  if (r.make_indices && r.value_bytes == 4 && r.n > std::uint64_t{1} << 32)
    throw invalid_argument(call + ": n = " + std::to_string(r.n) + " with indices of 4 bytes; at most 2^32");
  if (r.value_bytes == 0 && (r.values_in != nullptr || r.values_out != nullptr))
    throw invalid_argument(call + ": values are given although value_bytes = 0");
  if (r.value_bytes == 0 && r.keys_out == nullptr && r.n != 0)
    throw invalid_argument(call + ": keys_out is null and there are no values: nothing would be written");
  if (r.codec.bits > 8 * sizeof(Word) || r.codec.shift > 8 * sizeof(Word) - r.codec.bits)
    throw invalid_argument(call + ": the codec's window ends beyond the key's " + std::to_string(8 * sizeof(Word)) +
                           " bits");
}

/// A stretch of memory that a request names.
struct stretch {
  const char* name;
  const void* begin;
  std::size_t bytes;
};
inline void check_apart(const char* call, const stretch& a, const stretch& b) {
  check_apart(call, a.name, a.begin, a.bytes, b.name, b.begin, b.bytes);
}
inline void check_apart_or_same(const char* call, const stretch& a, const stretch& b) {
  if (a.begin != b.begin)
    check_apart(call, a, b);
}

inline void check_values(const char* call, const char* name, const void* values, unsigned bytes, std::uint64_t n) {
  check_array(call, name, static_cast<const char*>(values), n);
  if (reinterpret_cast<std::uintptr_t>(values) % bytes != 0)
    throw invalid_argument(std::string(call) + ": " + name + " is not aligned to its items' " + std::to_string(bytes) +
                           " bytes");
  if (n > SIZE_MAX / bytes)
    throw invalid_argument(std::string(call) + ": " + name + ": n = " + std::to_string(n) +
                           " items exceed the address space");
}

/// Arrays are there, aligned, and apart where they must be.
template <class Word, template <class> class Request>
void check_request_arrays(const char* call, const Request<Word>& r) {
  check_array(call, "keys_in", r.keys_in, r.n);
  if (r.keys_out != nullptr)
    check_array(call, "keys_out", r.keys_out, r.n);
  if (r.value_bytes != 0) {
    check_values(call, "values_out", r.values_out, r.value_bytes, r.n);
    if (!r.make_indices)
      check_values(call, "values_in", r.values_in, r.value_bytes, r.n);
  }
  if (reinterpret_cast<std::uintptr_t>(r.device_n) % alignof(std::uint64_t) != 0)
    throw invalid_argument(std::string(call) + ": device_n is not aligned to 8 bytes");
  const std::size_t bytes = std::size_t(r.n) * sizeof(Word), value_bytes = std::size_t(r.n) * r.value_bytes;
  const stretch keys_in{"keys_in", r.keys_in, bytes}, values_out{"values_out", r.values_out, value_bytes};
  const stretch keys_out{"keys_out", r.keys_out, r.keys_out == nullptr ? 0 : bytes};
  const stretch values_in{"values_in", r.values_in, r.make_indices ? 0 : value_bytes};
  const stretch workspace{"workspace", r.workspace, r.workspace_bytes};
  const stretch count{"device_n", r.device_n, r.device_n == nullptr ? 0 : sizeof(std::uint64_t)};
  check_apart_or_same(call, keys_in, keys_out);
  check_apart_or_same(call, values_in, values_out);
  for (const stretch& keys : {keys_in, keys_out})
    for (const stretch& values : {values_in, values_out})
      check_apart(call, keys, values);
  for (const stretch& a : {keys_in, keys_out, values_in, values_out}) {
    check_apart(call, workspace, a);
    check_apart(call, count, a);
  }
  check_apart(call, workspace, count);
}

} // namespace sortile::kernels
