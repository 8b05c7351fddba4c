// Laboratory: stable sort of pairs, third design, against cub::DeviceRadixSort::SortPairs.
#include "pairs3.cuh"
#include "sort.cuh"

template <class K, class X> struct bench {
  size_t n;
  K *in, *a, *b, *ref;
  X *vin, *va, *vb, *vref;
  u32 *count, *over, *histogram, *digit8, *rings;
  tables* t;
  key_codec<K> codec{};
  static constexpr u32 BITS = 8 * sizeof(K);
  int grid = multiprocessors();
  size_t chunk = 0;
  double cub_ms = 0;
  bench(size_t n) : n(n) {
    CK(cudaMalloc(&rings, (512 + 131072) * 4));
    for (K** p : {&in, &a, &b, &ref}) CK(cudaMalloc(p, n * sizeof(K) + 256));
    for (X** p : {&vin, &va, &vb, &vref}) CK(cudaMalloc(p, n * sizeof(X) + 256));
    CK(cudaMalloc(&count, 65536 * 4)); CK(cudaMalloc(&over, 65538 * 4)); CK(cudaMalloc(&t, sizeof(tables)));
    CK(cudaMalloc(&histogram, size_t(3 * grid) * 65536 * 4)); CK(cudaMalloc(&digit8, 3 * grid * 256 * 4));
    codec.mask = ~K(0); codec.bits = BITS;
  }
  ~bench() { for (void* p : {(void*)in, (void*)a, (void*)b, (void*)ref, (void*)vin, (void*)va, (void*)vb, (void*)vref, (void*)count, (void*)over, (void*)t, (void*)histogram, (void*)digit8}) cudaFree(p); }
  void input(int d) {
    generate<<<2048, 256>>>(in, n, d, 7);
    iota_values<<<2048, 256>>>(vin, n);
    size_t bytes = 0;
    CK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, in, ref, vin, vref, n));
    void* temp;
    CK(cudaMalloc(&temp, bytes));
    double ms = cub_ms = time_ms([&] { cub::DeviceRadixSort::SortPairs(temp, bytes, in, ref, vin, vref, n); }, 5);
    CK(cudaFree(temp));
    printf("cub,u%u+u%zu,%s,n %zu,%.3f ms,temp %.1f MB\n", BITS, 8 * sizeof(X), dist_name[d], n, ms, bytes / 1e6);
  }
  void do_look() {
    allow_shared(look_chunks<K, 1024, 2>, 131072);
    cudaMemsetAsync(histogram, 0, size_t(grid) * 65536 * 4);
    cudaMemsetAsync(digit8, 0, grid * 256 * 4);
    look_chunks<K, 1024, 2><<<grid, 1024, 131072>>>(in, n, chunk, histogram, digit8, codec, BITS - 16);
  }
  void do_tables() {
    sum_columns<<<257, 256>>>(histogram, digit8, count, grid);
    make_starts<<<64, 1024>>>(count, t, rings, rings + 256, rings + 512, rings + 66048, u32(n), 8);
  }
  template <int I, int G> void rows_partition1() {
    constexpr int T = 1024, TILE = T * I, shared = stable1p_shared<K, X, T, I, G>();
    auto f1 = stable_partition1p<K, X, T, I, G, 1, false>;
    auto f2 = stable_partition1p<K, X, T, I, G, 2, false>;
    allow_shared(f1, shared); allow_shared(f2, shared);
    grid = multiprocessors();
    chunk = ((n + TILE - 1) / TILE + grid - 1) / grid * TILE;
    do_look(); do_tables();
    double l = time_ms([&] { do_look(); }, 5), ta = time_ms([&] { do_tables(); }, 1);
    do_look(); do_tables();
    auto p1 = [&] { f1<<<grid, T, shared>>>(in, vin, a, va, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 8); };
    auto p2 = [&] { f2<<<grid, T, shared>>>(a, va, b, vb, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 16); };
    double m1 = time_ms(p1, 5), m2 = time_ms(p2, 5), bytes = 2.0 * n * (sizeof(K) + sizeof(X));
    cudaFuncAttributes at;
    CK(cudaFuncGetAttributes(&at, f2));
    printf("stable partition1p,u%u+u%zu,I%d G%d,regs %d local %zu shared %d,look %.3f ms tables %.3f ms,p1 %.3f ms %.0f GB/s,p2 %.3f ms %.0f GB/s\n", BITS, 8 * sizeof(X), I, G, at.numRegs, at.localSizeBytes, shared, l, ta,
           m1, bytes / m1 / 1e6, m2, bytes / m2 / 1e6);
    all_steps = [=, this] { do_look(); do_tables(); f1<<<grid, T, shared>>>(in, vin, a, va, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 8);
      f2<<<grid, T, shared>>>(a, va, b, vb, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 16); };
  }
  std::function<void()> all_steps;
  template <int T, int I, int G, int MINB> void rows_partition() {
    constexpr int TILE = T * I, shared = stable3_shared<K, X, T, I, G>();
    auto f1 = stable_partition3<K, X, T, I, G, 1, MINB>;
    auto f2 = stable_partition3<K, X, T, I, G, 2, MINB>;
    allow_shared(f1, shared); allow_shared(f2, shared);
    int blocks;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f2, T, shared));
    grid = multiprocessors() * MINB;
    chunk = ((n + TILE - 1) / TILE + grid - 1) / grid * TILE;
    do_look(); do_tables();
    double l = time_ms([&] { do_look(); }, 5), ta = time_ms([&] { do_tables(); }, 1);
    do_look(); do_tables();
    auto p1 = [&] { f1<<<grid, T, shared>>>(in, vin, a, va, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 8); };
    auto p2 = [&] { f2<<<grid, T, shared>>>(a, va, b, vb, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 16); };
    double m1 = time_ms(p1, 5), m2 = time_ms(p2, 5);
    cudaFuncAttributes at;
    CK(cudaFuncGetAttributes(&at, f2));
    double bytes = 2.0 * n * (sizeof(K) + sizeof(X));
    printf("stable partition3,u%u+u%zu,T%d I%d G%d,blocks %d,regs %d local %zu shared %d,look %.3f ms tables %.3f ms,p1 %.3f ms %.0f GB/s,p2 %.3f ms %.0f GB/s\n", BITS, 8 * sizeof(X), T, I, G,
           blocks, at.numRegs, at.localSizeBytes, shared, l, ta, m1, bytes / m1 / 1e6, m2, bytes / m2 / 1e6);
    all_steps = [=, this] { do_look(); do_tables(); f1<<<grid, T, shared>>>(in, vin, a, va, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 8);
      f2<<<grid, T, shared>>>(a, va, b, vb, u32(n), u32(chunk), t->seg2, t->start16, histogram, digit8, codec, BITS - 16); };
    fflush(stdout);
  }
  template <int T, int CAP, int WORDS, int MINB> void row_local() {
    constexpr int shared = local_pairs_shared<K, X, CAP, WORDS>();
    auto f = local_pairs<K, X, T, CAP, WORDS, MINB>;
    allow_shared(f, shared);
    int blocks;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, shared));
    cudaFuncAttributes at;
    CK(cudaFuncGetAttributes(&at, f));
    CK(cudaMemset(a, 0xee, n * sizeof(K))); CK(cudaMemset(va, 0xee, n * sizeof(X)));
    double ms = time_ms([&] { f<<<65536, T, shared>>>(b, vb, a, va, t->start16, codec, BITS - 16, over); }, 5, [&] { cudaMemset(over, 0, 4); });
    u32 o;
    CK(cudaMemcpy(&o, over, 4, cudaMemcpyDeviceToHost));
    double whole = time_ms([&] { all_steps(); cudaMemsetAsync(over, 0, 4); f<<<65536, T, shared>>>(b, vb, a, va, t->start16, codec, BITS - 16, over); }, 5);
    u64 bad = mismatches(a, ref, n), bad_values = mismatches(va, vref, n);
    printf("local pairs,u%u+u%zu,T%d cap %d words %d,blocks %d,regs %d local %zu,%.3f ms,%.0f GB/s,%s (%llu keys, %llu values wrong),left %u,whole sort %.3f ms,ratio %.2f\n", BITS, 8 * sizeof(X), T, CAP, WORDS, blocks,
           at.numRegs, at.localSizeBytes, ms, 2.0 * n * (sizeof(K) + sizeof(X)) / ms / 1e6, bad + bad_values ? "DIFFER" : "EQUAL", bad, bad_values, o, whole, cub_ms / whole);
    fflush(stdout);
  }
};

int main(int argc, char**) {
  if (argc > 1) { // for the sanitizers
    bench<u32, u32> x((1 << 22) + 12345);
    x.input(uniform);
    x.rows_partition1<6, 8>();
    x.row_local<512, 4608, 4096, 3>();
    bench<u64, u64> y((1 << 22) + 12345);
    y.input(uniform);
    y.rows_partition1<3, 4>();
    y.row_local<1024, 4608, 4096, 2>();
    return 0;
  }
  size_t n = 1ull << 28;
#if PAIR == 0
  {
    bench<u32, u32> x(n);
    x.input(uniform);
    x.rows_partition1<4, 8>(); x.rows_partition1<5, 8>(); x.rows_partition1<7, 8>(); x.rows_partition1<6, 8>();
    x.row_local<512, 4608, 4096, 3>(); x.row_local<512, 4480, 2048, 4>(); x.row_local<256, 4480, 2048, 4>();
  }
#else
  {
    bench<u64, u64> x(n);
    x.input(uniform);
    x.rows_partition1<3, 4>(); x.rows_partition1<4, 4>();
    x.row_local<1024, 4608, 4096, 2>(); x.row_local<512, 4608, 4096, 2>();
  }
  {
    bench<u64, u32> x(n);
    x.input(uniform);
    x.rows_partition1<5, 8>(); x.rows_partition1<4, 8>();
    x.row_local<1024, 4608, 4096, 2>(); x.row_local<512, 4608, 4096, 3>(); x.row_local<512, 4480, 2048, 3>();
  }
#endif
}
