// Sorts of the host: where parallel sorts start from, and what their speed-up is measured against.
//
// Queue radix sort is the radix sort of card-sorting machines: a queue for each value of a digit; the keys are dealt to
// the queues by their last digit, collected queue by queue, dealt by the next digit, and so on.
//
//   $ sortile classics show --example decimal-queues
//   input: 329 457 657 839 436 720 355
//   dealt to 10 queues and collected by the digit of weight 1
//     queues
//       queue 0  720
//       queue 5  355
//       queue 6  436
//       queue 7  457 657
//       queue 9  329 839
//     keys       720 355 436 457 657 329 839
//   dealt to 10 queues and collected by the digit of weight 10
//     queues
//       queue 2  720 329
//       queue 3  436 839
//       queue 5  355 457 657
//     keys       720 329 436 839 355 457 657
//   dealt to 10 queues and collected by the digit of weight 100
//     queues
//       queue 3  329 355
//       queue 4  436 457
//       queue 6  657
//       queue 7  720
//       queue 8  839
//     keys       329 355 436 457 657 720 839
//   result: 329 355 436 457 657 720 839
//
// Queues keep order, so every pass is stable, and so what earlier passes achieved survives the later ones. The digits
// are those of the key's image, an unsigned number that sorts as the key does; there are passes for as many digits as
// the greatest image has.
//
// Forms:
//   host-radix-queues-10    decimal digits: a division a digit
//   host-radix-queues-256   bytes: a shift and a mask
//   host-radix-prefix       without queues: the exclusive prefix sum of how often each digit value occurs is where its
//                           queue would begin in the output; one array is written in place of 256. This is the form
//                           that parallel machines use: the sum is a scan
//   host-qsort              C's qsort: a call of a comparison function by pointer for each comparison
//   host-std-sort           std::sort: introsort (quicksort, heapsort where that goes wrong, insertion sort at the end)
//
//   $ sortile classics show --example queue-lengths   # lines 2 to 7
//   moved by the digit of weight 1
//     digits that occur
//       digit        71  73  99 145 180 201 208
//       how often     1   1   1   1   1   1   1
//       prefix sum    0   1   2   3   4   5   6
//     keys          347 149 163 291 1b4 1c9 2d0
//
// All of them work on an array of (image, key, value) that is filled from the job's arrays and written back: the
// comparison sorts so compare unsigned numbers, whatever the type and the direction.
//
// Source: Hollerith's machines, 1887; Seward 1954 (counting in place of queues); Knuth, TAOCP vol. 3, 5.2.5; Hoare,
// "Quicksort", 1962; Musser, "Introspective Sorting and Selection Algorithms", 1997.
//
// Cost: d n steps for d digits: 10 passes in base 10 for 32 bits, 4 in base 256. A pass reads and writes each record
// twice with queues (to the queue and back), once with prefix sums. Queues allocate as they grow. qsort and std::sort:
// n log n comparisons; std::sort's are inlined.
//
// What it teaches: LSD radix sort before parallelism obscures it, why each pass must be stable, and how a prefix sum
// replaces a data structure. Limits: one thread. The library's own sorts of the host are elsewhere (sortile sort).
#include "classics/compare_exchange.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sortile::classics {
namespace {

/// The greatest image: its digits are all that have to be sorted by.
template <class Word>
Word greatest_image(const std::vector<host_record<Word>>& all) {
  Word greatest = 0;
  for (const host_record<Word>& r : all)
    greatest = std::max(greatest, r.image);
  return greatest;
}

/// Calls pass(weight) for each digit of `greatest`, from the last one.
template <unsigned Base, class Word, class Pass>
void for_each_digit(Word greatest, Pass&& pass) {
  for (Word weight = 1;; weight = static_cast<Word>(weight * Base)) {
    pass(weight);
    if (greatest / weight < Base)
      return;
  }
}

template <unsigned Base, class Word>
unsigned digit(Word image, Word weight) {
  return static_cast<unsigned>(image / weight % Base);
}

/// For --steps: the records after a pass; of a comparison sort, whose passes are the library's own, the keys that it
/// compared, in order.
template <class Word, bool Pairs>
class trace_of_sort {
 public:
  trace_of_sort(job& j, const std::vector<host_record<Word>>& all, const records<Word, Pairs>& data)
      : j_(j), all_(all), data_(data) {}

  /// A pass, `tell` of which adds rows between the keys before it and those after it.
  template <class Number, class Tell>
  void pass(const char* what, Number number, const Tell& tell) const {
    if (!j_.shows_steps())
      return;
    telling t = j_.tell(what + std::to_string(number));
    t.before(untyped(data_), j_.asked.n);
    tell(t);
    scatter(all_, data_);
    t.moved("keys", untyped(data_), j_.asked.n, 0);
  }
  std::string text(const host_record<Word>& r) const {
    return key_as_text(j_.asked.type, &r.key, j_.asked.shown, j_.shown_bits) + (Pairs ? "/" + value(r.value) : "");
  }
  void compares(const host_record<Word>& x, const host_record<Word>& y) {
    if (j_.shows_steps())
      compared_.insert(compared_.end(), {x.key, y.key});
  }
  void end() {
    if (!compared_.empty())
      j_.show("keys compared, two by two", {compared_.data(), nullptr}, compared_.size(), 2);
  }

 private:
  std::string value(std::uint32_t v) const {
    return v < j_.asked.values.size() ? j_.asked.values[v] : std::to_string(v);
  }

  job& j_;
  const std::vector<host_record<Word>>& all_;
  records<Word, Pairs> data_;
  std::vector<Word> compared_{};
};

/// Runs sort(all, trace) on the records of a job and puts them back.
template <class Word, bool Pairs, class Sort>
void on_host(job& j, records<Word, Pairs>& data, const key_codec<Word>& codec, Sort&& sort) {
  auto all = gather(data, j.asked.n, codec);
  trace_of_sort<Word, Pairs> trace(j, all, data);
  sort(all, trace);
  trace.end();
  scatter(all, data);
}

template <unsigned Base>
struct with_queues {
  template <class Word, class Trace>
  void operator()(std::vector<host_record<Word>>& all, Trace& trace) const {
    std::array<std::vector<host_record<Word>>, Base> queues; // filled at the back, emptied from the front, all at once
    for_each_digit<Base>(greatest_image(all), [&](Word weight) {
      for (const host_record<Word>& r : all)
        queues[digit<Base>(r.image, weight)].push_back(r);
      auto to = all.begin();
      for (const auto& queue : queues)
        to = std::copy(queue.begin(), queue.end(), to);
      const std::string title = "dealt to " + std::to_string(Base) + " queues and collected by the digit of weight ";
      trace.pass(title.c_str(), weight, [&](telling& t) {
        for (unsigned value = 0; value < Base; ++value)
          if (std::vector<std::string> texts; !queues[value].empty()) {
            for (const host_record<Word>& r : queues[value])
              texts.push_back(trace.text(r));
            t.words("queue " + std::to_string(value), std::move(texts)).in_table("queues");
          }
      });
      for (auto& queue : queues)
        queue.clear();
    });
  }
};

template <unsigned Base>
struct with_prefix_sums {
  template <class Word, class Trace>
  void operator()(std::vector<host_record<Word>>& all, Trace& trace) const {
    std::vector<host_record<Word>> moved(all.size());
    for_each_digit<Base>(greatest_image(all), [&](Word weight) {
      std::array<std::size_t, Base> begin_of{};
      for (const host_record<Word>& r : all)
        ++begin_of[digit<Base>(r.image, weight)];
      const auto counts = begin_of;
      std::size_t sum = 0;
      for (std::size_t& begin : begin_of)
        sum += std::exchange(begin, sum);
      const auto begins = begin_of;
      for (const host_record<Word>& r : all)
        moved[begin_of[digit<Base>(r.image, weight)]++] = r;
      all.swap(moved);
      trace.pass("moved by the digit of weight ", weight, [&](telling& t) {
        std::vector<std::size_t> values, sizes, firsts;
        for (unsigned value = 0; value < Base; ++value)
          if (counts[value] != 0) {
            values.push_back(value);
            sizes.push_back(counts[value]);
            firsts.push_back(begins[value]);
          }
        t.numbers("digit", values).in_table("digits that occur");
        t.numbers("how often", sizes).in_table("digits that occur");
        t.numbers("prefix sum", firsts).in_table("digits that occur");
      });
    });
  }
};

/// The comparison function gets two records and nothing else: the trace of the sort under way stands beside it.
template <class Word, class Trace>
struct c_comparison {
  static inline thread_local Trace* trace = nullptr;
  static int call(const void* x, const void* y) {
    const auto &a = *static_cast<const host_record<Word>*>(x), &b = *static_cast<const host_record<Word>*>(y);
    trace->compares(a, b);
    return a.image < b.image ? -1 : a.image > b.image ? 1 : 0;
  }
};

struct c_qsort {
  template <class Word, class Trace>
  void operator()(std::vector<host_record<Word>>& all, Trace& trace) const {
    if (all.empty())
      return;
    using comparison = c_comparison<Word, Trace>;
    comparison::trace = &trace;
    std::qsort(all.data(), all.size(), sizeof(host_record<Word>), comparison::call);
  }
};

struct std_sort {
  template <class Word, class Trace>
  void operator()(std::vector<host_record<Word>>& all, Trace& trace) const {
    std::sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      trace.compares(a, b);
      return a.image < b.image;
    });
  }
};

template <class Sort>
classic host_sort(std::string_view name, std::string_view family, std::string_view summary, std::string_view source) {
  const bool radix = family == "radix";
  return {
      .name = name,
      .family = family,
      .summary = summary,
      .work = radix ? "d n for d digits" : "n log n",
      .depth = radix ? "d n for d digits" : "n log n",
      .source = source,
      .steps_show = radix ? "of each pass the queues or the prefix sums, and the keys" : "the keys that it compares",
      .stable = radix,
      .place = place::host,
      .run = [](job& j) { with_records(j, [&](auto& data, auto&, auto& codec) { on_host(j, data, codec, Sort{}); }); }};
}

} // namespace

SORTILE_CLASSICS_OF(host_sorts) {
  return {host_sort<with_queues<10>>("host-radix-queues-10", "radix", "a queue for each decimal digit, on the host",
                                     "Hollerith 1887; Knuth, TAOCP vol. 3, 5.2.5"),
          host_sort<with_queues<256>>("host-radix-queues-256", "radix", "a queue for each value of a byte, on the host",
                                      "Knuth, TAOCP vol. 3, 5.2.5"),
          host_sort<with_prefix_sums<256>>("host-radix-prefix", "radix",
                                           "bytes; prefix sums of counts in the place of queues, on the host",
                                           "Seward 1954; Knuth, TAOCP vol. 3, 5.2.5"),
          host_sort<c_qsort>("host-qsort", "comparison", "C's qsort, on the host", "Hoare 1962"),
          host_sort<std_sort>("host-std-sort", "comparison", "std::sort (introsort), on the host", "Musser 1997")};
}

} // namespace sortile::classics
