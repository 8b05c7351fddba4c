// Between the checked call and the kernel: declared for each backend, defined in radix_histogram.cu.
#pragma once

#include "kernels/histogram/radix_histogram.hpp"

namespace sortile::kernels::detail {

template <class Backend, class Word>
SORTILE_LAUNCH void launch_radix_histogram(const simt::queue& q, const Word* keys, std::uint64_t n,
                                           const key_codec<Word>& codec, std::uint64_t* counts);

} // namespace sortile::kernels::detail
