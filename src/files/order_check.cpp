// See order_check.hpp. Of a piece that is gone, its last record is kept, to be compared with the first of the next.
#include "files/order_check.hpp"

#include "files/record_sort.hpp"

namespace sortile::files {

namespace {

class piece_checker {
 public:
  piece_checker(const check_rules& rules, unsigned threads) : rules_(rules), threads_(threads) {}

  void add(const record_table& records) {
    if (records.size() == 0)
      return;
    const int step = result.records == 0 ? -1 : compare(rules_.order, last_, records[0]);
    const std::optional<std::size_t> within = rules_.summary ? summarized(records, step) : first_wrong(records);
    if (!result.disorder && step > (rules_.strict ? -1 : 0))
      result.disorder = found_disorder{result.records, std::string(records[0]), last_};
    else if (!result.disorder && within)
      result.disorder =
          found_disorder{result.records + *within, std::string(records[*within]), std::string(records[*within - 1])};
    if (rules_.sum && !result.disorder)
      result.sum += sum_of_records(records, threads_);
    result.records += records.size();
    last_ = records[records.size() - 1];
  }

  /// Whether further records would tell nothing new.
  bool knows_enough() const { return result.disorder && !rules_.summary; }

  check_result result;

 private:
  std::optional<std::size_t> first_wrong(const record_table& records) const {
    return knows_enough() ? std::nullopt : first_disorder(records, rules_.order, rules_.strict, threads_);
  }

  // \param step  from the record before them
  std::optional<std::size_t> summarized(const record_table& records, int step) {
    const record_summary here = summarize(records, rules_.order, threads_);
    result.facts.records += here.records;
    result.facts.checksum += here.checksum;
    result.facts.duplicates += here.duplicates + (step == 0 ? 1 : 0);
    if (!rules_.strict || !here.first_duplicate)
      return here.first_disorder;
    return std::min(*here.first_duplicate, here.first_disorder.value_or(SIZE_MAX));
  }

  const check_rules& rules_;
  const unsigned threads_;
  std::string last_;
};

} // namespace

check_result check_records(run_reader& reader, const std::function<record_table(std::string_view)>& cut,
                           const check_rules& rules, unsigned threads) {
  piece_checker all(rules, threads);
  for (std::string_view piece = reader.next(); !piece.empty();
       piece = reader.at_end() ? std::string_view() : reader.next()) {
    all.result.bytes += piece.size();
    if (!all.knows_enough())
      all.add(cut(piece));
    else if (!rules.to_end)
      break;
  }
  return all.result;
}

check_result check_records(const std::function<record_table()>& next, const check_rules& rules, unsigned threads) {
  piece_checker all(rules, threads);
  for (record_table piece = next(); piece.size() != 0 && !all.knows_enough(); piece = next())
    all.add(piece);
  return all.result;
}

} // namespace sortile::files
