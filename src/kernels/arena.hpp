// Lays out workspace: pieces one after another, each at a multiple of 128 bytes. A layout whose pieces grow with n
// grows with n, too.
#pragma once

#include <cstddef>

namespace sortile::kernels {

class arena {
 public:
  static constexpr std::size_t alignment = 128;

  /// The offset of the next piece; one of 0 bytes begins where the one after it does.
  constexpr std::size_t take(std::size_t bytes) {
    const std::size_t here = used_;
    used_ += (bytes + alignment - 1) / alignment * alignment;
    return here;
  }
  /// Of all pieces so far.
  constexpr std::size_t bytes() const { return used_; }

 private:
  std::size_t used_ = 0;
};

} // namespace sortile::kernels
