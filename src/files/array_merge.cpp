// See array_merge.hpp. Each array is split into keys and rests (as in array_sort.cpp); the library merges those; joined
// in blocks.
#include "files/array_merge.hpp"

#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/npy.hpp"
#include "files/parallel.hpp"
#include "files/record_blocks.hpp"
#include "files/strided_keys.hpp"

#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t merge_slice_records = std::size_t{1} << 16;

// One input as the library takes it.
struct split_array {
  split_array(const array_file& array, unsigned threads) : keys(array, threads) {
    const std::size_t rest = array.layout.record_bytes - array.layout.key_size();
    if (rest == 0)
      return;
    rests = raw_array<char>(array.count * rest);
    parallel_slices(threads, array.count, merge_slice_records, [&](std::size_t begin, std::size_t end) {
      take_rests(array.layout, array.data.data(), begin, end, rests.data());
    });
  }
  key_array keys;
  raw_array<char> rests;
};

void need_one_type(std::span<const array_file> arrays) {
  for (const array_file& array : arrays)
    if (array.layout != arrays[0].layout || array.descr != arrays[0].descr)
      fail(array.name(), "its records are of another type than those of {}{}", arrays[0].name(),
           array.descr.empty() || arrays[0].descr.empty() ? ""
                                                          : fmt::format(" ({}, not {})", array.descr, arrays[0].descr));
}

void need_order(const array_file& array, const split_array& split, const options& opts) {
  if (const auto at = first_disorder(array.layout.key, split.keys.data(), array.count, opts))
    fail(array.name(), "key {} is out of order (merge takes sorted inputs: sort this one first)", *at);
}

} // namespace

void merge_arrays(std::span<const array_file> arrays, output& to, const options& opts, bool check_order) {
  const unsigned threads = thread_count(opts.threads);
  need_one_type(arrays);
  const array_layout layout = arrays[0].layout;
  const std::size_t rest = layout.record_bytes - layout.key_size();
  std::vector<split_array> splits;
  std::vector<sorted_run> runs;
  std::size_t n = 0;
  splits.reserve(arrays.size());
  for (const array_file& array : arrays) {
    splits.emplace_back(array, threads);
    if (check_order)
      need_order(array, splits.back(), opts);
    runs.push_back({splits.back().keys.data(), rest == 0 ? nullptr : splits.back().rests.data(), array.count});
    n += array.count;
  }
  raw_array<char> keys(n * layout.key_size());
  raw_array<char> rests(n * rest);
  run(merge_request{.type = layout.key,
                    .runs = runs,
                    .keys_out = keys.data(),
                    .value_bytes = rest,
                    .values_out = rest == 0 ? nullptr : rests.data()},
      opts);
  if (!arrays[0].header.empty())
    to.write(make_npy_header(arrays[0].descr, n));
  write_fixed_records(to, threads, n, layout.record_bytes, [&](std::size_t begin, std::size_t end, char* records) {
    put_keys(layout, keys.data(), begin, end, records);
    if (rest != 0)
      put_rests(layout, rests.data(), begin, end, records);
  });
}

} // namespace sortile::files
