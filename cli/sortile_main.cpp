// The program `sortile`.
#include "jobs.hpp"
#include "program.hpp"

namespace {

void add_commands(sortile::cli::command_line& line) {
  using namespace sortile::cli;
  add_sort_command(line);
  add_check_command(line);
  add_merge_command(line);
  add_gen_command(line);
  add_bench_commands(line, {});
  add_classics_command(line, {});
  add_info_command(line);
  add_completion_command(line);
  add_manual_command(line);
}

} // namespace

int main(int argc, char** argv) {
  return sortile::cli::run_program(argc, argv, {}, add_commands);
}
