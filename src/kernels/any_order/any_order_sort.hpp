// Which way a sort by any order takes, by the number of elements: one block where that holds them, splitters
// (splitter_sort.hpp), and merges (merge_sort.hpp) where two levels of splitters do not suffice.
#pragma once

#include "kernels/any_order/merge_sort.hpp"
#include "kernels/any_order/splitter_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// A sort of n elements of the caller's arrays.
template <class Arrays, class Less>
class any_order_sort {
 public:
  using element = typename Arrays::element;
  using by_splitters = any_order_splitter_sort<Arrays, Less>;
  static constexpr std::uint64_t one_block = sort_shape<element>::capacity;

  /// `output_holds_runs`: the output has the form of elements and can hold runs between two passes.
  any_order_sort(std::uint64_t n, bool output_holds_runs) : n_(n), output_holds_runs_(output_holds_runs) {}

  /// Grows with n.
  std::size_t workspace_bytes() const {
    if (n_ <= one_block)
      return 0;
    const std::size_t with_splitters =
        by_splitters(n_ < by_splitters::most ? n_ : by_splitters::most).workspace_bytes();
    const std::size_t with_merges = n_ <= by_splitters::most ? 0 : merges().workspace_bytes();
    return with_splitters > with_merges ? with_splitters : with_merges;
  }

  /// `output`: the output as elements, or null.
  void launch(const simt::queue& q, const Arrays& arrays, element* output, const Less& order,
              std::byte* workspace) const {
    if (n_ == 0)
      return;
    if (n_ > one_block && n_ <= by_splitters::most)
      by_splitters(n_).launch(q, arrays, order, workspace);
    else
      merges().launch(q, arrays, output, order, workspace);
  }

 private:
  any_order_merge_sort<Arrays, Less> merges() const { return {n_, output_holds_runs_}; }

  std::uint64_t n_;
  bool output_holds_runs_;
};

} // namespace sortile::kernels::inline SORTILE_BACKEND
