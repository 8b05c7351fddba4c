// The header under a host compiler, from what is installed: the kernels run on the executor.
#include <sortile/compare.cuh>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <iostream>
#include <vector>

struct record {
  std::int16_t group;
  float weight;
};

struct by_group {
  SORTILE_HOST_DEVICE auto operator()(const record& r) const {
    return sortile::members(r.group, sortile::descending(r.weight));
  }
};

struct lighter {
  SORTILE_HOST_DEVICE bool operator()(const record& a, const record& b) const { return a.weight < b.weight; }
};

int main() {
  std::vector<record> records(3000);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = {static_cast<std::int16_t>(i * 7919 % 13 - 6), static_cast<float>(i * 104729 % 997)};
  std::vector<record> expected = records;
  std::stable_sort(expected.begin(), expected.end(), [](const record& a, const record& b) {
    return a.group != b.group ? a.group < b.group : a.weight > b.weight;
  });
  sortile::sort(records, by_group{});
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i].group != expected[i].group || records[i].weight != expected[i].weight) {
      std::cerr << "structs are out of order at " << i << '\n';
      return 1;
    }
  sortile::sort(records, sortile::on_device(lighter{}));
  if (!std::is_sorted(records.begin(), records.end(), lighter{})) {
    std::cerr << "structs are out of the order of a comparison\n";
    return 1;
  }
}
