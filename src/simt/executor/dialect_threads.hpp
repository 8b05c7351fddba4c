// The dialect on the executor: who a thread is, barriers, votes, matches, shuffles, reductions.
#pragma once

#include "simt/executor/runtime.hpp"

#include <bit>

namespace sortile::simt {
inline namespace executor_backend {

using executor::site;

// ---- indices ------------------------------------------------------------------------------------------------

inline unsigned thread_index() {
  return executor::current->index;
}
inline unsigned block_size() {
  return executor::shape->block;
}
inline unsigned lane_index() {
  return executor::current->lane;
}
inline unsigned warp_index() {
  return executor::current->index / warp_size;
}
template <int Axis = 0>
unsigned block_index() {
  return executor::current->block->index[Axis];
}
template <int Axis = 0>
unsigned grid_size() {
  return executor::shape->grid[Axis];
}
inline unsigned cluster_rank() {
  return executor::current->block->rank;
}
inline unsigned cluster_size() {
  return executor::shape->cluster;
}
inline unsigned cluster_index() {
  return block_index() / cluster_size();
}
inline unsigned lanes_below() {
  return (1u << lane_index()) - 1;
}

// ---- barriers, fences, polling ------------------------------------------------------------------------------

inline void block_barrier(site w = site::current()) {
  executor::block_barrier(executor::vote_kind::none, false, w);
}
inline bool block_any(bool p, site w = site::current()) {
  return executor::block_barrier(executor::vote_kind::any, p, w) != 0;
}
inline bool block_all(bool p, site w = site::current()) {
  return executor::block_barrier(executor::vote_kind::all, p, w) != 0;
}
inline unsigned block_count(bool p, site w = site::current()) {
  return executor::block_barrier(executor::vote_kind::count, p, w);
}
inline void named_barrier_sync(unsigned id, unsigned threads, site w = site::current()) {
  executor::named_block_barrier(id, threads, true, w);
}
inline void named_barrier_arrive(unsigned id, unsigned threads, site w = site::current()) {
  executor::named_block_barrier(id, threads, false, w);
}
inline void cluster_arrive(site w = site::current()) {
  executor::cluster_arrive(w);
}
inline void cluster_wait(site w = site::current()) {
  executor::cluster_wait(w);
}
inline void cluster_barrier(site w = site::current()) {
  executor::cluster_arrive(w);
  executor::cluster_wait(w);
}
inline void grid_barrier(site w = site::current()) {
  executor::grid_barrier(w);
}
inline void fence(block_scope_type, site w = site::current()) {
  executor::fence(executor::reach::block, w);
}
inline void fence(device_scope_type, site w = site::current()) {
  executor::fence(executor::reach::device, w);
}
inline void fence(system_scope_type, site w = site::current()) {
  executor::fence(executor::reach::device, w);
}
inline void spin_hint(unsigned = 0, site w = site::current()) {
  executor::spin(w);
}
inline void wait_for_prerequisites(site w = site::current()) {
  executor::prerequisites_met(w);
}
inline void launch_dependents(site w = site::current()) {
  executor::schedule_point(w);
}
[[noreturn]] inline void trap(site w = site::current()) {
  executor::bad_use("trap()", w);
}

// ---- warp-wide calls ----------------------------------------------------------------------------------------

namespace detail {
using executor::warp_slot;

template <class F>
void for_lanes(unsigned mask, F&& f) {
  for (unsigned m = mask; m; m &= m - 1)
    f(unsigned(std::countr_zero(m)));
}

template <class T>
const T& operand(const warp_slot* slots, unsigned lane) {
  return *static_cast<const T*>(slots[lane].in);
}
template <class T>
T& result(const warp_slot* slots, unsigned lane) {
  return *static_cast<T*>(slots[lane].out);
}

inline void complete_barrier(warp_slot*, unsigned) {}

inline void complete_ballot(warp_slot* slots, unsigned mask) {
  unsigned votes = 0;
  for_lanes(mask, [&](unsigned l) { votes |= unsigned(slots[l].argument != 0) << l; });
  for_lanes(mask, [&](unsigned l) { result<unsigned>(slots, l) = votes; });
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
void complete_match_any(warp_slot* slots, unsigned mask) {
  for (unsigned rest = mask; rest;) {
    const T& value = operand<T>(slots, unsigned(std::countr_zero(rest)));
    unsigned peers = 0;
    for_lanes(rest, [&](unsigned l) { peers |= unsigned(same_bits(operand<T>(slots, l), value)) << l; });
    for_lanes(peers, [&](unsigned l) { result<unsigned>(slots, l) = peers; });
    rest &= ~peers;
  }
}

template <class T>
void complete_match_all(warp_slot* slots, unsigned mask) {
  const T& first = operand<T>(slots, unsigned(std::countr_zero(mask)));
  bool same = true;
  for_lanes(mask, [&](unsigned l) { same = same && same_bits(operand<T>(slots, l), first); });
  for_lanes(mask, [&](unsigned l) { result<unsigned>(slots, l) = same ? mask : 0; });
}

// A lane that reads one outside the mask gets rubbish, as it may on the hardware.
template <class T>
void complete_shuffle(warp_slot* slots, unsigned mask) {
  for_lanes(mask, [&](unsigned l) {
    const auto from = unsigned(slots[l].argument);
    if (mask >> from & 1)
      std::memcpy(slots[l].out, slots[from].in, sizeof(T));
    else
      std::memset(slots[l].out, 0xdb, sizeof(T));
  });
}

template <class T, class F>
void complete_reduce(warp_slot* slots, unsigned mask) {
  T sum = operand<T>(slots, unsigned(std::countr_zero(mask)));
  for_lanes(mask & (mask - 1), [&](unsigned l) { sum = F{}(sum, operand<T>(slots, l)); });
  for_lanes(mask, [&](unsigned l) { result<T>(slots, l) = sum; });
}

struct plus {
  template <class T>
  T operator()(T a, T b) const {
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  }
};
struct smaller {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct larger {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct both {
  template <class T>
  T operator()(T a, T b) const {
    return a & b;
  }
};
struct either {
  template <class T>
  T operator()(T a, T b) const {
    return a | b;
  }
};
struct differ {
  template <class T>
  T operator()(T a, T b) const {
    return a ^ b;
  }
};

template <class T, class F>
T reduce(T value, unsigned mask, site w) {
  static_assert(std::is_integral_v<T> && sizeof(T) == 4, "the hardware reduces 32-bit integers");
  T out{};
  executor::warp_meet(mask, complete_reduce<T, F>, &value, &out, 0, false, w);
  return out;
}

template <class T>
T shuffle_from(const T& value, unsigned source, unsigned mask, site w) {
  static_assert(std::is_trivially_copyable_v<T>);
  alignas(T) unsigned char out[sizeof(T)];
  executor::warp_meet(mask, complete_shuffle<T>, &value, out, int(source), false, w);
  T result;
  std::memcpy(&result, out, sizeof(T));
  return result;
}
} // namespace detail

inline void warp_barrier(unsigned mask = full_warp, site w = site::current()) {
  executor::warp_meet(mask, detail::complete_barrier, nullptr, nullptr, 0, true, w);
}
inline unsigned ballot(bool p, unsigned mask = full_warp, site w = site::current()) {
  unsigned out = 0;
  executor::warp_meet(mask, detail::complete_ballot, nullptr, &out, p, false, w);
  return out;
}
inline bool warp_any(bool p, unsigned mask = full_warp, site w = site::current()) {
  return ballot(p, mask, w) != 0;
}
inline bool warp_all(bool p, unsigned mask = full_warp, site w = site::current()) {
  return ballot(p, mask, w) == mask;
}
inline unsigned active_lanes() {
  return 1u << lane_index();
}

template <class T>
unsigned match_any(T value, unsigned mask = full_warp, site w = site::current()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match takes 32 or 64 bits");
  unsigned out = 0;
  executor::warp_meet(mask, detail::complete_match_any<T>, &value, &out, 0, false, w);
  return out;
}
inline unsigned match_bit(std::uint32_t v, unsigned bit, unsigned mask = full_warp, site w = site::current()) {
  const bool set = (v >> bit & 1) != 0;
  return (ballot(set, mask, w) ^ (set ? 0u : ~0u)) & mask;
}
template <unsigned Bits>
unsigned match_bits(std::uint32_t v, site w = site::current()) {
  static_assert(Bits >= 1 && Bits <= 32);
  unsigned lanes = full_warp;
  for (unsigned b = 0; b < Bits; ++b)
    lanes &= match_bit(v, b, full_warp, w);
  return lanes;
}
template <class T>
unsigned match_all(T value, unsigned mask = full_warp, site w = site::current()) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match takes 32 or 64 bits");
  unsigned out = 0;
  executor::warp_meet(mask, detail::complete_match_all<T>, &value, &out, 0, false, w);
  return out;
}

template <class T>
T shuffle(T value, unsigned source, unsigned mask = full_warp, unsigned width = warp_size, site w = site::current()) {
  return detail::shuffle_from(value, (lane_index() & ~(width - 1)) | (source & (width - 1)), mask, w);
}
template <class T>
T shuffle_up(T value, unsigned delta, unsigned mask = full_warp, unsigned width = warp_size, site w = site::current()) {
  const unsigned lane = lane_index(), within = lane & (width - 1);
  return detail::shuffle_from(value, within >= delta ? lane - delta : lane, mask, w);
}
template <class T>
T shuffle_down(T value, unsigned delta, unsigned mask = full_warp, unsigned width = warp_size,
               site w = site::current()) {
  const unsigned lane = lane_index(), within = lane & (width - 1);
  return detail::shuffle_from(value, within + delta < width ? lane + delta : lane, mask, w);
}
template <class T>
T shuffle_xor(T value, unsigned bits, unsigned mask = full_warp, unsigned width = warp_size, site w = site::current()) {
  const unsigned lane = lane_index(), to = lane ^ bits;
  return detail::shuffle_from(value, (to & ~(width - 1)) <= (lane & ~(width - 1)) ? to : lane, mask, w);
}

template <class T>
T warp_reduce_add(T v, unsigned mask = full_warp, site w = site::current()) {
  return detail::reduce<T, detail::plus>(v, mask, w);
}
template <class T>
T warp_reduce_min(T v, unsigned mask = full_warp, site w = site::current()) {
  return detail::reduce<T, detail::smaller>(v, mask, w);
}
template <class T>
T warp_reduce_max(T v, unsigned mask = full_warp, site w = site::current()) {
  return detail::reduce<T, detail::larger>(v, mask, w);
}
template <class T>
T warp_reduce_and(T v, unsigned mask = full_warp, site w = site::current()) {
  return detail::reduce<T, detail::both>(v, mask, w);
}
template <class T>
T warp_reduce_or(T v, unsigned mask = full_warp, site w = site::current()) {
  return detail::reduce<T, detail::either>(v, mask, w);
}
template <class T>
T warp_reduce_xor(T v, unsigned mask = full_warp, site w = site::current()) {
  return detail::reduce<T, detail::differ>(v, mask, w);
}

// ---- bits ---------------------------------------------------------------------------------------------------

inline unsigned popcount(std::uint32_t v) {
  return unsigned(std::popcount(v));
}
inline unsigned popcount(std::uint64_t v) {
  return unsigned(std::popcount(v));
}
inline std::uint32_t float_bits_toward_zero(std::int64_t v) {
  if (v == 0)
    return 0;
  const std::uint64_t magnitude = v < 0 ? 0 - std::uint64_t(v) : std::uint64_t(v);
  const auto above = unsigned(std::countl_zero(magnitude));
  const auto fraction = std::uint32_t(magnitude << above >> 40) & 0x7fffffu; // behind the leading one
  return (v < 0 ? 0x80000000u : 0) | (127 + 63 - above) << 23 | fraction;
}
inline std::uint32_t float_bits_toward_zero(std::int32_t v) {
  return float_bits_toward_zero(std::int64_t{v});
}
inline unsigned leading_zeros(std::uint32_t v) {
  return unsigned(std::countl_zero(v));
}
inline unsigned leading_zeros(std::uint64_t v) {
  return unsigned(std::countl_zero(v));
}
inline unsigned leading_zeros(uint128 v) {
  const auto high = std::uint64_t(v >> 64);
  return high != 0 ? leading_zeros(high) : 64 + leading_zeros(std::uint64_t(v));
}
/// Of a value that is not 0.
inline unsigned trailing_zeros(std::uint32_t v) {
  return unsigned(std::countr_zero(v));
}
inline unsigned trailing_zeros(std::uint64_t v) {
  return unsigned(std::countr_zero(v));
}
/// `count` bits of v from `first` on; count may be 0 and first + count up to 32.
inline std::uint32_t extract_bits(std::uint32_t v, unsigned first, unsigned count) {
  return count == 0 || first >= 32 ? 0 : count >= 32 ? v >> first : v >> first & ((1u << count) - 1);
}
/// Bytes of {b, a} chosen by the nibbles of `selector` (0-3 of a, 4-7 of b).
inline std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  std::uint32_t out = 0;
  for (unsigned i = 0; i < 4; ++i)
    out |= std::uint32_t(both >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  return out;
}
/// v; nvcc cannot tell that it is. What comes of it is computed where it stands: not once for several branches before
/// them, and not kept in registers from one place to another.
inline std::uint32_t opaque(std::uint32_t v) {
  return v;
}
/// A part of shared storage, whose address nvcc keeps in a register: else it may be found anew for every access.
template <class Shared>
Shared& pinned(Shared& storage) {
  return storage;
}

} // namespace executor_backend
} // namespace sortile::simt
