#include "tests/select/in_place_case.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <cstring>

namespace sortile::testing {
namespace {

options options_of(const top_k_case& c) {
  options opts;
  opts.order = c.direction;
  opts.bits = c.bits;
  opts.engine = c.engine;
  opts.threads = c.threads;
  opts.memory = c.where != nullptr ? memory::device : memory::host;
  return opts;
}

guarded_buffer keys_of(const top_k_case& c) {
  const std::size_t key = key_bytes(c.type);
  guarded_buffer keys(c.n * key, key, c.seed, c.where);
  if (c.n > 0)
    workload_named(c.workload).fill({c.type, c.n, c.seed}, 0, c.n, keys.data());
  return keys;
}

/// Runs a request in place; of arrays in device memory also with a workspace of the caller's. Whether the workspace was
/// kept to.
template <class Request>
std::string run_in_place(const top_k_case& c, const Request& request) {
  options opts = options_of(c);
  const bool takes_workspace = c.own_workspace && c.where != nullptr; // of host arrays it is refused
  guarded_buffer workspace(takes_workspace ? workspace_bytes(request, opts) : 0, 0, c.seed + 4, c.where);
  if (takes_workspace)
    opts.workspace = workspace.bytes();
  run(request, opts);
  if (c.where != nullptr)
    c.where->finish();
  return workspace.damage();
}

} // namespace

std::vector<std::uint64_t> partially_sorted(const std::vector<std::uint64_t>& order, std::size_t k) {
  std::vector<bool> is_first(order.size());
  for (std::size_t i = 0; i < k; ++i)
    is_first[order[i]] = true;
  std::vector<std::uint64_t> places(order.begin(), order.end());
  std::size_t displaced = 0; // the next position below k that is not among the first
  for (std::size_t i = k; i < order.size(); ++i) {
    places[i] = i;
    if (!is_first[i])
      continue;
    while (is_first[displaced])
      ++displaced;
    places[i] = displaced++;
  }
  return places;
}

verdict check_partial_sort(const top_k_case& c) {
  const std::size_t key = key_bytes(c.type), width = c.carries == payload::values ? c.value_bytes : 0;
  guarded_buffer keys = keys_of(c), values(c.n * width, width == 0 ? 0 : 1, c.seed + 1, c.where);
  const auto places = partially_sorted(stable_order({c.type, c.direction, c.bits}, keys.data(), c.n), c.k);
  const auto keys_wanted = gather(keys.data(), key, places), values_wanted = gather(values.data(), width, places);
  const std::string text = "partial sort of the " + to_string(c) + ": ";
  const std::string damage = run_in_place(c, partial_sort_request{.type = c.type,
                                                                  .n = c.n,
                                                                  .k = c.k,
                                                                  .keys = keys.data(),
                                                                  .value_bytes = width,
                                                                  .values = width == 0 ? nullptr : values.data()});
  if (const std::string all = damage + keys.damage() + values.damage(); !all.empty())
    return {text + all};
  for (std::size_t i = 0; i < c.n; ++i) {
    if (std::memcmp(keys.data() + i * key, keys_wanted.data() + i * key, key) != 0)
      return {text + "key " + std::to_string(i) + " is " + key_text(c.type, keys.data() + i * key) + ", not " +
              key_text(c.type, keys_wanted.data() + i * key)};
    if (std::memcmp(values.data() + i * width, values_wanted.data() + i * width, width) != 0)
      return {text + "value " + std::to_string(i) + " is not that of position " + std::to_string(places[i])};
  }
  return {};
}

verdict check_nth_element(const top_k_case& c) {
  const std::size_t key = key_bytes(c.type);
  guarded_buffer keys = keys_of(c);
  const ordering by{c.type, c.direction, c.bits};
  const auto order = stable_order(by, keys.data(), c.n);
  const std::vector<std::byte> before(keys.data(), keys.data() + keys.size());
  multiset_hash held, holds;
  held.add(c.type, {before.data(), nullptr, 0, c.n});
  const std::string text = "nth_element of the " + to_string(c) + ": ";
  const std::string damage =
      run_in_place(c, nth_element_request{.type = c.type, .n = c.n, .nth = c.k, .keys = keys.data()});
  if (const std::string all = damage + keys.damage(); !all.empty())
    return {text + all};
  holds.add(c.type, {keys.data(), nullptr, 0, c.n});
  if (held != holds)
    return {text + "there are other keys than before"};
  if (c.k >= c.n)
    return std::memcmp(keys.data(), before.data(), before.size()) == 0 ? verdict{} : verdict{text + "keys have moved"};
  const std::byte* const nth = keys.data() + c.k * key;
  if (std::memcmp(nth, before.data() + order[c.k] * key, key) != 0)
    return {text + "the key is " + key_text(c.type, nth) + ", not " +
            key_text(c.type, before.data() + order[c.k] * key)};
  for (std::size_t i = 0; i < c.n; ++i) {
    const std::byte* const other = keys.data() + i * key;
    if (i < c.k ? comes_before(by, nth, other) : comes_before(by, other, nth))
      return {text + "key " + std::to_string(i) + " is on the wrong side"};
  }
  return {};
}

top_k_case random_in_place(std::uint64_t seed, const std::string& engine, std::size_t largest_n) {
  top_k_case c = random_top_k(seed, engine, largest_n);
  c.rows = 1;
  c.gap = 0;
  if (c.carries == payload::indices) // as wide as an index is
    c.carries = payload::values;
  return c;
}

} // namespace sortile::testing
