// The sort of pairs by chains (value_chains.hpp); a step of the radix sort, and of that within little memory.
#pragma once

#include "cpu/in_order.hpp"
#include "cpu/memory_slots.hpp"
#include "cpu/radix_job.hpp"
#include "cpu/value_chains.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

namespace sortile::cpu {

template <class K>
class chain_sorter {
 public:
  /// With spare arrays.
  chain_sorter(const radix_job& job, const radix_layout& layout, const key_image<K>& image, const lanes<K>& result,
               const lanes<K>& spare)
      : chain_sorter(job, layout.workers, image, result, false) {
    for (unsigned c = 0; c < chunks_; ++c) {
      std::byte* const memory = job.scratch + c * layout.worker_bytes;
      const std::size_t bytes = layout.worker_bytes / 64 * 64, tables = bytes / 4 * 3, n = begin(c + 1) - begin(c);
      const lanes<K> own = spare.at(begin(c));
      rooms_.push_back({{memory, tables},
                        owners(memory + tables, bytes - tables),
                        {{own.values, n * width_}, {reinterpret_cast<std::byte*>(own.keys), n * sizeof(K)}},
                        n * sizeof(K)});
    }
  }

  /// Of few pairs, within the scratch of a local sort.
  chain_sorter(const radix_job& job, const local_scratch<K>& scratch, const key_image<K>& image, const lanes<K>& result)
      : chain_sorter(job, 1, image, result, false) {
    auto *const memory = reinterpret_cast<std::byte*>(scratch.counts), *const last_keys = reinterpret_cast<std::byte*>(
                                                                           scratch.result.keys);
    const std::size_t bytes = static_cast<std::size_t>(scratch.result.values - scratch.first.values);
    rooms_.push_back({{memory, static_cast<std::size_t>(last_keys - memory) / 64 * 64},
                      owners(last_keys, job.n * sizeof(K)),
                      {{scratch.first.values, bytes}, {}},
                      bytes - job.n * width_});
  }

  /// Without: chains lie where the result has its keys, which may be the input.
  chain_sorter(const radix_job& job, const in_place_layout& layout, const key_image<K>& image, const lanes<K>& result)
      : chain_sorter(job, layout.workers, image, result, true) {
    std::byte* const shared = job.scratch + layout.workers * layout.worker_bytes; // what a partition has of blocks
    const std::size_t share = (layout.bytes - layout.workers * layout.worker_bytes) / chunks_ / 64 * 64;
    const std::size_t tables = layout.worker_bytes / 4 / 64 * 64, own = layout.worker_bytes / 16 / 64 * 64,
                      area = layout.worker_bytes - tables - own;
    for (unsigned c = 0; c < chunks_; ++c) {
      std::byte* const memory = job.scratch + c * layout.worker_bytes;
      rooms_.push_back({{memory, tables},
                        share > own ? owners(shared + c * share, share) : owners(memory + tables, own),
                        {{memory + tables + own, area},
                         {reinterpret_cast<std::byte*>(result.keys + begin(c)), (begin(c + 1) - begin(c)) * sizeof(K)}},
                        area,
                        true});
    }
  }

  /// False where a sample does not find few values, or too few of them, or two keys have one image. Where the result
  /// is the input, what has been read is then in order, or where it was; another result may have been written to.
  bool run() {
    if (stays_ && (width_ > sizeof(K) || image_.window != static_cast<K>(~K{0})))
      return false;
    const key_sample<K> sample(input_.keys, job_.n, image_);
    const value_frequencies<K> frequencies(sample);
    if (!frequencies.are_few(job_.n))
      return false;
    for (unsigned c = 0; c < chunks_; ++c)
      chains_.emplace_back(rooms_[c], (begin(c + 1) - begin(c)) * width_, frequencies.about(), past_caches() && !stays_,
                           stays_ && image_.is_float ? &image_ : nullptr);
    const auto least = std::min_element(chains_.begin(), chains_.end(),
                                        [](const auto& a, const auto& b) { return a.most() < b.most(); });
    if (!frequencies.are_few(least->most()))
      return false;
    if (begins_in_order()) {
      const look_result<K> found = look();
      if (found.special)
        return false;
      if (found.ascending) {
        copy_in_order(whole_input(), job_.n, result_, chunks_);
        job_.progress->add(4 * job_.n);
        return true;
      }
    }
    if (may_put_in_place())
      chains_[0].put_in_place(image_.key_of(sample.images[0]), result_.values);
    if (!chain()) {
      give_up();
      return false;
    }
    const std::optional<placed_values> values = find_places(0, chunks_);
    if (!values)
      return false;
    job_.progress->add(2 * job_.n);
    for_each_task(chunks_, chunks_, job_.progress, [&](unsigned, std::size_t c) {
      chains_[c].place(past_caches(), widens());
      job_.progress->add(begin(c + 1) - begin(c));
    });
    write_keys(*values, result_.keys, chunks_, *job_.progress);
    return true;
  }

  /// Whether a sort without spare arrays that gave up has left all pairs in the result, in an order that sorts alike.
  bool has_moved() const { return moved_; }

 private:
  chain_sorter(const radix_job& job, unsigned chunks, const key_image<K>& image, const lanes<K>& result, bool stays)
      : job_(job), image_(image.exactly()), width_(moved_width(job, stays)), movers_(best_movers<K>(width_)),
        input_(static_cast<const K*>(job.keys_in), job.values_in, width_), result_(result), chunks_(chunks),
        stays_(stays) {}

  /// Keys of 8 and 16 bits have no room for values.
  static constexpr bool can_stay = sizeof(K) >= 4;

  struct value {
    K image, key;
    std::uint64_t count;
    std::byte** place; // of its chain in a chunk
    unsigned chunk;
    std::uint64_t end; // in the result, of this and all before it
  };
  using placed_values = call_vector<value>;

  static std::span<std::uint16_t> owners(std::byte* at, std::size_t bytes) {
    return {reinterpret_cast<std::uint16_t*>(at), bytes / sizeof(std::uint16_t)};
  }

  /// Of values. Positions that are made have 32 bits where 64 are wider than the keys that make room for them.
  static std::size_t moved_width(const radix_job& job, bool stays) {
    const bool narrow =
        stays && sizeof(K) < 8 && job.values_in == nullptr && job.value_width == 8 && job.n <= std::uint64_t{1} << 32;
    return narrow ? 4 : job.value_width;
  }
  bool widens() const { return width_ != job_.value_width; }
  source<K> whole_input() const { return {input_.keys, job_.values_in, job_.value_width}; }

  bool past_caches() const { return job_.n * (sizeof(K) + job_.value_width) >= tuning().stream_chains_from_bytes; }
  std::size_t begin(std::size_t chunk) const { return part_begin(job_.n, chunks_, chunk); }

  /// Up to the first keys that are not in order; by plain images.
  look_result<K> look() const {
    constexpr std::size_t step = 4096;
    key_image<K> plain = image_;
    plain.exact = false;
    call_vector<look_result<K>> looks(chunks_);
    std::atomic<bool> stopped{false};
    for_each_task(chunks_, chunks_, job_.progress, [&](unsigned, std::size_t c) {
      look_result<K>& found = looks[c];
      const std::size_t end = begin(c + 1);
      for (std::size_t i = begin(c); i < end && !stopped.load(std::memory_order_relaxed); i += step) {
        const std::size_t n = std::min(step, end - i), follows = i > 0 ? 1 : 0;
        const K* const keys = input_.keys + i;
        if (are_same_bits(keys - follows, n + follows))
          continue;
        best_kernels<K>().look(keys, n, follows != 0 ? keys - 1 : nullptr, plain, found);
        if (!found.ascending || found.special)
          stopped.store(true, std::memory_order_relaxed);
      }
    });
    look_result<K> found;
    for (const look_result<K>& l : looks)
      found.join(l);
    return found;
  }

  /// Such arrays may have a shorter way.
  bool begins_in_order() const {
    look_result<K> found;
    best_kernels<K>().look(input_.keys, std::min<std::size_t>(job_.n, 1024), nullptr, image_, found);
    return found.ascending || found.descending;
  }

  bool chain() {
    constexpr std::size_t step = std::size_t{1} << 18;
    std::atomic<bool> too_many{false};
    for_each_task(chunks_, chunks_, nullptr, [&](unsigned worker, std::size_t c) {
      const std::size_t end = begin(c + 1);
      for (std::size_t i = begin(c); i < end && !too_many.load(std::memory_order_relaxed); i += step) {
        if (!movers_.chain(input_.at(i), std::min(step, end - i), chains_[c]))
          too_many.store(true, std::memory_order_relaxed);
        if (worker == 0)
          job_.progress->report();
      }
    });
    return !too_many;
  }

  /// Values of the least key go to their places at once where a sort that gives up can leave the pairs that it has read
  /// in order: sorted later, they come out as if they had not moved. That needs keys of different images, which are in
  /// place if values are; and values that do not lie across the ends of blocks.
  bool may_put_in_place() const {
    return !image_.is_float && image_.window == static_cast<K>(~K{0}) && !widens() &&
           (job_.values_in != job_.values_out || job_.keys_in == job_.keys_out) &&
           reinterpret_cast<std::uintptr_t>(result_.values) % job_.value_width == 0;
  }

  /// Puts what chains have left without room back, sorted chunk by chunk, where that has been moved. Chains over keys
  /// leave all of the input in the result.
  void give_up() {
    const bool in_place = chains_[0].puts_in_place() && job_.values_in == job_.values_out;
    moved_ = stays_;
    progress_meter unheard(nullptr, 0); // of what is done, nothing stays done
    const unsigned moved = stays_ ? chunks_ : in_place ? 1 : 0;
    for_each_task(chunks_, moved, nullptr, [&](unsigned, std::size_t c) {
      const placed_values values = *find_places(static_cast<unsigned>(c), static_cast<unsigned>(c) + 1);
      const std::size_t first = begin(c), read = values.empty() ? 0 : values.back().end;
      chains_[c].place(false, widens());
      write_keys(values, result_.keys + first, 1, unheard);
      if (can_stay && stays_)
        copy_in_order(whole_input().at(first + read), begin(c + 1) - first - read, result_.at(first + read), 1);
    });
  }

  /// Where the chains of some chunks belong, from the first chunk's beginning on; those that lie in place are moved
  /// there. Nothing where two keys have one image.
  std::optional<placed_values> find_places(unsigned first, unsigned last) {
    placed_values values;
    for (unsigned c = first; c < last; ++c)
      chains_[c].each_chain([&](auto& e, std::uint64_t bytes) {
        values.push_back({image_.ordering(e.key), e.key, bytes / width_, &e.what, c, 0});
      });
    std::sort(values.begin(), values.end(), [](const value& a, const value& b) {
      return a.image < b.image || (a.image == b.image && a.chunk < b.chunk);
    });
    std::byte* const to = result_.at(begin(first)).values;
    std::uint64_t end = 0;
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (v > 0 && values[v].image == values[v - 1].image && values[v].key != values[v - 1].key)
        return std::nullopt;
      *values[v].place = to + end * job_.value_width;
      values[v].end = end += values[v].count;
    }
    chains_[first].place_first();
    return values;
  }

  void write_keys(const placed_values& values, K* to, unsigned workers, progress_meter& progress) const {
    const std::size_t pieces = workers == 1 ? 1 : std::size_t{4} * workers, n = values.empty() ? 0 : values.back().end;
    for_each_task(workers, pieces, &progress, [&](unsigned, std::size_t p) {
      const std::size_t first = part_begin(n, pieces, p), end = part_begin(n, pieces, p + 1);
      auto v = std::upper_bound(values.begin(), values.end(), first,
                                [](std::size_t at, const value& b) { return at < b.end; });
      for (std::size_t at = first; at < end; ++v) {
        const std::size_t until = std::min<std::size_t>(v->end, end);
        best_kernels<K>().fill(to + at, until - at, v->key, past_caches());
        at = until;
      }
      progress.add(end - first);
    });
  }

  const radix_job& job_;
  key_image<K> image_;
  const std::size_t width_; // of what chains hold
  const movers<K>& movers_;
  const source<K> input_;
  const lanes<K> result_;
  const unsigned chunks_;
  const bool stays_; // without spare arrays
  call_vector<chain_room> rooms_;
  call_vector<value_chains<K>> chains_;
  bool moved_ = false;
};

} // namespace sortile::cpu
