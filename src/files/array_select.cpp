// See array_select.hpp. The records are chosen by the positions of their keys, and fetched in blocks.
#include "files/array_select.hpp"

#include "files/array_sort.hpp"
#include "files/failure.hpp"
#include "files/npy.hpp"
#include "files/parallel.hpp"
#include "files/record_blocks.hpp"
#include "primitives/quantile_place.hpp"

#include <fmt/format.h>

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

quantiles_request request_of(const array_file& array, const std::vector<double>& probabilities) {
  return {.type = array.layout.key, .n = array.count, .probabilities = probabilities};
}

// Of integers that a double does not hold. Where both neighbours are one key, the quantile is that key; else it is what
// the library computes of two.
template <class T>
std::vector<std::string> quantiles_of_integers(const array_file& array, const void* keys,
                                               const std::vector<double>& probabilities, const options& opts) {
  std::vector<quantile_place> places;
  std::vector<std::size_t> ranks;
  for (const double p : probabilities) {
    const quantile_place& at = places.emplace_back(p, array.count, quantile_method::linear);
    ranks.insert(ranks.end(), {at.low, at.high});
  }
  std::vector<T> found(ranks.size());
  run(ranks_request{.type = array.layout.key, .n = array.count, .keys = keys, .ranks = ranks, .keys_out = found.data()},
      opts);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const T low = found[2 * i], high = found[2 * i + 1];
    texts.push_back(low == high ? fmt::format("{}", low)
                                : fmt::format("{}", between(static_cast<double>(low), static_cast<double>(high),
                                                            places[i].fraction)));
  }
  return texts;
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

std::vector<std::string> array_quantiles(const array_file& array, const std::vector<double>& probabilities,
                                         const options& opts) {
  if (array.count == 0)
    fail(array.name(), "holds no keys, which have no quantiles");
  const key_array keys(array, thread_count(opts.threads));
  switch (array.layout.key) {
  case key_type::u64:
    return quantiles_of_integers<std::uint64_t>(array, keys.data(), probabilities, opts);
  case key_type::i64:
    return quantiles_of_integers<std::int64_t>(array, keys.data(), probabilities, opts);
  case key_type::u128:
    return quantiles_of_integers<uint128>(array, keys.data(), probabilities, opts);
  case key_type::i128:
    return quantiles_of_integers<int128>(array, keys.data(), probabilities, opts);
  default:
    break;
  }
  std::vector<double> results(probabilities.size());
  quantiles_request request = request_of(array, probabilities);
  request.keys = keys.data();
  request.results = results.data();
  run(request, opts);
  std::vector<std::string> texts;
  for (const double each : results)
    texts.push_back(fmt::format("{}", each));
  return texts;
}

plan explain_array_quantiles(const array_file& array, const std::vector<double>& probabilities, const options& opts) {
  return explain(request_of(array, probabilities), opts);
}

} // namespace sortile::files
