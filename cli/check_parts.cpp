// See check_parts.hpp.
#include "check_parts.hpp"

#include "files/parallel.hpp"
#include "files/record_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sortile::cli {

int report(const check_job& job, const talk& voice, const std::string& what) {
  if (!job.quiet)
    voice.error(what);
  return disorder;
}

int report_other_type(const check_job& job, const talk& voice, const std::string& name, const std::string& other) {
  return report(job, voice, fmt::format("{}: its records have another type than those of {}", name, other));
}

int check_permutation(const check_job& job, const talk& voice, const std::string& name,
                      const files::multiset_sum& of_checked, const files::multiset_sum& of_other) {
  const std::string other = files::display_name(job.permutation_of);
  if (of_checked.records != of_other.records)
    return report(job, voice,
                  fmt::format("{}: holds {} records, {} holds {}", name, of_checked.records, other, of_other.records));
  if (of_checked != of_other)
    return report(job, voice, fmt::format("{}: is no permutation of {}: some records are different", name, other));
  voice.say(2, "{}: holds the records of {}", name, other);
  return all_well;
}

bool tells(const check_job& job, const talk& voice) {
  return !job.quiet && !job.as_sort && voice.level > 0;
}

void tell(const check_job& job, const std::string& name, const files::record_summary& facts) {
  if (job.inputs.size() > 1)
    fmt::print("file: {}\n", name);
  fmt::print("records: {}\nchecksum: {}\nduplicate keys: {}\n", facts.records, files::checksum_text(facts.checksum),
             facts.duplicates);
}

std::optional<std::size_t> find_disorder(const check_job& job, const std::string& name,
                                         const files::record_table& records, const files::record_order& order,
                                         const talk& voice) {
  const unsigned threads = files::thread_count(job.arrays.threads);
  if (!tells(job, voice))
    return files::first_disorder(records, order, job.text.unique, threads);
  const files::record_summary summary = files::summarize(records, order, threads);
  tell(job, name, summary);
  if (!job.text.unique || !summary.first_duplicate)
    return summary.first_disorder;
  return std::min(*summary.first_duplicate, summary.first_disorder.value_or(SIZE_MAX));
}

const char* how_it_relates(const files::record_order& order, std::string_view before, std::string_view record) {
  return files::compare(order, before, record) == 0 ? "equal to" : "smaller than";
}

std::unique_ptr<files::input_stream> open_stream(const check_job& job, const std::string& path) {
  return std::make_unique<files::input_stream>(path, job.arrays.as_it_is, files::thread_count(job.arrays.threads));
}

pieces::pieces(const check_job& job, std::unique_ptr<files::input_stream> stream, const files::record_shape& shape,
               std::size_t header_bytes)
    : job_(job), name_(stream->name()), shape_(shape),
      reader_(std::move(stream), {}, shape,
              {files::check_memory, [](std::size_t records) { return records * sizeof(std::uint64_t); }},
              files::thread_count(job.arrays.threads), job.arrays.as_it_is) {
  reader_.skip_header(header_bytes);
}

files::check_result pieces::check(const files::record_order& order, const talk& voice) {
  return look({.order = order,
               .strict = job_.text.unique,
               .to_end = shape_.record_bytes != 0, // that records are missing is worse than a disorder
               .summary = tells(job_, voice),
               .sum = !job_.permutation_of.empty()});
}

files::check_result pieces::sum() {
  return look({.order = {}, .sum = true});
}

files::check_result pieces::look(const files::check_rules& rules) {
  const unsigned threads = files::thread_count(job_.arrays.threads);
  const auto cut = [&](std::string_view piece) {
    return shape_.record_bytes == 0 ? files::split_lines(piece, shape_.delimiter, threads)
                                    : files::split_evenly(piece, shape_.record_bytes, threads);
  };
  return files::check_records(reader_, cut, rules, threads);
}

} // namespace sortile::cli
