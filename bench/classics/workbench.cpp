// See workbench.hpp.
#include "bench/classics/workbench.hpp"

#include "bench/classics/ipp.hpp"
#include "testing/environment.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gnu/libc-version.h>
#include <stdexcept>

namespace sortile::experiments {

namespace {

classics::machine machine_of(const settings& how) {
  return how.engine == classics::engine::cuda ? classics::machine::cuda()
                                              : classics::machine(executor::device_options{.seed = how.seed});
}

testing::facts environment_of(classics::machine& on) {
  testing::facts all = to_facts(testing::capture_environment());
  all.add("c_library", std::string("glibc ") + gnu_get_libc_version());
  all.add("ipp", ipp_version());
  if (on.is_executor()) {
    all.add("gpu", "none: the executor");
    return all;
  }
  const gpu_facts gpu = look_at_gpu(on);
  all.add("gpu", gpu.name);
  all.add("driver", gpu.driver);
  all.add("toolkit", gpu.toolkit);
  all.add("cub", gpu.cub);
  all.add("copy_bytes_per_second", gpu.copy_bytes_per_second);
  return all;
}

} // namespace

workbench::workbench(const settings& how)
    : how_(how), on_(machine_of(how)), host_(executor::device_options{}), environment_(environment_of(on_)) {}

void workbench::say(const std::string& text) const {
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
  how_.say(std::to_string(since.count()) + " s: " + text);
}

std::uint64_t workbench::size(std::uint64_t wanted) const {
  constexpr std::uint64_t on_executor = 1500, when_quick = std::uint64_t{1} << 18;
  return std::min(wanted, !on_gpu() ? on_executor : how_.quick ? when_quick : wanted);
}

std::byte* workbench::staging(std::size_t bytes) {
  if (bytes > staging_bytes_) {
    staging_.reset();
    staging_ = pinned_memory(on_, bytes);
    staging_bytes_ = bytes;
  }
  return static_cast<std::byte*>(staging_.get());
}

std::vector<const classics::classic*> classics_of_32_bits() {
  std::vector<const classics::classic*> all;
  for (const classics::classic& c : classics::all_classics())
    if (std::any_of(c.types.begin(), c.types.end(), [](key_type type) { return key_bits(type) == 32; }))
      all.push_back(&c);
  return all;
}

key_type type_for(const classics::classic& c) {
  if (c.takes(key_type::u32))
    return key_type::u32;
  for (const key_type type : c.types)
    if (key_bits(type) == 32)
      return type;
  throw invalid_argument("experiments: " + std::string(c.name) + " takes no keys of 32 bits");
}

std::string label(const classics::classic& c, const parameters& given) {
  std::string text(c.name);
  if (type_for(c) != key_type::u32)
    text += " (" + std::string(name(type_for(c))) + ")";
  for (const auto& [name, value] : given)
    text += " " + name + "=" + std::to_string(value);
  return text;
}

point point_of(const standing& s, const contest& of) {
  // The finest clock here ticks in fractions of a microsecond: what is below a nanosecond is no measurement.
  std::vector<double> seconds = s.seconds;
  for (double& each : seconds)
    each = std::round(each * 1e9) / 1e9;
  return {.facet = "",
          .series = s.name,
          .category = "",
          .n = of.asked().n,
          .workload = of.asked().workload,
          .seconds = std::move(seconds),
          .note = s.note};
}

// The arrays of one machine that all contestants share.
struct contest::side {
  side(classics::machine& m, std::uint64_t n) : on(m), data(m, n), spare(m, n) {}
  classics::machine& on;
  classics::device_array<std::uint32_t> data, spare;
  std::map<std::pair<const classics::task*, key_type>, classics::device_array<std::byte>> inputs;

  const void* input(const classics::task& task, key_type type, const std::vector<std::byte>& keys) {
    auto& held = inputs[{&task, type}];
    if (held.size() != keys.size()) {
      held = classics::device_array<std::byte>(on, keys.size());
      on.copy_to_device(held.data(), keys.data(), keys.size());
    }
    return held.data();
  }
};

struct contest::question {
  classics::request asked;
  classics::host_arrays before;
  std::vector<std::byte> right; ///< an output that was found to be right; empty before there is one
};

contest::contest(workbench& bench, const std::string& workload, std::uint64_t n, bit_window bits)
    : bench_(bench), asked_{.n = n, .workload = workload, .bits = bits, .seed = bench.seed()} {}

contest::~contest() = default;

contest::side& contest::side_of(bool on_host) {
  std::unique_ptr<side>& wanted = on_host ? host_ : device_;
  if (wanted == nullptr)
    wanted = std::make_unique<side>(on_host ? bench_.host() : bench_.on(), asked_.n);
  return *wanted;
}

contest::question& contest::question_of(const classics::task& task, key_type type) {
  const auto [at, is_new] = questions_.try_emplace({&task, type});
  if (is_new) {
    at->second.asked = asked_;
    at->second.asked.type = type;
    at->second.before = classics::make_input({.name = "contest", .task = &task}, at->second.asked);
  }
  return at->second;
}

const std::vector<std::byte>& contest::keys(const classics::task& task, key_type type) {
  return question_of(task, type).before.keys;
}

void* contest::device_keys(const device_work& work) {
  return side_of(work.on_host).data.data();
}

device_work contest::work_of(const classics::classic& c, const parameters& given) {
  const bool on_host = c.place == classics::place::host;
  classics::request asked = asked_;
  asked.parameters = given;
  asked.type = type_for(c);
  const auto kind = on_host           ? classics::engine::host
                    : bench_.on_gpu() ? classics::engine::cuda
                                      : classics::engine::executor;
  classics::refuse_undeclared(c, asked, kind);
  parameters all;
  for (const classics::parameter& p : c.parameters)
    all[std::string(p.name)] = given.contains(std::string(p.name)) ? given.at(std::string(p.name)) : p.usual;
  const auto function = kind == classics::engine::cuda ? c.run_on_cuda : c.run;
  side& at = side_of(on_host);
  device_work work{label(c, given), c.task, asked.type, on_host, {}};
  work.queue = [&at, function, asked, all, told = work.told]() -> const void* {
    classics::job j(at.on, asked, all, nullptr);
    j.data = {at.data.data(), nullptr};
    j.spare = {at.spare.data(), nullptr};
    function(j);
    told->clear();
    for (const std::string& note : j.notes())
      *told += (told->empty() ? "" : "; ") + note;
    return j.data.keys;
  };
  return work;
}

device_work contest::production() {
  side& at = side_of(false);
  return {
      "sortile", &classics::sorting, key_type::u32, false,
      [&at, sort = production_sort(at.on, at.data.data(), at.spare.data(), asked_.n, asked_.bits)]() -> const void* {
        sort();
        return at.spare.data();
      }};
}

device_work contest::cub() {
  side& at = side_of(false);
  return {"CUB", &classics::sorting, key_type::u32, false,
          [&at, sort = experiments::cub_sort(at.on, at.data.data(), at.spare.data(), asked_.n,
                                             asked_.bits)]() -> const void* {
            sort();
            return at.spare.data();
          }};
}

device_work contest::thrust(thrust_form form) {
  side& at = side_of(false);
  const auto values =
      std::make_shared<classics::device_array<std::uint32_t>>(at.on, form == thrust_form::sort_by_key ? asked_.n : 0);
  const char* name = form == thrust_form::sort                        ? "Thrust sort"
                     : form == thrust_form::stable_sort_by_comparison ? "Thrust stable_sort, a comparison"
                                                                      : "Thrust sort_by_key";
  return {name, &classics::sorting, key_type::u32, false,
          [&at, values, sort = thrust_sort(at.on, form, at.data.data(), values->data(), asked_.n)]() -> const void* {
            sort();
            return at.data.data();
          }};
}

device_work contest::cub_scan() {
  side& at = side_of(false);
  return {"CUB scan", &classics::exclusive_scan, key_type::u32, false,
          [&at, scan = experiments::cub_scan(at.on, at.data.data(), at.spare.data(), asked_.n)]() -> const void* {
            scan();
            return at.spare.data();
          }};
}

void contest::verify(const void* output, const classics::task& task, key_type type) {
  question& q = question_of(task, type);
  const std::size_t bytes = q.before.keys.size();
  if (!q.right.empty() && std::memcmp(output, q.right.data(), bytes) == 0)
    return;
  classics::host_arrays after = q.before;
  std::memcpy(after.keys.data(), output, bytes);
  if (const testing::verdict found = task.check(q.asked, false, q.before, after); !found)
    throw error(status::internal_error, "wrong result: " + found.complaint);
  q.right = std::move(after.keys);
}

void contest::fetch_and_verify(const device_work& work, const void* output) {
  const std::size_t bytes = asked_.n * key_bytes(work.type);
  std::byte* fetched = bench_.staging(bytes);
  side_of(work.on_host).on.copy_to_host(fetched, output, bytes);
  verify(fetched, *work.task, work.type);
}

void contest::add(const device_work& work) {
  side& at = side_of(work.on_host);
  const std::vector<std::byte>& given = keys(*work.task, work.type);
  const void* input = at.input(*work.task, work.type, given);
  const auto output = std::make_shared<const void*>(nullptr);
  told_[work.name] = work.told;
  contenders_.push_back({.name = work.name,
                         .prepare =
                             [&at, input, bytes = given.size()] {
                               at.on.clear(at.spare.data(), bytes); // nobody profits from the result of the run before
                               at.on.copy_on_device(at.data.data(), input, bytes);
                             },
                         .run = {},
                         .timed = [&at, work, output] { return at.on.seconds([&] { *output = work.queue(); }); },
                         .check = [this, work, output] { fetch_and_verify(work, *output); }});
}

bool contest::tried(const testing::contender& c, const patience& how, standing& result) {
  try {
    const testing::timing trial = testing::race({&c, 1}, {.repetitions = 1, .warmups = 0}).front();
    const bool fit = trial.median() <= how.run;
    if (!fit || how.trial_counts)
      result.seconds = trial.seconds;
    if (fit)
      return true;
    result.note = "one run: longer than the time for a point";
  } catch (const std::exception& e) {
    result.note = std::string("failed: ") + e.what();
    bench_.failures.push_back(c.name + " (" + asked_.workload + ", n = " + std::to_string(asked_.n) + "): " + e.what());
    bench_.say(bench_.failures.back());
  }
  return false;
}

std::vector<standing> contest::run(const patience& how) {
  std::vector<standing> standings;
  std::vector<testing::contender> fit;
  for (const testing::contender& c : contenders_) {
    standings.push_back({.name = c.name});
    if (tried(c, how, standings.back()))
      fit.push_back(c);
  }
  const std::vector<testing::timing> timings =
      testing::race(fit, {.repetitions = how.repetitions != 0 ? how.repetitions : bench_.repetitions(),
                          .warmups = 0,
                          .budget_seconds = how.all});
  for (standing& s : standings) {
    for (const testing::timing& t : timings)
      if (t.name == s.name)
        s.seconds.insert(s.seconds.end(), t.seconds.begin(), t.seconds.end());
    if (s.note.empty() && told_.contains(s.name))
      s.note = *told_.at(s.name);
  }
  return standings;
}

} // namespace sortile::experiments
