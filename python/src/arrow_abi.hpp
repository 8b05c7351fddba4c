// The structs of the Arrow C data and stream interfaces, as Arrow's specification gives them, and owners of them.
#pragma once

#include <cstdint>
#include <utility>

extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace sortile::python {

/// Owns one of the structs: releases it at the end, as the specification asks.
template <class Struct>
class arrow_owner {
 public:
  arrow_owner() { it.release = nullptr; }
  arrow_owner(arrow_owner&& other) noexcept : it(other.it) { other.it.release = nullptr; }
  arrow_owner& operator=(arrow_owner&& other) noexcept {
    std::swap(it, other.it);
    return *this;
  }
  ~arrow_owner() {
    if (it.release != nullptr)
      it.release(&it);
  }
  Struct it;
};

} // namespace sortile::python
