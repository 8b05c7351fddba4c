#include "gpu/staging.hpp"

#include "cpu/parallel.hpp"
#include "gpu/cuda_engine.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

namespace sortile::gpu {
namespace {

/// Whether the copy engine can reach this memory by itself.
bool is_pinned(const void* host) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  return attributes.type != cudaMemoryTypeUnregistered;
}

void copy_by_threads(void* to, const void* from, std::size_t bytes, unsigned threads) {
  constexpr std::size_t alone_below = std::size_t{1} << 20;
  cpu::for_each_piece(threads, bytes, alone_below, [&](std::size_t begin, std::size_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
}

/// Kept for the next callers, since pinning 64 MiB takes 20 ms.
std::mutex kept_mutex;
std::unique_ptr<staging> kept; // the first of a list; by kept_mutex

} // namespace

void staging::upload(void* device, const void* host, std::size_t bytes, const device::stream& stream, unsigned threads,
                     progress_meter& progress) {
  if (is_pinned(host)) {
    SORTILE_CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyDefault, stream.get()));
    stream.synchronize();
    progress.add(bytes);
    return;
  }
  for (std::size_t at = 0, i = 0; at < bytes; at += slot_bytes, ++i) {
    device::event& moved = moved_[i % slots];
    const std::size_t chunk = std::min(slot_bytes, bytes - at);
    moved.synchronize(); // what it held before has left
    copy_by_threads(slot(i), static_cast<const char*>(host) + at, chunk, threads);
    SORTILE_CUDA_CHECK(
        cudaMemcpyAsync(static_cast<char*>(device) + at, slot(i), chunk, cudaMemcpyHostToDevice, stream.get()));
    moved.record(stream.get());
    progress.add(chunk);
    progress.report();
  }
}

void staging::download(void* host, const void* device, std::size_t bytes, const device::stream& stream,
                       unsigned threads, progress_meter& progress) {
  if (is_pinned(host)) {
    SORTILE_CUDA_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDefault, stream.get()));
    stream.synchronize();
    progress.add(bytes);
    return;
  }
  const std::size_t chunks = (bytes + slot_bytes - 1) / slot_bytes;
  const auto chunk_bytes = [&](std::size_t i) { return std::min(slot_bytes, bytes - i * slot_bytes); };
  const auto fetch = [&](std::size_t i) {
    SORTILE_CUDA_CHECK(cudaMemcpyAsync(slot(i), static_cast<const char*>(device) + i * slot_bytes, chunk_bytes(i),
                                       cudaMemcpyDeviceToHost, stream.get()));
    moved_[i % slots].record(stream.get());
  };
  for (std::size_t i = 0; i < std::min(slots, chunks); ++i)
    fetch(i);
  for (std::size_t i = 0; i < chunks; ++i) {
    moved_[i % slots].synchronize();
    copy_by_threads(static_cast<char*>(host) + i * slot_bytes, slot(i), chunk_bytes(i), threads);
    if (i + slots < chunks)
      fetch(i + slots);
    progress.add(chunk_bytes(i));
    progress.report();
  }
}

borrowed_staging::borrowed_staging() {
  {
    const std::lock_guard lock(kept_mutex);
    staging_ = std::move(kept);
    if (staging_ != nullptr)
      kept = std::move(staging_->next);
  }
  if (staging_ == nullptr)
    staging_ = std::make_unique<staging>();
}

borrowed_staging::~borrowed_staging() {
  const std::lock_guard lock(kept_mutex);
  staging_->next = std::move(kept);
  kept = std::move(staging_);
}

void release_staging() noexcept {
  std::unique_ptr<staging> released; // freed last, outside of the lock
  const std::lock_guard lock(kept_mutex);
  std::swap(released, kept);
}

} // namespace sortile::gpu
