#include "gpu/device_ranks.hpp"

#include "gpu/segmented_sort.hpp"
#include "kernels/arena.hpp"
#include "plan/nowhere.hpp"
#include "primitives/quantile_place.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>

namespace sortile::gpu {

device_ranks::device_ranks(const ranks_request& r, const options& opts, const device_facts& device, const tuning& tuned,
                           workspace_for what)
    : type_(r.type), keys_(r.keys), n_(r.n), rows_(r.rows), stride_(r.stride == 0 ? r.n : r.stride),
      keys_out_(r.keys_out), options_{.order = opts.order, .bits = opts.bits}, device_(device),
      places_(r.ranks.begin(), r.ranks.end()), ranks_(places_) {
  plan(tuned, what);
}

device_ranks::device_ranks(const quantiles_request& r, const options& opts, const device_facts& device,
                           const tuning& tuned, workspace_for what)
    : type_(r.type), keys_(r.keys), n_(r.n), rows_(r.rows), stride_(r.stride == 0 ? r.n : r.stride),
      numbers_(r.results), options_{.order = opts.order, .bits = opts.bits}, device_(device) {
  if (n_ == 0)
    return;
  for (const double probability : r.probabilities) {
    const quantile_place at(probability, n_, r.method);
    quantiles_.push_back({at.low, at.high, at.fraction});
    ranks_.push_back(at.low);
    ranks_.push_back(at.high);
  }
  plan(tuned, what);
}

void device_ranks::plan(const tuning& tuned, workspace_for what) {
  if (n_ == 0 || rows_ == 0 || ranks_.empty())
    return;
  std::sort(ranks_.begin(), ranks_.end());
  ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
  way_ = rows_ > 1 && n_ <= tuned.sorted_up_to ? way::rows : way::whole;
  if (n_ > tuned.sorted_up_to && ranks_.size() <= kernels::most_ranks) {
    search_ = kernels::ranks_plan(n_, ranks_, tuned.least_sample);
    if (search_.capacity < n_ / 2)
      way_ = way::search;
  }
  if (way_ == way::search) {
    const auto among_different = [&](std::uint64_t& place) {
      place = std::uint64_t(std::lower_bound(ranks_.begin(), ranks_.end(), place) - ranks_.begin());
    };
    for (std::uint64_t& place : places_)
      among_different(place);
    for (kernels::picked_quantile& quantile : quantiles_) {
      among_different(quantile.low);
      among_different(quantile.high);
    }
  }
  lay_out(what);
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
  return {.type = type_, .n = n_, .keys_in = keys, .keys_out = workspace + layout_.sorted};
}

segmented_request device_ranks::rows_sort(std::byte* workspace) const {
  return {.arrays = {.type = type_, .n = extent(), .keys_in = keys_, .keys_out = workspace + layout_.sorted},
          .where = segments::rows(rows_, n_, stride_)};
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
    layout_.sorted = a.take((way_ == way::rows ? extent() : n_) * key);
    layout_.sort = a.bytes();
    a.take(way_ == way::rows ? device_segmented_sort(rows_sort(nowhere()), options_).enough_workspace()
                             : sort_takes(whole_sort(nowhere(0), nowhere(1))));
  }
  layout_.bytes = a.bytes();
}

void device_ranks::add_steps(std::vector<plan_step>& steps) const {
  if (way_ == way::nothing)
    return;
  const std::size_t key = key_bytes(type_), keys = rows_ * n_ * key;
  const std::string ranks = std::to_string(ranks_.size()) + (ranks_.size() == 1 ? " rank" : " ranks");
  if (way_ == way::search) {
    steps.push_back({"sample", std::to_string(search_.sample) + " keys, for a bracket around each of " + ranks,
                     rows_ * search_.sample * 32, rows_ * search_.sample * key});
    device_sort(sample_sort(nowhere()), options_, device_).add_steps(steps);
    steps.push_back({"count",
                     "the keys below, in and above the brackets; those inside are gathered, " +
                         std::to_string(search_.capacity) + " at most",
                     keys, rows_ * search_.capacity * key});
    steps.push_back({"fallback", "narrower brackets by further reads, where the sample has misled", 0, 0});
    device_sort(gathered_sort(nowhere()), options_, device_).add_steps(steps);
  } else if (way_ == way::whole) {
    device_sort(whole_sort(nowhere(0), nowhere(1)), options_, device_).add_steps(steps);
  } else {
    device_segmented_sort(rows_sort(nowhere()), options_).add_steps(steps);
  }
  steps.push_back({numbers_ == nullptr ? "copy" : "interpolate",
                   numbers_ == nullptr ? "the keys at " + ranks : "between the keys at " + ranks,
                   rows_ * ranks_.size() * key, rows_ * results() * result_bytes()});
}

void device_ranks::launch(const simt::queue& q, void* workspace) const {
  auto* const space = static_cast<std::byte*>(workspace);
  if (way_ == way::nothing)
    return;
  with_word(type_, [&]<class Word>(Word) {
    if (way_ == way::rows) {
      device_segmented_sort(rows_sort(space), options_).launch(q, space + layout_.sort, nullptr);
      return pick<Word>(q, space + layout_.sorted, extent(), 0, rows_);
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      if (way_ == way::search) {
        launch_search<Word>(q, space, row);
        pick<Word>(q, space + layout_.found, ranks_.size(), row, 1);
      } else {
        const auto* const keys = static_cast<const std::byte*>(keys_) + row * stride_ * sizeof(Word);
        device_sort(whole_sort(space, keys), options_, device_).launch(q, space + layout_.sort);
        pick<Word>(q, space + layout_.sorted, n_, row, 1);
      }
    }
  });
}

template <class Word>
void device_ranks::launch_search(const simt::queue& q, std::byte* workspace, std::size_t row) const {
  const auto words = [workspace](std::size_t offset) { return reinterpret_cast<Word*>(workspace + offset); };
  const kernels::find_ranks_request<Word> r{.keys = static_cast<const Word*>(keys_) + row * stride_,
                                            .n = n_,
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

/// From `rows` rows of sorted or found keys, the results of as many rows from `first_row` on.
template <class Word>
void device_ranks::pick(const simt::queue& q, const void* from, std::size_t extent, std::size_t first_row,
                        std::size_t rows) const {
  const std::size_t first = first_row * results();
  if (numbers_ == nullptr)
    kernels::pick_keys(q, kernels::pick_keys_request<Word>{.from = static_cast<const Word*>(from),
                                                           .rows = rows,
                                                           .stride = stride_,
                                                           .extent = extent,
                                                           .places = places_,
                                                           .out = static_cast<Word*>(keys_out_) + first});
  else
    kernels::pick_quantiles(q, kernels::pick_quantiles_request<Word>{.type = type_,
                                                                     .from = static_cast<const Word*>(from),
                                                                     .rows = rows,
                                                                     .stride = stride_,
                                                                     .extent = extent,
                                                                     .quantiles = quantiles_,
                                                                     .out = numbers_ + first});
}

} // namespace sortile::gpu
