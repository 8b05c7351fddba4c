// The dialect under nvcc: ordered loads and stores and ordered atomics, as inline PTX.
//
// Written out by order and scope, so each is one instruction without a branch. Addresses of global memory are the same
// in the generic and the global space, so global accesses name that space; addresses of shared memory are converted to
// theirs.
#pragma once

#include "simt/cuda/warp.hpp"

namespace sortile::simt {
inline namespace cuda_backend {
namespace detail {

struct global_space {};
struct shared_space {};
struct peer_space {}; // another block's shared storage: by generic address

template <class Space>
SORTILE_DEVICE auto address(const void* p) {
  if constexpr (std::is_same_v<Space, global_space>)
    return std::uint64_t(__cvta_generic_to_global(p));
  else if constexpr (std::is_same_v<Space, peer_space>)
    return reinterpret_cast<std::uint64_t>(p);
  else
    return std::uint32_t(__cvta_generic_to_shared(p));
}

template <std::size_t Bytes>
struct register_of;
template <>
struct register_of<1> {
  using type = std::uint8_t;
};
template <>
struct register_of<2> {
  using type = std::uint16_t;
};
template <>
struct register_of<4> {
  using type = std::uint32_t;
};
template <>
struct register_of<8> {
  using type = unsigned long long;
};
template <>
struct register_of<16> {
  using type = ulonglong2;
};

// One macro a (order, scope, space): SPACE_TEXT and the constraint of an address go together.
#define SORTILE_ORDERED_ACCESSES(ORDER_LOAD, ORDER_STORE, SCOPE, SPACE, SPACE_TEXT, ADDRESS)                           \
  SORTILE_DEVICE std::uint32_t ordered_load(std::uint32_t*, const void* p, ORDER_LOAD##_order, SCOPE##_scope_type,     \
                                            SPACE) {                                                                   \
    std::uint32_t v;                                                                                                   \
    asm volatile("ld." #ORDER_LOAD "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".b32 %0, [%1];"                               \
                 : "=r"(v)                                                                                             \
                 : ADDRESS(address<SPACE>(p))                                                                          \
                 : "memory");                                                                                          \
    return v;                                                                                                          \
  }                                                                                                                    \
  SORTILE_DEVICE std::uint16_t ordered_load(std::uint16_t*, const void* p, ORDER_LOAD##_order, SCOPE##_scope_type,     \
                                            SPACE) {                                                                   \
    std::uint16_t v;                                                                                                   \
    asm volatile("ld." #ORDER_LOAD "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".b16 %0, [%1];"                               \
                 : "=h"(v)                                                                                             \
                 : ADDRESS(address<SPACE>(p))                                                                          \
                 : "memory");                                                                                          \
    return v;                                                                                                          \
  }                                                                                                                    \
  SORTILE_DEVICE std::uint8_t ordered_load(std::uint8_t*, const void* p, ORDER_LOAD##_order, SCOPE##_scope_type,       \
                                           SPACE) {                                                                    \
    std::uint32_t v;                                                                                                   \
    asm volatile("ld." #ORDER_LOAD "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".u8 %0, [%1];"                                \
                 : "=r"(v)                                                                                             \
                 : ADDRESS(address<SPACE>(p))                                                                          \
                 : "memory");                                                                                          \
    return std::uint8_t(v);                                                                                            \
  }                                                                                                                    \
  SORTILE_DEVICE unsigned long long ordered_load(unsigned long long*, const void* p, ORDER_LOAD##_order,               \
                                                 SCOPE##_scope_type, SPACE) {                                          \
    unsigned long long v;                                                                                              \
    asm volatile("ld." #ORDER_LOAD "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".b64 %0, [%1];"                               \
                 : "=l"(v)                                                                                             \
                 : ADDRESS(address<SPACE>(p))                                                                          \
                 : "memory");                                                                                          \
    return v;                                                                                                          \
  }                                                                                                                    \
  SORTILE_DEVICE ulonglong2 ordered_load(ulonglong2*, const void* p, ORDER_LOAD##_order, SCOPE##_scope_type, SPACE) {  \
    ulonglong2 v;                                                                                                      \
    asm volatile("{\n\t.reg .b128 wide;\n\tld." #ORDER_LOAD "." SORTILE_SCOPE_##SCOPE SPACE_TEXT                       \
                 ".b128 wide, [%2];\n\t"                                                                               \
                 "mov.b128 {%0, %1}, wide;\n\t}"                                                                       \
                 : "=l"(v.x), "=l"(v.y)                                                                                \
                 : ADDRESS(address<SPACE>(p))                                                                          \
                 : "memory");                                                                                          \
    return v;                                                                                                          \
  }                                                                                                                    \
  SORTILE_DEVICE void ordered_store(void* p, std::uint8_t v, ORDER_STORE##_order, SCOPE##_scope_type, SPACE) {         \
    asm volatile("st." #ORDER_STORE "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".u8 [%0], %1;" ::ADDRESS(address<SPACE>(p)), \
                 "r"(std::uint32_t(v))                                                                                 \
                 : "memory");                                                                                          \
  }                                                                                                                    \
  SORTILE_DEVICE void ordered_store(void* p, std::uint16_t v, ORDER_STORE##_order, SCOPE##_scope_type, SPACE) {        \
    asm volatile(                                                                                                      \
        "st." #ORDER_STORE "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".b16 [%0], %1;" ::ADDRESS(address<SPACE>(p)), "h"(v)  \
        : "memory");                                                                                                   \
  }                                                                                                                    \
  SORTILE_DEVICE void ordered_store(void* p, std::uint32_t v, ORDER_STORE##_order, SCOPE##_scope_type, SPACE) {        \
    asm volatile(                                                                                                      \
        "st." #ORDER_STORE "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".b32 [%0], %1;" ::ADDRESS(address<SPACE>(p)), "r"(v)  \
        : "memory");                                                                                                   \
  }                                                                                                                    \
  SORTILE_DEVICE void ordered_store(void* p, unsigned long long v, ORDER_STORE##_order, SCOPE##_scope_type, SPACE) {   \
    asm volatile(                                                                                                      \
        "st." #ORDER_STORE "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".b64 [%0], %1;" ::ADDRESS(address<SPACE>(p)), "l"(v)  \
        : "memory");                                                                                                   \
  }                                                                                                                    \
  SORTILE_DEVICE void ordered_store(void* p, ulonglong2 v, ORDER_STORE##_order, SCOPE##_scope_type, SPACE) {           \
    asm volatile("{\n\t.reg .b128 wide;\n\tmov.b128 wide, {%1, %2};\n\tst." #ORDER_STORE                               \
                 "." SORTILE_SCOPE_##SCOPE SPACE_TEXT ".b128 [%0], wide;\n\t}" ::ADDRESS(address<SPACE>(p)),           \
                 "l"(v.x), "l"(v.y)                                                                                    \
                 : "memory");                                                                                          \
  }

#define SORTILE_SCOPE_block "cta"
#define SORTILE_SCOPE_device "gpu"
#define SORTILE_SCOPE_system "sys"

#define SORTILE_ORDERED_SCOPES(ORDER_LOAD, ORDER_STORE, SPACE, SPACE_TEXT, ADDRESS)                                    \
  SORTILE_ORDERED_ACCESSES(ORDER_LOAD, ORDER_STORE, block, SPACE, SPACE_TEXT, ADDRESS)                                 \
  SORTILE_ORDERED_ACCESSES(ORDER_LOAD, ORDER_STORE, device, SPACE, SPACE_TEXT, ADDRESS)                                \
  SORTILE_ORDERED_ACCESSES(ORDER_LOAD, ORDER_STORE, system, SPACE, SPACE_TEXT, ADDRESS)
SORTILE_ORDERED_SCOPES(relaxed, relaxed, global_space, ".global", "l")
SORTILE_ORDERED_SCOPES(acquire, release, global_space, ".global", "l")
SORTILE_ORDERED_SCOPES(relaxed, relaxed, shared_space, ".shared", "r")
SORTILE_ORDERED_SCOPES(acquire, release, shared_space, ".shared", "r")
SORTILE_ORDERED_SCOPES(relaxed, relaxed, peer_space, "", "l")
SORTILE_ORDERED_SCOPES(acquire, release, peer_space, "", "l")
#undef SORTILE_ORDERED_SCOPES
#undef SORTILE_ORDERED_ACCESSES

// Atomics that order: fences around the relaxed one, as the PTX memory model defines them to be equal.
#define SORTILE_ATOMIC_FENCES(SCOPE)                                                                                   \
  SORTILE_DEVICE void fence_acq_rel(SCOPE##_scope_type) {                                                              \
    asm volatile("fence.acq_rel." SORTILE_SCOPE_##SCOPE ";" ::: "memory");                                             \
  }
SORTILE_ATOMIC_FENCES(block)
SORTILE_ATOMIC_FENCES(device)
SORTILE_ATOMIC_FENCES(system)
#undef SORTILE_ATOMIC_FENCES
#undef SORTILE_SCOPE_block
#undef SORTILE_SCOPE_device
#undef SORTILE_SCOPE_system

template <class Order>
inline constexpr bool releases = std::is_same_v<Order, release_order> || std::is_same_v<Order, acq_rel_order>;
template <class Order>
inline constexpr bool acquires = std::is_same_v<Order, acquire_order> || std::is_same_v<Order, acq_rel_order>;

template <class Order, class Scope, class F>
SORTILE_DEVICE auto fenced(Order, Scope scope, F atomic) {
  if constexpr (releases<Order>)
    fence_acq_rel(scope);
  const auto old = atomic();
  if constexpr (acquires<Order>)
    fence_acq_rel(scope);
  return old;
}

} // namespace detail
} // namespace cuda_backend
} // namespace sortile::simt
