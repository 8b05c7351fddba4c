// The selections of one row, for keys of one width. What they take from requests is untyped (select.cpp); what they
// need of the inner loops is in select_keys.hpp.
#pragma once

#include "cpu/first_search.hpp"
#include "cpu/gather.hpp"
#include "cpu/long_select.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/nth_by_splits.hpp"
#include "cpu/ranks_plan.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select_keys.hpp"
#include "cpu/small_select.hpp"
#include "cpu/told_steps.hpp"
#include "primitives/sample_ranks.hpp"

#include <cstring>
#include <optional>

namespace sortile::cpu {

// The first k

template <class K, class P>
class top_k_job {
 public:
  /// `request` is one row.
  top_k_job(const top_k_request& request, const top_k_layout& layout, const row_job& job)
      : request_(request), layout_(layout), job_(job), first_{reinterpret_cast<K*>(job.workspace + layout.keys),
                                                              reinterpret_cast<P*>(job.workspace + layout.positions)} {
    if constexpr (!has_positions<P>)
      first_.positions = nullptr;
  }

  void run() {
    if (layout_.few)
      search();
    else if (layout_.whole)
      sort_all();
    else
      select();
    job_.results_are_known();
    write();
  }

 private:
  std::span<std::byte> sort_space() const { return {job_.workspace + layout_.sort, layout_.sort_bytes}; }

  sort_request sort_of(const void* keys_in, std::size_t n, const void* positions_in) const {
    sort_request r{.type = request_.type, .n = n, .keys_in = keys_in, .keys_out = first_.keys};
    if constexpr (has_positions<P>) {
      r.carries = positions_in == nullptr ? payload::indices : payload::values;
      r.value_bytes = sizeof(P);
      r.values_in = positions_in;
      r.values_out = first_.positions;
    }
    return r;
  }

  void search() {
    const std::size_t k = request_.k;
    const std::uint32_t* const found =
        positions_of_first<K>(request_.keys_in, request_.n, request_.type, job_.opts, k, layout_.search,
                              job_.workspace + layout_.search_at, job_.progress);
    for (std::size_t i = 0; i < k; ++i)
      first_.keys[i] = static_cast<const K*>(request_.keys_in)[found[i]];
    if constexpr (has_positions<P>)
      std::copy(found, found + k, first_.positions);
    tell_step("sort");
    sort_within(sort_of(first_.keys, k, first_.positions), job_.opts, job_.threads, sort_space());
  }

  void sort_all() {
    tell_step("sort");
    sort_within(sort_of(request_.keys_in, request_.n, nullptr), job_.opts, job_.threads, sort_space());
    if (job_.progress != nullptr)
      job_.progress->add(request_.n);
  }

  void select() {
    const selection<K> keys(static_cast<const K*>(request_.keys_in), request_.n,
                            exact_image<K>(request_.type, job_.opts), job_.threads, job_.progress);
    tell_step("sample");
    K pivot = sampled_pivot(keys);
    tell_step("filter");
    const candidates<K, P> memory{reinterpret_cast<K*>(job_.workspace + layout_.chunk_keys),
                                  reinterpret_cast<P*>(job_.workspace + layout_.chunk_positions)};
    chunk_pool<K, P> pool(layout_.pieces, memory);
    call_vector<piece_counts> found(layout_.pieces.pieces);
    keys.collect_below(pivot, pool, found);
    if (!pool.holds_at_most(layout_.capacity) || reached(found) < request_.k) { // the sample has misled
      tell_step("fallback");
      pivot = keys.exact(request_.k - 1, found.size()).image;
      keys.collect_below(pivot, pool, found); // fewer than k, for which there is room
    }
    const std::size_t below = pool.gather(first_, job_.threads);
    tell_step("sort");
    sort_within(sort_of(first_.keys, below, first_.positions), job_.opts, job_.threads, sort_space());
    if (below < request_.k)
      add_equal(keys, pivot, found, below);
  }

  K sampled_pivot(const selection<K>& keys) const {
    K* const sample = reinterpret_cast<K*>(job_.workspace + layout_.sample_at);
    keys.sample(sample, layout_.sample);
    std::nth_element(sample, sample + layout_.sample_rank, sample + layout_.sample);
    return sample[layout_.sample_rank];
  }

  static std::size_t reached(const call_vector<piece_counts>& found) {
    std::size_t sum = 0;
    for (const piece_counts& f : found)
      sum += f.below + f.equal;
    return sum;
  }

  /// The keys equal to the pivot that are missing: those with the lowest positions.
  void add_equal(const selection<K>& keys, K pivot, const call_vector<piece_counts>& found, std::size_t below) {
    keys.each_equal(pivot, found, 0, request_.k - below, [&](std::size_t number, std::size_t position) {
      first_.keys[below + number] = keys.keys()[position];
      if constexpr (has_positions<P>)
        first_.positions[below + number] = static_cast<P>(position);
    });
  }

  void write() const {
    const std::size_t k = request_.k;
    tell_step("copy");
    if (request_.keys_out != nullptr)
      copy(first_.keys, k * sizeof(K), request_.keys_out, job_.threads);
    if constexpr (has_positions<P>) {
      if (request_.carries == payload::values)
        gather(request_.values_in, first_.positions, sizeof(P), k, request_.value_bytes, request_.values_out,
               job_.threads);
      else if (request_.value_bytes == sizeof(P))
        copy(first_.positions, k * sizeof(P), request_.values_out, job_.threads);
      else
        for (std::size_t i = 0; i < k; ++i)
          static_cast<std::uint64_t*>(request_.values_out)[i] = first_.positions[i];
    }
  }

  const top_k_request& request_;
  const top_k_layout& layout_;
  const row_job& job_;
  candidates<K, P> first_;
};

template <class K>
void top_k_row(const top_k_request& row, const top_k_layout& layout, const row_job& job) {
  if (layout.position_bytes == 0)
    top_k_job<K, no_position>(row, layout, job).run();
  else if (layout.position_bytes == 4)
    top_k_job<K, std::uint32_t>(row, layout, job).run();
  else
    top_k_job<K, std::uint64_t>(row, layout, job).run();
}

// The keys of ranks

/// One row of a ranks_request. Each rank has an interval between two keys of the sample; those that overlap are one.
template <class K>
class ranks_job {
 public:
  ranks_job(const ranks_request& request, const ranks_layout& layout, const row_job& job)
      : request_(request), layout_(layout), job_(job), inside_(reinterpret_cast<K*>(job.workspace + layout.keys)),
        keys_(static_cast<const K*>(request.keys), request.n, exact_image<K>(request.type, job.opts), job.threads,
              job.progress) {}

  void run() {
    K* const out = static_cast<K*>(request_.keys_out);
    if (layout_.whole) {
      sort_inside(request_.keys, request_.n);
      if (job_.progress != nullptr)
        job_.progress->add(request_.n);
      job_.results_are_known();
      tell_step("copy");
      for (std::size_t i = 0; i < request_.ranks.size(); ++i)
        out[i] = inside_[request_.ranks[i]];
      return;
    }
    tell_step("sample");
    place_splitters();
    tell_step("filter");
    chunk_pool<K, no_position> pool(layout_.pieces,
                                    {reinterpret_cast<K*>(job_.workspace + layout_.chunk_keys), nullptr});
    keys_.collect_between(splitters_, pool, layout_.pieces.pieces, counts_);
    complete_ = pool.holds_at_most(layout_.capacity);
    if (complete_)
      sort_inside(inside_, pool.gather({inside_, nullptr}, job_.threads));
    tell_step("copy");
    call_vector<K> found; // all are, before the first is written: a search may be cancelled
    found.reserve(request_.ranks.size());
    for (const std::size_t rank : request_.ranks)
      found.push_back(key_of_rank(rank));
    job_.results_are_known();
    std::copy(found.begin(), found.end(), out);
  }

 private:
  void sort_inside(const void* from, std::size_t n) {
    tell_step("sort");
    sort_within({.type = request_.type, .n = n, .keys_in = from, .keys_out = inside_}, job_.opts, job_.threads,
                {job_.workspace + layout_.sort, layout_.sort_bytes});
  }

  void place_splitters() {
    const std::size_t n = request_.n, m = layout_.sample;
    K* const sample = reinterpret_cast<K*>(job_.workspace + layout_.sample_at);
    keys_.sample(sample, m);
    std::sort(sample, sample + m);
    call_vector<std::size_t> ranks(request_.ranks.begin(), request_.ranks.end());
    std::sort(ranks.begin(), ranks.end());
    for (const std::size_t rank : ranks) {
      const std::size_t before = primitives::sample_rank_before(rank, n, m),
                        behind = primitives::sample_rank_behind(rank, n, m);
      const K low = before == 0 ? K{0} : sample[before], // images of all keys lie between these
          high = behind == m - 1 ? keys_.image().window : sample[behind];
      if (!splitters_.empty() && low <= splitters_.back()) {
        splitters_.back() = std::max(splitters_.back(), high);
      } else {
        splitters_.push_back(low);
        splitters_.push_back(high);
      }
    }
  }

  /// By the counts of the interval that has the rank: equal to its lower splitter, inside, or equal to its upper one.
  K key_of_rank(std::size_t rank) {
    const std::size_t n = request_.n;
    std::size_t collected = 0; // inside of the intervals before
    for (std::size_t s = 0; complete_ && s < splitters_.size(); s += 2) {
      const std::size_t before = n - counts_.not_smaller[s], first_inside = n - counts_.greater[s];
      const bool is_open = splitters_[s] < splitters_[s + 1];
      const std::size_t behind = is_open ? n - counts_.not_smaller[s + 1] : first_inside;
      if (rank >= before && rank < first_inside)
        return equal_key({splitters_[s], before}, rank);
      if (rank >= first_inside && rank < behind)
        return inside_[collected + (rank - first_inside)];
      if (rank >= behind && rank < n - counts_.greater[s + 1])
        return equal_key({splitters_[s + 1], behind}, rank);
      collected += behind - first_inside;
    }
    tell_step("fallback"); // the sample has misled
    return equal_key(keys_.exact(rank, layout_.pieces.pieces), rank);
  }

  /// The key of a rank among those with one image. Of most types all of these have the same bits.
  K equal_key(const threshold<K>& at, std::size_t rank) const {
    if (const std::optional<K> known = only_key(at.image))
      return *known;
    const std::size_t number = rank - at.below;
    K key{};
    keys_.each_equal(at.image, keys_.count(at.image, layout_.pieces.pieces), number, number + 1,
                     [&](std::size_t, std::size_t position) { key = keys_.keys()[position]; });
    return key;
  }

  /// The key of an image, where there is only one: not of −0 and +0, of NaNs, and with a bit window.
  std::optional<K> only_key(K x) const {
    const key_image<K>& image = keys_.image();
    if (image.window != static_cast<K>(~K{0}))
      return std::nullopt;
    const K key = image.key_of(x);
    if (image.is_float && ((key & static_cast<K>(~image.codec.sign)) == 0 || image.is_special(key)))
      return std::nullopt;
    return key;
  }

  const ranks_request& request_;
  const ranks_layout& layout_;
  const row_job& job_;
  K* inside_;
  selection<K> keys_;
  call_vector<K> splitters_;
  splitter_counts counts_;
  bool complete_ = false;
};

template <class K>
void ranks_row(const ranks_request& row, const ranks_plan& plan, const row_job& job) {
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8) {
    if (plan.way == ranks_way::vectors) {
      call_vector<K> found(row.ranks.size()); // not written before the call can no more be cancelled
      ranks_request beside = row;
      beside.keys_out = found.data();
      search_by_vectors(beside, job.opts.order, plan.few);
      if (job.progress != nullptr)
        job.progress->add(row.n);
      job.results_are_known();
      std::copy(found.begin(), found.end(), static_cast<K*>(row.keys_out));
      return;
    }
    if (plan.way == ranks_way::long_vectors) {
      if (long_ranks<K>(row, plan.few, plan.in_pieces, job).run())
        return;
      tell_step("fallback");
      const ranks_layout layout = plan.filter_of(row);
      const scratch space(layout.bytes, "the workspace of a selection");
      return ranks_job<K>(row, layout, {job.opts, job.threads, job.progress, space.bytes().data(), job.end}).run();
    }
  }
  ranks_job<K>(row, plan.filter, job).run();
}

// One key in its place

template <class K>
void nth_element_of_long(const nth_element_request& request, const options& opts, unsigned threads,
                         progress_meter& progress) {
  if constexpr (sizeof(K) == 4 || sizeof(K) == 8)
    long_nth_element<K>(request, opts, threads, progress).run();
}

/// Narrow keys are sorted (select.cpp).
template <class K>
void nth_element_by_splits(const nth_element_request& request, const options& opts, progress_meter& progress) {
  if constexpr (sizeof(K) >= 4)
    nth_by_splits<K>(request, opts, progress).run();
}

} // namespace sortile::cpu
