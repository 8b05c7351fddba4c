// See array_sort.hpp.
//
//   keys alone        file ── run ──▶ sorted keys ──▶ output            (bytes reversed on both ways where the order
//   asks for it) small records     file ── split ─▶ keys, rests ── run ──▶ keys, rests ── joined in blocks ──▶ output
//   large records     file ── keys ── run ──▶ positions ── records fetched in blocks ──▶ output
#include "files/array_sort.hpp"

#include "files/failure.hpp"
#include "files/parallel.hpp"
#include "files/planning.hpp"
#include "files/record_blocks.hpp"
#include "files/strided_keys.hpp"

#include <cstdint>
#include <cstring>
#include <limits>

namespace sortile::files {

namespace {

constexpr std::size_t largest_moved_rest = 16;
constexpr std::size_t array_slice_records = std::size_t{1} << 16;

std::size_t rest_bytes(const array_layout& layout) {
  return layout.record_bytes - layout.key_size();
}

std::size_t index_bytes(std::size_t n) {
  return n <= std::numeric_limits<std::uint32_t>::max() ? 4 : 8;
}

bool usable_in_place(const array_file& array) {
  return array.layout.keys_alone() && !array.layout.swapped &&
         reinterpret_cast<std::uintptr_t>(array.data.data()) % array.layout.key_size() == 0;
}

sort_request request_of(const array_layout& layout, std::size_t n) {
  sort_request request{.type = layout.key, .n = n};
  const array_route route = route_of(layout);
  if (route == array_route::keys_and_rests) {
    request.carries = payload::values;
    request.value_bytes = rest_bytes(layout);
  } else if (route == array_route::positions) {
    request.carries = payload::indices;
    request.value_bytes = index_bytes(n);
  }
  return request;
}

sort_request request_of(const array_file& array) {
  return request_of(array.layout, array.count);
}

// The request of keys and values in two files.
sort_request request_of(const array_file& keys, const values_file& values) {
  need_values_of(keys, values);
  return {.type = keys.layout.key, .n = keys.count, .carries = payload::values, .value_bytes = values.element_bytes};
}

void sort_keys(const array_file& array, output& to, const options& opts, unsigned threads) {
  const key_array keys(array, threads);
  raw_array<char> sorted(array.count * array.layout.key_size());
  sort_request request = request_of(array);
  request.keys_in = keys.data();
  request.keys_out = sorted.data();
  run(request, opts);
  write_keys(array, sorted.data(), to, threads);
}

void sort_small_records(const array_file& array, output& to, const options& opts, unsigned threads) {
  const array_layout& layout = array.layout;
  raw_array<char> keys(array.count * layout.key_size());
  raw_array<char> rests(array.count * rest_bytes(layout));
  parallel_slices(threads, array.count, array_slice_records, [&](std::size_t begin, std::size_t end) {
    take_keys(layout, array.data.data(), begin, end, keys.data());
    take_rests(layout, array.data.data(), begin, end, rests.data());
  });
  sort_request request = request_of(array);
  request.keys_in = request.keys_out = keys.data();
  request.values_in = request.values_out = rests.data();
  run(request, opts);
  write_fixed_records(to, threads, array.count, layout.record_bytes,
                      [&](std::size_t begin, std::size_t end, char* records) {
                        put_keys(layout, keys.data(), begin, end, records);
                        put_rests(layout, rests.data(), begin, end, records);
                      });
}

// Fetches records by positions that the sort has made.
template <class Index>
void write_fetched(std::string_view records, std::size_t record_bytes, const char* positions, std::size_t count,
                   output& to, unsigned threads) {
  const Index* position = reinterpret_cast<const Index*>(positions);
  write_fixed_records(to, threads, count, record_bytes, [&](std::size_t begin, std::size_t end, char* bytes) {
    for (std::size_t i = begin; i < end; ++i, bytes += record_bytes)
      std::memcpy(bytes, records.data() + std::size_t{position[i]} * record_bytes, record_bytes);
  });
}

void sort_by_positions(const array_file& array, output& to, const options& opts, unsigned threads) {
  raw_array<char> positions(array.count * index_bytes(array.count));
  {
    const key_array keys(array, threads);
    sort_request request = request_of(array);
    request.keys_in = keys.data();
    request.values_out = positions.data();
    run(request, opts);
  }
  if (index_bytes(array.count) == 4)
    write_fetched<std::uint32_t>(array.data, array.layout.record_bytes, positions.data(), array.count, to, threads);
  else
    write_fetched<std::uint64_t>(array.data, array.layout.record_bytes, positions.data(), array.count, to, threads);
}

std::uint64_t file_bytes(const array_file& array) {
  return std::uint64_t{array.count} * array.layout.record_bytes;
}

// Keys that the library cannot take from the file's own bytes are copied first.
void add_copy_of_keys(plan& p, const array_file& array) {
  const std::uint64_t bytes = file_bytes(array);
  if (!usable_in_place(array))
    p.steps.insert(p.steps.begin(),
                   {"copy", array.layout.swapped ? "keys into this machine's byte order" : "keys to aligned memory",
                    bytes, bytes});
}

} // namespace

void write_keys(const array_file& array, const char* keys, output& to, unsigned threads) {
  if (!array.layout.swapped)
    return write_plain(to, threads, keys, array.count * array.layout.key_size());
  write_fixed_records(
      to, threads, array.count, array.layout.record_bytes,
      [&](std::size_t begin, std::size_t end, char* records) { put_keys(array.layout, keys, begin, end, records); });
}

void need_keys_alone(const array_layout& layout, std::string_view name) {
  if (!layout.keys_alone())
    refuse("{}: its records have values of their own; a second file of values goes with plain keys only", name);
}

array_route route_of(const array_layout& layout) {
  if (layout.keys_alone())
    return array_route::keys;
  return rest_bytes(layout) <= largest_moved_rest ? array_route::keys_and_rests : array_route::positions;
}

key_array::key_array(const array_file& array, unsigned threads) {
  if (usable_in_place(array)) {
    data_ = array.data.data();
    return;
  }
  copy_ = raw_array<char>(array.count * array.layout.key_size());
  parallel_slices(threads, array.count, array_slice_records, [&](std::size_t begin, std::size_t end) {
    take_keys(array.layout, array.data.data(), begin, end, copy_.data());
  });
  data_ = copy_.data();
}

std::size_t array_sort_memory(const array_layout& layout, std::size_t n, const options& opts) {
  const std::size_t workspace = explain_request(request_of(layout, n), opts).workspace_bytes;
  const std::size_t keys = n * layout.key_size();
  switch (route_of(layout)) {
  case array_route::keys:
    return workspace + keys + (layout.swapped ? keys : 0);
  case array_route::keys_and_rests:
    return workspace + n * layout.record_bytes;
  case array_route::positions:
    return workspace + keys + n * index_bytes(n);
  }
  return workspace;
}

plan explain_array_sort(const array_file& array, const options& opts) {
  plan p = explain_request(request_of(array), opts);
  const std::uint64_t bytes = file_bytes(array);
  switch (route_of(array.layout)) {
  case array_route::keys:
    add_copy_of_keys(p, array);
    p.steps.push_back({"write", "sorted keys to the output", bytes, bytes});
    break;
  case array_route::keys_and_rests:
    p.steps.insert(p.steps.begin(), {"split", "records into keys and what travels with them", bytes, bytes});
    p.steps.push_back({"join", "keys and values into records, to the output", bytes, bytes});
    break;
  case array_route::positions:
    p.steps.insert(p.steps.begin(), {"take", "the keys out of the records", bytes,
                                     std::uint64_t{array.count} * array.layout.key_size()});
    p.steps.push_back({"fetch", "records by position, to the output", bytes, bytes});
    break;
  }
  return p;
}

plan explain_array_sort(const array_file& keys, const values_file& values, const options& opts) {
  plan p = explain_request(request_of(keys, values), opts);
  const std::uint64_t bytes = file_bytes(keys) + std::uint64_t{values.count} * values.element_bytes;
  add_copy_of_keys(p, keys);
  p.steps.push_back({"write", "sorted keys and their values to two outputs", bytes, bytes});
  return p;
}

void sort_array(const array_file& array, output& to, const options& opts) {
  const unsigned threads = thread_count(opts.threads);
  to.write(array.header);
  switch (route_of(array.layout)) {
  case array_route::keys:
    return sort_keys(array, to, opts, threads);
  case array_route::keys_and_rests:
    return sort_small_records(array, to, opts, threads);
  case array_route::positions:
    return sort_by_positions(array, to, opts, threads);
  }
}

void write_plain(output& to, unsigned threads, const char* bytes, std::size_t size) {
  const std::size_t blocks = (size + block_bytes - 1) / block_bytes;
  write_blocks(to, threads, blocks, [&](std::size_t block, block_buffer&) {
    const std::size_t begin = block * block_bytes;
    return std::string_view(bytes + begin, std::min(block_bytes, size - begin));
  });
}

void need_values_of(const array_file& keys, const values_file& values) {
  need_keys_alone(keys.layout, keys.name());
  if (keys.count != values.count)
    fail(values.source.name(), "holds {} values, but {} holds {} keys", values.count, keys.name(), keys.count);
}

void sort_array_with_values(const array_file& array, const values_file& values, output& keys_to, output& values_to,
                            const options& opts) {
  sort_request request = request_of(array, values);
  const unsigned threads = thread_count(opts.threads);
  const key_array keys(array, threads);
  raw_array<char> sorted(array.count * array.layout.key_size());
  raw_array<char> moved(values.count * values.element_bytes);
  request.keys_in = keys.data();
  request.keys_out = sorted.data();
  request.values_in = values.data.data();
  request.values_out = moved.data();
  run(request, opts);
  keys_to.write(array.header);
  write_keys(array, sorted.data(), keys_to, threads);
  values_to.write(values.header);
  write_plain(values_to, threads, moved.data(), moved.size());
}

} // namespace sortile::files
