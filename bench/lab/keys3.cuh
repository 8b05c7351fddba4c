// Laboratory, third design for keys alone: fewer instructions and barriers; tile order by chunks.
#pragma once
#include "keys2.cuh"

// The codec split once a kernel instead of once a key.
template <class W> struct integer_image {
  W flip;
  __device__ explicit integer_image(const key_codec<W>& c) : flip(c.sign ^ c.complement) {}
  __device__ __forceinline__ u32 digit(W u, u32 shift, u32 mask) const { return (u32(u >> shift) ^ u32(flip >> shift)) & mask; }
  __device__ __forceinline__ bool less(W a, W b) const { return (a ^ flip) < (b ^ flip); }
};
template <class W> struct float_image {
  key_codec<W> c;
  __device__ explicit float_image(const key_codec<W>& c) : c(c) {}
  __device__ __forceinline__ u32 digit(W u, u32 shift, u32 mask) const { return u32(c.whole_image(u) >> shift) & mask; }
  __device__ __forceinline__ bool less(W a, W b) const { return c.whole_image(a) < c.whole_image(b); }
};

// ---- partition: as partition2; a block takes every gridDim-th chunk of `chunk` tiles, its carry lives on while the segment stays --------
template <class W, int T, int NV, int G, class Image>
__device__ __forceinline__ void partition3_body(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first, u32 segments,
                                                const u32* start, u32* next, u32* left_over, Image image, u32 shift, u32 chunk) {
  constexpr int V = 16 / sizeof(W), I = NV * V, TILE = T * I, SLOTS = RADIX * G / T;
  static_assert(SLOTS * T == RADIX * G && G % V == 0);
  extern __shared__ __align__(128) char raw[];
  W* stage = reinterpret_cast<W*>(raw);                        // whole granules of this tile, bucket by bucket
  constexpr u32 CARRY = (TILE + RADIX * (G - 1) + V - 1) / V * V;
  W* carry = stage + CARRY;                                    // [RADIX][G] incomplete granules
  __shared__ __align__(16) u32 count[RADIX], left[RADIX], entry[RADIX];
  __shared__ uint2 place[RADIX]; // where staged position 0 would go; end of the bucket
  __shared__ u32 staged;
  const int t = threadIdx.x;
  const u32 tiles = tile_first[segments];
  u32 tile = blockIdx.x * chunk, in_chunk = 0;
  if (tile >= tiles) return;
  if (t < RADIX) count[t] = left[t] = 0;
  __syncthreads();
  u32 s = 0, first;
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
    const key_vector<W>* v = reinterpret_cast<const key_vector<W>*>(in + first) + t;
    if (hi == TILE) {
#pragma unroll
      for (int i = 0; i < NV; i++) k[i] = v[i * T];
    } else {
#pragma unroll
      for (int i = 0; i < NV; i++) if ((i * T + t) * V < hi) k[i] = v[i * T];
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
        if (valid((i / V * T + t) * V + i % V)) r = atomicAdd(&count[image.digit(k[i / V].k[i % V], shift, RADIX - 1)], 1u);
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
      u32 at = r < whole ? (e & 0xffff) + r : CARRY + d * G + r - whole;
      stage[at] = key;
    };
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++)
        if (valid((i / V * T + t) * V + i % V)) put(k[i / V].k[i % V], image.digit(k[i / V].k[i % V], shift, RADIX - 1), rank[i / 2] >> (i % 2 * 16) & 0xffff);
    };
    if (full) put_all([](int) { return true; });
    else put_all([=](int p) { return p >= lo && p < hi; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      if (has >> j & 1) put(old[j], slot / G, slot % G);
    }
    tile++;
    if (++in_chunk == chunk) { in_chunk = 0; tile += (gridDim.x - 1) * chunk; }
    const bool more = tile < tiles;
    if (more) { locate(); load(); }
    if (t < RADIX) place[t] = make_uint2(reserved - off, end);
    __syncthreads();
    const u32 vectors = staged / V;
#pragma unroll 4
    for (u32 v = t; v < vectors; v += T) {
      key_vector<W> x = reinterpret_cast<key_vector<W>*>(stage)[v];
      u32 d = image.digit(x.k[0], shift, RADIX - 1);
      uint2 pl = place[d];
      u32 to = pl.x + v * V;
      if (to + V <= pl.y) *reinterpret_cast<key_vector<W>*>(out + to) = x;
      else {
        u32 b = start[segment * RADIX + d];
#pragma unroll
        for (int e = 0; e < V; e++) out[to + e < pl.y ? to + e : b + (to + e - pl.y)] = x.k[e];
      }
    }
    if (!more || s != segment) { // what is left goes to the other end of the ring
      __syncthreads();
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
    // no barrier here: the next round first writes `stage` behind two barriers, and what it touches before is idle in this round's last step
  }
}
template <class W, int T, int NV, int MINB, int G>
__global__ __launch_bounds__(T, MINB) void partition3(const W* __restrict__ in, W* __restrict__ out, const u32* seg, const u32* tile_first, u32 segments,
                                                      const u32* start, u32* next, u32* left_over, key_codec<W> codec, u32 shift, u32 chunk) {
  if (sizeof(W) > 8 || codec.infinity == 0)
    partition3_body<W, T, NV, G>(in, out, seg, tile_first, segments, start, next, left_over, integer_image<W>(codec), shift, chunk);
  else partition3_body<W, T, NV, G>(in, out, seg, tile_first, segments, start, next, left_over, float_image<W>(codec), shift, chunk);
}

// ---- local sort: as local_sort2; whole vectors are not checked key by key, keys whose bin is taken go through a short list ---------------
template <class W> struct overflow_entry { W key; u32 at; }; // at: word << 16 | number in the word
template <class W, int T, int NV, int WORDS> constexpr int local3_shared() { return T * NV * 16 + WORDS * 4; }
template <class W, int T, int NV, int WORDS, class Image>
__device__ __forceinline__ void local3_body(const W* __restrict__ in, W* __restrict__ out, const u32* start, Image image, u32 rest, u32* over) {
  constexpr int V = 16 / sizeof(W), I = NV * V, CAP = T * I, P = WORDS / T, BITS = __builtin_ctz(WORDS) + 4, LIST = 512, MOST = 16;
  static_assert(I <= 32);
  extern __shared__ __align__(128) char raw[];
  W* keys = reinterpret_cast<W*>(raw);
  u32* word = reinterpret_cast<u32*>(keys + CAP);
  __shared__ u32 sums[T / 32], listed, bad;
  __shared__ W list_key[LIST];
  __shared__ u32 list_at[LIST];
  const int t = threadIdx.x;
  const u32 shift = rest > u32(BITS) ? rest - BITS : 0, mask = rest > u32(BITS) ? 16 * WORDS - 1 : (1u << rest) - 1;
  const u32 bucket = LAB_BACKWARD ? gridDim.x - 1 - blockIdx.x : blockIdx.x, lo = start[bucket];
  const int m = int(start[bucket + 1] - lo), a = int(lo % V), end = m + a;
#ifdef LAB_AHEAD
  if (threadIdx.x == blockDim.x - 1 && bucket >= LAB_AHEAD) { // the bucket that a block some waves later will want
    u32 lo2 = start[bucket - LAB_AHEAD] / V * V, hi2 = start[bucket - LAB_AHEAD + 1] / V * V;
    if (hi2 > lo2) prefetch_l2(in + lo2, (hi2 - lo2) * u32(sizeof(W)));
  }
#endif
  if (m == 0) return;
  if (end > CAP) { if (t == 0) leave(over, bucket); return; }
  key_vector<W> k[NV];
  const W* from = in + (lo - a);
#pragma unroll
  for (int i = 0; i < NV; i++) if ((i * T + t) * V < end) k[i] = reinterpret_cast<const key_vector<W>*>(from)[i * T + t];
#pragma unroll
  for (int j = 0; j < P; j += 4) *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(0, 0, 0, 0);
  if (t == 0) listed = bad = 0;
  __syncthreads();
  auto each_key = [&](auto f) { // f(key, its number in this thread)
#pragma unroll
    for (int i = 0; i < NV; i++) {
      int p = (i * T + t) * V;
      if (p >= a && p + V <= end) {
#pragma unroll
        for (int e = 0; e < V; e++) f(k[i].k[e], i * V + e);
      } else if (p < end) {
#pragma unroll
        for (int e = 0; e < V; e++) if (p + e >= a && p + e < end) f(k[i].k[e], i * V + e);
      }
    }
  };
  u32 taken = 0; // keys that found their bin taken
  each_key([&](W key, int i) {
    u32 b = image.digit(key, shift, mask), bit = 1u << (b & 15);
    if (atomicOr(&word[swizzle<WORDS, P>(b >> 4)], bit) & bit) taken |= 1u << i;
  });
  for (u32 rest_taken = taken; rest_taken; rest_taken &= rest_taken - 1) {
    int i = __ffs(rest_taken) - 1;
    W key = from[(i / V * T + t) * V + i % V];
    u32 w = image.digit(key, shift, mask) >> 4, r = atomicAdd(&word[swizzle<WORDS, P>(w)], 0x10000u) >> 16, q = atomicAdd(&listed, 1u);
    if (r >= MOST || q >= LIST) bad = 1;
    else { list_key[q] = key; list_at[q] = w << 16 | r; }
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
      x[j] = __byte_perm(x[j], sum, 0x5410);
      sum += c;
    }
    u32 inc = warp_inclusive_sum(sum);
    if (lane_id() == 31) sums[t >> 5] = inc;
    __syncthreads();
    if (bad) { if (t == 0) leave(over, bucket); return; }
    u32 before = __reduce_add_sync(~0u, lane_id() < u32(t >> 5) ? sums[lane_id()] : 0);
    u32 add = (before + inc - sum + a) << 16;
#pragma unroll
    for (int j = 0; j < P; j += 4)
      *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(x[j] + add, x[j + 1] + add, x[j + 2] + add, x[j + 3] + add);
  }
  __syncthreads();
  each_key([&](W key, int i) {
    u32 b = image.digit(key, shift, mask), w = word[swizzle<WORDS, P>(b >> 4)];
    u32 at = (w >> 16) + __popc(w & ((1u << (b & 15)) - 1));
    if (!(taken >> i & 1)) keys[at] = key;
  });
  const u32 many = listed;
  for (u32 q = t; q < many; q += T) {
    u32 w = word[swizzle<WORDS, P>(list_at[q] >> 16)];
    keys[(w >> 16) + __popc(w & 0xffff) + (list_at[q] & 0xffff)] = list_key[q];
  }
  __syncthreads();
  for (u32 q = t; q < many; q += T)
    if ((list_at[q] & 0xffff) == 0) {
      u32 i = list_at[q] >> 16;
      int b = int(word[swizzle<WORDS, P>(i)] >> 16), e = i + 1 < WORDS ? int(word[swizzle<WORDS, P>(i + 1)] >> 16) : end;
      for (int x = b + 1; x < e; x++) {
        W v = keys[x];
        int y = x - 1;
        while (y >= b && image.less(v, keys[y])) { keys[y + 1] = keys[y]; y--; }
        keys[y + 1] = v;
      }
    }
  __syncthreads();
  W* to = out + (lo - a);
#pragma unroll
  for (int i = 0; i < NV; i++) {
    int p = (i * T + t) * V;
    if (p < end) {
      key_vector<W> x = reinterpret_cast<key_vector<W>*>(keys)[i * T + t];
      if (p >= a && p + V <= end) reinterpret_cast<key_vector<W>*>(to)[i * T + t] = x;
      else
#pragma unroll
        for (int e = 0; e < V; e++) if (p + e >= a && p + e < end) to[p + e] = x.k[e];
    }
  }
}
template <class W, int T, int NV, int WORDS, int MINB>
__global__ __launch_bounds__(T, MINB) void local_sort3(const W* __restrict__ in, W* __restrict__ out, const u32* start, key_codec<W> codec, u32 rest, u32* over) {
  if (sizeof(W) > 8 || codec.infinity == 0) local3_body<W, T, NV, WORDS>(in, out, start, integer_image<W>(codec), rest, over);
  else local3_body<W, T, NV, WORDS>(in, out, start, float_image<W>(codec), rest, over);
}
