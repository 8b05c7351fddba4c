#include "tests/route/route_case.hpp"

#include "testing/workloads.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sortile::testing {
namespace {

constexpr std::uint64_t none = ~std::uint64_t{0};
constexpr const char* output_names[] = {"offsets", "counts", "order", "inverse", "block_experts", "dropped"};

/// The largest number of the type; of those that are no experts' the ones next to these are used too.
std::uint64_t largest(key_type type) {
  return ~std::uint64_t{0} >> (64 - (key_bits(type) - (is_signed_integer(type) ? 1 : 0)));
}

std::int64_t number_of_pair(const route_case& c, std::size_t i) {
  const std::uint64_t drawn = random_bits(c.seed, i), experts = std::min(c.expert_count, largest(c.type));
  const auto nobody = [&] { // negative, or too large; u8 of 256 experts has neither, and 0 is as good as any
    const std::uint64_t beyond[] = {c.expert_count, c.expert_count + 1, largest(c.type), largest(c.type) - 1};
    if (is_signed_integer(c.type) && drawn % 3 != 0)
      return drawn % 3 == 1 ? std::int64_t{-1} : -static_cast<std::int64_t>(largest(c.type)) - 1;
    const std::uint64_t number = beyond[drawn >> 8 & 3];
    return static_cast<std::int64_t>(number > largest(c.type) ? 0 : number);
  };
  switch (c.experts) {
  case spread::uniform:
    return static_cast<std::int64_t>(drawn % experts);
  case spread::one_expert:
    return static_cast<std::int64_t>(experts - 1);
  case spread::every_fifth:
    return static_cast<std::int64_t>(drawn % ((experts + 4) / 5) * 5);
  case spread::in_order:
    return static_cast<std::int64_t>(i * experts / std::max<std::size_t>(c.n, 1));
  case spread::some_dropped:
    return drawn >> 40 & 1 ? nobody() : static_cast<std::int64_t>(drawn % experts);
  default:
    return nobody();
  }
}

bool is_expert(const route_case& c, std::int64_t number) {
  if (!is_signed_integer(c.type))
    return static_cast<std::uint64_t>(number) < c.expert_count;
  return number >= 0 && static_cast<std::uint64_t>(number) < c.expert_count;
}

/// The outputs in the order of route_request, by a loop.
std::vector<std::vector<std::uint64_t>> expected(const route_case& c) {
  std::vector<std::vector<std::uint64_t>> pairs(c.expert_count);
  const std::size_t rows = route_rows(c.n, c.expert_count, c.block);
  std::vector<std::uint64_t> offsets{0}, counts, order, inverse(c.n, none), blocks;
  std::uint64_t dropped = 0;
  for (std::size_t i = 0; i < c.n; ++i)
    if (const std::int64_t e = number_of_pair(c, i); is_expert(c, e))
      pairs[static_cast<std::size_t>(e)].push_back(i);
    else
      ++dropped;
  for (std::size_t e = 0; e < c.expert_count; ++e) {
    for (const std::uint64_t i : pairs[e]) {
      inverse[i] = order.size();
      order.push_back(i);
    }
    while (order.size() % c.block != 0)
      order.push_back(c.n);
    counts.push_back(pairs[e].size());
    offsets.push_back(order.size());
    blocks.resize(order.size() / c.block, e);
  }
  order.resize(rows, c.n);
  blocks.resize(rows / c.block, none);
  return {offsets, counts, order, inverse, blocks, {dropped}};
}

} // namespace

std::string to_string(const route_case& c) {
  return "seed " + std::to_string(c.seed) + ": " + std::string(name(c.type)) + ", n " + std::to_string(c.n) +
         ", experts " + std::to_string(c.expert_count) + ", spread " + std::to_string(static_cast<int>(c.experts)) +
         ", block " + std::to_string(c.block) + ", numbers of " + std::to_string(c.index_bytes) + " bytes, outputs " +
         std::to_string(c.outputs) + ", engine '" + c.engine + "', threads " + std::to_string(c.threads);
}

verdict check_route(const route_case& c) {
  const std::size_t width = key_bytes(c.type);
  guarded_buffer experts(c.n * width, width, c.seed, c.where);
  for (std::size_t i = 0; i < c.n; ++i) {
    const std::int64_t number = number_of_pair(c, i);
    std::memcpy(experts.data() + i * width, &number, width);
  }
  const std::vector<std::byte> given(experts.data(), experts.data() + experts.size());
  const auto wanted = expected(c);
  std::vector<guarded_buffer> outputs;
  for (std::size_t o = 0; o < wanted.size(); ++o)
    outputs.emplace_back(wanted[o].size() * c.index_bytes, c.index_bytes, c.seed + o + 1, c.where);
  const auto output = [&](unsigned o) -> void* { return c.outputs >> o & 1 ? outputs[o].data() : nullptr; };
  const std::vector<std::vector<std::byte>> before = [&] {
    std::vector<std::vector<std::byte>> copies;
    for (guarded_buffer& b : outputs)
      copies.emplace_back(b.data(), b.data() + b.size());
    return copies;
  }();
  const route_request request{.type = c.type,
                              .n = c.n,
                              .experts = experts.data(),
                              .expert_count = c.expert_count,
                              .block = c.block,
                              .index_bytes = c.index_bytes,
                              .offsets = output(0),
                              .counts = output(1),
                              .order = output(2),
                              .inverse = output(3),
                              .block_experts = output(4),
                              .dropped = output(5)};
  options opts;
  opts.engine = c.engine;
  opts.threads = c.threads;
  opts.memory = c.where == nullptr ? memory::host : memory::device;
  guarded_buffer workspace(c.where != nullptr && c.seed % 2 == 0 ? workspace_bytes(request, opts) : 0, 0, 9, c.where);
  if (workspace.size() > 0)
    opts.workspace = workspace.bytes();
  run(request, opts);
  if (c.where != nullptr)
    c.where->finish();
  const std::uint64_t mask = c.index_bytes == 4 ? 0xffffffffu : none;
  std::string damage = experts.damage() + workspace.damage();
  for (std::size_t o = 0; o < wanted.size(); ++o) {
    damage += outputs[o].damage();
    if ((c.outputs >> o & 1) == 0) {
      if (std::memcmp(outputs[o].data(), before[o].data(), before[o].size()) != 0)
        return {to_string(c) + ": " + output_names[o] + " was written, and not asked for"};
      continue;
    }
    for (std::size_t i = 0; i < wanted[o].size(); ++i) {
      std::uint64_t found = 0;
      std::memcpy(&found, outputs[o].data() + i * c.index_bytes, c.index_bytes);
      if (found != (wanted[o][i] & mask))
        return {to_string(c) + ": " + output_names[o] + "[" + std::to_string(i) + "] is " + std::to_string(found) +
                ", expected " + std::to_string(wanted[o][i] & mask)};
    }
  }
  if (std::memcmp(experts.data(), given.data(), given.size()) != 0)
    return {to_string(c) + ": the experts were changed"};
  return {damage.empty() ? "" : to_string(c) + ": " + damage};
}

route_case random_route(std::uint64_t seed, const std::string& engine, std::size_t largest_n) {
  constexpr std::size_t blocks[] = {1, 1, 4, 16, 64, 128, 3};
  const std::uint64_t drawn = random_bits(seed, 1);
  route_case c{.type = expert_types[seed % std::size(expert_types)], .seed = seed, .engine = engine};
  c.n = static_cast<std::size_t>(drawn % (largest_n >> (drawn >> 40) % 10)) + (drawn >> 32 & 1);
  c.expert_count = 1 + static_cast<std::size_t>((drawn >> 8) % (route_experts_most >> (drawn >> 44) % 13));
  c.block = blocks[(drawn >> 48) % std::size(blocks)];
  c.index_bytes = (drawn >> 52 & 1) != 0 ? 4 : 8;
  c.experts = all_spreads[(drawn >> 53) % std::size(all_spreads)];
  c.outputs = (drawn >> 56 & 1) != 0 ? 63 : static_cast<unsigned>(drawn >> 57 & 63);
  c.threads = static_cast<unsigned>(drawn >> 38 & 3);
  return c;
}

} // namespace sortile::testing
