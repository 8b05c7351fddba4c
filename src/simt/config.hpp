// What a file has to know that is compiled by nvcc and by a host compiler: which of the two compiles it.
//
// The header stands alone: no CUDA header, no other file of the dialect. Use it for code that both sides run (codecs,
// merge paths).
//
//   SORTILE_HOST_DEVICE   a function that runs on the host and in kernels
//   SORTILE_DEVICE        a function that runs in kernels only (on the executor: on a fiber); always inlined by nvcc
//   SORTILE_DEVICE_CALL   the same, kept as a real call by nvcc (for large bodies used in several places)
//   SORTILE_UNROLL        in front of a loop whose trip count is known and whose arrays must stay in registers
//   SORTILE_NO_UNROLL     in front of a loop whose body is to be in the code once: code that runs once waits longer
//                         for its instructions than for its branches
//   SORTILE_BACKEND       the inline namespace of this compilation; code that uses the dialect lives in
//                         `inline namespace SORTILE_BACKEND` inside its own, so that the linker never mixes the two
//   SORTILE_ON_CUDA       1 under nvcc, 0 under a host compiler
#pragma once

#if defined(__CUDACC__)
#define SORTILE_ON_CUDA 1
#define SORTILE_HOST_DEVICE __host__ __device__ __forceinline__
#define SORTILE_DEVICE __device__ __forceinline__
#define SORTILE_DEVICE_CALL __device__ __noinline__
#define SORTILE_UNROLL _Pragma("unroll")
#define SORTILE_NO_UNROLL _Pragma("unroll 1")
#define SORTILE_BACKEND cuda_backend
#else
#define SORTILE_ON_CUDA 0
#define SORTILE_HOST_DEVICE inline
#define SORTILE_DEVICE inline
#define SORTILE_DEVICE_CALL inline
#define SORTILE_UNROLL
#define SORTILE_NO_UNROLL
#define SORTILE_BACKEND executor_backend
#endif
