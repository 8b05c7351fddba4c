// See sort_job.hpp: what all kinds of sort have in common.
#include "sort_job.hpp"

#include "command_line.hpp"

namespace sortile::cli {

files::output_options sort_job::how_to_write(const std::string& path) const {
  return {.synced = !no_sync,
          .pack = arrays.packing_of_output(path),
          .temporary_folder = temporary_folders.empty() ? std::string() : temporary_folders.front()};
}

int explained(const plan& how) {
  fmt::print("{}", to_string(how));
  return all_well;
}

void say_done(const talk& voice, std::size_t n, std::string_view what, const progress_bar& bar, const plan& how) {
  voice.say(2, "{} {} in {:.3f} s, {}/s; engine {}: {}", n, what, bar.seconds(),
            with_unit(static_cast<double>(n) / bar.seconds()), how.engine, how.reason);
}

} // namespace sortile::cli
