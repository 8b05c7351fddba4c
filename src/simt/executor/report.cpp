// What a failure says: kernel, block, threads, places in the source, and the seed that repeats it.
#include "simt/executor/scheduler.hpp"

#include <map>
#include <tuple>

namespace sortile::executor {
namespace {

std::string block_name(const block_state& b) {
  std::string text = "block " + std::to_string(b.index[0]);
  if (b.index[1] || b.index[2])
    text += "," + std::to_string(b.index[1]) + "," + std::to_string(b.index[2]);
  return text;
}

const char* name(wait_for w) {
  switch (w) {
  case wait_for::start:
    return "not started";
  case wait_for::warp:
    return "in a warp-wide call";
  case wait_for::block:
    return "at a block barrier";
  case wait_for::named:
    return "at a named barrier";
  case wait_for::cluster:
    return "at a cluster barrier";
  case wait_for::grid:
    return "at a grid barrier";
  case wait_for::transfer:
    return "waiting for a bulk copy";
  case wait_for::spin:
    return "polling";
  case wait_for::nothing:
    break;
  }
  return "ready to run";
}

// "0-31,64" of ascending numbers.
std::string ranges(const std::vector<unsigned>& v) {
  std::string text;
  for (std::size_t i = 0; i < v.size();) {
    std::size_t j = i;
    while (j + 1 < v.size() && v[j + 1] == v[j] + 1)
      ++j;
    text += (text.empty() ? "" : ",") + std::to_string(v[i]) + (j > i ? "-" + std::to_string(v[j]) : "");
    i = j + 1;
  }
  return text;
}

} // namespace

std::string file_and_line(const site& s) {
  const std::string file = s.file_name();
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(s.line());
}

const char* name(fault f) {
  switch (f) {
  case fault::shared_race:
    return "race on shared storage";
  case fault::out_of_bounds:
    return "out of bounds";
  case fault::misaligned:
    return "misaligned access";
  case fault::divergent_barrier:
    return "divergent barrier";
  case fault::bad_warp_mask:
    return "bad warp mask";
  case fault::deadlock:
    return "deadlock";
  case fault::watchdog:
    return "watchdog";
  case fault::stack_overflow:
    return "stack overflow";
  case fault::bad_launch:
    return "bad launch";
  case fault::bad_use:
    return "bad use";
  case fault::thrown:
    return "exception";
  }
  return "failure";
}

std::string scheduler::who(const thread_state& t) const {
  return block_name(*t.block) + ", thread " + std::to_string(t.index);
}

// Who waits where: by block, kind and place, the first few groups.
std::string scheduler::waits() const {
  constexpr std::size_t shown = 12;
  std::map<std::tuple<std::string, std::string>, std::vector<unsigned>> groups;
  for (const auto& c : clusters_)
    for (const auto& b : c->blocks)
      for (const thread_state& t : b->thread)
        if (b->active && !t.finished)
          groups[{block_name(*b),
                  std::string(name(t.waiting)) + (t.waiting == wait_for::start ? "" : " at " + file_and_line(t.where))}]
              .push_back(t.index);
  std::string text;
  std::size_t n = 0;
  for (const auto& [key, threads] : groups) {
    if (n++ == shown)
      return text + "; and " + std::to_string(groups.size() - shown) + " more groups";
    text += (n > 1 ? "; " : "") + std::get<0>(key) + ": threads " + ranges(threads) + " " + std::get<1>(key);
  }
  return text;
}

// Keeps a failure without throwing it: for where no kernel is to be unwound.
void scheduler::record(fault kind, const std::string& what) {
  const std::string text = std::string("executor: ") + executor::name(kind) + " in kernel " + run_.request.kernel_name +
                           ": " + what + "; SORTILE_EXECUTOR_SEED=" + std::to_string(run_.options.seed) + " repeats it";
  run_.fail(std::make_exception_ptr(failure(kind, run_.options.seed, text)));
}

void scheduler::fail(fault kind, const std::string& what, site where, const thread_state* by) {
  const thread_state& t = by ? *by : *current;
  const std::string text = std::string("executor: ") + executor::name(kind) + " in kernel " + run_.request.kernel_name +
                           ", " + who(t) + ", at " + file_and_line(where) + ": " + what +
                           "; SORTILE_EXECUTOR_SEED=" + std::to_string(run_.options.seed) + " repeats it";
  throw failure(kind, run_.options.seed, text);
}

void out_of_bounds(const char* space, std::uint64_t index, std::uint64_t size, site where) {
  const std::string what = "index " + (index >> 63 ? "-" + std::to_string(0 - index) : std::to_string(index)) +
                           " of a " + space + " array of " + std::to_string(size);
  if (!mine)
    throw failure(fault::out_of_bounds, 0, "executor: out of bounds outside a kernel: " + what);
  mine->fail(fault::out_of_bounds, what, where);
}

void misaligned(const void* address, std::size_t alignment, site where) {
  mine->fail(fault::misaligned,
             "an address ending in " + std::to_string(reinterpret_cast<std::uintptr_t>(address) % 256) +
                 " (mod 256) is no multiple of " + std::to_string(alignment),
             where);
}

void bad_use(const std::string& what, site where) {
  mine->fail(fault::bad_use, what, where);
}

} // namespace sortile::executor
