// The one options struct that every call takes.
#pragma once

#include <sortile/language.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#pragma GCC visibility push(default) // what is declared here is exported, others stay hidden
namespace sortile {

enum class order : std::uint8_t { ascending, descending };

/// The bits [begin, end) of a key's image that decide the order; bit 0 is the least significant. The image is the
/// unsigned number that sorts as the key does (ascending): unsigned keys as they are, signed keys with the sign bit
/// flipped, floats with the sign bit flipped and, where negative, the others too. `end` = whole_key means the width of
/// the key.
struct bit_window {
  static constexpr unsigned whole_key = ~0u;
  unsigned begin = 0;
  unsigned end = whole_key;
};

/// Where the arrays of a sort, and its workspace, lie.
enum class memory : std::uint8_t {
  host,
  device, ///< memory that the current CUDA device reads and writes: its own, managed, or pinned memory of the host
};

class device_memory_resource; // device.hpp

/// How a call is to be done. A default-constructed one sorts ascending, by the whole key, on the engine that fits.
struct options {
  sortile::order order = sortile::order::ascending;
  bit_window bits{};

  /// Name of the engine ("cuda", "cpu", …; engines() lists them). Empty: the environment variable SORTILE_ENGINE, and
  /// where that is unset or empty, the planner's choice.
  std::string engine{};

  /// CPU threads at most; 0: as many as the process has processors. A number beyond both 16 and the processors is taken
  /// as the larger of these two.
  unsigned threads = 0;

  /// Called now and then, from the thread that made the call, with the fraction done in [0, 1], never decreasing and 1
  /// at the end. Return false to cancel: the call throws `cancelled`. Must not throw.
  std::function<bool(double)> progress{};

  /// Scratch memory for the call, where `memory` says, at least workspace_bytes() of the request, aligned to
  /// workspace_alignment, not overlapping any array of the request. Empty: the call has its own. Of host memory up to
  /// 1 GiB is kept for the next call (release_scratch()); device memory comes from `resource`.
  std::span<std::byte> workspace{};

  /// Bytes of workspace that a sort of arrays in host memory uses at most; 0: no limit. Where its usual way needs more
  /// (about as much as the arrays), it sorts within the output arrays, with a few MB a thread and half a per cent of
  /// the arrays beside; that takes up to 1.6 times as long. \throws workspace_too_small, naming the least, where the
  /// limit cannot be kept: values of other than 4, 8 or 16 bytes need their usual workspace, positions without
  /// keys_out a copy of the keys. The CPU engine alone knows this.
  std::size_t workspace_limit = 0;

  /// Where the arrays of a sort lie. With memory::device the call is asynchronous: it queues its work on `stream` of
  /// the current device and returns; errors of that work surface where the caller synchronises. With a workspace of the
  /// caller it allocates nothing and may be captured in a CUDA graph. Each call says
  /// whether it takes device memory; `progress` is refused with it.
  sortile::memory memory = sortile::memory::host;

  /// With memory::device: the CUDA stream (a cudaStream_t), null for the default one.
  void* stream = nullptr;

  /// With memory::device and no workspace: who allocates it, in the order of the stream. Null: the device's
  /// stream-ordered pool.
  device_memory_resource* resource = nullptr;

  /// With memory::device: the call waits until its work is done and throws what went wrong there: device_failure, or
  /// invalid_argument where the number at sort_request::device_n exceeded n (the first n keys are sorted then). For
  /// finding mistakes; not while the stream is captured.
  bool checked = false;
};

/// Options as they are by default. Those that braces make are cleared as a whole first, which takes ten times as long.
inline options default_options() {
  options usual;
  return usual;
}

inline constexpr std::size_t workspace_alignment = 128;

} // namespace sortile
#pragma GCC visibility pop
