// The program `sortile-bench-cpu`.
#include "jobs.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  using namespace sortile::cli;
  return run_program(argc, argv, {"bench", "cpu"},
                     [](command_line& line) { add_bench_commands(line, {.cpu_bench = run_cpu_bench}); });
}
