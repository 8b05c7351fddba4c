// What the sorts of structs in the headers need of the library: memory, and options that are checked before an element
// is read.
#include <sortile/sortile.hpp>

#include "api/checks.hpp"
#include "cpu/scratch.hpp"
#include "plan/engine.hpp"

#include <limits>
#include <new>

namespace sortile::detail {

call_memory::call_memory(std::size_t n, std::size_t element_bytes, const char* purpose) {
  if (n > std::numeric_limits<std::size_t>::max() / 2 / element_bytes)
    no_memory(n, element_bytes, purpose);
  try {
    auto* const owned = new cpu::scratch(n * element_bytes, purpose);
    owner_ = owned;
    data_ = owned->bytes().data();
  } catch (const std::bad_alloc&) {
    no_memory(n, element_bytes, purpose);
  }
}

call_memory::~call_memory() {
  delete static_cast<cpu::scratch*>(owner_);
}

options options_for_rows(const options& opts, const void* structs, std::size_t n) {
  try {
    checks::struct_options(opts, structs, n);
    need_cpu_engine("sort the structs of", opts);
    options rows = opts;
    rows.order = order::ascending;
    return rows;
  } catch (const std::bad_alloc&) {
    throw out_of_memory("sortile: out of memory in a sort of structs");
  }
}

} // namespace sortile::detail
