// What the small bench programs of the GPU share: keys of workloads, the option that names them, and the end of main().
#pragma once

#include "bench/gpu/timing.hpp"
#include "testing/workloads.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sortile::bench {

/// The keys of a workload in device memory, without −0 (device_arrays.hpp).
shared_buffer keys_of(const std::string& workload, const testing::array_shape& shape);

/// --workloads: a list of workloads by name, in `specs`, which --help tells. A name that the registry does not know,
/// and a workload that does not suit one of the types, is refused when options are read.
void add_workloads(CLI::App& app, std::vector<std::string>& specs, std::span<const key_type> types);

/// Runs the rows, prints their table, and writes the raw figures where a path is given. Exit status: 1 after an error,
/// which is said by the program's name.
int run_program(const char* name, const std::string& json_path, const std::function<std::vector<row_result>()>& rows);

/// A file of results. \throws std::runtime_error where it cannot be written
void write_results(const std::string& path, const std::string& json);

} // namespace sortile::bench
