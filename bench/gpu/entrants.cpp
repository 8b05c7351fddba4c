// See entrants.hpp.
#include "bench/gpu/entrants.hpp"

#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/narrow/count_sort.hpp"
#include "kernels/pairs/sort_pairs.hpp"
#include "kernels/sample/sample_sort.hpp"
#include "kernels/sort/sort_keys.hpp"
#include "primitives/with_word.hpp"

#include <sortile/error.hpp>

namespace sortile::bench {
namespace {

/// The widths that sorts of pairs by partitions are made for.
template <class F>
auto with_middle_word(const sort_request& r, F&& f) {
  if (key_bytes(r.type) == 4)
    return f(std::uint32_t{});
  if (key_bytes(r.type) == 8)
    return f(std::uint64_t{});
  throw invalid_argument("bench: keys of " + std::to_string(key_bytes(r.type)) + " bytes (allowed: 4, 8)");
}

template <class Word>
key_codec<Word> codec_of(const sort_request& r) {
  return make_key_codec<Word>(r.type, order::ascending, {});
}

template <class Word>
kernels::typed_request<Word> typed(const sort_request& r) {
  kernels::typed_request<Word> request;
  request.keys_in = static_cast<const Word*>(r.keys_in);
  request.keys_out = static_cast<Word*>(r.keys_out);
  request.values_in = r.values_in;
  request.values_out = r.values_out;
  request.value_bytes = unsigned(r.value_bytes);
  request.make_indices = r.carries == payload::indices;
  request.n = r.n;
  request.codec = codec_of<Word>(r);
  return request;
}

/// Gives a request its workspace and makes a contestant of it.
template <class Request, class Sort>
contestant with_own_workspace(const char* name, Request request, std::size_t bytes, Sort sort) {
  const auto workspace = make_buffer(bytes);
  request.workspace = workspace->data();
  request.workspace_bytes = bytes;
  return {name, [=] { sort(default_queue(), request); }, bytes};
}

/// The word by which a sort gives the keys to a fallback, and its reader.
struct verdict_word {
  shared_buffer memory = make_buffer(sizeof(std::uint32_t));
  std::uint32_t* data() const { return static_cast<std::uint32_t*>(memory->data()); }
  bool operator()() const {
    std::uint32_t said = 0;
    SORTILE_CUDA_CHECK(cudaMemcpy(&said, memory->data(), sizeof said, cudaMemcpyDeviceToHost));
    return said != 0;
  }
};

double bytes_of_passes(const sort_row& row) {
  return row.workload.spec() == "uniform" ? bytes_moved_by_cub(*row.kind, row.n) : 0; // of the same design
}

entrant make_lsd(const sort_row& row, const sort_request& r) {
  return with_word(r.type, [&]<class Word>(Word) -> entrant {
    const auto request = typed<Word>(r);
    return {with_own_workspace("lsd", request, kernels::lsd_workspace_bytes(request),
                               [](const simt::queue& q, const auto& given) { kernels::lsd_sort(q, given); }),
            bytes_of_passes(row)};
  });
}

entrant make_sample_sort(const sort_row&, const sort_request& r) {
  return with_word(r.type, [&]<class Word>(Word) -> entrant {
    const auto request = typed<Word>(r);
    return {with_own_workspace("sample", request, kernels::sample_sort_workspace_bytes(request),
                               kernels::sample_sort<Word>)};
  });
}

std::uint64_t most_of_sample_sort(const sort_request& r) {
  return with_word(r.type,
                   [&]<class Word>(Word) { return kernels::sample_sort_most(default_queue(), typed<Word>(r)); });
}

/// A sort that may give the keys to a fallback, which nobody is here.
template <class Word, class Room, class Sort>
entrant with_verdict(const char* name, const sort_request& r, Room room, Sort sort) {
  const verdict_word verdict;
  auto request = typed<Word>(r);
  request.verdict.word = verdict.data();
  return {with_own_workspace(name, request, room(request),
                             [verdict, sort](const simt::queue& q, const auto& given) { sort(q, given); }),
          0, verdict};
}

template <class Word>
entrant make_counting(const sort_request& r) {
  return with_verdict<Word>("counting", r, kernels::count_sort_workspace_bytes<Word>,
                            [](const simt::queue& q, const auto& given) { kernels::count_sort(q, given); });
}
entrant make_count_sort(const sort_row&, const sort_request& r) {
  return key_bytes(r.type) == 1 ? make_counting<std::uint8_t>(r) : make_counting<std::uint16_t>(r);
}

template <class Word>
entrant make_keys_by_partitions(const sort_request& r) {
  return with_verdict<Word>("keys", r, kernels::sort_keys_workspace_bytes<Word>,
                            [](const simt::queue& q, const auto& given) { kernels::sort_keys(q, given); });
}
entrant make_sort_keys(const sort_row&, const sort_request& r) {
  if (key_bytes(r.type) == 16)
    return make_keys_by_partitions<uint128>(r);
  return with_middle_word(r, [&]<class Word>(Word) { return make_keys_by_partitions<Word>(r); });
}

entrant make_sort_pairs(const sort_row&, const sort_request& r) {
  return with_middle_word(r, [&]<class Word>(Word) {
    return with_verdict<Word>("pairs", r, kernels::sort_pairs_workspace_bytes<Word>,
                              [](const simt::queue& q, const auto& given) { kernels::sort_pairs(q, given); });
  });
}

/// What the plan's steps move; 0 where the keys decide which steps there are.
double bytes_planned(const sort_row& row, const plan& p) {
  if (row.workload.spec() != "uniform")
    return 0;
  double bytes = 0;
  for (const plan_step& step : p.steps)
    bytes += double(step.bytes_read) + double(step.bytes_written);
  return bytes;
}

} // namespace

entrant make_sortile(const sort_row& row, const sort_request& request) {
  if (row.kind->in_structs)
    return {sortile_struct_sort(request)};
  options opts{.engine = "cuda", .memory = memory::device};
  const plan p = explain(request, opts);
  const auto workspace = make_buffer(p.workspace_bytes);
  opts.workspace = {static_cast<std::byte*>(workspace->data()), p.workspace_bytes};
  return {{"sortile", [request, opts, keep = workspace] { run(request, opts); }, p.workspace_bytes},
          bytes_planned(row, p)};
}

entrant make_cub(const sort_row& row, const sort_request& r) {
  if (row.kind->in_structs)
    return {cub_merge_sort(r)};
  return {r.value_bytes == 0 ? cub_sort_keys(r) : cub_sort_pairs(r), bytes_moved_by_cub(*row.kind, row.n)};
}

std::vector<named_entrant> engine_sorts_for(const sort_row& row, const sort_request& r) {
  if (row.kind->in_structs)
    return {};
  const bool middle = key_bytes(row.kind->type) == 4 || key_bytes(row.kind->type) == 8;
  std::vector<named_entrant> sorts{{"lsd", make_lsd}};
  if (row.n <= most_of_sample_sort(r))
    sorts.push_back({"sample", make_sample_sort});
  const bool alone = row.kind->carries == payload::none, narrow = key_bytes(row.kind->type) < 4;
  if (alone && narrow)
    sorts.push_back({"counting", make_count_sort});
  const bool counted = row.kind->type == key_type::f32 && row.n >= kernels::partition_plan::least_counted;
  if (alone && !narrow && (!is_float(row.kind->type) || counted) && row.n <= kernels::sort_keys_most)
    sorts.push_back({"keys", make_sort_keys});
  if (middle && row.n <= kernels::sort_pairs_most)
    sorts.push_back({"pairs", make_sort_pairs});
  return sorts;
}

} // namespace sortile::bench
