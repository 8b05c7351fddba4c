#include "tests/scan/scan_case.hpp"

#include "testing/oracle.hpp"
#include "testing/workloads.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sortile::testing {
namespace {

/// Element i as 64 bits; a signed one with its sign.
std::uint64_t element(key_type type, const std::byte* array, std::size_t i) {
  if (key_bytes(type) == 8) {
    std::uint64_t wide = 0;
    std::memcpy(&wide, array + 8 * i, 8);
    return wide;
  }
  std::uint32_t narrow = 0;
  std::memcpy(&narrow, array + 4 * i, 4);
  return type == key_type::i32 ? static_cast<std::uint64_t>(static_cast<std::int32_t>(narrow)) : narrow;
}

std::uint64_t lowest(key_type type) {
  return !is_signed_integer(type) ? 0
         : key_bytes(type) == 8   ? std::uint64_t{1} << 63
                                  : static_cast<std::uint64_t>(std::int64_t{INT32_MIN});
}

std::uint64_t folded(const scan_case& c, std::uint64_t a, std::uint64_t b) {
  if (c.op == scan_operator::sum)
    return a + b;
  const bool less = is_signed_integer(c.type) ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  return less ? b : a;
}

options options_of(const scan_case& c) {
  options opts;
  opts.engine = c.engine;
  opts.threads = c.threads;
  opts.memory = c.where == nullptr ? memory::host : memory::device;
  return opts;
}

guarded_buffer input_of(const scan_case& c) {
  guarded_buffer in(c.n * key_bytes(c.type), key_bytes(c.type), c.seed, c.where);
  if (c.n > 0)
    workload_named("uniform").fill({c.type, c.n, c.seed}, 0, c.n, in.data());
  return in;
}

} // namespace

std::string to_string(const scan_case& c) {
  return "seed " + std::to_string(c.seed) + ": " + std::string(name(c.type)) + ", n " + std::to_string(c.n) +
         (c.op == scan_operator::sum ? ", sum" : ", maximum") +
         (c.kind == scan_kind::inclusive ? ", inclusive" : ", exclusive") +
         (c.initial ? ", initial " + std::to_string(*c.initial) : "") + (c.in_place ? ", in place" : "") + ", bits " +
         std::to_string(c.bits.begin) + " to " + std::to_string(c.bits.end) + ", engine '" + c.engine + "', threads " +
         std::to_string(c.threads);
}

verdict check_scan(const scan_case& c) {
  const std::size_t width = key_bytes(c.type);
  guarded_buffer in = input_of(c), out(c.in_place ? 0 : c.n * width, c.seed % 2 == 0 ? width : 0, c.seed, c.where);
  const std::vector<std::byte> given(in.data(), in.data() + in.size());
  const scan_request request{.type = c.type,
                             .n = c.n,
                             .in = in.data(),
                             .out = c.in_place ? in.data() : out.data(),
                             .op = c.op,
                             .kind = c.kind,
                             .initial = c.initial};
  options opts = options_of(c);
  guarded_buffer workspace(c.where != nullptr && c.seed % 2 == 0 ? workspace_bytes(request, opts) : 0, 0, 9, c.where);
  if (workspace.size() > 0)
    opts.workspace = workspace.bytes();
  run(request, opts);
  if (c.where != nullptr)
    c.where->finish();
  std::uint64_t fold = c.initial.value_or(c.op == scan_operator::sum ? 0 : lowest(c.type));
  for (std::size_t i = 0; i < c.n; ++i) {
    const std::uint64_t next = folded(c, fold, element(c.type, given.data(), i));
    const std::uint64_t wanted = c.kind == scan_kind::inclusive ? next : fold;
    if (std::memcmp(static_cast<const std::byte*>(request.out) + i * width, &wanted, width) != 0)
      return {to_string(c) + ": result " + std::to_string(i) + " is wrong"};
    fold = next;
  }
  if (!c.in_place && std::memcmp(in.data(), given.data(), given.size()) != 0)
    return {to_string(c) + ": the input was changed"};
  const std::string damage = in.damage() + out.damage() + workspace.damage();
  return {damage.empty() ? "" : to_string(c) + ": " + damage};
}

verdict check_histogram(const scan_case& c) {
  const std::size_t width = key_bytes(c.type);
  guarded_buffer keys = input_of(c), counts(256 * width * 8, 8, c.seed, c.where);
  options opts = options_of(c);
  opts.order = c.direction;
  opts.bits = c.bits;
  run(histogram_request{.type = c.type, .n = c.n, .keys = keys.data(), .counts = counts.as<std::uint64_t>().data()},
      opts);
  if (c.where != nullptr)
    c.where->finish();
  std::vector<std::uint64_t> wanted(256 * width);
  const unsigned end = std::min(c.bits.end, key_bits(c.type)), window = end - c.bits.begin;
  const uint128 mask = window == 128 ? ~uint128{0} : (uint128{1} << window) - 1;
  for (std::size_t i = 0; i < c.n; ++i) {
    const uint128 image = image_of(c.type, keys.data() + i * width);
    const uint128 turned = c.direction == order::ascending ? image : ~image;
    const uint128 digits = window == 0 ? 0 : (turned >> c.bits.begin) & mask;
    for (std::size_t d = 0; d < width; ++d)
      ++wanted[256 * d + static_cast<std::size_t>(digits >> (8 * d) & 255)];
  }
  const auto found = counts.as<std::uint64_t>();
  const auto wrong = std::mismatch(wanted.begin(), wanted.end(), found.begin()).first - wanted.begin();
  if (wrong != static_cast<std::ptrdiff_t>(wanted.size()))
    return {to_string(c) + ": counter " + std::to_string(wrong) + " is wrong"};
  const std::string damage = keys.damage() + counts.damage();
  return {damage.empty() ? "" : to_string(c) + ": " + damage};
}

scan_case random_scan(std::uint64_t seed, const std::string& engine, std::size_t largest_n) {
  constexpr key_type types[] = {key_type::u32, key_type::i32, key_type::u64, key_type::i64};
  const std::uint64_t drawn = random_bits(seed, 1);
  scan_case c{.type = types[seed % 4], .seed = seed, .engine = engine};
  c.n = static_cast<std::size_t>(drawn % (largest_n >> (drawn >> 40) % 10)) + (drawn >> 32 & 1);
  c.op = (drawn >> 33 & 1) != 0 ? scan_operator::sum : scan_operator::maximum;
  c.kind = (drawn >> 34 & 1) != 0 ? scan_kind::inclusive : scan_kind::exclusive;
  if ((drawn >> 35 & 3) == 0) // a number of the type; a signed one has its sign
    c.initial = static_cast<std::uint64_t>(is_signed_integer(c.type) ? -77 : 77);
  c.in_place = (drawn >> 37 & 1) != 0;
  c.threads = static_cast<unsigned>(drawn >> 38 & 3);
  return c;
}

scan_case random_histogram(std::uint64_t seed, const std::string& engine, std::size_t largest_n) {
  scan_case c = random_scan(seed, engine, largest_n);
  c.type = all_key_types[seed % std::size(all_key_types)];
  const std::uint64_t drawn = random_bits(seed, 2);
  c.direction = (drawn & 1) != 0 ? order::ascending : order::descending;
  if ((drawn >> 1 & 1) != 0) {
    c.bits.begin = static_cast<unsigned>(drawn >> 8) % (key_bits(c.type) + 1);
    c.bits.end = c.bits.begin + static_cast<unsigned>(drawn >> 16) % (key_bits(c.type) - c.bits.begin + 1);
  }
  return c;
}

} // namespace sortile::testing
