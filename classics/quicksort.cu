// Quicksort, driven by the host: the whole grid divides a part about a pivot, and the two sides are divided again.
//
// Idea. Choose a pivot. Move what is less to the left, what is greater to the right, and what is equal between them,
// where it stays for good. Go on with both sides. Keys that are equal to the pivot leave the recursion, so many equal
// keys make it shorter, not longer.
//
//   $ sortile classics show --example quicksort-sums
//   input: 4 7 1 4 9 2
//   keys 0 to 5 about 4: 2 less, 2 equal, 2 greater
//     keys          4 7   1 4   9 2
//     regions       = >   < =   > <
//     less before   0 0   0 1   1 1
//     equal before  0 1   1 1   2 2
//     moved         1 2 | 4 4 | 7 9
//   parts left to a block each: 2
//     keys 4 to 5: 7 9
//     keys 0 to 1: 1 2
//   result: 1 2 4 4 7 9
//
// In sequence, two indices run towards each other. In parallel every key needs its place at once. Three ways:
//   quicksort-atomic    counters of places taken, one for each of the three regions; a warp takes as many places as it
//                       has keys by one fetch-and-add. Places come in whatever order warps arrive
//   quicksort-increment the same counters, and a fetch-and-add of 1 by every key: up to 32 lanes of a warp meet at one
//                       address. So the partition is written first, as a rule; --counters has the atomics of both
//   quicksort-packing   flags of the keys that are less, and of those that are equal; a prefix sum of each gives every
//                       key its place. Order within the regions is kept, three reads of the part more
//
// and two ways for the host to drive the recursion. quicksort-atomic and quicksort-packing divide one part after
// another, on one queue. quicksort-streams, by fetch-and-add, gives the two sides of a part to different queues (CUDA's
// streams): the left side stays on the queue of its part, the right one goes to the queue that has the fewest keys
// waiting. So several divisions are under way at once while the host waits for the counts of one of them:
// `sortile classics show --example quicksort-queues` says which queue divides which keys.
//
// The host keeps a stack of parts. One of more than 1024 keys is divided, and its sides are parts in turn; smaller ones
// are kept for one launch at the end, in which each is sorted by a block, by the bitonic network. A part that is
// reached by more than 4 log2(n / small) + 4 divisions has had bad pivots. It falls back to the bitonic sort, which
// takes n log² n in any case: so no input costs n². Pivots: quicksort.hpp, parameter `pivot`.
//
// Source: Hoare, "Quicksort", 1962; Blelloch 1990 (packing); Cederman & Tsigas, "GPU-Quicksort", 2009; Musser 1997 (the
// bound on depth); Bentley & McIlroy 1993 (three ways).
//
// Cost: about 1.4 log2(n / 1024) levels with random pivots, 1.2 with medians of three. A division reads the part's keys
// twice and writes the records once (packing: 2 flags and 2 sums of 4 bytes per key more). It reads three counts back,
// for which the host waits. Shared memory: 1024 records and 1 KiB. Small parts that are divided one after the other on
// one queue leave a large GPU idle. Hence the end at 1024 keys, the several queues of quicksort-streams, and
// quicksort-launching, where kernels start the divisions. On the executor queues take turns: the order is the same, but
// nothing is gained. On an H100, 4 M u32 keys take 6650 divisions: 190 ms on one queue, 134 on two, and no less on
// more, because then the one host thread that makes launches and waits is the limit. Parameter of quicksort-streams:
// `queues`, 1 to 16.
//
// What it teaches: partitioning is the same problem as radix sort's split, with the pivot in place of a bit; contention
// against scans; and that a recursion whose shape depends on the data costs one round trip per node if the host drives
// it. Limits: the round trips; no fixed cost; unstable (the bitonic end, and atomics).
#include "classics/quicksort_division.hpp"

#include <deque>
#include <optional>

namespace sortile::classics {
namespace {

template <class Word, bool Pairs>
void quicksort(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec,
               packing how) {
  if (j.asked.n == 0)
    return;
  const unsigned small = j.parameter("small");
  divided_array<Word, Pairs> array(j, data, spare, codec, small, deepest_division(j.asked.n, small));
  array.run(divider<Word, Pairs>(j, array, codec, pivot_rule(j.parameter("pivot")), how, j.on.queue()));
}

/// A queue with the parts that wait for it, and the one that is being divided on it.
template <class Word, bool Pairs>
struct lane {
  simt::queue queue;
  divider<Word, Pairs> divide;
  std::deque<part> waiting{};
  std::uint64_t waiting_keys = 0;
  std::optional<part> under_way{};
  std::uint32_t divisions = 0;

  void push(const part& p) {
    waiting.push_back(p);
    waiting_keys += p.count;
  }
  part pop() {
    const part p = waiting.front();
    waiting.pop_front();
    waiting_keys -= p.count;
    return p;
  }
};

template <class Word, bool Pairs>
class concurrent_recursion {
 public:
  concurrent_recursion(job& j, divided_array<Word, Pairs>& array, const key_codec<Word>& codec) : j_(j), array_(array) {
    for (unsigned i = 0; i < j.parameter("queues"); ++i) {
      const simt::queue queue = j.on.side_queue(i);
      const auto rule = pivot_rule(j.parameter("pivot"));
      lanes_.push_back({queue, {j, array, codec, rule, packing::by_fetch_and_add, queue}});
    }
  }

  void run() {
    for (const auto& l : lanes_)
      j_.on.order(j_.on.queue(), l.queue);
    lanes_[0].push(array_.whole());
    const auto busy = [](const auto& l) { return l.under_way || !l.waiting.empty(); };
    while (std::any_of(lanes_.begin(), lanes_.end(), busy))
      for (auto& l : lanes_) { // the others go on while the host waits for this one
        if (l.under_way)
          hand_out(l);
        start_next(l);
      }
    for (const auto& l : lanes_)
      j_.on.order(l.queue, j_.on.queue());
    tell();
  }

 private:
  void start_next(lane<Word, Pairs>& l) {
    while (!l.waiting.empty() && !l.under_way) {
      const part p = l.pop();
      if (!array_.wants_division(p))
        continue;
      l.divide.start(p);
      l.under_way = p;
      ++l.divisions;
      const auto now =
          std::count_if(lanes_.begin(), lanes_.end(), [](const auto& o) { return o.under_way.has_value(); });
      most_at_once_ = std::max(most_at_once_, static_cast<unsigned>(now));
    }
  }

  /// The sides of the part that was divided: one stays, one goes to the queue that has the least to do.
  void hand_out(lane<Word, Pairs>& l) {
    if (j_.shows_steps())
      j_.show("queue " + std::to_string(&l - lanes_.data()) + ", keys " + std::to_string(l.under_way->first) + " to " +
              std::to_string(l.under_way->first + l.under_way->count - 1));
    const auto [left, right] = l.divide.finish(*l.under_way);
    l.under_way.reset();
    if (left.count != 0)
      l.push(left);
    const auto to_do = [](const auto& x) { return x.waiting_keys + (x.under_way ? x.under_way->count : 0); };
    const auto least = std::min_element(lanes_.begin(), lanes_.end(),
                                        [&](const auto& x, const auto& y) { return to_do(x) < to_do(y); });
    if (right.count != 0)
      least->push(right);
    start_next(*least);
  }

  void tell() const {
    std::string divisions = "divisions on each queue:";
    for (const auto& l : lanes_)
      (divisions += ' ') += std::to_string(l.divisions);
    j_.note(divisions + "; at most " + std::to_string(most_at_once_) + " under way at once");
  }

  job& j_;
  divided_array<Word, Pairs>& array_;
  std::vector<lane<Word, Pairs>> lanes_{};
  unsigned most_at_once_ = 0;
};

template <class Word, bool Pairs>
void on_several_queues(job& j, records<Word, Pairs>& data, records<Word, Pairs>& spare, const key_codec<Word>& codec) {
  if (j.asked.n == 0)
    return;
  const unsigned small = j.parameter("small");
  divided_array<Word, Pairs> array(j, data, spare, codec, small, deepest_division(j.asked.n, small));
  concurrent_recursion<Word, Pairs>(j, array, codec).run();
  array.finish();
}

classic host_driven(std::string_view name, std::string_view summary, run_function run) {
  return {.name = name,
          .family = "quicksort",
          .summary = summary,
          .work = "n log n expected, n log^2 n at worst",
          .depth = "log^2 n expected",
          .source = "Hoare 1962; Blelloch 1990; Cederman & Tsigas 2009",
          .steps_show = "of each division the pivot, each key's region, sums where there are any, the moved keys; the "
                        "parts that one block sorts",
          .tile = 1024,
          .parameters = {{"pivot", 0, 2, 3, "first, random, median of three, by histogram"},
                         {"small", 4, 1024, 1024, "keys that one block sorts", false, 1, true}},
          .run = run};
}

} // namespace

SORTILE_CLASSICS_OF(quicksort) {
  classic streams =
      host_driven("quicksort-streams", "quicksort-atomic with the two sides of a part on different queues (streams)",
                  [](job& j) { with_records(j, [&](auto&... a) { on_several_queues(j, a...); }); });
  streams.steps_show = "queue, pivot, regions and keys of each division; divisions on each queue";
  streams.parameters.push_back({"queues", 1, 4, 16, "queues that divide at the same time"});
  return {
      host_driven("quicksort-atomic", "divided by fetch-and-add about a pivot, sides driven by the host",
                  [](job& j) { with_records(j, [&](auto&... a) { quicksort(j, a..., packing::by_fetch_and_add); }); }),
      host_driven("quicksort-increment", "the same with a fetch-and-add for each key, and its contention",
                  [](job& j) { with_records(j, [&](auto&... a) { quicksort(j, a..., packing::by_increment); }); }),
      host_driven("quicksort-packing", "divided by prefix sums about a pivot, sides driven by the host",
                  [](job& j) { with_records(j, [&](auto&... a) { quicksort(j, a..., packing::by_prefix_sums); }); }),
      streams};
}

} // namespace sortile::classics
