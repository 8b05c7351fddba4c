// Rows for the sort of pairs: both contestants on the same arrays, outputs compared before anything is timed.
#include "bench/gpu/pair_rows.hpp"

#include "kernels/pairs/sort_pairs.hpp"

#include <stdexcept>
#include <type_traits>

namespace sortile::bench {

template <class Word, class Value>
row pairs_row(const char* name, const shared_buffer& keys, const shared_buffer& values, std::uint64_t n,
              companion with) {
  const bool indices = with == companion::indices;
  const auto keys_out = make_buffer(n * sizeof(Word)), cub_keys = make_buffer(n * sizeof(Word));
  const auto values_out = make_buffer(n * sizeof(Value)), cub_values = make_buffer(n * sizeof(Value));
  const auto counted = make_buffer(indices ? n * sizeof(Value) : 16);
  if (indices)
    fill_with_indices(static_cast<Value*>(counted->data()), n);
  const auto* in = static_cast<const Word*>(keys->data());
  const auto* in_values = static_cast<const Value*>((indices ? counted : values)->data());
  kernels::sort_pairs_request<Word> request{
      .keys_in = in,
      .keys_out = indices ? nullptr : static_cast<Word*>(keys_out->data()),
      .values_in = indices ? nullptr : in_values,
      .values_out = values_out->data(),
      .value_bytes = sizeof(Value),
      .make_indices = indices,
      .n = n,
      .codec = make_key_codec<Word>(sizeof(Word) == 4 ? key_type::u32 : key_type::u64, order::ascending, {})};
  request.workspace_bytes = kernels::sort_pairs_workspace_bytes(request);
  const auto workspace = make_buffer(request.workspace_bytes);
  request.workspace = workspace->data();
  const auto queue = simt::queue::cuda(nullptr);

  // Look, two partitions, local step; a value is not looked at, and an index is not read.
  const double key_moves = indices ? 6 : 7, value_moves = indices ? 5 : 6;
  row r{name, n, double(n) * (key_moves * sizeof(Word) + value_moves * sizeof(Value)), {}};
  r.contestants.push_back({"sortile", [=] { kernels::sort_pairs(queue, request); }, request.workspace_bytes});
  r.contestants.push_back(
      cub_sort_pairs(in, static_cast<Word*>(cub_keys->data()), in_values, static_cast<Value*>(cub_values->data()), n));
  for (const contestant& c : r.contestants)
    c.run();
  const bool same_keys = indices || same_on_device(keys_out->data(), cub_keys->data(), n * sizeof(Word));
  if (!same_keys || !same_on_device(values_out->data(), cub_values->data(), n * sizeof(Value)))
    throw std::runtime_error(std::string(name) + ": sortile and CUB differ");
  for (contestant& c : r.contestants)
    c.run = [work = c.run, keep = std::vector{keys_out, cub_keys, values_out, cub_values, counted, workspace}] {
      work();
    };
  return r;
}

#define SORTILE_INSTANCE(WORD, VALUE)                                                                                  \
  template row pairs_row<WORD, VALUE>(const char*, const shared_buffer&, const shared_buffer&, std::uint64_t,          \
                                      companion);
SORTILE_INSTANCE(std::uint32_t, std::uint32_t)
SORTILE_INSTANCE(std::uint64_t, std::uint32_t)
SORTILE_INSTANCE(std::uint64_t, std::uint64_t)
#undef SORTILE_INSTANCE

} // namespace sortile::bench
