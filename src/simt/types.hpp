// The words of the kernel dialect that are the same on both backends: orders, scopes, cache hints, vectors, launches,
// errors.
//
// Each order, scope and hint is an enumerator of a type of its own. So `load(i, release)` does not compile, and none of
// them costs anything at run time.
#pragma once

#include "simt/config.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace sortile::simt {

__extension__ using uint128 = unsigned __int128;

inline constexpr unsigned warp_size = 32;
inline constexpr unsigned full_warp = 0xffffffffu;

/// What an ordered access promises: `relaxed` is atomic and no more; `acquire` and `release` pair up to publish data.
enum relaxed_order { relaxed };
enum acquire_order { acquire };
enum release_order { release };
enum acq_rel_order { acq_rel };

/// Among which threads an ordered access or a fence holds.
enum block_scope_type { block_scope };
enum device_scope_type { device_scope };
enum system_scope_type { system_scope };

/// Where data should, or should not, be kept.
enum streaming_hint { streaming };         ///< used once: first to leave the caches (ld.cs, st.cs)
enum l2_only_hint { l2_only };             ///< past L1, kept in L2 (ld.cg, st.cg)
enum read_only_hint { read_only };         ///< nobody writes it while the kernel runs (ld.nc)
enum last_use_hint { last_use };           ///< will not be read again (ld.lu)
enum write_through_hint { write_through }; ///< through to memory (st.wt)

template <class T>
inline constexpr bool is_memory_order = false;
template <>
inline constexpr bool is_memory_order<relaxed_order> = true;
template <>
inline constexpr bool is_memory_order<acquire_order> = true;
template <>
inline constexpr bool is_memory_order<release_order> = true;
template <>
inline constexpr bool is_memory_order<acq_rel_order> = true;
template <class T>
inline constexpr bool is_load_order = std::is_same_v<T, relaxed_order> || std::is_same_v<T, acquire_order>;
template <class T>
inline constexpr bool is_store_order = std::is_same_v<T, relaxed_order> || std::is_same_v<T, release_order>;
template <class T>
inline constexpr bool is_scope =
    std::is_same_v<T, block_scope_type> || std::is_same_v<T, device_scope_type> || std::is_same_v<T, system_scope_type>;
template <class T>
inline constexpr bool is_load_hint = std::is_same_v<T, streaming_hint> || std::is_same_v<T, l2_only_hint> ||
                                     std::is_same_v<T, read_only_hint> || std::is_same_v<T, last_use_hint>;
template <class T>
inline constexpr bool is_store_hint =
    std::is_same_v<T, streaming_hint> || std::is_same_v<T, l2_only_hint> || std::is_same_v<T, write_through_hint>;

/// N neighbours moved by one instruction: N * sizeof(T) is 2, 4, 8 or 16 bytes, and the address is a multiple of it.
template <class T, int N>
struct alignas(sizeof(T) * N) vec {
  static_assert(sizeof(T) * N <= 16 && (N & (N - 1)) == 0,
                "a vector access moves at most 16 bytes, a power of two of elements");
  T data[N];
  SORTILE_HOST_DEVICE constexpr T& operator[](int i) { return data[i]; }
  SORTILE_HOST_DEVICE constexpr const T& operator[](int i) const { return data[i]; }
};

/// Blocks along the three axes of a grid. Blocks themselves have one axis.
struct grid_dim {
  unsigned x = 1, y = 1, z = 1;
  constexpr grid_dim() = default;
  constexpr grid_dim(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// How a kernel is launched. `block` of 0 takes the kernel's own `block_threads`.
struct launch_config {
  grid_dim grid = 1;
  unsigned block = 0;             ///< threads a block, at most the kernel's block_threads
  std::size_t dynamic_shared = 0; ///< bytes beside the kernel's `shared` struct, up to the device's limit
  unsigned cluster = 1;           ///< blocks a cluster, along x; grid.x must be a multiple
  bool cooperative = false;       ///< all blocks resident at once: allows grid_barrier()
  bool dependent = false;         ///< may start before its predecessor ends; the kernel calls wait_for_prerequisites()
};

/// What a kernel asks of an architecture beyond sm_80; a kernel lists its own in `static constexpr feature needs`.
enum class feature : unsigned { none = 0, cluster = 1, bulk_copy = 2, dependent_launch = 4 };
constexpr feature operator|(feature a, feature b) {
  return feature(unsigned(a) | unsigned(b));
}
constexpr bool has(feature set, feature one) {
  return (unsigned(set) & unsigned(one)) != 0;
}

/// A launch that could not be made, or a kernel that failed. The message names kernel, cause and what is allowed.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws an `error` where a kernel's needs exceed an architecture (as 10 * major + minor).
inline void require_features(feature needs, unsigned architecture, const char* kernel) {
  const char* lacking = has(needs, feature::cluster)            ? "thread-block clusters"
                        : has(needs, feature::bulk_copy)        ? "bulk asynchronous copies"
                        : has(needs, feature::dependent_launch) ? "programmatic dependent launch"
                                                                : nullptr;
  if (lacking && architecture < 90)
    throw error("simt: kernel " + std::string(kernel) + " needs " + lacking + " (sm_90), the device is sm_" +
                std::to_string(architecture));
}

// What a kernel says of itself, with defaults for what it leaves out.
namespace traits {
struct no_shared {};
template <class K>
constexpr unsigned min_blocks() {
  if constexpr (requires { K::min_blocks; })
    return K::min_blocks;
  else
    return 1;
}
template <class K>
constexpr feature needs() {
  if constexpr (requires { K::needs; })
    return K::needs;
  else
    return feature::none;
}
template <class K>
constexpr bool starts_early() {
  if constexpr (requires { K::starts_early; })
    return K::starts_early;
  else
    return false;
}
template <class K>
constexpr bool keeps_l1() {
  if constexpr (requires { K::keeps_l1; })
    return K::keeps_l1;
  else
    return false;
}
/// Of a kernel that starts early: whether this launch of it needs nothing of the one before.
template <class K>
SORTILE_HOST_DEVICE constexpr bool is_beside(const K& kernel) {
  if constexpr (requires { kernel.beside_predecessor; })
    return kernel.beside_predecessor;
  else
    return false;
}
template <class K>
struct shared_of {
  using type = no_shared;
};
template <class K>
requires requires {
  typename K::shared;
}
struct shared_of<K> {
  using type = typename K::shared;
};
template <class K>
constexpr bool has_constants() {
  return requires {
    typename K::constants;
  };
}
} // namespace traits

/// The kernel's shared storage struct, or an empty one.
template <class K>
using shared_storage = typename traits::shared_of<K>::type;
template <class K>
inline constexpr bool has_shared = !std::is_same_v<shared_storage<K>, traits::no_shared>;
/// Whether the kernel's launch may overlap the end of the one before it.
template <class K>
inline constexpr bool starts_early = traits::starts_early<K>();
/// Whether what the kernel's shared storage leaves of a multiprocessor's storage is to be L1 cache.
template <class K>
inline constexpr bool keeps_l1 = traits::keeps_l1<K>();
/// Whether the kernel has a `constants` struct.
template <class K>
inline constexpr bool has_constants = traits::has_constants<K>();
/// Bytes of constant memory that a kernel can have.
inline constexpr std::size_t constant_limit = std::size_t{64} * 1024;

/// Throws an `error` where more is copied to a kernel's constants than they hold.
inline void require_constants_fit(std::size_t bytes, std::size_t held, const char* kernel) {
  if (bytes > held)
    throw error("simt: " + std::to_string(bytes) + " bytes for the constants of kernel " + std::string(kernel) +
                " (allowed: at most " + std::to_string(held) + ")");
}

} // namespace sortile::simt
