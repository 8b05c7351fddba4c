// See record_sort.hpp. Which way a sort of records takes: keys of a locale are made once, as strings
// (normalized_keys.hpp). Few of many are found by their first words, and sorted alone. Whole records by bytes go to the
// library's sort of strings as they lie; but many that their first words tell apart are sorted by those, which takes a
// third of the new memory that the system has to clear. To the sort of strings go, as views, also a first field or
// column that begins alike in most records, and one of which the distinct ones are wanted: what is equal in it is then
// sorted by the parts behind it. All else is sorted by words (word_sort.cpp).
#include "files/record_sort.hpp"

#include "files/failure.hpp"
#include "files/first_words.hpp"
#include "files/normalized_keys.hpp"
#include "files/parallel.hpp"
#include "files/planning.hpp"
#include "files/text_views.hpp"
#include "files/word_sort.hpp"

#include <sortile/sortile.hpp>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <vector>

namespace sortile::files {

namespace {

constexpr std::size_t slice_records = std::size_t{1} << 12;
constexpr std::size_t many_records = std::size_t{1} << 18; // then the memory of a sort takes time

// Whether words are sorted by the CPU, which has a sort of strings too.
bool has_string_sort(std::size_t n, const options& opts) {
  options plain = opts;
  plain.order = sortile::order::ascending;
  plain.bits = {};
  return explain_request({.type = key_type::u64, .n = n, .carries = payload::indices, .value_bytes = 4}, plain)
             .engine == "cpu";
}

bool are_whole_texts(const record_order& order) {
  return order.size() == 1 && order[0].where == key_part::place::record && order[0].as == key_part::form::text;
}

// The sort of strings, of which `request` has the strings.
void sort_strings(strings_request request, bool descending, const options& given, raw_array<std::uint32_t>& ids) {
  options opts = given;
  opts.order = descending ? sortile::order::descending : sortile::order::ascending;
  opts.bits = {};
  opts.workspace = {};
  request.n = ids.size();
  request.indices_out = ids.data();
  request.index_bytes = sizeof(std::uint32_t);
  ids.keep_first(run(request, opts));
}

void sort_whole_texts(const record_table& records, bool descending, const options& opts, bool distinct,
                      raw_array<std::uint32_t>& ids) {
  sort_strings({.offsets = records.starts.data(),
                .offset_bytes = records.starts.width(),
                .bytes = records.text.data(),
                .size = records.text.size(),
                .separator_bytes = records.gap,
                .distinct = distinct},
               descending, opts, ids);
}

// By the first part as strings; those that are equal in it by the others.
void sort_views(const record_table& records, const record_order& order, const raw_array<std::string_view>& views,
                const options& opts, bool distinct, raw_array<std::uint32_t>& ids) {
  sort_strings({.views = views.data(), .distinct = distinct && order.size() == 1}, order[0].reverse, opts, ids);
  if (order.size() == 1)
    return;
  raw_array<char> repeats(ids.size()); // noted before groups are sorted, by other threads too
  parallel_slices(thread_count(opts.threads), ids.size(), slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      repeats[i] = i > 0 && views[ids[i]] == views[ids[i - 1]];
  });
  sort_behind_first_part(records, order, opts, {ids.data(), ids.size()}, repeats);
}

// Puts records in order that nearly are: looks at all neighbours, and moves those to the front that come too late.
void mend_order(const record_table& records, const record_order& order, raw_array<std::uint32_t>& ids,
                unsigned threads) {
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    const int result = compare(order, records[a], records[b]);
    return result != 0 ? result < 0 : a < b;
  };
  std::mutex lock;
  std::vector<std::size_t> late;
  parallel_slices(threads, ids.size(), slice_records, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i)
      if (before(ids[i], ids[i - 1])) {
        const std::lock_guard guard(lock);
        late.push_back(i);
      }
  });
  std::sort(late.begin(), late.end());
  std::size_t moves_left = ids.size() + 64; // then it is another order, and needs a sort
  std::size_t in_order = 0;                 // all before this one
  for (const std::size_t first : late)
    for (std::size_t i = std::max(first, in_order); i < ids.size() && before(ids[i], ids[i - 1]); in_order = ++i) {
      const std::uint32_t moving = ids[i];
      std::size_t j = i;
      for (; j > 0 && before(moving, ids[j - 1]); --j) {
        ids[j] = ids[j - 1];
        if (moves_left-- == 0) {
          ids[j - 1] = moving;
          std::stable_sort(ids.begin(), ids.end(), before);
          return;
        }
      }
      ids[j] = moving;
    }
}

void sort_normalized(const record_table& records, const record_order& order, const options& opts,
                     raw_array<std::uint32_t>& ids) {
  const normalized_keys keys = make_normalized_keys(records, order, thread_count(opts.threads));
  if (has_string_sort(ids.size(), opts))
    sort_whole_texts(keys.records, false, opts, false, ids);
  else
    sort_by_words(keys.records, record_order{key_part{}}, opts, {ids.data(), ids.size()});
  mend_order(records, order, ids, thread_count(opts.threads));
}

// Where a sort of strings does it: true.
bool sort_as_strings(const record_table& records, const record_order& order, const options& opts, bool distinct,
                     raw_array<std::uint32_t>& ids) {
  const bool whole = are_whole_texts(order);
  if (!(whole || begins_with_one_text(order)) || !has_string_sort(ids.size(), opts))
    return false;
  if (whole && !distinct && records.size() >= many_records && numbers_fit_first_words(records, order))
    return false;
  if (whole) {
    sort_whole_texts(records, order[0].reverse, opts, distinct, ids);
    return true;
  }
  if (!(distinct && order.size() == 1) && !begin_alike(records, order))
    return false;
  const auto views = text_views(records, order, thread_count(opts.threads));
  if (views)
    sort_views(records, order, *views, opts, distinct, ids);
  return views.has_value();
}

// Few of many: those that their first words leave, sorted. Empty where a sort of all is as good.
raw_array<std::uint32_t> select_records(const record_table& records, const record_order& order, const options& opts,
                                        std::size_t most) {
  constexpr std::size_t few = 8; // an eighth
  if (most == 0 || most > records.size() / few || order.empty() || needs_normalized_keys(order))
    return {};
  options silent = opts;
  silent.progress = {};
  return select_by_words(records, order, silent, most);
}

} // namespace

raw_array<std::uint32_t> sort_records(const record_table& records, const record_order& order, const options& opts,
                                      bool distinct, std::size_t most) {
  if (records.size() > most_records)
    refuse("{} records are more than the {} that one sort of text can take", records.size(), most_records);
  if (!distinct && most < records.size())
    if (raw_array<std::uint32_t> chosen = select_records(records, order, opts, most); chosen.size() != 0)
      return chosen;
  raw_array<std::uint32_t> ids(records.size());
  if (order.empty() || records.size() < 2)
    std::iota(ids.begin(), ids.end(), 0u);
  else if (needs_normalized_keys(order))
    sort_normalized(records, order, opts, ids);
  else if (!sort_as_strings(records, order, opts, distinct, ids))
    sort_by_words(records, order, opts, {ids.data(), ids.size()});
  else if (order.size() == 1)
    distinct = false; // they are, where that is asked for
  if (distinct)
    ids.keep_first(keep_first_of_equals(records, order, {ids.data(), ids.size()}, thread_count(opts.threads)));
  ids.keep_first(most);
  return ids;
}

} // namespace sortile::files
