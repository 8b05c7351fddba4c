// The dialect under nvcc: bulk asynchronous copies (cp.async.bulk) and the mbarrier that tells of their arrival; sm_90.
#pragma once

#include "simt/cuda/memory.hpp"
#include "simt/cuda/sync.hpp"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define SORTILE_SM_90(...) __VA_ARGS__
#else
#define SORTILE_SM_90(...) __trap()
#endif

namespace sortile::simt {
inline namespace cuda_backend {

namespace detail {
SORTILE_DEVICE std::uint32_t shared_address(const void* p) {
  return std::uint32_t(__cvta_generic_to_shared(p));
}
} // namespace detail

class transfer_barrier {
 public:
  SORTILE_DEVICE void init(unsigned arrivals) {
    SORTILE_SM_90(asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(here()), "r"(arrivals)
                               : "memory");
                  asm volatile("fence.mbarrier_init.release.cluster;" ::
                                   : "memory"));
  }
  SORTILE_DEVICE void arrive() {
    SORTILE_SM_90(
        asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared::cta.b64 state, [%0];\n\t}" ::"r"(here())
                     : "memory"));
  }
  SORTILE_DEVICE void arrive_expect(std::uint32_t bytes) {
    SORTILE_SM_90(asm volatile(
        "{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n\t}" ::"r"(here()),
        "r"(bytes)
        : "memory"));
  }
  SORTILE_DEVICE void wait(unsigned parity) {
    while (!test(parity))
      ;
  }

  SORTILE_DEVICE std::uint32_t here() { return detail::shared_address(&state_); }

 private:
  SORTILE_DEVICE bool test(unsigned parity) {
    std::uint32_t done = 0;
    SORTILE_SM_90(asm volatile("{\n\t.reg .pred done;\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
                               "selp.u32 %0, 1, 0, done;\n\t}"
                               : "=r"(done)
                               : "r"(here()), "r"(parity)
                               : "memory"));
    return done != 0;
  }
  std::uint64_t state_;
};

template <class T, class Shared, class I, class J>
SORTILE_DEVICE void bulk_load(const Shared& to, I to_index, global<T> from, J from_index, std::uint32_t count,
                              transfer_barrier& b) {
  SORTILE_SM_90(asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          detail::shared_address(to.data() + to_index)),
      "l"(__cvta_generic_to_global(from.data() + from_index)), "r"(std::uint32_t(count * sizeof(T))), "r"(b.here())
      : "memory"));
}
template <class T, class Shared, class I, class J>
SORTILE_DEVICE void bulk_store(global<T> to, I to_index, const Shared& from, J from_index, std::uint32_t count) {
  SORTILE_SM_90(asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                                 __cvta_generic_to_global(to.data() + to_index)),
                             "r"(detail::shared_address(from.data() + from_index)),
                             "r"(std::uint32_t(count * sizeof(T)))
                             : "memory"));
}
SORTILE_DEVICE void bulk_fence() {
  SORTILE_SM_90(asm volatile("fence.proxy.async.shared::cta;" ::: "memory"));
}
SORTILE_DEVICE void bulk_commit() {
  SORTILE_SM_90(asm volatile("cp.async.bulk.commit_group;" ::: "memory"));
}
template <unsigned Left = 0>
SORTILE_DEVICE void bulk_wait() {
  SORTILE_SM_90(asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Left) : "memory"));
}
template <unsigned Left = 0>
SORTILE_DEVICE void bulk_wait_read() {
  SORTILE_SM_90(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory"));
}

} // namespace cuda_backend
} // namespace sortile::simt

#undef SORTILE_SM_90
