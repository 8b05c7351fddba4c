// Holds xla_abi.hpp to the header of an installed JAX (jax.ffi.include_dir()): compiled, never run. Where XLA adds
// members behind ours, its structs may be larger.
#include "xla_abi.hpp"

#include "xla/ffi/api/c_api.h"

#include <cstddef>

namespace xla_ours = sortile::python::xla;

#define SAME_PLACE(ours, our_member, theirs, their_member)                                                             \
  static_assert(offsetof(xla_ours::ours, our_member) == offsetof(theirs, their_member) &&                              \
                    sizeof(xla_ours::ours::our_member) == sizeof(theirs::their_member),                                \
                #ours "::" #our_member)

SAME_PLACE(version, major, XLA_FFI_Api_Version, major_version);
SAME_PLACE(version, minor, XLA_FFI_Api_Version, minor_version);
SAME_PLACE(metadata, api_version, XLA_FFI_Metadata, api_version);
SAME_PLACE(metadata, traits, XLA_FFI_Metadata, traits);
SAME_PLACE(metadata_extension, about, XLA_FFI_Metadata_Extension, metadata);
SAME_PLACE(error_create, message, XLA_FFI_Error_Create_Args, message);
SAME_PLACE(error_create, code, XLA_FFI_Error_Create_Args, errc);
// Once called XLA_FFI_Error_GetMessage, and without the code; the test says which.
#ifdef ERRORS_HAVE_DETAILS
SAME_PLACE(error_details, message, XLA_FFI_Error_GetDetails_Args, message);
SAME_PLACE(error_details, code, XLA_FFI_Error_GetDetails_Args, errc);
SAME_PLACE(api, get_error_details, XLA_FFI_Api, XLA_FFI_Error_GetDetails);
#else
SAME_PLACE(error_details, message, XLA_FFI_Error_GetMessage_Args, message);
SAME_PLACE(api, get_error_details, XLA_FFI_Api, XLA_FFI_Error_GetMessage);
#endif
SAME_PLACE(error_destroy, failed, XLA_FFI_Error_Destroy_Args, error);
SAME_PLACE(buffer, type, XLA_FFI_Buffer, dtype);
SAME_PLACE(buffer, data, XLA_FFI_Buffer, data);
SAME_PLACE(buffer, rank, XLA_FFI_Buffer, rank);
SAME_PLACE(buffer, dims, XLA_FFI_Buffer, dims);
SAME_PLACE(text, data, XLA_FFI_ByteSpan, ptr);
SAME_PLACE(text, length, XLA_FFI_ByteSpan, len);
SAME_PLACE(scalar, type, XLA_FFI_Scalar, dtype);
SAME_PLACE(scalar, value, XLA_FFI_Scalar, value);
SAME_PLACE(array, type, XLA_FFI_Array, dtype);
SAME_PLACE(array, size, XLA_FFI_Array, size);
SAME_PLACE(array, data, XLA_FFI_Array, data);
SAME_PLACE(buffers, size, XLA_FFI_Args, size);
SAME_PLACE(buffers, kinds, XLA_FFI_Args, types);
SAME_PLACE(buffers, items, XLA_FFI_Args, args);
SAME_PLACE(buffers, items, XLA_FFI_Rets, rets);
SAME_PLACE(attributes, size, XLA_FFI_Attrs, size);
SAME_PLACE(attributes, kinds, XLA_FFI_Attrs, types);
SAME_PLACE(attributes, names, XLA_FFI_Attrs, names);
SAME_PLACE(attributes, items, XLA_FFI_Attrs, attrs);
SAME_PLACE(stream_get, ctx, XLA_FFI_Stream_Get_Args, ctx);
SAME_PLACE(stream_get, stream, XLA_FFI_Stream_Get_Args, stream);
SAME_PLACE(memory_allocate, size, XLA_FFI_DeviceMemory_Allocate_Args, size);
SAME_PLACE(memory_allocate, alignment, XLA_FFI_DeviceMemory_Allocate_Args, alignment);
SAME_PLACE(memory_allocate, data, XLA_FFI_DeviceMemory_Allocate_Args, data);
SAME_PLACE(memory_free, size, XLA_FFI_DeviceMemory_Free_Args, size);
SAME_PLACE(memory_free, data, XLA_FFI_DeviceMemory_Free_Args, data);
SAME_PLACE(api, api_version, XLA_FFI_Api, api_version);
SAME_PLACE(api, create_error, XLA_FFI_Api, XLA_FFI_Error_Create);
SAME_PLACE(api, destroy_error, XLA_FFI_Api, XLA_FFI_Error_Destroy);
SAME_PLACE(api, get_stream, XLA_FFI_Api, XLA_FFI_Stream_Get);
SAME_PLACE(api, allocate, XLA_FFI_Api, XLA_FFI_DeviceMemory_Allocate);
SAME_PLACE(api, free, XLA_FFI_Api, XLA_FFI_DeviceMemory_Free);
SAME_PLACE(call_frame, functions, XLA_FFI_CallFrame, api);
SAME_PLACE(call_frame, ctx, XLA_FFI_CallFrame, ctx);
SAME_PLACE(call_frame, stage, XLA_FFI_CallFrame, stage);
SAME_PLACE(call_frame, arguments, XLA_FFI_CallFrame, args);
SAME_PLACE(call_frame, results, XLA_FFI_CallFrame, rets);
SAME_PLACE(call_frame, attrs, XLA_FFI_CallFrame, attrs);

static_assert(XLA_FFI_API_MAJOR == 0);
static_assert(xla_ours::metadata_extension_type == XLA_FFI_Extension_Metadata);
static_assert(xla_ours::execute_stage == XLA_FFI_ExecutionStage_EXECUTE);
static_assert(xla_ours::buffer_kind == XLA_FFI_ArgType_BUFFER && xla_ours::buffer_kind == XLA_FFI_RetType_BUFFER);
static_assert(xla_ours::array_kind == XLA_FFI_AttrType_ARRAY);
static_assert(xla_ours::scalar_kind == XLA_FFI_AttrType_SCALAR);
static_assert(int(xla_ours::error_code::invalid_argument) == XLA_FFI_Error_Code_INVALID_ARGUMENT);
static_assert(int(xla_ours::error_code::resource_exhausted) == XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
static_assert(int(xla_ours::error_code::failed_precondition) == XLA_FFI_Error_Code_FAILED_PRECONDITION);
static_assert(int(xla_ours::error_code::internal) == XLA_FFI_Error_Code_INTERNAL);
static_assert(int(xla_ours::data_type::pred) == XLA_FFI_DataType_PRED);
static_assert(int(xla_ours::data_type::s64) == XLA_FFI_DataType_S64);
static_assert(int(xla_ours::data_type::u64) == XLA_FFI_DataType_U64);
static_assert(int(xla_ours::data_type::f16) == XLA_FFI_DataType_F16);
static_assert(int(xla_ours::data_type::f32) == XLA_FFI_DataType_F32);
static_assert(int(xla_ours::data_type::f64) == XLA_FFI_DataType_F64);
static_assert(int(xla_ours::data_type::bf16) == XLA_FFI_DataType_BF16);
