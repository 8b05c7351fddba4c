// The program `sortile-bench-gpu`.
#include "jobs.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  using namespace sortile::cli;
  return run_program(argc, argv, {"bench", "gpu"},
                     [](command_line& line) { add_bench_commands(line, {.gpu_bench = run_gpu_bench}); });
}
