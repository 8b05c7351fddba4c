// Places in shared storage that move: what a loop holds that goes through shared storage element by element
// (shared_cursor), or down a search tree (shared_tree).
//
// On the GPU it is an address of 32 bits, so that a step to the next element is one addition, an access needs no other
// instruction than itself, and two places are compared as they are. On the executor it is a view and an index: each
// access is checked and watched as the view's are; a place that is not accessed may lie anywhere.
#pragma once

#include "simt/simt.hpp"

#include <cstdint>

namespace sortile::simt::inline SORTILE_BACKEND {

#if SORTILE_ON_CUDA

template <class T>
class shared_cursor {
 public:
  SORTILE_DEVICE shared_cursor(const shared_view<T>& all, std::uint32_t i)
      : at_(static_cast<std::uint32_t>(__cvta_generic_to_shared(all.data())) + i * step) {}

  SORTILE_DEVICE T load(int k = 0) const { return *pointer(k); }
  SORTILE_DEVICE void store(int k, const T& x) const { *pointer(k) = x; }
  SORTILE_DEVICE shared_cursor plus(int k) const {
    shared_cursor c = *this;
    c.at_ += static_cast<std::uint32_t>(k) * step;
    return c;
  }
  SORTILE_DEVICE bool operator<(const shared_cursor& other) const { return at_ < other.at_; }
  /// Elements from `other` to here, where that lies before.
  SORTILE_DEVICE std::uint32_t operator-(const shared_cursor& other) const { return (at_ - other.at_) / step; }

 private:
  static constexpr std::uint32_t step = sizeof(T);
  SORTILE_DEVICE T* pointer(int k) const {
    return static_cast<T*>(__cvta_shared_to_generic(at_ + static_cast<std::uint32_t>(k) * step));
  }
  std::uint32_t at_;
};

/// A search tree in shared storage whose nodes stand in breadth-first order, from 1 on: node i's children at 2i and
/// 2i + 1. A place in it is an address, so that a level takes four instructions: a read, a comparison, and the two of a
/// step down, of which the first does not wait for the comparison.
template <class T>
class shared_tree {
 public:
  using place = std::uint32_t;
  SORTILE_DEVICE explicit shared_tree(const shared_view<T>& nodes)
      : begin_(static_cast<std::uint32_t>(__cvta_generic_to_shared(nodes.data()))) {}

  SORTILE_DEVICE place root() const { return begin_ + step; }
  SORTILE_DEVICE T load(place p) const { return *static_cast<T*>(__cvta_shared_to_generic(p)); }
  SORTILE_DEVICE place child(place p, bool right) const {
    place next;
    asm("{\n\t.reg .pred is_right;\n\t"
        "setp.ne.u32 is_right, %3, 0;\n\t"
        "mad.lo.u32 %0, %1, 2, %2;\n\t"
        "@is_right add.u32 %0, %0, %4;\n\t}"
        : "=&r"(next)
        : "r"(p), "r"(0 - begin_), "r"(static_cast<unsigned>(right)), "n"(step));
    return next;
  }
  SORTILE_DEVICE std::uint32_t number(place p) const { return (p - begin_) / step; }

 private:
  static constexpr std::uint32_t step = sizeof(T);
  std::uint32_t begin_;
};

#else

template <class T>
class shared_cursor {
 public:
  shared_cursor(const shared_view<T>& all, std::uint32_t i) : all_(all), at_(i) {}

  T load(int k = 0, site where = site::current()) const { return all_.load({at_ + k, where}); }
  void store(int k, const T& x, site where = site::current()) const { all_.store({at_ + k, where}, x); }
  shared_cursor plus(int k) const {
    shared_cursor c = *this;
    c.at_ += k;
    return c;
  }
  bool operator<(const shared_cursor& other) const { return at_ < other.at_; }
  std::uint32_t operator-(const shared_cursor& other) const { return static_cast<std::uint32_t>(at_ - other.at_); }

 private:
  shared_view<T> all_;
  std::int64_t at_;
};

template <class T>
class shared_tree {
 public:
  using place = std::uint32_t;
  explicit shared_tree(const shared_view<T>& nodes) : nodes_(nodes) {}

  place root() const { return 1; }
  T load(place p, site where = site::current()) const { return nodes_.load({p, where}); }
  place child(place p, bool right) const { return 2 * p + (right ? 1 : 0); }
  std::uint32_t number(place p) const { return p; }

 private:
  shared_view<T> nodes_;
};

#endif

} // namespace sortile::simt::inline SORTILE_BACKEND
