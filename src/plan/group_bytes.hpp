// What the search for groups in sorted keys moves, as plans tell it: every key may be a group of its own.
#pragma once

#include <sortile/groups.hpp>

#include <string>

namespace sortile {

inline bool needs_order(const groups_request& r) {
  return r.order != nullptr || r.first != nullptr || r.inverse != nullptr;
}

/// The step behind the sort. It reads the keys so often.
inline plan_step groups_step(const groups_request& r, unsigned reads, std::string detail) {
  const auto numbers = [&r](const void* output, std::size_t more = 0) {
    return output == nullptr ? 0 : (r.n + more) * r.index_bytes;
  };
  const std::size_t keys = r.n * key_bytes(r.type);
  const bool follows_order = r.first != nullptr || r.inverse != nullptr;
  return {"groups", std::move(detail), reads * keys + (follows_order ? r.n * r.index_bytes : 0),
          (r.keys_out == nullptr ? 0 : keys) + numbers(r.first) + numbers(r.counts) + numbers(r.offsets, 1) +
              numbers(r.inverse)};
}

} // namespace sortile
