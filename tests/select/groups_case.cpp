#include "tests/select/groups_case.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <cstring>

namespace sortile::testing {
namespace {

/// What the oracle's order says of groups.
struct expected_groups {
  std::vector<std::uint64_t> first, counts, offsets, order, inverse;

  expected_groups(const ordering& by, const std::byte* keys, std::size_t n)
      : order(stable_order(by, keys, n)), inverse(n) {
    const std::size_t key = key_bytes(by.type);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || comes_before(by, keys + order[i - 1] * key, keys + order[i] * key)) {
        first.push_back(order[i]);
        offsets.push_back(i);
        counts.push_back(0);
      }
      ++counts.back();
      inverse[order[i]] = first.size() - 1;
    }
    offsets.push_back(n);
  }
};

bool holds(const guarded_buffer& from, const std::vector<std::uint64_t>& list, std::size_t width) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::uint64_t number = 0;
    std::memcpy(&number, from.data() + i * width, width);
    if (number != list[i])
      return false;
  }
  return true;
}

/// The arrays of a case; keys_out, first, counts, offsets, order, inverse in this order.
struct group_arrays {
  guarded_buffer keys, groups;
  std::vector<guarded_buffer> outputs;

  group_arrays(const top_k_case& c, std::size_t width)
      : keys(c.n * key_bytes(c.type), key_bytes(c.type), c.seed, c.where), groups(8, 8, c.seed, c.where) {
    const std::size_t key = key_bytes(c.type);
    outputs.reserve(6);
    for (unsigned i = 0; i < 6; ++i)
      outputs.emplace_back(i == 0 ? c.n * key : (c.n + (i == 3)) * width, i == 0 ? key : width, i, c.where);
    if (c.n > 0)
      workload_named(c.workload).fill({c.type, c.n, c.seed}, 0, c.n, keys.data());
  }

  groups_request request(const top_k_case& c, std::size_t width, unsigned wanted) {
    const auto output = [&](unsigned i) -> void* { return (wanted >> i & 1) != 0 ? outputs[i].data() : nullptr; };
    return {.type = c.type,
            .n = c.n,
            .keys = keys.data(),
            .keys_out = output(0),
            .index_bytes = width,
            .first = output(1),
            .counts = output(2),
            .offsets = output(3),
            .order = output(4),
            .inverse = output(5),
            .device_groups = c.where == nullptr ? nullptr : groups.as<std::uint64_t>().data()};
  }
};

} // namespace

verdict check_groups(const top_k_case& c, std::size_t width, unsigned wanted) {
  if (c.where != nullptr && c.n == 0)
    return {};
  const std::string text = to_string(c) + ", outputs " + std::to_string(wanted);
  group_arrays a(c, width);
  options opts;
  opts.order = c.direction;
  opts.bits = c.bits;
  opts.engine = c.engine;
  opts.threads = c.threads;
  opts.memory = c.where == nullptr ? memory::host : memory::device;
  const groups_request request = a.request(c, width, wanted);
  guarded_buffer workspace(c.own_workspace && c.where != nullptr ? workspace_bytes(request, opts) : 0, 0, 9, c.where);
  if (workspace.size() > 0)
    opts.workspace = workspace.bytes();
  std::size_t groups = run(request, opts);
  if (c.where != nullptr) {
    c.where->finish();
    groups = a.groups.as<std::uint64_t>()[0];
  }
  const expected_groups e({c.type, c.direction, c.bits}, a.keys.data(), c.n);
  if (groups != e.first.size())
    return {text + ": " + std::to_string(groups) + " groups, not " + std::to_string(e.first.size())};
  const std::vector<std::uint64_t>* const lists[] = {nullptr, &e.first, &e.counts, &e.offsets, &e.order, &e.inverse};
  for (unsigned i = 1; i < 6; ++i)
    if ((wanted >> i & 1) != 0 && !holds(a.outputs[i], *lists[i], width))
      return {text + ": output " + std::to_string(i) + " is wrong"};
  const std::size_t key = key_bytes(c.type);
  for (std::size_t g = 0; g < ((wanted & 1) != 0 ? groups : 0); ++g)
    if (std::memcmp(a.outputs[0].data() + g * key, a.keys.data() + e.first[g] * key, key) != 0)
      return {text + ": key " + std::to_string(g) + " is wrong"};
  std::string damage = a.keys.damage() + a.groups.damage() + workspace.damage();
  for (const guarded_buffer& each : a.outputs)
    damage += each.damage();
  return {damage.empty() ? "" : text + ": " + damage};
}

} // namespace sortile::testing
