// The common runner: makes the input, refuses what a classic does not declare, runs it, verifies the output.
#pragma once

#include "classics/registry.hpp"

#include <string>
#include <vector>

namespace sortile::classics {

struct outcome {
  testing::verdict verdict;         ///< of the last repetition; the complaint names the run
  std::vector<double> seconds{};    ///< of each repetition; without transfers
  std::vector<std::string> notes{}; ///< what the classic said of the last repetition: job::note()
};

/// Which machine a classic is run on.
enum class engine { executor, cuda, host };
std::string_view name(engine e);

/// \throws invalid_argument where the classic does not declare what is asked; the message says what it allows
void refuse_undeclared(const classic& c, const request& asked, engine on);

/// Writes the key that a text says, as the classic's task or its type reads it. \throws invalid_argument
void parse_key_of(const classic& c, key_type type, std::string_view text, void* key);

/// The input of a run on the host: the workload's keys, made fit for the task, and positions as values.
host_arrays make_input(const classic& c, const request& asked);

/// Runs a classic `repetitions` times on fresh copies of the input and verifies the last output. `steps` receives
/// the input, what each step did to it, and the result. The executor's counters are those of the last repetition.
/// \throws invalid_argument, out_of_memory, simt::error
outcome run(const classic& c, const request& asked, engine kind, machine& on, unsigned repetitions = 1,
            std::vector<step>* steps = nullptr);

/// The request as one line, as the options of `sortile classics run`; how keys are shown is not part of it.
std::string to_string(const classic& c, const request& asked);

} // namespace sortile::classics
