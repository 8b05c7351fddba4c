// The differential driver, see request_case.hpp.
#include "testing/request_case.hpp"

#include "testing/workloads.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace sortile::testing {

namespace {

/// Draws from a seed, one after another.
class dice {
 public:
  explicit dice(std::uint64_t seed) : seed_(random_bits(seed, 0x64696365)) {}
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((uint128{random_bits(seed_, drawn_++)} * bound) >> 64);
  }
  bool one_in(std::uint64_t chances) { return below(chances) == 0; }
  template <class Range>
  const auto& pick(const Range& range) {
    return range[below(std::size(range))];
  }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

/// Lengths that matter: tiny ones, powers of two and their neighbours, anything up to the largest on a logarithmic
/// scale.
std::size_t draw_length(dice& d, std::size_t largest) {
  const unsigned kind = static_cast<unsigned>(d.below(8));
  if (kind == 0)
    return d.below(std::min<std::size_t>(largest, 40) + 1);
  const std::size_t power = std::size_t{1} << d.below(static_cast<std::uint64_t>(std::bit_width(largest)));
  if (kind == 1)
    return std::min(largest, power + d.below(3) - (power > 1 ? 1 : 0));
  return std::min(largest, power + d.below(power));
}

std::string draw_workload(dice& d, key_type type) {
  static constexpr std::array common = {
      "and:2",  "and:5", "and:10",        "zipf:0.75",  "few:3", "few:200",  "runs:3",        "sawtooth", "sorted",
      "window", "range", "equal-but-one", "two-values", "equal", "reversed", "nearly-sorted", "uniform"};
  if (is_float(type) && d.one_in(3))
    return std::string(d.pick(std::array{"specials", "nan", "nan:0.9", "zeros", "infinities", "denormals"}));
  if (d.one_in(2))
    return std::string(d.pick(common));
  for (;;) {
    const workload_info& info = d.pick(all_workloads());
    if (!info.floats_only || is_float(type))
      return std::string(info.name);
  }
}

bit_window draw_window(dice& d, key_type type) {
  if (!d.one_in(3))
    return {};
  const unsigned width = key_bits(type);
  const auto a = static_cast<unsigned>(d.below(width + 1));
  const auto b = static_cast<unsigned>(d.below(width + 1));
  return {std::min(a, b), std::max(a, b)};
}

/// The arrays of one case, and the request over them.
class arena {
 public:
  explicit arena(const request_case& c)
      : c_(c), key_bytes_(c.n * key_bytes(c.type)), value_bytes_(c.carries == payload::none ? 0 : c.n * c.value_bytes),
        keys_in_(key_bytes_, key_offset(), c.seed, c.where),
        keys_out_(key_bytes_, key_offset(), c.seed + 1, c.where),
        values_in_(value_bytes_, value_offset(), c.seed + 2, c.where),
        values_out_(value_bytes_, value_offset(), c.seed + 3, c.where) {
    workload_named(c.workload).fill({c.type, c.n, c.seed}, 0, c.n, keys_in_.data());
    original_keys_.assign(keys_in_.data(), keys_in_.data() + key_bytes_);
    original_values_.assign(values_in_.data(), values_in_.data() + value_bytes_);
  }

  sort_request request() {
    sort_request r{
        .type = c_.type, .n = c_.n, .keys_in = keys_in_.data(), .keys_out = keys_out(), .carries = c_.carries};
    if (c_.carries != payload::none) {
      r.value_bytes = c_.value_bytes;
      r.values_out =
          c_.form == form::in_place && c_.carries == payload::values ? values_in_.data() : values_out_.data();
    }
    if (c_.carries == payload::values)
      r.values_in = values_in_.data();
    r.input_is_scratch = c_.form == form::double_buffer;
    return r;
  }

  /// What is promised of a call that was cancelled, and of every other: what may only be read is as it was.
  std::string complaint() const {
    for (const guarded_buffer* buffer : {&keys_in_, &keys_out_, &values_in_, &values_out_})
      if (const std::string damage = buffer->damage(); !damage.empty())
        return damage;
    if (input_is_kept() && !std::equal(original_keys_.begin(), original_keys_.end(), keys_in_.data()))
      return "the input keys were changed";
    if (input_is_kept() && c_.carries == payload::values &&
        !std::equal(original_values_.begin(), original_values_.end(), values_in_.data()))
      return "the input values were changed";
    return {};
  }

  /// All that is promised once the call has returned.
  std::string complaint(result_place place) const {
    if (const std::string damage = complaint(); !damage.empty())
      return damage;
    if (place == result_place::input && c_.form == form::out_of_place)
      return "the result is said to lie in an input that may only be read";
    return wrong_result(place);
  }

 private:
  std::size_t key_offset() const { return c_.key_offset * key_bytes(c_.type); }
  std::size_t value_offset() const {
    return c_.carries == payload::indices ? c_.value_offset * c_.value_bytes : c_.value_offset;
  }
  bool only_order_wanted() const { return c_.carries == payload::indices && !c_.keys_wanted; }
  bool input_is_kept() const { return c_.form == form::out_of_place || only_order_wanted(); }

  void* keys_out() {
    if (only_order_wanted())
      return nullptr;
    return c_.form == form::in_place ? keys_in_.data() : keys_out_.data();
  }

  std::string wrong_result(result_place place) const {
    const bool in_input = c_.form == form::in_place || place == result_place::input;
    const ordering by{c_.type, c_.direction, c_.bits};
    const pairs_view output{.keys = only_order_wanted() ? nullptr : (in_input ? keys_in_ : keys_out_).data(),
                            .values = (in_input && c_.carries == payload::values ? values_in_ : values_out_).data(),
                            .value_bytes = c_.carries == payload::none ? 0 : c_.value_bytes,
                            .n = c_.n};
    std::vector<std::byte> expected_values = original_values_;
    if (c_.carries == payload::indices) { // the values that an argsort moves are the positions
      expected_values.resize(value_bytes_);
      for (std::size_t i = 0; i < c_.n; ++i)
        std::memcpy(expected_values.data() + i * c_.value_bytes, &i, c_.value_bytes);
    }
    const pairs_view input{original_keys_.data(), expected_values.data(), output.value_bytes, c_.n};
    return verify_exact(by, input, output).complaint;
  }

  const request_case& c_;
  std::size_t key_bytes_, value_bytes_;
  guarded_buffer keys_in_, keys_out_, values_in_, values_out_;
  std::vector<std::byte> original_keys_, original_values_;
};

/// What a progress callback was told.
struct progress_log {
  std::size_t refused_call; ///< 0: none
  double last = -1;
  std::size_t calls = 0;
  std::string complaint{};

  bool note(double fraction) {
    ++calls;
    if (!(fraction >= 0 && fraction <= 1))
      complaint = "progress of " + std::to_string(fraction);
    if (fraction < last)
      complaint = "progress fell from " + std::to_string(last) + " to " + std::to_string(fraction);
    last = fraction;
    if (refused_call != 0 && calls > refused_call)
      complaint = "progress is told after the callback has refused";
    return calls != refused_call;
  }
};

} // namespace

std::string to_string(const request_case& c) {
  static constexpr std::array forms = {"in place", "out of place", "double buffer"};
  std::string text = std::string(name(c.type)) + " n=" + std::to_string(c.n) + " " + c.workload + " seed " +
                     std::to_string(c.seed) + (c.direction == order::descending ? " descending" : " ascending");
  if (c.bits.end != bit_window::whole_key)
    text += " bits [" + std::to_string(c.bits.begin) + ", " + std::to_string(c.bits.end) + ")";
  if (c.carries == payload::values)
    text += " with values of " + std::to_string(c.value_bytes) + " bytes";
  if (c.carries == payload::indices)
    text += std::string(c.keys_wanted ? " with" : " to") + " indices of " + std::to_string(c.value_bytes) + " bytes";
  text += std::string(", ") + forms[static_cast<std::size_t>(c.form)] + ", engine '" + c.engine + "', threads " +
          std::to_string(c.threads) + ", offsets " + std::to_string(c.key_offset) + " and " +
          std::to_string(c.value_offset) + (c.where != nullptr ? ", in device memory" : "");
  if (c.refused_call != 0)
    text += ", cancelled at call " + std::to_string(c.refused_call);
  return text + (c.own_workspace ? ", own workspace" : "") + (c.watch_progress ? ", progress" : "");
}

request_case random_case(std::uint64_t seed, const std::vector<std::string>& engines, std::size_t largest_n) {
  static constexpr std::array<std::size_t, 14> value_sizes = {1, 2, 3, 4, 4, 7, 8, 8, 12, 16, 16, 24, 31, 40};
  dice d(seed);
  request_case c;
  c.seed = seed;
  c.type = d.pick(all_key_types);
  c.n = draw_length(d, largest_n);
  c.workload = draw_workload(d, c.type);
  c.direction = d.one_in(2) ? order::descending : order::ascending;
  c.bits = draw_window(d, c.type);
  c.carries = static_cast<payload>(d.below(3));
  c.form = static_cast<form>(d.below(3));
  if (c.carries == payload::values) {
    c.value_bytes = d.pick(value_sizes);
    c.value_offset = d.below(17);
  } else if (c.carries == payload::indices) {
    c.value_bytes = d.one_in(2) ? 4 : 8;
    c.value_offset = d.below(3);
    c.keys_wanted = d.one_in(2);
    if (c.form == form::double_buffer)
      c.form = form::out_of_place;
  }
  c.engine = d.pick(engines);
  c.threads = static_cast<unsigned>(d.below(d.one_in(5) ? 65 : 5));
  c.own_workspace = d.one_in(3);
  c.watch_progress = d.one_in(4);
  c.key_offset = d.below(4);
  return c;
}

verdict check(const request_case& c) {
  arena arrays(c);
  const sort_request request = arrays.request();
  options opts{.order = c.direction, .bits = c.bits, .engine = c.engine, .threads = c.threads};
  if (c.where != nullptr)
    opts.memory = memory::device;
  const plan planned = explain(request, opts);
  guarded_buffer workspace(c.own_workspace ? planned.workspace_bytes : 0, 0, c.seed + 4, c.where);
  if (c.own_workspace)
    opts.workspace = workspace.bytes();
  progress_log progress{c.refused_call};
  const bool watched = (c.watch_progress || c.refused_call != 0) && c.where == nullptr;
  if (watched)
    opts.progress = [&](double fraction) { return progress.note(fraction); };
  result_place place{};
  try {
    place = run(request, opts);
  } catch (const cancelled&) {
    if (c.refused_call == 0 || progress.calls != c.refused_call)
      return {"cancelled after " + std::to_string(progress.calls) + " calls"};
    const std::string damage = workspace.damage();
    return {damage.empty() ? arrays.complaint() : "workspace: " + damage};
  }
  if (c.refused_call != 0 && progress.calls >= c.refused_call)
    return {"the refusal of progress was not heard"};
  if (c.where != nullptr)
    c.where->finish();

  if (const std::string damage = workspace.damage(); !damage.empty())
    return {"workspace: " + damage};
  if (c.form != form::in_place && place != planned.result)
    return {"the result lies elsewhere than planned"};
  if (!progress.complaint.empty())
    return {progress.complaint};
  if (watched && progress.last != 1)
    return {"progress ended at " + std::to_string(progress.last)};
  return {arrays.complaint(place)};
}

} // namespace sortile::testing
