// A top-k request as a test makes it: on guarded buffers, checked against the beginning of the oracle's stable sort.
#pragma once

#include "testing/guarded_buffer.hpp"
#include "testing/verify.hpp"

#include <sortile/select.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sortile::testing {

struct top_k_case {
  key_type type = key_type::u32;
  std::size_t n = 0;
  std::size_t k = 0;
  std::size_t rows = 1;
  std::size_t gap = 0; ///< elements between rows
  std::string workload = "uniform";
  std::uint64_t seed = 0;
  order direction = order::ascending;
  bit_window bits{};
  payload carries = payload::none;
  std::size_t value_bytes = 0;
  bool keys_wanted = true; ///< with indices: whether the keys are asked for too
  std::string engine{};
  unsigned threads = 0;
  bool own_workspace = false;
  const array_memory* where = nullptr; ///< null: in host memory; else in this, as memory::device

  std::vector<std::uint64_t> row_k{}; ///< none, or one for each row or segment
  std::size_t row_k_bytes = 8;

  struct segment {
    std::size_t begin = 0, end = 0;
  };
  std::vector<segment> segments{}; ///< none: rows; else n is the whole array, and there are as many rows
  std::size_t offset_bytes = 8;
  bool as_ranges = false; ///< else segments are neighbours
};

std::string to_string(const top_k_case& c);

/// Runs the case and checks everything that is promised of it.
verdict check(const top_k_case& c);
/// The same for keys that are given.
verdict check(const top_k_case& c, const std::vector<std::byte>& keys);

/// Segments of an array of n keys, drawn from a seed: none, few, many, empty ones, one that is most of the array; the
/// last ends at n. As ranges they have gaps and come in any order.
std::vector<top_k_case::segment> random_segments(std::uint64_t seed, std::size_t n, bool as_ranges);

/// How many results of k rows may have: none, one, all, more than k, or anything between.
std::vector<std::uint64_t> random_row_k(std::uint64_t seed, std::size_t rows, std::size_t k);

/// Segments and how many results they have drawn for a random_top_k().
top_k_case random_segmented_top_k(std::uint64_t seed, const std::string& engine, std::size_t largest_n);

/// A case drawn from a seed.
top_k_case random_top_k(std::uint64_t seed, const std::string& engine, std::size_t largest_n);

/// A workload of the type drawn from a seed.
std::string random_workload(std::uint64_t seed, key_type type);

} // namespace sortile::testing
