// The checks of scans and histograms: every misuse is named with what is wrong, where, and what is allowed.
#include "api/scan_checks.hpp"

#include "api/array_checks.hpp"
#include "api/checks.hpp"
#include "primitives/with_word.hpp"

namespace sortile::checks {
namespace {

/// What sorts ask too, and that nothing is asked for that a single step has no use for.
void need_options(const char* operation, key_type type, const options& opts) {
  sort({.type = type}, opts);
  refuse_limit(operation, opts);
  refuse_progress(operation, "is a single step", opts);
}

struct scan_arrays {
  named_array in, out;
};

/// Whether a number of the type has these bits; of a signed one they may be those of 64 bits.
bool is_of_type(std::uint64_t bits, key_type type) {
  if (key_bytes(type) == 8)
    return true;
  return bits == static_cast<std::uint32_t>(bits) ||
         (is_signed_integer(type) && bits == static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(bits)}));
}

scan_arrays arrays_of(const scan_request& r) {
  const std::size_t width = key_bytes(r.type);
  return {{"in", r.in, r.n, width, width}, {"out", r.out, r.n, width, width}};
}

} // namespace

void scan_type(const scan_request& r, const options& opts) {
  need_options("a scan", r.type, opts);
  if (!is_scanned(r.type))
    refuse_call("a scan of " + std::string(name(r.type)) + " is asked for; allowed are u32, i32, u64 and i64");
  if (r.op > scan_operator::maximum)
    refuse_call("scan operator number " + std::to_string(static_cast<int>(r.op)) +
                " does not exist; sum is 0, maximum 1");
  if (r.kind > scan_kind::exclusive)
    refuse_call("scan kind number " + std::to_string(static_cast<int>(r.kind)) +
                " does not exist; inclusive is 0, exclusive 1");
  if (asks_for_an_order(opts))
    refuse_call("a scan takes whole numbers as they stand; leave options::order and options::bits at their defaults");
  if (opts.memory == memory::host)
    refuse_workspace("a scan", "needs none", opts);
}

void scan(const scan_request& r, const options& opts) {
  scan_type(r, opts);
  if (r.initial && !is_of_type(*r.initial, r.type))
    refuse_call("initial = " + std::to_string(*r.initial) + " is no number of type " + std::string(name(r.type)));
  const scan_arrays a = arrays_of(r);
  need_array(a.in, opts.memory);
  need_array(a.out, opts.memory);
  if (r.in != r.out)
    need_apart(a.in, a.out);
}

void histogram_type(const histogram_request& r, const options& opts) {
  need_options("a histogram", r.type, opts);
  refuse_workspace("a histogram", "needs none", opts);
}

void histogram(const histogram_request& r, const options& opts) {
  histogram_type(r, opts);
  const std::size_t width = key_bytes(r.type);
  const named_array keys{"keys", r.keys, r.n, width, width};
  const named_array counts{"counts", r.counts, 256 * width, sizeof(std::uint64_t), alignof(std::uint64_t)};
  need_array(keys, opts.memory);
  need_array(counts, opts.memory);
  need_apart(keys, counts);
}

void workspace(const scan_request& r, const options& opts, std::size_t wanted) {
  const scan_arrays a = arrays_of(r);
  need_space({a.in, a.out}, opts.workspace, opts.memory, wanted);
}

} // namespace sortile::checks
