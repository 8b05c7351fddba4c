// See failure.hpp.
#include "files/failure.hpp"

#include "files/message_text.hpp"

#include <system_error>

namespace sortile::files {

namespace {

constexpr std::size_t buffer_of_sort = 4096; // what fits into it is found to fail when it is flushed

std::string what_system_says(std::string_view name, std::string_view action, int code) {
  return fmt::format("{}: cannot {}: {}", name, action, std::generic_category().message(code));
}

} // namespace

void fail_system(std::string_view name, std::string_view action, int code) {
  throw io_failure(what_system_says(name, action, code));
}

write_failure::write_failure(std::string_view name, std::size_t bytes, int code)
    : known_failure(what_system_says(name, "write", code),
                    fmt::format("{} failed: {}: {}", bytes <= buffer_of_sort ? "fflush" : "write", shell_quoted(name),
                                std::generic_category().message(code))) {}

known_failure temporary_file_failure(std::string_view folder, int code) {
  return {what_system_says(folder, "create a temporary file in it", code),
          fmt::format("cannot create temporary file in {}: {}", shell_quoted(folder, quoted_names::always),
                      std::generic_category().message(code))};
}

} // namespace sortile::files
