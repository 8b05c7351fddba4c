// The order of texts, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sortile::python {

/// Bytes somewhere; the shorter of two texts that agree as far as they go comes first.
struct text {
  const char* bytes = nullptr;
  std::size_t length = 0;
};

/// ranks[i]: how many different texts come before texts[i]. n below 2^32.
void rank_texts(const std::vector<text>& texts, std::uint32_t* ranks, unsigned threads);

} // namespace sortile::python
