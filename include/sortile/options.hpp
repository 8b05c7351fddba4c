// The one options struct that every call takes.
#pragma once

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

/// How a call is to be done. A default-constructed one sorts ascending, by the whole key, on the engine that fits.
struct options {
  sortile::order order = sortile::order::ascending;
  bit_window bits{};

  /// Name of the engine ("cuda", "cpu", …; engines() lists them). Empty: the environment variable SORTILE_ENGINE, and
  /// where that is unset or empty, the planner's choice.
  std::string engine{};

  /// CPU threads at most; 0: as many as the machine offers.
  unsigned threads = 0;

  /// Called now and then, from the thread that made the call, with the fraction done in [0, 1], never decreasing and 1
  /// at the end. Return false to cancel: the call throws `cancelled`. Must not throw.
  std::function<bool(double)> progress{};

  /// Scratch memory in host memory, at least workspace_bytes() of the request, aligned to workspace_alignment; not
  /// overlapping any array of the request. Empty: the call has its own, of which
  /// up to 1 GiB is kept for the next call (release_scratch()).
  std::span<std::byte> workspace{};
};

inline constexpr std::size_t workspace_alignment = 64;

} // namespace sortile
#pragma GCC visibility pop
