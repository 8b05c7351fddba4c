// Where a sort that takes a sort_pairs_request finds its arrays: the caller's, and those of its workspace, at the byte
// offsets of a layout that has keys, work_keys and values.
#pragma once

#include "kernels/pairs/sort_pairs.hpp"
#include "simt/simt.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

template <class Word, class Value, class Layout>
struct pair_arrays {
  struct arrays {
    Word* keys;
    Value* values;
  };

  const sort_pairs_request<Word>& r;
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

} // namespace sortile::kernels::inline SORTILE_BACKEND
