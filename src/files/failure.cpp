// See failure.hpp.
#include "files/failure.hpp"

#include <system_error>

namespace sortile::files {

void fail_system(std::string_view name, std::string_view action, int code) {
  fail(name, "cannot {}: {}", action, std::generic_category().message(code));
}

} // namespace sortile::files
