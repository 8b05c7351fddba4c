// Structs in device memory, ordered by two of their members: by cell, within a cell the highest energy first; then by a
// comparison of two structs.
#include <sortile/compare.cuh>
#include <sortile/device.hpp>

#include <cstdint>
#include <iostream>
#include <new>
#include <span>

struct particle {
  float energy;
  std::uint32_t cell;
  std::uint16_t kind;
};

struct by_cell_then_energy {
  SORTILE_HOST_DEVICE auto operator()(const particle& p) const {
    return sortile::members(p.cell, sortile::descending(p.energy));
  }
};

/// By energy per kind, without a division.
struct less_for_its_kind {
  SORTILE_HOST_DEVICE bool operator()(const particle& a, const particle& b) const {
    return a.energy * float(b.kind) < b.energy * float(a.kind);
  }
};

/// An array that host and device both see.
template <class T>
std::span<T> shared_array(std::size_t n) {
  void* memory = nullptr;
  if (cudaMallocManaged(&memory, n * sizeof(T)) != cudaSuccess)
    throw std::bad_alloc();
  return {static_cast<T*>(memory), n};
}

int main() {
  if (sortile::first_usable_device() == nullptr) {
    const sortile::device_list& found = sortile::devices();
    std::cout << "no usable GPU here: " << (found.devices.empty() ? found.why_none : found.devices.front().why_unusable)
              << '\n';
    return 0;
  }
  const std::size_t n = 5;
  const std::span<particle> particles = shared_array<particle>(n);
  const std::span<double> weights = shared_array<double>(n);
  const particle measured[n] = {{1.5f, 7, 1}, {2.5f, 3, 2}, {0.5f, 7, 1}, {9.0f, 3, 1}, {1.5f, 7, 2}};
  for (std::size_t i = 0; i < n; ++i) {
    particles[i] = measured[i];
    weights[i] = double(i);
  }

  sortile::sort_by_key(particles, weights, by_cell_then_energy{});
  cudaDeviceSynchronize();
  for (std::size_t i = 0; i < n; ++i)
    std::cout << "cell " << particles[i].cell << ", energy " << particles[i].energy << ", kind " << particles[i].kind
              << ", weight " << weights[i] << '\n';

  // The sort as a thing of its own: it says what workspace it needs, and runs as often as wanted without allocating.
  const auto sort = sortile::make_struct_sort(particles, particles, by_cell_then_energy{});
  const std::span<std::byte> workspace = shared_array<std::byte>(workspace_bytes(sort));
  run(sort, {.order = sortile::order::descending, .workspace = workspace});
  cudaDeviceSynchronize();
  std::cout << "last in descending order: cell " << particles[n - 1].cell << '\n';

  sortile::sort(particles, sortile::on_device(less_for_its_kind{}));
  cudaDeviceSynchronize();
  std::cout << "least for its kind: energy " << particles[0].energy << ", kind " << particles[0].kind << '\n';

  cudaFree(particles.data());
  cudaFree(weights.data());
  cudaFree(workspace.data());
}
