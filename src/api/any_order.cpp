// What the sorts and merges by a comparison in the headers need of the library: checks before an element is read,
// threads, memory, progress.
#include <sortile/sortile.hpp>

#include "api/array_checks.hpp"
#include "api/checks.hpp"
#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "plan/engine.hpp"

#include <limits>
#include <new>
#include <optional>

namespace sortile {
namespace detail {
namespace {

using checks::named_array;

std::size_t aligned(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

/// Where the parts of the workspace lie.
struct comparison_layout {
  std::size_t second_buffer = 0, buckets = 0, counts = 0, bytes = 0;

  comparison_layout(const comparison_call::request& asked, unsigned threads) {
    if (asked.n == 0 || asked.element_bytes == 0)
      return;
    if (asked.n > std::numeric_limits<std::size_t>::max() / 8 / asked.element_bytes)
      no_memory(asked.n, asked.element_bytes, asked.operation);
    const std::size_t buffer = aligned(asked.n * asked.element_bytes);
    second_buffer = buffer;
    buckets = buffer * asked.buffers;
    counts = buckets;
    if (asked.n > merged_alone && asked.takes_workspace) {
      counts += aligned(asked.n);
      bytes = counts + std::size_t{4} * threads * most_buckets * sizeof(std::size_t);
    } else {
      bytes = counts;
    }
  }
};

unsigned threads_for(std::size_t n, const options& opts) {
  return n <= merged_alone ? 1 : resolve_threads(opts);
}

void check_arrays(std::initializer_list<caller_array> arrays) {
  const auto named = [](const caller_array& a) {
    return named_array{a.name, a.data, a.count, a.element_bytes, a.alignment};
  };
  for (const caller_array& a : arrays)
    checks::need_array(named(a), memory::host);
  for (const caller_array& a : arrays)
    for (const caller_array& other : arrays)
      if (&a != &other && a.written)
        checks::need_apart(named(other), named(a));
}

} // namespace

void check_comparison_direction(const options& opts) {
  checks::comparison_direction(opts);
}

struct comparison_call::state {
  const std::function<bool(double)>& callback;
  cpu::scratch own{};
  std::optional<progress_meter> progress{};
};

comparison_call::comparison_call(const request& asked, std::initializer_list<caller_array> arrays,
                                 const options& opts) try {
  checks::comparison_options(asked.operation, asked.takes_workspace, opts);
  need_cpu_engine("order by a comparison the elements of", opts);
  check_arrays(arrays);
  threads_ = threads_for(asked.n, opts);
  const comparison_layout layout(asked, threads_);
  const bool callers = opts.workspace.data() != nullptr;
  if (callers) {
    checks::need_space({}, opts.workspace, memory::host, layout.bytes);
    for (const caller_array& a : arrays)
      checks::need_apart({"the workspace", opts.workspace.data(), opts.workspace.size()},
                         {a.name, a.data, a.count, a.element_bytes});
  }
  cpu::scratch own(callers ? 0 : layout.bytes, asked.operation);
  std::byte* const space = callers ? opts.workspace.data() : own.bytes().data();
  if (layout.bytes > 0) {
    buffers_[0] = space;
    buffers_[1] = space + layout.second_buffer;
    buckets_ = reinterpret_cast<std::uint8_t*>(space + layout.buckets);
    counts_ = reinterpret_cast<std::size_t*>(space + layout.counts);
  }
  void* const place = cpu::take_memory(sizeof(state));
  if (place == nullptr)
    throw std::bad_alloc();
  state_ = new (place) state{opts.progress, std::move(own)};
} catch (const std::bad_alloc&) {
  throw out_of_memory(std::string("sortile: out of memory in ") + asked.operation);
}

comparison_call::~comparison_call() {
  state_->~state();
  cpu::give_memory(state_);
}

void comparison_call::expect(std::uint64_t units) {
  state_->progress.emplace(&state_->callback, units);
}

void comparison_call::for_each(std::size_t tasks, void* object, std::size_t (*call)(void* object, std::size_t task)) {
  progress_meter* const progress = state_->progress ? &*state_->progress : nullptr;
  cpu::for_each_task(threads_, tasks, progress, [&](unsigned, std::size_t i) {
    const std::size_t units = call(object, i);
    if (progress != nullptr)
      progress->add(units);
  });
}

void comparison_call::finish() {
  if (state_->progress)
    state_->progress->finish();
  state_->progress.reset(); // what follows writes results: nobody is asked any more
}

std::size_t comparison_workspace_bytes(std::size_t n, std::size_t element_bytes, unsigned buffers,
                                       const options& opts) {
  return comparison_layout({"a sort by a comparison", n, element_bytes, buffers}, threads_for(n, opts)).bytes;
}

} // namespace detail
} // namespace sortile
