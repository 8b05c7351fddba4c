// Misuse of a step: a request that is right but for one thing is refused, and the error names that thing.
#pragma once

#include "tests/simt/fixture.hpp"

#include <sortile/error.hpp>

#include <string>

namespace sortile::simt_tests {
inline namespace SORTILE_BACKEND {

/// refused(named, change): sort(good, once changed) throws an error whose message holds `named`.
template <class Request, class Sort>
auto refusals_of(const Request& good, Sort sort) {
  return [good, sort](const char* named, auto change) {
    auto r = good;
    change(r);
    try {
      sort(r);
      ADD_FAILURE() << named << " was not refused";
    } catch (const sortile::error& e) {
      EXPECT_NE(std::string(e.what()).find(named), std::string::npos) << e.what();
    }
  };
}

} // namespace SORTILE_BACKEND
} // namespace sortile::simt_tests
