// Exercise: digits of several bits. See several-bits.md.
#include "classics/radix_buckets.hpp"

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
void sort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  const std::uint64_t n = j.asked.n;
  if (n == 0)
    return;
  const unsigned a_pass = j.parameter("bits");
  const bucket_pass<Word, Pairs, 1> pass(j.on, n, a_pass);
  telling silent(nullptr, {});
  // Your turn. This is one bit a pass; a pass can take digits of `a_pass` bits, and fewer where the key's bits end.
  for (unsigned bit = 0; bit < codec.bits; ++bit) {
    pass(data, spare, n, codec, {bit, 1}, silent);
    std::swap(data, spare);
  }
}

} // namespace

SORTILE_CLASSICS_OF(exercise) {
  return {{.name = "several-bits",
           .family = "exercise",
           .stable = true,
           .tile = 256,
           .parameters = {{"bits", 1, 4, 8, "bits a pass"}},
           .run = [](job& j) { with_records(j, [&](auto&... a) { sort(j, a...); }); }}};
}

} // namespace sortile::classics
