// One sort within segments as a test makes it: drawn from a seed or set by hand, run on guarded buffers, and compared
// byte for byte with the oracle's sort of each segment; what lies in no segment must stay as it was.
#pragma once

#include "testing/guarded_buffer.hpp"
#include "testing/verify.hpp"

#include <sortile/segments.hpp>

#include <functional>
#include <string>
#include <vector>

namespace sortile::testing {

/// Where segments lie, before it is put into the arrays that a request points to.
struct segment_shape {
  segment_form form = segment_form::offsets;
  std::size_t n = 0; ///< elements of the arrays
  std::size_t offset_bytes = 8;
  std::vector<std::size_t> begins, ends;                   ///< of forms offsets and ranges: one pair a segment
  std::size_t count = 0, length = 0, stride = 0, step = 1; ///< of form strided

  std::size_t segments() const { return form == segment_form::strided ? count : begins.size(); }
  /// The positions of segment i's elements in the arrays.
  std::vector<std::size_t> elements(std::size_t i) const;
};

/// Mixes of lengths: what an engine's classes of lengths are made for, and what falls between them.
std::vector<std::string> all_length_mixes();

/// Segments of such a mix, of about `elements` elements in all, one behind the other. \throws where there is no such
/// mix
segment_shape shape_of(const std::string& mix, std::size_t elements, std::uint64_t seed);
/// The same segments with gaps between them, in any order, as begins and ends.
segment_shape scattered(const segment_shape& shape, std::uint64_t seed);
segment_shape rows_shape(std::size_t rows, std::size_t columns, std::size_t pitch);
segment_shape columns_shape(std::size_t rows, std::size_t columns, std::size_t pitch);

struct segment_case {
  key_type type = key_type::u32;
  segment_shape shape;
  std::string workload = "uniform";
  std::uint64_t seed = 0;
  order direction = order::ascending;
  bit_window bits{};
  payload carries = payload::none;
  std::size_t value_bytes = 0;
  bool in_place = true;
  bool keys_wanted = true; ///< of an argsort
  std::string engine{};
  unsigned threads = 0;
  bool own_workspace = false; ///< give exactly workspace_bytes()
  bool watch_progress = false;
  bool checked = false;                ///< ask what the offsets were
  const array_memory* where = nullptr; ///< null: in host memory; else in this, as memory::device
};

std::string to_string(const segment_case& c);

/// A case drawn from a seed, of up to so many elements.
segment_case random_segment_case(std::uint64_t seed, const std::string& engine, std::size_t elements);

/// Sorts a request in another way than by run().
using segment_runner = std::function<void(const segmented_request&, const options&)>;

/// Runs the case and checks everything that is promised of it.
verdict check(const segment_case& c, const segment_runner& runner = {});

} // namespace sortile::testing
