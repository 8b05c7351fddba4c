// A face for programs written against CUB: its device-wide sorts and top-k under its own names and signatures, done by
// this library, for translation units of nvcc.
//
//     #include <sortile/cub.cuh>                   // was <cub/cub.cuh>
//
//     std::size_t bytes = 0;                       // was cub::, twice
//     sortile::cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, keys_out, values, values_out, n);
//     cudaMalloc(&storage, bytes);
//     sortile::cub::DeviceRadixSort::SortPairs(storage, bytes, keys, keys_out, values, values_out, n, 0, 32, stream);
//
//   DeviceRadixSort           radix_sort.cuh      keys, pairs, both directions, bit windows, decomposers
//   DeviceMergeSort           merge_sort.cuh      by a functor
//   DeviceSegmentedSort,      segmented_sort.cuh  by begin and end offsets
//   DeviceSegmentedRadixSort
//   DeviceTopK                top_k.cuh           smallest or largest, sorted
//
// A call makes one request of the library (request.hpp, segments.hpp, select.hpp, compare.cuh) and hands its temporary
// storage on as workspace. So what holds there holds here: asynchronous on the stream, nothing allocated, no
// synchronisation, capturable in a CUDA graph, stable, deterministic, inputs only read (but for a DoubleBuffer).
//
// Two phases. With d_temp_storage null a call writes to temp_storage_bytes how much is enough and does nothing else:
// for these sizes and types, whatever arrays come, in place too; it is never 0. Storage may begin at any address, and
// is not written beyond temp_storage_bytes. Of DeviceRadixSort the size is also enough for fewer items.
//
// Errors are cudaError_t (call.cuh has the table), with the sentence behind it in last_error_message(). What these
// calls do not do does not compile, with one sentence; nor do CUB's other classes (absent.cuh).
//
// Where the result is another than CUB's, docs/cub.md says; every NaN is the largest, for one.
//
// Compiled by a host compiler, the calls take arrays in host memory and run on the executor: for checking. Of CUDA that
// needs headers alone.
#pragma once

#if __cplusplus < 202002L
#include <sortile/language.hpp>
#else

#include <sortile/cub/absent.cuh>
#include <sortile/cub/call.cuh>
#include <sortile/cub/merge_sort.cuh>
#include <sortile/cub/radix_sort.cuh>
#include <sortile/cub/segmented_sort.cuh>
#include <sortile/cub/top_k.cuh>

#endif
