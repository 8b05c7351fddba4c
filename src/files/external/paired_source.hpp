// Keys of one input and values of another, as records of a key and its value: for a sort in runs, which moves both.
#pragma once

#include "files/byte_source.hpp"
#include "files/input_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace sortile::files {

class paired_source final : public byte_source {
 public:
  /// What is left of two streams, their headers behind. \param key_bytes, value_bytes  of one
  paired_source(std::unique_ptr<input_stream> keys, std::size_t key_bytes, std::unique_ptr<input_stream> values,
                std::size_t value_bytes);

  /// \throws io_failure where there are not as many values as keys, or an input ends within one
  std::size_t read(char* to, std::size_t room) override;
  std::uint64_t promised() const override;

 private:
  struct side {
    std::unique_ptr<input_stream> stream;
    std::size_t bytes;  // of one
    std::string buffer; // as many as make a block, or those that were left
    std::uint64_t count = 0;

    void fill(std::size_t elements);
    std::uint64_t count_rest();
  };

  void make_block();

  side keys_, values_;
  std::string block_; // records, handed out up to taken_
  std::size_t taken_ = 0;
};

} // namespace sortile::files
