#include "gpu/device_ranks.hpp"

#include "gpu/segmented_sort.hpp"
#include "kernels/arena.hpp"
#include "plan/nowhere.hpp"
#include "plan/segment_places.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>

namespace sortile::gpu {
namespace {

/// A request for rows as one for segments.
template <class Request>
segmented<Request> in_segments(const Request& r) {
  segmented<Request> s{r, segments::rows(r.rows, r.n, r.stride)};
  s.arrays.n = r.n == 0 || r.rows == 0 ? 0 : (r.rows - 1) * s.where.stride + r.n;
  return s;
}

} // namespace

device_ranks::device_ranks(const ranks_request& r, const options& opts, const device_facts& device, const tuning& tuned,
                           workspace_for what)
    : device_ranks(in_segments(r), opts, device, tuned, what) {}

device_ranks::device_ranks(const quantiles_request& r, const options& opts, const device_facts& device,
                           const tuning& tuned, workspace_for what)
    : device_ranks(in_segments(r), opts, device, tuned, what) {}

device_ranks::device_ranks(const segmented_ranks_request& r, const options& opts, const device_facts& device,
                           const tuning& tuned, workspace_for what)
    : type_(r.arrays.type), keys_(r.arrays.keys), n_(r.arrays.n), where_(r.where),
      keys_out_(r.arrays.keys_out), options_{.order = opts.order, .bits = opts.bits}, device_(device),
      places_(r.arrays.ranks.begin(), r.arrays.ranks.end()) {
  if (n_ > 0)
    plan(tuned, what);
}

device_ranks::device_ranks(const segmented_quantiles_request& r, const options& opts, const device_facts& device,
                           const tuning& tuned, workspace_for what)
    : type_(r.arrays.type), keys_(r.arrays.keys), n_(r.arrays.n), where_(r.where),
      numbers_(r.arrays.results), options_{.order = opts.order, .bits = opts.bits}, device_(device),
      probabilities_(r.arrays.probabilities.begin(), r.arrays.probabilities.end()), method_(r.arrays.method) {
  plan(tuned, what);
}

void device_ranks::plan(const tuning& tuned, workspace_for what) {
  if (where_.count == 0 || results() == 0)
    return;
  way_ = way::segments;
  if (where_.form == segment_form::strided && where_.length > 0 && in_one_piece(where_))
    plan_rows(tuned);
  lay_out(what);
}

void device_ranks::plan_rows(const tuning& tuned) {
  const std::size_t n = where_.length;
  ranks_ = places_;
  for (const double probability : probabilities_) {
    const quantile_place& at = quantiles_.emplace_back(probability, n, method_);
    ranks_.insert(ranks_.end(), {at.low, at.high});
  }
  probabilities_.clear();
  std::sort(ranks_.begin(), ranks_.end());
  ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
  if (where_.count == 1 || n > tuned.sorted_up_to)
    way_ = way::whole;
  if (n > tuned.sorted_up_to && ranks_.size() <= kernels::most_ranks) {
    search_ = kernels::ranks_plan(n, ranks_, tuned.least_sample);
    if (search_.capacity < n / 2)
      way_ = way::search;
  }
  if (way_ == way::search) {
    const auto among_different = [&](std::uint64_t& place) {
      place = std::uint64_t(std::lower_bound(ranks_.begin(), ranks_.end(), place) - ranks_.begin());
    };
    for (std::uint64_t& place : places_)
      among_different(place);
    for (quantile_place& quantile : quantiles_) {
      among_different(quantile.low);
      among_different(quantile.high);
    }
  }
}

sort_request device_ranks::sample_sort(std::byte* workspace) const {
  std::byte* const sample = workspace + layout_.sample;
  return {.type = type_, .n = search_.sample, .keys_in = sample, .keys_out = sample};
}

sort_request device_ranks::gathered_sort(std::byte* workspace) const {
  std::byte* const gathered = workspace + layout_.gathered;
  return {.type = type_,
          .n = search_.capacity,
          .keys_in = gathered,
          .keys_out = gathered,
          .device_n = reinterpret_cast<const std::uint64_t*>(workspace + layout_.count)};
}

sort_request device_ranks::whole_sort(std::byte* workspace, const void* keys) const {
  return {.type = type_, .n = where_.length, .keys_in = keys, .keys_out = workspace + layout_.sorted};
}

segmented_request device_ranks::segments_sort(std::byte* workspace) const {
  return {{.type = type_, .n = n_, .keys_in = keys_, .keys_out = workspace + layout_.sorted}, where_};
}

void device_ranks::lay_out(workspace_for what) {
  kernels::arena a;
  const std::size_t key = key_bytes(type_);
  const auto sort_takes = [&](const sort_request& r) {
    return device_sort::workspace_at_any_place(r, options_, device_, what);
  };
  if (way_ == way::search) {
    layout_.found = a.take(ranks_.size() * key);
    layout_.sample = a.take(search_.sample * key);
    layout_.gathered = a.take(search_.capacity * key);
    layout_.count = a.take(sizeof(std::uint64_t));
    const unsigned images = with_word(type_, [&]<class Word>(Word) {
      return kernels::ambiguous_images(make_key_codec<Word>(type_, options_.order, options_.bits), search_);
    });
    layout_.search = a.take(kernels::find_ranks_workspace_bytes(key, images));
    layout_.sort = a.bytes();
    a.take(std::max(sort_takes(sample_sort(nowhere())), sort_takes(gathered_sort(nowhere()))));
  } else {
    const bool of_segments = way_ == way::segments;
    layout_.sorted = a.take((of_segments ? n_ : where_.length) * key);
    layout_.sort = a.bytes();
    a.take(of_segments ? device_segmented_sort(segments_sort(nowhere()), options_).enough_workspace()
                       : sort_takes(whole_sort(nowhere(0), nowhere(1))));
  }
  layout_.bytes = a.bytes();
}

void device_ranks::add_steps(std::vector<plan_step>& steps) const {
  if (way_ == way::nothing)
    return;
  const bool of_quantiles = numbers_ != nullptr, of_rows = !ranks_.empty();
  const std::size_t key = key_bytes(type_), rows = where_.count, keys = rows * where_.length * key;
  const std::size_t read = of_rows ? ranks_.size() : (of_quantiles ? 2 : 1) * results();
  const auto number = [](std::size_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  const std::string ranks = number(ranks_.size(), "rank");
  if (way_ == way::search) {
    steps.push_back({"sample", std::to_string(search_.sample) + " keys, for a bracket around each of " + ranks,
                     rows * search_.sample * 32, rows * search_.sample * key});
    device_sort(sample_sort(nowhere()), options_, device_).add_steps(steps);
    steps.push_back({"count",
                     "the keys below, in and above the brackets; those inside are gathered, " +
                         std::to_string(search_.capacity) + " at most",
                     keys, rows * search_.capacity * key});
    steps.push_back({"fallback", "narrower brackets by further reads, where the sample has misled", 0, 0});
    device_sort(gathered_sort(nowhere()), options_, device_).add_steps(steps);
  } else if (way_ == way::whole) {
    device_sort(whole_sort(nowhere(0), nowhere(1)), options_, device_).add_steps(steps);
  } else if (n_ > 0) {
    device_segmented_sort(segments_sort(nowhere()), options_).add_steps(steps);
  }
  steps.push_back({of_quantiles ? "interpolate" : "copy",
                   of_rows        ? (of_quantiles ? "between the keys at " : "the keys at ") + ranks
                   : of_quantiles ? number(results(), "quantile") + " of each segment, between the keys beside it"
                                  : "the keys at " + number(results(), "rank") + " of each segment",
                   rows * read * key, rows * results() * result_bytes()});
}

void device_ranks::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (way_ == way::nothing)
    return;
  with_word(type_, [&]<class Word>(Word) {
    if (way_ == way::segments) {
      device_segmented_sort(segments_sort(space), options_).launch(q, space + layout_.sort, nullptr);
      return pick<Word>(q, space + layout_.sorted, n_, where_, 0);
    }
    for (std::size_t row = 0; row < where_.count; ++row) {
      if (way_ == way::search) {
        launch_search<Word>(q, space, row);
        pick<Word>(q, space + layout_.found, ranks_.size(), segments::rows(1, ranks_.size()), row);
      } else {
        const auto* const keys = static_cast<const std::byte*>(keys_) + row * where_.stride * sizeof(Word);
        device_sort(whole_sort(space, keys), options_, device_).launch(q, space + layout_.sort);
        pick<Word>(q, space + layout_.sorted, where_.length, segments::rows(1, where_.length), row);
      }
    }
  });
}

template <class Word>
void device_ranks::launch_search(const simt::queue& q, std::byte* workspace, std::size_t row) const {
  const auto words = [workspace](std::size_t offset) { return reinterpret_cast<Word*>(workspace + offset); };
  const kernels::find_ranks_request<Word> r{.keys = static_cast<const Word*>(keys_) + row * where_.stride,
                                            .n = where_.length,
                                            .codec = make_key_codec<Word>(type_, options_.order, options_.bits),
                                            .plan = &search_,
                                            .sample = words(layout_.sample),
                                            .gathered = words(layout_.gathered),
                                            .count = reinterpret_cast<std::uint64_t*>(workspace + layout_.count),
                                            .found = words(layout_.found),
                                            .workspace = workspace + layout_.search};
  kernels::draw_sample(q, r);
  device_sort(sample_sort(workspace), options_, device_).launch(q, workspace + layout_.sort);
  kernels::gather_brackets(q, r);
  device_sort(gathered_sort(workspace), options_, device_).launch(q, workspace + layout_.sort);
  kernels::write_found(q, r);
}

/// From the segments of sorted or found keys, the results of `row` and those behind it.
template <class Word>
void device_ranks::pick(const simt::queue& q, const void* from, std::size_t extent, const segments& where,
                        std::size_t row) const {
  const auto* const keys = static_cast<const Word*>(from);
  if (numbers_ == nullptr)
    kernels::pick_keys(q, kernels::pick_keys_request<Word>{.from = keys,
                                                           .extent = extent,
                                                           .where = where,
                                                           .places = places_,
                                                           .out = static_cast<Word*>(keys_out_) + row * results()});
  else
    kernels::pick_quantiles(q, kernels::pick_quantiles_request<Word>{.type = type_,
                                                                     .from = keys,
                                                                     .extent = extent,
                                                                     .where = where,
                                                                     .places = quantiles_,
                                                                     .probabilities = probabilities_,
                                                                     .method = method_,
                                                                     .out = numbers_ + row * results()});
}

} // namespace sortile::gpu
