// What the small bench programs of the GPU share: their random numbers, and the end of main().
#pragma once

#include "bench/gpu/timing.hpp"
#include "simt/simt.hpp"

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace sortile::bench {

/// SplitMix64 (Steele, Lea, Flood 2014) of one state, on the device too.
SORTILE_HOST_DEVICE std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Runs the rows, prints their table, and writes the raw figures where a path is given. Exit status: 1 after an error,
/// which is said by the program's name.
template <class Rows>
int run_program(const char* name, const std::string& json_path, Rows rows) {
  try {
    const environment e = look_around();
    const auto results = rows();
    std::cout << table(e, results);
    if (!json_path.empty() && !(std::ofstream(json_path) << json(e, results)))
      throw std::runtime_error("cannot write " + json_path);
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << name << ": " << failure.what() << '\n';
    return 1;
  }
}

} // namespace sortile::bench
