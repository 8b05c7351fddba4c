// What each sort does, in words and bytes. Keys are read and written once a step; values where they move.
#include "sort/stage.hpp"

#include "kernels/lsd/lsd_sort.hpp"
#include "kernels/partition_plan.hpp"

namespace sortile::gpu {
namespace {

using kernels::all_steps;
using kernels::partition_plan;

partition_plan plan_of(const sort_facts& f, sorter by) {
  if (by == sorter::pairs)
    return partition_plan::of_pairs(f.n);
  return f.key_bits == 32   ? partition_plan::of_keys<std::uint32_t>(f.n)
         : f.key_bits == 64 ? partition_plan::of_keys<std::uint64_t>(f.n)
                            : partition_plan::of_keys<uint128>(f.n);
}

class stage_writer {
 public:
  stage_writer(const sort_facts& f, const sorters& by) : f_(f), by_(by) { list_.reserve(8); }

  std::vector<stage> written() {
    if (by_[0] == sorter::nothing)
      return {};
    if (f_.values == value_handling::moved)
      move("values into # aligned bytes each", f_.value_bytes, stage_work::move_in, f_.given_values(), f_.all_values(),
           area::moved_in);
    write_first();
    for (unsigned role = 1; role < by_.size(); ++role)
      if (by_[role] != sorter::nothing)
        write_fallback(role);
    if (f_.values == value_handling::moved)
      move("values back to # bytes each", unsigned(f_.given_value_bytes), stage_work::move_out, f_.all_values(),
           f_.given_values(), area::moved_out);
    if (f_.values == value_handling::gathered)
      write_gather();
    return std::move(list_);
  }

 private:
  void write_first() {
    switch (by_[0]) {
    case sorter::nothing:
      return;
    case sorter::counting:
      return write_counting();
    case sorter::sample:
      return write_sample();
    case sorter::keys:
    case sorter::pairs:
      return write_partitions(plan_of(f_, by_[0]));
    case sorter::splitters:
      return write_splitters();
    case sorter::lsd:
      return write_lsd();
    }
  }

  void write_counting() {
    add("count", "how often each key occurs", keys(), 0, all_steps);
    add("fill", "each key as often as it was counted", 0, keys(), stage::with_the_one_before);
  }
  void write_sample() {
    add("partition", "into one bucket for each multiprocessor, between splitters from a sample", keys(), keys(),
        all_steps);
    add("local", "each bucket by merging in shared memory, in the same launch", read_first(), keys_written() + values(),
        stage::with_the_one_before);
  }
  void write_partitions(const partition_plan& plan) {
    if (plan.in_one_block)
      return add("local", "all keys in the shared memory of one multiprocessor", read_first(), pairs(), 0);
    add("scan", "whether the keys are sorted, and how many lie in each part of their range", keys(), 0, 0);
    const unsigned partitions = plan.partitions();
    if (partitions >= 1)
      add("partition", "into # buckets", read_first(), pairs(), 1, {plan.coarse()});
    if (partitions >= 2)
      add("partition", "each bucket into # buckets", pairs(), pairs(), 2, {plan.fine()});
    add("local",
        plan.counts ? "each bucket in the shared memory of a multiprocessor, the keys of larger ones counted"
                    : "each bucket in the shared memory of a multiprocessor",
        partitions == 0 ? read_first() : pairs(), pairs(), partitions + 1);
  }
  void write_splitters() {
    add("count", "how many keys lie between which splitters of a sample", keys(), 0, 0);
    add("partition", "into the buckets between the splitters", read_first(), pairs(), 1);
    add("count", "how many keys lie between which splitters of a sample, of each bucket", keys(), 0, 2);
    add("partition", "into the buckets between the splitters", pairs(), pairs(), 3);
    add("local", "each bucket in the shared memory of a multiprocessor", pairs(), keys_written() + values(), 4);
  }
  void write_lsd() {
    add("scan", "which digits differ, whether the keys are sorted, how often each digit value occurs", keys(), 0, 0);
    const auto digits = kernels::lsd_digits::of(f_.window_end - f_.window_begin);
    if (digits.passes == 0)
      add("copy", "all keys, which are equal in a window of no bits", read_first(), keys_written() + values(), 1);
    for (unsigned p = 0; p < digits.passes; ++p) {
      const unsigned begin = f_.window_begin + p * digits.bits, end = std::min(begin + digits.bits, f_.window_end);
      add("pass", "by bits [#, #), unless no key differs in them", p == 0 ? read_first() : pairs(),
          (end == f_.window_end ? keys_written() : keys()) + values(), p + 1, {begin, end});
    }
  }

  /// What it does and when; that it moves anything is not expected.
  void write_fallback(unsigned role) {
    add("fallback", why(role), 0, 0, all_steps);
    stage& s = list_.back();
    s.by = by_[role];
    s.role = role;
    s.rooms[1] = {area::verdict, sizeof(std::uint32_t)};
  }
  const char* why(unsigned role) const {
    if (role == 2)
      return f_.key_bits == 64 && f_.integers_alone()
                 ? "LSD passes in place of that, where a sample is dense at every scale, or a bucket would hold too "
                   "much"
                 : "LSD passes in place of that, where a sample differs in few digits or has few values, or a bucket "
                   "would hold too much";
    if (by_[0] == sorter::counting)
      return "LSD passes in place of the fill, where there are both -0 and +0, or NaNs of several kinds";
    if (by_[0] == sorter::splitters)
      return "LSD passes: in place of all these steps where a sample is sorted or differs in few digits, in place of "
             "those that write the output where a bucket would hold too much";
    if (by_[1] == sorter::sample)
      return "a sample sort in place of all but the scan, where one bucket would hold too much";
    if (by_[1] == sorter::splitters)
      return "a sort between splitters in place of all but the scan, where one bucket would hold too much";
    if (by_[0] != sorter::keys || !plan_of(f_, sorter::keys).counts)
      return "LSD passes in place of all but the scan, where one bucket would hold too much";
    return f_.floats ? "LSD passes in place of all but the scan, where a sample has few values, or there is a -0 or a "
                       "NaN"
                     : "LSD passes in place of all but the scan, where a sample has few values";
  }

  void write_gather() {
    const std::size_t raw = f_.given_values();
    list_.push_back({.name = "gather",
                     .what = "values by position",
                     .bytes_read = f_.all_values() + raw,
                     .bytes_written = raw,
                     .work = stage_work::gather,
                     .rooms = {{{area::moved_out, f_.all_values()}}}});
    if (f_.in_place)
      move("values back to where they were", 0, stage_work::copy_back, raw, raw, area::gathered);
  }
  void move(const char* what, unsigned number, stage_work work, std::size_t read, std::size_t written, area where) {
    const bool takes_room =
        where != area::moved_out || !f_.in_place; // in place the copies come back to where they were
    list_.push_back({.name = work == stage_work::copy_back ? "copy" : "move",
                     .what = what,
                     .numbers = {number},
                     .bytes_read = read,
                     .bytes_written = written,
                     .work = work,
                     .rooms = {{{where, !takes_room                     ? 0
                                        : work == stage_work::copy_back ? written
                                                                        : f_.all_values()}}}});
  }
  void add(const char* name, const char* what, std::size_t read, std::size_t written, unsigned step,
           std::array<unsigned, 2> numbers = {}) {
    list_.push_back({.name = name,
                     .what = what,
                     .numbers = numbers,
                     .bytes_read = read,
                     .bytes_written = written,
                     .by = by_[0],
                     .step = step});
  }

  std::size_t keys() const { return f_.all_keys(); }
  std::size_t keys_written() const { return f_.keys_wanted ? keys() : 0; }
  std::size_t values() const { return f_.all_values(); }
  std::size_t pairs() const { return keys() + values(); }
  std::size_t read_first() const { return keys() + (f_.makes_indices() ? 0 : values()); }

  const sort_facts& f_;
  const sorters& by_;
  std::vector<stage> list_;
};

} // namespace

std::string stage::text() const {
  std::string made;
  std::size_t next = 0;
  for (const char* c = what; *c != '\0'; ++c)
    if (*c == '#')
      made += std::to_string(numbers[next++]);
    else
      made += *c;
  return made;
}

std::vector<stage> stages_of(const sort_facts& facts, const sorters& by) {
  return stage_writer(facts, by).written();
}

} // namespace sortile::gpu
