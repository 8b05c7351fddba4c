// Short merges: of two runs from both ends at once; of more, or where vectors sort sooner, a short sort of the runs
// behind each other.
#include "cpu/key_image.hpp"
#include "cpu/short_calls.hpp"
#include "cpu/small_sort.hpp"
#include "primitives/with_word.hpp"

#include <algorithm>
#include <cstring>

namespace sortile::cpu {

namespace {

constexpr std::size_t most_merged = 2048;                // keys that are sorted sooner than merged
constexpr std::size_t most_of_two = 65535;               // keys of two runs that one thread merges
constexpr std::size_t sorted_from = 12, sorted_to = 512; // keys of 4 and 8 bytes that vectors sort sooner than that

/// One of two keys without a branch.
template <class K>
K choose(K a, K b, std::ptrdiff_t takes_b) {
  return static_cast<K>(a ^ ((a ^ b) & static_cast<K>(-static_cast<K>(takes_b))));
}

/// 1 where the key b comes before the key a, to be counted with: then compilers make no branch of it.
template <bool Exact, class K>
std::ptrdiff_t comes_before(K b, K a, const key_image<K>& image) {
  return Exact ? image.exact_float(b) < image.exact_float(a) : image.plain(b) < image.plain(a);
}

/// Merges two sorted runs from both ends at once, so that two chains of steps run side by side; each end takes at most
/// half of the shorter run, so that runs which are out of order do no harm.
template <bool Exact, class K>
void merge_two(const K* a, const K* a_end, const K* b, const K* b_end, const key_image<K>& given, K* out) {
  const key_image<K> image = given;
  K* out_end = out + (a_end - a) + (b_end - b);
  while (const auto steps = std::min(a_end - a, b_end - b) / 2) {
    for (std::ptrdiff_t i = 0; i < steps; ++i) {
      const K first_a = *a, first_b = *b, last_a = a_end[-1], last_b = b_end[-1];
      const std::ptrdiff_t takes_b = comes_before<Exact>(first_b, first_a, image);
      *out++ = choose(first_a, first_b, takes_b);
      b += takes_b;
      a += takes_b ^ 1;
      const std::ptrdiff_t takes_a = comes_before<Exact>(last_b, last_a, image);
      *--out_end = choose(last_b, last_a, takes_a);
      a_end -= takes_a;
      b_end -= takes_a ^ 1;
    }
  }
  while (a != a_end && b != b_end)
    *out++ = comes_before<Exact>(*b, *a, image) != 0 ? *b++ : *a++;
  std::copy(b, b_end, std::copy(a, a_end, out));
}

template <class K>
void merge_two(const merge_request& r, order direction) {
  const auto *const a = static_cast<const K*>(r.runs[0].keys), *const b = static_cast<const K*>(r.runs[1].keys);
  const key_image<K> image(r.type, direction, {});
  const auto merge = [&]<bool Exact>(std::bool_constant<Exact>) {
    merge_two<Exact>(a, a + r.runs[0].n, b, b + r.runs[1].n, image, static_cast<K*>(r.keys_out));
  };
  if constexpr (width_has_floats<K>)
    if (image.is_float)
      return merge(std::true_type{});
  merge(std::false_type{});
}

} // namespace

bool merge_small(const merge_request& r, const options& opts, bool engine_is_open) noexcept {
  const std::size_t key = key_bytes(r.type);
  const bool whole = opts.bits.begin == 0 && opts.bits.end == bit_window::whole_key;
  const bool two = r.runs.size() == 2 && whole;
  const std::size_t most = two ? most_of_two : key == 4 || key == 8 ? most_merged : most_in_words;
  if (r.value_bytes != 0 || key == 0 || opts.workspace_limit != 0 || !is_plain(opts, engine_is_open) ||
      !can_be_written(r.keys_out, key) || !are_in_reach(r.keys_out, r.runs, &sorted_run::keys))
    return false;
  std::size_t n = 0;
  for (const sorted_run& run : r.runs)
    if (run.n > most - n)
      return false;
    else
      n += run.n;
  for (const sorted_run& run : r.runs)
    if (!can_be_read(run.keys, run.n, key, r.keys_out, n * key))
      return false;
  if (two && ((key != 4 && key != 8) || n < sorted_from || n > sorted_to)) {
    with_word(r.type, [&]<class K>(K) { merge_two<K>(r, opts.order); });
    return true;
  }
  alignas(64)
      std::byte keys[most_merged * sizeof(std::uint64_t)]; // the output stays as it is where it is not sorted here
  std::byte* end = keys;
  for (const sorted_run& run : r.runs)
    if (run.n > 0) {
      std::memcpy(end, run.keys, run.n * key);
      end += run.n * key;
    }
  return sort_small({.type = r.type, .n = n, .keys_in = keys, .keys_out = r.keys_out}, opts, engine_is_open);
}

} // namespace sortile::cpu
