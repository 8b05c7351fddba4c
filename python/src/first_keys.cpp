// The library holds NaN for the largest number and NaT for the smallest, and leaves the places behind a row's results
// as they are.
//
// NaT becomes the largest by counting from the second smallest date (lane_rows). NaN behind the numbers of a descending
// order: rows whose first result is one are done again, from a copy with all signs turned round, in ascending order.
// Then the largest number is the smallest, and NaN still comes last.
#include "first_keys.hpp"

#include "cpu/parallel.hpp"
#include "cpu/scratch.hpp"
#include "plan/progress.hpp"
#include "plan/segment_places.hpp"

#include <sortile/select.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace sortile::python {

namespace {

constexpr std::size_t results_alone_below = std::size_t{1} << 15; // finished by one thread

/// n elements, each with these bytes.
void fill_elements(std::byte* to, std::size_t n, std::size_t width, const void* element) {
  if (element == nullptr) {
    std::memset(to, 0, n * width);
    return;
  }
  std::memcpy(to, element, n == 0 ? 0 : width);
  for (std::size_t done = 1; done < n; done *= 2)
    std::memcpy(to + done * width, to, std::min(done, n - done) * width);
}

} // namespace

std::size_t first_keys::results_of(std::size_t row) const {
  const std::size_t most = std::min(k, place_of(where, row).n);
  return counts == nullptr ? most : std::min(most, offset_at(counts, count_bytes, row));
}

void first_keys::select(const void* from, const void* counts_of_rows, std::size_t bytes, const options& opts) const {
  top_k_request all{.type = keys.e.type,
                    .n = keys.size(),
                    .k = k,
                    .keys_in = from,
                    .keys_out = values,
                    .carries = payload::indices,
                    .value_bytes = sizeof(std::int64_t),
                    .values_out = positions,
                    .row_k = counts_of_rows,
                    .row_k_bytes = bytes};
  if (where.form != segment_form::strided)
    return sortile::run(segmented_top_k_request{all, where}, opts);
  all.n = where.length;
  all.rows = where.count;
  sortile::run(all, opts);
}

void first_keys::select_again(const std::vector<std::uint64_t>& wanted, const options& given) const {
  const std::size_t width = keys.e.width;
  const cpu::scratch copy(keys.size() * width, "the keys of a top-k with NaN");
  for (std::size_t row = 0; row < where.count; ++row)
    if (wanted[row] > 0) {
      const segment_place place = place_of(where, row);
      std::byte* const to = copy.bytes().data() + place.first * width;
      std::memcpy(to, keys.data() + place.first * width, place.n * width);
      turn_signs(to, place.n, width);
    }
  options opts = given;
  opts.order = order::ascending;
  select(copy.bytes().data(), wanted.data(), sizeof(std::uint64_t), opts);
  for (std::size_t row = 0; row < where.count; ++row)
    turn_signs(values + row * k * width, wanted[row], width);
}

void first_keys::select_with_nan_last(const call& how) const {
  const auto told_of_part = [&how](double begin, double end) {
    options opts = how.opts;
    opts.progress = progress_of_step(how.opts.progress, begin, end);
    return opts;
  };
  const bool is_told = static_cast<bool>(how.opts.progress);
  if (is_told)
    select(keys.data(), counts, count_bytes, told_of_part(0, 0.5));
  else
    select(keys.data(), counts, count_bytes, how.opts);
  std::vector<std::uint64_t> wanted; // of rows with NaN; none where there are no such
  for (std::size_t row = 0; row < where.count; ++row)
    if (const std::size_t results = results_of(row);
        results > 0 && is_missing(keys.e, values + row * k * keys.e.width)) {
      wanted.resize(where.count);
      wanted[row] = results;
    }
  if (!wanted.empty())
    select_again(wanted, told_of_part(0.5, 1));
  else if (is_told && !how.opts.progress(1))
    throw cancelled("sortile: a selection was ended by its progress callback");
}

void first_keys::finish_row(std::size_t row, bool counted_from_second) const {
  const std::size_t results = results_of(row), width = keys.e.width;
  std::byte* const first = values + row * k * width;
  if (counted_from_second)
    keys.undo(first, results);
  fill_elements(first + results * width, k - results, width, fill);
  std::fill(positions + row * k + results, positions + (row + 1) * k, std::int64_t{-1});
}

void first_keys::run(const call& how) const {
  const bool last_of_descending = how.opts.order == order::descending && how.nan == nan_place::last;
  const bool from_second = keys.e.missing == missing_kind::nat && !last_of_descending; // NaT is the smallest anyway
  if (from_second)
    keys.prepare();
  if (keys.e.missing == missing_kind::nan && last_of_descending)
    select_with_nan_last(how);
  else
    select(keys.data(), counts, count_bytes, how.opts);
  const bool all_are_full = where.form == segment_form::strided && counts == nullptr;
  if (all_are_full && !from_second)
    return;
  const std::size_t rows_alone_below = std::max<std::size_t>(2, results_alone_below / std::max<std::size_t>(1, k));
  cpu::for_each_piece(how.threads(where.count * k), where.count, rows_alone_below,
                      [&](std::size_t begin, std::size_t end) {
                        for (std::size_t row = begin; row < end; ++row)
                          finish_row(row, from_second);
                      });
}

} // namespace sortile::python
