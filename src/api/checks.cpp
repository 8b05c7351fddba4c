// The checks of the front door: every misuse is named with what is wrong, where, and what is allowed.
#include "api/checks.hpp"

#include "api/array_checks.hpp"
#include "cpu/memory_slots.hpp"

#include <cstdint>
#include <limits>
#include <string>

namespace sortile::checks {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw invalid_argument("sortile: " + what);
}

void need_pointer(const array_name& name, const void* data, std::size_t n) {
  if (n > 0 && data == nullptr)
    refuse(name + " is null, but n = " + std::to_string(n) + "; a null pointer is allowed with n = 0 only");
}

/// Bytes of n elements; a length that no memory can hold is refused rather than wrapped.
std::size_t bytes_of(const array_name& name, std::size_t n, std::size_t element) {
  if (is_beyond_memory(n, element))
    refuse(name + ": " + std::to_string(n) + " elements of " + std::to_string(element) +
           " bytes are more than memory can address");
  return n * element;
}

/// An array of no elements may begin anywhere.
void need_alignment(const array_name& name, const void* data, std::size_t n, std::size_t alignment) {
  if (n > 0 && reinterpret_cast<std::uintptr_t>(data) % alignment != 0)
    refuse(name + " is not aligned to the " + std::to_string(alignment) + " bytes that are required");
}

/// Of calls that read and write in host memory.
void need_reach(std::initializer_list<named_array> arrays) {
  for (const named_array& a : arrays)
    need_reach(a, memory::host);
}

/// An input and its output: one and the same array, or apart.
void need_same_or_apart(const named_array& in, const named_array& out) {
  if (in.data != out.data && overlap(in, out))
    refuse(in.name + " and " + out.name + " overlap in part; they must be the same array or apart");
}

void need_window(key_type type, const bit_window& bits) {
  const unsigned width = key_bits(type);
  const unsigned end = bits.end == bit_window::whole_key ? width : bits.end;
  if (bits.begin > end || end > width)
    refuse("bit window [" + std::to_string(bits.begin) + ", " + std::to_string(end) + ") does not fit " +
           std::string(name(type)) + " keys; allowed is 0 <= begin <= end <= " + std::to_string(width));
}

void need_index_width(std::size_t index_bytes, std::size_t n) {
  if (index_bytes != 4 && index_bytes != 8)
    refuse("indices of " + std::to_string(index_bytes) + " bytes asked for; allowed are 4 and 8");
  if (index_bytes == 4 && n > std::size_t{1} << 32)
    refuse("32-bit indices cannot number n = " + std::to_string(n) + " keys; use 64-bit indices above 2^32");
}

void need_value_size(std::size_t value_bytes) {
  if (value_bytes == 0)
    refuse("values of 0 bytes asked for; a value has at least 1");
}

void need_known(key_type type) {
  if (key_bytes(type) == 0)
    refuse("key type number " + std::to_string(static_cast<int>(type)) +
           " does not exist; they go from 0 (u8) to 13 (f64)");
}

void need_order(order direction) {
  if (direction != order::ascending && direction != order::descending)
    refuse("order number " + std::to_string(static_cast<int>(direction)) +
           " does not exist; ascending is 0, descending 1");
}

/// What goes with arrays in device memory, and with none other.
void need_memory(const options& opts) {
  if (opts.memory != memory::host && opts.memory != memory::device)
    refuse("memory number " + std::to_string(static_cast<int>(opts.memory)) + " does not exist; host is 0, device 1");
  if (opts.memory == memory::device && opts.progress)
    refuse("progress cannot be told of a sort in device memory: the call returns before the work is done");
  if (opts.memory == memory::device && opts.workspace_limit != 0)
    refuse("options::workspace_limit is for arrays in host memory");
  if (opts.memory == memory::host && opts.stream != nullptr)
    refuse("a stream is given, but the arrays are said to lie in host memory; set options::memory to memory::device");
  if (opts.memory == memory::host && opts.resource != nullptr)
    refuse("a device memory resource is given, but the arrays are said to lie in host memory; set options::memory to "
           "memory::device");
}

/// All arrays of a sort but the workspace; absent ones have no bytes.
struct sort_arrays {
  named_array keys_in, keys_out, values_in, values_out;
};

template <class Request> // sort_request or struct_request
sort_arrays arrays_of(const Request& r, std::size_t bytes_of_a_key) {
  const std::size_t keys = bytes_of("keys", r.n, bytes_of_a_key);
  const std::size_t values = r.carries == payload::none ? 0 : bytes_of("values", r.n, r.value_bytes);
  return {{"keys_in", r.keys_in, keys},
          {"keys_out", r.keys_out, r.keys_out == nullptr ? 0 : keys},
          {"values_in", r.values_in, r.carries == payload::values ? values : 0},
          {r.carries == payload::indices ? "indices" : "values_out", r.values_out, values}};
}

template <class Request>
void sort_payload(const Request& r) {
  switch (r.carries) {
  case payload::none:
    break;
  case payload::values:
    need_value_size(r.value_bytes);
    need_pointer("values_in", r.values_in, r.n);
    need_pointer("values_out", r.values_out, r.n);
    break;
  case payload::indices:
    need_index_width(r.value_bytes, r.n);
    need_pointer("indices", r.values_out, r.n);
    need_alignment("indices", r.values_out, r.n, r.value_bytes);
    break;
  default:
    refuse("payload number " + std::to_string(static_cast<int>(r.carries)) +
           " does not exist; none is 0, values 1, indices 2");
  }
}

/// The arrays of a sort: there, aligned, and where they may be.
template <class Request>
void need_arrays(const Request& r, std::size_t bytes_of_a_key, std::size_t alignment) {
  sort_payload(r);
  need_pointer("keys_in", r.keys_in, r.n);
  if (r.carries != payload::indices)
    need_pointer("keys_out", r.keys_out, r.n);
  need_alignment("keys_in", r.keys_in, r.n, alignment);
  need_alignment("keys_out", r.keys_out, r.n, alignment);

  const sort_arrays a = arrays_of(r, bytes_of_a_key);
  need_same_or_apart(a.keys_in, a.keys_out);
  need_same_or_apart(a.values_in, a.values_out);
  need_apart(a.keys_in, a.values_in);
  need_apart(a.keys_in, a.values_out);
  need_apart(a.keys_out, a.values_in);
  need_apart(a.keys_out, a.values_out);
  if (r.carries == payload::values && r.n > 0 && (r.keys_in == r.keys_out) != (r.values_in == r.values_out))
    refuse("keys are sorted in place and values are not, or the other way round; both must be done in one way");
}

/// The keys of n rows.
void need_columns(std::span<const column> columns, std::size_t n, const options& opts) {
  if (columns.empty())
    refuse("rows are to be ordered by no column; at least one is needed");
  if (asks_for_an_order(opts))
    refuse("rows are ordered by their columns' own directions and whole keys; leave options::order and options::bits "
           "at their defaults");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const column& c = columns[i];
    const array_name name("column ", i);
    need_known(c.type);
    need_order(c.order);
    if (c.n != column::length_of_the_rows && c.n != n)
      refuse(name + " has " + std::to_string(c.n) + " keys, but there are " + std::to_string(n) +
             " rows; every column needs a key for each row");
    need_pointer(name, c.data, n);
    need_alignment(name, c.data, n, key_bytes(c.type));
    need_reach({{name, c.data, bytes_of(name, n, key_bytes(c.type))}});
  }
}

/// What the device reads and writes besides the arrays lies apart from them.
void need_count_apart(const sort_request& r) {
  const sort_arrays a = arrays_of(r, key_bytes(r.type));
  const named_array count{"device_n", r.device_n, r.device_n == nullptr ? 0 : sizeof(std::uint64_t)};
  const named_array found{"device_status", r.device_status, r.device_status == nullptr ? 0 : sizeof(std::uint32_t)};
  need_apart(count, found);
  for (const named_array& other : {a.keys_in, a.keys_out, a.values_in, a.values_out}) {
    need_apart(count, other);
    need_apart(found, other);
  }
}

} // namespace

void sort(const sort_request& r, const options& opts) {
  need_known(r.type);
  need_order(opts.order);
  need_window(r.type, opts.bits);
  need_memory(opts);
  if (r.device_n != nullptr && opts.memory == memory::host)
    refuse("device_n is given, but the arrays are said to lie in host memory; set options::memory to memory::device");
  need_alignment("device_n", r.device_n, 1, alignof(std::uint64_t));
  if (r.device_status != nullptr && r.device_n == nullptr)
    refuse("device_status is given without device_n, which it would tell about");
  need_alignment("device_status", r.device_status, 1, alignof(std::uint32_t));
  if (r.input_is_scratch && r.carries == payload::indices)
    refuse("a double buffer sorts keys or pairs; indices are always written to their own array");
  need_arrays(r, key_bytes(r.type), key_bytes(r.type));
  need_count_apart(r);
  if (opts.memory == memory::host && device::has_driver()) {
    const sort_arrays a = arrays_of(r, key_bytes(r.type));
    need_reach({a.keys_in, a.keys_out, a.values_in, a.values_out});
  }
}

void structs(const struct_request& r, const options& opts) {
  if (r.key_bytes == 0 || r.key_alignment == 0 || r.image_bits == 0 || r.extract == nullptr)
    refuse("a sort of structs lacks their size, alignment or members; compare.cuh makes complete requests");
  need_order(opts.order);
  if (asks_for_a_window(opts))
    refuse("structs are ordered by the whole of their members; leave options::bits at its default");
  if (opts.progress)
    refuse("progress cannot be told of a sort of structs: the call returns before the work is done");
  if (r.on_executor && (opts.stream != nullptr || opts.resource != nullptr))
    refuse(
        "a stream or a device memory resource is given, but this sort of structs was compiled by a host compiler: it "
        "runs on the executor, on arrays in host memory");
  need_arrays(r, r.key_bytes, r.key_alignment);
  if (r.on_executor && device::has_driver()) {
    const sort_arrays a = arrays_of(r, r.key_bytes);
    need_reach({a.keys_in, a.keys_out, a.values_in, a.values_out});
  }
}

void on_host(const char* operation, const options& opts) {
  if (opts.memory == memory::device)
    return; // the choice of an engine says that there is none
  need_memory(opts);
  refuse_workspace(operation, "allocates its own memory", opts);
  refuse_limit(operation, opts);
}

namespace {

/// What a merge writes.
struct merged_arrays {
  named_array keys_out, values_out;
};

merged_arrays arrays_of(const merge_request& r) {
  std::size_t n = 0;
  for (const sorted_run& run : r.runs)
    n += run.n;
  return {{"keys_out", r.keys_out, n * key_bytes(r.type)}, {"values_out", r.values_out, n * r.value_bytes}};
}

/// Calls f with the keys and the values of each run.
template <class F>
void each_input(const merge_request& r, F&& f) {
  for (std::size_t i = 0; i < r.runs.size(); ++i) {
    const sorted_run& run = r.runs[i];
    f(named_array{{"the keys of run ", i}, run.keys, run.n * key_bytes(r.type)});
    f(named_array{{"the values of run ", i}, run.values, run.n * r.value_bytes});
  }
}

} // namespace

void merge(const merge_request& r, const options& opts) {
  need_memory(opts);
  need_known(r.type);
  need_order(opts.order);
  need_window(r.type, opts.bits);
  const bool with_values = r.value_bytes > 0;
  const std::size_t element = key_bytes(r.type);
  std::size_t n = 0;
  for (std::size_t i = 0; i < r.runs.size(); ++i) {
    const array_name keys("run ", i, ": keys");
    need_pointer(keys, r.runs[i].keys, r.runs[i].n);
    need_alignment(keys, r.runs[i].keys, r.runs[i].n, element);
    if (with_values)
      need_pointer({"run ", i, ": values"}, r.runs[i].values, r.runs[i].n);
    if (r.runs[i].n > std::numeric_limits<std::size_t>::max() - n)
      refuse("the runs together are longer than memory can address");
    n += r.runs[i].n;
  }
  need_pointer("keys_out", r.keys_out, n);
  need_alignment("keys_out", r.keys_out, n, element);
  if (with_values)
    need_pointer("values_out", r.values_out, n);
  bytes_of("keys", n, element);
  bytes_of("values", n, r.value_bytes);
  const merged_arrays out = arrays_of(r);
  need_apart(out.keys_out, out.values_out);
  need_reach(out.keys_out, opts.memory);
  need_reach(out.values_out, opts.memory);
  each_input(r, [&](const named_array& input) {
    need_apart(input, out.keys_out);
    need_apart(input, out.values_out);
    need_reach(input, opts.memory);
  });
}

void merge_on_cpu(const options& opts) {
  on_host("a merge", opts);
}

void struct_options(const options& opts, const void* structs, std::size_t n) {
  if (opts.memory == memory::device)
    refuse("structs are sorted by projections in host memory; in device memory sortile/compare.cuh sorts them");
  on_host("a sort of structs", opts);
  need_order(opts.order);
  if (asks_for_a_window(opts))
    refuse("structs are ordered by whole keys; leave options::bits at its default, and give by() a projection that "
           "takes the bits that count");
  need_reach({{"the range of structs", structs, n}});
}

void comparison_direction(const options& opts) {
  if (opts.order != order::ascending)
    refuse("the comparison says the direction; leave options::order at its default, and turn the comparison round");
  if (asks_for_a_window(opts))
    refuse("a comparison sees whole elements; leave options::bits at its default");
}

void comparison_options(const char* operation, bool takes_workspace, const options& opts) {
  if (opts.memory == memory::device)
    refuse(std::string(operation) + " calls a function of the host, and arrays in device memory are out of its reach; "
                                    "there sortile/compare.cuh sorts by members, or by on_device(less)");
  if (takes_workspace)
    need_memory(opts);
  else
    on_host(operation, opts);
  refuse_limit(operation, opts);
  comparison_direction(opts);
}

void rows(const rows_request& r, const options& opts) {
  on_host("a sort of rows", opts);
  need_columns(r.columns, r.n, opts);
  need_index_width(r.index_bytes, r.n);
  need_pointer("indices", r.indices_out, r.n);
  need_alignment("indices", r.indices_out, r.n, r.index_bytes);
  const named_array out{"indices", r.indices_out, bytes_of("indices", r.n, r.index_bytes)};
  need_reach({out});
  for (std::size_t i = 0; i < r.columns.size(); ++i)
    need_apart({{"column ", i}, r.columns[i].data, r.n * key_bytes(r.columns[i].type)}, out);
}

void sort_rows(const sort_rows_request& r, const options& opts) {
  on_host("a sort of rows", opts);
  need_columns(r.columns, r.n, opts);
  cpu::call_vector<named_array> arrays;
  for (const row_array& given : r.arrays) {
    const array_name name("array ", arrays.size());
    need_value_size(given.value_bytes);
    need_pointer(name, given.values, r.n);
    const named_array a{name, given.values, bytes_of(name, r.n, given.value_bytes)};
    need_reach({a});
    for (const named_array& other : arrays)
      need_apart(other, a);
    arrays.push_back(a);
  }
}

void strings(const strings_request& r, const options& opts) {
  on_host("a sort of strings", opts);
  need_order(opts.order);
  if (asks_for_a_window(opts))
    refuse("strings are ordered by all of their bytes; leave options::bits at its default");
  need_index_width(r.index_bytes, r.n);
  need_pointer("indices", r.indices_out, r.n);
  need_alignment("indices", r.indices_out, r.n, r.index_bytes);
  const named_array out{"indices", r.indices_out, bytes_of("indices", r.n, r.index_bytes)};
  need_reach({out});
  if (r.views != nullptr) {
    const named_array views{"views", r.views, bytes_of("views", r.n, sizeof(std::string_view))};
    need_reach({views});
    need_apart(views, out);
    for (std::size_t i = 0; i < r.n; ++i)
      if (r.views[i].data() == nullptr && !r.views[i].empty())
        refuse("view " + std::to_string(i) + " is of a null pointer, but not empty");
    return;
  }
  if (r.offset_bytes != 4 && r.offset_bytes != 8)
    refuse("offsets of " + std::to_string(r.offset_bytes) + " bytes given; allowed are 4 and 8");
  need_pointer("offsets", r.offsets, r.n);
  need_pointer("bytes", r.bytes, r.n > 0 ? r.size : 0);
  need_alignment("offsets", r.offsets, r.n, r.offset_bytes);
  const named_array offsets{"offsets", r.offsets, r.n == 0 ? 0 : bytes_of("offsets", r.n + 1, r.offset_bytes)};
  const named_array bytes{"bytes", r.bytes, r.size};
  need_reach({offsets, bytes});
  need_apart(offsets, out);
  need_apart(bytes, out);
}

void refuse_offset(std::size_t string) {
  refuse("offset " + std::to_string(string + 1) +
         " is below the one before it, or the string that it ends lies beyond "
         "the bytes; offsets rise, and the last one is at most the number of bytes");
}

void gathered_strings(const strings_request& r, const void* offsets_out, const char* bytes_out,
                      std::size_t bytes_size) {
  if (r.n == 0)
    return;
  const auto at = [&](std::size_t i) -> std::size_t {
    return r.offset_bytes == 4 ? static_cast<const std::uint32_t*>(r.offsets)[i]
                               : static_cast<const std::uint64_t*>(r.offsets)[i];
  };
  const std::size_t wanted = at(r.n) - at(0);
  if (bytes_size < wanted)
    refuse("bytes_out has " + std::to_string(bytes_size) + " bytes; the strings have " + std::to_string(wanted));
  need_pointer("bytes_out", bytes_out, wanted);
  const named_array offsets{"offsets_out", offsets_out, (r.n + 1) * r.offset_bytes};
  const named_array bytes{"bytes_out", bytes_out, wanted};
  need_reach({offsets, bytes});
  for (const named_array& out : {offsets, bytes}) {
    need_apart({"offsets", r.offsets, (r.n + 1) * r.offset_bytes}, out);
    need_apart({"bytes", r.bytes, r.size}, out);
  }
  need_apart(offsets, bytes);
}

void permute(const permute_request& r, const options& opts) {
  on_host("a permutation", opts);
  if (asks_for_an_order(opts))
    refuse("a permutation moves values as the positions say; leave options::order and options::bits at their defaults");
  refuse_progress("a permutation", "is a single step", opts);
  need_index_width(r.index_bytes, r.n);
  need_value_size(r.value_bytes);
  need_pointer("indices", r.indices, r.n);
  need_alignment("indices", r.indices, r.n, r.index_bytes);
  need_pointer("values", r.values, r.n);
  const named_array indices{"indices", r.indices, bytes_of("indices", r.n, r.index_bytes)};
  const named_array values{"values", r.values, bytes_of("values", r.n, r.value_bytes)};
  need_reach({indices, values});
  need_apart(indices, values);
}

void keys(const char* function, key_type type, const void* keys, std::size_t n, const options& opts) {
  need_known(type);
  need_order(opts.order);
  need_window(type, opts.bits);
  if (opts.memory != memory::device) {
    need_memory(opts);
    refuse_workspace(function, "needs none", opts);
    refuse_limit(function, opts);
  }
  const array_name name(function, ": keys");
  need_pointer(name, keys, n);
  need_alignment(name, keys, n, key_bytes(type));
  need_reach({name, keys, bytes_of(name, n, key_bytes(type))}, opts.memory);
}

void workspace(const merge_request& request, const options& opts, std::size_t wanted) {
  const merged_arrays out = arrays_of(request);
  need_space({out.keys_out, out.values_out}, opts.workspace, opts.memory, wanted);
  each_input(request, [&](const named_array& input) {
    need_apart(input, {"the workspace", opts.workspace.data(), opts.workspace.size()});
  });
}

void workspace(const sort_request& request, const options& opts, std::size_t wanted) {
  const sort_arrays a = arrays_of(request, key_bytes(request.type));
  need_space({a.keys_in, a.keys_out, a.values_in, a.values_out}, opts.workspace, opts.memory, wanted);
}

void workspace(const struct_request& request, const options& opts, std::size_t wanted) {
  const sort_arrays a = arrays_of(request, request.key_bytes);
  need_space({a.keys_in, a.keys_out, a.values_in, a.values_out}, opts.workspace,
             request.on_executor ? memory::host : memory::device, wanted);
}

} // namespace sortile::checks
