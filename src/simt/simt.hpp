// The kernel dialect: what a kernel author includes. docs/kernel-dialect.md is its reference.
//
// A kernel is a plain struct. Its members are its arguments, its call operator is what each thread does:
//
//     struct saxpy {
//       static constexpr unsigned block_threads = 256; // also the launch bound
//       simt::global<const float> x;
//       simt::global<float> y;
//       float a;
//       std::uint32_t n;
//       SORTILE_DEVICE void operator()() const {
//         const auto i = simt::block_index() * simt::block_size() + simt::thread_index();
//         if (i < n)
//           y[i] = a * x[i] + y[i];
//       }
//     };
//     simt::launch(queue, {.grid = (n + 255) / 256}, saxpy{{x, n}, {y, n}, a, n});
//
// Under nvcc each call of the dialect is an instruction, or nothing; under a host compiler it is a call into the
// executor.
#pragma once

#include "simt/config.hpp"
#include "simt/queue.hpp"
#include "simt/types.hpp"

#if SORTILE_ON_CUDA
#include "simt/cuda/bulk.hpp"
#include "simt/cuda/index.hpp"
#include "simt/cuda/launch.hpp"
#include "simt/cuda/memory.hpp"
#include "simt/cuda/sync.hpp"
#include "simt/cuda/warp.hpp"
#else
#include "simt/executor/dialect_bulk.hpp"
#include "simt/executor/dialect_launch.hpp"
#include "simt/executor/dialect_memory.hpp"
#include "simt/executor/dialect_threads.hpp"
#endif
