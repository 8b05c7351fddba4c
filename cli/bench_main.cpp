// The program `sortile-bench`.
#include "jobs.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  using namespace sortile::cli;
  return run_program(argc, argv, {"bench"}, [](command_line& line) { add_bench_commands(line, {.bench = run_bench}); });
}
