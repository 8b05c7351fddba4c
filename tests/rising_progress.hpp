// What a test gives as options::progress: it expects shares that only rise, and keeps the last one.
#pragma once

#include <gtest/gtest.h>

#include <functional>

namespace sortile::testing {

class rising_progress {
 public:
  /// Holds on to this object.
  std::function<bool(double)> callback() {
    return [this](double done) {
      EXPECT_GE(done, last_);
      last_ = done;
      return true;
    };
  }
  double last() const { return last_; }

 private:
  double last_ = 0;
};

} // namespace sortile::testing
