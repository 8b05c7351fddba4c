// See place.hpp.
#include "tests/gpu/fuzz/place.hpp"

#include "simt/executor/device.hpp"
#include "sort/device_sort.hpp"
#include "testing/workloads.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace sortile::fuzz {
namespace {

constexpr std::uint64_t zone_seed = 0x7265647a6f6e65; // "redzone"
constexpr std::size_t boundary = 128;

std::byte zone_byte(std::size_t i) {
  return static_cast<std::byte>(testing::random_bits(zone_seed, i));
}

constexpr gpu::device_facts executor_device{};

/// As engine "cuda" answers for a GPU.
plan explain_on_executor(const sort_request& r, const options& opts) {
  if (r.device_n == nullptr)
    return sortile::explain(r, opts);
  plan p;
  p.workspace_bytes = gpu::device_sort(r, opts, executor_device).workspace_bytes();
  return p;
}

result_place run_on_executor(const sort_request& r, const options& opts) {
  if (r.device_n == nullptr)
    return sortile::run(r, opts);
  if (const std::string_view why = gpu::device_sort::why_refused(r); !why.empty())
    throw invalid_argument(std::string(why));
  const gpu::device_sort sort(r, opts, executor_device);
  testing::guarded_buffer own(opts.workspace.empty() ? sort.workspace_bytes() : 0, 0, 1);
  executor::device pretended(executor::options_from_environment({.os_threads = opts.threads}));
  sort.launch(simt::queue::executor(pretended), opts.workspace.empty() ? own.data() : opts.workspace.data());
  return result_place::output;
}

} // namespace

place executor_place() {
  return {.engine = "executor",
          .allocate = [](std::size_t bytes) { return ::operator new(bytes, std::align_val_t(boundary)); },
          .release = [](void* memory) { ::operator delete(memory, std::align_val_t(boundary)); },
          .copy = [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); },
          .finish = [](void*) {},
          .explain = explain_on_executor,
          .run = run_on_executor};
}

fuzz_array::fuzz_array(const place& at, std::size_t bytes, std::size_t offset, std::uint64_t seed)
    : at_(at), size_(bytes), offset_(offset), memory_(static_cast<std::byte*>(at.allocate(whole()))) {
  std::vector<std::byte> all = random_bytes(whole(), seed);
  const std::size_t begin = zone + offset_, end = begin + size_;
  for (std::size_t i = 0; i < begin; ++i)
    all[i] = zone_byte(i);
  for (std::size_t i = end; i < all.size(); ++i)
    all[i] = zone_byte(i);
  at_.copy(memory_, all.data(), all.size());
}

fuzz_array::~fuzz_array() {
  at_.release(memory_);
}

void fuzz_array::set(const std::vector<std::byte>& content) {
  if (!content.empty())
    at_.copy(data(), content.data(), content.size());
}

std::string fuzz_array::damaged_byte(const std::vector<std::byte>& all) const {
  const std::size_t begin = zone + offset_, end = begin + size_;
  for (std::size_t i = begin; i-- > 0;)
    if (all[i] != zone_byte(i))
      return std::to_string(begin - i) + " bytes before its begin";
  for (std::size_t i = end; i < all.size(); ++i)
    if (all[i] != zone_byte(i))
      return std::to_string(i - end) + " bytes after its end";
  return {};
}

std::vector<std::byte> fuzz_array::content(std::string& damage) const {
  std::vector<std::byte> all(whole());
  at_.copy(all.data(), memory_, all.size());
  if (const std::string found = damaged_byte(all); !found.empty())
    damage = "written to " + found;
  return {all.begin() + std::ptrdiff_t(zone + offset_), all.begin() + std::ptrdiff_t(zone + offset_ + size_)};
}

std::vector<std::byte> random_bytes(std::size_t count, std::uint64_t seed) {
  std::vector<std::byte> bytes(count);
  in_pieces((count + 7) / 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t word = begin; word < end; ++word) {
      const std::uint64_t bits = testing::random_bits(seed, word);
      std::memcpy(bytes.data() + 8 * word, &bits, std::min<std::size_t>(8, count - 8 * word));
    }
  });
  return bytes;
}

void in_pieces(std::size_t n, const std::function<void(std::size_t, std::size_t)>& part) {
  constexpr std::size_t least = std::size_t{1} << 18;
  const std::size_t threads = std::clamp<std::size_t>(n / least, 1, std::thread::hardware_concurrency() + 1);
  if (threads == 1)
    return part(0, n);
  std::exception_ptr failure;
  std::mutex failing;
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      try {
        part(n / threads * t, t + 1 == threads ? n : n / threads * (t + 1));
      } catch (...) {
        const std::lock_guard lock(failing);
        failure = std::current_exception();
      }
    });
  for (std::thread& worker : workers)
    worker.join();
  if (failure)
    std::rethrow_exception(failure);
}

} // namespace sortile::fuzz
