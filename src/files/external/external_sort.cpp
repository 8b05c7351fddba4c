// See external_sort.hpp.
//
//   input ── pieces that fit ──▶ sorted in memory ──▶ runs: temporary files ── merged in rounds ──▶ output
//
// Idea. The merge sort of tapes (Knuth, volume 3, 5.4): what fits into memory is sorted there with everything that the
// library has, so that the number of runs is the number of memories that the input fills. Mostly one merge of all runs
// follows: a run needs one buffer, and a gigabyte has room for thousands of them.
//
// Invariants: runs lie in the order of their pieces, merges take neighbours, and of equal records the earlier run's
// come first; so the whole is stable. Files have no names, so nothing stays behind. The target is touched by commit()
// alone.
//
// Cost: the input is read once and written twice, and once more a round. A record costs what it costs in memory, plus
// log2(runs) comparisons of words (record_merge.cpp).
#include "files/external/external_sort.hpp"

#include "files/external/merge_rounds.hpp"

#include <sortile/sortile.hpp>

#include <algorithm>
#include <memory>
#include <vector>

namespace sortile::files {

namespace {

class external_sorter {
 public:
  external_sorter(const run_format& format, const external_options& options)
      : format_(format), options_(options), store_(*options.temporaries) {
    const std::size_t program = store_.program().empty() ? 1 : 2; // a file, and the pipe of its program
    const std::size_t files = most_open_inputs();
    need_open_files(temporary_file::of_a_merge(!store_.program().empty()));
    rounds_.files = files;
    rounds_.most = std::min(std::max<std::size_t>(2, files / 2 / program), most_inputs_in(options.memory));
    if (options.batch != 0)
      rounds_.most = std::min(rounds_.most, options.batch);
    rounds_.shape = format.shape;
    rounds_.buffer_bytes = input_buffer_bytes(options.memory, rounds_.most);
  }

  void add_run(std::string_view piece) {
    temporary_file file(store_, [&](output& to) { format_.sort(piece, to); });
    done.bytes += piece.size();
    ++done.runs;
    runs_.push_back(std::make_unique<temporary_run>(std::move(file), format_.shape));
  }

  /// Whether no further run could be held open.
  bool has_many_runs() const { return runs_.size() >= std::max<std::size_t>(2, rounds_.files / 2); }
  void make_room() { merge_in_rounds(runs_, format_.rules, rounds_, runs_.size() - rounds_.most + 1, store_); }

  void merge_all(output& to) {
    merge_in_rounds(runs_, format_.rules, rounds_, rounds_.most, store_);
    const std::size_t buffer = input_buffer_bytes(options_.memory, runs_.size());
    std::vector<std::unique_ptr<record_reader>> readers;
    for (auto& run : runs_)
      readers.push_back(run->open(nullptr, buffer));
    merge_rules rules = format_.rules;
    rules.most = std::min(rules.most, options_.last.most);
    rules.write = options_.last.write;
    rules.write_counted = options_.last.write_counted;
    rules.unique |= rules.write_counted != nullptr;
    if (options_.progress)
      rules.written = [this](std::uint64_t through) {
        options_.progress(static_cast<double>(through) / static_cast<double>(done.bytes));
      };
    if (!options_.last.header) {
      to.write(format_.header);
      merge_records(readers, rules, to);
      return;
    }
    std::uint64_t records = 0;
    temporary_file merged(store_, [&](output& file) { records = merge_records(readers, rules, file); });
    to.write(options_.last.header(records));
    std::move(merged).write_to(to);
  }

  external_summary done;

 private:
  const run_format& format_;
  const external_options& options_;
  temporary_store& store_;
  round_settings rounds_;
  std::vector<std::unique_ptr<merge_input>> runs_;
};

} // namespace

external_summary sort_externally(run_reader& reader, std::string_view first, const run_format& format,
                                 const external_options& options, output& to) {
  external_sorter sorter(format, options);
  if (options.phase)
    options.phase("runs");
  for (std::string_view piece = first; !piece.empty(); piece = reader.at_end() ? std::string_view() : reader.next()) {
    if (sorter.has_many_runs())
      sorter.make_room();
    sorter.add_run(piece);
    if (options.progress && reader.bytes_expected() != 0)
      options.progress(static_cast<double>(reader.bytes_read()) / static_cast<double>(reader.bytes_expected()));
  }
  reader.release();
  release_scratch();
  if (options.phase)
    options.phase("merge");
  sorter.merge_all(to);
  return sorter.done;
}

} // namespace sortile::files
