// Laboratory: whole sorts of keys, by distribution.
#include "sort.cuh"

template <class W> struct bench {
  size_t n;
  W *in, *a, *b, *ref, *differ;
  u32 *count, *over, *rings;
  tables* t;
  key_codec<W> codec{};
  double cub_ms = 0;
  bool backward = LAB_BACKWARD;
  static constexpr u32 BITS = 8 * sizeof(W);
  std::function<void()> look, starts, p1, p2, local, fall;
  bench(size_t n) : n(n) {
    for (W** p : {&in, &a, &b, &ref}) CK(cudaMalloc(p, n * sizeof(W) + 256));
    CK(cudaMalloc(&differ, sizeof(W)));
    CK(cudaMalloc(&count, 65536 * 4)); CK(cudaMalloc(&over, 65538 * 4)); CK(cudaMalloc(&t, sizeof(tables))); CK(cudaMalloc(&rings, (65536 * 2 + 512) * 4));
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
  }
  template <int T, int U, bool SHORT = false> void set_look() {
    allow_shared(look5<W, T, U, SHORT>, 131072);
    look = [=, this] { cudaMemsetAsync(count, 0, 65536 * 4); look5<W, T, U, SHORT><<<multiprocessors(), T, 131072>>>(in, n, count, differ, codec, BITS - 16); };
  }
  template <int T, int NV, int MINB, int G> void set_partition(u32 chunk2) {
    constexpr int shared = partition4_shared<W, T, NV, G>();
    auto f = partition4<W, T, NV, MINB, G>;
    allow_shared(f, shared);
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, T, shared));
    int grid = blocks * multiprocessors();
    u32 tile = T * NV * 16 / sizeof(W);
    u32 *next16 = rings, *left16 = rings + 65536, *next8 = rings + 131072, *left8 = next8 + 256;
    starts = [=, this] {
      make_starts<<<64, 1024>>>(count, t, next8, left8, next16, left16, u32(n), G);
      make_tiles<<<1, 256>>>(t, u32(n), tile, tile, 16 / sizeof(W));
    };
    p1 = [=, this] { f<<<grid, T, shared>>>(in, a, t->seg1, t->tile1, 1, t->seg2, next8, left8, codec, BITS - 8, 1, backward); };
    p2 = [=, this] { f<<<grid, T, shared>>>(a, b, t->seg2, t->tile2, 256, t->start16, next16, left16, codec, BITS - 16, chunk2, false); };
  }
  void set_fallback() {
    constexpr int cap = 8192 * (sizeof(W) == 4 ? 2 : 1);
    allow_shared(local_fallback<W, 1024, cap>, cap * sizeof(W));
    fall = [=, this] { local_fallback<W, 1024, cap><<<multiprocessors(), 1024, cap * sizeof(W)>>>(b, a, t->start16, codec, over, over + 65537); };
  }
  void set_adapt() {
    constexpr int cap = sizeof(W) == 4 ? 12288 : 8192;
    auto f = local_adapt<W, 1024, cap>;
    allow_shared(f, adapt_shared<W, 1024, cap>());
    fall = [=, this] { f<<<multiprocessors(), 1024, adapt_shared<W, 1024, cap>()>>>(b, a, t->start16, codec, over, over + 65537); };
  }
  template <int T, int NV, int WORDS, int MINB, bool INT> void set_local3() {
    constexpr int shared = local3_shared<W, T, NV, WORDS>();
    auto f = INT ? local_sort3i<W, T, NV, WORDS, MINB> : local_sort3<W, T, NV, WORDS, MINB>;
    allow_shared(f, shared);
    local = [=, this] { cudaMemsetAsync(over, 0, 4); f<<<65536, T, shared>>>(b, a, t->start16, codec, BITS - 16, over); };
  }
  template <int T, int NV, int WORDS, int MINB> void set_local2() {
    constexpr int shared = local2_shared<W, T, NV, WORDS>();
    auto f = local_sort2<W, T, NV, WORDS, MINB>;
    allow_shared(f, shared);
    local = [=, this] { cudaMemsetAsync(over, 0, 4); f<<<65536, T, shared>>>(b, a, t->start16, codec, BITS - 16, over); };
  }
  template <int T, int CAP, int WORDS, int MINB, int MODE> void set_local4() {
    constexpr int shared = local4_shared<W, CAP, WORDS, MODE>();
    auto f = local_sort4<W, T, CAP, WORDS, MINB, MODE>;
    allow_shared(f, shared);
    local = [=, this] { cudaMemsetAsync(over, 0, 4); f<<<65536, T, shared>>>(b, a, t->start16, codec, BITS - 16, over); };
  }
  void row(const char* what) {
    CK(cudaMemset(a, 0xee, n * sizeof(W)));
    CK(cudaMemset(over, 0, 65538 * 4));
    look(); starts(); p1(); p2(); local(); fall();
    CK(cudaDeviceSynchronize());
    u32 o[2];
    CK(cudaMemcpy(o, over, 4, cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(o + 1, over + 65537, 4, cudaMemcpyDeviceToHost));
    u64 bad = mismatches(a, ref, n);
    double all = time_ms([&] { look(); starts(); p1(); p2(); local(); fall(); }, 7);
    double l = time_ms(look, 5), s = time_ms(starts, 3), m1 = time_ms(p1, 3, starts), m2 = time_ms(p2, 3, [&] { starts(); p1(); }), lo = time_ms(local, 3), fa = time_ms(fall, 1);
    printf("sort,u%u,%s,n %zu,all %.3f ms,cub %.3f ms,ratio %.2f,%s,look %.3f tables %.3f p1 %.3f p2 %.3f local %.3f fallback %.3f,left %u too large %u\n", BITS, what, n, all, cub_ms, cub_ms / all,
           bad ? "DIFFER" : "EQUAL", l, s, m1, m2, lo, fa, o[0], o[1]);
    fflush(stdout);
  }
};

int main(int argc, char**) {
  size_t n = 1ull << 28;
#if WIDTH == 32
  {
    bench<u32> x(n);
    x.input(uniform);
    x.set_adapt();
    x.set_look<1024, 3>(); x.set_partition<1024, 6, 1, 8>(4); x.set_local3<256, 5, 2048, 6, false>();
    x.row("base");
    if (argc > 1) return 0;
    x.backward = false; x.set_partition<1024, 6, 1, 8>(4); x.row("forward"); x.backward = LAB_BACKWARD; x.set_partition<1024, 6, 1, 8>(4);
    x.set_local3<256, 5, 2048, 5, true>(); x.row("integer local b5");
    x.set_look<1024, 2, true>(); x.row("look short U2"); x.set_look<1024, 3, true>(); x.row("look short U3"); x.set_look<1024, 4, true>(); x.row("look short U4"); x.set_look<1024, 4>(); x.row("look U4");
    x.set_look<1024, 3, true>();
    for (int d = 0; d < dist_count; d++) { x.input(d); x.row(dist_name[d]); }
  }
#endif
#if WIDTH == 64
  {
    bench<u64> x(n);
    x.input(uniform);
    x.set_adapt();
    x.set_look<1024, 2>(); x.set_partition<1024, 6, 1, 4>(4); x.set_local2<512, 5, 4096, 3>();
    x.row("base");
    if (argc > 1) return 0;
    x.set_look<1024, 3>(); x.row("look U3"); x.set_look<1024, 2, true>(); x.row("look short U2"); x.set_look<1024, 3, true>(); x.row("look short U3");
    for (int d = 0; d < dist_count; d++) { x.input(d); x.row(dist_name[d]); }
  }
#endif
#if WIDTH == 128
  {
    bench<u128> x(n);
    x.input(uniform);
    x.set_fallback();
    x.set_look<1024, 2>(); x.set_partition<1024, 8, 1, 4>(4); x.set_local4<1024, 4608, 4096, 2, by_order>();
    x.row("base");
    if (argc > 1) return 0;
    x.set_look<1024, 2, true>(); x.row("look short U2");
  }
#endif
}
