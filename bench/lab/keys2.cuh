// Laboratory, second design. Partition: every block owns a run of tiles and carries each bucket's incomplete granule over to the next
// tile, so that memory sees only whole, aligned granules. Local: presence bits instead of counters.
#pragma once
#include "keys.cuh"

template <class W> struct alignas(16) key_vector { W k[16 / sizeof(W)]; };

// ---- partition ---------------------------------------------------------------------------------------------------------------------
// A bucket [start, end) is filled as a ring: whole granules from align_up(start) upward (past end they wrap to start), what a block has
// left at its end from align_up(start) downward. Both reservations are one atomic a bucket, and together they fill the bucket exactly.
//   next[b] = align_up(start[b], G) at first, left_over[b] = 0 at first
template <class W, int T, int NV, int G> constexpr int partition2_shared() {
  return (T * NV * (16 / int(sizeof(W))) + RADIX * (G - 1) + RADIX * G + 16) * int(sizeof(W));
}
template <class W, int T, int NV, int MINB, int G>
__global__ __launch_bounds__(T, MINB) void partition2(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first,
                                                      u32 segments, const u32* start, u32* next, u32* left_over, key_codec<W> codec, u32 shift) {
  constexpr int V = 16 / sizeof(W), I = NV * V, TILE = T * I, SLOTS = RADIX * G / T;
  static_assert(SLOTS * T == RADIX * G && G % V == 0);
  extern __shared__ __align__(128) char raw[];
  W* stage = reinterpret_cast<W*>(raw);                                   // whole granules of this tile, bucket by bucket
  W* carry = stage + (TILE + RADIX * (G - 1) + V - 1) / V * V;            // [RADIX][G] incomplete granules
  constexpr u32 CARRY = (TILE + RADIX * (G - 1) + V - 1) / V * V;
  __shared__ __align__(16) u32 count[RADIX], left[RADIX], entry[RADIX];
  __shared__ uint2 place[RADIX]; // where staged position 0 would go; end of the bucket
  __shared__ u32 staged;
  const int t = threadIdx.x;
  const u32 tiles = tile_first[segments], per = (tiles + gridDim.x - 1) / gridDim.x;
  u32 tile = blockIdx.x * per;
  const u32 tile_end = min(tile + per, tiles);
  if (tile >= tile_end) return;
  if (t < RADIX) count[t] = left[t] = 0;
  __syncthreads();
  u32 s = 0;
  u32 first;
  int lo, hi;
  auto locate = [&] {
    while (tile >= tile_first[s + 1]) ++s;
    u32 b = seg[s], e = seg[s + 1];
    first = b / V * V + (tile - tile_first[s]) * TILE;
    lo = first < b ? int(b - first) : 0;
    hi = int(min(e - first, u32(TILE)));
  };
  key_vector<W> k[NV];
  auto load = [&] {
    const key_vector<W>* v = reinterpret_cast<const key_vector<W>*>(in + first);
    if (hi == TILE) {
#pragma unroll
      for (int i = 0; i < NV; i++) k[i] = v[i * T + t];
    } else {
#pragma unroll
      for (int i = 0; i < NV; i++) if ((i * T + t) * V < hi) k[i] = v[i * T + t];
    }
  };
  locate();
  load();
  for (;;) {
    const u32 segment = s;
    const bool full = lo == 0 && hi == TILE;
    u32 rank[(I + 1) / 2];
    auto rank_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++) {
        u32 r = 0;
        if (valid((i / V * T + t) * V + i % V)) r = atomicAdd(&count[digit_at(codec, k[i / V].k[i % V], shift, RADIX - 1)], 1u);
        rank[i / 2] = i % 2 ? rank[i / 2] | r << 16 : r;
      }
    };
    if (full) rank_all([](int) { return true; });
    else rank_all([=](int p) { return p >= lo && p < hi; });
    W old[SLOTS];
    u32 has = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      old[j] = carry[slot];
      has |= u32(slot % G < left[slot / G]) << j;
    }
    __syncthreads();
    if (t < 32) { // eight digits a lane
      u32 c[8], sum = 0;
#pragma unroll
      for (int j = 0; j < 8; j += 4) {
        uint4 x = reinterpret_cast<uint4*>(count)[2 * t + j / 4];
        c[j] = x.x; c[j + 1] = x.y; c[j + 2] = x.z; c[j + 3] = x.w;
      }
#pragma unroll
      for (int j = 0; j < 8; j++) sum += c[j] / G * G;
      u32 inc = warp_inclusive_sum(sum), e = inc - sum;
      u32 rest[8], en[8];
#pragma unroll
      for (int j = 0; j < 8; j++) {
        u32 whole = c[j] / G * G;
        rest[j] = c[j] - whole;
        en[j] = e | whole << 16;
        e += whole;
      }
#pragma unroll
      for (int j = 0; j < 8; j += 4) {
        reinterpret_cast<uint4*>(entry)[2 * t + j / 4] = make_uint4(en[j], en[j + 1], en[j + 2], en[j + 3]);
        uint4 r = make_uint4(rest[j], rest[j + 1], rest[j + 2], rest[j + 3]);
        reinterpret_cast<uint4*>(left)[2 * t + j / 4] = r;
        reinterpret_cast<uint4*>(count)[2 * t + j / 4] = r;
      }
      if (t == 31) staged = inc;
    }
    __syncthreads();
    u32 reserved = 0, end = 0, off = 0;
    if (t < RADIX) {
      u32 en = entry[t];
      off = en & 0xffff;
      end = start[segment * RADIX + t + 1];
      if (en >> 16) reserved = atomicAdd(&next[segment * RADIX + t], en >> 16);
    }
    auto put = [&](W key, u32 d, u32 r) {
      u32 e = entry[d], whole = e >> 16;
      stage[r < whole ? (e & 0xffff) + r : CARRY + d * G + r - whole] = key;
    };
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++)
        if (valid((i / V * T + t) * V + i % V)) put(k[i / V].k[i % V], digit_at(codec, k[i / V].k[i % V], shift, RADIX - 1), rank[i / 2] >> (i % 2 * 16) & 0xffff);
    };
    if (full) put_all([](int) { return true; });
    else put_all([=](int p) { return p >= lo && p < hi; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      if (has >> j & 1) put(old[j], slot / G, slot % G);
    }
    tile++;
    const bool more = tile < tile_end;
    if (more) { locate(); load(); }
    if (t < RADIX) place[t] = make_uint2(reserved - off, end);
    __syncthreads();
    const u32 vectors = staged / V;
#pragma unroll 4
    for (u32 v = t; v < vectors; v += T) {
      key_vector<W> x = reinterpret_cast<key_vector<W>*>(stage)[v];
      u32 d = digit_at(codec, x.k[0], shift, RADIX - 1);
      uint2 pl = place[d];
      u32 to = pl.x + v * V;
      if (to + V <= pl.y) *reinterpret_cast<key_vector<W>*>(out + to) = x;
      else {
        u32 b = start[segment * RADIX + d];
#pragma unroll
        for (int e = 0; e < V; e++) out[to + e < pl.y ? to + e : b + (to + e - pl.y)] = x.k[e];
      }
    }
    __syncthreads();
    if (!more || s != segment) { // what is left goes to the other end of the ring
      if (t < RADIX) {
        u32 c = left[t], r = 0;
        if (c) r = atomicAdd(&left_over[segment * RADIX + t], c);
        entry[t] = r;
        count[t] = 0;
      }
      __syncthreads();
#pragma unroll
      for (int j = 0; j < SLOTS; j++) {
        u32 slot = j * T + t, d = slot / G;
        if (slot % G < left[d]) {
          u32 b = start[segment * RADIX + d], e = start[segment * RADIX + d + 1], a = min((b + G - 1) / G * G, e), q = entry[d] + slot % G;
          out[q < a - b ? a - 1 - q : e - 1 - (q - (a - b))] = carry[slot];
        }
      }
      if (!more) break;
      __syncthreads();
      if (t < RADIX) left[t] = 0;
      __syncthreads();
    }
  }
}
__global__ void start_rings(const u32* start, u32* next, u32* left_over, u32 n, u32 stride, u32 granule) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { next[i] = (start[i * stride] + granule - 1) / granule * granule; left_over[i] = 0; }
}

// ---- local sort ----------------------------------------------------------------------------------------------------------------------
// One word for 16 bins: while counting, 16 presence bits and above them the number of keys that found their bin taken; then the bits and
// the word's offset. Words with a taken bin (3 % of the keys at 16 bins a key) are put right by insertion. Too many: the bucket is left.
template <class W, int T, int NV, int WORDS> constexpr int local2_shared() { return T * NV * 16 + WORDS * 4; }
template <class W, int T, int NV, int WORDS, int MINB>
__global__ __launch_bounds__(T, MINB) void local_sort2(const W* __restrict__ in, W* __restrict__ out, const u32* start, key_codec<W> codec, u32 rest, u32* over) {
  constexpr int V = 16 / sizeof(W), I = NV * V, CAP = T * I, P = WORDS / T, BITS = __builtin_ctz(WORDS) + 4, LIST = 1024, MOST = 24;
  extern __shared__ __align__(128) char raw[];
  W* keys = reinterpret_cast<W*>(raw);
  u32* word = reinterpret_cast<u32*>(keys + CAP);
  __shared__ u32 sums[T / 32], listed, bad;
  __shared__ u16 list[LIST];
  const int t = threadIdx.x;
  const u32 shift = rest > u32(BITS) ? rest - BITS : 0, mask = rest > u32(BITS) ? 16 * WORDS - 1 : (1u << rest) - 1;
  const u32 bucket = LAB_BACKWARD ? gridDim.x - 1 - blockIdx.x : blockIdx.x, lo = start[bucket];
  const int m = int(start[bucket + 1] - lo), a = int(lo % V);
#ifdef LAB_AHEAD
  if (threadIdx.x == blockDim.x - 1 && bucket >= LAB_AHEAD) { // the bucket that a block some waves later will want
    u32 lo2 = start[bucket - LAB_AHEAD] / V * V, hi2 = start[bucket - LAB_AHEAD + 1] / V * V;
    if (hi2 > lo2) prefetch_l2(in + lo2, (hi2 - lo2) * u32(sizeof(W)));
  }
#endif
  if (m == 0) return;
  if (m + a > CAP) { if (t == 0) leave(over, bucket); return; }
  key_vector<W> k[NV];
  const key_vector<W>* from = reinterpret_cast<const key_vector<W>*>(in + (lo - a));
#pragma unroll
  for (int i = 0; i < NV; i++) if ((i * T + t) * V < m + a) k[i] = from[i * T + t];
#pragma unroll
  for (int j = 0; j < P; j += 4) *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(0, 0, 0, 0);
  if (t == 0) listed = bad = 0;
  __syncthreads();
  u32 taken[(I + 7) / 8]; // 4 bits a key: 0, or 1 + its number among those that found their bin taken in this word
#pragma unroll
  for (int i = 0; i < I; i++) {
    if (i % 8 == 0) taken[i / 8] = 0;
    int p = (i / V * T + t) * V + i % V - a;
    if (u32(p) < u32(m)) {
      u32 b = digit_at(codec, k[i / V].k[i % V], shift, mask), bit = 1u << (b & 15), w = swizzle<WORDS, P>(b >> 4);
      if (atomicOr(&word[w], bit) & bit) {
        u32 r = atomicAdd(&word[w], 0x10000u) >> 16;
        taken[i / 8] |= min(r + 1, 15u) << (i % 8 * 4);
        if (r == 0) { u32 q = atomicAdd(&listed, 1u); if (q < LIST) list[q] = u16(b >> 4); }
        if (r >= 14) bad = 1;
      }
    }
  }
  __syncthreads();
  {
    u32 x[P], sum = 0;
#pragma unroll
    for (int j = 0; j < P; j += 4) {
      uint4 v = *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]);
      x[j] = v.x; x[j + 1] = v.y; x[j + 2] = v.z; x[j + 3] = v.w;
    }
#pragma unroll
    for (int j = 0; j < P; j++) {
      u32 c = __popc(x[j] & 0xffff) + (x[j] >> 16);
      x[j] = (x[j] & 0xffff) | sum << 16;
      sum += c;
    }
    u32 inc = warp_inclusive_sum(sum);
    if (lane_id() == 31) sums[t >> 5] = inc;
    __syncthreads();
    if (bad || listed > LIST) { if (t == 0) leave(over, bucket); return; }
    u32 all = warp_inclusive_sum(lane_id() < T / 32 ? sums[lane_id()] : 0);
    u32 before = __shfl_sync(~0u, all, max((t >> 5) - 1, 0));
    u32 add = ((t >> 5 ? before : 0) + inc - sum) << 16;
#pragma unroll
    for (int j = 0; j < P; j += 4)
      *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(x[j] + add, x[j + 1] + add, x[j + 2] + add, x[j + 3] + add);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < I; i++) {
    int p = (i / V * T + t) * V + i % V - a;
    if (u32(p) < u32(m)) {
      u32 b = digit_at(codec, k[i / V].k[i % V], shift, mask), w = word[swizzle<WORDS, P>(b >> 4)];
      u32 tk = taken[i / 8] >> (i % 8 * 4) & 15;
      u32 below = tk ? tk - 1 : 0, sel = tk ? w & 0xffff : w & ((1u << (b & 15)) - 1);
      keys[a + (w >> 16) + __popc(sel) + below] = k[i / V].k[i % V];
    }
  }
  __syncthreads();
  for (u32 q = t; q < listed; q += T) {
    u32 i = list[q];
    int b = int(word[swizzle<WORDS, P>(i)] >> 16), e = i + 1 < WORDS ? int(word[swizzle<WORDS, P>(i + 1)] >> 16) : m;
    W* c = keys + a + b;
    for (int x = 1; x < e - b; x++) {
      W v = c[x];
      int y = x - 1;
      while (y >= 0 && codec.whole_image(v) < codec.whole_image(c[y])) { c[y + 1] = c[y]; y--; }
      c[y + 1] = v;
    }
  }
  __syncthreads();
  key_vector<W>* to = reinterpret_cast<key_vector<W>*>(out + (lo - a));
#pragma unroll
  for (int i = 0; i < NV; i++) {
    int p = (i * T + t) * V;
    if (p < m + a) {
      key_vector<W> x = reinterpret_cast<key_vector<W>*>(keys)[i * T + t];
      if (p >= a && p + V <= m + a) to[i * T + t] = x;
      else
#pragma unroll
        for (int e = 0; e < V; e++) if (p + e >= a && p + e < m + a) out[lo - a + p + e] = x.k[e];
    }
  }
}
