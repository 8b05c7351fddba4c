// Laboratory: what the instructions of a radix partition cost on one multiprocessor, and what write patterns cost in memory.
#include "common.cuh"

// One row = one warp instruction with 32 random addresses; prints multiprocessor clocks a row (at 1.755 GHz).
enum op { atom_return, atom_count, atom_add_plain, atom_or_return, load32, load64, store16, store32, store64, match_rows, ballot_rows, op_count };
const char* op_name[] = {"atomicAdd return", "atomicAdd(1) no return", "atomicAdd(x) no return", "atomicOr return", "load32", "load64",
                         "store16", "store32", "store64", "match_any 8 bits", "8 ballots"};
template <int OP> __global__ __launch_bounds__(512) void rows(u32* sink, int rounds, u32 mask) {
  extern __shared__ u32 s[];
  for (int i = threadIdx.x; i < 8192; i += 512) s[i] = 0;
  __syncthreads();
  u32 x = static_cast<u32>(mix(blockIdx.x * 512 + threadIdx.x)), sum = 0;
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (int j = 0; j < 8; j++) {
      x = x * 1664525u + 1013904223u;
      u32 a = (x >> 15) & mask;
      if constexpr (OP == atom_return) sum += atomicAdd(&s[a], 1u);
      if constexpr (OP == atom_count) atomicAdd(&s[a], 1u);
      if constexpr (OP == atom_add_plain) atomicAdd(&s[a], 1u << (x & 28));
      if constexpr (OP == atom_or_return) sum += atomicOr(&s[a], 1u << (x & 31));
      if constexpr (OP == load32) sum += s[a];
      if constexpr (OP == load64) { u64 v = reinterpret_cast<u64*>(s)[a]; sum += u32(v) ^ u32(v >> 32); }
      if constexpr (OP == store16) reinterpret_cast<volatile u16*>(s)[a] = u16(x);
      if constexpr (OP == store32) reinterpret_cast<volatile u32*>(s)[a] = x;
      if constexpr (OP == store64) reinterpret_cast<volatile u64*>(s)[a] = x;
      if constexpr (OP == match_rows) sum += __match_any_sync(~0u, a & 255);
      if constexpr (OP == ballot_rows) {
        u32 m = ~0u;
#pragma unroll
        for (int b = 0; b < 8; b++) { u32 v = __ballot_sync(~0u, a >> b & 1); m &= (a >> b & 1) ? v : ~v; }
        sum += m;
      }
    }
  }
  __syncthreads();
  if (sum == 0x1234567) *sink = s[threadIdx.x];
}
template <int OP> void rows_row(u32* sink, u32 mask) {
  allow_shared(rows<OP>, 32768 * 2);
  int rounds = 200;
  double ms = time_ms([&] { rows<OP><<<multiprocessors() * 3, 512, 65536>>>(sink, rounds, mask); }, 3);
  printf("row,%s,addresses %u,%.2f clocks\n", op_name[OP], mask + 1, ms * 1e-3 * 1.755e9 / (3.0 * 16 * 8 * rounds));
}

// Write pattern of a partition without its work: every tile of 256 runs goes to 256 streams.
template <class K, int I> __global__ __launch_bounds__(512, 3) void scatter(const K* in, K* out, int tiles, int log_run, int owned, int skew) {
  size_t bucket = size_t(tiles) << log_run;
  int per = (tiles + gridDim.x - 1) / gridDim.x;
  for (int j = 0; j < per; j++) {
    int tile = owned ? blockIdx.x * per + j : blockIdx.x + j * gridDim.x;
    if (tile >= tiles) break;
    K k[I];
    size_t base = size_t(tile) << (log_run + 8);
#pragma unroll
    for (int i = 0; i < I; i++) k[i] = in[base + i * 512 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < I; i++) {
      u32 p = i * 512 + threadIdx.x, q = p >> log_run, o = p & ((1u << log_run) - 1);
      out[q * bucket + (size_t(tile) << log_run) + o + (q & skew)] = k[i];
    }
  }
}
template <class K, int I> void scatter_row(const K* in, K* out, int bytes_log) {
  int log_run = __builtin_ctz(I * 512 / 256);
  int tiles = (int)((size_t(1) << bytes_log) / sizeof(K) / (I * 512));
  for (int owned = 0; owned < 2; owned++)
    for (int skew : {0, 7}) for (int g : {3, 0}) {
      int grid = g ? multiprocessors() * g : tiles;
      if (owned && !g) continue;
      double ms = time_ms([&] { scatter<K, I><<<grid, 512>>>(in, out, tiles, log_run, owned, skew); }, 5);
      printf("scatter,key %zu B,run %zu B,%s,%s,%s,%.0f GB/s\n", sizeof(K), sizeof(K) << log_run, owned ? "owned chunks" : "tile order",
             skew ? "misaligned" : "aligned", g ? "persistent" : "one block a tile", 2.0 * (size_t(1) << bytes_log) / ms / 1e6);
    }
}
__global__ void empty_kernel() {}

int main() {
  u32* sink;
  CK(cudaMalloc(&sink, 4));
  for (u32 m : {255u, 4095u}) {
    rows_row<atom_return>(sink, m); rows_row<atom_count>(sink, m); rows_row<atom_add_plain>(sink, m); rows_row<atom_or_return>(sink, m);
    rows_row<load32>(sink, m); rows_row<load64>(sink, m); rows_row<store16>(sink, m); rows_row<store32>(sink, m); rows_row<store64>(sink, m);
  }
  rows_row<atom_return>(sink, 0); rows_row<atom_count>(sink, 0);
  rows_row<match_rows>(sink, 255); rows_row<ballot_rows>(sink, 255);
  char *a, *b;
  CK(cudaMalloc(&a, (2ull << 30) + 4096));
  CK(cudaMalloc(&b, (2ull << 30) + 4096));
  generate<<<1024, 256>>>(reinterpret_cast<u64*>(a), (2ull << 30) / 8, uniform, 1);
  double ms = time_ms([&] { cudaMemcpyAsync(b, a, 2ull << 30, cudaMemcpyDeviceToDevice); });
  printf("copy,%.0f GB/s\n", 2.0 * (2ull << 30) / ms / 1e6);
  scatter_row<u32, 8>((u32*)a, (u32*)b, 30); scatter_row<u32, 16>((u32*)a, (u32*)b, 30); scatter_row<u32, 32>((u32*)a, (u32*)b, 30);
  scatter_row<u64, 8>((u64*)a, (u64*)b, 31); scatter_row<u64, 16>((u64*)a, (u64*)b, 31);
}
