// See runner.hpp.
#include "classics/runner.hpp"

#include "testing/workloads.hpp"

#include <sortile/error.hpp>

#include "simt/executor/observer.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace sortile::classics {

namespace {

std::map<std::string, unsigned> all_parameters(const classic& c, const request& asked) {
  std::map<std::string, unsigned> values;
  for (const parameter& p : c.parameters) {
    const auto given = asked.parameters.find(std::string(p.name));
    values[std::string(p.name)] = given == asked.parameters.end() ? p.usual : given->second;
  }
  return values;
}

[[noreturn]] void refuse(const classic& c, const std::string& what) {
  throw invalid_argument("classic " + std::string(c.name) + ": " + what);
}

void refuse_parameters(const classic& c, const request& asked) {
  for (const auto& [given, value] : asked.parameters) {
    const parameter* known = nullptr;
    std::string names;
    for (const parameter& p : c.parameters) {
      names += (names.empty() ? "" : ", ") + std::string(p.name);
      known = p.name == given ? &p : known;
    }
    if (known == nullptr)
      refuse(c, "no parameter is called " + given + " (there " + (names.empty() ? "are none" : "are: " + names) + ")");
    if (!known->allows(value))
      refuse(c, "parameter " + given + " = " + std::to_string(value) + " (allowed: " + std::to_string(known->least) +
                    " to " + std::to_string(known->most) + (known->powers_of_two ? ", powers of two" : "") +
                    (known->step > 1 ? ", in steps of " + std::to_string(known->step) : "") + ")");
  }
}

/// How many bits of a key say all there is to see of these keys: up to the highest that is set, or sorted by.
unsigned bits_to_show(const request& asked, const host_arrays& input) {
  if (asked.type != key_type::u32 && asked.type != key_type::u64)
    return key_bits(asked.type);
  std::uint64_t all =
      asked.bits.end == bit_window::whole_key || asked.bits.end == 0 ? 1 : std::uint64_t{1} << (asked.bits.end - 1);
  for (std::size_t i = 0; i < input.n; ++i)
    all |= bits_of(asked.type, input.keys.data() + i * key_bytes(asked.type));
  return static_cast<unsigned>(std::bit_width(all));
}

/// Device memory for the arrays of a run, twice: data and spare.
struct held_arrays {
  held_arrays(machine& on, std::size_t key_size, const host_arrays& input)
      : keys(on, input.n * key_size), values(on, input.values.size()) {}
  device_arrays view() const { return {keys.data(), values.data()}; }
  void name_for_observers(const std::string& prefix) const {
    if (executor::observer* o = executor::watching()) {
      o->host_named(keys.data(), prefix + "keys");
      o->host_named(values.data(), prefix + "values");
    }
  }
  device_array<std::byte> keys;
  device_array<std::uint32_t> values;
};

} // namespace

bool classic::takes(key_type type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string_view name(engine e) {
  return e == engine::executor ? "executor" : e == engine::cuda ? "cuda" : "host";
}

void refuse_undeclared(const classic& c, const request& asked, engine on) {
  if (!c.takes(asked.type)) {
    std::string names;
    for (const key_type type : c.types)
      names += (names.empty() ? "" : ", ") + std::string(name(type));
    refuse(c, "takes no " + std::string(name(asked.type)) + " keys (allowed: " + names + ")");
  }
  if (asked.pairs && !c.pairs)
    refuse(c, "takes keys alone, no pairs");
  if (asked.direction == order::descending && !c.task->has_direction)
    refuse(c, "a " + std::string(c.task->name) + " has no direction");
  const unsigned width = key_bits(asked.type);
  const unsigned end = asked.bits.end == bit_window::whole_key ? width : asked.bits.end;
  if (asked.bits.begin > end || end > width)
    refuse(c, "bits " + std::to_string(asked.bits.begin) + ":" + std::to_string(end) +
                  " (allowed: begin <= end <= " + std::to_string(width) + ")");
  if (!c.task->has_direction && end - asked.bits.begin != width)
    refuse(c, "a " + std::string(c.task->name) + " takes whole keys, no bit window");
  if (asked.n > c.largest_n)
    refuse(c, std::to_string(asked.n) + " keys (allowed: at most " + std::to_string(c.largest_n) + ")");
  if (on == (c.place == place::host ? engine::cuda : engine::host))
    refuse(c, std::string("does not run on ") + std::string(name(on)) +
                  (c.place == place::host ? " (allowed: host, executor)" : " (allowed: executor, cuda)"));
  if (!asked.keys.empty() && asked.keys.size() != asked.n)
    refuse(c, std::to_string(asked.keys.size()) + " keys for n = " + std::to_string(asked.n));
  if (!asked.values.empty() && (!asked.pairs || asked.values.size() != asked.n))
    refuse(c, std::to_string(asked.values.size()) + " values for " + std::to_string(asked.n) + " keys");
  refuse_parameters(c, asked);
}

void parse_key_of(const classic& c, key_type type, std::string_view text, void* key) {
  c.task->parse != nullptr ? c.task->parse(text, key) : parse_key(type, text, key);
}

host_arrays make_input(const classic& c, const request& asked) {
  const std::size_t size = key_bytes(asked.type);
  host_arrays input{.type = asked.type, .n = asked.n, .keys = std::vector<std::byte>(asked.n * size)};
  for (std::size_t i = 0; i < asked.keys.size(); ++i)
    parse_key_of(c, asked.type, asked.keys[i], input.keys.data() + i * size);
  if (asked.keys.empty())
    testing::workload_named(asked.workload).fill({asked.type, asked.n, asked.seed}, 0, asked.n, input.keys.data());
  if (asked.pairs) {
    input.values.resize(asked.n);
    std::iota(input.values.begin(), input.values.end(), 0u);
  }
  if (c.task->prepare != nullptr)
    c.task->prepare(asked, input);
  return input;
}

outcome run(const classic& c, const request& asked, engine kind, machine& on, unsigned repetitions,
            std::vector<step>* steps) {
  refuse_undeclared(c, asked, kind);
  const run_function function = kind == engine::cuda ? c.run_on_cuda : c.run;
  if (function == nullptr)
    throw engine_unusable("classic " + std::string(c.name) +
                          ": this build has no CUDA side (allowed: --engine executor)");
  const host_arrays input = make_input(c, asked);
  const held_arrays first(on, key_bytes(asked.type), input), second(on, key_bytes(asked.type), input);
  first.name_for_observers("");
  second.name_for_observers("spare ");
  const std::map<std::string, unsigned> parameters = all_parameters(c, asked);
  outcome result;
  host_arrays output = input;
  for (unsigned r = 0; r < repetitions; ++r) {
    job j(on, asked, parameters, r + 1 == repetitions ? steps : nullptr);
    j.text_of_key = c.task->text;
    j.shown_bits = steps != nullptr ? bits_to_show(asked, input) : 0;
    j.data = first.view();
    j.spare = second.view();
    on.copy_to_device(j.data.keys, input.keys.data(), input.keys.size());
    on.copy_to_device(j.data.values, input.values.data(), input.values.size() * sizeof(std::uint32_t));
    on.reset_counters();
    j.show("input", j.data, asked.n);
    result.seconds.push_back(on.seconds([&] { function(j); }));
    if (c.place == place::host && kind == engine::executor)
      j.note("a sort of the host: the executor ran no kernel");
    j.show("result", j.data, asked.n);
    result.notes = j.notes();
    on.copy_to_host(output.keys.data(), j.data.keys, output.keys.size());
    on.copy_to_host(output.values.data(), j.data.values, output.values.size() * sizeof(std::uint32_t));
  }
  result.verdict = c.task->check(asked, c.stable, input, output);
  if (!result.verdict)
    result.verdict.complaint = to_string(c, asked) + ": " + result.verdict.complaint;
  return result;
}

namespace {

/// "--keys 5,7", "--pairs 5:a,7:b", or the workload.
std::string input_as_options(const request& asked) {
  if (asked.keys.empty())
    return " -n " + std::to_string(asked.n) + " --type " + std::string(name(asked.type)) + " --workload " +
           asked.workload + " --seed " + std::to_string(asked.seed) + (asked.pairs ? " --pairs" : "");
  std::string text = asked.values.empty() ? " --keys " : " --pairs ";
  for (std::size_t i = 0; i < asked.keys.size(); ++i)
    text += (i == 0 ? "" : ",") + asked.keys[i] + (asked.values.empty() ? "" : ":" + asked.values[i]);
  if (asked.type != key_type::u32)
    text += " --type " + std::string(name(asked.type));
  return text + (asked.pairs && asked.values.empty() ? " --pairs" : "");
}

} // namespace

std::string to_string(const classic& c, const request& asked) {
  std::string text = std::string(c.name) + input_as_options(asked);
  text += asked.direction == order::descending ? " --descending" : "";
  if (asked.bits.begin != 0 || asked.bits.end != bit_window::whole_key)
    text += " --bits " + std::to_string(asked.bits.begin) + ":" +
            std::to_string(asked.bits.end == bit_window::whole_key ? key_bits(asked.type) : asked.bits.end);
  for (const auto& [parameter, value] : asked.parameters)
    text += " --set " + parameter + "=" + std::to_string(value);
  return text;
}

} // namespace sortile::classics
