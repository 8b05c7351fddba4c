// Bytes one after the other, from anything that can be read once.
#pragma once

#include "files/leased_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace sortile::files {

class byte_source {
 public:
  explicit byte_source(std::string name) : name_(std::move(name)) {}
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;
  virtual ~byte_source() = default;

  /// Puts at least one byte and at most `room` at `to`; returns how many, 0 at the end. \throws io_failure
  virtual std::size_t read(char* to, std::size_t room) = 0;

  /// All that is left, where it can be had without a copy; else none, and read() goes on.
  virtual leased_pages pages() { return {}; }

  /// Bytes that are thought to come, for whoever makes room for them; 0 where nothing is known.
  virtual std::uint64_t promised() const { return 0; }
  /// Bytes that come in all; 0 where that is not known. To be asked before anything is read.
  virtual std::uint64_t expected() { return 0; }

  /// For messages.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

} // namespace sortile::files
