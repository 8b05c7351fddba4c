// Which way a sort by any order takes, by the number of elements: one block, ranks (rank_sort.hpp), splitters
// (splitter_sort.hpp), and merges (merge_sort.hpp) where two levels of splitters do not suffice.
#pragma once

#include "kernels/any_order/merge_sort.hpp"
#include "kernels/any_order/rank_sort.hpp"
#include "kernels/any_order/splitter_sort.hpp"

namespace sortile::kernels::inline SORTILE_BACKEND {

/// A sort of n elements of the caller's arrays.
template <class Arrays, class Less>
class any_order_sort {
 public:
  using element = typename Arrays::element;
  using by_splitters = any_order_splitter_sort<Arrays, Less>;
  using by_ranks = any_order_rank_sort<Arrays, Less>;
  /// Of so many a block is as quick as ranks; and it holds so many.
  static constexpr std::uint64_t few = sizeof(element) <= 8 ? 1024 : 512, one_block = sort_shape<element>::capacity;

  /// `output_holds_runs`: the output has the form of elements and can hold runs between two passes.
  any_order_sort(std::uint64_t n, bool output_holds_runs) : n_(n), output_holds_runs_(output_holds_runs) {}

  /// Grows with n.
  std::size_t workspace_bytes() const {
    std::size_t bytes = n_ <= few ? 0 : by_ranks(n_ < by_ranks::most ? n_ : by_ranks::most).workspace_bytes();
    const auto at_least = [&](std::size_t more) { bytes = bytes < more ? more : bytes; };
    if (n_ > one_block)
      at_least(by_splitters(n_ < by_splitters::most ? n_ : by_splitters::most).workspace_bytes());
    if (n_ > by_splitters::most)
      at_least(merges().workspace_bytes());
    return bytes;
  }

  /// `output`: the output as elements, or null.
  void launch(const simt::queue& q, const Arrays& arrays, element* output, const Less& order,
              std::byte* workspace) const {
    if (n_ == 0)
      return;
    if (n_ > few && n_ <= by_ranks::most)
      by_ranks(n_).launch(q, arrays, order, workspace);
    else if (n_ > one_block && n_ <= by_splitters::most)
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
