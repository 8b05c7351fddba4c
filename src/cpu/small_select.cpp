// Selections at once. Idea: as of short sorts (small_sort.cpp), most of a short selection's time went to what comes
// before it. So this file asks only what it must know, gives usual requests to the vector selections
// (vector_select.ipp), and leaves others to the front door.
#include "cpu/small_select.hpp"

#include "cpu/few_keys.hpp"
#include "cpu/first_keys.hpp"
#include "cpu/key_image.hpp"
#include "cpu/key_number.hpp"
#include "cpu/scratch.hpp"
#include "cpu/select_in_place.hpp"
#include "cpu/short_calls.hpp"
#include "cpu/small_sort.hpp"
#include "cpu/told_steps.hpp"
#include "cpu/vector_sort.hpp"
#include "primitives/quantile_place.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace {

constexpr std::size_t read_from = 4096;   // keys: of fewer a partial sort of more than most_at_once is done at once
constexpr std::size_t part_by_read = 256; // of keys alone: more of them are found sooner by vectors
constexpr std::size_t stack_bytes = std::size_t{32} << 10;

bool is_usual(const options& opts, bool engine_is_open) {
  return is_plain(opts, engine_is_open) && opts.bits.begin == 0 && opts.bits.end == bit_window::whole_key &&
         opts.workspace_limit == 0;
}

/// Calls f with a number as wide as the keys.
template <class F>
void with_width(key_type type, F&& f) {
  if (key_bytes(type) == 4)
    f(std::uint32_t{});
  else
    f(std::uint64_t{});
}

template <class K>
plain_image<K> image_of(key_type type, order direction) {
  return key_image<K>(type, direction, {});
}

/// Keys of ranks of arrays of one length, and room to search for them.
template <class K>
class search {
 public:
  search(key_type type, std::size_t n, order direction)
      : n_(n), image_(image_of<K>(type, direction)),
        beside_(room() > std::size(on_stack_) ? room() * sizeof(K) : 0, "the keys among which a rank is searched"),
        space_(beside_.bytes().empty() ? on_stack_ : reinterpret_cast<K*>(beside_.bytes().data())) {}

  void find(const K* keys, std::size_t first, std::size_t last, K* found) {
    tell_step("gather");
    tell_step("split");
    vectors_.ranks(keys, n_, first, last, image_, space_, found);
  }

 private:
  std::size_t room() const { return n_ + ranks_room<K>; }

  std::size_t n_;
  const vector_kernels<K>& vectors_ = *best_vector_kernels<K>();
  plain_image<K> image_;
  alignas(64) K on_stack_[stack_bytes / sizeof(K)];
  scratch beside_;
  K* space_;
};

/// Finds the keys of the same ranks in each row, and calls take(row, key_at), where key_at(rank) is one.
template <class K, class Take>
void find_in_rows(const void* keys, key_type type, std::size_t n, std::size_t rows, std::size_t stride, order direction,
                  const few_ranks& ranks, Take&& take) {
  search<K> in(type, n, direction);
  for (std::size_t row = 0; row < rows; ++row) {
    const K* const from = static_cast<const K*>(keys) + row * (stride == 0 ? n : stride);
    K found[few_ranks::sorted_whole];
    if (n <= few_ranks::sorted_whole) {
      in.find(from, ranks.least(), ranks.greatest(), found);
      take(row, [&](std::size_t rank) -> const K& { return found[rank - ranks.least()]; });
      continue;
    }
    ranks.each_run(
        [&](std::size_t first, std::size_t last) { in.find(from, first, last, found + ranks.place(first)); });
    take(row, [&](std::size_t rank) -> const K& { return found[ranks.place(rank)]; });
  }
}

/// Whether vectors select from rows of such a shape, and one thread alone does.
bool rows_are_few(key_type type, std::size_t n, std::size_t rows, std::size_t stride) {
  const std::size_t key = key_bytes(type);
  return (key == 4 || key == 8) && best_vector_kernels<std::uint32_t>() != nullptr && n > 0 && n <= most_alone &&
         rows > 0 && rows <= most_alone / n && (stride == 0 || (stride >= n && stride <= most_alone));
}

bool can_be_read(const void* keys, key_type type) {
  return keys != nullptr && is_aligned(keys, key_bytes(type));
}

/// A list that says what to select.
template <class T>
bool list_can_be_read(std::span<const T> list) {
  return !list.empty() && list.size() <= few_ranks::most && list.data() != nullptr && are_in_reach({list.data()});
}

/// What is written, of `count` elements a row.
bool results_can_be_written(const void* out, std::size_t count, std::size_t element, const void* keys, key_type type,
                            std::size_t n, std::size_t rows, std::size_t stride) {
  const std::size_t extent = (rows - 1) * (stride == 0 ? n : stride) + n;
  return out != nullptr && is_aligned(out, element) &&
         apart(keys, extent * key_bytes(type), out, rows * count * element) && are_in_reach({keys, out});
}

template <class T>
bool is_apart(const void* out, std::size_t bytes, std::span<const T> list) {
  return apart(out, bytes, list.data(), list.size_bytes());
}

/// Keys alone, in memory that is room for the search.
template <class K>
void select_at_once(const top_k_request& r, order direction) {
  const std::size_t stride = r.stride == 0 ? r.n : r.stride;
  search<K> in(r.type, r.n, direction);
  for (std::size_t row = 0; row < r.rows; ++row)
    in.find(static_cast<const K*>(r.keys_in) + row * stride, 0, r.k - 1, static_cast<K*>(r.keys_out) + row * r.k);
  tell_step("copy");
}

template <class K>
void select_at_once(const ranks_request& r, order direction, const few_ranks& ranks) {
  find_in_rows<K>(r.keys, r.type, r.n, r.rows, r.stride, direction, ranks, [&](std::size_t row, const auto& key_at) {
    K* const to = static_cast<K*>(r.keys_out) + row * r.ranks.size();
    for (std::size_t i = 0; i < r.ranks.size(); ++i)
      to[i] = key_at(r.ranks[i]);
  });
  tell_step("copy");
}

/// A quantile_place that is not written before it is known.
struct between_ranks {
  std::size_t low, high;
  double fraction;
};

template <class K>
void select_at_once(const quantiles_request& r, const few_ranks& ranks, const between_ranks* places) {
  find_in_rows<K>(r.keys, r.type, r.n, r.rows, r.stride, order::ascending, ranks,
                  [&](std::size_t row, const auto& key_at) {
                    double* const to = r.results + row * r.probabilities.size();
                    for (std::size_t i = 0; i < r.probabilities.size(); ++i)
                      to[i] = between(number_of(r.type, &key_at(places[i].low)),
                                      number_of(r.type, &key_at(places[i].high)), places[i].fraction);
                  });
  tell_step("copy");
  tell_step("interpolate");
}

} // namespace

void select_by_vectors(const nth_element_request& r, order direction) noexcept {
  tell_step("split");
  with_width(r.type, [&]<class K>(K) {
    best_vector_kernels<K>()->select(static_cast<K*>(r.keys), r.n, r.nth, image_of<K>(r.type, direction));
  });
}

bool select_small(const nth_element_request& r, const options& opts, bool engine_is_open) noexcept {
  const std::size_t key = key_bytes(r.type);
  if ((key != 4 && key != 8) || r.n > most_alone || r.nth >= r.n || r.keys == nullptr || !is_aligned(r.keys, key) ||
      !is_usual(opts, engine_is_open) || best_vector_kernels<std::uint32_t>() == nullptr || !are_in_reach({r.keys}))
    return false;
  select_by_vectors(r, opts.order);
  return true;
}

bool select_small(const ranks_request& r, const options& opts, bool engine_is_open) {
  const std::size_t count = r.ranks.size(), key = key_bytes(r.type);
  if (!list_can_be_read(r.ranks) || !is_usual(opts, engine_is_open) || !rows_are_few(r.type, r.n, r.rows, r.stride) ||
      !can_be_read(r.keys, r.type) ||
      !results_can_be_written(r.keys_out, count, key, r.keys, r.type, r.n, r.rows, r.stride) ||
      !is_apart(r.keys_out, r.rows * count * key, r.ranks))
    return false;
  few_ranks ranks;
  if (std::any_of(r.ranks.begin(), r.ranks.end(), [&](std::size_t rank) { return rank >= r.n || !ranks.add(rank); }) ||
      !ranks.take_few_reads(r.n))
    return false;
  search_by_vectors(r, opts.order, ranks);
  return true;
}

void search_by_vectors(const ranks_request& row, order direction, const few_ranks& ranks) {
  with_width(row.type, [&]<class K>(K) { select_at_once<K>(row, direction, ranks); });
}

bool select_small(const quantiles_request& r, const options& opts, bool engine_is_open) {
  const std::size_t count = r.probabilities.size();
  if (!list_can_be_read(r.probabilities) || !is_usual(opts, engine_is_open) || opts.order != order::ascending ||
      r.method > quantile_method::midpoint || !rows_are_few(r.type, r.n, r.rows, r.stride) ||
      !can_be_read(r.keys, r.type) ||
      !results_can_be_written(r.results, count, sizeof(double), r.keys, r.type, r.n, r.rows, r.stride) ||
      !is_apart(r.results, r.rows * count * sizeof(double), r.probabilities))
    return false;
  few_ranks ranks;
  between_ranks places[few_ranks::most];
  for (std::size_t i = 0; i < count; ++i) {
    const double probability = r.probabilities[i];
    if (!(probability >= 0 && probability <= 1))
      return false;
    const quantile_place at(probability, r.n, r.method);
    places[i] = {at.low, at.high, at.fraction};
    if (!ranks.add(at.low) || !ranks.add(at.high))
      return false;
  }
  if (!ranks.take_few_reads(r.n))
    return false;
  with_width(r.type, [&]<class K>(K) { select_at_once<K>(r, ranks, places); });
  return true;
}

bool is_done_at_once(const top_k_request& r, const options& opts) {
  return r.k > 0 && r.k <= r.n && r.carries == payload::none && r.row_k == nullptr && is_usual(opts, true) &&
         rows_are_few(r.type, r.n, r.rows, r.stride) &&
         (r.rows > 1 || r.k > r.n / part_by_read || !is_read_at_once(r.type, r.n, r.k));
}

bool is_done_at_once(const partial_sort_request& r, const options& opts) {
  return r.k > 0 && r.k <= r.n && r.value_bytes == 0 && is_usual(opts, true) && rows_are_few(r.type, r.n, 1, 0) &&
         !is_read_at_once(r.type, r.n, r.k) && (r.n < read_from || !are_found_by_read(r.type, r.n, r.k));
}

namespace {

/// By one read, where is_read_at_once() is so.
bool select_by_read(const top_k_request& r, const options& opts, bool engine_is_open) {
  if (is_done_at_once(r, opts) || r.rows != 1 || r.row_k != nullptr || (r.stride != 0 && r.stride < r.n) ||
      !is_usual(opts, engine_is_open) || !is_read_at_once(r.type, r.n, r.k) || !can_be_read(r.keys_in, r.type) ||
      !are_in_reach({r.keys_in}) || !payload_is_sound(r))
    return false;
  select_very_few(r, opts);
  return true;
}

bool select_by_read(const partial_sort_request& r, const options& opts, bool engine_is_open) {
  if (r.value_bytes > widest_in_words || !is_usual(opts, engine_is_open) || !is_read_at_once(r.type, r.n, r.k) ||
      !can_be_read(r.keys, r.type) || !are_in_reach({r.keys}) ||
      (r.value_bytes > 0 && (r.values == nullptr || !are_in_reach({r.values}) ||
                             !apart(r.keys, r.n * key_bytes(r.type), r.values, r.n * r.value_bytes))))
    return false;
  select_very_few(r, opts);
  return true;
}

} // namespace

bool select_small(const top_k_request& r, const options& opts, bool engine_is_open) {
  if (select_by_read(r, opts, engine_is_open))
    return true;
  if (!engine_is_open || !is_done_at_once(r, opts) || !can_be_read(r.keys_in, r.type) ||
      !results_can_be_written(r.keys_out, r.k, key_bytes(r.type), r.keys_in, r.type, r.n, r.rows, r.stride))
    return false;
  with_width(r.type, [&]<class K>(K) { select_at_once<K>(r, opts.order); });
  return true;
}

namespace {

/// Keys before place k that are not among the first k fill, in their order, the places of those behind it that are.
template <class K>
void displace(K* keys, std::size_t n, const K* first, std::size_t k, const key_image<K>& image) {
  const K threshold = image.ordering(first[k - 1]);
  std::size_t below = 0, equal = 0;
  for (std::size_t i = 0; i < k; ++i)
    below += image.ordering(first[i]) < threshold;
  const first_keys<K> among{threshold, k - below};
  std::uint16_t offsets[select_block];
  std::size_t stay = 0; // before place k, of the first k
  for (std::size_t at = 0; at < k; at += select_block)
    stay += best_select_loops<K>().below(keys + at, std::min(select_block, k - at), image, threshold, equal, offsets);
  stay += std::min(equal, among.equal);
  misplaced_keys<K> from(keys, 0, k, 0, false, among, image), to(keys, k, n, equal, true, among, image);
  for (; stay < k; ++stay)
    keys[to.next()] = keys[from.next()];
}

template <class K>
void select_at_once(const partial_sort_request& r, order direction) {
  K* const keys = static_cast<K*>(r.keys);
  K on_stack[stack_bytes / sizeof(K) / 8];
  const scratch beside(r.k > std::size(on_stack) ? r.k * sizeof(K) : 0, "the first keys of a partial sort");
  K* const first = beside.bytes().empty() ? on_stack : reinterpret_cast<K*>(beside.bytes().data());
  search<K>(r.type, r.n, direction).find(keys, 0, r.k - 1, first);
  if (std::memcmp(first, keys, r.k * sizeof(K)) == 0)
    return; // they stand there already
  const key_image<K> image = key_image<K>(r.type, direction, {}).exactly();
  if (r.k < r.n) {
    tell_step("displace");
    displace(keys, r.n, first, r.k, image);
  }
  tell_step("copy");
  std::copy(first, first + r.k, keys);
}

} // namespace

bool select_small(const partial_sort_request& r, const options& opts, bool engine_is_open) {
  if (select_by_read(r, opts, engine_is_open))
    return true;
  if (!engine_is_open || !is_done_at_once(r, opts) || !can_be_read(r.keys, r.type) || !are_in_reach({r.keys}))
    return false;
  with_width(r.type, [&]<class K>(K) { select_at_once<K>(r, opts.order); });
  return true;
}

} // namespace sortile::cpu
