// Plans for arrays that are not allocated yet.
#pragma once

#include <sortile/request.hpp>

namespace sortile::files {

/// explain() of a request whose arrays do not exist yet: a plan follows from n and the types alone, so that any
/// addresses that are apart can stand for them. keys_out takes no part where the request asks for positions only
/// (payload::indices).
inline plan explain_request(sort_request request, const options& opts) {
  const auto address = [](std::uintptr_t i) { return reinterpret_cast<void*>(i << 56); };
  request.keys_in = address(1);
  if (request.carries != payload::indices)
    request.keys_out = address(2);
  if (request.carries == payload::values)
    request.values_in = address(3);
  if (request.carries != payload::none)
    request.values_out = address(4);
  return explain(request, opts);
}

} // namespace sortile::files
