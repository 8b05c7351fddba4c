// Structs of one member, sorted in an order that the library does not know: by compare.cuh, which is told the member,
// and by CUB's merge sort, which calls a comparator.
#include "bench/gpu/struct_sort.cuh"
#include "bench/gpu/with_workspace.cuh"

#include <cub/device/device_merge_sort.cuh>

#include <stdexcept>

namespace sortile::bench {
namespace {

template <class Word>
struct boxed {
  Word key;
};

struct by_key {
  template <class Word>
  SORTILE_HOST_DEVICE auto operator()(const boxed<Word>& b) const {
    return members(b.key);
  }
  template <class Word>
  SORTILE_HOST_DEVICE bool operator()(const boxed<Word>& a, const boxed<Word>& b) const {
    return a.key < b.key;
  }
};

template <class F>
contestant with_struct(const sort_request& r, F&& f) {
  if (r.type == key_type::u32)
    return f(boxed<std::uint32_t>{});
  if (r.type == key_type::u64)
    return f(boxed<std::uint64_t>{});
  throw std::logic_error("sorts of structs: a member of type " + std::string(name(r.type)) + " (allowed: u32, u64)");
}

} // namespace

contestant sortile_struct_sort(const sort_request& r) {
  return with_struct(r, [&]<class T>(T) {
    return struct_sort_contestant(std::span(static_cast<const T*>(r.keys_in), r.n),
                                  std::span(static_cast<T*>(r.keys_out), r.n), by_key{});
  });
}

contestant cub_merge_sort(const sort_request& r) {
  return with_struct(r, [&]<class T>(T) {
    const auto* in = static_cast<const T*>(r.keys_in);
    auto* const out = static_cast<T*>(r.keys_out);
    return with_workspace("cub", [=, n = std::uint64_t{r.n}](void* workspace, std::size_t& bytes) {
      return cub::DeviceMergeSort::SortKeysCopy(workspace, bytes, in, out, n, by_key{});
    });
  });
}

} // namespace sortile::bench
