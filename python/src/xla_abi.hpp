// The part of XLA's foreign function interface (xla/ffi/api/c_api.h, version 0.x) that a sort needs, as plain structs.
//
// Every struct begins with its size and a chain of extensions, and later versions only add behind what is here: so one
// module serves the XLA of every JAX, and none has to be there when it is built. tests/python/xla_abi_check.cpp holds
// these structs to the header of an installed JAX.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sortile::python::xla {

struct extension {
  std::size_t struct_size;
  int type; ///< metadata_extension_type: the call asks what the handler is
  extension* next;
};
inline constexpr int metadata_extension_type = 1;

struct version {
  std::size_t struct_size;
  extension* extensions;
  int major, minor;
};

struct metadata {
  std::size_t struct_size;
  version api_version;
  std::uint32_t traits;
};
struct metadata_extension {
  extension base;
  metadata* about;
};

enum class error_code : int { invalid_argument = 3, resource_exhausted = 8, failed_precondition = 9, internal = 13 };
struct error; // XLA's
struct error_create {
  std::size_t struct_size;
  extension* extensions;
  const char* message;
  error_code code;
};
/// Once called "get message"; then it ended with the message.
struct error_details {
  std::size_t struct_size;
  extension* extensions;
  error* failed;
  const char* message; ///< out
  error_code code;     ///< out, in later versions
};
struct error_destroy {
  std::size_t struct_size;
  extension* extensions;
  error* failed;
};

/// As xla::PrimitiveType numbers them.
enum class data_type : int {
  pred = 1,
  s8 = 2,
  s16 = 3,
  s32 = 4,
  s64 = 5,
  u8 = 6,
  u16 = 7,
  u32 = 8,
  u64 = 9,
  f16 = 10,
  f32 = 11,
  f64 = 12,
  bf16 = 16
};

struct buffer {
  std::size_t struct_size;
  extension* extensions;
  data_type type;
  void* data;
  std::int64_t rank;
  std::int64_t* dims;
};

struct text {
  const char* data;
  std::size_t length;
};
struct scalar {
  data_type type;
  void* value;
};

struct array {
  data_type type;
  std::size_t size;
  void* data;
};

inline constexpr int buffer_kind = 1, array_kind = 1, scalar_kind = 3; ///< of an argument, and of an attribute

/// Arguments and results: `kinds` and `items` have `size` entries; an item of buffer_kind is a buffer*.
struct buffers {
  std::size_t struct_size;
  extension* extensions;
  std::int64_t size;
  int* kinds;
  void** items;
};
/// An item of scalar_kind is a scalar*, one of array_kind an array*.
struct attributes {
  std::size_t struct_size;
  extension* extensions;
  std::int64_t size;
  int* kinds;
  text** names;
  void** items;
};

struct context; // XLA's
struct stream_get {
  std::size_t struct_size;
  extension* extensions;
  context* ctx;
  void* stream; ///< out
};
struct memory_allocate {
  std::size_t struct_size;
  extension* extensions;
  context* ctx;
  std::size_t size, alignment;
  void* data; ///< out
};
struct memory_free {
  std::size_t struct_size;
  extension* extensions;
  context* ctx;
  std::size_t size;
  void* data;
};

struct api {
  std::size_t struct_size;
  extension* extensions;
  version api_version;
  const void* internal;

  error* (*create_error)(error_create*);
  void (*get_error_details)(error_details*);
  void (*destroy_error)(error_destroy*);
  void* register_handler;
  error* (*get_stream)(stream_get*);
  void* register_type;
  void* get_from_context;
  void* set_state;
  void* get_state;
  error* (*allocate)(memory_allocate*);
  error* (*free)(memory_free*);
};

inline constexpr int execute_stage = 3;

struct call_frame {
  std::size_t struct_size;
  extension* extensions;
  const api* functions;
  context* ctx;
  int stage;
  buffers arguments, results;
  attributes attrs;
};

using handler = error*(call_frame*);

} // namespace sortile::python::xla
