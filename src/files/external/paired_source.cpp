// See paired_source.hpp.
#include "files/external/paired_source.hpp"

#include "files/failure.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sortile::files {

namespace {

constexpr std::size_t block_bytes_wanted = std::size_t{1} << 18;

} // namespace

paired_source::paired_source(std::unique_ptr<input_stream> keys, std::size_t key_bytes,
                             std::unique_ptr<input_stream> values, std::size_t value_bytes)
    : byte_source(keys->name()), keys_{std::move(keys), key_bytes, {}}, values_{std::move(values), value_bytes, {}} {}

std::uint64_t paired_source::promised() const {
  return keys_.stream->promised() / keys_.bytes * (keys_.bytes + values_.bytes);
}

// Reads so many, fewer only at the end.
void paired_source::side::fill(std::size_t elements) {
  buffer.resize(elements * bytes);
  std::size_t done = 0;
  for (std::size_t got = 1; got != 0 && done < buffer.size(); done += got)
    got = stream->read(buffer.data() + done, buffer.size() - done);
  buffer.resize(done);
  if (done % bytes != 0)
    fail(stream->name(), "ends within an element: {} bytes of {} are there", done % bytes, bytes);
  count += done / bytes;
}

std::uint64_t paired_source::side::count_rest() {
  while (!buffer.empty())
    fill(std::max<std::size_t>(1, block_bytes_wanted / bytes));
  return count;
}

void paired_source::make_block() {
  const std::size_t record = keys_.bytes + values_.bytes;
  const std::size_t wanted = std::max<std::size_t>(1, block_bytes_wanted / record);
  keys_.fill(wanted);
  values_.fill(wanted);
  if (keys_.count != values_.count) {
    const std::uint64_t values = values_.count_rest();
    fail(values_.stream->name(), "holds {} values, but {} holds {} keys", values, name(), keys_.count_rest());
  }
  const std::size_t n = keys_.buffer.size() / keys_.bytes;
  block_.resize(n * record);
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(block_.data() + i * record, keys_.buffer.data() + i * keys_.bytes, keys_.bytes);
    std::memcpy(block_.data() + i * record + keys_.bytes, values_.buffer.data() + i * values_.bytes, values_.bytes);
  }
  taken_ = 0;
}

std::size_t paired_source::read(char* to, std::size_t room) {
  if (taken_ == block_.size())
    make_block();
  const std::size_t some = std::min(room, block_.size() - taken_);
  std::memcpy(to, block_.data() + taken_, some);
  taken_ += some;
  return some;
}

} // namespace sortile::files
