// Laboratory: whole sorts of 2^16 to 2^28 keys: the number of buckets follows n, digits split evenly over one or two partitions.
#include "keys5.cuh"

template <class W> struct bench {
  static constexpr u32 BITS = 8 * sizeof(W);
  W *in, *a, *b, *ref, *differ;
  u32 *count, *over, *start, *fine_next, *fine_left, *small;
  key_codec<W> codec{};
  cudaStream_t s;
  bench(size_t n) {
    for (W** p : {&in, &a, &b, &ref}) CK(cudaMalloc(p, n * sizeof(W) + 256));
    CK(cudaMalloc(&differ, 16)); CK(cudaMalloc(&count, 65536 * 4)); CK(cudaMalloc(&over, 65538 * 4)); CK(cudaMalloc(&start, 65540 * 4)); CK(cudaMalloc(&fine_next, 65536 * 4));
    CK(cudaMalloc(&fine_left, 65536 * 4)); CK(cudaMalloc(&small, 2048 * 4));
    CK(cudaMemset(count, 0, 65536 * 4)); CK(cudaMemset(over, 0, 65538 * 4));
    CK(cudaStreamCreate(&s));
    codec.mask = ~W(0); codec.bits = BITS;
  }
  double timed(std::function<void()> f) {
    cudaEvent_t x, y;
    cudaEventCreate(&x); cudaEventCreate(&y);
    std::vector<float> t;
    for (int i = 0; i < 21; i++) {
      cudaStreamSynchronize(s);
      cudaEventRecord(x, s); f(); cudaEventRecord(y, s);
      CK(cudaEventSynchronize(y));
      float ms; cudaEventElapsedTime(&ms, x, y);
      t.push_back(ms);
    }
    CK(cudaGetLastError());
    std::sort(t.begin(), t.end());
    return t[t.size() / 2] * 1000;
  }
  double graph(std::function<void()> f) {
    cudaGraph_t g; cudaGraphExec_t ge;
    CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    f();
    CK(cudaStreamEndCapture(s, &g));
    CK(cudaGraphInstantiate(&ge, g, 0));
    double x = timed([&] { cudaGraphLaunch(ge, s); });
    cudaGraphExecDestroy(ge); cudaGraphDestroy(g);
    return x;
  }
  // LT x LNV: local threads and vectors a thread; T x NV: partition
  template <int T, int NV, int MINB, int G, int LT, int LNV, int WORDS, int LMINB> void row(int log_n, int bits1, int bits2) {
    u32 n = 1u << log_n, bins = 1u << (bits1 + bits2), fine = 1u << bits2;
    generate<<<2048, 256>>>(in, n, uniform, 7);
    size_t bytes = 0;
    CK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in, ref, n));
    void* temp;
    CK(cudaMalloc(&temp, bytes));
    CK(cudaDeviceSynchronize());
    double cub = timed([&] { cub::DeviceRadixSort::SortKeys(temp, bytes, in, ref, n, 0, BITS, s); }), cub_graph = graph([&] { cub::DeviceRadixSort::SortKeys(temp, bytes, in, ref, n, 0, BITS, s); });
    CK(cudaFree(temp));
    constexpr int shared = partition5_shared<W, T, NV, G>(), local_bytes = local3_shared<W, LT, LNV, WORDS>();
    auto part = partition5<W, T, NV, MINB, G>;
    auto loc = local_sort3i<W, LT, LNV, WORDS, LMINB>;
    allow_shared(part, shared); allow_shared(loc, local_bytes); allow_shared(look5<W, 1024, 3, true>, 131072); allow_shared(look_few<W, 512>, 65536);
    int blocks = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, part, T, shared));
    u32 tile = T * NV * 16 / sizeof(W), tiles = n / tile, grid1 = std::max(1u, std::min(tiles, u32(blocks * multiprocessors()))), grid2 = std::min(tiles + (1u << bits1), u32(blocks * multiprocessors()));
    u32 *seg = small, *tile_first = small + 260, *next8 = small + 520, *left8 = small + 776, *seg1 = small + 1032, *tile1 = small + 1034;
    auto f_look = [=, this] {
      if (bins <= 16384) look_few<W, 512><<<std::min(n / 4096u, 132u * 2), 512, bins * 4, s>>>(in, n, count, differ, codec, BITS - bits1 - bits2, bins);
      else look5<W, 1024, 3, true><<<multiprocessors(), 1024, 131072, s>>>(in, n, count, differ, codec, BITS - bits1 - bits2);
    };
    auto f_tables = [=, this] { make_all<<<1, 1024, 0, s>>>(count, start, fine_next, fine_left, seg, tile_first, next8, left8, seg1, tile1, n, bins, fine, G, tile, 16 / sizeof(W)); };
    auto f_p1 = [=, this] { part<<<grid1, T, shared, s>>>(in, bits2 ? a : b, seg1, tile1, 1, seg, next8, left8, codec, BITS - bits1, (1u << bits1) - 1, 1); };
    auto f_p2 = [=, this] { if (bits2) part<<<grid2, T, shared, s>>>(a, b, seg, tile_first, 1u << bits1, start, fine_next, fine_left, codec, BITS - bits1 - bits2, fine - 1, 4); };
    auto f_local = [=, this] { loc<<<bins, LT, local_bytes, s>>>(b, a, start, codec, BITS - bits1 - bits2, over); };
    auto all = [=, this] { f_look(); f_tables(); f_p1(); f_p2(); f_local(); };
    CK(cudaMemset(a, 0xee, n * sizeof(W)));
    CK(cudaDeviceSynchronize());
    all();
    CK(cudaStreamSynchronize(s));
    u64 bad = mismatches(a, ref, n);
    double t = timed(all), g = graph(all);
    double l = timed([&] { f_look(); }), tb = timed([&] { f_tables(); });
    f_look(); f_tables();
    CK(cudaStreamSynchronize(s));
    double lo = timed([&] { f_local(); });
    u32 o;
    CK(cudaMemcpy(&o, over, 4, cudaMemcpyDeviceToHost));
    printf("sort,u%u,2^%d,bits %d+%d,part %dx%d local %dx%d,all %.1f us,graph %.1f us,cub %.1f us,cub graph %.1f us,ratio %.2f (graph %.2f),%s,look %.1f tables %.1f local %.1f,left %u\n", BITS, log_n, bits1, bits2,
           T, NV, LT, LNV, t, g, cub, cub_graph, cub / t, cub_graph / g, bad ? "DIFFER" : "EQUAL", l, tb, lo, o);
    fflush(stdout);
  }
};
int main(int argc, char**) {
  if (argc > 1) { // for the sanitizers
    bench<u32> x(1ull << 22);
    x.row<512, 1, 2, 8, 256, 5, 2048, 5>(18, 6, 0); x.row<512, 2, 2, 8, 256, 5, 2048, 5>(20, 4, 4); x.row<1024, 6, 1, 8, 256, 5, 2048, 5>(20, 4, 4);
    bench<u64> y(1ull << 22);
    y.row<512, 2, 2, 4, 512, 5, 4096, 3>(20, 4, 4);
    return 0;
  }
#if WIDTH == 32
  bench<u32> x(1ull << 28);
  x.row<512, 1, 2, 8, 256, 5, 2048, 5>(16, 4, 0); x.row<512, 1, 2, 8, 128, 2, 512, 8>(16, 7, 0); x.row<512, 1, 2, 8, 128, 3, 512, 8>(18, 8, 0); x.row<512, 1, 2, 8, 256, 5, 2048, 5>(18, 6, 0);
  x.row<512, 2, 2, 8, 256, 5, 2048, 5>(20, 8, 0); x.row<512, 4, 2, 8, 256, 5, 2048, 5>(20, 8, 0); x.row<512, 1, 2, 8, 256, 5, 2048, 5>(20, 8, 0);
  x.row<512, 4, 2, 8, 256, 5, 2048, 5>(22, 5, 5); x.row<512, 2, 2, 8, 256, 5, 2048, 5>(22, 5, 5); x.row<512, 4, 2, 8, 256, 5, 2048, 5>(22, 8, 2);
  x.row<512, 4, 2, 8, 256, 5, 2048, 5>(24, 6, 6); x.row<512, 4, 2, 8, 256, 5, 2048, 5>(24, 8, 4); x.row<1024, 6, 1, 8, 256, 5, 2048, 5>(24, 6, 6);
  x.row<1024, 6, 1, 8, 256, 5, 2048, 5>(26, 7, 7); x.row<1024, 6, 1, 8, 256, 5, 2048, 5>(26, 8, 6); x.row<512, 4, 2, 8, 256, 5, 2048, 5>(26, 7, 7);
  x.row<1024, 6, 1, 8, 256, 5, 2048, 5>(28, 8, 8);
#else
  bench<u64> x(1ull << 28);
  x.row<512, 1, 2, 4, 512, 5, 4096, 3>(16, 4, 0); x.row<512, 1, 2, 4, 128, 3, 512, 8>(16, 7, 0); x.row<512, 1, 2, 4, 128, 5, 512, 8>(18, 8, 0); x.row<512, 1, 2, 4, 512, 5, 4096, 3>(18, 6, 0);
  x.row<512, 2, 2, 4, 512, 5, 4096, 3>(20, 8, 0); x.row<512, 4, 2, 4, 512, 5, 4096, 3>(20, 8, 0); x.row<512, 4, 2, 4, 512, 5, 4096, 3>(22, 5, 5); x.row<512, 2, 2, 4, 512, 5, 4096, 3>(22, 5, 5);
  x.row<512, 4, 2, 4, 512, 5, 4096, 3>(24, 6, 6); x.row<512, 6, 2, 4, 512, 5, 4096, 3>(24, 8, 4); x.row<1024, 6, 1, 4, 512, 5, 4096, 3>(24, 6, 6); x.row<1024, 6, 1, 4, 512, 5, 4096, 3>(26, 7, 7);
  x.row<1024, 6, 1, 4, 512, 5, 4096, 3>(28, 8, 8);
#endif
}
