// Laboratory, stable partition of pairs, second design: values go from memory straight to their staged place (one asynchronous copy a
// value, after an L2 prefetch of the tile), staged buckets keep what is left over in place.
#pragma once
#include "pairs.cuh"

template <class K, class X, int T, int I, int G> constexpr int stable2_shared() {
  return (T * I + RADIX * 2 * (G - 1) + 16) * int(sizeof(K) + sizeof(X)) + (T / 32) * RADIX * 6 + (T * I + RADIX * 2 * (G - 1)) / G + 16;
}
template <class K, class X, int T, int I, int G, int LEVEL, int MINB>
__global__ __launch_bounds__(T, MINB) void stable_partition2(const K* __restrict__ in, const X* __restrict__ in_values, K* __restrict__ out, X* __restrict__ out_values, u32 n,
                                                          u32 chunk, const u32* __restrict__ start8, const u32* __restrict__ start16, const u32* __restrict__ histogram,
                                                          const u32* __restrict__ digit8, key_codec<K> codec, u32 shift) {
  constexpr int V = 16 / sizeof(K) < G ? 16 / sizeof(K) : G, TILE = T * I, SLOTS = RADIX * G / T, WARPS = T / 32, STAGE = TILE + RADIX * 2 * (G - 1) + 16;
  constexpr int GROUPS = T / 128, PER = WARPS / GROUPS; // threads that sum counters: 128 words (two digits each) times GROUPS runs of PER warps
  static_assert(SLOTS * T == RADIX * G && PER == 4);
  extern __shared__ __align__(128) char raw[];
  K* stage = reinterpret_cast<K*>(raw);
  X* stage_values = reinterpret_cast<X*>(stage + STAGE);
  u32* match = reinterpret_cast<u32*>(stage_values + STAGE);           // [WARPS][RADIX]
  u16* warp_count = reinterpret_cast<u16*>(match + WARPS * RADIX);     // [WARPS][RADIX]: counts, then staged places
  u8* granule_digit = reinterpret_cast<u8*>(warp_count + WARPS * RADIX);
  __shared__ __align__(16) u32 offset[RADIX], last[RADIX]; // last: count << 16 | staged place of the incomplete granule
  __shared__ __align__(16) u32 partial[GROUPS][RADIX / 2], total[RADIX];
  __shared__ u32 line[RADIX], begin[RADIX];
  __shared__ uint4 place[RADIX];
  __shared__ u32 staged;
  const int t = threadIdx.x, w = t >> 5, lane = t & 31;
  integer_image<K> image(codec);

  u32 s = 0, p, stop, piece_end, cell = blockIdx.x;
  if constexpr (LEVEL == 1) {
    p = min(n, blockIdx.x * chunk);
    stop = piece_end = min(n, p + chunk);
  } else {
    auto find = [&](u32 x, u32& seg, u32& c) -> u32 {
      if (x >= n) { seg = 256; c = 0; return n; }
      seg = __syncthreads_count(t < RADIX && start8[t] <= x) - 1;
      u32 b = start8[seg];
      c = __syncthreads_count(t < int(gridDim.x) && b + digit8[t * 256 + seg] < x);
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
  auto enter = [&] {
    if (t < RADIX) {
      u32 b = LEVEL == 1 ? start8[t] + digit8[cell * 256 + t] : start16[s * RADIX + t] + (cell ? histogram[size_t(cell) * 65536 + s * RADIX + t] : 0);
      begin[t] = b;
      line[t] = b / G * G;
      last[t] = b % G << 16; // the first granule opens with the neighbour's keys: garbage here, never written
    }
  };
  for (int i = t; i < WARPS * RADIX; i += T) match[i] = 0;
  enter();
  K k[I];
  auto load = [&] {
    u32 at = p + w * 32 * I + lane;
    if (p + TILE <= piece_end) {
#pragma unroll
      for (int i = 0; i < I; i++) k[i] = in[at + i * 32];
    } else {
#pragma unroll
      for (int i = 0; i < I; i++) if (at + i * 32 < piece_end) k[i] = in[at + i * 32];
    }
    if (t == 0) {
      u32 m = min(piece_end - p, u32(TILE)), lead = p % (16 / sizeof(X));
      prefetch_l2(in_values + p - lead, u32((m + lead) * sizeof(X) + 15) / 16 * 16);
    }
  };
  load();
  __syncthreads();
  for (;;) {
    const int m = int(min(piece_end - p, u32(TILE)));
    u16* my_count = warp_count + w * RADIX;
    u32* my_match = match + w * RADIX;
#pragma unroll
    for (int j = 0; j < 4; j++) reinterpret_cast<u32*>(my_count)[j * 32 + lane] = 0;
    __syncwarp();
    u32 rank[(I + 1) / 2];
    auto rank_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++) {
        bool v = valid(w * 32 * I + i * 32 + lane);
        u32 d = image.digit(k[i], shift, RADIX - 1);
        if (v) atomicOr(&my_match[d], 1u << lane);
        __syncwarp();
        u32 peers = my_match[d], c = my_count[d], below = __popc(peers & ((1u << lane) - 1));
        __syncwarp();
        if (v && below == 0) {
          my_count[d] = u16(c + __popc(peers));
          my_match[d] = 0;
        }
        __syncwarp();
        u32 r = c + below;
        rank[i / 2] = i % 2 ? __byte_perm(rank[i / 2], r, 0x5410) : r;
      }
    };
    if (m == TILE) rank_all([](int) { return true; });
    else rank_all([=](int q) { return q < m; });
    K old[SLOTS];
    X old_values[SLOTS];
    u32 has = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t, l = last[slot / G];
      if (slot % G < l >> 16) {
        old[j] = stage[(l & 0xffff) + slot % G];
        old_values[j] = stage_values[(l & 0xffff) + slot % G];
        has |= 1u << j;
      }
    }
    __syncthreads();
    u32* words = reinterpret_cast<u32*>(warp_count); // [WARPS][RADIX / 2], two digits a word
    const int word = t & 127, group = t >> 7;
    u32 a[PER], sum = 0;
#pragma unroll
    for (int j = 0; j < PER; j++) { a[j] = words[(group * PER + j) * 128 + word]; sum += a[j]; }
    partial[group][word] = sum;
    __syncthreads();
    if (t < 32) {
      uint4 l0 = reinterpret_cast<uint4*>(last)[2 * t], l1 = reinterpret_cast<uint4*>(last)[2 * t + 1];
      uint4 pk = make_uint4(l0.x >> 16 | (l0.y & ~0xffffu), l0.z >> 16 | (l0.w & ~0xffffu), l1.x >> 16 | (l1.y & ~0xffffu), l1.z >> 16 | (l1.w & ~0xffffu));
#pragma unroll
      for (int g = 0; g < GROUPS; g++) {
        uint4 y = reinterpret_cast<uint4*>(partial[g])[t];
        pk.x += y.x; pk.y += y.y; pk.z += y.z; pk.w += y.w;
      }
      u32 c[8] = {pk.x & 0xffff, pk.x >> 16, pk.y & 0xffff, pk.y >> 16, pk.z & 0xffff, pk.z >> 16, pk.w & 0xffff, pk.w >> 16}, e = 0;
#pragma unroll
      for (int j = 0; j < 8; j++) e += (c[j] + G - 1) / G * G;
      u32 inc = warp_inclusive_sum(e), en[8];
      e = inc - e;
#pragma unroll
      for (int j = 0; j < 8; j++) { en[j] = e; e += (c[j] + G - 1) / G * G; }
#pragma unroll
      for (int j = 0; j < 8; j += 4) {
        reinterpret_cast<uint4*>(offset)[2 * t + j / 4] = make_uint4(en[j], en[j + 1], en[j + 2], en[j + 3]);
        reinterpret_cast<uint4*>(total)[2 * t + j / 4] = make_uint4(c[j], c[j + 1], c[j + 2], c[j + 3]);
      }
      if (t == 31) staged = inc;
    }
    __syncthreads();
    {
      u32 before = offset[2 * word] + (last[2 * word] >> 16) | (offset[2 * word + 1] + (last[2 * word + 1] >> 16)) << 16;
#pragma unroll
      for (int g = 0; g < GROUPS - 1; g++) if (g < group) before += partial[g][word];
#pragma unroll
      for (int j = 0; j < PER; j++) { words[(group * PER + j) * 128 + word] = before; before += a[j]; }
    }
    __syncthreads();
    if (t < RADIX) {
      u32 c = total[t], off = offset[t], whole = c / G * G, l = line[t];
      place[t] = make_uint4(l - off, begin[t], off + whole, 0);
      line[t] = l + whole;
      last[t] = (c - whole) << 16 | (off + whole);
      for (u32 g = off / G; g < (off + c + G - 1) / G; g++) granule_digit[g] = u8(t);
    }
    const X* values = in_values + p;
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++) {
        int q = w * 32 * I + i * 32 + lane;
        if (valid(q)) {
          u32 at = my_count[image.digit(k[i], shift, RADIX - 1)] + (i % 2 ? rank[i / 2] >> 16 : rank[i / 2] & 0xffff);
          async_copy<sizeof(X)>(stage_values + at, values + q);
          stage[at] = k[i];
        }
      }
    };
    if (m == TILE) put_all([](int) { return true; });
    else put_all([=](int q) { return q < m; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      if (has >> j & 1) {
        u32 at = offset[slot / G] + slot % G;
        stage[at] = old[j];
        stage_values[at] = old_values[j];
      }
    }
    p += m;
    const bool more = p < stop, leave_piece = p == piece_end;
    if (LEVEL == 2 && more && leave_piece) {
      cell = 0;
      do s++; while (start8[s + 1] <= p);
      piece_end = min(stop, start8[s + 1]);
    }
    if (more) load();
    async_wait();
    __syncthreads();
    const u32 vectors = staged / V;
#pragma unroll 2
    for (u32 v = t; v < vectors; v += T) {
      several<K, V> y = reinterpret_cast<several<K, V>*>(stage)[v];
      several<X, V> z = reinterpret_cast<several<X, V>*>(stage_values)[v];
      uint4 pl = place[granule_digit[v * V / G]];
      if (v * V < pl.z) {
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
        u32 slot = j * T + t, d = slot / G, to = line[d] + slot % G, l = last[d];
        if (slot % G < l >> 16 && to >= begin[d]) { out[to] = stage[(l & 0xffff) + slot % G]; out_values[to] = stage_values[(l & 0xffff) + slot % G]; }
      }
      if (!more) break;
      __syncthreads();
      enter();
      __syncthreads();
    }
  }
}
