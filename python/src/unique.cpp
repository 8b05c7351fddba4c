// unique: the distinct keys in order, with the place of each one's first, each element's group, and how many there are.
//
// The keys are sorted (with their positions where these are asked for); a group begins where a key differs from its
// predecessor. Two passes over pieces of the sorted keys, side by side: the first counts the groups that begin in each
// piece, the second, knowing how many begin before it, writes them out.
#include "arrays.hpp"
#include "call.hpp"
#include "sort.hpp"

#include "cpu/parallel.hpp"

#include <sortile/request.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

namespace sortile::python {

namespace {

constexpr std::size_t unique_alone_below = std::size_t{1} << 15;
constexpr std::size_t unique_told_piece = std::size_t{1} << 16; // keys, where progress is told
constexpr double sorted_at = 0.6, counted_at = 0.7;             // of the whole

/// When two keys are the same: −0 and +0 are; NaNs of all kinds, and NaTs, are with equal_nan, else none is another.
template <class Word>
struct identity {
  Word infinity = 0; ///< the bits of +∞; 0 for keys that are no floats
  bool nat = false;  ///< the smallest signed number is NaT
  bool equal_nan = true;

  bool same(Word a, Word b) const {
    if (infinity == 0)
      return a == b && (!nat || equal_nan || a != static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1)));
    const Word magnitude_a = static_cast<Word>(a << 1), magnitude_b = static_cast<Word>(b << 1);
    const Word beyond = static_cast<Word>(infinity << 1);
    if (magnitude_a > beyond || magnitude_b > beyond)
      return equal_nan && magnitude_a > beyond && magnitude_b > beyond;
    return a == b || (magnitude_a | magnitude_b) == 0;
  }
};

/// What unique() makes; null where it is not wanted. `inverse` has n places, the others one a group.
struct tables {
  std::byte* values = nullptr;
  std::int64_t* index = nullptr;
  std::int64_t* inverse = nullptr;
  std::int64_t* counts = nullptr;
};

template <class Word>
class groups_of {
 public:
  groups_of(const Word* keys, std::size_t n, identity<Word> same, unsigned threads, progress_meter& progress)
      : keys_(keys), n_(n), same_(same), threads_(threads),
        pieces_(n < unique_alone_below ? 1
                : progress.is_told()   ? std::max(std::size_t{4} * threads, n / unique_told_piece)
                                       : std::size_t{4} * threads),
        before_(pieces_ + 1) {
    each_piece(progress, [&](std::size_t piece, std::size_t begin, std::size_t end) {
      std::size_t count = 0;
      for (std::size_t i = begin; i < end; ++i)
        count += begins(i);
      before_[piece + 1] = count;
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
  }

  std::size_t count() const { return before_.back(); }

  /// `positions`: where each sorted key was; null where only values and counts are wanted.
  template <class Index>
  void write(const Index* positions, const tables& to, progress_meter& progress) const {
    each_piece(progress, [&](std::size_t piece, std::size_t begin, std::size_t end) {
      std::size_t group = before_[piece]; // of the key to come, if it begins one
      for (std::size_t i = begin; i < end; ++i) {
        if (begins(i))
          open(group++, i, positions, to);
        // Not below n where another thread has changed the keys during the sort.
        if (to.inverse != nullptr && positions[i] < n_)
          to.inverse[positions[i]] = static_cast<std::int64_t>(group) - 1;
      }
    });
    if (to.counts != nullptr)
      counts_from_beginnings(to.counts);
  }

 private:
  bool begins(std::size_t i) const { return i == 0 || !same_.same(keys_[i - 1], keys_[i]); }

  template <class Index>
  void open(std::size_t group, std::size_t i, const Index* positions, const tables& to) const {
    std::memcpy(to.values + group * sizeof(Word), keys_ + i, sizeof(Word));
    if (to.index != nullptr)
      to.index[group] = static_cast<std::int64_t>(positions[i]);
    if (to.counts != nullptr)
      to.counts[group] = static_cast<std::int64_t>(i);
  }

  void counts_from_beginnings(std::int64_t* counts) const {
    for (std::size_t g = 0; g + 1 < count(); ++g)
      counts[g] = counts[g + 1] - counts[g];
    if (count() > 0)
      counts[count() - 1] = static_cast<std::int64_t>(n_) - counts[count() - 1];
  }

  template <class F>
  void each_piece(progress_meter& progress, F&& f) const {
    cpu::for_each_task(threads_, pieces_, &progress, [&](unsigned, std::size_t i) {
      const std::size_t begin = cpu::part_begin(n_, pieces_, i), end = cpu::part_begin(n_, pieces_, i + 1);
      f(i, begin, end);
      progress.add(end - begin);
    });
  }

  const Word* keys_;
  std::size_t n_;
  identity<Word> same_;
  unsigned threads_;
  std::size_t pieces_;
  std::vector<std::size_t> before_; ///< groups that begin before each piece
};

struct wishes {
  bool index, inverse, counts, equal_nan;
  bool positions() const { return index || inverse; }
};

/// What is given back: the values, or a tuple of them and of the tables that are wanted.
class answer {
 public:
  nb::object values;

  std::int64_t* add(bool wanted, std::size_t n) { return wanted ? added(new_vector(n, NPY_INT64)) : nullptr; }
  std::int64_t* add_like(bool wanted, PyArrayObject* shape) {
    return wanted ? added(owned(PyArray_SimpleNew(PyArray_NDIM(shape), PyArray_DIMS(shape), NPY_INT64))) : nullptr;
  }

  nb::object given_back() const {
    switch (count_) {
    case 0:
      return values;
    case 1:
      return nb::make_tuple(values, tables_[0]);
    case 2:
      return nb::make_tuple(values, tables_[0], tables_[1]);
    default:
      return nb::make_tuple(values, tables_[0], tables_[1], tables_[2]);
    }
  }

 private:
  std::int64_t* added(nb::object table) {
    tables_[count_] = std::move(table);
    return static_cast<std::int64_t*>(PyArray_DATA(as_array(tables_[count_++])));
  }

  nb::object tables_[3];
  unsigned count_ = 0;
};

template <class Word>
Word infinity_of(key_type type) {
  switch (type) {
  case key_type::f16:
    return static_cast<Word>(0x7c00);
  case key_type::bf16:
    return static_cast<Word>(0x7f80);
  case key_type::f32:
    return static_cast<Word>(0x7f800000);
  case key_type::f64:
    return static_cast<Word>(std::uint64_t{0x7ff} << 52);
  default:
    return 0;
  }
}

template <class Word>
answer groups(call& how, PyArrayObject* like, const element& e, const void* sorted, const void* positions,
              std::size_t index_bytes, std::size_t n, const wishes& want) {
  answer a;
  std::optional<groups_of<Word>> found;
  how.run(n, [&] {
    const std::function<bool(double)> told = progress_of_step(how.opts.progress, sorted_at, counted_at);
    progress_meter progress(&told, n);
    found.emplace(static_cast<const Word*>(sorted), n,
                  identity<Word>{infinity_of<Word>(e.type), e.missing == missing_kind::nat, want.equal_nan},
                  how.threads(n), progress);
  });
  const std::size_t m = n == 0 ? 0 : found->count();
  a.values = new_vector(m, like);
  tables to{.values = static_cast<std::byte*>(PyArray_DATA(as_array(a.values)))};
  to.index = a.add(want.index, m);
  to.inverse = a.add_like(want.inverse, like);
  to.counts = a.add(want.counts, m);
  how.run(n, [&] {
    const std::function<bool(double)> told = progress_of_step(how.opts.progress, counted_at, 1);
    progress_meter progress(&told, n);
    if (index_bytes == 4)
      found->write(static_cast<const std::uint32_t*>(positions), to, progress);
    else
      found->write(static_cast<const std::uint64_t*>(positions), to, progress);
    progress.finish();
  });
  return a;
}

answer groups_by_width(call& how, PyArrayObject* like, const element& e, const void* sorted, const void* positions,
                       std::size_t index_bytes, std::size_t n, const wishes& want) {
  switch (e.width) {
  case 1:
    return groups<std::uint8_t>(how, like, e, sorted, positions, index_bytes, n, want);
  case 2:
    return groups<std::uint16_t>(how, like, e, sorted, positions, index_bytes, n, want);
  case 4:
    return groups<std::uint32_t>(how, like, e, sorted, positions, index_bytes, n, want);
  default:
    return groups<std::uint64_t>(how, like, e, sorted, positions, index_bytes, n, want);
  }
}

} // namespace

nb::object unique(nb::handle x, nb::handle index, nb::handle inverse, nb::handle counts, nb::handle equal_nan,
                  nb::handle threads, nb::handle progress) {
  if (!plain_element(x))
    return not_implemented();
  call how(threads, progress);
  const wishes want{flag("return_index", index), flag("return_inverse", inverse), flag("return_counts", counts),
                    flag("equal_nan", equal_nan)};
  const std::optional<element> e = plain_element(x);
  if (!e || e->swapped)
    return not_implemented();
  const nb::object keys = without_gaps(x);
  const std::size_t n = size_of(as_array(keys));
  const std::size_t index_bytes = n >> 32 == 0 ? 4 : 8;
  const call_scratch sorted(n * e->width, "the sorted keys of unique");
  const call_scratch positions(want.positions() ? n * index_bytes : 0, "the positions of unique");
  const missing_move move = move_of_missing(*e, order::ascending, nan_place::last);
  how.run(n, [&] {
    options opts = how.opts;
    opts.progress = progress_of_step(how.opts.progress, 0, sorted_at);
    run(sort_request{.type = e->type,
                     .n = n,
                     .keys_in = PyArray_DATA(as_array(keys)),
                     .keys_out = sorted.data(),
                     .carries = want.positions() ? payload::indices : payload::none,
                     .value_bytes = want.positions() ? index_bytes : 0,
                     .values_out = positions.data()},
        opts);
    const std::size_t missing = count_missing(*e, move, sorted.data(), n);
    move_block(move, sorted.data(), n, missing, e->width);
    if (want.positions())
      move_block(move, positions.data(), n, missing, index_bytes);
  });
  return groups_by_width(how, as_array(keys), *e, sorted.data(), positions.data(), index_bytes, n, want).given_back();
}

} // namespace sortile::python
