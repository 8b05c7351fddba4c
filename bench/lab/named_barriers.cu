// Does racecheck understand bar.arrive? One producer warp, three consumers, a box of 32 words handed over and back.
#include <cstdio>
#include <cuda_runtime.h>
#define SYNC(id, n) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory")
#define ARRIVE(id, n) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory")
#define SYNC_U(id, n) asm volatile("barrier.cta.sync %0, %1;" ::"r"(id), "r"(n) : "memory")
#define ARRIVE_U(id, n) asm volatile("barrier.cta.arrive %0, %1;" ::"r"(id), "r"(n) : "memory")
__device__ __forceinline__ unsigned at(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void m_init(unsigned long long* b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(b)), "r"(n) : "memory"); }
__device__ __forceinline__ void m_arrive(unsigned long long* b) {
  asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%0];\n}" ::"r"(at(b)) : "memory");
}
__device__ __forceinline__ void m_wait(unsigned long long* b, unsigned parity) {
  unsigned done;
  do {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
  } while (!done);
}
// The same with mbarriers. MODE 8: every thread arrives and waits for itself. 9: lane 0 arrives for its warp. 10: lane 0 waits for its warp.
template <int MODE> __global__ void handover_m(unsigned* to) {
  __shared__ unsigned box[32];
  __shared__ unsigned long long full, empty;
  const unsigned i = threadIdx.x, lane = i % 32;
  const unsigned a_warp = MODE == 9 ? 1 : 32;
  if (i == 0) m_init(&full, a_warp), m_init(&empty, 3 * a_warp);
  __syncthreads();
  auto arrive = [&](unsigned long long* b) {
    if (MODE == 9) {
      __syncwarp();
      if (lane == 0) m_arrive(b);
    } else m_arrive(b);
  };
  auto wait = [&](unsigned long long* b, unsigned parity) {
    if (MODE == 10) {
      if (lane == 0) m_wait(b, parity);
      __syncwarp();
    } else m_wait(b, parity);
  };
  unsigned sum = 0;
  for (unsigned round = 0; round < 5; ++round) {
    if (i / 32 == 0) {
      box[i] = round * 100 + i;
      arrive(&full);
      wait(&empty, round & 1);
    } else {
      wait(&full, round & 1);
      sum += *(volatile unsigned*)&box[lane];
      arrive(&empty);
    }
  }
  if (i >= 32) to[i - 32] = sum;
}
template <int MODE> __global__ void handover(unsigned* to) {
  __shared__ unsigned box[32];
  const unsigned i = threadIdx.x;
  unsigned sum = 0;
  for (unsigned round = 0; round < 5; ++round) {
    if (i / 32 == 0) {
      box[i] = round * 100 + i;
      if (MODE == 0) { ARRIVE(1, 128); SYNC(2, 128); }        // the test, by bar.
      if (MODE == 1) { ARRIVE_U(1, 128); SYNC_U(2, 128); }    // the test, by barrier.cta
      if (MODE == 2) { SYNC(1, 128); SYNC(2, 128); }          // sync on both sides
      if (MODE == 3) { ARRIVE(1, 128); SYNC(2, 128); __syncthreads(); } // a block barrier on top
      if (MODE == 4) { ARRIVE(1, 128); }                      // a real race: nobody waits for the readers
      if (MODE == 5) { ARRIVE(1 + round % 2 * 2, 128); SYNC(2 + round % 2 * 2, 128); } // barriers in turn
      if (MODE == 6) { SYNC(1, 128); SYNC(2, 128); }          // consumers arrive only
      if (MODE == 7) { ARRIVE(1, 128); SYNC(2, 128); }        // producer arrives, consumers sync twice
    } else {
      if (MODE == 5) SYNC(1 + round % 2 * 2, 128); else if (MODE == 1) SYNC_U(1, 128); else SYNC(1, 128);
      sum += *(volatile unsigned*)&box[i % 32];
      if (MODE == 0 || MODE == 3 || MODE == 6) ARRIVE(2, 128);
      if (MODE == 1) ARRIVE_U(2, 128);
      if (MODE == 2 || MODE == 7) SYNC(2, 128);
      if (MODE == 5) ARRIVE(2 + round % 2 * 2, 128);
      if (MODE == 3) __syncthreads();
    }
  }
  if (i >= 32) to[i - 32] = sum;
}
int main(int argc, char** argv) {
  unsigned* to; cudaMalloc(&to, 96 * 4);
  int mode = argc > 1 ? atoi(argv[1]) : 0, bad = 0;
  for (int again = 0; again < 3; ++again) {
    switch (mode) {
    case 0: handover<0><<<1, 128>>>(to); break; case 1: handover<1><<<1, 128>>>(to); break;
    case 2: handover<2><<<1, 128>>>(to); break; case 3: handover<3><<<1, 128>>>(to); break;
    case 4: handover<4><<<1, 128>>>(to); break; case 5: handover<5><<<1, 128>>>(to); break;
    case 8: handover_m<8><<<1, 128>>>(to); break; case 9: handover_m<9><<<1, 128>>>(to); break; case 10: handover_m<10><<<1, 128>>>(to); break;
    case 6: handover<6><<<1, 128>>>(to); break; case 7: handover<7><<<1, 128>>>(to); break;
    }
    unsigned h[96]; cudaMemcpy(h, to, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 96; ++i) bad += h[i] != 1000 + 5u * (i % 32);
  }
  printf("mode %d: %d wrong, %s\n", mode, bad, cudaGetErrorString(cudaGetLastError()));
}
