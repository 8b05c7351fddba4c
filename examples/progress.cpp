// What a sort will do and why, its workspace kept for reuse, its progress, and what an error says.
#include <sortile/sortile.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <new>
#include <random>
#include <vector>

int main() {
  std::vector<std::uint64_t> keys(1'000'000);
  std::mt19937_64 random(1);
  for (std::uint64_t& key : keys)
    key = random();

  const sortile::sort_request request{
      .type = sortile::key_type::u64, .n = keys.size(), .keys_in = keys.data(), .keys_out = keys.data()};
  std::cout << to_string(sortile::explain(request)) << '\n';

  // A workspace of one's own serves any number of sorts, none of which then allocates for its keys.
  const std::size_t bytes = sortile::workspace_bytes(request);
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{sortile::workspace_alignment}); }
  };
  const std::unique_ptr<std::byte[], release> scratch(
      static_cast<std::byte*>(::operator new[](bytes, std::align_val_t{sortile::workspace_alignment})));

  sortile::options options;
  options.workspace = {scratch.get(), bytes};
  double last = 0;
  options.progress = [&last](double done) {
    last = done;
    return true; // false would cancel
  };
  sortile::sort(keys, options);
  std::cout << "sorted: " << std::boolalpha << sortile::is_sorted(keys) << ", done: " << last << '\n';

  try {
    sortile::sort(keys, {.engine = "abacus"});
  } catch (const sortile::unknown_engine& problem) {
    std::cout << "as expected: " << problem.what() << '\n';
  }
}
