// A routing as a test makes it: on guarded buffers, checked against a loop over the pairs.
#pragma once

#include "testing/guarded_buffer.hpp"
#include "testing/verify.hpp"

#include <sortile/route.hpp>

#include <string>

namespace sortile::testing {

/// How the pairs' experts are spread. Every third pair of `some_dropped` has a number that no expert has.
enum class spread : std::uint8_t { uniform, one_expert, every_fifth, in_order, some_dropped, all_dropped };
inline constexpr spread all_spreads[] = {spread::uniform,  spread::one_expert,   spread::every_fifth,
                                         spread::in_order, spread::some_dropped, spread::all_dropped};
inline constexpr key_type expert_types[] = {key_type::u8, key_type::u16, key_type::u32, key_type::u64,
                                            key_type::i8, key_type::i16, key_type::i32, key_type::i64};

struct route_case {
  key_type type = key_type::i32;
  std::size_t n = 0;
  std::size_t expert_count = 8;
  std::size_t block = 1;
  std::size_t index_bytes = 4;
  spread experts = spread::uniform;
  unsigned outputs = 63; ///< a bit an output, in the order of route_request; others are null
  std::uint64_t seed = 0;
  std::string engine{};
  unsigned threads = 0;
  const array_memory* where = nullptr; ///< null: in host memory; else in this, as memory::device
};

std::string to_string(const route_case& c);

/// Runs the routing and checks every number, and that nothing else is written.
verdict check_route(const route_case& c);

/// A routing drawn from a seed, of at most largest_n pairs.
route_case random_route(std::uint64_t seed, const std::string& engine, std::size_t largest_n);

} // namespace sortile::testing
