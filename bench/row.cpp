// Measures one row, see row.hpp.
#include "bench/row.hpp"

#include "bench/ascending.hpp"
#include "testing/workloads.hpp"

#include <sortile/sortile.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>

namespace sortile::bench {

namespace {

constexpr const char* own_workspace = ", given workspace";

/// Memory aligned as a workspace has to be, touched when it is made.
class buffer {
 public:
  explicit buffer(std::size_t bytes) : bytes_(bytes), data_(std::aligned_alloc(workspace_alignment, rounded(bytes))) {
    if (data_ == nullptr)
      throw std::bad_alloc();
    std::memset(data_.get(), 1, bytes);
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_.get());
  }
  void* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }
  void copy_from(const buffer& other) { std::memcpy(data_.get(), other.data_.get(), bytes_); }

 private:
  static constexpr std::size_t rounded(std::size_t bytes) {
    return (bytes / workspace_alignment + 1) * workspace_alignment;
  }
  struct release {
    void operator()(void* p) const { std::free(p); }
  };
  std::size_t bytes_;
  std::unique_ptr<void, release> data_;
};

/// Order and content of an array, for the check before the race: the sum of mixed elements does not depend on their
/// order.
struct content {
  bool in_order = true;
  std::uint64_t sum = 0;
};

template <class T>
std::uint64_t bits_of(const T& number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return bits;
}

template <class Key, class Value>
content inspect(const Key* keys, const Value* values, std::size_t n) {
  content c;
  ascending<Key> order;
  for (std::size_t i = 0; i < n; ++i) {
    c.in_order = order.takes(keys[i]) && c.in_order;
    c.sum += testing::random_bits(bits_of(keys[i]), values == nullptr ? 0 : bits_of(values[i]));
  }
  return c;
}

template <class Key, class Value>
content inspect(const pair_of<Key, Value>* pairs, std::size_t n) {
  content c;
  ascending<Key> order;
  for (std::size_t i = 0; i < n; ++i) {
    c.in_order = order.takes(pairs[i].key) && c.in_order;
    c.sum += testing::random_bits(bits_of(pairs[i].key), bits_of(pairs[i].value));
  }
  return c;
}

/// The input of a row and the arrays that are sorted: keys and values apart for sortile, pairs as structs for rivals.
/// Value void: keys alone.
template <class Key, class Value>
class field {
 public:
  static constexpr bool with_values = !std::is_void_v<Value>;
  using value_type = std::conditional_t<with_values, Value, std::uint8_t>;
  using element = std::conditional_t<with_values, pair_of<Key, value_type>, Key>;
  static constexpr std::size_t value_bytes = with_values ? sizeof(value_type) : 0;

  field(const row_spec& spec, std::size_t arrays, const bench_options& how)
      : n_(spec.n), arrays_(arrays), threads_(how.threads), keys_(n_ * arrays * sizeof(Key)),
        values_(n_ * arrays * value_bytes), elements_(n_ * arrays * sizeof(element)), keys_work_(keys_.size()),
        values_work_(values_.size()), elements_work_(elements_.size()) {
    const testing::workload w = testing::workload_named(spec.workload);
    for (std::size_t a = 0; a < arrays; ++a)
      w.fill({key_type_of<Key>, n_, how.seed + a}, 0, n_, keys_.template as<Key>() + a * n_);
    for (std::size_t i = 0; i < n_ * arrays; ++i) {
      if constexpr (with_values) {
        values_.template as<value_type>()[i] = static_cast<value_type>(i);
        elements_.template as<element>()[i] = {static_cast<value_type>(i), keys_.template as<Key>()[i]};
      } else {
        elements_.template as<element>()[i] = keys_.template as<Key>()[i];
      }
    }
    sum_ = inspect(keys_.template as<Key>(), values(values_), n_ * arrays).sum;
  }

  testing::contender of(const rival& r, sort_function sort) {
    return {r.name, [this] { elements_work_.copy_from(elements_); },
            [this, sort] {
              for (std::size_t a = 0; a < arrays_; ++a)
                sort(elements_work_.template as<element>() + a * n_, n_, threads_);
            }};
  }

  testing::contender of_sortile(const std::string& engine, bool given_workspace, std::size_t limit) {
    options opts{.engine = engine, .threads = threads_, .workspace_limit = limit};
    const std::size_t bytes = given_workspace ? workspace_bytes(request(0), opts) : 0;
    const auto space = std::make_shared<buffer>(bytes);
    if (bytes > 0)
      opts.workspace = {space->template as<std::byte>(), bytes};
    const std::string within = limit != 0 ? ", within " + std::to_string(limit >> 20) + " MB" : "";
    return {"sortile " + engine + (given_workspace ? own_workspace : within),
            [this] {
              keys_work_.copy_from(keys_);
              values_work_.copy_from(values_);
            },
            [this, opts, space] {
              for (std::size_t a = 0; a < arrays_; ++a)
                run(request(a), opts);
            }};
  }

  std::string complaint(bool of_sortile) const {
    content whole;
    for (std::size_t a = 0; a < arrays_; ++a) {
      const std::size_t begin = a * n_;
      content c;
      if (of_sortile)
        c = inspect(keys_work_.template as<Key>() + begin, with_values ? values(values_work_) + begin : nullptr, n_);
      else if constexpr (with_values)
        c = inspect(elements_work_.template as<element>() + begin, n_);
      else
        c = inspect(elements_work_.template as<Key>() + begin, static_cast<const value_type*>(nullptr), n_);
      whole.in_order = whole.in_order && c.in_order;
      whole.sum += c.sum;
    }
    return !whole.in_order ? "not in order" : whole.sum != sum_ ? "not a permutation of the input" : "";
  }

 private:
  static const value_type* values(const buffer& b) { return with_values ? b.template as<value_type>() : nullptr; }

  sort_request request(std::size_t array) const {
    Key* keys = keys_work_.template as<Key>() + array * n_;
    sort_request r{.type = key_type_of<Key>, .n = n_, .keys_in = keys, .keys_out = keys};
    if constexpr (with_values) {
      value_type* moved = values_work_.template as<value_type>() + array * n_;
      r.carries = payload::values;
      r.value_bytes = sizeof(value_type);
      r.values_in = r.values_out = moved;
    }
    return r;
  }

  std::size_t n_, arrays_;
  unsigned threads_;
  buffer keys_, values_, elements_, keys_work_, values_work_, elements_work_;
  std::uint64_t sum_ = 0;
};

/// Whether a name is asked for: by its whole, or by a part of it ending in "*".
bool wanted(const std::string& name, const std::vector<std::string>& filters) {
  return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const std::string& filter) {
           return filter.ends_with('*') ? name.find(filter.substr(0, filter.size() - 1)) != std::string::npos
                                        : name == filter;
         });
}

/// With one thread the processor's clock, so that programs beside it count less.
void time_by_processor(testing::contender& c) {
  c.timed = [run = c.run] {
    const auto seconds = [] {
      timespec now{};
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
      return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    const double begin = seconds();
    run();
    return seconds() - begin;
  };
}

template <class Key, class Value>
row measure_as(const row_spec& spec, const std::vector<rival>& rivals, const bench_options& how) {
  constexpr std::size_t keys_per_run = std::size_t{1} << 20;
  row measured{spec, std::max<std::size_t>(1, keys_per_run / std::max<std::size_t>(1, spec.n)), {}};
  field<Key, Value> arrays(spec, measured.arrays, how);

  std::vector<testing::contender> contenders;
  for (const engine_info& engine : engines())
    if (engine.usable && wanted(engine.name, how.engines)) {
      const auto add = [&](testing::contender c) {
        contenders.push_back(std::move(c));
        measured.results.push_back({contenders.back().name, true, true, how.threads != 1, {}, {}});
      };
      add(arrays.of_sortile(engine.name, false, 0));
      add(arrays.of_sortile(engine.name, true, 0));
      if (how.workspace_limit != 0)
        add(arrays.of_sortile(engine.name, false, how.workspace_limit));
    }
  for (const rival& r : rivals)
    if (const sort_function sort = r.sorts[static_cast<std::size_t>(spec.shape)];
        sort != nullptr && wanted(r.name, how.rivals)) {
      contenders.push_back(arrays.of(r, sort));
      measured.results.push_back({r.name, false, r.stable, r.parallel, {}, {}});
    }

  std::vector<testing::contender> right;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    contenders[i].prepare();
    contenders[i].run();
    measured.results[i].complaint = arrays.complaint(measured.results[i].is_sortile);
    if (how.threads == 1)
      time_by_processor(contenders[i]);
    if (measured.results[i].complaint.empty())
      right.push_back(contenders[i]);
  }
  const std::vector<testing::timing> timings = testing::race(right, {.repetitions = how.repetitions,
                                                                     .least_repetitions = std::min(2u, how.repetitions),
                                                                     .warmups = 0,
                                                                     .budget_seconds = how.budget_seconds});
  auto next = timings.begin();
  for (result& r : measured.results)
    if (r.complaint.empty())
      r.timing = *next++;
  return measured;
}

} // namespace

const result* row::sortile() const {
  return fastest([](const result& r) { return r.is_sortile && r.name.find(',') == std::string::npos; });
}

const char* name(shape s) {
  return shape_names[static_cast<std::size_t>(s)];
}

std::optional<shape> shape_named(const std::string& text) {
  for (const shape s : all_shapes)
    if (text == name(s))
      return s;
  return std::nullopt;
}

std::vector<rival> all_rivals() {
  std::vector<rival> all;
  const auto add = [&](std::vector<rival> some) { std::move(some.begin(), some.end(), std::back_inserter(all)); };
  add(standard_rivals());
  add(tbb_rivals());
#ifdef SORTILE_RIVAL_BOOST
  add(boost_rivals());
#endif
#ifdef SORTILE_RIVAL_HIGHWAY
  add(highway_rivals());
#endif
#ifdef SORTILE_RIVAL_IPS4O
  add(ips4o_rivals());
#endif
#ifdef SORTILE_RIVAL_PDQSORT
  add(pdqsort_rivals());
#endif
  return all;
}

row measure(const row_spec& spec, const std::vector<rival>& rivals, const bench_options& how) {
  switch (spec.shape) {
  case shape::u32:
    return measure_as<std::uint32_t, void>(spec, rivals, how);
  case shape::u64:
    return measure_as<std::uint64_t, void>(spec, rivals, how);
  case shape::f32:
    return measure_as<float, void>(spec, rivals, how);
  case shape::f64:
    return measure_as<double, void>(spec, rivals, how);
  case shape::u32_u32:
    return measure_as<std::uint32_t, std::uint32_t>(spec, rivals, how);
  case shape::u64_u32:
    return measure_as<std::uint64_t, std::uint32_t>(spec, rivals, how);
  default:
    return measure_as<std::uint64_t, std::uint64_t>(spec, rivals, how);
  }
}

} // namespace sortile::bench
