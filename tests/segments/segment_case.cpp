// Cases of sorts within segments; see the header.
#include "tests/segments/segment_case.hpp"

#include "testing/workloads.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <sstream>
#include <stdexcept>

namespace sortile::testing {

namespace {

class dice {
 public:
  explicit dice(std::uint64_t seed) : seed_(random_bits(seed, 0x7365676d)) {}
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

struct mix {
  const char* name;
  std::size_t (*length)(dice& d, std::size_t i, std::size_t elements);
};

/// 1 / length², up to `most`.
std::size_t power_law(dice& d, std::size_t most) {
  const double u = static_cast<double>(d.below(1u << 30) + 1) / (1u << 30);
  return std::min(most, static_cast<std::size_t>(1.0 / u));
}

constexpr std::size_t edges[] = {0,   1,    2,    3,    4,    5,    7,    8,    9,    15,   16,   17,   24,  25,
                                 31,  32,   33,   63,   64,   65,   127,  128,  129,  255,  256,  257,  511, 512,
                                 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193};

constexpr mix mixes[] = {
    {"tiny", [](dice& d, std::size_t, std::size_t) -> std::size_t { return d.below(6); }},
    {"short", [](dice& d, std::size_t, std::size_t) -> std::size_t { return d.below(50); }},
    {"middle", [](dice& d, std::size_t, std::size_t) -> std::size_t { return 30 + d.below(3000); }},
    {"edges", [](dice& d, std::size_t, std::size_t) -> std::size_t { return d.pick(edges); }},
    {"power-law", [](dice& d, std::size_t, std::size_t n) { return power_law(d, n / 2 + 1); }},
    {"empty", [](dice& d, std::size_t, std::size_t) -> std::size_t { return d.one_in(50) ? d.below(20) : 0; }},
    {"huge-first",
     [](dice& d, std::size_t i, std::size_t n) -> std::size_t { return i == 0 ? n * 3 / 4 : d.below(4); }},
    {"huge-within",
     [](dice& d, std::size_t i, std::size_t n) -> std::size_t { return i == 40 ? n * 3 / 4 : d.below(4); }},
    {"ones", [](dice&, std::size_t, std::size_t) -> std::size_t { return 1; }},
    {"alternating",
     [](dice& d, std::size_t i, std::size_t) -> std::size_t { return i % 2 == 0 ? d.below(3) : 200 + d.below(900); }},
    // Of 32 neighbours four have more than half of what a thread sorts, or five and six.
    {"seldom-wide",
     [](dice& d, std::size_t i, std::size_t) -> std::size_t { return i % 8 == 3 ? 17 + d.below(48) : 0; }},
    {"often-wide",
     [](dice& d, std::size_t i, std::size_t) -> std::size_t { return i % 6 == 3 ? 9 + d.below(40) : d.below(9); }},
    {"one", [](dice&, std::size_t, std::size_t n) { return n; }},
};

/// Bytes of an array of offsets of one width.
std::vector<std::byte> packed(const std::vector<std::size_t>& offsets, std::size_t width) {
  std::vector<std::byte> bytes(offsets.size() * width);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    std::memcpy(bytes.data() + i * width, &offsets[i], width);
  return bytes;
}

/// Offsets in guarded memory.
guarded_buffer guarded(const std::vector<std::size_t>& offsets, std::size_t width, const array_memory* where) {
  const std::vector<std::byte> bytes = packed(offsets, width);
  guarded_buffer b(bytes.size(), 0, 0, where);
  std::copy(bytes.begin(), bytes.end(), b.data());
  return b;
}

std::vector<std::size_t> begins_of(const segment_shape& s) {
  std::vector<std::size_t> offsets = s.begins;
  if (s.form == segment_form::offsets)
    offsets.push_back(s.ends.empty() ? 0 : s.ends.back());
  return offsets;
}

/// The arrays of a case, and what they must hold in the end.
class arena {
 public:
  explicit arena(const segment_case& c)
      : c_(c), key_(key_bytes(c.type)), width_(c.carries == payload::none ? 0 : c.value_bytes),
        keys_in_(c.shape.n * key_, key_, c.seed, c.where), keys_out_(c.shape.n * key_, key_, c.seed + 1, c.where),
        values_in_(c.shape.n * width_, value_offset(), c.seed + 2, c.where),
        values_out_(c.shape.n * width_, value_offset(), c.seed + 3, c.where),
        begins_(guarded(begins_of(c.shape), c.shape.offset_bytes, c.where)),
        ends_(guarded(c.shape.ends, c.shape.offset_bytes, c.where)) {
    workload_named(c.workload).fill({c.type, c.shape.n, c.seed}, 0, c.shape.n, keys_in_.data());
    keep(keys_in_, original_keys_);
    keep(values_in_, original_values_);
    keep(in_place() ? keys_in_ : keys_out_, expected_keys_);
    keep(in_place() && c.carries == payload::values ? values_in_ : values_out_, expected_values_);
    expect();
  }

  segmented_request request() {
    segmented_request r;
    r.arrays = {.type = c_.type, .n = c_.shape.n, .keys_in = keys_in_.data(), .carries = c_.carries};
    r.arrays.keys_out = order_alone() ? nullptr : in_place() ? keys_in_.data() : keys_out_.data();
    r.arrays.value_bytes = width_;
    if (c_.carries == payload::values)
      r.arrays.values_in = values_in_.data();
    if (c_.carries != payload::none)
      r.arrays.values_out = in_place() && c_.carries == payload::values ? values_in_.data() : values_out_.data();
    const segment_shape& s = c_.shape;
    if (s.form == segment_form::strided)
      r.where = {.form = s.form, .count = s.count, .length = s.length, .stride = s.stride, .step = s.step};
    else
      r.where = {.form = s.form, .count = s.segments(), .begins = begins_.data(), .offset_bytes = s.offset_bytes};
    if (s.form == segment_form::ranges)
      r.where.ends = ends_.data();
    return r;
  }

  std::string complaint() const {
    for (const guarded_buffer* b : {&keys_in_, &keys_out_, &values_in_, &values_out_, &begins_, &ends_})
      if (const std::string damage = b->damage(); !damage.empty())
        return damage;
    if (!in_place() && !same(keys_in_, original_keys_))
      return "the input keys were changed";
    if (!in_place() && !same(values_in_, original_values_))
      return "the input values were changed";
    if (!order_alone())
      if (const std::string wrong = difference("key", in_place() ? keys_in_ : keys_out_, expected_keys_, key_);
          !wrong.empty())
        return wrong;
    if (c_.carries == payload::none)
      return {};
    return difference("value", in_place() && c_.carries == payload::values ? values_in_ : values_out_, expected_values_,
                      width_);
  }

 private:
  bool order_alone() const { return c_.carries == payload::indices && !c_.keys_wanted; }
  bool in_place() const { return c_.in_place && !order_alone(); }
  std::size_t value_offset() const { return c_.carries == payload::indices || c_.engine != "cpu" ? width_ : 1; }
  static void keep(const guarded_buffer& from, std::vector<std::byte>& to) {
    to.assign(from.data(), from.data() + from.size());
  }
  static bool same(const guarded_buffer& a, const std::vector<std::byte>& b) {
    return std::equal(b.begin(), b.end(), a.data());
  }

  void expect() {
    const ordering by{c_.type, c_.direction, c_.bits};
    for (std::size_t s = 0; s < c_.shape.segments(); ++s) {
      const std::vector<std::size_t> places = c_.shape.elements(s);
      std::vector<std::byte> keys(places.size() * key_);
      for (std::size_t i = 0; i < places.size(); ++i)
        std::memcpy(keys.data() + i * key_, original_keys_.data() + places[i] * key_, key_);
      const std::vector<std::uint64_t> order = stable_order(by, keys.data(), places.size());
      for (std::size_t i = 0; i < places.size(); ++i) {
        std::memcpy(expected_keys_.data() + places[i] * key_, keys.data() + order[i] * key_, key_);
        if (c_.carries == payload::indices)
          std::memcpy(expected_values_.data() + places[i] * width_, &order[i], width_);
        else if (c_.carries == payload::values)
          std::memcpy(expected_values_.data() + places[i] * width_, original_values_.data() + places[order[i]] * width_,
                      width_);
      }
    }
  }

  std::string difference(const char* what, const guarded_buffer& found, const std::vector<std::byte>& expected,
                         std::size_t width) const {
    for (std::size_t i = 0; i < c_.shape.n; ++i)
      if (std::memcmp(found.data() + i * width, expected.data() + i * width, width) != 0)
        return std::string(what) + " " + std::to_string(i) + " is wrong; " + owner_of(i);
    return {};
  }
  std::string owner_of(std::size_t place) const {
    for (std::size_t s = 0; s < c_.shape.segments(); ++s) {
      const std::vector<std::size_t> places = c_.shape.elements(s);
      if (const auto at = std::find(places.begin(), places.end(), place); at != places.end())
        return "element " + std::to_string(at - places.begin()) + " of segment " + std::to_string(s) + ", which has " +
               std::to_string(places.size());
    }
    return "it lies in no segment";
  }

  const segment_case& c_;
  const std::size_t key_, width_;
  guarded_buffer keys_in_, keys_out_, values_in_, values_out_, begins_, ends_;
  std::vector<std::byte> original_keys_, original_values_, expected_keys_, expected_values_;
};

} // namespace

std::vector<std::size_t> segment_shape::elements(std::size_t i) const {
  std::vector<std::size_t> places(form == segment_form::strided ? length : ends[i] - begins[i]);
  for (std::size_t k = 0; k < places.size(); ++k)
    places[k] = form == segment_form::strided ? i * stride + k * step : begins[i] + k;
  return places;
}

std::vector<std::string> all_length_mixes() {
  std::vector<std::string> names;
  for (const mix& m : mixes)
    names.emplace_back(m.name);
  return names;
}

segment_shape shape_of(const std::string& name, std::size_t elements, std::uint64_t seed) {
  const auto* const found =
      std::find_if(std::begin(mixes), std::end(mixes), [&](const mix& m) { return m.name == name; });
  if (found == std::end(mixes))
    throw std::invalid_argument("no mix of lengths is called " + name);
  dice d(seed);
  segment_shape s;
  for (std::size_t i = 0; s.n < elements && i < 4 * elements; ++i) {
    const std::size_t length = std::min(found->length(d, i, elements), elements - s.n);
    s.begins.push_back(s.n);
    s.n += length;
    s.ends.push_back(s.n);
  }
  s.offset_bytes = seed % 2 == 0 ? 8 : 4;
  return s;
}

segment_shape scattered(const segment_shape& shape, std::uint64_t seed) {
  dice d(seed);
  std::vector<std::size_t> order(shape.segments());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[d.below(i)]);
  segment_shape s = shape;
  s.form = segment_form::ranges;
  s.n = d.below(5);
  for (const std::size_t i : order) {
    s.begins[i] = s.n;
    s.n += shape.ends[i] - shape.begins[i];
    s.ends[i] = s.n;
    s.n += d.one_in(3) ? d.below(7) : 0;
  }
  return s;
}

segment_shape rows_shape(std::size_t rows, std::size_t columns, std::size_t pitch) {
  segment_shape s;
  s.form = segment_form::strided;
  s.n = rows * pitch;
  s.count = rows;
  s.length = columns;
  s.stride = pitch;
  return s;
}

segment_shape columns_shape(std::size_t rows, std::size_t columns, std::size_t pitch) {
  segment_shape s = rows_shape(columns, rows, 1);
  s.n = rows * pitch;
  s.step = pitch;
  return s;
}

std::string to_string(const segment_case& c) {
  std::ostringstream text;
  text << name(c.type) << " " << c.workload << ", seed " << c.seed << ", n " << c.shape.n << ", " << c.shape.segments()
       << " segments of form " << int(c.shape.form) << " (offsets of " << c.shape.offset_bytes << ", length "
       << c.shape.length << ", stride " << c.shape.stride << ", step " << c.shape.step << "), "
       << (c.direction == order::descending ? "descending" : "ascending") << ", bits " << c.bits.begin << " to "
       << c.bits.end << ", carries " << int(c.carries) << " of " << c.value_bytes
       << (c.in_place ? ", in place" : ", apart") << (c.keys_wanted ? "" : ", order alone") << ", engine '" << c.engine
       << "', threads " << c.threads << (c.own_workspace ? ", own workspace" : "");
  return text.str();
}

segment_case random_segment_case(std::uint64_t seed, const std::string& engine, std::size_t elements) {
  dice d(seed);
  segment_case c;
  c.engine = engine;
  c.seed = seed;
  c.type = d.pick(all_key_types);
  const std::size_t n = d.below(elements) + 1;
  const std::size_t columns = d.below(std::min<std::size_t>(n, 600)) + 1,
                    pitch = columns + (d.one_in(2) ? d.below(5) : 0);
  const std::vector<std::string> mixes_there = all_length_mixes();
  switch (d.below(5)) {
  case 0:
    c.shape = rows_shape(n / columns, columns, pitch);
    break;
  case 1:
    c.shape = columns_shape(n / columns, columns, pitch);
    break;
  case 2:
    c.shape = scattered(shape_of(d.pick(mixes_there), n, seed), seed);
    break;
  default:
    c.shape = shape_of(d.pick(mixes_there), n, seed);
  }
  constexpr std::array workloads = {"uniform", "few:3",     "sorted", "reversed",
                                    "equal",   "zipf:0.75", "and:5",  "nearly-sorted"};
  constexpr std::array of_floats = {"specials", "nan", "zeros", "uniform"};
  c.workload = is_float(c.type) && d.one_in(2) ? d.pick(of_floats) : d.pick(workloads);
  c.direction = d.one_in(2) ? order::ascending : order::descending;
  if (d.one_in(4)) {
    const auto a = unsigned(d.below(key_bits(c.type) + 1)), b = unsigned(d.below(key_bits(c.type) + 1));
    c.bits = {std::min(a, b), std::max(a, b)};
  }
  c.carries = static_cast<payload>(d.below(3));
  c.value_bytes = c.carries == payload::indices ? 4 + 4 * d.below(2) : 1 + d.below(24);
  if (c.carries == payload::values && (d.one_in(2) || engine != "cpu"))
    c.value_bytes = std::size_t{4} << d.below(3);
  c.in_place = d.one_in(2);
  c.keys_wanted = c.carries != payload::indices || d.one_in(2);
  c.threads = unsigned(d.below(4));
  c.own_workspace = d.one_in(2);
  c.watch_progress = d.one_in(4);
  c.checked = d.one_in(2);
  return c;
}

verdict check(const segment_case& c, const segment_runner& runner) {
  arena arrays(c);
  const segmented_request request = arrays.request();
  options opts{.order = c.direction, .bits = c.bits, .engine = c.engine, .threads = c.threads};
  opts.memory = c.where == nullptr ? memory::host : memory::device;
  opts.checked = c.checked;
  double last = -1;
  bool falls = false;
  if (c.watch_progress && c.where == nullptr)
    opts.progress = [&](double fraction) {
      falls = falls || fraction < last || fraction > 1;
      last = fraction;
      return true;
    };
  segmented_request unplaced = request;
  unplaced.arrays.keys_in = nullptr;
  const std::size_t wanted = c.own_workspace ? workspace_bytes(unplaced, opts) : 0;
  guarded_buffer space(wanted, 0, c.seed + 4, c.where);
  if (c.own_workspace && wanted > 0)
    opts.workspace = space.bytes();
  if (runner)
    runner(request, opts);
  else
    run(request, opts);
  if (c.where != nullptr)
    c.where->finish();
  if (const std::string damage = space.damage(); !damage.empty())
    return {"the workspace: " + damage};
  if (opts.progress && (falls || last != 1))
    return {"progress falls, or does not end at 1"};
  return {arrays.complaint()};
}

} // namespace sortile::testing
