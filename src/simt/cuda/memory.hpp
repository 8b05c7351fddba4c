// The dialect under nvcc: global and shared arrays are plain pointers with the dialect's functions.
#pragma once

#include "simt/cuda/ordered.hpp"

namespace sortile::simt {
inline namespace cuda_backend {

namespace detail {

// The type by which the cache-hint intrinsics know a size; elements of other sizes than these take no hint.
template <std::size_t Bytes>
struct hinted;
template <>
struct hinted<1> {
  using type = unsigned char;
};
template <>
struct hinted<2> {
  using type = unsigned short;
};
template <>
struct hinted<4> {
  using type = unsigned;
};
template <>
struct hinted<8> {
  using type = uint2;
};
template <>
struct hinted<16> {
  using type = uint4;
};

#define SORTILE_HINTED_LOAD(HINT, INTRINSIC)                                                                           \
  template <class T>                                                                                                   \
  SORTILE_DEVICE std::remove_const_t<T> hinted_load(const T* p, HINT) {                                                \
    using bits = typename hinted<sizeof(T)>::type;                                                                     \
    return bits_as<std::remove_const_t<T>>(INTRINSIC(reinterpret_cast<const bits*>(p)));                               \
  }
SORTILE_HINTED_LOAD(streaming_hint, __ldcs)
SORTILE_HINTED_LOAD(l2_only_hint, __ldcg)
SORTILE_HINTED_LOAD(read_only_hint, __ldg)
SORTILE_HINTED_LOAD(last_use_hint, __ldlu)
#undef SORTILE_HINTED_LOAD
#define SORTILE_HINTED_STORE(HINT, INTRINSIC)                                                                          \
  template <class T>                                                                                                   \
  SORTILE_DEVICE void hinted_store(T* p, const T& v, HINT) {                                                           \
    using bits = typename hinted<sizeof(T)>::type;                                                                     \
    INTRINSIC(reinterpret_cast<bits*>(p), bits_as<bits>(v));                                                           \
  }
SORTILE_HINTED_STORE(streaming_hint, __stcs)
SORTILE_HINTED_STORE(l2_only_hint, __stcg)
SORTILE_HINTED_STORE(write_through_hint, __stwt)
#undef SORTILE_HINTED_STORE

// The types that the atomic intrinsics know: by value for order, by bits for the rest (addition wraps, so it needs no
// sign either).
template <class T>
using ordered_type = std::conditional_t<std::is_same_v<T, unsigned long>, unsigned long long,
                                        std::conditional_t<std::is_same_v<T, long>, long long, T>>;
template <class T>
using bit_type = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
template <class T>
using add_type = std::conditional_t<std::is_integral_v<T>, bit_type<T>, T>;

// Scope and operation to intrinsic.
#define SORTILE_ATOMIC_IN(NAME, TYPE, SCOPE, INTRINSIC)                                                                \
  template <class T>                                                                                                   \
  SORTILE_DEVICE T NAME(T* p, T v, SCOPE) {                                                                            \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics take 32 or 64 bits");                                     \
    return bits_as<T>(INTRINSIC(reinterpret_cast<TYPE<T>*>(p), bits_as<TYPE<T>>(v)));                                  \
  }
#define SORTILE_ATOMIC(NAME, TYPE, INTRINSIC)                                                                          \
  SORTILE_ATOMIC_IN(NAME, TYPE, block_scope_type, INTRINSIC##_block)                                                   \
  SORTILE_ATOMIC_IN(NAME, TYPE, device_scope_type, INTRINSIC)                                                          \
  SORTILE_ATOMIC_IN(NAME, TYPE, system_scope_type, INTRINSIC##_system)
SORTILE_ATOMIC(atomic_add, add_type, atomicAdd)
SORTILE_ATOMIC(atomic_min, ordered_type, atomicMin)
SORTILE_ATOMIC(atomic_max, ordered_type, atomicMax)
SORTILE_ATOMIC(atomic_and, bit_type, atomicAnd)
SORTILE_ATOMIC(atomic_or, bit_type, atomicOr)
SORTILE_ATOMIC(atomic_xor, bit_type, atomicXor)
SORTILE_ATOMIC(atomic_exchange, bit_type, atomicExch)
#undef SORTILE_ATOMIC
#undef SORTILE_ATOMIC_IN

#define SORTILE_ATOMIC_CAS(SCOPE, INTRINSIC)                                                                           \
  template <class T>                                                                                                   \
  SORTILE_DEVICE T atomic_cas(T* p, T expected, T v, SCOPE) {                                                          \
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);                                                 \
    using bits = std::conditional_t<sizeof(T) == 2, unsigned short,                                                    \
                                    std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;                 \
    return bits_as<T>(INTRINSIC(reinterpret_cast<bits*>(p), bits_as<bits>(expected), bits_as<bits>(v)));               \
  }
SORTILE_ATOMIC_CAS(block_scope_type, atomicCAS_block)
SORTILE_ATOMIC_CAS(device_scope_type, atomicCAS)
SORTILE_ATOMIC_CAS(system_scope_type, atomicCAS_system)
#undef SORTILE_ATOMIC_CAS

/// Loads, stores and atomics of anything with `pointer()`. Shared storage is shared by a block (a cluster): no wider
/// scope costs it anything.
template <class Derived, class T, class Space>
class accesses {
 public:
  using value_type = std::remove_const_t<T>;

  template <class I>
  SORTILE_DEVICE T& operator[](I i) const {
    return *at(i);
  }
  template <class I>
  SORTILE_DEVICE value_type load(I i) const {
    return *at(i);
  }
  template <class I, class Hint>
  requires is_load_hint<Hint> SORTILE_DEVICE value_type load(I i, Hint hint)
  const { return hinted_load(at(i), hint); }
  template <class I, class Order, class Scope = device_scope_type>
  requires(is_load_order<Order>&& is_scope<Scope>) SORTILE_DEVICE value_type load(I i, Order order, Scope scope = {})
  const {
    using bits = typename register_of<sizeof(T)>::type;
    return bits_as<value_type>(ordered_load(static_cast<bits*>(nullptr), at(i), order, scope, Space{}));
  }
  template <class I>
  SORTILE_DEVICE void store(I i, value_type v) const {
    *at(i) = v;
  }
  template <class I, class Hint>
  requires is_store_hint<Hint> SORTILE_DEVICE void store(I i, value_type v, Hint hint) const {
    hinted_store(at(i), v, hint);
  }
  template <class I, class Order, class Scope = device_scope_type>
  requires(is_store_order<Order>&& is_scope<Scope>) SORTILE_DEVICE
      void store(I i, value_type v, Order order, Scope scope = {}) const {
    using bits = typename register_of<sizeof(T)>::type;
    ordered_store(at(i), bits_as<bits>(v), order, scope, Space{});
  }

#define SORTILE_ATOMIC(NAME, FUNCTION)                                                                                 \
  template <class I, class Order = relaxed_order, class Scope = device_scope_type>                                     \
  requires(is_memory_order<Order> && is_scope<Scope>) SORTILE_DEVICE value_type NAME(                                  \
      I i, value_type v, Order order = {}, Scope scope = {})                                                           \
  const {                                                                                                              \
    return fenced(order, scope, [&] { return FUNCTION(at(i), v, scope); });                                            \
  }
  SORTILE_ATOMIC(fetch_add, atomic_add)
  SORTILE_ATOMIC(fetch_min, atomic_min)
  SORTILE_ATOMIC(fetch_max, atomic_max)
  SORTILE_ATOMIC(fetch_and, atomic_and)
  SORTILE_ATOMIC(fetch_or, atomic_or)
  SORTILE_ATOMIC(fetch_xor, atomic_xor)
  SORTILE_ATOMIC(exchange, atomic_exchange)
#undef SORTILE_ATOMIC
  template <class I, class Order = relaxed_order, class Scope = device_scope_type>
  requires(is_memory_order<Order>&& is_scope<Scope>) SORTILE_DEVICE value_type
      compare_exchange(I i, value_type expected, value_type v, Order order = {}, Scope scope = {})
  const {
    return fenced(order, scope, [&] { return atomic_cas(at(i), expected, v, scope); });
  }

 private:
  template <class I>
  SORTILE_DEVICE T* at(I i) const {
    T* const p = static_cast<const Derived&>(*this).data() + i;
#if defined(__CUDA_ARCH__)
    // Not of structs of one byte: where such a pointer comes from a table, nvcc 13.0 makes a call of the assumption
    // that its own check of functions refuses ("Broken function found").
    if constexpr (std::is_same_v<Space, global_space> && !(std::is_class_v<T> && sizeof(T) == 1))
      __builtin_assume(__isGlobal(p));
#endif
    return p;
  }
};

template <class Derived, class T, class Space>
class view : public accesses<Derived, T, Space> {
 public:
  view() = default;
  SORTILE_HOST_DEVICE T* data() const { return data_; }
  template <class I>
  SORTILE_DEVICE Derived subview(I first, std::uint64_t = 0) const {
    return Derived(data_ + first, 0);
  }

 protected:
  __host__ __device__ explicit view(T* data) : data_(data) {}
  T* data_;
};
} // namespace detail

/// An array in global memory: a pointer. The size is for the executor.
template <class T>
class global : public detail::view<global<T>, T, detail::global_space> {
  using base = detail::view<global<T>, T, detail::global_space>;

 public:
  global() = default;
  SORTILE_HOST_DEVICE global(T* data, std::uint64_t) : base(data) {}
  /// Elements that may be written are elements that may be read.
  template <class U>
  requires std::is_same_v<const U, T> SORTILE_HOST_DEVICE global(global<U> other) : base(other.data()) {}
};

/// Part of shared storage: a pointer.
template <class T>
class shared_view : public detail::view<shared_view<T>, T, detail::shared_space> {
  using base = detail::view<shared_view<T>, T, detail::shared_space>;

 public:
  shared_view() = default;
  SORTILE_DEVICE shared_view(T* data, std::uint64_t) : base(data) {}
  template <class U>
  requires std::is_same_v<const U, T> SORTILE_DEVICE shared_view(shared_view<U> other) : base(other.data()) {}
};

/// An array of fixed size, for the kernel's `shared` struct.
template <class T, std::size_t N>
class shared_array : public detail::accesses<shared_array<T, N>, T, detail::shared_space> {
 public:
  SORTILE_DEVICE T* data() const { return const_cast<T*>(data_); }
  static constexpr std::size_t size() { return N; }
  SORTILE_DEVICE shared_view<T> view() { return {data_, N}; }
  template <class I>
  SORTILE_DEVICE shared_view<T> subview(I first, std::uint64_t count) {
    return {data_ + first, count};
  }

 private:
  T data_[N];
};

/// One value in the kernel's `shared` struct.
template <class T>
class shared_value : public shared_array<T, 1> {
 public:
  SORTILE_DEVICE operator T() const { return this->load(0); }
  SORTILE_DEVICE T operator=(const T& v) {
    this->store(0, v);
    return v;
  }
};

/// An array of fixed size, for the kernel's `constants` struct.
template <class T, std::size_t N>
class constant_array {
 public:
  using value_type = T;
  template <class I>
  SORTILE_DEVICE T operator[](I i) const {
    return data_[i];
  }
  template <class I>
  SORTILE_DEVICE T load(I i) const {
    return data_[i];
  }
  static constexpr std::size_t size() { return N; }

 private:
  T data_[N];
};

namespace detail {
extern __shared__ __align__(128) unsigned char dynamic_storage[];

// A kernel's constants, one copy a device; only where a kernel that has some is compiled.
template <class K>
__constant__ typename K::constants constants_of;

// A `shared` struct above what static storage holds lies at the front of the dynamic part.
template <class K>
inline constexpr bool shared_is_dynamic = has_shared<K> && sizeof(shared_storage<K>) > 48 * 1024;
template <class K>
inline constexpr std::size_t dynamic_offset = shared_is_dynamic<K> ? (sizeof(shared_storage<K>) + 127) / 128 * 128 : 0;
} // namespace detail

/// The dynamic shared storage of a block of this kernel from `byte_offset` on; it starts at a multiple of 128.
template <class T, class K>
SORTILE_DEVICE shared_view<T> dynamic_shared(const K&, std::uint64_t count, std::uint32_t byte_offset = 0) {
  return {reinterpret_cast<T*>(detail::dynamic_storage + detail::dynamic_offset<K> + byte_offset), count};
}

/// Of a reference that a call has been given: it is to shared storage.
template <class T>
SORTILE_DEVICE void assume_shared(T& s) {
#if defined(__CUDA_ARCH__)
  __builtin_assume(__isShared(&s));
#endif
}

template <class U, class T>
SORTILE_DEVICE shared_view<U> view_as(shared_view<T> v) {
  return {reinterpret_cast<U*>(v.data()), 0};
}

namespace detail {
template <class T>
SORTILE_DEVICE T* peer_pointer(T* mine, unsigned rank) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  T* theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
  return theirs;
#else
  __trap();
  return mine;
#endif
}
} // namespace detail

/// The array at the same place in the shared storage of block `rank` of the cluster.
template <class T>
class peer_view : public detail::view<peer_view<T>, T, detail::peer_space> {
 public:
  SORTILE_DEVICE explicit peer_view(T* data) : detail::view<peer_view<T>, T, detail::peer_space>(data) {}
};
template <class T, std::size_t N>
SORTILE_DEVICE peer_view<T> peer(shared_array<T, N>& a, unsigned rank) {
  return peer_view<T>(detail::peer_pointer(a.data(), rank));
}
template <class T>
SORTILE_DEVICE peer_view<T> peer(shared_view<T> v, unsigned rank) {
  return peer_view<T>(detail::peer_pointer(v.data(), rank));
}

template <int N, class Array, class I, class... Hint>
requires(sizeof...(Hint) <= 1 && (is_load_hint<Hint> && ...)) SORTILE_DEVICE
    auto load_vector(const Array& a, I i, Hint... hint) {
  using V = vec<typename Array::value_type, N>;
  const V* p = reinterpret_cast<const V*>(a.data() + i);
  using bits = typename detail::hinted<sizeof(V)>::type;
  if constexpr (sizeof...(Hint) == 0)
    return detail::bits_as<V>(*reinterpret_cast<const bits*>(p));
  else
    return detail::hinted_load(p, hint...);
}
template <int N, class Array, class I, class... Hint>
requires(sizeof...(Hint) <= 1 && (is_store_hint<Hint> && ...)) SORTILE_DEVICE
    void store_vector(const Array& a, I i, const vec<typename Array::value_type, N>& v, Hint... hint) {
  using V = vec<typename Array::value_type, N>;
  V* p = reinterpret_cast<V*>(a.data() + i);
  using bits = typename detail::hinted<sizeof(V)>::type;
  if constexpr (sizeof...(Hint) == 0)
    *reinterpret_cast<bits*>(p) = detail::bits_as<bits>(v);
  else
    detail::hinted_store(p, v, hint...);
}
template <class T, class I>
SORTILE_DEVICE void prefetch(global<T> a, I i) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(a.data() + i)));
}

} // namespace cuda_backend
} // namespace sortile::simt
