// The checks of routings: every misuse is named with what is wrong, where, and what is allowed.
#include "api/route_checks.hpp"

#include "api/array_checks.hpp"
#include "api/checks.hpp"

namespace sortile::checks {
namespace {

constexpr std::size_t most_rows = (std::size_t{1} << 32) - 2; // 2^32 − 1 is "none" in 32 bits

bool is_expert_number(key_type type) {
  return key_bytes(type) <= 8 && type != key_type::f16 && type != key_type::bf16 && type != key_type::f32 &&
         type != key_type::f64;
}

struct route_arrays {
  named_array experts, offsets, counts, order, inverse, block_experts, dropped;
};

route_arrays arrays_of(const route_request& r) {
  const std::size_t width = key_bytes(r.type), rows = route_rows(r.n, r.expert_count, r.block);
  const auto wanted = [&r](const char* name, const void* data, std::size_t count) {
    return named_array{name, data, data == nullptr ? 0 : count, r.index_bytes, r.index_bytes};
  };
  return {{"experts", r.experts, r.n, width, width},
          wanted("offsets", r.offsets, r.expert_count + 1),
          wanted("counts", r.counts, r.expert_count),
          wanted("order", r.order, rows),
          wanted("inverse", r.inverse, r.n),
          wanted("block_experts", r.block_experts, rows / r.block),
          wanted("dropped", r.dropped, 1)};
}

} // namespace

void route_shape(const route_request& r, const options& opts) {
  sort({.type = r.type}, opts); // what sorts ask of the options too
  if (!is_expert_number(r.type))
    refuse_call("experts are numbered by " + std::string(name(r.type)) + "; allowed are integers of 8 to 64 bits");
  if (r.expert_count == 0 || r.expert_count > route_experts_most)
    refuse_call("expert_count = " + std::to_string(r.expert_count) + "; a routing takes 1 to " +
                std::to_string(route_experts_most) + " experts, and argsort any number of groups");
  if (r.block == 0)
    refuse_call("block = 0; rows are padded to multiples of block, 1 for none");
  if (r.index_bytes != 4 && r.index_bytes != 8)
    refuse_call("indices of " + std::to_string(r.index_bytes) + " bytes asked for; allowed are 4 and 8");
  if (r.n > most_rows || r.block > most_rows / r.expert_count || route_rows(r.n, r.expert_count, r.block) > most_rows)
    refuse_call("n = " + std::to_string(r.n) + " pairs of " + std::to_string(r.expert_count) +
                " experts in blocks of " + std::to_string(r.block) + " may need more than 2^32 - 2 rows");
  if (asks_for_an_order(opts))
    refuse_call("a routing takes experts by their numbers; leave options::order and options::bits at their defaults");
  refuse_limit("a routing", opts);
  refuse_progress("a routing", "does not report it", opts);
  if (opts.memory == memory::host)
    refuse_workspace("a routing", "allocates its own memory", opts);
}

void route(const route_request& r, const options& opts) {
  route_shape(r, opts);
  const route_arrays a = arrays_of(r);
  for (const named_array* each :
       {&a.experts, &a.offsets, &a.counts, &a.order, &a.inverse, &a.block_experts, &a.dropped})
    need_array(*each, opts.memory);
  need_outputs_apart({a.experts}, {a.offsets, a.counts, a.order, a.inverse, a.block_experts, a.dropped});
}

void workspace(const route_request& r, const options& opts, std::size_t wanted) {
  const route_arrays a = arrays_of(r);
  need_space({a.experts, a.offsets, a.counts, a.order, a.inverse, a.block_experts, a.dropped}, opts.workspace,
             opts.memory, wanted);
}

} // namespace sortile::checks
