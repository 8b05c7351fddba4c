// Thrust's sorts as contestants: in place, by algorithms that Thrust chooses. Temporary memory is taken once and handed
// out again, as CUB's workspace is made beforehand.
#include "bench/gpu/contestant.hpp"
#include "simt/config.hpp"

#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace sortile::bench {
namespace {

/// Thrust's allocator: blocks are kept until the end, each for requests of its size.
class kept_memory {
 public:
  using value_type = char;

  char* allocate(std::ptrdiff_t bytes) {
    std::vector<shared_buffer>& free = free_[bytes];
    if (free.empty()) {
      free.push_back(make_buffer(std::size_t(bytes)));
      SORTILE_CUDA_CHECK(cudaStreamSynchronize(nullptr)); // its stream; the work's may be another
    }
    const shared_buffer taken = free.back();
    free.pop_back();
    char* const memory = static_cast<char*>(taken->data());
    in_use_[memory] = {bytes, taken};
    return memory;
  }
  void deallocate(char* memory, std::size_t) {
    const auto at = in_use_.find(memory);
    free_[at->second.first].push_back(at->second.second);
    in_use_.erase(at);
  }

 private:
  std::map<std::ptrdiff_t, std::vector<shared_buffer>> free_;
  std::map<char*, std::pair<std::ptrdiff_t, shared_buffer>> in_use_;
};

/// An order of Thrust's own is sorted by digits; this one, which it does not know, by merging.
struct is_less {
  SORTILE_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const { return a < b; }
};

template <class Sort>
contestant in_place(const char* name, cudaStream_t stream, Sort sort) {
  const auto memory = std::make_shared<kept_memory>();
  return {name, [=] { sort(thrust::cuda::par_nosync(*memory).on(stream)); }};
}

} // namespace

contestant thrust_sort(std::uint32_t* keys, std::uint64_t n, cudaStream_t stream) {
  return in_place("Thrust sort", stream, [=](const auto& policy) { thrust::sort(policy, keys, keys + n); });
}

contestant thrust_stable_sort(std::uint32_t* keys, std::uint64_t n, cudaStream_t stream) {
  return in_place("Thrust stable_sort, a comparison", stream,
                  [=](const auto& policy) { thrust::stable_sort(policy, keys, keys + n, is_less{}); });
}

contestant thrust_sort_by_key(std::uint32_t* keys, std::uint32_t* values, std::uint64_t n, cudaStream_t stream) {
  return in_place("Thrust sort_by_key", stream,
                  [=](const auto& policy) { thrust::sort_by_key(policy, keys, keys + n, values); });
}

} // namespace sortile::bench
