// The pages of a regular file in place of a copy of its bytes.
//
// Idea. What a file holds is in memory already, in the system's page cache. A copy costs new pages for all of it, which
// the system clears first: for half a gigabyte that takes longer than to sort it. But under a map, what another process
// writes to the file would change records in mid-sort, and a file cut short would end the process. So pages are taken
// under a lease alone (fcntl(2), F_SETLEASE). The system grants it where nobody has the file open for writing. Whoever
// opens or cuts it later waits, while a signal tells us. The answer puts a copy in the place of the map, at the same
// addresses, and gives the lease back. So the bytes stay what they were, and are copied only where somebody writes.
//
//   opened for writing by another -> SIGURG -> copy, mremap() onto the map -> F_UNLCK -> the other goes on
//
// (Making the pages of a private map private, by writing to them, is not enough: a file that is cut takes them, too.)
//
// Invariants: as long as the map is there, the lease is held, and nobody has the file open for writing. The map is read
// alone, so that no write is lost to the answer; what is appended goes to pages behind it. Where a lease has run out
// without our answer (the process was stopped for longer than the system waits, 45 seconds), the bytes can no longer be
// trusted: the process says so, removes what it has not finished, and ends with status 2; where the file was cut and a
// thread is the first to notice (SIGBUS), in the same way.
//
// Only file systems of this machine are taken, where the system sees every writer.
#pragma once

#include "files/file_descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sortile::files {

struct leased_map;

/// Movable. The bytes are to be read; those behind them are free to be used.
class leased_pages {
 public:
  /// Files below this size are as well read.
  static constexpr std::size_t smallest = std::size_t{1} << 18;

  leased_pages() = default; ///< none
  /// The bytes [begin, end) of an open regular file, and room behind them; none where that is not to be
  /// had: no lease, another size, no address space, pages that cannot be read. One object at a time has pages.
  /// \param name     for messages
  /// \param threads  that ask for the pages
  static leased_pages of(int fd, std::uint64_t begin, std::uint64_t end, const std::string& name, unsigned threads);

  explicit operator bool() const { return held_ != nullptr; }
  char* data() const;
  std::size_t size() const;
  std::size_t capacity() const; ///< the bytes and some room behind them

 private:
  struct release {
    void operator()(leased_map* map) const;
  };
  std::unique_ptr<leased_map, release> held_;
};

} // namespace sortile::files
