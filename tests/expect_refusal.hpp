// Expectations on errors by name: the type, the status, and the words that the message must hold.
#pragma once

#include <sortile/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sortile::testing {

/// Runs `call`, which must throw an Error whose message holds all of the words.
template <class Error, class Call>
void expect_refusal(const Call& call, status code, const std::vector<std::string>& words) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    for (const std::string& word : words)
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "'" << word << "' is missing in: " << e.what();
    return;
  } catch (const std::exception& e) {
    FAIL() << "another exception than expected: " << e.what();
  }
  FAIL() << "nothing was refused; expected " << name(code);
}

template <class Call>
void expect_invalid(const Call& call, const std::vector<std::string>& words) {
  expect_refusal<invalid_argument>(call, status::invalid_argument, words);
}

} // namespace sortile::testing
