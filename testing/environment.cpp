// Reads the environment from /proc, /sys and what the build left as definitions, see environment.hpp.
#include "testing/environment.hpp"


#include <sortile_revision.hpp> // made by the build

#include <ctime>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <sys/utsname.h>

namespace sortile::testing {

namespace {

constexpr const char* unknown = "unknown";

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) ? line : unknown;
}

/// What follows the colon (or `=`) of the first line of a file that begins with `name`.
std::string entry_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, name.size(), name) != 0)
      continue;
    const std::size_t mark = line.find_first_of(":=");
    const std::size_t begin = mark == std::string::npos ? mark : line.find_first_not_of(" \t\"", mark + 1);
    if (begin != std::string::npos)
      return line.substr(begin, line.find_last_not_of(" \t\"") + 1 - begin);
  }
  return unknown;
}

std::string vector_extensions() {
  std::istringstream flags(entry_of("/proc/cpuinfo", "flags"));
  std::string found;
  for (std::string flag; flags >> flag;)
    if (flag.starts_with("avx") || flag == "sse4_2" || flag == "bmi2")
      found += (found.empty() ? "" : " ") + flag;
  return found.empty() ? unknown : found;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  static_cast<void>(std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)); // it fits
  return text;
}

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 0;
}

std::string system_name() {
  utsname names{};
  uname(&names);
  return entry_of("/etc/os-release", "PRETTY_NAME") + ", " + names.sysname + " " + names.release + " " + names.machine;
}

} // namespace

environment capture_environment() {
  const std::string cpu0 = "/sys/devices/system/cpu/cpu0/";
  return {.date = utc_now(),
          .revision = SORTILE_REVISION,
          .cpu = entry_of("/proc/cpuinfo", "model name"),
          .cpus = usable_cpus(),
          .cpu_features = vector_extensions(),
          .l2_cache = first_line(cpu0 + "cache/index2/size"),
          .l3_cache = first_line(cpu0 + "cache/index3/size"),
          .governor = first_line(cpu0 + "cpufreq/scaling_governor"),
          .memory = entry_of("/proc/meminfo", "MemTotal"),
          .system = system_name(),
          .compiler = SORTILE_COMPILER,
          .build_type = SORTILE_BUILD_TYPE,
          .flags = SORTILE_CXX_FLAGS};
}

facts to_facts(const environment& e) {
  facts all;
  all.add("date", e.date);
  all.add("revision", e.revision);
  all.add("cpu", e.cpu);
  all.add("cpus", e.cpus);
  all.add("cpu_features", e.cpu_features);
  all.add("l2_cache", e.l2_cache);
  all.add("l3_cache", e.l3_cache);
  all.add("governor", e.governor);
  all.add("memory", e.memory);
  all.add("system", e.system);
  all.add("compiler", e.compiler);
  all.add("build_type", e.build_type);
  all.add("flags", e.flags);
  return all;
}

std::string to_string(const environment& e) {
  return e.cpu + ", " + std::to_string(e.cpus) + " CPUs, " + e.memory + ", governor " + e.governor + "\n" + e.system +
         ", " + e.compiler + " " + e.build_type + " " + e.flags + "\nrevision " + e.revision + ", " + e.date + "\n";
}

} // namespace sortile::testing
