// Checks radix histogram calls and sends them to the queue's backend.
#include "kernels/histogram/radix_histogram.hpp"

#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

namespace sortile::kernels {

template <class Word>
void radix_histogram(const simt::queue& q, const Word* keys, std::uint64_t n, const key_codec<Word>& codec,
                     std::uint64_t* counts) {
  check_array("radix_histogram", "keys", keys, n);
  check_array("radix_histogram", "counts", counts, radix_histogram_counters<Word>);
  check_apart("radix_histogram", "keys", keys, n * sizeof(Word), "counts", counts,
              radix_histogram_counters<Word> * sizeof *counts);
  send(q, detail::radix_histogram_request<Word>{keys, n, codec, counts});
}

#define SORTILE_INSTANCE(WORD)                                                                                         \
  template void radix_histogram(const simt::queue&, const WORD*, std::uint64_t, const key_codec<WORD>&, std::uint64_t*);
SORTILE_EACH_WORD(SORTILE_INSTANCE)
#undef SORTILE_INSTANCE

} // namespace sortile::kernels
