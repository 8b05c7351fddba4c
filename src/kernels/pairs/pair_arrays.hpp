// What the launch lists of sorts of pairs share: the types that kernels are instantiated by, from a request's value
// width and type of keys; where a request's arrays lie, the caller's and those of its workspace; and the launch for the
// buckets that are too large for the local steps (large_pairs_kernel.hpp).
#pragma once

#include "kernels/pairs/large_pairs_kernel.hpp"
#include "kernels/typed_request.hpp"

#include <algorithm>

namespace sortile::kernels::inline SORTILE_BACKEND {
/// Calls go(const Value*, const Image*), both null.
template <class Word, class Go>
void by_value_and_image(const typed_request<Word>& r, Go go) {
  const auto by_image = [&]<class Value>(const Value* value) {
    if (r.codec.infinity == 0)
      go(value, static_cast<const integer_image<Word>*>(nullptr));
    else
      go(value, static_cast<const any_image<Word>*>(nullptr));
  };
  switch (r.value_bytes) {
  case 0:
    return by_image(static_cast<const no_value*>(nullptr));
  case 4:
    return by_image(static_cast<const std::uint32_t*>(nullptr));
  case 8:
    return by_image(static_cast<const std::uint64_t*>(nullptr));
  default:
    return by_image(static_cast<const wide_value*>(nullptr));
  }
}

/// At the byte offsets of a layout that has keys, work_keys and values.
template <class Word, class Value, class Layout>
struct pair_arrays {
  struct arrays {
    Word* keys;
    Value* values;
  };

  const typed_request<Word>& r;
  Layout at;

  template <class T>
  T* part(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(r.workspace) + offset);
  }
  template <class T = std::uint32_t>
  simt::global<T> table(std::size_t offset, std::uint64_t size) const {
    return {part<T>(offset), size};
  }

  arrays in() const {
    // Read only: what is the caller's is not written unless it is an output too, or scratch.
    return {const_cast<Word*>(r.keys_in), static_cast<Value*>(const_cast<void*>(r.values_in))};
  }
  arrays out() const {
    return {r.keys_out != nullptr ? r.keys_out : part<Word>(at.work_keys), static_cast<Value*>(r.values_out)};
  }
  arrays spare() const { return r.input_is_scratch ? in() : arrays{part<Word>(at.keys), part<Value>(at.values)}; }
};

/// Buckets of which some may still have to be sorted.
struct deferred_buckets {
  simt::global<const std::uint32_t> start;
  pairs_gate gate;
  pair_bucket_list deferred;
  unsigned bins;       // of all buckets, deferred or not
  std::uint32_t above; // pairs of a bucket that others have sorted
  bool in_spare;       // where they are, in place of the output
};

/// From the output or the spare arrays to the output: a block a bucket, no more than are resident.
template <class Word, class Value, class Layout>
void sort_deferred_buckets(const simt::queue& q, const pair_arrays<Word, Value, Layout>& all,
                           const deferred_buckets& b) {
  using kernel = large_pairs_kernel<Word, Value>;
  const auto pairs = [&](const auto& a) { return typename kernel::arrays{{a.keys, all.r.n}, {a.values, all.r.n}}; };
  simt::launch(q, {.grid = std::min(b.bins, simt::resident_blocks<kernel>(q))},
               kernel{.out = pairs(all.out()),
                      .spare = pairs(all.spare()),
                      .start = b.start,
                      .gate = b.gate,
                      .deferred = b.deferred,
                      .image = any_image<Word>(all.r.codec),
                      .above = b.above,
                      .in_spare = b.in_spare});
}

} // namespace sortile::kernels::inline SORTILE_BACKEND
