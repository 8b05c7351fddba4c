// The dialect on the executor: global and shared arrays, their loads, stores and atomics.
//
// Every access knows its place in the source, for reports and to put lanes' accesses together to requests. It is
// checked against the array's bounds, and leaves the inline path where a check watches that kind of memory.
#pragma once

#include "simt/executor/dialect_spaces.hpp"

namespace sortile::simt {
inline namespace executor_backend {

namespace detail {

template <class T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a + b;
  else
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
}

/// What `array[i]` gives: an element to read or write once. Do not keep it: an `auto x = array[i]` cannot be read.
template <class T, class Space>
class element {
 public:
  element(T* p, site w) : p_(p), where_(w) {}
  element(const element&) = delete;
  operator T() && { return get(); }
  T operator=(const T& v) && { return put(v); }
  // Reads and writes, which may fail: NOLINTNEXTLINE(performance-noexcept-move-constructor)
  T operator=(element&& o) && { return put(o.get()); }
  T operator+=(const T& v) && { return put(T(get() + v)); }
  T operator-=(const T& v) && { return put(T(get() - v)); }
  T operator|=(const T& v) && { return put(T(get() | v)); }
  T operator&=(const T& v) && { return put(T(get() & v)); }
  T operator^=(const T& v) && { return put(T(get() ^ v)); }
  T operator++() && { return put(T(get() + 1)); }
  T operator--() && { return put(T(get() - 1)); }
  T operator++(int) && {
    const T old = get();
    put(T(old + 1));
    return old;
  }

 private:
  T get() const { return Space::read(p_, where_); }
  T put(const T& v) const {
    Space::write(p_, v, where_);
    return v;
  }
  T* p_;
  site where_;
};

/// Loads, stores and atomics of anything with `at(position)`; `Derived` is a view or an array.
template <class Derived, class T, class Space>
class accesses {
 public:
  using value_type = std::remove_const_t<T>;

  value_type load(position i) const { return Space::read(at(i), i.where); }
  template <class Hint>
  requires is_load_hint<Hint> value_type load(position i, Hint)
  const { return Space::read(at(i), i.where); }
  template <class Order, class Scope = device_scope_type>
  requires(is_load_order<Order>&& is_scope<Scope>) value_type load(position i, Order o, Scope = {})
  const { return Space::read_ordered(at(i), o, i.where); }
  void store(position i, value_type v) const { Space::write(at(i), v, i.where); }
  template <class Hint>
  requires is_store_hint<Hint>
  void store(position i, value_type v, Hint) const { Space::write(at(i), v, i.where); }
  template <class Order, class Scope = device_scope_type>
  requires(is_store_order<Order>&& is_scope<Scope>) void store(position i, value_type v, Order o, Scope = {}) const {
    Space::write_ordered(at(i), v, o, i.where);
  }

#define SORTILE_ATOMIC(NAME, EXPRESSION)                                                                               \
  template <class Order = relaxed_order, class Scope = device_scope_type>                                              \
  requires(is_memory_order<Order> && is_scope<Scope>) value_type NAME(position i, value_type v, Order o = {},          \
                                                                      Scope = {})                                      \
  const {                                                                                                              \
    return Space::update(                                                                                              \
        at(i), o, [v](value_type old) -> value_type { return EXPRESSION; }, i.where);                                  \
  }
  SORTILE_ATOMIC(fetch_add, wrapping_add(old, v))
  SORTILE_ATOMIC(fetch_min, v < old ? v : old)
  SORTILE_ATOMIC(fetch_max, old < v ? v : old)
  SORTILE_ATOMIC(fetch_and, old& v)
  SORTILE_ATOMIC(fetch_or, old | v)
  SORTILE_ATOMIC(fetch_xor, old ^ v)
  SORTILE_ATOMIC(exchange, (static_cast<void>(old), v))
#undef SORTILE_ATOMIC
  /// Stores v where `expected` was; returns what was there.
  template <class Order = relaxed_order, class Scope = device_scope_type>
  requires(is_memory_order<Order>&& is_scope<Scope>) value_type
      compare_exchange(position i, value_type expected, value_type v, Order o = {}, Scope = {})
  const {
    return Space::update(
        at(i), o, [&](value_type old) { return std::memcmp(&old, &expected, sizeof old) == 0 ? v : old; }, i.where);
  }

 private:
  T* at(const position& i) const {
    return static_cast<const Derived&>(*this).checked(i.i, 1, i.where);
  }
};

/// A pointer with a size.
template <class Derived, class T, class Space>
class view : public accesses<Derived, T, Space> {
 public:
  view() = default;
  view(T* data, std::uint64_t size) : data_(data), size_(size) {}
  T* data() const { return data_; }
  T* checked(std::uint64_t i, std::uint64_t count, site w) const {
    if (i >= size_ || count > size_ - i) [[unlikely]]
      executor::out_of_bounds(Space::name, i + (count - 1), size_, w);
    return data_ + i;
  }
  decltype(auto) operator[](position i) const {
    if constexpr (std::is_const_v<T>)
      return this->load(i);
    else
      return element<T, Space>(checked(i.i, 1, i.where), i.where);
  }
  /// The part [first, first + count), or all from `first` on.
  Derived subview(position first, std::uint64_t count) const {
    if (first.i > size_ || count > size_ - first.i)
      executor::out_of_bounds(Space::name, first.i + count, size_, first.where);
    return Derived(data_ + first.i, count);
  }
  Derived subview(position first) const { return subview(first, first.i > size_ ? 1 : size_ - first.i); }

 protected:
  template <class D, class U, class S>
  friend std::uint64_t size_of(const view<D, U, S>& v);
  T* data_ = nullptr;
  std::uint64_t size_ = 0;
};
// Views on the GPU know no size, so kernels must not ask for it.
template <class D, class U, class S>
std::uint64_t size_of(const view<D, U, S>& v) {
  return v.size_;
}
} // namespace detail

/// An array in global memory. On the GPU a plain pointer; here with bounds.
template <class T>
class global : public detail::view<global<T>, T, detail::global_space> {
  using base = detail::view<global<T>, T, detail::global_space>;

 public:
  global() = default;
  global(T* data, std::uint64_t size) : base(data, size) {}
  template <class U>
  requires std::is_same_v<const U, T> global(global<U> other) : base(other.data(), detail::size_of(other)) {}
};

/// Part of shared storage.
template <class T>
class shared_view : public detail::view<shared_view<T>, T, detail::shared_space> {
  using base = detail::view<shared_view<T>, T, detail::shared_space>;

 public:
  shared_view() = default;
  shared_view(T* data, std::uint64_t size) : base(data, size) {}
  template <class U>
  requires std::is_same_v<const U, T> shared_view(shared_view<U> other) : base(other.data(), detail::size_of(other)) {}
};

/// An array of fixed size, for the kernel's `shared` struct.
template <class T, std::size_t N>
class shared_array : public detail::accesses<shared_array<T, N>, T, detail::shared_space> {
 public:
  T* checked(std::uint64_t i, std::uint64_t count, site w) const {
    if (i >= N || count > N - i) [[unlikely]]
      executor::out_of_bounds("shared", i + (count - 1), N, w);
    return const_cast<T*>(data_) + i;
  }
  T* data() const { return const_cast<T*>(data_); }
  static constexpr std::size_t size() { return N; }
  detail::element<T, detail::shared_space> operator[](detail::position i) {
    return {checked(i.i, 1, i.where), i.where};
  }
  T operator[](detail::position i) const { return this->load(i); }
  shared_view<T> view() { return {data_, N}; }
  shared_view<T> subview(detail::position first, std::uint64_t count) { return view().subview(first, count); }

 private:
  T data_[N];
};

/// One value in the kernel's `shared` struct.
template <class T>
class shared_value : public shared_array<T, 1> {
 public:
  operator T() const { return this->load(0); }
  T operator=(const T& v) {
    this->store(0, v);
    return v;
  }
};

/// An array of fixed size, for the kernel's `constants` struct.
template <class T, std::size_t N>
class constant_array {
 public:
  using value_type = T;
  T load(detail::position i) const {
    if (i.i >= N) [[unlikely]]
      executor::out_of_bounds("constant", i.i, N, i.where);
    if (executor::active_modes & executor::observe_global) [[unlikely]]
      executor::observed_constant_load(data_ + i.i, sizeof(T), i.where);
    return data_[i.i];
  }
  T operator[](detail::position i) const { return load(i); }
  static constexpr std::size_t size() { return N; }

 private:
  T data_[N];
};

/// The dynamic shared storage of a block of this kernel from `byte_offset` on; it must fit into what the launch asked
/// for.
template <class T, class K>
shared_view<T> dynamic_shared(const K&, std::uint64_t count, std::uint64_t byte_offset = 0, site w = site::current()) {
  std::size_t bytes = 0;
  char* start = static_cast<char*>(executor::dynamic_shared(bytes));
  if (byte_offset % alignof(T) != 0)
    executor::misaligned(start + byte_offset, alignof(T), w);
  if (byte_offset + count * sizeof(T) > bytes)
    executor::out_of_bounds("dynamic shared (bytes)", byte_offset + count * sizeof(T), bytes, w);
  return {reinterpret_cast<T*>(start + byte_offset), count};
}

/// Of a reference that a call has been given: it is to shared storage.
template <class T>
void assume_shared(T&) {}

/// The same storage seen as elements of another type.
template <class U, class T>
shared_view<U> view_as(shared_view<T> v, site w = site::current()) {
  if (reinterpret_cast<std::uintptr_t>(v.data()) % alignof(U) != 0)
    executor::misaligned(v.data(), alignof(U), w);
  return {reinterpret_cast<U*>(v.data()), detail::size_of(v) * sizeof(T) / sizeof(U)};
}

/// The array at the same place in the shared storage of block `rank` of the cluster.
template <class T, std::size_t N>
shared_view<T> peer(shared_array<T, N>& a, unsigned rank, site w = site::current()) {
  return {static_cast<T*>(executor::peer_shared(a.data(), rank, w)), N};
}
template <class T>
shared_view<T> peer(shared_view<T> v, unsigned rank, site w = site::current()) {
  return {static_cast<T*>(executor::peer_shared(v.data(), rank, w)), detail::size_of(v)};
}

namespace detail {
template <int N, class Array>
auto* vector_address(const Array& a, const position& i) {
  using T = typename Array::value_type;
  auto* p = a.checked(i.i, N, i.where);
  if (reinterpret_cast<std::uintptr_t>(p) % sizeof(vec<T, N>) != 0)
    executor::misaligned(p, sizeof(vec<T, N>), i.where);
  return p;
}
template <class T>
struct space_of;
template <class T>
struct space_of<global<T>> {
  using type = global_space;
};
template <class T>
struct space_of<shared_view<T>> {
  using type = shared_space;
};
template <class T, std::size_t N>
struct space_of<shared_array<T, N>> {
  using type = shared_space;
};
} // namespace detail

/// N elements from i on by one load; their address is a multiple of their size together.
template <int N, class Array, class... Hint>
requires(sizeof...(Hint) <= 1 && (is_load_hint<Hint> && ...)) auto load_vector(const Array& a, detail::position i,
                                                                               Hint...) {
  using V = vec<typename Array::value_type, N>;
  return detail::space_of<Array>::type::read(reinterpret_cast<const V*>(detail::vector_address<N>(a, i)), i.where);
}
template <int N, class Array, class... Hint>
requires(sizeof...(Hint) <= 1 &&
         (is_store_hint<Hint> && ...)) void store_vector(const Array& a, detail::position i,
                                                         const vec<typename Array::value_type, N>& v, Hint...) {
  using V = vec<typename Array::value_type, N>;
  detail::space_of<Array>::type::write(reinterpret_cast<V*>(detail::vector_address<N>(a, i)), v, i.where);
}
/// Asks for the cache line of element i to be brought to L2.
template <class T>
void prefetch(global<T> a, detail::position i) {
  a.checked(i.i, 1, i.where);
}

} // namespace executor_backend
} // namespace sortile::simt
