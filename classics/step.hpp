// What a step of a classic did, as data: a terminal prints it, a page draws it.
//
// A step is a title and rows of cells. A row tells which cells belong to one block, or run, or part; rows of one table
// stand next to each other and say its name. Arrows say where keys went, wires which places were compared.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sortile::classics {

enum class cell_kind {
  keys,    ///< keys, and their values where there are any
  numbers, ///< sums, positions, counts
  flags,   ///< 0 and 1
  words    ///< anything else
};

struct row {
  std::string label{};
  cell_kind kind = cell_kind::numbers;
  std::vector<std::string> cells{};
  std::vector<std::uint64_t> bounds{}; ///< before these cells another block, run or part begins
  std::string table{};                 ///< the table that the row is part of; empty: none
};

/// A cell of the step's first row of keys goes to a cell of its last one.
struct arrow {
  std::uint64_t from = 0, to = 0;
};

/// Two places that were compared, low < high; the greater key went to the higher place, or, descending, to the lower.
struct wire {
  std::uint64_t low = 0, high = 0;
  bool descending = false, exchanged = false;
};

struct step {
  std::string title{};
  std::vector<row> rows{};
  std::vector<arrow> arrows{};
  std::vector<wire> wires{};
  std::uint64_t launches = 0; ///< of the run so far, on the executor with counters
  std::uint64_t barriers = 0; ///< of the last launch's first block, when the step is done; 0: the launch has ended
};

/// Before which cells of n a block of `block` cells begins; 0: one block.
std::vector<std::uint64_t> bounds_of_blocks(std::uint64_t n, std::uint64_t block);

/// The steps as a terminal shows them, a `|` between blocks. A row without a label that is alone follows its title; the
/// rows of other steps stand below it, cell below cell where they have as many.
std::string to_text(const step& s);
std::string to_text(const std::vector<step>& steps);

} // namespace sortile::classics
