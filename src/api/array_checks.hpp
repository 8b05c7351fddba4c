// Checks of single arrays by name: what an array of a request must be, that the host reaches it, and that it lies apart
// from others.
#pragma once

#include "device/host_reach.hpp"
#include "plan/nowhere.hpp"

#include <sortile/error.hpp>
#include <sortile/options.hpp>

#include <initializer_list>
#include <span>
#include <string>

namespace sortile::checks {

/// What an array is called, as in "column 3": written out in refusals alone.
class array_name {
 public:
  constexpr array_name(const char* name) : before_(name) {}
  constexpr array_name(const char* before, const char* behind) : before_(before), behind_(behind) {}
  constexpr array_name(const char* before, std::size_t number, const char* behind = "")
      : before_(before), behind_(behind), number_(number), is_numbered_(true) {}

  std::string text() const { return before_ + (is_numbered_ ? std::to_string(number_) : std::string()) + behind_; }

 private:
  const char* before_;
  const char* behind_ = "";
  std::size_t number_ = 0;
  bool is_numbered_ = false;
};

inline std::string operator+(const array_name& name, const std::string& text) {
  return name.text() + text;
}
inline std::string operator+(const std::string& text, const array_name& name) {
  return text + name.text();
}

/// An array of a request: elements of `element` bytes, aligned to `alignment`; one of none may begin anywhere.
struct named_array {
  array_name name;
  const void* data = nullptr;
  std::size_t count = 0;
  std::size_t element = 1;
  std::size_t alignment = 1;

  std::size_t bytes() const { return data == nullptr ? 0 : count * element; }
};

[[noreturn]] inline void refuse_call(const std::string& what) {
  throw invalid_argument("sortile: " + what);
}

/// Of what takes no workspace of the caller; `why`: "needs none", "allocates its own memory".
inline void refuse_workspace(const char* operation, const char* why, const options& opts) {
  if (opts.workspace.data() != nullptr)
    refuse_call(std::string("a workspace is given to ") + operation + ", which " + why +
                "; in host memory sorts of keys, by a comparison and within segments, and top-k take "
                "options::workspace");
}

inline void refuse_limit(const char* operation, const options& opts) {
  if (opts.workspace_limit != 0)
    refuse_call(std::string("options::workspace_limit is given to ") + operation + "; only sorts of keys keep to it");
}

/// Of what is a single step, or tells nobody; `why`: "is a single step".
inline void refuse_progress(const char* operation, const char* why, const options& opts) {
  if (opts.progress)
    refuse_call(std::string("options::progress is given to ") + operation + ", which " + why + "; leave it empty");
}

/// Whether other bits than all of a key are to decide.
inline bool asks_for_a_window(const options& opts) {
  return opts.bits.begin != 0 || opts.bits.end != bit_window::whole_key;
}
/// The same, or another direction than the default.
inline bool asks_for_an_order(const options& opts) {
  return opts.order != order::ascending || asks_for_a_window(opts);
}

/// Whether so many elements are more than memory has.
inline bool is_beyond_memory(std::size_t count, std::size_t element) {
  return element != 0 && count > most_array_bytes / element;
}

/// Where the host reaches it, unless it is said to lie in device memory.
inline void need_reach(const named_array& a, sortile::memory where) {
  if (where == memory::host && a.bytes() > 0 && device::is_out_of_reach(a.data))
    refuse_call(a.name + " lies in the memory of a GPU, where the host cannot read it; what takes such arrays takes "
                         "them with options::memory set to memory::device");
}

/// There, aligned, no longer than memory, and where the host reaches it, unless it is said to lie in device memory.
inline void need_array(const named_array& a, sortile::memory where) {
  if (is_beyond_memory(a.count, a.element))
    refuse_call(a.name + ": " + std::to_string(a.count) + " elements of " + std::to_string(a.element) +
                " bytes are more than memory can address");
  if (a.count > 0 && a.data == nullptr)
    refuse_call(a.name + " is null, but has " + std::to_string(a.count) +
                " elements; a null pointer is allowed for none only");
  if (a.count > 0 && reinterpret_cast<std::uintptr_t>(a.data) % a.alignment != 0)
    refuse_call(a.name + " is not aligned to the " + std::to_string(a.alignment) + " bytes that are required");
  need_reach(a, where);
}

inline bool overlap(const named_array& a, const named_array& b) {
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data), b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  return a.bytes() > 0 && b.bytes() > 0 && a_begin < b_begin + b.bytes() && b_begin < a_begin + a.bytes();
}

inline void need_apart(const named_array& a, const named_array& b) {
  if (overlap(a, b))
    refuse_call(a.name + " and " + b.name + " overlap; they must be apart");
}

/// Each of `written` lies apart from every other array.
inline void need_outputs_apart(std::initializer_list<named_array> read, std::initializer_list<named_array> written) {
  for (const named_array* w = written.begin(); w != written.end(); ++w) {
    for (const named_array& r : read)
      need_apart(r, *w);
    for (const named_array* other = written.begin(); other != w; ++other)
      need_apart(*other, *w);
  }
}

/// The caller's workspace: large enough, aligned, within reach, apart from the arrays of the request.
inline void need_space(std::initializer_list<named_array> apart, std::span<std::byte> given, sortile::memory where,
                       std::size_t wanted) {
  if (given.size() < wanted)
    throw workspace_too_small("sortile: the workspace has " + std::to_string(given.size()) +
                              " bytes; this request needs " + std::to_string(wanted));
  const named_array space{"the workspace", given.data(), given.size(), 1, workspace_alignment};
  need_array(space, where);
  need_outputs_apart(apart, {space});
}

} // namespace sortile::checks
