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
int my_threadIdx_count, atomicAddress, basm;
