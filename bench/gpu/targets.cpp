// The table. Ratios and times were set from measurements on one H100 80GB HBM3 with CUDA 13.0 and CUB 3.0.1, where a
// device copy moves 3.01 TB/s, bytes read plus written: what a sort in three round trips through memory can reach.
// Times are single calls between two events, a clock on which an empty kernel reads 5.6 µs.
#include "bench/gpu/targets.hpp"

#include <algorithm>
#include <array>

namespace sortile::bench {
namespace {

constexpr target times(double ratio) {
  return {ratio, 0};
}
constexpr target within(double microseconds) {
  return {0, microseconds};
}

constexpr std::string_view keys = "keys", pairs = "pairs", narrow = "narrow keys", ranges = "ranges", order = "sorted",
                           equal = "equal", skew = "skew", worst = "worst cases", floats = "floats",
                           comparison = "comparison", small = "small n", host = "host memory";
constexpr std::array groups{keys, pairs, narrow, ranges, order, equal, skew, worst, floats, comparison, small, host};

constexpr std::array table{
    target_line{keys, "u32", "uniform", 28, times(1.8)},
    target_line{keys, "u64", "uniform", 28, times(2.8)},
    target_line{keys, "u128", "uniform", 28, times(4)},

    target_line{pairs, "u32+u32", "uniform", 28, times(1.6)},
    target_line{pairs, "u64+u32", "uniform", 28, times(2.2)},
    target_line{pairs, "u64+u64", "uniform", 28, times(2.5)},
    target_line{pairs, "u32 index", "uniform", 28},
    target_line{pairs, "u64 index", "uniform", 28},

    target_line{narrow, "u8", "uniform", 28, times(6)},
    target_line{narrow, "u16", "uniform", 28, times(4)},

    target_line{ranges, "u32", "range:256", 28, times(4)},
    target_line{ranges, "u32", "range:65536", 28, times(3)},
    target_line{ranges, "u32", "range:1000000000", 28},
    target_line{ranges, "u64", "range:256", 28, times(6)},
    target_line{ranges, "u64", "range:65536", 28},
    target_line{ranges, "u64", "range:1000000000", 28},
    target_line{ranges, "u32+u32", "range:65536", 28},
    target_line{ranges, "u32+u32", "range:1000000000", 28},

    target_line{order, "u32", "count-up", 28, times(4)},
    target_line{order, "u64", "count-up", 28, times(6)},
    target_line{order, "u32+u32", "count-up", 28},
    target_line{order, "u64+u64", "count-up", 28},
    target_line{order, "u32", "count-down", 28},
    target_line{order, "u64", "count-down", 28},
    target_line{order, "u32+u32", "count-down", 28},
    target_line{order, "u64+u64", "count-down", 28},

    target_line{equal, "u32", "equal", 28, times(3.5)},
    target_line{equal, "u64", "equal", 28, times(5)},
    target_line{equal, "u32+u32", "equal", 28},
    target_line{equal, "u64+u64", "equal", 28},

    target_line{skew, "u32", "and:3", 28},
    target_line{skew, "u64", "and:3", 28},
    target_line{skew, "u128", "and:3", 28},
    target_line{skew, "u32+u32", "and:3", 28},
    target_line{skew, "u64+u64", "and:3", 28},
    target_line{skew, "u32", "zipf-spread", 28},
    target_line{skew, "u64", "zipf-spread", 28},
    target_line{skew, "u128", "zipf-spread", 28},
    target_line{skew, "u32+u32", "zipf-spread", 28},
    target_line{skew, "u64+u64", "zipf-spread", 28},
    target_line{skew, "u32", "outliers", 28},
    target_line{skew, "u64", "outliers", 28},
    target_line{skew, "u32+u32", "outliers", 28},
    target_line{skew, "u64+u64", "outliers", 28},
    target_line{skew, "u32", "and:3", 10},
    target_line{skew, "u32", "and:3", 12},
    target_line{skew, "u32", "and:3", 16},
    target_line{skew, "u32", "and:3", 20},
    target_line{skew, "u32", "and:3", 22},
    target_line{skew, "u32", "and:3", 24},
    target_line{skew, "u64", "and:3", 10},
    target_line{skew, "u64", "and:3", 12},
    target_line{skew, "u64", "and:3", 16},
    target_line{skew, "u64", "and:3", 20},
    target_line{skew, "u64", "and:3", 22},
    target_line{skew, "u64", "and:3", 24},
    target_line{skew, "u32+u32", "and:3", 10},
    target_line{skew, "u32+u32", "and:3", 12},
    target_line{skew, "u32+u32", "and:3", 16},
    target_line{skew, "u32+u32", "and:3", 20},
    target_line{skew, "u32+u32", "and:3", 22},
    target_line{skew, "u32+u32", "and:3", 24},

    target_line{worst, "u32", "full-buckets", 28},
    target_line{worst, "u64", "full-buckets", 28},
    target_line{worst, "u32+u32", "full-buckets", 28},
    target_line{worst, "u64+u64", "full-buckets", 28},
    target_line{worst, "u32", "two-buckets", 28},
    target_line{worst, "u64", "two-buckets", 28},
    target_line{worst, "u32+u32", "two-buckets", 28},
    target_line{worst, "u64+u64", "two-buckets", 28},
    target_line{worst, "u32", "equal-but-one", 28},
    target_line{worst, "u64", "equal-but-one", 28},
    target_line{worst, "u32+u32", "equal-but-one", 28},
    target_line{worst, "u64+u64", "equal-but-one", 28},
    target_line{worst, "u64", "few:65536", 28},
    target_line{worst, "u64+u64", "few:65536", 28},
    target_line{worst, "u32", "clusters:65536:16384:1000", 28},
    target_line{worst, "u32", "clusters:1048576:1024:40", 28},
    target_line{worst, "u64", "clusters:65536:16384:1000", 28},
    target_line{worst, "u64", "clusters:65536:281474976710656:1000", 28},
    target_line{worst, "u32+u32", "clusters:65536:16384:1000", 28},
    target_line{worst, "u32+u32", "clusters:1048576:1024:40", 28},
    target_line{worst, "u32+u32", "clusters:131072:10007:300", 28},
    target_line{worst, "u32+u32", "clusters:1024:1048576:1000", 28},
    target_line{worst, "u64+u32", "clusters:65536:281474976710656:1000", 28},
    target_line{worst, "u64+u64", "clusters:65536:16384:1000", 28},
    target_line{worst, "u64+u64", "clusters:131072:10007:300", 28},
    target_line{worst, "u64+u64", "clusters:65536:281474976710656:1000", 28},
    target_line{worst, "u32 index", "clusters:65536:16384:1000", 28},

    target_line{floats, "f32", "unit", 28},
    target_line{floats, "f64", "unit", 28},
    target_line{floats, "f32", "normal", 28},
    target_line{floats, "f64", "normal", 28},
    target_line{floats, "f32", "uniform", 28},
    target_line{floats, "f32", "unit", 12},
    target_line{floats, "f32", "unit", 16},
    target_line{floats, "f32", "unit", 20},
    target_line{floats, "f32", "unit", 24},

    target_line{comparison, "u32 struct", "uniform", 28, times(2.5)},
    target_line{comparison, "u64 struct", "uniform", 28, times(3)},
    target_line{comparison, "u32 struct", "uniform", 20, times(2.5)},
    target_line{comparison, "u64 struct", "uniform", 20, times(3)},

    target_line{small, "u32", "uniform", 8, within(9)},
    target_line{small, "u32", "uniform", 10, within(9)},
    target_line{small, "u32", "uniform", 12, within(13)},
    target_line{small, "u32", "uniform", 14, within(22)},
    target_line{small, "u32", "uniform", 16, within(28)},
    target_line{small, "u32", "uniform", 18, within(33)},
    target_line{small, "u32", "uniform", 20, within(48)},
    target_line{small, "u32", "uniform", 22, within(105)},
    target_line{small, "u32", "uniform", 24, times(1.6)},
    target_line{small, "u64", "uniform", 8, within(11)},
    target_line{small, "u64", "uniform", 10, within(11)},
    target_line{small, "u64", "uniform", 12, within(18)},
    target_line{small, "u64", "uniform", 14, within(28)},
    target_line{small, "u64", "uniform", 16, within(38)},
    target_line{small, "u64", "uniform", 18, within(48)},
    target_line{small, "u64", "uniform", 20, within(75)},
    target_line{small, "u64", "uniform", 22, within(180)},
    target_line{small, "u64", "uniform", 24, times(2.3)},
    target_line{small, "u32+u32", "uniform", 10},
    target_line{small, "u32+u32", "uniform", 12},
    target_line{small, "u32+u32", "uniform", 14},
    target_line{small, "u32+u32", "uniform", 16},
    target_line{small, "u32+u32", "uniform", 20},
    target_line{small, "u32+u32", "uniform", 24},
    target_line{small, "u64+u64", "uniform", 10},
    target_line{small, "u64+u64", "uniform", 12},
    target_line{small, "u64+u64", "uniform", 14},
    target_line{small, "u64+u64", "uniform", 16},
    target_line{small, "u64+u64", "uniform", 20},
    target_line{small, "u64+u64", "uniform", 24},

    target_line{host, "u32 host", "uniform", 28, copies_at_60_percent},
    target_line{host, "u64 host", "uniform", 28, copies_at_60_percent},
    target_line{host, "u64+u64 host", "uniform", 27, copies_at_60_percent},
};

/// On an H200, whose copies run at 4.3 TB/s, CUB is hardly faster than on the H100.
constexpr std::array on_h200{
    target_line{keys, "u32", "uniform", 28, times(2.2)},
    target_line{keys, "u64", "uniform", 28, times(3.2)},
};

} // namespace

sort_row target_line::row() const {
  return {&sort_kind_named(kind), testing::workload_named(workload), std::uint64_t{1} << log_n};
}

std::span<const target_line> all_targets() {
  return table;
}
std::span<const std::string_view> all_target_groups() {
  return groups;
}

const target_line* find_target(const sort_row& row) {
  const auto at = std::find_if(table.begin(), table.end(), [&](const target_line& line) { return line.row() == row; });
  return at == table.end() ? nullptr : &*at;
}

target target_on(std::string_view gpu, const target_line& line) {
  if (gpu.find("H200") != std::string_view::npos)
    for (const target_line& there : on_h200)
      if (there.kind == line.kind && there.workload == line.workload && there.log_n == line.log_n)
        return there.wanted;
  return line.wanted;
}

} // namespace sortile::bench
