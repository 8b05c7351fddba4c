// See locale_note.hpp.
#include "locale_note.hpp"

#include "files/collation.hpp"

#include <sortile/error.hpp>

#include <unistd.h>

namespace sortile::cli {

namespace {

bool is_by_bytes(const files::key_part& part) {
  using form = files::key_part::form;
  return part.as == form::text || part.as == form::folded || part.as == form::filtered;
}

// Whether the environment names a locale of another order, and the system has it: without it, sort(1) goes by bytes
// too.
bool has_order_of_its_own() {
  try {
    return files::collation_of_environment() != nullptr;
  } catch (const invalid_argument&) {
    return false;
  }
}

} // namespace

void note_order_of_bytes(const files::record_order& order, const talk& voice) {
  if (voice.level >= 1 && ::isatty(STDERR_FILENO) == 1 && is_by_bytes(order.front()) && has_order_of_its_own())
    voice.say(1, "text is in the order of its bytes, not in that of the locale {}, which sortile sort --locale goes by",
              files::locale_of_environment());
}

} // namespace sortile::cli
