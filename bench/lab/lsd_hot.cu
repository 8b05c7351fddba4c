// Laboratory: LSD over all digits by chunk counts (one more read a pass), by distribution.
#include "lsd.cuh"
template <class W, int I, int G> void rows(const char* name) {
  size_t n = 1ull << 28;
  constexpr u32 BITS = 8 * sizeof(W);
  constexpr int T = 1024, shared = stable_hot_shared<W, T, I, G>();
  auto f = stable_hot<W, T, I, G, 1, false>;
  allow_shared(f, shared);
  W *in, *a, *b, *ref;
  for (W** p : {&in, &a, &b, &ref}) CK(cudaMalloc(p, n * sizeof(W) + 256));
  u32 *digit8, *start;
  int grid = multiprocessors();
  CK(cudaMalloc(&digit8, grid * 1024)); CK(cudaMalloc(&start, 1040));
  u32 chunk = u32((n + T * I - 1) / (T * I) + grid - 1) / grid * T * I;
  key_codec<W> codec{};
  codec.mask = ~W(0);
  cudaFuncAttributes at;
  CK(cudaFuncGetAttributes(&at, f));
  for (int d : {int(uniform), int(and3), int(zipfish), int(constant), int(range16), int(distinct16), int(one_big), int(sorted)}) {
    generate<<<2048, 256>>>(in, n, d, 7);
    size_t bytes = 0;
    CK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, ref, n));
    void* temp;
    CK(cudaMalloc(&temp, bytes));
    double cub = time_ms([&] { cub::DeviceRadixSort::SortKeys(temp, bytes, in, ref, n); }, 3);
    CK(cudaFree(temp));
    printf("lsd hot,u%u,I%d G%d regs %d local %zu,%s,cub %.3f ms", BITS, I, G, at.numRegs, at.localSizeBytes, dist_name[d], cub);
    double counts = 0, moves = 0;
    const W* from = in;
    for (u32 shift = 0; shift < BITS; shift += 8) {
      W* to = shift / 8 % 2 ? a : b;
      counts += time_ms([&] { digit_chunks<<<grid, 1024>>>(from, u32(n), chunk, digit8, codec, shift); }, 1);
      digit_starts<<<1, 256>>>(digit8, start, grid);
      double m = time_ms([&] { f<<<grid, T, shared>>>(from, to, u32(n), chunk, start, start, digit8, digit8, codec, shift); }, 1);
      moves += m;
      printf(",%.3f", m);
      from = to;
    }
    printf(",moves %.3f ms (counts %.3f),%s\n", moves, counts, mismatches(from, (const W*)ref, n) ? "DIFFER" : "EQUAL");
    fflush(stdout);
  }
  cudaFree(in); cudaFree(a); cudaFree(b); cudaFree(ref);
}
int main() {
#if WIDTH == 32
  rows<u32, 10, 8>("u32"); rows<u32, 9, 8>("u32");
#else
  rows<u64, 6, 4>("u64");
#endif
}
