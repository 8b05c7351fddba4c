// Laboratory: variants of every step for keys alone, each against the whole pipeline's check.
#include "keys.cuh"

template <class W> struct bench {
  size_t n;
  W *in, *a, *b, *ref, *differ;
  u32 *count, *over;
  tables* t;
  key_codec<W> codec{};
  double cub_ms;
  static constexpr u32 BITS = 8 * sizeof(W);
  bench(size_t n) : n(n) {
    for (W** p : {&in, &a, &b, &ref}) CK(cudaMalloc(p, n * sizeof(W) + 256));
    CK(cudaMalloc(&differ, sizeof(W)));
    CK(cudaMalloc(&count, 65536 * 4)); CK(cudaMalloc(&over, 65538 * 4)); CK(cudaMalloc(&t, sizeof(tables)));
    codec.mask = ~W(0); codec.bits = BITS;
  }
  ~bench() { for (void* p : {(void*)in, (void*)a, (void*)b, (void*)ref, (void*)differ, (void*)count, (void*)over, (void*)t}) cudaFree(p); }
  void input(int d) {
    generate<<<2048, 256>>>(in, n, d, 7);
    size_t bytes = 0;
    W* r = ref;
    CK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, r, n));
    void* temp;
    CK(cudaMalloc(&temp, bytes));
    cub_ms = time_ms([&] { cub::DeviceRadixSort::SortKeys(temp, bytes, in, r, n); }, 5);
    CK(cudaFree(temp));
    printf("cub,u%u,%s,n %zu,%.3f ms\n", BITS, dist_name[d], n, cub_ms);
  }
  u32 tile1 = 8192, tile2 = 8192;
  template <int T, int U> double do_look() {
    allow_shared(look<W, T, U>, 131072);
    auto f = [&] { cudaMemsetAsync(count, 0, 65536 * 4); look<W, T, U><<<multiprocessors(), T, 131072>>>(in, n, count, differ, codec, BITS - 16); };
    double ms = time_ms(f);
    printf("look,u%u,T%d U%d,%.3f ms,%.0f GB/s\n", BITS, T, U, ms, n * sizeof(W) / ms / 1e6);
    return ms;
  }
  void do_tables() { make_tables<<<1, 1024>>>(count, t, u32(n), tile1, tile2, 16 / sizeof(W)); }
  template <int T, int I, int MINB, int STAGES> std::function<void()> part(int level) {
    constexpr int shared = partition_shared<W, T, I, STAGES>();
    auto f = partition<W, T, I, MINB, STAGES>;
    allow_shared(f, shared);
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, shared));
    int grid = blocks * multiprocessors();
    (level == 1 ? tile1 : tile2) = T * I;
    return [=, this] {
      if (level == 1) f<<<grid, T, shared>>>(in, a, t->seg1, t->tile1, 1, t->next8, codec, BITS - 8);
      else f<<<grid, T, shared>>>(a, b, t->seg2, t->tile2, 256, t->next16, codec, BITS - 16);
    };
  }
  template <int T, int I, int MINB, int STAGES> void row_part() {
    auto f1 = part<T, I, MINB, STAGES>(1), f2 = part<T, I, MINB, STAGES>(2);
    auto f = partition<W, T, I, MINB, STAGES>;
    cudaFuncAttributes at;
    CK(cudaFuncGetAttributes(&at, f));
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, partition_shared<W, T, I, STAGES>()));
    double m1 = time_ms(f1, 5, [&] { do_tables(); }), m2 = time_ms(f2, 5, [&] { do_tables(); });
    printf("partition,u%u,T%d I%d stages %d,blocks %d,regs %d local %zu,p1 %.3f ms %.0f GB/s,p2 %.3f ms %.0f GB/s\n", BITS, T, I, STAGES, blocks,
           at.numRegs, at.localSizeBytes, m1, 2.0 * n * sizeof(W) / m1 / 1e6, m2, 2.0 * n * sizeof(W) / m2 / 1e6);
    fflush(stdout);
  }
  template <int T, int I, int WORDS, int MINB, bool PERSIST> std::function<void()> local() {
    constexpr int shared = local_shared<W, T, I, WORDS>();
    auto f = local_sort<W, T, I, WORDS, MINB, PERSIST>;
    allow_shared(f, shared);
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, shared));
    int grid = PERSIST ? blocks * multiprocessors() : 65536;
    return [=, this] { f<<<grid, T, shared>>>(b, a, t->start16, 65536, codec, BITS - 16, over); };
  }
  template <int T, int I, int WORDS, int MINB, bool PERSIST> void row_local() {
    auto l = local<T, I, WORDS, MINB, PERSIST>();
    auto f = local_sort<W, T, I, WORDS, MINB, PERSIST>;
    cudaFuncAttributes at;
    CK(cudaFuncGetAttributes(&at, f));
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, local_shared<W, T, I, WORDS>()));
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
    printf("local,u%u,T%d I%d words %d,%s,blocks %d,regs %d local %zu,%.3f ms,%.0f GB/s,%s (%llu wrong),left %u too large %u,fallback %.3f ms\n", BITS, T, I, WORDS,
           PERSIST ? "persistent" : "block a bucket", blocks, at.numRegs, at.localSizeBytes, ms, 2.0 * n * sizeof(W) / ms / 1e6, bad ? "DIFFER" : "EQUAL", bad,
           o[0], o[1] / 2, fall);
    fflush(stdout);
  }
  // leaves the second partition's output in b
  template <int T, int I, int MINB, int STAGES> void prepare() {
    auto f1 = part<T, I, MINB, STAGES>(1), f2 = part<T, I, MINB, STAGES>(2);
    do_tables(); f1(); f2();
    CK(cudaDeviceSynchronize());
  }
};

int main() {
  size_t n = 1ull << 28;
  {
    bench<u32> x(n);
    x.input(uniform);
    x.do_look<1024, 4>(); x.do_look<1024, 2>(); x.do_look<512, 4>();
    x.row_part<512, 16, 2, 0>(); x.row_part<512, 16, 3, 0>(); x.row_part<384, 16, 4, 0>(); x.row_part<1024, 16, 1, 0>(); x.row_part<512, 24, 2, 0>();
    x.row_part<512, 16, 3, 1>(); x.row_part<512, 16, 2, 2>(); x.row_part<512, 16, 3, 2>(); x.row_part<1024, 16, 1, 2>(); x.row_part<512, 24, 2, 2>();
    x.row_part<256, 32, 3, 2>(); x.row_part<384, 16, 4, 2>(); x.row_part<1024, 8, 2, 2>();
    x.prepare<512, 16, 2, 2>();
    x.row_local<512, 9, 4096, 3, false>(); x.row_local<512, 9, 4096, 4, false>(); x.row_local<512, 9, 4096, 3, true>(); x.row_local<512, 9, 4096, 4, true>();
    x.row_local<256, 18, 4096, 6, false>(); x.row_local<256, 18, 4096, 6, true>(); x.row_local<1024, 5, 4096, 2, true>(); x.row_local<512, 9, 8192, 3, true>();
    x.row_local<512, 9, 2048, 4, true>();
  }
  {
    bench<u64> x(n);
    x.input(uniform);
    x.do_look<1024, 4>(); x.do_look<1024, 2>();
    x.row_part<512, 8, 3, 0>(); x.row_part<512, 16, 2, 0>(); x.row_part<512, 12, 2, 0>(); x.row_part<1024, 12, 1, 0>(); x.row_part<384, 16, 3, 0>();
    x.row_part<512, 8, 3, 1>(); x.row_part<512, 8, 3, 2>(); x.row_part<512, 12, 2, 2>(); x.row_part<1024, 12, 1, 2>(); x.row_part<512, 8, 2, 2>(); x.row_part<512, 16, 1, 2>();
    x.prepare<512, 12, 2, 2>();
    x.row_local<512, 9, 4096, 2, false>(); x.row_local<512, 9, 4096, 3, false>(); x.row_local<512, 9, 4096, 2, true>(); x.row_local<512, 9, 4096, 3, true>();
    x.row_local<1024, 5, 4096, 2, true>(); x.row_local<1024, 5, 4096, 2, false>(); x.row_local<512, 9, 8192, 3, true>(); x.row_local<256, 18, 4096, 5, true>();
  }
  {
    bench<u128> x(n);
    x.input(uniform);
    x.do_look<1024, 2>();
    x.row_part<512, 8, 2, 0>(); x.row_part<1024, 8, 1, 0>(); x.row_part<512, 8, 1, 2>(); x.row_part<512, 4, 3, 2>(); x.row_part<512, 6, 2, 2>();
    x.prepare<512, 8, 2, 0>();
    x.row_local<512, 9, 4096, 2, false>(); x.row_local<512, 9, 4096, 2, true>(); x.row_local<1024, 5, 4096, 1, true>();
  }
}
