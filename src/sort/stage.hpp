// A stage of a sort: what it is called, what it moves, the room that it needs, and which launches it stands for. A
// plan's text, the workspace's size and the launches are three walks over one list of stages, so they always agree.
#pragma once

#include "kernels/typed_request.hpp"
#include "sort/recipe.hpp"

#include <array>
#include <string>
#include <vector>

namespace sortile::gpu {

/// Who has a stage's launches.
enum class stage_work : unsigned char {
  sort,     ///< a sort's step, or all of it
  move_in,  ///< values into wider aligned copies
  move_out, ///< and back
  gather,   ///< values by position
  copy_back ///< gathered values to where they were
};

/// Parts of the workspace, in their order; all stages that name one of them share it.
enum class area : unsigned char { moved_in, moved_out, gathered, verdict, sorter };
inline constexpr std::size_t areas = 5;
struct room {
  area where = area::sorter;
  std::size_t bytes = 0;
};

struct stage {
  static constexpr unsigned with_the_one_before = ~0u - 1;

  const char* name; ///< a word of the glossary
  const char* what; ///< each '#' stands for the next of `numbers`
  std::array<unsigned, 2> numbers{};
  std::size_t bytes_read = 0, bytes_written = 0;
  stage_work work = stage_work::sort;
  sorter by = sorter::nothing;
  unsigned role = 0;
  unsigned step = 0; ///< of the sorter: a number, kernels::all_steps, or with_the_one_before
  std::array<room, 2> rooms{};

  /// The first of its sorter's: it brings the room for all of them.
  bool opens() const { return work == stage_work::sort && (step == 0 || step == kernels::all_steps); }
  std::string text() const;
};

/// The stages of these facts by these sorts, in the order of their launches. Sorts' rooms are not in them yet.
std::vector<stage> stages_of(const sort_facts& facts, const sorters& by);

} // namespace sortile::gpu
