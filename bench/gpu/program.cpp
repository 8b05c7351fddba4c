// See program.hpp.
#include "bench/gpu/program.hpp"

#include "bench/gpu/device_arrays.hpp"

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace sortile::bench {

shared_buffer keys_of(const std::string& workload, const testing::array_shape& shape) {
  shared_buffer keys = make_buffer(shape.n * key_bytes(shape.type));
  fill_with_keys(simt::queue::cuda(nullptr), keys->data(), testing::workload_named(workload), shape);
  return keys;
}

void add_workloads(CLI::App& app, std::vector<std::string>& specs, std::span<const key_type> types) {
  const auto complaint = [types = std::vector(types.begin(), types.end())](const std::string& spec) -> std::string {
    try {
      const testing::workload w = testing::workload_named(spec);
      for (const key_type type : types)
        w.check(type);
      return {};
    } catch (const invalid_argument& refusal) {
      return refusal.what();
    }
  };
  app.add_option("--workloads", specs, "workloads of the keys, by the names below")
      ->delimiter(',')
      ->check(CLI::Validator(complaint, "NAME[:PARAMETER]"));
  app.footer("Workloads:\n" + testing::workload_list());
}

int run_program(const char* name, const std::string& json_path, const std::function<std::vector<row_result>()>& rows) {
  try {
    const environment e = look_around();
    const auto results = rows();
    std::cout << table(e, results);
    if (!json_path.empty())
      write_results(json_path, json(e, results));
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << name << ": " << failure.what() << '\n';
    return 1;
  }
}

void write_results(const std::string& path, const std::string& json) {
  if (!(std::ofstream(path) << json << std::flush))
    throw std::runtime_error("cannot write " + path);
}

} // namespace sortile::bench
