// The dialect under nvcc: launches from the host and from kernels.
#pragma once

#include "simt/cuda/memory.hpp"
#include "simt/cuda/sync.hpp"
#include "simt/queue.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <typeinfo>

#if defined(__GNUC__)
#include <cxxabi.h>
#include <memory>
#endif

namespace sortile::simt {
inline namespace cuda_backend {

namespace detail {

/// Calls the kernel with its shared storage, if it has some, and its constants, if it has some.
template <class K, class... Shared>
SORTILE_DEVICE void call(const K& kernel, Shared&... storage) {
  if constexpr (has_constants<K>)
    kernel(storage..., constants_of<K>);
  else
    kernel(storage...);
}

template <class K>
__global__ void __launch_bounds__(K::block_threads, traits::min_blocks<K>())
    kernel_entry(const __grid_constant__ K arguments) {
  const K kernel =
      arguments; // in registers, like separate arguments: a memory clobber must not make them be read again
  const bool beside = starts_early<K> && traits::is_beside(kernel); // then the wait comes last
  if constexpr (starts_early<K>) {
    if (!beside)
      wait_for_prerequisites(); // also where there is nothing to do: the successor's wait is for this launch alone
    else
      fence(device_scope); // drops what the multiprocessor has cached since before the predecessor began
    launch_dependents();
  }
  if constexpr (!has_shared<K>) {
    call(kernel);
  } else if constexpr (shared_is_dynamic<K>) {
    call(kernel, *reinterpret_cast<typename K::shared*>(dynamic_storage));
  } else {
    static_assert(std::is_trivially_default_constructible_v<typename K::shared>, "shared storage is not initialised");
    __shared__ typename K::shared storage;
    call(kernel, storage);
  }
  if (beside)
    wait_for_prerequisites();
}

inline std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return text ? text.get() : name;
}

/// Made once: a launch of a few microseconds must not wait for it.
template <class K>
const char* kernel_name() {
  static const std::string text = demangled(typeid(K).name());
  return text.c_str();
}

template <class K>
void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess)
    throw error(std::string("simt: kernel ") + kernel_name<K>() + ": " + what + ": " + cudaGetErrorName(e) + ": " +
                cudaGetErrorString(e));
}

inline constexpr int max_devices = 64;

/// What `asked(device)` says of the current device, which is asked once; not 0.
template <class K, class Asked>
unsigned of_device(Asked asked) {
  static std::atomic<unsigned> known[max_devices];
  int device = 0;
  check<K>(cudaGetDevice(&device), "current device");
  const unsigned cached = device < max_devices ? known[device].load(std::memory_order_relaxed) : 0;
  if (cached)
    return cached;
  const unsigned found = asked(device);
  if (device < max_devices)
    known[device].store(found, std::memory_order_relaxed);
  return found;
}
template <class K>
unsigned attribute_of(int device, cudaDeviceAttr which, const char* what) {
  int found = 0;
  check<K>(cudaDeviceGetAttribute(&found, which, device), what);
  return unsigned(found);
}
template <class K>
unsigned architecture() {
  return of_device<K>([](int device) {
    return 10 * attribute_of<K>(device, cudaDevAttrComputeCapabilityMajor, "compute capability") +
           attribute_of<K>(device, cudaDevAttrComputeCapabilityMinor, "compute capability");
  });
}
/// How much of a multiprocessor's storage is to be shared: per cent of what can be, enough for the kernel's blocks.
template <class K>
unsigned shared_percentage(std::size_t bytes_a_block) {
  constexpr std::size_t taken_by_system = 1024; // of each block
  const unsigned all = of_device<K>([](int device) {
    return attribute_of<K>(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor, "shared storage");
  });
  const std::size_t blocks = traits::min_blocks<K>() * (bytes_a_block + taken_by_system);
  return unsigned(std::min<std::size_t>((100 * blocks + all - 1) / all, 100));
}

/// Where a launch of the kernel begins. From CUDA 13.0 on each translation unit has an entry of its own, and what CUDA
/// is told of one it does not know of others, while functions like these may be the linker's choice among all units'.
/// So an entry is named once a launch, and passed on.
template <class K>
using entry_of = void (*)(K);

/// Bytes of a block's shared storage beside the dynamic ones.
template <class K>
constexpr std::size_t fixed_shared = has_shared<K> && !shared_is_dynamic<K> ? sizeof(shared_storage<K>) : 0;

/// Lets the kernel have this much dynamic storage on the current device, where that needs saying.
template <class K>
void allow_dynamic(entry_of<K> entry, std::size_t bytes) {
  if (fixed_shared<K> + bytes <= 48 * 1024)
    return;
  // The entry that was told last, and how much: addresses have 48 bits, and storage is less than 2^16 times 16 bytes.
  static std::atomic<std::uint64_t> told[max_devices];
  const auto units = std::uint64_t{(bytes + 15) / 16}, now = reinterpret_cast<std::uintptr_t>(entry) << 16 | units;
  int device = 0;
  check<K>(cudaGetDevice(&device), "current device");
  if (device < max_devices) {
    const std::uint64_t known = told[device].load(std::memory_order_relaxed);
    if (known >> 16 == now >> 16 && (known & 0xffff) >= units)
      return;
  }
  check<K>(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)), "shared storage");
  if (device < max_devices)
    told[device].store(now, std::memory_order_relaxed);
}

struct attributes {
  cudaLaunchAttribute list[4];
  unsigned count = 0;
  cudaLaunchAttribute& add(cudaLaunchAttributeID id) {
    list[count].id = id;
    return list[count++];
  }
};

inline void fill(attributes& a, const launch_config& c, bool early) {
  if (c.cluster > 1)
    a.add(cudaLaunchAttributeClusterDimension).val.clusterDim = {c.cluster, 1, 1};
  if (c.cooperative)
    a.add(cudaLaunchAttributeCooperative).val.cooperative = 1;
  if (c.dependent || early)
    a.add(cudaLaunchAttributeProgrammaticStreamSerialization).val.programmaticStreamSerializationAllowed = 1;
}

/// Whether the code that the device runs of this translation unit waits for prerequisites: it has been compiled for the
/// device's architecture, or an older one, from sm_90 on. (Code for sm_80 would be launched early and wait for
/// nothing.)
inline bool code_can_start_early(unsigned architecture) {
  constexpr unsigned compiled_for[] = {__CUDA_ARCH_LIST__}; // 100 · major + 10 · minor
  for (const unsigned a : compiled_for)
    if (a >= 900 && a <= 10 * architecture)
      return true;
  return false;
}

template <class K>
cudaLaunchConfig_t prepare(entry_of<K> entry, const queue& q, const launch_config& c, attributes& a) {
  const std::size_t dynamic = dynamic_offset<K> + c.dynamic_shared;
  allow_dynamic<K>(entry, dynamic);
  if (c.cluster > 8)
    check<K>(cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cluster size");
  fill(a, c, starts_early<K> && code_can_start_early(architecture<K>()));
  // Else a multiprocessor may stay as the launch before has left it.
  if constexpr (keeps_l1<K>)
    a.add(cudaLaunchAttributePreferredSharedMemoryCarveout).val.sharedMemCarveout =
        shared_percentage<K>(fixed_shared<K> + dynamic);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(c.grid.x, c.grid.y, c.grid.z);
  config.blockDim = dim3(c.block ? c.block : K::block_threads);
  config.dynamicSmemBytes = dynamic;
  config.stream = static_cast<cudaStream_t>(q.cuda_stream());
  config.attrs = a.list;
  config.numAttrs = a.count;
  return config;
}
} // namespace detail

/// Puts the kernel on the queue. Throws simt::error where the launch is refused; what goes wrong later shows at the
/// next synchronisation.
template <class K>
void launch(const queue& q, const launch_config& config, const K& kernel) {
  static_assert(std::is_trivially_copyable_v<K>, "a kernel is copied to the device as bytes");
  if (q.is_executor())
    throw error("simt: a kernel compiled for CUDA was launched on the executor");
  constexpr feature own = traits::needs<K>();
  const feature needs = own | (config.cluster > 1 ? feature::cluster : feature::none) |
                        (config.dependent ? feature::dependent_launch : feature::none);
  if (needs != feature::none)
    require_features(needs, detail::architecture<K>(), detail::kernel_name<K>());
  detail::attributes a;
  const detail::entry_of<K> entry = detail::kernel_entry<K>;
  const cudaLaunchConfig_t c = detail::prepare<K>(entry, q, config, a);
  detail::check<K>(cudaLaunchKernelEx(&c, entry, kernel), "launch");
}

/// Copies `bytes` from host or device memory to the front of the kernel's constants on the current device, in the order
/// of the queue. Kernels that still run on another queue would see them change. Throws simt::error.
template <class K>
void set_constants(const queue& q, const void* from, std::size_t bytes) {
  static_assert(has_constants<K>, "the kernel has no `constants` struct");
  static_assert(sizeof(typename K::constants) <= constant_limit, "constant memory has 64 KiB");
  if (q.is_executor())
    throw error("simt: constants of a kernel compiled for CUDA were set on the executor");
  require_constants_fit(bytes, sizeof(typename K::constants), detail::kernel_name<K>());
  detail::check<K>(cudaMemcpyToSymbolAsync(detail::constants_of<K>, from, bytes, 0, cudaMemcpyDefault,
                                           static_cast<cudaStream_t>(q.cuda_stream())),
                   "constants");
}

/// How many blocks of the kernel can be resident at once: the largest cooperative grid. For the kernel's own block size
/// and storage the answer is kept: asking CUDA takes host time, and a sort of few keys waits for it.
template <class K>
unsigned resident_blocks(const queue& q, const launch_config& config = {}) {
  static std::atomic<unsigned> known[detail::max_devices];
  int a_multiprocessor = 0, multiprocessors = 0, device = 0;
  detail::check<K>(cudaGetDevice(&device), "current device");
  const bool kept = device < detail::max_devices && config.block == 0 && config.dynamic_shared == 0;
  if (const unsigned blocks = kept ? known[device].load(std::memory_order_relaxed) : 0)
    return blocks;
  detail::attributes a;
  const detail::entry_of<K> entry = detail::kernel_entry<K>;
  const cudaLaunchConfig_t c = detail::prepare<K>(entry, q, config, a);
  detail::check<K>(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_multiprocessor, entry, int(c.blockDim.x), c.dynamicSmemBytes),
      "occupancy");
  detail::check<K>(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
  const unsigned blocks = unsigned(a_multiprocessor) * unsigned(multiprocessors);
  if (kept)
    known[device].store(blocks, std::memory_order_relaxed);
  return blocks;
}

/// Whether the queue's device has the features that the kernel needs and the shared storage that it declares.
template <class K>
bool can_run(const queue&) {
  int device = 0, shared = 0;
  detail::check<K>(cudaGetDevice(&device), "current device");
  detail::check<K>(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "shared storage");
  const bool has_features = traits::needs<K>() == feature::none || detail::architecture<K>() >= 90;
  return has_features && (!has_shared<K> || sizeof(shared_storage<K>) <= std::size_t(shared));
}

#if defined(__CUDACC_RDC__)
/// From a kernel: a grid that nobody waits for but the end of the launch from the host. Needs relocatable device code.
template <class K>
SORTILE_DEVICE void launch_and_forget(const launch_config& c, const K& kernel) {
  detail::kernel_entry<K><<<dim3(c.grid.x, c.grid.y, c.grid.z), c.block ? c.block : K::block_threads,
                            detail::dynamic_offset<K> + c.dynamic_shared, cudaStreamFireAndForget>>>(kernel);
}
/// From a kernel: a grid that starts once this one and what it launched have ended.
template <class K>
SORTILE_DEVICE void launch_at_end(const launch_config& c, const K& kernel) {
  detail::kernel_entry<K><<<dim3(c.grid.x, c.grid.y, c.grid.z), c.block ? c.block : K::block_threads,
                            detail::dynamic_offset<K> + c.dynamic_shared, cudaStreamTailLaunch>>>(kernel);
}
#endif

} // namespace cuda_backend
} // namespace sortile::simt
