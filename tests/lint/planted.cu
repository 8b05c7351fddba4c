// One finding of each kind, for the test of the lint; no build compiles this file. Lines to be found end in the mark.
__global__ void kernel(int* out) {                             // FIND
  __shared__ int tile[32];                                     // FIND
  int i = threadIdx.x + blockIdx.x * blockDim.x;               // FIND
  __syncthreads();                                             // FIND
  __syncwarp();                                                // FIND
  unsigned votes = __ballot_sync(0xffffffffu, i & 1);          // FIND
  unsigned peers = __match_any_sync(0xffffffffu, i);           // FIND
  int other = __shfl_xor_sync(0xffffffffu, i, 1);              // FIND
  int sum = __reduce_add_sync(0xffffffffu, i);                 // FIND
  atomicAdd(out, sum);                                         // FIND
  atomicCAS_system(out, 1, 2);                                 // FIND
  int cached = __ldg(out);                                     // FIND
  __stcs(out, cached);                                         // FIND
  __threadfence();                                             // FIND
  __nanosleep(20);                                             // FIND
  int ones = __popc(votes) + __clz(int(peers));                // FIND
  asm volatile("membar.gl;" ::: "memory");                     // FIND
  cuda::atomic_ref<int, cuda::thread_scope_device> a(*out);    // FIND
  cuda::std::atomic<int> b;                                    // FIND
  cooperative_groups::this_grid().sync();                      // FIND
  __activemask();                                              // FIND
  __trap();                                                    // FIND
  tile[0] = other + ones;
  asm __volatile__("membar.gl;" ::: "memory");                 // FIND
  asm volatile goto("" : : : : away);                          // FIND
  int joined = __funnelshift_l(i, other, 7);                   // FIND
  int dot = __dp4a(i, other, 0);                               // FIND
  int high = __umulhi(i, other);                               // FIND
  int bytes = __vcmpeq4(i, other);                             // FIND
  bool near = __isShared(out);                                 // FIND
  long long now = clock64();                                   // FIND
  long earlier = clock();                                      // FIND
  cudaGridDependencySynchronize();                             // FIND
  cudaTriggerProgrammaticLaunchCompletion();                   // FIND
  float fast = __fdividef(1.0f, __int_as_float(i));            // FIND
}
void launch(int* out) {
  kernel<<<1, 32>>>(out);                                      // FIND
}
__device__ int helper();                                       // FIND
__launch_bounds__(128)                                         // FIND
// Not code: __syncthreads() in a comment, threadIdx too.
/* and
   __shared__ here */
const char* text = "asm volatile and atomicAdd( in a string";
const char* raw = R"(__shfl_sync(
__ballot_sync()";
int my_threadIdx_count, atomicAddress, basm, my__popc, clock64_count;
using clock = std::chrono::steady_clock;
const auto start = clock::now();
const long processor_time = std::clock();
int host = __builtin_popcount(7) + int(sizeof(__int128));
