// Sorts one segment after the other in one area of scratch: each by what its length asks for.
//
//   1 element                nothing, or a copy
//   keys alone by vectors    networks and quicksort (vector_sort.ipp), up to what one thread sorts without a partition
//   up to 24                 insertion
//   up to the local limit    in order already: copied, or reversed; else the local kernel, within the L2 cache
//   longer                   the radix sort of a whole array: by this thread alone, or by all
//
// A segment up to the local limit allocates nothing and calls these kernels alone, so that a short segment costs its
// sort and no more.
#pragma once

#include "cpu/gather.hpp"
#include "cpu/in_order.hpp"
#include "cpu/segment_batch.hpp"
#include "cpu/segment_layout.hpp"
#include "cpu/vector_sort.hpp"
#include "plan/segment_places.hpp"

#include <cstring>

namespace sortile::cpu {

/// A sort within segments whose elements lie side by side; arrays of bytes, of which each has its own width.
struct segment_job {
  key_type type = key_type::u32;
  order direction = order::ascending;
  bit_window bits{};
  const std::byte* keys_in = nullptr;
  std::byte* keys_out = nullptr; ///< null: not wanted
  const std::byte* values_in = nullptr;
  std::byte* values_out = nullptr;
  std::size_t value_bytes = 0;
  segment_values handling = segment_values::none;
};

template <class K, class V>
class segment_worker {
 public:
  /// \param told  of long sorts' progress, where this thread is the caller's
  segment_worker(const segment_job& job, const segment_layout& layout, const segment_layout::area& at, std::byte* area,
                 unsigned threads, progress_meter* told)
      : job_(job), layout_(layout), at_(at), area_(area), threads_(threads), told_(told), kernels_(best_kernels<K>()),
        movers_(best_movers<K>(layout.value_width)), image_(job.type, job.direction, job.bits),
        exact_(image_.exactly()) {
    if constexpr (!has_values<V> && (sizeof(K) == 4 || sizeof(K) == 8)) {
      by_vectors_ = sorts_by_vectors(image_);
      most_by_vectors_ = tuning().vector_bytes / sizeof(K);
    }
    in_batches_ =
        !by_vectors_ && job.handling != segment_values::gathered && best_vector_kernels<std::uint64_t>() != nullptr;
  }

  void sort(segment_place p) {
    if (p.n == 0)
      return;
    if (p.n == 1)
      return copy_one(p.first);
    const K* const from = reinterpret_cast<const K*>(job_.keys_in) + p.first;
    const std::size_t width = layout_.value_width;
    const bool gathers = job_.handling == segment_values::gathered;
    lanes<K> to{job_.keys_out != nullptr ? reinterpret_cast<K*>(job_.keys_out) + p.first
                                         : reinterpret_cast<K*>(area_ + at_.unwanted_keys),
                nullptr, width};
    if (width != 0)
      to.values = gathers ? area_ + at_.positions : job_.values_out + p.first * width;
    sort_lanes({from, job_.handling == segment_values::direct ? job_.values_in + p.first * width : nullptr, width}, p.n,
               to);
    if (gathers)
      gather_values(p);
  }

  /// Sorts the segments first, first + 1, … together, as long as they are short; returns how many. None where they are
  /// not, or where this machine has no vectors.
  std::size_t sort_some(const segments& where, std::size_t first, std::size_t last) {
    if constexpr (segment_batch<K, V>::fits) {
      if (!in_batches_)
        return 0;
      segment_batch<K, V> batch;
      const V* const values =
          job_.handling == segment_values::direct ? reinterpret_cast<const V*>(job_.values_in) : nullptr;
      const std::size_t taken =
          batch.take(where, first, last, exact_.codec, reinterpret_cast<const K*>(job_.keys_in), values);
      if (taken > 0)
        batch.put(reinterpret_cast<K*>(job_.keys_out), reinterpret_cast<V*>(job_.values_out),
                  job_.handling == segment_values::indices);
      return taken;
    }
    return 0;
  }

  /// Elements whose progress a long sort has told itself.
  std::size_t told() const { return told_elements_; }
  const key_image<K>& image() const { return image_; }

 private:
  void copy_one(std::size_t i) {
    if (job_.keys_out != nullptr && job_.keys_out != job_.keys_in)
      std::memcpy(job_.keys_out + i * sizeof(K), job_.keys_in + i * sizeof(K), sizeof(K));
    const std::size_t width = job_.value_bytes;
    if (job_.handling == segment_values::indices)
      std::memset(job_.values_out + i * width, 0, width);
    else if (job_.handling != segment_values::none && job_.values_in != job_.values_out)
      std::memcpy(job_.values_out + i * width, job_.values_in + i * width, width);
  }

  void sort_lanes(const source<K>& from, std::size_t n, const lanes<K>& to) {
    if constexpr (!has_values<V> && (sizeof(K) == 4 || sizeof(K) == 8))
      if (by_vectors_ && n <= most_by_vectors_ && best_vector_kernels<K>()->unseen(from.keys, n, image_, to.keys))
        return;
    if (n <= insertion_limit)
      return movers_.local(from, n, exact_, to, {}, false);
    if (n > layout_.local_limit)
      return sort_long(from, n, to);
    look_result<K> found;
    kernels_.look(from.keys, n, nullptr, image_, found);
    if (!found.special && found.ascending)
      return copy_in_order(from, n, to, 1);
    if (!found.special && found.descending)
      return copy_reversed(from, n, to, 1);
    movers_.local(from, n, found.special ? exact_ : image_, to, local_area(n), false);
  }

  void sort_long(const source<K>& from, std::size_t n, const lanes<K>& to) {
    progress_meter silent(nullptr, 0);
    radix_job job{.type = job_.type, .direction = job_.direction, .bits = job_.bits, .n = n};
    job.value_width = layout_.value_width;
    job.keys_in = from.keys;
    job.keys_out = to.keys;
    job.spare_keys = area_ + at_.spare_keys;
    job.values_in = from.values;
    job.values_out = to.values;
    job.spare_values = job.value_width != 0 ? area_ + at_.spare_values : nullptr;
    job.threads = threads_;
    job.progress = told_ != nullptr ? told_ : &silent;
    job.scratch = area_;
    radix_sort_keys<K>(job);
    told_elements_ += told_ != nullptr ? n : 0;
  }

  /// As radix_layout lays it out.
  local_scratch<K> local_area(std::size_t n) const { return {area_, (n + 63) / 64 * 64, layout_.value_width}; }

  void gather_values(segment_place p) {
    const std::size_t width = job_.value_bytes;
    const std::byte* const from = job_.values_in + p.first * width;
    std::byte* const to = job_.values_out + p.first * width;
    std::byte* const through = from == to ? area_ + at_.gathered : to;
    gather(from, area_ + at_.positions, layout_.value_width, p.n, width, through, threads_);
    if (through != to)
      copy(through, p.n * width, to, threads_);
  }

  const segment_job& job_;
  const segment_layout& layout_;
  const segment_layout::area& at_;
  std::byte* const area_;
  const unsigned threads_;
  progress_meter* const told_;
  const kernels<K>& kernels_;
  const movers<K>& movers_;
  const key_image<K> image_; ///< for keys without −0 and NaN
  key_image<K> exact_;       ///< for all
  bool by_vectors_ = false, in_batches_ = false;
  std::size_t most_by_vectors_ = 0;
  std::size_t told_elements_ = 0;
};

} // namespace sortile::cpu
