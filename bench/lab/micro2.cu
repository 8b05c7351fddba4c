// Laboratory: what launches cost with and without programmatic dependence, what a cluster's barrier and remote stores cost.
#include "common.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void plain(u32* p) { if (p && threadIdx.x == 9999) *p = 1; }
__global__ void dependent(u32* p) {
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (p && threadIdx.x == 9999) *p = 1;
}
template <class F> void launch(F f, int grid, int block, bool pdl, cudaStream_t s) {
  cudaLaunchConfig_t c{};
  c.gridDim = grid; c.blockDim = block; c.stream = s;
  cudaLaunchAttribute a;
  a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  a.val.programmaticStreamSerializationAllowed = 1;
  c.attrs = &a; c.numAttrs = pdl ? 1 : 0;
  CK(cudaLaunchKernelEx(&c, f, (u32*)nullptr));
}
__global__ void __launch_bounds__(1024, 1) cluster_sync(int rounds) {
  cg::cluster_group c = cg::this_cluster();
  for (int i = 0; i < rounds; i++) c.sync();
}
__global__ void __launch_bounds__(1024, 1) cluster_store(int rounds, u32* sink, int local) {
  extern __shared__ u32 s[];
  cg::cluster_group c = cg::this_cluster();
  c.sync();
  u32 x = u32(mix(blockIdx.x * 1024 + threadIdx.x));
  for (int i = 0; i < rounds; i++) {
    x = x * 1664525u + 1013904223u;
    u32 to = local ? c.block_rank() : x >> 28 & (c.num_blocks() - 1);
    *c.map_shared_rank(s + (x >> 10 & 32767), to) = x;
  }
  c.sync();
  if (s[threadIdx.x] == 0x12345678) *sink = 1;
}
__global__ void __launch_bounds__(1024, 1) cluster_atomic(int rounds, u32* sink) {
  extern __shared__ u32 s[];
  cg::cluster_group c = cg::this_cluster();
  c.sync();
  u32 x = u32(mix(blockIdx.x * 1024 + threadIdx.x)), sum = 0;
  for (int i = 0; i < rounds; i++) {
    x = x * 1664525u + 1013904223u;
    sum += atomicAdd(c.map_shared_rank(s + (x >> 10 & 4095), x >> 28 & (c.num_blocks() - 1)), 1u);
  }
  c.sync();
  if (sum == 0x12345678) *sink = 1;
}
template <class F, class... A> void launch_cluster(F f, int size, int clusters, int shared, A... a) {
  CK(cudaFuncSetAttribute(f, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  allow_shared(f, shared);
  cudaLaunchConfig_t c{};
  c.gridDim = size * clusters; c.blockDim = 1024; c.dynamicSmemBytes = shared;
  cudaLaunchAttribute at;
  at.id = cudaLaunchAttributeClusterDimension;
  at.val.clusterDim = {unsigned(size), 1, 1};
  c.attrs = &at; c.numAttrs = 1;
  CK(cudaLaunchKernelEx(&c, f, a...));
}
int main() {
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  u32* sink;
  CK(cudaMalloc(&sink, 4));
  auto timed = [&](auto body) {
    cudaEvent_t a, b;
    cudaEventCreate(&a); cudaEventCreate(&b);
    std::vector<float> t;
    for (int i = 0; i < 41; i++) {
      cudaStreamSynchronize(s);
      cudaEventRecord(a, s); body(); cudaEventRecord(b, s);
      cudaEventSynchronize(b);
      float ms; cudaEventElapsedTime(&ms, a, b);
      t.push_back(ms * 1000);
    }
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
  };
  for (int count : {1, 2, 4, 8}) for (int grid : {1, 132, 528}) {
    float p = timed([&] { for (int i = 0; i < count; i++) launch(plain, grid, 512, false, s); });
    float d = timed([&] { for (int i = 0; i < count; i++) launch(dependent, grid, 512, true, s); });
    auto graph = [&](auto f, bool pdl) {
      cudaGraph_t g; cudaGraphExec_t ge;
      CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
      for (int i = 0; i < count; i++) launch(f, grid, 512, pdl, s);
      CK(cudaStreamEndCapture(s, &g));
      CK(cudaGraphInstantiate(&ge, g, 0));
      float x = timed([&] { cudaGraphLaunch(ge, s); });
      cudaGraphExecDestroy(ge); cudaGraphDestroy(g);
      return x;
    };
    printf("launches,%d of %d blocks,plain %.2f us,dependent %.2f us,graph %.2f us,graph dependent %.2f us\n", count, grid, p, d, graph(plain, false), graph(dependent, true));
  }
  for (int size : {8, 16}) {
    auto t = [&](auto body) { return time_ms(body, 15) * 1000; };
    double e = t([&] { launch_cluster(cluster_sync, size, 1, 200 * 1024, 1); }), e1000 = t([&] { launch_cluster(cluster_sync, size, 1, 200 * 1024, 1001); });
    printf("cluster,%d blocks,launch with one barrier %.2f us,barrier %.3f us\n", size, e, (e1000 - e) / 1000);
    for (int clusters : {1, 7}) {
      double s0 = t([&] { launch_cluster(cluster_store, size, clusters, 131072, 1, sink, 0); }), s1 = t([&] { launch_cluster(cluster_store, size, clusters, 131072, 321, sink, 0); });
      double l1 = t([&] { launch_cluster(cluster_store, size, clusters, 131072, 321, sink, 1); });
      double a1 = t([&] { launch_cluster(cluster_atomic, size, clusters, 131072, 321, sink); });
      double words = 320.0 * 1024 * size * clusters;
      printf("cluster,%d blocks x %d,random remote store %.1f G words/s,local through map %.1f,remote atomicAdd return %.1f\n", size, clusters, words / (s1 - s0) / 1e3, words / (l1 - s0) / 1e3,
             words / (a1 - s0) / 1e3);
    }
  }
}
