// Laboratory: stable sort of pairs. Counts decide every position before anything moves: block c of the first partition owns chunk c of the
// input, the look knows chunk c's joint 16-bit histogram, so neither partition has a look-back or a global atomic.
#pragma once
#include "keys3.cuh"

// ---- look, chunk by chunk: histogram[c][65536] (zero before), digit8[c][256] ---------------------------------------------------------
template <class W, int T, int U> __global__ __launch_bounds__(T, 1) void look_chunks(const W* __restrict__ in, size_t n, size_t chunk, u32* histogram, u32* digit8,
                                                                                    key_codec<W> codec, u32 shift) {
  extern __shared__ __align__(16) char raw[];
  u32* h = reinterpret_cast<u32*>(raw); // 32768 words
  u32* mine = histogram + size_t(blockIdx.x) * 65536;
  for (int i = threadIdx.x; i < 8192; i += T) reinterpret_cast<uint4*>(h)[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  constexpr int V = 16 / sizeof(W);
  integer_image<W> image(codec);
  size_t lo = min(n, blockIdx.x * chunk), hi = min(n, lo + chunk);
  const key_vector<W>* v = reinterpret_cast<const key_vector<W>*>(in + lo);
  size_t vectors = (hi - lo) / V;
  auto add = [&](W k) {
    u32 d = image.digit(k, shift, 0xffff), s = (d & 1) * 16;
    u32 old = atomicAdd(&h[d >> 1], 1u << s);
    if (((old >> s) & 0xffff) == 0x7fff) {
      atomicSub(&h[d >> 1], 0x8000u << s);
      atomicAdd(&mine[d], 0x8000u);
    }
  };
  size_t i = threadIdx.x;
  for (; i + (U - 1) * T < vectors; i += U * T) {
    key_vector<W> x[U];
#pragma unroll
    for (int j = 0; j < U; j++) x[j] = v[i + j * T];
#pragma unroll
    for (int j = 0; j < U; j++)
#pragma unroll
      for (int e = 0; e < V; e++) add(x[j].k[e]);
  }
  for (; i < vectors; i += T) {
    key_vector<W> x = v[i];
    for (int e = 0; e < V; e++) add(x.k[e]);
  }
  if (lo + vectors * V + threadIdx.x < hi) add(in[lo + vectors * V + threadIdx.x]);
  __threadfence();
  __syncthreads();
  for (int i = threadIdx.x; i < 32768; i += T) { // one warp sees 64 bins: four turns make a digit of the first partition
    u32 x = h[i];
    uint2 y = reinterpret_cast<uint2*>(mine)[i];
    y.x += x & 0xffff;
    y.y += x >> 16;
    reinterpret_cast<uint2*>(mine)[i] = y;
    u32 sum = __reduce_add_sync(~0u, y.x + y.y);
    if (lane_id() == 0) atomicAdd(&digit8[blockIdx.x * 256 + (i >> 7)], sum);
  }
}
// Columns: histogram[c][b] becomes the sum over the chunks before c, count[b] the total; digit8 likewise (no total).
__global__ __launch_bounds__(256) void sum_columns(u32* histogram, u32* digit8, u32* count, int chunks) {
  u32* column;
  size_t stride;
  if (blockIdx.x == 256) { column = digit8 + threadIdx.x; stride = 256; }
  else { column = histogram + blockIdx.x * 256 + threadIdx.x; stride = 65536; }
  u32 sum = 0;
  for (int c = 0; c < chunks; c += 12) {
    u32 x[12];
#pragma unroll
    for (int j = 0; j < 12; j++) x[j] = c + j < chunks ? column[(c + j) * stride] : 0;
#pragma unroll
    for (int j = 0; j < 12; j++) if (c + j < chunks) { column[(c + j) * stride] = sum; sum += x[j]; }
  }
  if (blockIdx.x < 256) count[blockIdx.x * 256 + threadIdx.x] = sum;
}

// ---- stable partition ----------------------------------------------------------------------------------------------------------------
template <class E, int N> struct alignas(sizeof(E) * N < 16 ? sizeof(E) * N : 16) several { E e[N]; };
template <class K, class X, int T, int I, int G> constexpr int stable_shared() {
  return (T * I + RADIX * (G - 1) + RADIX * G + 16) * int(sizeof(K) + sizeof(X)) + (T / 32) * RADIX * 6;
}
template <class K, class X, int T, int I, int G, int LEVEL, bool BALLOT>
__global__ __launch_bounds__(T, 1) void stable_partition(const K* __restrict__ in, const X* __restrict__ in_values, K* __restrict__ out, X* __restrict__ out_values, u32 n,
                                                         u32 chunk, const u32* __restrict__ start8, const u32* __restrict__ start16, const u32* __restrict__ histogram,
                                                         const u32* __restrict__ digit8, key_codec<K> codec, u32 shift) {
  constexpr int V = 16 / sizeof(K) < G ? 16 / sizeof(K) : G, TILE = T * I, SLOTS = RADIX * G / T, WARPS = T / 32, STAGE = (TILE + RADIX * (G - 1) + 7) / 8 * 8;
  static_assert(SLOTS * T == RADIX * G && WARPS == 32);
  extern __shared__ __align__(128) char raw[];
  K* stage = reinterpret_cast<K*>(raw);                               // [STAGE] whole granules, then [RADIX][G] carry
  X* stage_values = reinterpret_cast<X*>(stage + STAGE + RADIX * G);
  u32* match = reinterpret_cast<u32*>(stage_values + STAGE + RADIX * G); // [WARPS][RADIX]
  u16* warp_count = reinterpret_cast<u16*>(match + WARPS * RADIX);     // [WARPS][RADIX]
  __shared__ __align__(16) u32 left[RADIX], entry[RADIX];
  __shared__ __align__(16) u32 partial[8][RADIX / 2];
  __shared__ u32 line[RADIX], begin[RADIX];
  __shared__ uint2 place[RADIX];
  __shared__ u32 staged;
  const int t = threadIdx.x, w = t >> 5, lane = t & 31;
  integer_image<K> image(codec);

  // this block's keys: [p, stop), of which [p, piece_end) lie in segment s
  u32 s = 0, p, stop, piece_end, cell = blockIdx.x;
  if constexpr (LEVEL == 1) {
    p = min(n, blockIdx.x * chunk);
    stop = piece_end = min(n, p + chunk);
  } else { // cells (segment, chunk) that begin in this block's share of the positions
    auto find = [&](u32 x, u32& seg, u32& c) -> u32 {
      if (x >= n) { seg = 256; c = 0; return n; }
      seg = __syncthreads_count(t < RADIX && start8[t] <= x) - 1; // the last segment that begins at or before x
      u32 b = start8[seg];
      c = __syncthreads_count(t < int(gridDim.x) && b + digit8[t * 256 + seg] < x); // the first cell of it that begins at or after x
      return c < gridDim.x ? b + digit8[c * 256 + seg] : start8[seg + 1];
    };
    u32 share = (n + gridDim.x - 1) / gridDim.x, c2, s2;
    p = find(blockIdx.x * share, s, cell);
    stop = find((blockIdx.x + 1) * share, s2, c2);
    if (p < stop && cell >= gridDim.x) { cell = 0; s++; }
    while (p < stop && start8[s + 1] <= p) { s++; cell = 0; }
    piece_end = p < stop ? min(stop, start8[s + 1]) : p;
  }
  if (p >= stop) return;
  auto enter = [&] { // a segment's piece: where its buckets begin
    if (t < RADIX) {
      u32 b = LEVEL == 1 ? start8[t] + digit8[cell * 256 + t] : start16[s * RADIX + t] + (cell ? histogram[size_t(cell) * 65536 + s * RADIX + t] : 0);
      begin[t] = b;
      line[t] = b / G * G;
      left[t] = b % G;
    }
  };
  for (int i = t; i < WARPS * RADIX; i += T) match[i] = 0;
  enter();
  K k[I];
  X x[I];
  auto load = [&] {
    u32 at = p + w * 32 * I + lane;
    if (p + TILE <= piece_end) {
#pragma unroll
      for (int i = 0; i < I; i++) k[i] = in[at + i * 32];
#pragma unroll
      for (int i = 0; i < I; i++) x[i] = in_values[at + i * 32];
    } else {
#pragma unroll
      for (int i = 0; i < I; i++) if (at + i * 32 < piece_end) { k[i] = in[at + i * 32]; x[i] = in_values[at + i * 32]; }
    }
  };
  load();
  __syncthreads();
  for (;;) {
    const int m = int(min(piece_end - p, u32(TILE)));
    u16* my_count = warp_count + w * RADIX;
#pragma unroll
    for (int j = 0; j < 4; j++) reinterpret_cast<u32*>(my_count)[j * 32 + lane] = 0;
    __syncwarp();
    u32 rank[(I + 1) / 2];
    auto rank_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++) {
        bool v = valid(w * 32 * I + i * 32 + lane);
        u32 d = image.digit(k[i], shift, RADIX - 1), peers;
        if constexpr (BALLOT) {
          peers = __ballot_sync(~0u, v);
#pragma unroll
          for (int b = 0; b < 8; b++) {
            u32 y = __ballot_sync(~0u, d >> b & 1);
            peers &= (d >> b & 1) ? y : ~y;
          }
        } else {
          if (v) atomicOr(&match[w * RADIX + d], 1u << lane);
          __syncwarp();
          peers = match[w * RADIX + d];
        }
        u32 c = my_count[d], below = __popc(peers & ((1u << lane) - 1));
        __syncwarp();
        if (v && below == 0) {
          my_count[d] = u16(c + __popc(peers));
          if constexpr (!BALLOT) match[w * RADIX + d] = 0;
        }
        __syncwarp();
        u32 r = c + below;
        rank[i / 2] = i % 2 ? rank[i / 2] | r << 16 : r;
      }
    };
    if (m == TILE) rank_all([](int) { return true; });
    else rank_all([=](int q) { return q < m; });
    K old[SLOTS];
    X old_values[SLOTS];
    u32 has = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      old[j] = stage[STAGE + slot];
      old_values[j] = stage_values[STAGE + slot];
      has |= u32(slot % G < left[slot / G]) << j;
    }
    __syncthreads();
    u32* words = reinterpret_cast<u32*>(warp_count); // [WARPS][RADIX / 2], two 16-bit counts a word
    const int word = t & 127, group = t >> 7;
    u32 a[4], sum = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) { a[j] = words[(group * 4 + j) * 128 + word]; sum += a[j]; }
    partial[group][word] = sum;
    __syncthreads();
    {
      u32 before = left[2 * word] | left[2 * word + 1] << 16;
#pragma unroll
      for (int g = 0; g < 7; g++) if (g < group) before += partial[g][word];
#pragma unroll
      for (int j = 0; j < 4; j++) { words[(group * 4 + j) * 128 + word] = before; before += a[j]; }
    }
    u32 rest8[8];
    if (t < 32) {
      u32 c[8], e = 0, total = 0;
      uint4 l0 = reinterpret_cast<uint4*>(left)[2 * t], l1 = reinterpret_cast<uint4*>(left)[2 * t + 1];
      uint4 pk = make_uint4(l0.x | l0.y << 16, l0.z | l0.w << 16, l1.x | l1.y << 16, l1.z | l1.w << 16);
#pragma unroll
      for (int g = 0; g < 8; g++) {
        uint4 y = reinterpret_cast<uint4*>(partial[g])[t];
        pk.x += y.x; pk.y += y.y; pk.z += y.z; pk.w += y.w;
      }
      c[0] = pk.x & 0xffff; c[1] = pk.x >> 16; c[2] = pk.y & 0xffff; c[3] = pk.y >> 16; c[4] = pk.z & 0xffff; c[5] = pk.z >> 16; c[6] = pk.w & 0xffff; c[7] = pk.w >> 16;
#pragma unroll
      for (int j = 0; j < 8; j++) total += c[j] / G * G;
      u32 inc = warp_inclusive_sum(total);
      e = inc - total;
#pragma unroll
      for (int j = 0; j < 8; j++) {
        u32 whole = c[j] / G * G;
        rest8[j] = c[j] - whole;
        entry[t * 8 + j] = e | whole << 16;
        e += whole;
      }
      if (t == 31) staged = inc;
    }
    __syncthreads();
    if (t < 32) {
#pragma unroll
      for (int j = 0; j < 8; j++) left[t * 8 + j] = rest8[j];
    }
    if (t < RADIX) {
      u32 en = entry[t], l = line[t];
      place[t] = make_uint2(l - (en & 0xffff), begin[t]);
      line[t] = l + (en >> 16);
    }
    auto put = [&](K key, X value, u32 d, u32 r) {
      u32 e = entry[d], whole = e >> 16;
      u32 at = r < whole ? (e & 0xffff) + r : STAGE + d * G + r - whole;
      stage[at] = key;
      stage_values[at] = value;
    };
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++)
        if (valid(w * 32 * I + i * 32 + lane)) {
          u32 d = image.digit(k[i], shift, RADIX - 1);
          put(k[i], x[i], d, my_count[d] + (rank[i / 2] >> (i % 2 * 16) & 0xffff));
        }
    };
    if (m == TILE) put_all([](int) { return true; });
    else put_all([=](int q) { return q < m; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      if (has >> j & 1) put(old[j], old_values[j], slot / G, slot % G);
    }
    p += m;
    const bool more = p < stop, leave_piece = p == piece_end;
    if (LEVEL == 2 && more && leave_piece) {
      cell = 0;
      do s++; while (start8[s + 1] <= p);
      piece_end = min(stop, start8[s + 1]);
    }
    if (more) load();
    __syncthreads();
    const u32 vectors = staged / V;
    for (u32 v0 = w * 32; v0 < vectors; v0 += T) {
      u32 v = v0 + lane;
      several<K, V> y{};
      if (v < vectors) y = reinterpret_cast<several<K, V>*>(stage)[v];
      u32 d = __shfl_sync(~0u, image.digit(y.e[V - 1], shift, RADIX - 1), lane | (G / V - 1)); // a granule's last key is always this block's own
      if (v < vectors) {
        several<X, V> z = reinterpret_cast<several<X, V>*>(stage_values)[v];
        uint2 pl = place[d];
        u32 to = pl.x + v * V;
        if (to >= pl.y) {
          *reinterpret_cast<several<K, V>*>(out + to) = y;
          *reinterpret_cast<several<X, V>*>(out_values + to) = z;
        } else {
#pragma unroll
          for (int e = 0; e < V; e++) if (to + e >= pl.y) { out[to + e] = y.e[e]; out_values[to + e] = z.e[e]; }
        }
      }
    }
    if (leave_piece) {
      __syncthreads();
#pragma unroll
      for (int j = 0; j < SLOTS; j++) {
        u32 slot = j * T + t, d = slot / G, to = line[d] + slot % G;
        if (slot % G < left[d] && to >= begin[d]) { out[to] = stage[STAGE + slot]; out_values[to] = stage_values[STAGE + slot]; }
      }
      if (!more) break;
      __syncthreads();
      enter();
      __syncthreads();
    }
  }
}

// ---- local: keys and values stay where the bulk copy put them, a 16-bit permutation is sorted, ties by position ------------------------
template <class K, class X, int CAP, int WORDS> constexpr int local_pairs_shared() { return (CAP + 8) * int(sizeof(K) + sizeof(X)) + CAP * 2 + WORDS * 4; }
template <class K, class X, int T, int CAP, int WORDS, int MINB>
__global__ __launch_bounds__(T, MINB) void local_pairs(const K* __restrict__ in, const X* __restrict__ in_values, K* __restrict__ out, X* __restrict__ out_values,
                                                       const u32* start, key_codec<K> codec, u32 rest, u32* over) {
  constexpr int VK = 16 / sizeof(K), VX = 16 / sizeof(X), I = (CAP + T - 1) / T, P = WORDS / T, BITS = __builtin_ctz(WORDS) + 4, LIST = 512, MOST = 16;
  extern __shared__ __align__(128) char raw[];
  K* keys = reinterpret_cast<K*>(raw);
  X* values = reinterpret_cast<X*>(keys + CAP + 8);
  u32* word = reinterpret_cast<u32*>(values + CAP + 8);
  u16* order = reinterpret_cast<u16*>(word + WORDS);
  __shared__ u32 sums[T / 32], listed, bad, list_at[LIST];
  __shared__ u16 list_key[LIST];
  __shared__ __align__(8) u64 bar;
  integer_image<K> image(codec);
  const int t = threadIdx.x;
  const u32 shift = rest > u32(BITS) ? rest - BITS : 0, mask = rest > u32(BITS) ? 16 * WORDS - 1 : (1u << rest) - 1;
  const u32 bucket = LAB_BACKWARD ? gridDim.x - 1 - blockIdx.x : blockIdx.x, lo = start[bucket];
  const int m = int(start[bucket + 1] - lo);
#ifdef LAB_AHEAD
  if (threadIdx.x == blockDim.x - 1 && bucket >= LAB_AHEAD) { // the bucket that a later block will want
    u32 lo2 = start[bucket - LAB_AHEAD] / VK * VK, hi2 = start[bucket - LAB_AHEAD + 1] / VK * VK;
    if (hi2 > lo2) prefetch_l2(in + lo2, (hi2 - lo2) * u32(sizeof(K)));
    if (hi2 > lo2) prefetch_l2(in_values + start[bucket - LAB_AHEAD] / VX * VX, (start[bucket - LAB_AHEAD + 1] / VX * VX - start[bucket - LAB_AHEAD] / VX * VX) * u32(sizeof(X)));
  }
#endif
  if (m == 0) return;
  if (m > CAP) { if (t == 0) leave(over, bucket); return; }
  const u32 ak = lo % VK, ax = lo % VX;
  if (t == 0) {
    mbarrier_init(&bar, 1);
    mbarrier_fence_init();
    u32 bk = (ak + m + VK - 1) / VK * 16, bx = (ax + m + VX - 1) / VX * 16;
    mbarrier_expect(&bar, bk + bx);
    bulk_load(keys, in + (lo - ak), bk, &bar);
    bulk_load(values, in_values + (lo - ax), bx, &bar);
    listed = bad = 0;
  }
  keys += ak;
  values += ax;
#pragma unroll
  for (int j = 0; j < P; j += 4) *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(0, 0, 0, 0);
  __syncthreads();
  mbarrier_wait(&bar, 0);
  u32 taken = 0;
#pragma unroll
  for (int i = 0; i < I; i++)
    if (i * T + t < m) {
      u32 b = image.digit(keys[i * T + t], shift, mask), bit = 1u << (b & 15);
      if (atomicOr(&word[swizzle<WORDS, P>(b >> 4)], bit) & bit) taken |= 1u << i;
    }
  for (u32 r0 = taken; r0; r0 &= r0 - 1) {
    int i = __ffs(r0) - 1;
    u32 w = image.digit(keys[i * T + t], shift, mask) >> 4, r = atomicAdd(&word[swizzle<WORDS, P>(w)], 0x10000u) >> 16, q = atomicAdd(&listed, 1u);
    if (r >= MOST || q >= LIST) bad = 1;
    else { list_key[q] = u16(i * T + t); list_at[q] = w << 16 | r; }
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
    u32 add = (before + inc - sum) << 16;
#pragma unroll
    for (int j = 0; j < P; j += 4)
      *reinterpret_cast<uint4*>(&word[swizzle<WORDS, P>(t * P + j)]) = make_uint4(x[j] + add, x[j + 1] + add, x[j + 2] + add, x[j + 3] + add);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < I; i++)
    if (i * T + t < m) {
      u32 b = image.digit(keys[i * T + t], shift, mask), w = word[swizzle<WORDS, P>(b >> 4)];
      u32 at = (w >> 16) + __popc(w & ((1u << (b & 15)) - 1));
      if (!(taken >> i & 1)) order[at] = u16(i * T + t);
    }
  const u32 many = listed;
  for (u32 q = t; q < many; q += T) {
    u32 w = word[swizzle<WORDS, P>(list_at[q] >> 16)];
    order[(w >> 16) + __popc(w & 0xffff) + (list_at[q] & 0xffff)] = list_key[q];
  }
  __syncthreads();
  for (u32 q = t; q < many; q += T)
    if ((list_at[q] & 0xffff) == 0) {
      u32 i = list_at[q] >> 16;
      int b = int(word[swizzle<WORDS, P>(i)] >> 16), e = i + 1 < WORDS ? int(word[swizzle<WORDS, P>(i + 1)] >> 16) : m;
      for (int x = b + 1; x < e; x++) {
        u16 v = order[x];
        K kv = keys[v];
        int y = x - 1;
        while (y >= b) {
          u16 o = order[y];
          K ko = keys[o];
          if (!(image.less(kv, ko) || (kv == ko && v < o))) break; // integer images: equal images are equal keys
          order[y + 1] = o;
          y--;
        }
        order[y + 1] = v;
      }
    }
  __syncthreads();
#pragma unroll
  for (int i = 0; i <= I; i++) {
    int p = i * T + t - int(lo % 32);
    if (p >= 0 && p < m) {
      u32 o = order[p];
      out[lo + p] = keys[o];
      out_values[lo + p] = values[o];
    }
  }
}
