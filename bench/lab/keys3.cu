// Laboratory: the third design's variants for keys alone.
#include "keys3.cuh"
#include <cstring>

template <class W> struct bench {
  size_t n;
  W *in, *a, *b, *ref, *differ;
  u32 *count, *over, *rings;
  tables* t;
  key_codec<W> codec{};
  double cub_ms;
  static constexpr u32 BITS = 8 * sizeof(W);
  bench(size_t n) : n(n) {
    for (W** p : {&in, &a, &b, &ref}) CK(cudaMalloc(p, n * sizeof(W) + 256));
    CK(cudaMalloc(&differ, sizeof(W)));
    CK(cudaMalloc(&count, 65536 * 4)); CK(cudaMalloc(&over, 65538 * 4)); CK(cudaMalloc(&t, sizeof(tables))); CK(cudaMalloc(&rings, 65536 * 3 * 4));
    codec.mask = ~W(0); codec.bits = BITS;
  }
  ~bench() { for (void* p : {(void*)in, (void*)a, (void*)b, (void*)ref, (void*)differ, (void*)count, (void*)over, (void*)t, (void*)rings}) cudaFree(p); }
  void input(int d) {
    generate<<<2048, 256>>>(in, n, d, 7);
    size_t bytes = 0;
    CK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, ref, n));
    void* temp;
    CK(cudaMalloc(&temp, bytes));
    cub_ms = time_ms([&] { cub::DeviceRadixSort::SortKeys(temp, bytes, in, ref, n); }, 5);
    CK(cudaFree(temp));
    printf("cub,u%u,%s,n %zu,%.3f ms\n", BITS, dist_name[d], n, cub_ms);
  }
  u32 tile = 0, granule = 0;
  void do_look() {
    allow_shared(look<W, 1024, 2>, 131072);
    cudaMemsetAsync(count, 0, 65536 * 4);
    look<W, 1024, 2><<<multiprocessors(), 1024, 131072>>>(in, n, count, differ, codec, BITS - 16);
  }
  void do_tables() {
    make_tables<<<1, 1024>>>(count, t, u32(n), tile, tile, 16 / sizeof(W));
    start_rings<<<1, 256>>>(t->seg2, t->next8, rings + 131072, 256, 1, granule);
    start_rings<<<64, 1024>>>(t->start16, t->next16, rings, 65536, 1, granule);
  }
  template <int T, int NV, int MINB, int G> std::function<void()> part(int level, u32 chunk = 0) {
    constexpr int shared = partition2_shared<W, T, NV, G>();
    auto f = partition3<W, T, NV, MINB, G>;
    allow_shared(f, shared);
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, shared));
    int grid = blocks * multiprocessors();
    tile = T * NV * 16 / sizeof(W);
    granule = G;
    if (!chunk) chunk = u32((n + tile - 1) / tile + 256 * (level == 2) + grid - 1) / grid;
    return [=, this] {
      if (level == 1) f<<<grid, T, shared>>>(in, a, t->seg1, t->tile1, 1, t->seg2, t->next8, rings + 131072, codec, BITS - 8, chunk);
      else f<<<grid, T, shared>>>(a, b, t->seg2, t->tile2, 256, t->start16, t->next16, rings, codec, BITS - 16, chunk);
    };
  }
  template <int T, int NV, int MINB, int G> void row_part() {
    auto f = partition3<W, T, NV, MINB, G>;
    cudaFuncAttributes at;
    CK(cudaFuncGetAttributes(&at, f));
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, partition2_shared<W, T, NV, G>()));
    printf("partition3,u%u,T%d NV%d G%d,blocks %d,regs %d local %zu", BITS, T, NV, G, blocks, at.numRegs, at.localSizeBytes);
    for (u32 chunk : {0u, 1u, 4u, 16u}) {
      auto f1 = part<T, NV, MINB, G>(1, chunk), f2 = part<T, NV, MINB, G>(2, chunk);
      double m1 = time_ms(f1, 5, [&] { do_tables(); }), m2 = time_ms(f2, 5, [&] { do_tables(); });
      printf(",chunk %u: p1 %.3f ms %.0f GB/s p2 %.3f ms %.0f GB/s", chunk, m1, 2.0 * n * sizeof(W) / m1 / 1e6, m2, 2.0 * n * sizeof(W) / m2 / 1e6);
    }
    printf("\n");
    fflush(stdout);
  }
  template <int T, int NV, int WORDS, int MINB> std::function<void()> local() {
    constexpr int shared = local3_shared<W, T, NV, WORDS>();
    auto f = local_sort3<W, T, NV, WORDS, MINB>;
    allow_shared(f, shared);
    return [=, this] { f<<<65536, T, shared>>>(b, a, t->start16, codec, BITS - 16, over); };
  }
  template <int T, int NV, int WORDS, int MINB> void row_local() {
    auto l = local<T, NV, WORDS, MINB>();
    auto f = local_sort3<W, T, NV, WORDS, MINB>;
    cudaFuncAttributes at;
    CK(cudaFuncGetAttributes(&at, f));
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, local3_shared<W, T, NV, WORDS>()));
    CK(cudaMemset(a, 0xee, n * sizeof(W)));
    double ms = time_ms(l, 5, [&] { cudaMemset(over, 0, 4); });
    u32 o[2];
    CK(cudaMemcpy(o, over, 4, cudaMemcpyDeviceToHost));
    CK(cudaMemset(over + 65537, 0, 4));
    constexpr int cap = 8192 * (sizeof(W) == 4 ? 2 : 1);
    allow_shared(local_fallback<W, 1024, cap>, cap * sizeof(W));
    double fall = time_ms([&] { local_fallback<W, 1024, cap><<<multiprocessors(), 1024, cap * sizeof(W)>>>(b, a, t->start16, codec, over, over + 65537); }, 1);
    CK(cudaMemcpy(o + 1, over + 65537, 4, cudaMemcpyDeviceToHost));
    u64 bad = mismatches(a, ref, n);
    printf("local3,u%u,T%d NV%d words %d,blocks %d,regs %d local %zu,%.3f ms,%.0f GB/s,%s (%llu wrong),left %u too large %u,fallback %.3f ms\n", BITS, T, NV, WORDS,
           blocks, at.numRegs, at.localSizeBytes, ms, 2.0 * n * sizeof(W) / ms / 1e6, bad ? "DIFFER" : "EQUAL", bad, o[0], o[1] / 2, fall);
    fflush(stdout);
  }
};

int main(int argc, char**) {
  size_t n = 1ull << 28;
  bool profile = argc > 1;
  {
    bench<u32> x(n);
    x.input(uniform);
    x.do_look();
    if (profile) {
      auto f1 = x.part<512, 4, 2, 8>(1), f2 = x.part<512, 4, 2, 8>(2);
      x.do_tables(); f1(); f2();
      cudaMemset(x.over, 0, 4);
      x.local<256, 5, 4096, 5>()();
      x.local<512, 3, 4096, 4>()();
      CK(cudaDeviceSynchronize());
      return 0;
    }
    x.row_part<1024, 4, 1, 8>(); x.row_part<512, 4, 2, 8>(); x.row_part<512, 4, 3, 8>(); x.row_part<512, 6, 2, 8>(); x.row_part<512, 4, 2, 16>(); x.row_part<1024, 6, 1, 8>();
    x.row_part<256, 6, 4, 8>(); x.row_part<512, 5, 2, 8>();
    x.row_local<512, 3, 4096, 4>(); x.row_local<512, 3, 4096, 3>(); x.row_local<512, 3, 2048, 4>(); x.row_local<256, 5, 4096, 5>(); x.row_local<256, 5, 4096, 6>();
    x.row_local<256, 5, 2048, 6>(); x.row_local<256, 5, 2048, 7>();
  }
  {
    bench<u64> x(n);
    x.input(uniform);
    x.do_look();
    x.row_part<1024, 6, 1, 4>(); x.row_part<1024, 6, 1, 8>(); x.row_part<1024, 4, 1, 4>(); x.row_part<512, 6, 2, 4>(); x.row_part<512, 8, 2, 4>(); x.row_part<512, 4, 3, 4>();
    x.row_local<512, 5, 4096, 3>(); x.row_local<512, 5, 2048, 3>(); x.row_local<256, 9, 2048, 5>(); x.row_local<256, 9, 4096, 4>(); x.row_local<1024, 3, 4096, 2>();
  }
  {
    bench<u128> x(n);
    x.input(uniform);
    x.do_look();
    x.row_part<1024, 8, 1, 4>();
    x.row_local<512, 9, 4096, 2>(); x.row_local<512, 9, 2048, 2>();
  }
}
