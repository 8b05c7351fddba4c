// What tests of the sort of keys share: keys changed one by one, and a sort that may give its keys away.
#pragma once

#include "kernels/sort/sort_keys.hpp"
#include "kernels/verdict.hpp"
#include "tests/kernels/key_shapes.hpp"
#include "tests/kernels/words_to_zero.hpp"

#include <algorithm>

namespace sortile::simt_tests {
namespace { // one for each backend

inline constexpr std::uint64_t never = ~std::uint64_t{0};

/// The keys of a whole type, sorted into an array of sevens.
template <class Word>
std::vector<Word> sorted_by_buckets(simt::queue q, const std::vector<Word>& keys, kernels::verdict_place verdict,
                                    const kernels::sort_tuning& tuning) {
  const std::size_t n = keys.size();
  buffer<Word> in(keys), out(n, Word(7));
  kernels::typed_request<Word> r{.keys_in = in.view().data(),
                                 .keys_out = out.view().data(),
                                 .n = n,
                                 .codec = make_key_codec<Word>(unsigned_type<Word>, {}, {}),
                                 .verdict = verdict,
                                 .tuning = tuning};
  r.workspace_bytes = kernels::sort_keys_workspace_bytes(r);
  buffer<std::uint64_t> workspace(r.workspace_bytes / 8 + 16, 0x5a5a5a5a5a5a5a5au);
  r.workspace = workspace.view().data();
  kernels::sort_keys(q, r);
  return out.host();
}

/// What is skewed is reported before anything moves, by the role that it is given to; what is not is sorted.
template <class Word>
void check_verdict(simt::queue q, const std::vector<Word>& keys, unsigned bits, bool given_away,
                   std::uint64_t sample_from = never, std::uint64_t many_samples_from = never,
                   std::uint64_t map_keys_from = never, std::uint32_t passes = 0, std::uint32_t told_role = 1) {
  buffer<std::uint32_t> told(1, 99);
  kernels::verdict_place verdict{told.view().data(), 0, passes};
  const words_to_zero behind;
  behind.in(verdict);
  const auto got = sorted_by_buckets(q, keys, verdict,
                                     {.partition_bits = bits,
                                      .sample_from = sample_from,
                                      .many_samples_from = many_samples_from,
                                      .map_keys_from = map_keys_from});
  std::vector<Word> expected = keys;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(told.host()[0] & kernels::verdict::roles, given_away ? told_role : 0u);
  EXPECT_TRUE(got == (given_away ? std::vector<Word>(keys.size(), Word(7)) : expected));
  behind.check(given_away);
}

/// Random keys r, changed one by one: change(r, i).
template <class Word, class F>
std::vector<Word> changed(std::size_t n, F change) {
  auto keys = make_keys<Word>(n, shape::uniform);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = Word(change(keys[i], i));
  return keys;
}
} // namespace
} // namespace sortile::simt_tests
