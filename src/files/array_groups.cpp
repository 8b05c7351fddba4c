// See array_groups.hpp.
#include "files/array_groups.hpp"

#include "files/array_sort.hpp"
#include "files/parallel.hpp"
#include "files/record_blocks.hpp"
#include "files/record_counts.hpp"
#include "files/strided_keys.hpp"

#include <cstring>

namespace sortile::files {

distinct_keys find_distinct(const array_file& array, bool counted, const options& opts) {
  const key_array keys(array, thread_count(opts.threads));
  distinct_keys found{.keys = raw_array<char>(array.count * array.layout.key_size()),
                      .counts = raw_array<std::uint64_t>(counted ? array.count : 0)};
  found.size = run(groups_request{.type = array.layout.key,
                                  .n = array.count,
                                  .keys = keys.data(),
                                  .keys_out = found.keys.data(),
                                  .counts = counted ? found.counts.data() : nullptr},
                   opts);
  return found;
}

void write_distinct(const array_file& array, const distinct_keys& found, bool counts_inside, output& to,
                    unsigned threads) {
  if (!array.header.empty())
    to.write(make_npy_header(
        counts_inside ? descr_with_count(parse_npy(array.source.bytes(), array.name()), array.name()) : array.descr,
        found.size));
  array_layout layout = array.layout;
  layout.record_bytes += counts_inside ? sizeof(std::uint64_t) : 0;
  write_fixed_records(to, threads, found.size, layout.record_bytes, [&](std::size_t begin, std::size_t end, char* at) {
    put_keys(layout, found.keys.data(), begin, end, at);
    if (counts_inside)
      put_rests(layout, reinterpret_cast<const char*>(found.counts.data()), begin, end, at);
  });
}

plan explain_array_groups(const array_file& array, const options& opts) {
  plan p = explain_array_sort(array, opts);
  const std::uint64_t bytes = std::uint64_t{array.count} * array.layout.key_size();
  p.steps.insert(p.steps.end() - 1, {"groups", "the first key of each group of equals, and its count", bytes, bytes});
  return p;
}

} // namespace sortile::files
