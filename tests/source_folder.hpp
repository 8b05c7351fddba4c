// Where the sources lie, for tests that read committed files. Said by a library of its own, so that a compiler cache
// knows the tests again in another checkout.
#pragma once

#include <string>

namespace sortile::testing {

std::string source_folder();

} // namespace sortile::testing
