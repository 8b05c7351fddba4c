// The program `sortile-classics`.
#include "jobs.hpp"
#include "program.hpp"

int main(int argc, char** argv) {
  using namespace sortile::cli;
  return run_program(argc, argv, {"classics"}, [](command_line& line) {
    const job_actions actions{.experiments = run_experiments, .classics = run_classics};
    add_bench_commands(line, actions);
    add_classics_command(line, actions);
  });
}
