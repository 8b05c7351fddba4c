// Cuts the segments of a sort into tasks of about the same work.
#pragma once

#include "cpu/memory_slots.hpp"
#include "plan/engine.hpp"

namespace sortile::cpu {

/// Segments first … last − 1, less those that are too long for one thread.
struct segment_task {
  std::size_t first, last;
};

struct segment_tasks {
  call_vector<segment_task> alone;
  call_vector<std::size_t> together; ///< segments that all threads sort, one after the other
};

/// \param alone_limit  elements that one thread sorts
segment_tasks cut_tasks(const segments& where, const segment_survey& found, std::size_t alone_limit, unsigned workers);

} // namespace sortile::cpu
