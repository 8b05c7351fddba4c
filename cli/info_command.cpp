// sortile info: what this build is, and what it can use on this machine.
#include "beside.hpp"
#include "command_line.hpp"
#include "file_format.hpp"
#include "file_info.hpp"

#include "files/parallel.hpp"

#include "testing/environment.hpp"

#include <sortile/device.hpp>
#include <sortile/request.hpp>

#include <nlohmann/json.hpp>

#include <memory>

namespace sortile::cli {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* info_examples = R"(Examples:
  sortile info          version, machine, engines
  sortile info --json   for programs
  sortile info t.csv    how a file would be understood: columns, types, rows, what it is in order by)";

/// The programs that some commands are, and which.
struct program {
  const char* name;
  const char* commands;
};
constexpr program programs[] = {{"sortile-bench", "sortile bench"},
                                {"sortile-bench-cpu", "sortile bench cpu"},
                                {"sortile-bench-gpu", "sortile bench gpu"},
                                {"sortile-classics", "sortile classics, sortile bench classics"}};

#if defined(SORTILE_BUILT_GPU)
constexpr const char* gpu_architectures = SORTILE_BUILT_GPU;
constexpr bool quick_kernels = SORTILE_QUICK_KERNELS;
#else
constexpr const char* gpu_architectures = "";
constexpr bool quick_kernels = false;
#endif
#if defined(SORTILE_BUILT_EXECUTOR)
constexpr bool has_executor = true;
#else
constexpr bool has_executor = false;
#endif

/// What this build has, and how to get the rest, in sortile's source folder.
void show_build() {
  const bool has_gpu = *gpu_architectures != '\0';
  fmt::print("has       CPU engine\n");
  fmt::print("          GPU engine: {}\n", has_gpu
                                               ? fmt::format("for architectures {}{}", gpu_architectures,
                                                             quick_kernels ? ", not optimised: for tests alone" : "")
                                               : "no (make run SORTILE_CUDA=ON, or cmake -DSORTILE_CUDA=ON)");
  fmt::print("          executor, which runs GPU kernels on the CPU: {}\n",
             has_executor ? "yes" : "no (make tools, or cmake -DSORTILE_EXECUTOR=ON)");
  for (const program& p : programs)
    fmt::print("          {} ({}): {}\n", p.name, p.commands,
               path_beside(p.name).empty() ? "not beside this program (make tools)" : "yes");
}

json build_as_json() {
  json beside = json::object();
  for (const program& p : programs)
    beside[p.name] = !path_beside(p.name).empty();
  return {{"gpu_architectures", gpu_architectures},
          {"quick_kernels", quick_kernels},
          {"executor", has_executor},
          {"programs", beside}};
}

void show_gpus() {
  const device_list& list = devices();
  if (list.devices.empty())
    fmt::print("gpu       none: {}\n", list.why_none);
  for (const device_info& gpu : list.devices)
    fmt::print("gpu {:<5} {}, compute capability {}.{}, {} multiprocessors, {} MiB; {}\n", gpu.ordinal, gpu.name,
               gpu.compute_major, gpu.compute_minor, gpu.multiprocessors, gpu.memory_bytes >> 20,
               gpu.why_unusable.empty() ? "usable" : "not usable: " + gpu.why_unusable);
}

json gpus_as_json() {
  json found = json::array();
  for (const device_info& gpu : devices().devices)
    found.push_back({{"ordinal", gpu.ordinal},
                     {"name", gpu.name},
                     {"compute_capability", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)},
                     {"multiprocessors", gpu.multiprocessors},
                     {"memory_bytes", gpu.memory_bytes},
                     {"why_unusable", gpu.why_unusable}});
  return {{"why_none", devices().why_none}, {"devices", found}};
}

json environment_as_json() {
  json all = json::object();
  for (const auto& [name, fact] : testing::to_facts(testing::capture_environment()))
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
            all[name] = static_cast<std::int64_t>(value); // a machine's numbers are counts
          else
            all[name] = value;
        },
        fact);
  return all;
}

json engines_as_json() {
  json all = json::array();
  for (const engine_info& engine : engines())
    all.push_back({{"name", engine.name},
                   {"description", engine.description},
                   {"usable", engine.usable},
                   {"reason", engine.reason}});
  return all;
}

int show_text() {
  const testing::environment e = testing::capture_environment();
  fmt::print("sortile {}\n", SORTILE_VERSION);
  fmt::print("build     {}, {}, revision {}\n", e.compiler, e.build_type, e.revision);
  show_build();
  fmt::print("system    {}\n", e.system);
  fmt::print("cpu       {} ({} threads; {})\n", e.cpu, e.cpus, e.cpu_features);
  fmt::print("memory    {}\n", e.memory);
  show_gpus();
  fmt::print("engines\n");
  for (const engine_info& engine : engines())
    fmt::print("  {:<10} {}; {}\n", engine.name, engine.usable ? "usable" : "not usable: " + engine.reason,
               engine.description);
  fmt::print("key types ");
  for (const key_type type : all_key_types)
    fmt::print(" {}", name(type));
  fmt::print("\n");
  return all_well;
}

int show_json() {
  json types = json::array();
  for (const key_type type : all_key_types)
    types.push_back(name(type));
  const json all{{"version", SORTILE_VERSION}, {"environment", environment_as_json()}, {"has", build_as_json()},
                 {"gpus", gpus_as_json()},     {"engines", engines_as_json()},         {"key_types", types}};
  constexpr int indentation = 2;
  fmt::print("{}\n", all.dump(indentation, ' ', false, json::error_handler_t::replace));
  return all_well;
}

} // namespace

void add_info_command(command_line& line) {
  auto job = std::make_shared<file_info_job>();
  CLI::App& command = *add_command(
      line, "info",
      "Shows version, build, machine, GPUs, and the engines that can be used; of files, how they would be understood.",
      info_examples, [job] {
        if (job->inputs.empty())
          return job->as_json ? show_json() : show_text();
        return show_file_info(*job);
      });
  command.add_option("FILE", job->inputs, "files to be told about; -: standard input");
  command.add_flag("--json", job->as_json, "as JSON");
  add_format_option(command, job->format);
  job->arrays.add_to(command);
  job->text.add_to(command);
}

} // namespace sortile::cli
