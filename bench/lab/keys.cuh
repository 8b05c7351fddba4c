// Laboratory: keys alone, unstable: look (joint 16-bit histogram) -> partition by 8 bits -> partition by 8 bits -> local sort.
#pragma once
#include "common.cuh"

constexpr int RADIX = 256;

template <class W> __device__ __forceinline__ u32 digit_at(const key_codec<W>& c, W u, u32 shift, u32 mask) {
  return static_cast<u32>(c.whole_image(u) >> shift) & mask;
}

// ---- look: counts of the top 16 bits, 16-bit counters packed two a word, spilled to memory before they overflow --------------------
template <class W, int T, int U> __global__ __launch_bounds__(T, 1) void look(const W* __restrict__ in, size_t n, u32* count, W* differ,
                                                                              key_codec<W> codec, u32 shift) {
  extern __shared__ __align__(16) char raw[];
  u32* h = reinterpret_cast<u32*>(raw); // 32768 words
  for (int i = threadIdx.x; i < 8192; i += T) reinterpret_cast<uint4*>(h)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  constexpr int V = 16 / sizeof(W);
  struct alignas(16) vec { W k[V]; };
  const vec* v = reinterpret_cast<const vec*>(in);
  size_t vectors = n / V;
  W any = 0, all = ~W(0);
  auto add = [&](W k) {
    any |= k; all &= k;
    u32 d = digit_at(codec, k, shift, 0xffff), s = (d & 1) * 16;
    u32 old = atomicAdd(&h[d >> 1], 1u << s);
    if (((old >> s) & 0xffff) == 0x7fff) { // at most T keys more can arrive before this thread takes the half away
      atomicSub(&h[d >> 1], 0x8000u << s);
      atomicAdd(&count[d], 0x8000u);
    }
  };
  size_t step = size_t(gridDim.x) * T, i = blockIdx.x * size_t(T) + threadIdx.x;
  for (; i + (U - 1) * step < vectors; i += U * step) {
    vec x[U];
#pragma unroll
    for (int j = 0; j < U; j++) x[j] = v[i + j * step];
#pragma unroll
    for (int j = 0; j < U; j++)
#pragma unroll
      for (int e = 0; e < V; e++) add(x[j].k[e]);
  }
  for (; i < vectors; i += step) {
    vec x = v[i];
    for (int e = 0; e < V; e++) add(x.k[e]);
  }
  if (blockIdx.x == 0 && vectors * V + threadIdx.x < n) add(in[vectors * V + threadIdx.x]);
  if (differ && any != all) { // the laboratory keeps only the cost of knowing it
    if constexpr (sizeof(W) <= 8) { if ((any ^ all) == W(0x123456)) *differ = any; } else *differ = any;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32768; i += T) {
    u32 x = h[i];
    if (x & 0xffff) atomicAdd(&count[2 * i], x & 0xffff);
    if (x >> 16) atomicAdd(&count[2 * i + 1], x >> 16);
  }
}

// ---- tables: where buckets start, and which tiles the second partition has --------------------------------------------------------
struct tables {
  alignas(16) u32 start16[65537];
  alignas(16) u32 next16[65536];
  u32 next8[256];
  u32 seg1[2], tile1[2];
  u32 seg2[257], tile2[257];
};
// One block. tile: keys a tile, align: keys in 16 bytes.
__global__ __launch_bounds__(1024) void make_tables(const u32* count, tables* t, u32 n, u32 tile1, u32 tile2, u32 align) {
  __shared__ u32 sums[32];
  u32 c[64], sum = 0;
  const uint4* v = reinterpret_cast<const uint4*>(count) + threadIdx.x * 16;
#pragma unroll
  for (int i = 0; i < 16; i++) {
    uint4 x = v[i];
    c[4 * i] = x.x; c[4 * i + 1] = x.y; c[4 * i + 2] = x.z; c[4 * i + 3] = x.w;
    sum += x.x + x.y + x.z + x.w;
  }
  u32 w = threadIdx.x >> 5, inc = warp_inclusive_sum(sum);
  if (lane_id() == 31) sums[w] = inc;
  __syncthreads();
  u32 s = warp_inclusive_sum(sums[lane_id()]);
  u32 base = inc - sum + (w ? __shfl_sync(~0u, s, w - 1) : 0);
  u32 first = base;
#pragma unroll
  for (int i = 0; i < 16; i++) {
    uint4 x;
    x.x = base; base += c[4 * i]; x.y = base; base += c[4 * i + 1]; x.z = base; base += c[4 * i + 2]; x.w = base; base += c[4 * i + 3];
#pragma unroll
    for (int e = 0; e < 4; e++) t->start16[threadIdx.x * 64 + i * 4 + e] = (&x.x)[e];
    reinterpret_cast<uint4*>(t->next16)[threadIdx.x * 16 + i] = x;
  }
  if (threadIdx.x == 1023) { t->start16[65536] = n; t->seg2[256] = n; }
  __shared__ u32 begin[257];
  if (threadIdx.x % 4 == 0) { t->next8[threadIdx.x / 4] = first; t->seg2[threadIdx.x / 4] = first; begin[threadIdx.x / 4] = first; }
  if (threadIdx.x == 0) { begin[256] = n; t->seg1[0] = 0; t->seg1[1] = n; t->tile1[0] = 0; t->tile1[1] = (n + tile1 - 1) / tile1; }
  __syncthreads();
  u32 tiles = 0;
  if (threadIdx.x < 256) {
    u32 lo = begin[threadIdx.x], hi = begin[threadIdx.x + 1];
    if (hi > lo) tiles = (hi - lo / align * align + tile2 - 1) / tile2;
  }
  inc = warp_inclusive_sum(tiles);
  if (lane_id() == 31) sums[w] = inc;
  __syncthreads();
  s = warp_inclusive_sum(sums[lane_id()]);
  if (threadIdx.x < 256) t->tile2[threadIdx.x + 1] = inc + (w ? __shfl_sync(~0u, s, w - 1) : 0);
  if (threadIdx.x == 0) t->tile2[0] = 0;
}

// ---- partition --------------------------------------------------------------------------------------------------------------------
// STAGES 0: the next tile is loaded into registers while this one is written; 1, 2: bulk copies into that many buffers.
template <class W, int T, int I, int STAGES> constexpr int partition_shared() { return (STAGES == 2 ? 2 : 1) * T * I * int(sizeof(W)); }
template <class W, int T, int I, int MINB, int STAGES>
__global__ __launch_bounds__(T, MINB) void partition(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first,
                                                     u32 segments, u32* next, key_codec<W> codec, u32 shift) {
  constexpr int TILE = T * I, V = 16 / sizeof(W);
  extern __shared__ __align__(128) char raw[];
  W* buffer = reinterpret_cast<W*>(raw);
  __shared__ u32 count[RADIX], offset[RADIX], base[RADIX];
  __shared__ __align__(8) u64 bar[2];
  const int t = threadIdx.x;
  const u32 tiles = tile_first[segments];
  auto find = [&](u32 tile, u32 s) { while (tile >= tile_first[s + 1]) ++s; return s; };
  // the keys [lo, hi) of a tile, at positions relative to its first, 16-byte aligned key
  auto range = [&](u32 tile, u32 s, u32& first, int& lo, int& hi) {
    u32 b = seg[s], e = seg[s + 1];
    u32 aligned = STAGES ? b / V * V : b;
    first = aligned + (tile - tile_first[s]) * TILE;
    lo = first < b ? int(b - first) : 0;
    hi = int(min(e - first, u32(TILE)));
  };
  auto issue = [&](u32 tile, u32 s, int stage) {
    u32 first; int lo, hi;
    range(tile, s, first, lo, hi);
    u32 bytes = u32(hi + V - 1) / V * 16;
    mbarrier_expect(&bar[stage], bytes);
    bulk_load(buffer + stage * TILE, in + first, bytes, &bar[stage]);
  };
  u32 tile = blockIdx.x;
  if (tile >= tiles) return;
  u32 s = find(tile, 0), s_issue = s, tile_issue = tile;
  if (t < RADIX) count[t] = 0;
  if constexpr (STAGES > 0) {
    if (t == 0) {
      mbarrier_init(&bar[0], 1); mbarrier_init(&bar[1], 1);
      mbarrier_fence_init();
      for (int j = 0; j < STAGES && tile_issue < tiles; j++, tile_issue += gridDim.x) { s_issue = find(tile_issue, s_issue); issue(tile_issue, s_issue, j); }
    }
  }
  __syncthreads();
  W k[I];
  u32 first; int lo, hi;
  range(tile, s, first, lo, hi);
  auto load_registers = [&] {
    if (hi == TILE) {
#pragma unroll
      for (int i = 0; i < I; i++) k[i] = in[first + i * T + t];
    } else {
#pragma unroll
      for (int i = 0; i < I; i++) if (i * T + t < hi) k[i] = in[first + i * T + t];
    }
  };
  if constexpr (STAGES == 0) load_registers();
  for (u32 it = 0;; it++) {
    const int stage = STAGES == 2 ? it & 1 : 0;
    W* b = buffer + stage * TILE;
    const bool full = lo == 0 && hi == TILE;
    const u32 segment = s;
    const int m = hi - lo;
    if constexpr (STAGES > 0) {
      mbarrier_wait(&bar[stage], (STAGES == 2 ? it >> 1 : it) & 1);
#pragma unroll
      for (int i = 0; i < I; i++) k[i] = b[i * T + t];
    }
    u32 rank[(I + 1) / 2]; // two 16-bit ranks a word
    if (full) {
#pragma unroll
      for (int i = 0; i < I; i++) {
        u32 r = atomicAdd(&count[digit_at(codec, k[i], shift, RADIX - 1)], 1u);
        rank[i / 2] = i % 2 ? rank[i / 2] | r << 16 : r;
      }
    } else {
#pragma unroll
      for (int i = 0; i < I; i++) {
        int p = i * T + t;
        u32 r = 0;
        if (p >= lo && p < hi) r = atomicAdd(&count[digit_at(codec, k[i], shift, RADIX - 1)], 1u);
        rank[i / 2] = i % 2 ? rank[i / 2] | r << 16 : r;
      }
    }
    __syncthreads();
    if (t < 32) {
      uint4 a = reinterpret_cast<uint4*>(count)[2 * t], c = reinterpret_cast<uint4*>(count)[2 * t + 1];
      u32 sum = a.x + a.y + a.z + a.w + c.x + c.y + c.z + c.w, e = warp_inclusive_sum(sum) - sum;
      uint4 x, y;
      x.x = e; x.y = x.x + a.x; x.z = x.y + a.y; x.w = x.z + a.z; y.x = x.w + a.w; y.y = y.x + c.x; y.z = y.y + c.y; y.w = y.z + c.z;
      reinterpret_cast<uint4*>(offset)[2 * t] = x;
      reinterpret_cast<uint4*>(offset)[2 * t + 1] = y;
    }
    __syncthreads();
    u32 reserved = 0;
    if (t < RADIX) {
      u32 c = count[t];
      count[t] = 0;
      if (c) reserved = atomicAdd(&next[segment * RADIX + t], c);
    }
    if (full) {
#pragma unroll
      for (int i = 0; i < I; i++) b[offset[digit_at(codec, k[i], shift, RADIX - 1)] + (rank[i / 2] >> (i % 2 * 16) & 0xffff)] = k[i];
    } else {
#pragma unroll
      for (int i = 0; i < I; i++) {
        int p = i * T + t;
        if (p >= lo && p < hi) b[offset[digit_at(codec, k[i], shift, RADIX - 1)] + (rank[i / 2] >> (i % 2 * 16) & 0xffff)] = k[i];
      }
    }
    // the next tile
    tile += gridDim.x;
    const bool more = tile < tiles;
    if (more) {
      s = find(tile, s);
      range(tile, s, first, lo, hi);
      if constexpr (STAGES == 0) load_registers();
    }
    if (t < RADIX) base[t] = reserved - offset[t];
    __syncthreads();
    if (m == TILE) {
#pragma unroll
      for (int i = 0; i < I; i++) {
        u32 p = i * T + t;
        W x = b[p];
        out[base[digit_at(codec, x, shift, RADIX - 1)] + p] = x;
      }
    } else {
#pragma unroll
      for (int i = 0; i < I; i++) {
        u32 p = i * T + t;
        if (int(p) < m) {
          W x = b[p];
          out[base[digit_at(codec, x, shift, RADIX - 1)] + p] = x;
        }
      }
    }
    if (!more) break;
    if constexpr (STAGES > 0) fence_async_shared();
    __syncthreads();
    if constexpr (STAGES > 0) {
      if (t == 0 && tile_issue < tiles) {
        s_issue = find(tile_issue, s_issue);
        issue(tile_issue, s_issue, stage);
        tile_issue += gridDim.x;
      }
    }
  }
}

// ---- local sort: one atomic a key into 4-bit counters, four a word beside the word's 16-bit offset; bins of several keys put right after --
template <int WORDS, int P> __device__ __forceinline__ u32 swizzle(u32 w) { // no bank conflict when thread t reads words [P t, P t + P) by fours
  if constexpr (P == 8) return w ^ ((w >> 3) & 4);
  else if constexpr (P == 16) return w ^ ((w >> 3) & 12);
  else if constexpr (P == 32) return w ^ ((w >> 3) & 28);
  else return w;
}
template <class W, int T, int I, int WORDS> constexpr int local_shared() { return T * I * int(sizeof(W)) + WORDS * 4; }

// The buckets that the fast path leaves: over[0] of them, listed from over[1] on.
__device__ __forceinline__ void leave(u32* over, u32 bucket) { over[1 + atomicAdd(over, 1u)] = bucket; }

__device__ __forceinline__ u32 nibbles_below(u32 w, u32 s) { // sum of the 4-bit counters of the low half below bit s
  u32 b = w & ((1u << s) - 1);
  b = (b & 0x0f0f) + (b >> 4 & 0x0f0f);
  return (b + (b >> 8)) & 0xff;
}

template <class W, int T, int I, int WORDS, int MINB, bool PERSIST>
__global__ __launch_bounds__(T, MINB) void local_sort(const W* __restrict__ in, W* __restrict__ out, const u32* start, u32 buckets,
                                                      key_codec<W> codec, u32 rest, u32* over) {
  constexpr int CAP = T * I, P = WORDS / T, BITS = __builtin_ctz(WORDS) + 2;
  extern __shared__ __align__(128) char raw[];
  W* keys = reinterpret_cast<W*>(raw);
  u32* word = reinterpret_cast<u32*>(keys + CAP);
  __shared__ u32 sums[T / 32];
  const int t = threadIdx.x;
  const u32 shift = rest > u32(BITS) ? rest - BITS : 0, mask = rest > u32(BITS) ? 4 * WORDS - 1 : (1u << rest) - 1;
  W k[I];
  u32 bucket = blockIdx.x, lo = start[bucket];
  int m = int(start[bucket + 1] - lo); // 0: nothing to do here
  auto load = [&] {
    if (m > CAP) { if (t == 0) leave(over, bucket); m = 0; }
#pragma unroll
    for (int i = 0; i < I; i++) if (i * T + t < m) k[i] = in[lo + i * T + t];
  };
  load();
  for (;;) {
#pragma unroll
    for (int j = 0; j < P; j += 4) *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(0, 0, 0, 0);
    __syncthreads();
    u32 rank[(I + 7) / 8];
#pragma unroll
    for (int i = 0; i < I; i++) {
      if (i % 8 == 0) rank[i / 8] = 0;
      if (i * T + t < m) {
        u32 bin = digit_at(codec, k[i], shift, mask), s = (bin & 3) * 4;
        u32 old = atomicAdd(&word[swizzle<WORDS, P>(bin >> 2)], 1u << s);
        rank[i / 8] |= (old >> s & 15) << (i % 8 * 4);
      }
    }
    __syncthreads();
    u32 sum = 0;
    std::conditional_t<(P * 4 > 32), u64, u32> several = 0; // this thread's bins that hold more than one key
    {
      u32 x[P];
#pragma unroll
      for (int j = 0; j < P; j += 4) {
        uint4 v = *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]);
        x[j] = v.x; x[j + 1] = v.y; x[j + 2] = v.z; x[j + 3] = v.w;
      }
#pragma unroll
      for (int j = 0; j < P; j++) {
        u32 z = x[j] & 0xeeee;
        z = (z >> 1 | z >> 2 | z >> 3) & 0x1111; // two keys or more
        several |= decltype(several)((z * 0x1248u >> 12) & 15) << (4 * j);
        u32 y = nibbles_below(x[j] & 0xffff, 16);
        x[j] = (x[j] & 0xffff) | sum << 16;
        sum += y;
      }
      u32 inc = warp_inclusive_sum(sum);
      if (lane_id() == 31) sums[t >> 5] = inc;
      __syncthreads();
      u32 all = warp_inclusive_sum(lane_id() < T / 32 ? sums[lane_id()] : 0);
      u32 before = (t >> 5) ? __shfl_sync(~0u, all, (t >> 5) - 1) : 0;
      u32 total = __shfl_sync(~0u, all, 31);
      if (total != u32(m)) { // a 4-bit counter that overflows loses 15 or 16
        if (t == 0) leave(over, bucket);
        m = 0;
        several = 0;
      }
      u32 add = (before + inc - sum) << 16;
#pragma unroll
      for (int j = 0; j < P; j += 4)
        *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(x[j] + add, x[j + 1] + add, x[j + 2] + add, x[j + 3] + add);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++)
      if (i * T + t < m) {
        u32 bin = digit_at(codec, k[i], shift, mask), s = (bin & 3) * 4, w = word[swizzle<WORDS, P>(bin >> 2)];
        keys[(w >> 16) + nibbles_below(w, s) + (rank[i / 8] >> (i % 8 * 4) & 15)] = k[i];
      }
    const u32 this_lo = lo;
    const int this_m = m;
    bucket += gridDim.x;
    const bool more = PERSIST && bucket < buckets;
    if (more) { lo = start[bucket]; m = int(start[bucket + 1] - lo); load(); }
    __syncthreads();
    while (several) {
      int q = (sizeof(several) == 8 ? __ffsll(several) : __ffs(u32(several))) - 1;
      several &= several - 1;
      u32 w = word[swizzle<WORDS, P>(t * P + (q >> 2))], s = (q & 3) * 4;
      int c = w >> s & 15;
      W* a = keys + (w >> 16) + nibbles_below(w, s);
      W first = a[0], second = a[1];
      if (codec.whole_image(second) < codec.whole_image(first)) { a[0] = second; a[1] = first; }
      for (int e = 2; e < c; e++) {
        W v = a[e];
        int y = e - 1;
        while (y >= 0 && codec.whole_image(v) < codec.whole_image(a[y])) { a[y + 1] = a[y]; y--; }
        a[y + 1] = v;
      }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) if (i * T + t < this_m) out[this_lo + i * T + t] = keys[i * T + t];
    if (!more) break;
  }
}

// Any keys, m up to CAP: bitonic in shared memory, all comparators upward, so that what lies beyond m counts as +infinity.
template <class W, int T, int CAP> __global__ __launch_bounds__(T, 1) void local_fallback(const W* __restrict__ in, W* __restrict__ out, const u32* start,
                                                                                       key_codec<W> codec, const u32* over, u32* too_large) {
  extern __shared__ __align__(128) char raw[];
  W* keys = reinterpret_cast<W*>(raw);
  for (u32 q = blockIdx.x; q < over[0]; q += gridDim.x) {
    u32 bucket = over[1 + q], lo = start[bucket];
    int m = int(start[bucket + 1] - lo);
    if (m > CAP) { if (threadIdx.x == 0) atomicAdd(too_large, 1u); continue; }
    __syncthreads();
    for (int i = threadIdx.x; i < m; i += T) keys[i] = in[lo + i];
    __syncthreads();
    int log = 32 - __clz(m - 1);
    for (int k = 1; k <= log; k++)
      for (int j = k - 1; j >= 0; j--) {
        for (int i = threadIdx.x; i < 1 << (log - 1); i += T) {
          int a = (i >> j << (j + 1)) | (i & ((1 << j) - 1)), b = j == k - 1 ? a ^ ((1 << k) - 1) : a + (1 << j);
          if (b < m) {
            W x = keys[a], y = keys[b];
            if (codec.whole_image(y) < codec.whole_image(x)) { keys[a] = y; keys[b] = x; }
          }
        }
        __syncthreads();
      }
    for (int i = threadIdx.x; i < m; i += T) out[lo + i] = keys[i];
  }
}
