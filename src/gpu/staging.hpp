// Copies between pageable memory of the host and a device, as fast as from pinned memory.
//
// The copy engine reads and writes pinned pages alone; a plain cudaMemcpy of pageable memory is staged by the driver on
// one thread, at a sixth of the link's rate. Here several threads copy chunk i + 1 into (out of) a pinned slot while
// the engine moves chunk i:
//
//   host threads   | fill 0 | fill 1 | fill 2 | fill 3 | wait, fill 0 | …
//   copy engine             | slot 0 | slot 1 | slot 2 | slot 3       | …
//
// Arrays that are pinned or managed already are copied as they are.
#pragma once

#include "device/pinned_memory.hpp"
#include "device/stream.hpp"
#include "plan/progress.hpp"

#include <array>
#include <cstddef>
#include <memory>

namespace sortile::gpu {

class staging {
 public:
  static constexpr std::size_t slots = 4, slot_bytes = std::size_t{16} << 20;

  /// \throws out_of_memory where so much memory cannot be pinned
  staging() : memory_(slots * slot_bytes) {}

  /// Copies in the order of the stream; `host` has been read when the call returns. Progress counts bytes.
  void upload(void* device, const void* host, std::size_t bytes, const device::stream& stream, unsigned threads,
              progress_meter& progress);

  /// Copies in the order of the stream; `host` has been written when the call returns.
  void download(void* host, const void* device, std::size_t bytes, const device::stream& stream, unsigned threads,
                progress_meter& progress);

 private:
  std::byte* slot(std::size_t i) const { return memory_.data() + i % slots * slot_bytes; }

  device::pinned_memory memory_;
  std::array<device::event, slots> moved_; // out of the slot, or into it

 public:
  std::unique_ptr<staging> next; ///< in the list of those that nobody uses
};

/// A staging for the caller until the end of its scope. Then it is kept for the next caller, until release_staging():
/// as many are kept as were ever in use at once.
class borrowed_staging {
 public:
  borrowed_staging();
  ~borrowed_staging();
  borrowed_staging(const borrowed_staging&) = delete;
  borrowed_staging& operator=(const borrowed_staging&) = delete;
  staging* operator->() const { return staging_.get(); }

 private:
  std::unique_ptr<staging> staging_;
};

} // namespace sortile::gpu
