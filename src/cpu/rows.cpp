// The order of rows by several columns.
//
// Rows become words, the first deciding (row_words.hpp). All rows are sorted by their first word, as any keys are. Rows
// whose words differ are then in their final order, and most are. Where words are left, the groups of rows that are
// tied get their next word, and each is sorted by it; and so on, until no group or no word is left.
//
//   first words    | 3 | 3 | 5 | 8 | 8 | 8 | 9 |        sorted: all rows, by all threads
//   rows           | 6 | 1 | 4 | 0 | 2 | 3 | 5 |
//                   └─tied─┘   └──tied──┘
//   second words   | 7 | 2 |   | 4 | 4 | 1 |            sorted: each group (segment_sort.cpp)
//
// Invariants: a group is a range of places that its rows keep. Every sort is stable and begins with the order of the
// one before, so rows that agree in all columns keep the order that they came in.
//
// Cost: for columns of 64 bits together, or fewer, a read of each to find its range, a read to make the words, and one
// argsort of them. For more, the tied rows' columns are gathered, which misses the cache for each row.
#include "cpu/cpu_engine.hpp"
#include "cpu/gather.hpp"
#include "cpu/parallel.hpp"
#include "cpu/row_ties.hpp"
#include "cpu/row_words.hpp"
#include "cpu/scratch.hpp"
#include "cpu/segment_sort.hpp"

#include <algorithm>
#include <numeric>

namespace sortile::cpu {

namespace {

constexpr std::size_t rows_alone_below = std::size_t{1} << 14; // rows

template <class Index>
class row_sorter {
 public:
  row_sorter(const rows_request& request, const options& opts, unsigned threads)
      : columns_(request.columns), n_(request.n), order_(static_cast<Index*>(request.indices_out)), opts_(opts),
        threads_(threads), words_(request.columns, n_, threads) {}

  void run() {
    if (columns_.size() == 1)
      sort_by_only_column(columns_.front());
    else
      sort_by_all();
    if (done_ < 1)
      progress_meter(&opts_.progress, 0).finish();
  }

 private:
  void sort_by_all() {
    const unsigned bits = words_.next();
    if (bits == 0)
      std::iota(order_, order_ + n_, Index{0});
    else if (bits <= 32)
      sort_by_only_word();
    else
      sort_by_words();
  }

  void sort_by_only_column(const column& c) {
    options opts;
    opts.order = c.order;
    sort_all({.type = c.type, .keys_in = c.data}, opts, 1);
  }

  void sort_by_only_word() {
    const scratch space(n_ * sizeof(std::uint32_t), purpose);
    auto* const words = reinterpret_cast<std::uint32_t*>(space.bytes().data());
    make_first(words);
    sort_all({.type = key_type::u32, .keys_in = words, .keys_out = words}, {}, 1);
  }

  void sort_by_words() {
    const scratch space(n_ * sizeof(std::uint64_t), purpose);
    auto* const words = reinterpret_cast<std::uint64_t*>(space.bytes().data());
    make_first(words);
    sort_all({.type = key_type::u64, .keys_in = words, .keys_out = words}, {}, words_.has_more() ? 0.75 : 1);
    for (row_ties ties(n_); words_.has_more();) {
      ties = ties.within(words, threads_);
      if (ties.empty() || words_.next() == 0)
        return;
      make_next(ties, words);
      sort_groups(ties, words);
    }
  }

  template <class Word>
  void make_first(Word* words) const {
    for_each_piece(threads_, n_, rows_alone_below,
                   [&](std::size_t begin, std::size_t end) { words_.make(begin, end - begin, words + begin); });
  }

  /// Words of tied rows, at their places. Short groups are put together, so that each column is read for many rows.
  void make_next(const row_ties& ties, std::uint64_t* words) const {
    ties.for_each_piece_of_places(threads_, [&](auto&& for_each_stretch) {
      constexpr std::size_t most = 1024;
      std::size_t places[most], count = 0;
      Index rows[most];
      std::uint64_t made[most];
      const auto finish = [&] {
        words_.make(rows, count, made);
        for (std::size_t i = 0; i < count; ++i)
          words[places[i]] = made[i];
        count = 0;
      };
      for_each_stretch([&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at) {
          places[count] = at;
          rows[count++] = order_[at];
          if (count == most)
            finish();
        }
      });
      if (count > 0)
        finish();
    });
  }

  /// Sorts all rows by these keys. `end`: how much of the whole is done then.
  void sort_all(sort_request sort, const options& opts, double end) {
    sort.n = n_;
    sort.carries = payload::indices;
    sort.value_bytes = sizeof(Index);
    sort.values_out = order_;
    const scratch space(cpu_engine().workspace_bytes(sort, opts, threads_), "the workspace of a sort of rows");
    const std::function<bool(double)> told = progress_up_to(end);
    cpu_engine().run(sort, opts, {threads_, space.bytes(), told ? &told : nullptr});
  }

  /// Sorts each group by its words.
  void sort_groups(const row_ties& ties, std::uint64_t* words) {
    const segmented_request sort{.arrays = {.type = key_type::u64,
                                            .n = n_,
                                            .keys_in = words,
                                            .keys_out = words,
                                            .carries = payload::values,
                                            .value_bytes = sizeof(Index),
                                            .values_in = order_,
                                            .values_out = order_},
                                 .where = ties.where()};
    const segment_survey found = ties.survey(threads_);
    const scratch space(cpu_segments().workspace_used(sort, {}, threads_, found), "the workspace of a sort of rows");
    const std::function<bool(double)> told = progress_up_to((1 + done_) / 2);
    cpu_segments().run(sort, {}, {threads_, space.bytes(), told ? &told : nullptr}, found);
  }

  /// The caller's progress as a sort tells it that takes the whole as far as `end`; none where nobody wants to know.
  std::function<bool(double)> progress_up_to(double end) {
    const double begin = std::exchange(done_, end);
    return progress_of_step(opts_.progress, begin, end);
  }

  static constexpr const char* purpose = "the words of a sort of rows";

  const std::span<const column> columns_;
  const std::size_t n_;
  Index* const order_;
  const options& opts_;
  const unsigned threads_;
  row_words words_;
  double done_ = 0; // of the whole, when the present sort ends
};

/// Positions of 4 bytes as such of 8.
void widen(const std::uint32_t* from, std::size_t n, std::uint64_t* to, unsigned threads) {
  for_each_piece(threads, n, rows_alone_below,
                 [&](std::size_t begin, std::size_t end) { std::copy(from + begin, from + end, to + begin); });
}

} // namespace

// Positions of 4 bytes are moved in half the time of wider ones, so those of up to 2^32 rows become wide at the end.
void argsort_rows(const rows_request& request, const options& opts, unsigned threads) {
  if (request.index_bytes == 4)
    return row_sorter<std::uint32_t>(request, opts, threads).run();
  if (request.n > std::size_t{1} << 32)
    return row_sorter<std::uint64_t>(request, opts, threads).run();
  const scratch space(request.n * sizeof(std::uint32_t), "the order of rows");
  rows_request narrow = request;
  narrow.indices_out = space.bytes().data();
  narrow.index_bytes = sizeof(std::uint32_t);
  row_sorter<std::uint32_t>(narrow, opts, threads).run();
  widen(static_cast<const std::uint32_t*>(narrow.indices_out), request.n,
        static_cast<std::uint64_t*>(request.indices_out), threads);
}

/// All memory is allocated before the first array is changed; after that nothing can fail.
void sort_rows(const sort_rows_request& request, const options& opts, unsigned threads) {
  const std::size_t n = request.n, index_bytes = n <= std::size_t{1} << 32 ? 4 : 8;
  const scratch order(n * index_bytes, "the order of rows");
  argsort_rows({n, request.columns, order.bytes().data(), index_bytes}, opts, threads);
  std::size_t widest = 0;
  for (const row_array& array : request.arrays)
    widest = std::max(widest, array.value_bytes);
  const scratch space(n * widest, "the copy of a column of rows");
  for (const row_array& array : request.arrays)
    rearrange(array.values, order.bytes().data(), index_bytes, n, array.value_bytes, space.bytes().data(), threads);
}

} // namespace sortile::cpu
