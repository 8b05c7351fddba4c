// The order that a race asks of every result.
#pragma once

namespace sortile::bench {

/// Whether keys ascend. NaNs may stand at either end, as some sorts order them by their signs, but not between numbers:
/// beside a NaN any key seems to be in order.
template <class Key>
class ascending {
 public:
  bool takes(Key key) {
    if (key != key) {
      ends_ = ends_ || begun_;
      return true;
    }
    const bool follows = !ends_ && !(begun_ && key < last_);
    begun_ = true;
    last_ = key;
    return follows;
  }

 private:
  Key last_{};
  bool begun_ = false, ends_ = false; ///< a number has come; a NaN has come behind it
};

} // namespace sortile::bench
