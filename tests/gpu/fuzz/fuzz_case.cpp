// See fuzz_case.hpp.
//
// The reference sorts the same keys on the CPU, out of place, with an engine that shares the key codec with the kernels
// and nothing else (tests/differential holds it against the oracle). Sorts are stable and bits are never altered, so
// there is one right answer and the comparison is one of bytes, at any n.
#include "tests/gpu/fuzz/fuzz_case.hpp"

#include "testing/workloads.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::fuzz {
namespace {

using bytes = std::vector<std::byte>;
using testing::form;

constexpr std::uint64_t values_stream = 2, own_stream = 3; // seeds of a case's parts

/// The arrays of a case on the host: what goes in, and what has to come out.
class reference {
 public:
  explicit reference(const fuzz_case& c)
      : c_(c.request), sorted_(c.device_n ? std::min<std::uint64_t>(*c.device_n, c_.n) : c_.n),
        keys(c_.n * key_bytes(c_.type)), values(c_.carries == payload::values ? c_.n * c_.value_bytes : 0) {
    const testing::workload keys_of = testing::workload_named(c_.workload);
    in_pieces(c_.n, [&](std::size_t begin, std::size_t end) {
      keys_of.fill({c_.type, c_.n, c_.seed}, begin, end, keys.data() + begin * key_bytes(c_.type));
    });
    values = random_bytes(values.size(), testing::random_bits(c_.seed, values_stream));
    sort();
  }

  std::size_t sorted_key_bytes() const { return sorted_ * key_bytes(c_.type); }
  std::size_t sorted_value_bytes() const { return c_.carries == payload::none ? 0 : sorted_ * c_.value_bytes; }

 private:
  const testing::request_case& c_;
  std::size_t sorted_; ///< how many elements count

 public:
  bytes keys, values, keys_expected, values_expected;

 private:
  void sort() {
    keys_expected.resize(sorted_key_bytes());
    values_expected.resize(sorted_value_bytes());
    const sort_request r{.type = c_.type,
                         .n = sorted_,
                         .keys_in = keys.data(),
                         .keys_out = keys_expected.data(),
                         .carries = c_.carries,
                         .value_bytes = c_.value_bytes,
                         .values_in = c_.carries == payload::values ? values.data() : nullptr,
                         .values_out = c_.carries == payload::none ? nullptr : values_expected.data()};
    run(r, {.order = c_.direction, .bits = c_.bits, .engine = "cpu"});
  }
};

/// The first byte at which two arrays differ, as a complaint.
std::string difference(const char* what, const bytes& found, std::size_t begin, const bytes& expected,
                       std::size_t element) {
  const auto [a, b] =
      std::mismatch(expected.begin(), expected.end(), found.begin() + std::ptrdiff_t(begin)); // as long as `expected`
  if (a == expected.end())
    return {};
  const auto at = std::size_t(a - expected.begin());
  return std::string(what) + " of element " + std::to_string((begin + at) / element) + " (byte " +
         std::to_string((begin + at) % element) + ")";
}

/// The arrays of a case in its place, and the request over them.
class trial {
 public:
  trial(const fuzz_case& c, const place& at)
      : case_(c), c_(c.request), at_(at), right_(c), keys_in_(at, right_.keys.size(), key_offset(), c_.seed + 1),
        keys_out_(at, right_.keys.size(), key_offset(), c_.seed + 2),
        values_in_(at, right_.values.size(), value_offset(), c_.seed + 3),
        values_out_(at, c_.carries == payload::none ? 0 : c_.n * c_.value_bytes, value_offset(), c_.seed + 4),
        count_(at, sizeof(std::uint64_t), 0, c_.seed + 5) {
    keys_in_.set(right_.keys);
    values_in_.set(right_.values);
    if (c.device_n) {
      bytes count(sizeof(std::uint64_t));
      std::memcpy(count.data(), &*c.device_n, count.size());
      count_.set(count);
    }
    std::string none;
    keys_before_ = keys_out_.content(none);
    values_before_ = values_out_.content(none);
  }

  std::string complaint() {
    const sort_request r = request();
    options opts{.order = c_.direction, .bits = c_.bits, .engine = at_.engine, .threads = c_.threads};
    opts.memory = at_.where;
    opts.stream = at_.stream;
    const plan planned = at_.explain(r, opts);
    const fuzz_array workspace(at_, c_.own_workspace ? planned.workspace_bytes : 0, 0, c_.seed + 6);
    if (c_.own_workspace)
      opts.workspace = {workspace.data(), workspace.size()};
    const result_place where = at_.run(r, opts);
    at_.finish(at_.stream);
    if (c_.form != form::in_place && where != planned.result)
      return "the result lies elsewhere than planned";
    std::string damage;
    workspace.content(damage);
    return damage.empty() ? wrong_array(where) : "the workspace was " + damage;
  }

 private:
  std::size_t key_offset() const { return c_.key_offset * key_bytes(c_.type); }
  std::size_t value_offset() const {
    return c_.carries == payload::indices ? c_.value_offset * c_.value_bytes : c_.value_offset;
  }
  bool in_place() const { return c_.form == form::in_place; }
  bool writes_keys() const { return c_.carries != payload::indices || c_.keys_wanted; }
  bool values_in_place() const { return in_place() && c_.carries == payload::values; }

  sort_request request() const {
    sort_request r{.type = c_.type, .n = c_.n, .keys_in = keys_in_.data(), .carries = c_.carries};
    if (writes_keys())
      r.keys_out = in_place() ? keys_in_.data() : keys_out_.data();
    if (c_.carries != payload::none) {
      r.value_bytes = c_.value_bytes;
      r.values_out = values_in_place() ? values_in_.data() : values_out_.data();
    }
    if (c_.carries == payload::values)
      r.values_in = values_in_.data();
    r.input_is_scratch = c_.form == form::double_buffer;
    if (case_.device_n)
      r.device_n = reinterpret_cast<const std::uint64_t*>(count_.data());
    return r;
  }

  /// An array holds `expected`, and behind that what it held before; `scratch`: anything at all.
  std::string wrong(const char* name, const fuzz_array& array, const bytes& expected, const bytes& before,
                    std::size_t element, bool scratch) const {
    std::string damage;
    const bytes found = array.content(damage);
    if (!damage.empty())
      return std::string(name) + " was " + damage;
    if (scratch)
      return {};
    if (const std::string d = difference("wrong bytes", found, 0, expected, element); !d.empty())
      return std::string(name) + ": " + d;
    const bytes rest(before.begin() + std::ptrdiff_t(expected.size()), before.end());
    const std::string d = difference("changed though it should not be", found, expected.size(), rest, element);
    return d.empty() ? d : std::string(name) + ": " + d;
  }

  std::string wrong_array(result_place where) const {
    const bool in_input = in_place() || where == result_place::input;
    const bool scratch = c_.form == form::double_buffer;
    const std::size_t key = key_bytes(c_.type), value = std::max<std::size_t>(1, c_.value_bytes);
    const bytes none;
    const bool keys_to_input = in_input && writes_keys(), values_to_input = in_input && c_.carries == payload::values;
    const bool keys_to_output = !in_input && writes_keys();
    std::string found = wrong("keys_in", keys_in_, keys_to_input ? right_.keys_expected : none, right_.keys, key,
                              scratch && !keys_to_input);
    if (found.empty())
      found = wrong("keys_out", keys_out_, keys_to_output ? right_.keys_expected : none, keys_before_, key,
                    scratch && !keys_to_output);
    if (found.empty())
      found = wrong("values_in", values_in_, values_to_input ? right_.values_expected : none, right_.values, value,
                    scratch && !values_to_input);
    if (found.empty())
      found = wrong("values_out", values_out_, values_to_input ? none : right_.values_expected, values_before_, value,
                    scratch && values_to_input);
    if (found.empty())
      found = wrong("device_n", count_, none, none, 1, true);
    return found;
  }

  const fuzz_case& case_;
  const testing::request_case& c_;
  const place& at_;
  reference right_;
  fuzz_array keys_in_, keys_out_, values_in_, values_out_, count_;
  bytes keys_before_, values_before_;
};

/// Where n may lie in device memory: values that travel as they are.
bool may_lie_on_the_device(const testing::request_case& c) {
  const bool travels = c.value_bytes == 4 || c.value_bytes == 8 || c.value_bytes == 16;
  return c.carries != payload::values || (travels && c.value_offset % c.value_bytes == 0);
}

} // namespace

fuzz_case draw(std::uint64_t seed, std::size_t largest) {
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  fuzz_case c{testing::random_case(seed, {""}, largest), {}};
  testing::request_case& r = c.request;
  r.n = std::min(r.n, most_bytes / (key_bytes(r.type) + r.value_bytes));
  const auto roll = [seed](std::uint64_t counter, std::uint64_t sides) {
    return testing::random_bits(testing::random_bits(seed, own_stream), counter) % sides;
  };
  if (roll(0, 8) == 0 && may_lie_on_the_device(r))
    c.device_n = roll(1, 4) == 0 ? r.n + roll(2, 1000) : roll(2, r.n + 1);
  return c;
}

std::string to_string(const fuzz_case& c) {
  return testing::to_string(c.request) + (c.device_n ? ", n in device memory: " + std::to_string(*c.device_n) : "");
}

std::string complaint_of(const fuzz_case& c, const place& at) {
  return trial(c, at).complaint();
}

} // namespace sortile::fuzz
