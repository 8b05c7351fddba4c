// Short sorts by counts; see the header.
#include "cpu/short_counts.hpp"

#include "cpu/counted_values.hpp"
#include "cpu/heavy_keys.hpp"
#include "cpu/sampled_split.hpp"
#include "cpu/short_order.hpp"
#include "cpu/short_room.hpp"

#include <algorithm>
#include <bit>

namespace sortile::cpu {

namespace {

/// Of n keys, the values that a sample has at least twice.
template <class K>
class short_sample {
 public:
  /// Of keys of which up to `most` values may be looked up in a table.
  short_sample(const K* keys, std::size_t n, const key_image<K>& image, std::size_t most)
      : keys_(keys), n_(n), most_(most), image_(image) {}

  /// Whether few keys repeat so that counting may pay. Others beside one value are gathered by a split, or packed, in
  /// the same time.
  bool repeats() {
    constexpr std::size_t together = 2, stretches = look / together;
    for (std::size_t s = 0; s < stretches; ++s)
      std::copy_n(keys_ + sampled_position(s, stretches, n_ - together + 1), together, images_ + s * together);
    if (n_ < least_of_one && are_same_bits(images_, look / 4)) // most are one
      return false;
    sort_last(look, look);
    std::uint32_t same = 0; // as the one behind
    for (std::size_t i = 0; i + 1 < look; ++i)
      same |= std::uint32_t{images_[i] == images_[i + 1]} << i;
    const auto many = [](std::uint32_t bits) { return static_cast<std::size_t>(std::popcount(bits)); };
    const std::uint32_t ends = same & ~(same >> 1), lone = ends & ~(same << 1);
    const std::size_t values = look - many(same), repeated = many(ends), twice = many(lone), once = values - repeated;
    is_one_ = values == 1;
    if (is_one_)
      return n_ >= least_of_one;
    if (values <= look / 2)
      return repeated > 1;
    return (repeated > 1 || twice == 1) && value_frequencies<K>::about(values, once, twice) <= most_;
  }

  /// After repeats(). The longer the array, the larger a sample it is worth.
  value_frequencies<K> frequencies() {
    if (is_one_)
      return {images_, look, 2};
    sample_few(keys_, n_, images_);
    const value_frequencies<K> found = of(few_sampled, few_sampled);
    const bool are_many = found.values > value_frequencies<K>::most_heavy;
    if (found.once == 0 || (are_many && (n_ < enough_for_many || found.once == few_sampled)))
      return found;
    const bool two_do = found.values <= few_sampled / 8 && n_ < enough_for_any;
    const std::size_t more = two_do ? 1 : most_sampled / few_sampled - 1;
    for (std::size_t part = 0; part < more; ++part)
      sample_few(keys_ + n_ / more * part, n_ / more, images_ + few_sampled * (part + 1));
    return of((more + 1) * few_sampled, more * few_sampled);
  }

  /// Whether a table has room for them.
  bool are_few(const value_frequencies<K>& found) const { return found.are_few(most_); }

  /// Calls f(key) for each value of the sample.
  template <class F>
  void each_value(F&& f) const {
    for (std::size_t i = 0; i < size_; ++i)
      if (i == 0 || images_[i] != images_[i - 1])
        f(image_.key_of(images_[i]));
  }

 private:
  static constexpr std::size_t look = 32, most_sampled = 4 * few_sampled;
  static constexpr std::size_t enough_for_many = 4096, enough_for_any = 16384; // keys

  /// Of so many, of which the last ones are keys yet.
  void sort_last(std::size_t size, std::size_t are_keys) {
    std::transform(images_ + size - are_keys, images_ + size, images_ + size - are_keys, image_);
    best_vector_kernels<K>()->sort(images_, size, {}, images_);
    size_ = size;
  }
  value_frequencies<K> of(std::size_t size, std::size_t are_keys) {
    sort_last(size, are_keys);
    const value_frequencies<K> found(images_, size, 2);
    // What it has met once may be one of few values too, unless it has met many such.
    return found.once > found.values / 4 ? found : value_frequencies<K>(images_, size, 1);
  }

  const K* keys_;
  std::size_t n_, most_;
  const key_image<K>& image_;
  bool is_one_ = false;
  std::size_t size_ = 0;
  K images_[most_sampled];
};

/// Sorts n keys of which nearly all have one of a few values. False, and nothing was done, where a −0 or a NaN is met.
template <class K>
bool sort_by_comparisons(const K* keys, std::size_t n, const value_frequencies<K>& found, const key_image<K>& image,
                         K* to) {
  heavy_keys<K> heavy(found, *best_vector_parts<K>(), image);
  std::size_t rest = 0;
  if (!image.is_float) {
    rest = heavy.take_out(keys, n, to, 1, nullptr);
  } else {
    for (std::size_t j = 0; j < heavy.size(); ++j)
      if (image.is_special(heavy.key(j)))
        return false;
    if (const std::size_t read = heavy.take_out_plain(keys, n, to, rest); read < n) {
      if (keys == to)
        heavy.put_back(to, read, rest, 1);
      return false;
    }
  }
  best_vector_kernels<K>()->sort(to, rest, image, to);
  heavy.put_back(to, n, rest, 1);
  return true;
}

/// Sorts n keys with about so many values. False, and nothing was done, where there are many more, or −0 or a NaN.
template <class K>
bool sort_in_table(const K* keys, std::size_t n, std::size_t about, const short_sample<K>& sample,
                   const key_image<K>& image, K* to) {
  const typename counted_values<K>::shape shape(n, about);
  short_room room(shape.bytes());
  if (room.get().empty())
    return false;
  counted_values<K> values(shape, room.get().data());
  sample.each_value([&](K key) { values.expect(key); });
  if (!values.count(keys, n) || !values.put_in_order(image))
    return false;
  values.write_keys(to);
  return true;
}

/// Of so few different keys the values are packed in less time, here or the long way.
template <class K>
constexpr std::size_t most_packed = 64 / sizeof(K);

} // namespace

template <class K>
bool sort_by_counts(const K* keys, std::size_t n, const key_image<K>& image, K* to, std::size_t most) {
  short_sample<K> sample(keys, n, image, most);
  if (!sample.repeats())
    return false;
  const value_frequencies<K> found = sample.frequencies();
  if (found.values > value_frequencies<K>::most_heavy && found.may_be_looked_up() && sample.are_few(found))
    return sort_in_table(keys, n, found.about(), sample, image, to);
  return found.are_nearly_all_heavy() && sort_by_comparisons(keys, n, found, image, to);
}

template <class K>
bool sort_pairs_by_counts(const sort_request& r, order direction) {
  const auto* const keys = static_cast<const K*>(r.keys_in);
  const key_image<K> image(r.type, direction, {});
  short_sample<K> sample(keys, r.n, image, counted_values<K>::most_with_values(r.n));
  if (!sample.repeats())
    return false;
  const value_frequencies<K> found = sample.frequencies();
  if (found.values <= most_packed<K> || !sample.are_few(found))
    return false;
  if (r.n > most_in_order && is_placed_in_order(r, direction))
    return true;
  const typename counted_values<K>::shape shape(r.n, found.about());
  const std::size_t numbers = r.n * sizeof(std::uint32_t);
  const bool stay = r.carries == payload::values && r.values_in == r.values_out;
  short_room room(shape.bytes() + numbers + (stay ? r.n * r.value_bytes : 0));
  if (room.get().empty())
    return false;
  std::byte* const memory = room.get().data();
  counted_values<K> values(shape, memory);
  sample.each_value([&](K x) { values.expect(x); });
  return sort_counted_pairs(source<K>(keys, r.values_in, r.value_bytes), r.n,
                            lanes<K>{static_cast<K*>(r.keys_out), static_cast<std::byte*>(r.values_out), r.value_bytes},
                            image, values, reinterpret_cast<std::uint32_t*>(memory + shape.bytes()),
                            memory + shape.bytes() + numbers);
}

template bool sort_by_counts(const std::uint32_t*, std::size_t, const key_image<std::uint32_t>&, std::uint32_t*,
                             std::size_t);
template bool sort_by_counts(const std::uint64_t*, std::size_t, const key_image<std::uint64_t>&, std::uint64_t*,
                             std::size_t);
template bool sort_pairs_by_counts<std::uint32_t>(const sort_request&, order);
template bool sort_pairs_by_counts<std::uint64_t>(const sort_request&, order);

} // namespace sortile::cpu
