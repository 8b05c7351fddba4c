// What the sorts of structs in the headers need of the library: memory, and options that are checked before an element
// is read.
#include <sortile/sortile.hpp>

#include "api/checks.hpp"
#include "cpu/scratch.hpp"
#include "plan/engine.hpp"

#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace sortile::detail {

call_memory::call_memory(std::size_t n, std::size_t element_bytes, const char* purpose) {
  if (n > std::numeric_limits<std::size_t>::max() / 2 / element_bytes)
    no_memory(n, element_bytes, purpose);
  cpu::scratch memory(n * element_bytes, purpose);
  void* const place = cpu::take_memory(sizeof memory);
  if (place == nullptr)
    no_memory(n, element_bytes, purpose);
  data_ = memory.bytes().data();
  owner_ = new (place) cpu::scratch(std::move(memory));
}

call_memory::~call_memory() {
  if (owner_ == nullptr)
    return;
  std::destroy_at(static_cast<cpu::scratch*>(owner_));
  cpu::give_memory(owner_);
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
