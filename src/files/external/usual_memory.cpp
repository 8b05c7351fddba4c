// How much memory a sort may take where nobody says so; see external_sort.hpp.
//
// The rule is that of sort(1): three quarters of the machine's memory at most, what is available now (an eighth of all
// at least), half of what limits of the process allow, since other parts of it need memory too. And what the control
// group of the process allows, as in a container.
#include "files/external/external_sort.hpp"

#include "files/input.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include <sys/resource.h>
#include <unistd.h>

namespace sortile::files {

namespace {

// What a file of the system says; empty where there is none.
std::string content_of(const std::string& path) {
  try {
    return std::string(input(path).bytes());
  } catch (const io_failure&) {
    return {};
  }
}

std::uint64_t number_behind(std::string_view text, std::string_view label) {
  const std::size_t at = text.find(label);
  if (at == std::string_view::npos)
    return 0;
  text.remove_prefix(at + label.size());
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint64_t limit_of(decltype(RLIMIT_DATA) resource) {
  struct rlimit limit {};
  return ::getrlimit(resource, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// Of control groups of the second kind: the group of this process, where it is one with a limit.
std::uint64_t group_limit() {
  const std::string groups = content_of("/proc/self/cgroup");
  const std::size_t at = groups.find("0::");
  std::string path = at == std::string::npos ? "/" : groups.substr(at + 3, groups.find('\n', at) - at - 3);
  std::uint64_t least = UINT64_MAX;
  for (;; path.resize(path.rfind('/'))) {
    if (const std::uint64_t limit = number_behind(content_of("/sys/fs/cgroup" + path + "/memory.max"), ""); limit != 0)
      least = std::min(least, limit);
    if (path.rfind('/') == std::string::npos)
      return least;
  }
}

} // namespace

std::size_t usual_memory() {
  const auto page = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  const std::uint64_t machine = page * static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const std::uint64_t total = std::min(machine, group_limit());
  const std::uint64_t available = 1024 * number_behind(content_of("/proc/meminfo"), "MemAvailable:");
  std::uint64_t memory = std::min(std::max(available, total / 8), total / 4 * 3);
  const std::uint64_t mapped = page * number_behind(content_of("/proc/self/statm"), "");
  const std::uint64_t space = limit_of(RLIMIT_AS);
  memory = std::min(
      {memory, limit_of(RLIMIT_DATA) / 2, (space - std::min(space, mapped)) / 2, limit_of(RLIMIT_RSS) / 16 * 15});
  return static_cast<std::size_t>(std::max<std::uint64_t>(memory, smallest_memory));
}

} // namespace sortile::files
