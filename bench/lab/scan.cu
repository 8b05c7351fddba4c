// Laboratory: device-wide exclusive sums, and what keeps them from the copy rate.
//   once    a tile a block, in registers, as the library had it
//   bulk    a tile a block, brought into shared memory by bulk copies
//   pipe    resident blocks; the next tile is loaded into registers while this one looks back
//   ring    resident blocks; the next tiles are copied into stages of shared memory
//   roles   resident blocks; one warp fetches, some fold and announce, one looks back, the others scan and store
// windows 0: no look-back, so no scan, but what the memory side can do.
//
//   scan [LOG_N [ROUNDS [FIRST|SECOND]]]      FIRST: pipe and ring, SECOND: roles and bulk
#include "common.cuh"
#include <cub/device/device_scan.cuh>

using u128w = unsigned __int128;
template <class T> struct status;
template <> struct status<u32> {
  using word = u64;
  static __device__ __forceinline__ void store(word* p, u32 v, u32 tag) {
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "l"(u64(tag) << 32 | v) : "memory");
  }
  static __device__ __forceinline__ void load(const word* p, u32& v, u32& tag) {
    u64 w;
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(w) : "l"(__cvta_generic_to_global(p)) : "memory");
    v = u32(w), tag = u32(w >> 32);
  }
};
template <> struct status<u64> {
  using word = ulonglong2;
  static __device__ __forceinline__ void store(word* p, u64 v, u32 tag) {
    asm volatile("{\n.reg .b128 w;\nmov.b128 w, {%1, %2};\nst.relaxed.gpu.global.b128 [%0], w;\n}" ::"l"(__cvta_generic_to_global(p)), "l"(v), "l"(u64(tag)) : "memory");
  }
  static __device__ __forceinline__ void load(const word* p, u64& v, u32& tag) {
    u64 t;
    asm volatile("{\n.reg .b128 w;\nld.relaxed.gpu.global.b128 w, [%2];\nmov.b128 {%0, %1}, w;\n}" : "=l"(v), "=l"(t) : "l"(__cvta_generic_to_global(p)) : "memory");
    tag = u32(t);
  }
};
template <class T> __device__ __forceinline__ T warp_sum(T x) {
  if constexpr (sizeof(T) == 4) return __reduce_add_sync(~0u, x);
  else
  for (int d = 1; d < 32; d *= 2) x += __shfl_xor_sync(~0u, x, d);
  return x;
}
template <class T> __device__ __forceinline__ T warp_inclusive(T x) {
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    T y = __shfl_up_sync(~0u, x, d);
    if (lane_id() >= d) x += y;
  }
  return x;
}

// WIN windows of 32 tiles asked for at once. Tags: 1 aggregate, 2 inclusive (cleared between launches).
template <class T, int WIN> __device__ __forceinline__ T look_back(typename status<T>::word* words, int tile) {
  T sum = 0;
  for (int end = tile;; end -= 32 * WIN) {
    T value[WIN];
    u32 tag[WIN];
#pragma unroll
    for (int j = 0; j < WIN; j++) tag[j] = 0, value[j] = 0;
    for (;;) {
#pragma unroll
      for (int j = 0; j < WIN; j++) {
        int at = end - 1 - j * 32 - int(lane_id());
        if (tag[j] == 0 && at >= 0) status<T>::load(words + at, value[j], tag[j]);
      }
      bool complete = true, found = false;
      T s = 0;
#pragma unroll
      for (int j = 0; j < WIN; j++)
        if (complete && !found) {
          u32 inc = __ballot_sync(~0u, tag[j] == 2), spoken = __ballot_sync(~0u, tag[j] != 0);
          u32 last = inc ? __ffs(inc) - 1 : 31, needed = ~0u >> (31 - last);
          complete = (spoken & needed) == needed;
          if (complete) s += warp_sum<T>(lane_id() <= last ? value[j] : T(0));
          found = inc != 0;
        }
      if (complete) {
        sum += s;
        if (found) return sum;
        break;
      }
    }
  }
}

template <class T> struct vec16 { T v[16 / sizeof(T)]; };
template <class T, int ROWS> __device__ __forceinline__ T scan_rows(vec16<T> (&x)[ROWS]) {
  constexpr int W = 16 / sizeof(T);
  T carry = 0;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int w = 1; w < W; w++) x[r].v[w] += x[r].v[w - 1];
    T inc = warp_inclusive(x[r].v[W - 1]);
    T before = carry + inc - x[r].v[W - 1];
#pragma unroll
    for (int w = 0; w < W; w++) x[r].v[w] += before;
    carry += __shfl_sync(~0u, inc, 31);
  }
  return carry;
}
template <class T, int ROWS, bool SHARED = false> __device__ __forceinline__ void store_rows(vec16<T> (&x)[ROWS], T before, uint4* out) {
  constexpr int W = 16 / sizeof(T);
  T previous = before;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int w = 0; w < W; w++) x[r].v[w] += before;
    T below = __shfl_up_sync(~0u, x[r].v[W - 1], 1);
    vec16<T> s;
    s.v[0] = lane_id() == 0 ? previous : below;
    previous = __shfl_sync(~0u, x[r].v[W - 1], 31);
#pragma unroll
    for (int w = 1; w < W; w++) s.v[w] = x[r].v[w - 1];
    if constexpr (SHARED) out[r * 32] = __builtin_bit_cast(uint4, s);
    else __stcs(out + r * 32, __builtin_bit_cast(uint4, s));
  }
}

// ---- pipe -------------------------------------------------------------------------------------------------------------------------
template <class T, int WIN, int WARPS> __device__ __forceinline__ T tile_prefix(T total, T* totals, typename status<T>::word* words, int tile) {
  const int warp = threadIdx.x / 32;
  if (warp == 0) {
    T mine = lane_id() < WARPS ? totals[lane_id()] : T(0);
    T inc = warp_inclusive(mine);
    T aggregate = __shfl_sync(~0u, inc, 31);
    T before = 0;
    if constexpr (WIN > 0) {
      if (lane_id() == 0 && tile != 0) status<T>::store(words + tile, aggregate, 1);
      before = tile == 0 ? T(0) : look_back<T, WIN>(words, tile);
      if (lane_id() == 0) status<T>::store(words + tile, before + aggregate, 2);
    }
    if (lane_id() < WARPS) totals[lane_id()] = before + inc - mine;
  }
  __syncthreads();
  return totals[warp];
}

template <class T, int THREADS, int ROWS, int BLOCKS, int WIN>
__global__ void __launch_bounds__(THREADS, BLOCKS) pipe(const uint4* in, uint4* out, int tiles, u32* counter, typename status<T>::word* words) {
  constexpr int WARPS = THREADS / 32;
  __shared__ T totals[2][WARPS];
  __shared__ int next_tile[2];
  const int warp = threadIdx.x / 32;
  const size_t mine = warp * 32 * ROWS + lane_id();
  if (threadIdx.x == 0) next_tile[1] = atomicAdd(counter, 1);
  __syncthreads();
  int tile = next_tile[1];
  vec16<T> y[ROWS];
  if (tile < tiles)
#pragma unroll
    for (int r = 0; r < ROWS; r++) y[r] = __builtin_bit_cast(vec16<T>, __ldcs(in + size_t(tile) * THREADS * ROWS + mine + r * 32));
  for (int k = 0; tile < tiles; k ^= 1) {
    int drawn = 0;
    if (threadIdx.x == 0) drawn = atomicAdd(counter, 1);
    vec16<T> x[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) x[r] = y[r];
    const T total = scan_rows(x);
    if (lane_id() == 0) totals[k][warp] = total;
    if (threadIdx.x == 0) next_tile[k] = drawn;
    __syncthreads();
    const int next = next_tile[k];
    if (next < tiles)
#pragma unroll
      for (int r = 0; r < ROWS; r++) y[r] = __builtin_bit_cast(vec16<T>, __ldcs(in + size_t(next) * THREADS * ROWS + mine + r * 32));
    const T before = tile_prefix<T, WIN, WARPS>(total, totals[k], words, tile);
    store_rows(x, before, out + size_t(tile) * THREADS * ROWS + mine);
    tile = next;
  }
}

// ---- ring -------------------------------------------------------------------------------------------------------------------------
template <class T, int THREADS, int ROWS, int STAGES, int BLOCKS, int WIN>
__global__ void __launch_bounds__(THREADS, BLOCKS) ring(const uint4* in, uint4* out, int tiles, u32* counter, typename status<T>::word* words) {
  constexpr int WARPS = THREADS / 32;
  constexpr u32 BYTES = THREADS * ROWS * 16;
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ T totals[2][WARPS];
  __shared__ int tile_of[STAGES];
  __shared__ u64 full[STAGES];
  const int warp = threadIdx.x / 32;
  const int mine = warp * 32 * ROWS + lane_id();
  const bool fetcher = threadIdx.x == THREADS - 32;
  if (fetcher) {
    for (int s = 0; s < STAGES; s++) mbarrier_init(full + s, 1);
    mbarrier_fence_init();
    for (int s = 0; s < STAGES; s++) {
      int t = tile_of[s] = atomicAdd(counter, 1);
      if (t < tiles) {
        mbarrier_expect(full + s, BYTES);
        bulk_load(stages + s * THREADS * ROWS, in + size_t(t) * THREADS * ROWS, BYTES, full + s);
      } 
      if (t >= tiles) { for (int r = s + 1; r < STAGES; r++) tile_of[r] = tiles; break; }
    }
  }
  __syncthreads();
  int s = 0;
  u32 parity = 0;
  for (int k = 0;; k ^= 1) {
    const int tile = tile_of[s];
    if (tile >= tiles) break;
    int drawn = 0;
    if (fetcher) drawn = atomicAdd(counter, 1);
    mbarrier_wait(full + s, parity);
    vec16<T> x[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) x[r] = __builtin_bit_cast(vec16<T>, stages[s * THREADS * ROWS + mine + r * 32]);
    const T total = scan_rows(x);
    if (lane_id() == 0) totals[k][warp] = total;
    __syncthreads();
    if (fetcher) {
      tile_of[s] = drawn;
      if (drawn < tiles) {
        mbarrier_expect(full + s, BYTES);
        bulk_load(stages + s * THREADS * ROWS, in + size_t(drawn) * THREADS * ROWS, BYTES, full + s);
      }
    }
    const T before = tile_prefix<T, WIN, WARPS>(total, totals[k], words, tile);
    store_rows(x, before, out + size_t(tile) * THREADS * ROWS + mine);
    if (++s == STAGES) s = 0, parity ^= 1;
  }
}

// ---- once: as the library has it: a tile a block ----------------------------------------------------------------------------------
template <class T, int THREADS, int ROWS, int BLOCKS, int WIN>
__global__ void __launch_bounds__(THREADS, BLOCKS) once(const uint4* in, uint4* out, int tiles, u32* counter, typename status<T>::word* words) {
  constexpr int WARPS = THREADS / 32;
  __shared__ T totals[WARPS];
  __shared__ int ticket;
  const int warp = threadIdx.x / 32;
  const size_t mine = warp * 32 * ROWS + lane_id();
  if (threadIdx.x == 0) ticket = atomicAdd(counter, 1);
  __syncthreads();
  const int tile = ticket;
  vec16<T> x[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; r++) x[r] = __builtin_bit_cast(vec16<T>, __ldcs(in + size_t(tile) * THREADS * ROWS + mine + r * 32));
  const T total = scan_rows(x);
  if (lane_id() == 0) totals[warp] = total;
  __syncthreads();
  const T before = tile_prefix<T, WIN, WARPS>(total, totals, words, tile);
  store_rows(x, before, out + size_t(tile) * THREADS * ROWS + mine);
}


// ---- roles: one warp fetches, some fold, one looks back, the others scan and store --------------------------------------------------
__device__ __forceinline__ void mbarrier_arrive(u64* bar) {
  asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%0];\n}" ::"r"(smem_address(bar)) : "memory");
}
template <class T, int FIN, int SUM, int ROWS, int STAGES, int WIN, int ORDERED, int OUT>
__global__ void __launch_bounds__((FIN + SUM + 2) * 32, 1) roles(const uint4* in, uint4* out, int tiles, u32* counter, typename status<T>::word* words) {
  constexpr int W = 16 / sizeof(T), VECTORS = FIN * ROWS * 32;
  constexpr u32 BYTES = VECTORS * 16;
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ T pieces[STAGES][FIN], aggregate[STAGES], prefix[STAGES];
  __shared__ int tile_of[STAGES];
  __shared__ u64 full[STAGES], summed[STAGES], known[STAGES], empty[STAGES];
  const int warp = threadIdx.x / 32, lane = lane_id();
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) mbarrier_init(full + s, 1), mbarrier_init(summed + s, 1), mbarrier_init(known + s, 1), mbarrier_init(empty + s, FIN);
    mbarrier_fence_init();
  }
  __syncthreads();
  int s = 0;
  u32 parity = 0;
  auto step = [&] { if (++s == STAGES) s = 0, parity ^= 1; };
  if (warp == FIN + SUM) { // fetch
    if (lane == 0)
      for (;; step()) {
        mbarrier_wait(empty + s, parity ^ 1);
        const int t = atomicAdd(counter, 1);
        tile_of[s] = t;
        if (t >= tiles) { mbarrier_arrive(full + s); break; }
        mbarrier_expect(full + s, BYTES);
        bulk_load(stages + s * VECTORS, in + size_t(t) * VECTORS, BYTES, full + s);
      }
  } else if (warp == FIN + SUM + 1) { // look back
    for (;; step()) {
      mbarrier_wait(summed + s, parity);
      const int t = tile_of[s];
      if (t >= tiles) { if (lane == 0) mbarrier_arrive(known + s); break; }
      const T mine = aggregate[s];
      T before = 0;
      if constexpr (WIN > 0) {
        before = t == 0 ? T(0) : look_back<T, WIN>(words, t);
        if (lane == 0) status<T>::store(words + t, before + mine, 2);
      }
      if (lane == 0) { prefix[s] = before; mbarrier_arrive(known + s); }
    }
  } else if (warp >= FIN) { // fold
    const int j = warp - FIN;
    for (;; step()) {
      mbarrier_wait(full + s, parity);
      const int t = tile_of[s];
      if (t >= tiles) { if (j == 0 && lane == 0) mbarrier_arrive(summed + s); break; }
      for (int p = j; p < FIN; p += SUM) {
        T sum = 0;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
          auto v = __builtin_bit_cast(vec16<T>, stages[s * VECTORS + (p * ROWS + r) * 32 + lane]);
          T x = v.v[0];
#pragma unroll
          for (int w = 1; w < W; w++) x += v.v[w];
          sum += ORDERED ? warp_sum(x) : x;
        }
        if (!ORDERED) sum = warp_sum(sum);
        if (lane == 0) pieces[s][p] = sum;
      }
      if (SUM > 1) named_barrier(1, SUM * 32); else __syncwarp();
      if (j == 0) {
        T mine = lane < FIN ? pieces[s][lane] : T(0);
        T inc = warp_inclusive(mine);
        T total = __shfl_sync(~0u, inc, 31);
        if (WIN > 0 && lane == 0 && t != 0) status<T>::store(words + t, total, 1);
        if (lane < FIN) pieces[s][lane] = inc - mine;
        if (lane == 0) aggregate[s] = total;
        __syncwarp();
        if (lane == 0) mbarrier_arrive(summed + s);
      }
    }
  } else { // scan and store
    const int mine = warp * 32 * ROWS + lane;
    int late = -1;
    for (;; step()) {
      mbarrier_wait(known + s, parity);
      const int t = tile_of[s];
      if (t >= tiles) { if (OUT == 2 && lane == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); break; }
      vec16<T> x[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; r++) x[r] = __builtin_bit_cast(vec16<T>, stages[s * VECTORS + mine + r * 32]);
      const T before = prefix[s] + pieces[s][warp];
      if (OUT == 0) {
        __syncwarp();
        if (lane == 0) mbarrier_arrive(empty + s);
      }
      scan_rows(x);
      if (OUT == 0) store_rows(x, before, out + size_t(t) * VECTORS + mine);
      else { // in place, then out in bulk
        store_rows<T, ROWS, true>(x, before, stages + s * VECTORS + mine);
        fence_async_shared();
        __syncwarp();
        if (lane == 0) {
          bulk_store(out + size_t(t) * VECTORS + mine, stages + s * VECTORS + mine, ROWS * 512);
          bulk_commit();
          if (OUT == 1) {
            bulk_wait_read();
            mbarrier_arrive(empty + s);
          } else { // the stage before this one
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
            if (late >= 0) mbarrier_arrive(empty + late);
          }
        }
        late = s;
      }
    }
  }
}

// ---- bulk: a tile a block, brought into shared memory; read twice -------------------------------------------------------------------
template <class T, int THREADS, int ROWS, int BLOCKS, int WIN>
__global__ void __launch_bounds__(THREADS, BLOCKS) bulk(const uint4* in, uint4* out, int tiles, u32* counter, typename status<T>::word* words) {
  constexpr int WARPS = THREADS / 32, W = 16 / sizeof(T);
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ T totals[WARPS];
  __shared__ int ticket;
  __shared__ u64 full[WARPS];
  const int warp = threadIdx.x / 32;
  const size_t mine = warp * 32 * ROWS + lane_id();
  if (threadIdx.x == 0) {
    ticket = atomicAdd(counter, 1);
    for (int w = 0; w < WARPS; w++) mbarrier_init(full + w, 1);
    mbarrier_fence_init();
  }
  __syncthreads();
  const int tile = ticket;
  if (lane_id() == 0) {
    mbarrier_expect(full + warp, ROWS * 512);
    bulk_load(stages + mine, in + size_t(tile) * THREADS * ROWS + mine, ROWS * 512, full + warp);
  }
  mbarrier_wait(full + warp, 0);
  T total = 0;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    auto v = __builtin_bit_cast(vec16<T>, stages[mine + r * 32]);
#pragma unroll
    for (int w = 0; w < W; w++) total += v.v[w];
  }
  total = warp_sum(total);
  if (lane_id() == 0) totals[warp] = total;
  __syncthreads();
  T before = tile_prefix<T, WIN, WARPS>(total, totals, words, tile);
  constexpr int PART = ROWS % 6 == 0 ? 6 : 4;
#pragma unroll 1
  for (int r = 0; r < ROWS; r += PART) {
    vec16<T> x[PART];
#pragma unroll
    for (int i = 0; i < PART; i++) x[i] = __builtin_bit_cast(vec16<T>, stages[mine + (r + i) * 32]);
    const T sum = scan_rows(x);
    store_rows(x, before, out + size_t(tile) * THREADS * ROWS + mine + r * 32);
    before += sum;
  }
}

struct entry {
  std::string name;
  std::function<void()> run;
  bool checked;
  size_t covered;
  std::vector<float> t;
};
template <class T> struct bed {
  const T* in;
  T *out, *expected;
  size_t n;
  char* work;
  std::vector<entry> entries;
  void clear() { CK(cudaMemsetAsync(work, 0, 4 << 20)); }
  typename status<T>::word* words() { return reinterpret_cast<typename status<T>::word*>(work + 256); }

  template <class F> void add(const char* kind, F f, int threads, int rows, int stages, int blocks, int win, bool persistent, int tile_bytes = 0) {
    if (!tile_bytes) tile_bytes = threads * rows * 16;
    const int tiles = int(n * sizeof(T) / tile_bytes), dynamic = stages * tile_bytes;
    allow_shared(f, dynamic);
    int resident = 0;
    CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, f, threads, dynamic));
    cudaFuncAttributes a;
    CK(cudaFuncGetAttributes(&a, f));
    char text[200];
    snprintf(text, sizeof text, "%s,%d,%d,%d,%d,%d,%d,%d,%d", kind, threads, rows, stages, blocks, win, resident, a.numRegs, int(a.localSizeBytes));
    const int grid = persistent ? std::min(tiles, resident * multiprocessors()) : tiles;
    if (resident == 0) { printf("%s does not fit\n", text); return; }
    entries.push_back({text, [=, this] { f<<<grid, threads, dynamic>>>(reinterpret_cast<const uint4*>(in), reinterpret_cast<uint4*>(out), tiles, reinterpret_cast<u32*>(work), words()); }, win > 0, tiles * size_t(tile_bytes) / sizeof(T), {}});
  }
  template <int TH, int R, int B, int W> void add_pipe() { add("pipe", pipe<T, TH, R, B, W>, TH, R, 0, B, W, true); }
  template <int TH, int R, int S, int B, int W> void add_ring() { add("ring", ring<T, TH, R, S, B, W>, TH, R, S, B, W, true); }
  template <int TH, int R, int B, int W> void add_once() { add("once", once<T, TH, R, B, W>, TH, R, 0, B, W, false); }
  template <int F, int S, int R, int ST, int W, int O = 0, int OUT = 0> void add_roles() { add((std::string(O ? "roles ordered out" : "roles out") + char(48 + OUT)).c_str(), roles<T, F, S, R, ST, W, O, OUT>, (F + S + 2) * 32, R, ST, 1, W, true, F * R * 512); }
  template <int TH, int R, int B, int W> void add_bulk() { add("bulk", bulk<T, TH, R, B, W>, TH, R, 1, B, W, false); }
  void measure(int rounds, const char* type) {
    cudaEvent_t a, b;
    CK(cudaEventCreate(&a));
    CK(cudaEventCreate(&b));
    for (auto& e : entries)
      if (e.checked) {
        for (int again = 0; again < 2; again++) {
        CK(cudaMemset(out, 0xa5, n * sizeof(T)));
        clear();
        e.run();
        CK(cudaDeviceSynchronize());
        u64 bad = mismatches(out, expected, e.covered);
        if (bad) printf("%s %s: %llu DIFFER\n", type, e.name.c_str(), bad);
        }
      }
    for (int round = 0; round < rounds + 1; round++)
      for (auto& e : entries) {
        clear();
        CK(cudaEventRecord(a));
        e.run();
        CK(cudaEventRecord(b));
        CK(cudaEventSynchronize(b));
        float ms;
        CK(cudaEventElapsedTime(&ms, a, b));
        if (round) e.t.push_back(ms);
      }
    CK(cudaGetLastError());
    for (auto& e : entries) {
      std::sort(e.t.begin(), e.t.end());
      float m = e.t[e.t.size() / 2];
      printf("%s,%zu,%s,%.4f,%.4f,%.1f\n", type, n, e.name.c_str(), m, e.t[0], 2.0 * double(n) * sizeof(T) / (m * 1e-3) / 3.01e12 * 100);
      fflush(stdout);
    }
  }
};

template <class T> void common(bed<T>& b) {
  b.entries.push_back({"memcpy,0,0,0,0,0,0,0,0", [=] { CK(cudaMemcpyAsync(b.out, b.in, b.n * sizeof(T), cudaMemcpyDeviceToDevice)); }, false, b.n, {}});
  size_t bytes = 0;
  CK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, b.in, b.expected, b.n));
  void* w;
  CK(cudaMalloc(&w, bytes));
  b.entries.push_back({"cub,0,0,0,0,0,0,0,0", [=] { size_t g = bytes; CK(cub::DeviceScan::ExclusiveSum(w, g, b.in, b.expected, b.n)); }, false, b.n, {}});
  b.entries.back().run();
  CK(cudaDeviceSynchronize());
}

template <class T> void first_designs(bed<T>& b) {
  b.template add_pipe<512, 8, 1, 0>();
  b.template add_pipe<512, 8, 1, 1>();
  b.template add_pipe<512, 8, 1, 4>();
  b.template add_pipe<512, 12, 1, 4>();
  b.template add_pipe<256, 8, 2, 4>();
  b.template add_pipe<256, 12, 2, 4>();
  b.template add_pipe<1024, 4, 1, 4>();
  b.template add_pipe<512, 4, 2, 4>();
  b.template add_ring<512, 8, 3, 1, 0>();
  b.template add_ring<512, 8, 3, 1, 1>();
  b.template add_ring<512, 8, 3, 1, 4>();
  b.template add_ring<512, 12, 2, 1, 4>();
  b.template add_ring<1024, 4, 3, 1, 4>();
  b.template add_ring<1024, 6, 2, 1, 4>();
  b.template add_ring<512, 6, 2, 2, 4>();
  b.template add_ring<512, 4, 3, 2, 1>();
  b.template add_ring<512, 4, 3, 2, 4>();
  b.template add_ring<512, 4, 3, 2, 0>();
  b.template add_ring<256, 8, 3, 2, 4>();
  b.template add_ring<256, 12, 2, 2, 4>();
  b.template add_ring<256, 6, 3, 3, 4>();
  b.template add_ring<256, 4, 3, 4, 4>();
}
template <class T> void second_designs(bed<T>& b) {
  b.template add_ring<512, 4, 3, 2, 0>();
  b.template add_roles<16, 4, 8, 3, 0>();
  b.template add_roles<16, 4, 8, 3, 1>();
  b.template add_roles<16, 4, 8, 3, 2>();
  b.template add_roles<16, 4, 8, 3, 4>();
  b.template add_roles<16, 2, 8, 3, 2>();
  b.template add_roles<16, 4, 8, 3, 2, 1>();
  b.template add_roles<16, 4, 8, 3, 0, 0, 1>();
  b.template add_roles<16, 4, 8, 3, 1, 0, 1>();
  b.template add_roles<16, 4, 8, 3, 2, 0, 1>();
  b.template add_roles<8, 2, 8, 6, 0, 0, 2>();
  b.template add_roles<8, 2, 8, 6, 2, 0, 2>();
  b.template add_roles<16, 4, 4, 6, 2, 0, 2>();
  b.template add_roles<16, 4, 6, 4, 2, 0, 1>();
  b.template add_roles<16, 4, 6, 4, 2, 0, 2>();
  b.template add_roles<8, 2, 8, 6, 1>();
  b.template add_roles<8, 2, 8, 6, 4>();
  b.template add_roles<16, 4, 4, 6, 2>();
  b.template add_roles<16, 4, 4, 6, 4>();
  b.template add_roles<12, 4, 8, 4, 2>();
  b.template add_roles<12, 4, 8, 4, 4>();
  b.template add_roles<16, 4, 6, 4, 2>();
  b.template add_bulk<512, 12, 2, 1>();
  b.template add_bulk<512, 12, 2, 2>();
  b.template add_bulk<256, 16, 3, 1>();
  b.template add_bulk<256, 24, 2, 1>();
  b.template add_bulk<512, 8, 3, 1>();
  b.template add_bulk<256, 18, 3, 2>();
  b.template add_bulk<512, 24, 1, 1>();
  b.template add_bulk<256, 12, 4, 1>();
}
template <class T> void run(const char* name, char* in, char* out, char* expected, size_t n, char* work, int rounds, bool first) {
  bed<T> b{reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), reinterpret_cast<T*>(expected), n, work, {}};
  common(b);
  if constexpr (sizeof(T) == 4) b.template add_once<512, 16, 1, 1>();
  else b.template add_once<256, 16, 2, 1>();
  if (first) first_designs(b);
  else second_designs(b);
  b.measure(rounds, name);
}

int main(int argc, char** argv) {
  const int log_n = argc > 1 ? atoi(argv[1]) : 28, rounds = argc > 2 ? atoi(argv[2]) : 9;
  const bool first = argc > 3 && std::string(argv[3]) == "FIRST";
  const size_t n = size_t(1) << log_n;
  char *in, *out, *expected, *work;
  CK(cudaMalloc(&in, n * 8)); CK(cudaMalloc(&out, n * 8)); CK(cudaMalloc(&expected, n * 8)); CK(cudaMalloc(&work, 4 << 20));
  generate<<<1024, 256>>>(reinterpret_cast<u64*>(in), n, 0, 5);
  printf("type,n,kind,threads,rows,stages,blocks,windows,resident,registers,local bytes,median ms,best ms,%% of copy\n");
  run<u32>("u32", in, out, expected, n, work, rounds, first);
  run<u64>("u64", in, out, expected, n, work, rounds, first);
}
