// See array_select.hpp. The records are chosen by the positions of their keys, and fetched in blocks.
#include "files/array_select.hpp"

#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/npy.hpp"
#include "files/parallel.hpp"
#include "files/record_blocks.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::files {

namespace {

top_k_request request_of(const array_file& array, std::size_t k) {
  return {.type = array.layout.key,
          .n = array.count,
          .k = std::min(k, array.count),
          .carries = payload::indices,
          .value_bytes = 8};
}

} // namespace

plan explain_array_top(const array_file& array, std::size_t k, const options& opts) {
  const top_k_request request = request_of(array, k);
  plan p = explain(request, opts);
  const std::uint64_t bytes = std::uint64_t{request.k} * array.layout.record_bytes;
  p.steps.push_back({"fetch", "records by position, to the output", bytes, bytes});
  return p;
}

void write_array_top(const array_file& array, std::size_t k, output& to, const options& opts) {
  const unsigned threads = thread_count(opts.threads);
  top_k_request request = request_of(array, k);
  raw_array<char> positions(request.k * sizeof(std::uint64_t));
  {
    const key_array keys(array, threads);
    request.keys_in = keys.data();
    request.values_out = positions.data();
    run(request, opts);
  }
  if (!array.header.empty())
    to.write(make_npy_header(array.descr, request.k));
  const std::size_t record = array.layout.record_bytes;
  write_fixed_records(to, threads, request.k, record, [&](std::size_t begin, std::size_t end, char* bytes) {
    for (std::size_t i = begin; i < end; ++i, bytes += record) {
      std::uint64_t position = 0;
      std::memcpy(&position, positions.data() + i * sizeof position, sizeof position);
      std::memcpy(bytes, array.data.data() + position * record, record);
    }
  });
}

std::vector<double> array_quantiles(const array_file& array, const std::vector<double>& probabilities,
                                    const options& opts) {
  if (array.count == 0)
    fail(array.name(), "holds no keys, which have no quantiles");
  const key_array keys(array, thread_count(opts.threads));
  std::vector<double> results(probabilities.size());
  run(quantiles_request{.type = array.layout.key,
                        .n = array.count,
                        .keys = keys.data(),
                        .probabilities = probabilities,
                        .results = results.data()},
      opts);
  return results;
}

} // namespace sortile::files
