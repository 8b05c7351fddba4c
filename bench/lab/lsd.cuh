// Laboratory: what a stable pass over keys alone costs, by distribution: the floor of an LSD sort for skewed inputs.
#pragma once
#include "pairs3.cuh"
// Chunk c's 256 counts of one digit.
template <class W> __global__ __launch_bounds__(1024) void digit_chunks(const W* __restrict__ in, u32 n, u32 chunk, u32* digit8, key_codec<W> codec, u32 shift) {
  __shared__ u32 h[8][256];
  for (int i = threadIdx.x; i < 2048; i += 1024) (&h[0][0])[i] = 0;
  __syncthreads();
  integer_image<W> image(codec);
  constexpr u32 V = 16 / sizeof(W);
  u32 lo = min(n, blockIdx.x * chunk), hi = min(n, lo + chunk);
  const key_vector<W>* v = reinterpret_cast<const key_vector<W>*>(in + lo);
  for (u32 i = threadIdx.x; i < (hi - lo) / V; i += 1024) {
    key_vector<W> x = v[i];
#pragma unroll
    for (u32 e = 0; e < V; e++) atomicAdd(&h[threadIdx.x >> 5 & 7][image.digit(x.k[e], shift, 255)], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 256) {
    u32 c = 0;
    for (int j = 0; j < 8; j++) c += h[j][threadIdx.x];
    digit8[blockIdx.x * 256 + threadIdx.x] = c;
  }
}
// digit8: sums before each chunk; start: where digits start.
__global__ __launch_bounds__(256) void digit_starts(u32* digit8, u32* start, int chunks) {
  __shared__ u32 sums[8];
  u32 sum = 0;
  for (int c = 0; c < chunks; c++) { u32 x = digit8[c * 256 + threadIdx.x]; digit8[c * 256 + threadIdx.x] = sum; sum += x; }
  u32 inc = warp_inclusive_sum(sum), w = threadIdx.x >> 5;
  if (lane_id() == 31) sums[w] = inc;
  __syncthreads();
  start[threadIdx.x] = inc - sum + __reduce_add_sync(~0u, lane_id() < w ? sums[lane_id() & 7] : 0);
  __shared__ u32 best;
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  atomicMax(&best, sum & ~255u | threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) start[257] = best & 255;
}
template <class K, int T, int I, int G> constexpr int stable_keys_shared() {
  return (T * I + RADIX * (G - 1) + RADIX * G + 16) * int(sizeof(K)) + (T / 32) * RADIX * 10;
}
template <class K, int T, int I, int G, int LEVEL, bool BALLOT>
__global__ __launch_bounds__(T, 1) void stable_keys(const K* __restrict__ in, K* __restrict__ out, u32 n,
                                                         u32 chunk, const u32* __restrict__ start8, const u32* __restrict__ start16, const u32* __restrict__ histogram,
                                                         const u32* __restrict__ digit8, key_codec<K> codec, u32 shift) {
  constexpr int V = 16 / sizeof(K) < G ? 16 / sizeof(K) : G, TILE = T * I, SLOTS = RADIX * G / T, WARPS = T / 32, STAGE = (TILE + RADIX * (G - 1) + 7) / 8 * 8;
  static_assert(SLOTS * T == RADIX * G && WARPS == 32);
  extern __shared__ __align__(128) char raw[];
  K* stage = reinterpret_cast<K*>(raw);                               // [STAGE] whole granules, then [RADIX][G] carry
  u32* match = reinterpret_cast<u32*>(stage + STAGE + RADIX * G); // [WARPS][RADIX]
  u16* warp_count = reinterpret_cast<u16*>(match + 2 * WARPS * RADIX);     // [WARPS][RADIX]
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
  for (int i = t; i < 2 * WARPS * RADIX; i += T) match[i] = 0;
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
        if (i == 0) { if (v) atomicOr(&match[w * RADIX + d], 1u << lane); __syncwarp(); }
        if (i + 1 < I && valid(w * 32 * I + (i + 1) * 32 + lane))
          atomicOr(&match[(i + 1) % 2 * WARPS * RADIX + w * RADIX + image.digit(k[i + 1 < I ? i + 1 : i], shift, RADIX - 1)], 1u << lane);
        u32* row = match + i % 2 * WARPS * RADIX + w * RADIX;
        peers = row[d];
        u32 c = my_count[d], below = __popc(peers & ((1u << lane) - 1));
        __syncwarp();
        if (v && below == 0) {
          my_count[d] = u16(c + __popc(peers));
          row[d] = 0;
        }
        __syncwarp();
        u32 r = c + below;
        rank[i / 2] = i % 2 ? rank[i / 2] | r << 16 : r;
      }
    };
    if (m == TILE) rank_all([](int) { return true; });
    else rank_all([=](int q) { return q < m; });
    K old[SLOTS];
    u32 has = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      old[j] = stage[STAGE + slot];
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
    auto put = [&](K key, u32 d, u32 r) {
      u32 e = entry[d], whole = e >> 16;
      u32 at = r < whole ? (e & 0xffff) + r : STAGE + d * G + r - whole;
      stage[at] = key;
    };
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++)
        if (valid(w * 32 * I + i * 32 + lane)) {
          u32 d = image.digit(k[i], shift, RADIX - 1);
          put(k[i], d, my_count[d] + (rank[i / 2] >> (i % 2 * 16) & 0xffff));
        }
    };
    if (m == TILE) put_all([](int) { return true; });
    else put_all([=](int q) { return q < m; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      if (has >> j & 1) put(old[j], slot / G, slot % G);
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
        uint2 pl = place[d];
        u32 to = pl.x + v * V;
        if (to >= pl.y) {
          *reinterpret_cast<several<K, V>*>(out + to) = y;
        } else {
#pragma unroll
          for (int e = 0; e < V; e++) if (to + e >= pl.y) out[to + e] = y.e[e];
        }
      }
    }
    if (leave_piece) {
      __syncthreads();
#pragma unroll
      for (int j = 0; j < SLOTS; j++) {
        u32 slot = j * T + t, d = slot / G, to = line[d] + slot % G;
        if (slot % G < left[d] && to >= begin[d]) out[to] = stage[STAGE + slot];
      }
      if (!more) break;
      __syncthreads();
      enter();
      __syncthreads();
    }
  }
}


template <class K, int T, int I, int G> constexpr int stable_hot_shared() {
  return (T * I + RADIX * (G - 1) + RADIX * G + 16) * int(sizeof(K)) + (T / 32) * RADIX * 10;
}
template <class K, int T, int I, int G, int LEVEL, bool BALLOT>
__global__ __launch_bounds__(T, 1) void stable_hot(const K* __restrict__ in, K* __restrict__ out, u32 n,
                                                         u32 chunk, const u32* __restrict__ start8, const u32* __restrict__ start16, const u32* __restrict__ histogram,
                                                         const u32* __restrict__ digit8, key_codec<K> codec, u32 shift) {
  constexpr int V = 16 / sizeof(K) < G ? 16 / sizeof(K) : G, TILE = T * I, SLOTS = RADIX * G / T, WARPS = T / 32, STAGE = (TILE + RADIX * (G - 1) + 7) / 8 * 8;
  static_assert(SLOTS * T == RADIX * G && WARPS == 32);
  extern __shared__ __align__(128) char raw[];
  K* stage = reinterpret_cast<K*>(raw);                               // [STAGE] whole granules, then [RADIX][G] carry
  u32* match = reinterpret_cast<u32*>(stage + STAGE + RADIX * G); // [WARPS][RADIX]
  u16* warp_count = reinterpret_cast<u16*>(match + 2 * WARPS * RADIX);     // [WARPS][RADIX]
  __shared__ __align__(16) u32 left[RADIX], entry[RADIX];
  __shared__ __align__(16) u32 partial[8][RADIX / 2];
  __shared__ u32 line[RADIX], begin[RADIX];
  __shared__ uint2 place[RADIX];
  __shared__ u32 staged;
  const int t = threadIdx.x, w = t >> 5, lane = t & 31;
  integer_image<K> image(codec);
  const u32 hot = start8[257]; // the most frequent digit: its lanes are found by one ballot instead of colliding in an atomic

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
  for (int i = t; i < 2 * WARPS * RADIX; i += T) match[i] = 0;
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
        if (i == 0) { if (v && d != hot) atomicOr(&match[w * RADIX + d], 1u << lane); __syncwarp(); }
        if (i + 1 < I && valid(w * 32 * I + (i + 1) * 32 + lane)) {
          u32 d1 = image.digit(k[i + 1 < I ? i + 1 : i], shift, RADIX - 1);
          if (d1 != hot) atomicOr(&match[(i + 1) % 2 * WARPS * RADIX + w * RADIX + d1], 1u << lane);
        }
        u32* row = match + i % 2 * WARPS * RADIX + w * RADIX;
        u32 hot_peers = __ballot_sync(~0u, v && d == hot);
        peers = d == hot ? hot_peers : row[d];
        u32 c = my_count[d], below = __popc(peers & ((1u << lane) - 1));
        __syncwarp();
        if (v && below == 0) {
          my_count[d] = u16(c + __popc(peers));
          row[d] = 0;
        }
        __syncwarp();
        u32 r = c + below;
        rank[i / 2] = i % 2 ? rank[i / 2] | r << 16 : r;
      }
    };
    if (m == TILE) rank_all([](int) { return true; });
    else rank_all([=](int q) { return q < m; });
    K old[SLOTS];
    u32 has = 0;
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      old[j] = stage[STAGE + slot];
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
    auto put = [&](K key, u32 d, u32 r) {
      u32 e = entry[d], whole = e >> 16;
      u32 at = r < whole ? (e & 0xffff) + r : STAGE + d * G + r - whole;
      stage[at] = key;
    };
    auto put_all = [&](auto valid) {
#pragma unroll
      for (int i = 0; i < I; i++)
        if (valid(w * 32 * I + i * 32 + lane)) {
          u32 d = image.digit(k[i], shift, RADIX - 1);
          put(k[i], d, my_count[d] + (rank[i / 2] >> (i % 2 * 16) & 0xffff));
        }
    };
    if (m == TILE) put_all([](int) { return true; });
    else put_all([=](int q) { return q < m; });
#pragma unroll
    for (int j = 0; j < SLOTS; j++) {
      u32 slot = j * T + t;
      if (has >> j & 1) put(old[j], slot / G, slot % G);
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
        uint2 pl = place[d];
        u32 to = pl.x + v * V;
        if (to >= pl.y) {
          *reinterpret_cast<several<K, V>*>(out + to) = y;
        } else {
#pragma unroll
          for (int e = 0; e < V; e++) if (to + e >= pl.y) out[to + e] = y.e[e];
        }
      }
    }
    if (leave_piece) {
      __syncthreads();
#pragma unroll
      for (int j = 0; j < SLOTS; j++) {
        u32 slot = j * T + t, d = slot / G, to = line[d] + slot % G;
        if (slot % G < left[d] && to >= begin[d]) out[to] = stage[STAGE + slot];
      }
      if (!more) break;
      __syncthreads();
      enter();
      __syncthreads();
    }
  }
}


