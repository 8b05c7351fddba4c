// Lanes of arrays: where they lie, and how they are shared out to threads.
//
// A lane without gaps is sorted where it lies. Others are brought together in scratch memory, several neighbours at a
// time: the elements of neighbouring lanes usually lie side by side (an axis other than the last of a C-ordered array),
// so a cache line that is fetched for one lane serves the next fifteen too.
#include "lanes.hpp"

#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace sortile::python {

namespace {

constexpr std::size_t long_lane = std::size_t{1} << 16;  // elements: worth all threads by itself, if lanes are few
constexpr std::size_t long_block = std::size_t{1} << 22; // elements that one thread sorts before progress is told
constexpr std::size_t lanes_alone_below = std::size_t{1} << 15; // elements of all lanes together
constexpr std::size_t scratch_aim = std::size_t{1} << 18;       // bytes of a block of lanes: within the L2 cache
constexpr std::size_t scratch_most = std::size_t{1} << 25;      // and where a line's neighbours need more
constexpr std::size_t neighbours = 16;
constexpr const char* axes_allowed = "whole numbers and None";

std::uint8_t swapped(std::uint8_t w) {
  return w;
}
std::uint16_t swapped(std::uint16_t w) {
  return __builtin_bswap16(w);
}
std::uint32_t swapped(std::uint32_t w) {
  return __builtin_bswap32(w);
}
std::uint64_t swapped(std::uint64_t w) {
  return __builtin_bswap64(w);
}

/// A complex number of two doubles.
struct two_words {
  std::uint64_t first, second;
};
two_words swapped(two_words w) {
  return {swapped(w.first), swapped(w.second)};
}

/// A block of elements in two directions: along lanes, and from lane to lane.
struct grid {
  std::ptrdiff_t step, stride;
};

template <class Word>
void copy_words(const std::byte* from, grid f, std::byte* to, grid t, std::size_t length, std::size_t lanes,
                bool swap) {
  const auto copy_one = [&](std::size_t k, std::size_t j) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k), lane = static_cast<std::ptrdiff_t>(j);
    Word w;
    std::memcpy(&w, from + at * f.step + lane * f.stride, sizeof w);
    if (swap)
      w = swapped(w);
    std::memcpy(to + at * t.step + lane * t.stride, &w, sizeof w);
  };
  const auto ask_for = [&](const std::byte* array, grid g, std::size_t k) { // the processor fetches to a page's end
    const std::byte* const first = array + static_cast<std::ptrdiff_t>(k) * g.step;
    __builtin_prefetch(first);
    __builtin_prefetch(first + static_cast<std::ptrdiff_t>(lanes - 1) * g.stride);
  };
  constexpr std::size_t ahead = 32;
  const bool from_gaps = f.stride < f.step, to_gaps = t.stride < t.step;
  for (std::size_t k = 0; k < length; ++k) {
    if (k + ahead < length) {
      if (from_gaps)
        ask_for(from, f, k + ahead);
      if (to_gaps)
        ask_for(to, t, k + ahead);
    }
    for (std::size_t j = 0; j < lanes; ++j)
      copy_one(k, j);
  }
}

void copy_block(const std::byte* from, grid f, std::byte* to, grid t, std::size_t length, std::size_t lanes,
                std::size_t width, bool swap) {
  switch (width) {
  case 1:
    return copy_words<std::uint8_t>(from, f, to, t, length, lanes, swap);
  case 2:
    return copy_words<std::uint16_t>(from, f, to, t, length, lanes, swap);
  case 4:
    return copy_words<std::uint32_t>(from, f, to, t, length, lanes, swap);
  case 8:
    return copy_words<std::uint64_t>(from, f, to, t, length, lanes, swap);
  default:
    return copy_words<two_words>(from, f, to, t, length, lanes, swap);
  }
}

/// One call's lanes with its decisions.
class lane_run {
 public:
  lane_run(const lane_pair& where, const lane_work& what)
      : where_(where), what_(what),
        in_direct_(!what.swapped_in && what.aligned && dense(where.in_step, what.key_width)),
        out_direct_(what.result_width == 0 ||
                    (!what.swapped_out && what.aligned && dense(where.out_step, what.result_width))),
        block_(lanes_per_block()) {}

  std::size_t blocks() const { return (where_.lanes + block_ - 1) / block_; }

  /// Whether threads had better take blocks than share each lane: long lanes too, where there are several blocks for
  /// each. Then a third of the array at most lies in their scratch memory.
  bool goes_side_by_side(unsigned threads) const {
    return where_.length < long_lane || (blocks() >= std::size_t{3} * threads && block_ * where_.length <= long_block);
  }

  void block(std::size_t number, const options& opts) const {
    const std::size_t begin = number * block_, end = std::min(where_.lanes, begin + block_);
    if (in_direct_ && out_direct_) {
      for (std::size_t i = begin; i < end; ++i) {
        const lane_pair::place at = where_.lane(i);
        what_.f(at.in, at.out, where_.length, opts);
      }
      return;
    }
    for (std::size_t i = begin; i < end;) // lanes that follow each other along the innermost of the other axes
      i += through_scratch(i, std::min(end - i, run_from(i)), opts);
  }

 private:
  bool dense(std::ptrdiff_t step, std::size_t width) const {
    return where_.length <= 1 || step == static_cast<std::ptrdiff_t>(width);
  }

  std::size_t lanes_per_block() const {
    const std::size_t bytes = std::max<std::size_t>(1, where_.length * std::max(what_.key_width, what_.result_width));
    if (in_direct_ && out_direct_)
      return std::clamp<std::size_t>(scratch_aim / bytes, 1, 4096);
    return std::clamp<std::size_t>(scratch_aim / bytes,
                                   std::min(neighbours, std::max<std::size_t>(1, scratch_most / bytes)), 64);
  }

  std::size_t run_from(std::size_t lane) const {
    if (where_.axes == 0)
      return 1;
    const std::size_t innermost = where_.shape[where_.axes - 1];
    return innermost - lane % innermost;
  }

  std::size_t through_scratch(std::size_t first, std::size_t lanes, const options& opts) const {
    const std::size_t n = where_.length;
    const std::ptrdiff_t key_stride = static_cast<std::ptrdiff_t>(n * what_.key_width);
    const std::ptrdiff_t result_stride = static_cast<std::ptrdiff_t>(n * what_.result_width);
    const std::ptrdiff_t in_next = where_.axes > 0 ? where_.in_stride[where_.axes - 1] : 0;
    const std::ptrdiff_t out_next = where_.axes > 0 ? where_.out_stride[where_.axes - 1] : 0;
    const lane_pair::place at = where_.lane(first);

    const bool in_result = what_.within_result && !in_direct_;
    const cpu::scratch result_space(out_direct_ ? 0 : lanes * n * what_.result_width, "lanes with gaps in the result");
    std::byte* const results = out_direct_ ? at.out : result_space.bytes().data();
    const std::ptrdiff_t result_next = out_direct_ ? out_next : result_stride;
    const cpu::scratch key_space(in_direct_ || in_result ? 0 : lanes * n * what_.key_width, "lanes with gaps");
    std::byte* const gathered = in_result ? results : key_space.bytes().data();
    const std::ptrdiff_t gathered_next = in_result ? result_next : key_stride;

    if (!in_direct_)
      copy_block(at.in, {where_.in_step, in_next}, gathered,
                 {static_cast<std::ptrdiff_t>(what_.key_width), gathered_next}, n, lanes, what_.key_width,
                 what_.swapped_in);
    for (std::ptrdiff_t j = 0; j < static_cast<std::ptrdiff_t>(lanes); ++j)
      what_.f(in_direct_ ? at.in + j * in_next : gathered + j * gathered_next, results + j * result_next, n, opts);
    if (!out_direct_)
      copy_block(results, {static_cast<std::ptrdiff_t>(what_.result_width), result_stride}, at.out,
                 {where_.out_step, out_next}, n, lanes, what_.result_width, what_.swapped_out);
    return lanes;
  }

  const lane_pair& where_;
  const lane_work& what_;
  bool in_direct_, out_direct_;
  std::size_t block_;
};

/// Each lane reports from 0 to 1; of several, the caller is told how many blocks are done.
void one_after_another(const lane_run& run, bool single, const options& opts, unsigned threads) {
  const std::size_t blocks = run.blocks();
  options of_block = opts;
  of_block.threads = threads;
  for (std::size_t i = 0; i < blocks; ++i) {
    if (opts.progress && !single)
      of_block.progress = [&, done = static_cast<double>(i) / static_cast<double>(blocks)](double) {
        return opts.progress(done);
      };
    run.block(i, of_block);
  }
  if (opts.progress && !single && !opts.progress(1))
    throw cancelled("sortile: cancelled by the progress callback");
}

void side_by_side(const lane_run& run, const options& opts, unsigned threads) {
  options alone = opts;
  alone.threads = 1;
  alone.progress = nullptr;
  progress_meter progress(&opts.progress, run.blocks());
  cpu::for_each_task(threads, run.blocks(), &progress, [&](unsigned, std::size_t i) {
    run.block(i, alone);
    progress.add(1);
  });
  progress.finish();
}

} // namespace

lane_pair::place lane_pair::lane(std::size_t i) const {
  std::ptrdiff_t in_at = 0, out_at = 0;
  for (int a = axes - 1; a > 0; --a) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i % shape[a]);
    i /= shape[a];
    in_at += at * in_stride[a];
    out_at += at * out_stride[a];
  }
  if (axes > 0) {
    in_at += static_cast<std::ptrdiff_t>(i) * in_stride[0];
    out_at += static_cast<std::ptrdiff_t>(i) * out_stride[0];
  }
  return {in + in_at, out + out_at};
}

lane_pair lanes_of(PyArrayObject* in, PyArrayObject* out, int axis) {
  lane_pair p;
  p.in = static_cast<const std::byte*>(PyArray_DATA(in));
  p.out = static_cast<std::byte*>(PyArray_DATA(out));
  p.length = static_cast<std::size_t>(PyArray_DIM(in, axis));
  p.in_step = PyArray_STRIDE(in, axis);
  p.out_step = PyArray_STRIDE(out, axis);
  p.lanes = 1;
  for (int a = 0; a < PyArray_NDIM(in); ++a) {
    if (a == axis)
      continue;
    const std::size_t n = static_cast<std::size_t>(PyArray_DIM(in, a));
    const std::ptrdiff_t in_stride = PyArray_STRIDE(in, a), out_stride = PyArray_STRIDE(out, a);
    p.lanes *= n;
    const std::ptrdiff_t whole = static_cast<std::ptrdiff_t>(n);
    const bool continues =
        p.axes > 0 && p.in_stride[p.axes - 1] == whole * in_stride && p.out_stride[p.axes - 1] == whole * out_stride;
    const int at = continues ? p.axes - 1 : p.axes++;
    p.shape[at] = continues ? p.shape[at] * n : n;
    p.in_stride[at] = in_stride;
    p.out_stride[at] = out_stride;
  }
  return p;
}

void for_each_lane(const lane_pair& where, const lane_work& what, const options& opts, unsigned threads) {
  if (where.lanes == 0 || where.length == 0)
    return;
  const lane_run run(where, what);
  if (where.lanes == 1 || !run.goes_side_by_side(threads))
    one_after_another(run, where.lanes == 1, opts, threads);
  else
    side_by_side(run, opts, where.lanes * where.length < lanes_alone_below ? 1 : threads);
}

nb::object axis_once(nb::handle axis) {
  if (axis.is_none() || PyLong_CheckExact(axis.ptr()))
    return nb::borrow<nb::object>(axis);
  return nb::int_(whole_number("axis", axis, axes_allowed));
}

int axis_of(nb::handle axis, int dimensions) {
  const long long given = whole_number("axis", axis, axes_allowed);
  if (given >= -dimensions && given < dimensions)
    return static_cast<int>(given < 0 ? given + dimensions : given);
  const std::string text = dimensions == 0
                               ? "sortile: an array without dimensions has no axis to sort along; axis=None takes it "
                                 "for one of one element"
                               : "sortile: axis " + quoted(axis) + " of an array with " + std::to_string(dimensions) +
                                     " dimensions; allowed are " + std::to_string(-dimensions) + " to " +
                                     std::to_string(dimensions - 1);
  const nb::object axis_error = nb::module_::import_("numpy").attr("exceptions").attr("AxisError");
  PyErr_SetString(axis_error.ptr(), text.c_str());
  throw nb::python_error();
}

} // namespace sortile::python
