// Where a fuzzed sort runs: a GPU with arrays in its own memory, or the executor with arrays on the heap.
//
// Through the library's front door, but for one case: the engine "executor" takes host arrays and hence no n in device
// memory. There the engine's inside is called, so that the same kernels are tried.
#pragma once

#include "testing/guarded_buffer.hpp"

#include <sortile/request.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sortile::fuzz {

struct place {
  std::string engine;
  memory where = memory::host;
  void* stream = nullptr;
  void* (*allocate)(std::size_t bytes) = nullptr; ///< throws out_of_memory; aligned to 128 bytes
  void (*release)(void*) = nullptr;
  /// Between that memory and the host's, either way, at once.
  void (*copy)(void* to, const void* from, std::size_t bytes) = nullptr;
  /// Waits for what was queued; errors of that work surface here.
  void (*finish)(void* stream) = nullptr;
  plan (*explain)(const sort_request&, const options&) = nullptr;
  result_place (*run)(const sort_request&, const options&) = nullptr;

  bool is_gpu() const { return where == memory::device; }
};

/// The current GPU. Where there is none, `engine` is empty and `why` says why.
place gpu_place(std::string& why);
place executor_place();

/// An array in a place, with red zones around it. Its start is as badly aligned as it is told to be.
class fuzz_array {
 public:
  /// `offset`: bytes after a 128-byte boundary; the inside is poisoned by the seed.
  fuzz_array(const place& at, std::size_t bytes, std::size_t offset, std::uint64_t seed);
  fuzz_array(const fuzz_array&) = delete;
  fuzz_array& operator=(const fuzz_array&) = delete;
  ~fuzz_array();

  std::byte* data() const { return memory_ + zone + offset_; }
  std::size_t size() const { return size_; }
  void set(const std::vector<std::byte>& content);

  /// What it holds now. \param damage is set where a red zone was written to
  std::vector<std::byte> content(std::string& damage) const;

 private:
  static constexpr std::size_t zone = 4096;
  std::size_t whole() const { return 2 * zone + offset_ + size_; }
  std::string damaged_byte(const std::vector<std::byte>& all) const;

  const place& at_;
  std::size_t size_, offset_;
  std::byte* memory_;
};

/// Random bytes, made by several threads.
std::vector<std::byte> random_bytes(std::size_t count, std::uint64_t seed);

/// Calls part(begin, end) for pieces of [0, n), on several threads where n is large.
void in_pieces(std::size_t n, const std::function<void(std::size_t, std::size_t)>& part);

} // namespace sortile::fuzz
