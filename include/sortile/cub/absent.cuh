// Classes of CUB's that are not here. Whatever is called of one, the compilation ends with what to write instead.
//
// Each is an alias of a class that cannot be instantiated: naming a member does that, naming the class alone does not.
// A compiler says the sentence once of each, and of further calls that they are no members.
#pragma once

#include <sortile/cub/call.cuh>

namespace sortile::cub::inline SORTILE_BACKEND {
namespace detail {

template <int Number>
struct no_scan {
  static_assert(Number < 0,
                "sortile: DeviceScan is not here; sortile::run(scan_request) of sortile/scan.hpp makes sums and maxima "
                "of integers, and ::cub::DeviceScan all others");
};

template <int Number>
struct no_histogram {
  static_assert(Number < 0,
                "sortile: DeviceHistogram is not here; sortile::run(histogram_request) of sortile/scan.hpp counts all "
                "digits of keys, and ::cub::DeviceHistogram other bins");
};

template <int Number>
struct no_run_length_encode {
  static_assert(Number < 0,
                "sortile: DeviceRunLengthEncode is not here; sortile::run(groups_request) of sortile/groups.hpp finds "
                "equal keys, sorted or not, and how often each occurs");
};

template <int Number>
struct no_select {
  static_assert(Number < 0,
                "sortile: DeviceSelect is not here; sortile::run(groups_request) of sortile/groups.hpp finds distinct "
                "keys, sorted or not, and ::cub::DeviceSelect goes by flags and functors");
};

template <int Number>
struct no_partition {
  static_assert(Number < 0,
                "sortile: DevicePartition is not here; sortile::run(route_request) of sortile/route.hpp parts pairs by "
                "numbers, and ::cub::DevicePartition goes by flags and functors");
};

template <int Number>
struct no_merge {
  static_assert(Number < 0,
                "sortile: DeviceMerge is not here; sortile::run(merge_request) merges sorted runs of keys, with values "
                "too, and sortile::merge(a, b, out, on_device(less)) of sortile/compare.cuh by a functor");
};

template <int Number>
struct no_reduce {
  static_assert(Number < 0,
                "sortile: reductions are not here; take ::cub::DeviceReduce and ::cub::DeviceSegmentedReduce");
};

template <int Number>
struct no_loop {
  static_assert(Number < 0,
                "sortile: only what sorts is here; take ::cub:: for loops, transforms, differences and copies");
};

} // namespace detail

using DeviceScan = detail::no_scan<0>;
using DeviceHistogram = detail::no_histogram<0>;
using DeviceRunLengthEncode = detail::no_run_length_encode<0>;
using DeviceSelect = detail::no_select<0>;
using DevicePartition = detail::no_partition<0>;
using DeviceMerge = detail::no_merge<0>;
using DeviceReduce = detail::no_reduce<0>;
using DeviceSegmentedReduce = detail::no_reduce<1>;
using DeviceAdjacentDifference = detail::no_loop<0>;
using DeviceCopy = detail::no_loop<1>;
using DeviceFor = detail::no_loop<2>;
using DeviceMemcpy = detail::no_loop<3>;
using DeviceTransform = detail::no_loop<4>;

} // namespace sortile::cub::inline SORTILE_BACKEND
