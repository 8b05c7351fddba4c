// The list of a call's launches, which follows from the request alone: explained steps, workspace, and the kernels that
// are launched with their grids are those of launch_lists.txt. Nothing runs: the executor's launches are intercepted.
//
// A change that is meant is written by SORTILE_WRITE_LAUNCH_LISTS=FILE, and read before it is committed.
#include "gpu/device_merge.hpp"
#include "gpu/device_partial_sort.hpp"
#include "gpu/device_ranks.hpp"
#include "gpu/device_route.hpp"
#include "gpu/device_select.hpp"
#include "gpu/segmented_sort.hpp"
#include "kernels/pairs/sort_pairs.hpp"
#include "sort/device_sort.hpp"
#include "tests/source_folder.hpp"

#include "simt/executor/dialect_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

namespace {
std::vector<std::string>* launched = nullptr;
}

// The linker puts this in the place of executor::device::run() (CMakeLists.txt).
extern "C" void record_launch(sortile::executor::device*, const sortile::executor::grid_request& request) {
  std::string name = request.kernel_name;
  for (const std::string prefix : {"sortile::kernels::executor_backend::", "sortile::kernels::", "sortile::"})
    for (std::size_t at = name.find(prefix); at != std::string::npos; at = name.find(prefix))
      name.erase(at, prefix.size());
  launched->push_back(name + " " + std::to_string(request.config.grid.x) + " x " +
                      std::to_string(request.config.block) + (request.config.cooperative ? " cooperative" : "") +
                      (request.config.cluster > 1 ? " in clusters of " + std::to_string(request.config.cluster) : ""));
}

namespace sortile::testing {
namespace {

void* at(unsigned k, std::size_t off = 0) {
  return reinterpret_cast<void*>((std::size_t{k} << 44) + off); // compared, never followed
}

enum class buffers { apart, in_place, twice, order_alone };
struct asked {
  key_type type;
  std::size_t n;
  std::size_t value_bytes = 0; // 0: keys alone
  bool indices = false;
  buffers where = buffers::apart;
  bit_window bits{};
  std::size_t off = 0; // of the keys from a multiple of 16 bytes
  bool n_on_device = false;
  gpu::device_facts device{.architecture = 90, .multiprocessors = 132};
};

sort_request request_of(const asked& a) {
  sort_request r{.type = a.type, .n = a.n, .keys_in = at(1, a.off), .keys_out = at(2, a.off)};
  if (a.value_bytes != 0) {
    r.carries = a.indices ? payload::indices : payload::values;
    r.value_bytes = a.value_bytes;
    r.values_in = a.indices ? nullptr : at(3);
    r.values_out = at(4);
  }
  if (a.where == buffers::order_alone)
    r.keys_out = nullptr;
  if (a.where == buffers::in_place) {
    r.keys_out = at(1, a.off);
    r.values_out = a.indices || a.value_bytes == 0 ? r.values_out : at(3);
  }
  r.input_is_scratch = a.where == buffers::twice;
  if (a.n_on_device)
    r.device_n = static_cast<const std::uint64_t*>(at(5));
  return r;
}

std::string name_of(const asked& a) {
  std::ostringstream s;
  s << name(a.type) << ", n = " << a.n;
  if (a.value_bytes != 0)
    s << (a.indices ? ", indices of " : ", values of ") << a.value_bytes << " bytes";
  const char* const where[] = {"", ", in place", ", double buffer", ", order alone"};
  s << where[int(a.where)];
  if (a.bits.begin != 0 || a.bits.end != bit_window::whole_key)
    s << ", bits [" << a.bits.begin << ", " << a.bits.end << ")";
  if (a.off != 0)
    s << ", " << a.off << " bytes off";
  if (a.n_on_device)
    s << ", n on the device";
  return s.str();
}

/// `call`: a device_sort and its like.
template <class Call>
std::string list_of(const std::string& name, const Call& call, const std::string& workspace,
                    const gpu::device_facts& device) {
  std::ostringstream s;
  s << "== " << name;
  if (device.architecture != 90 || device.multiprocessors != 132)
    s << ", sm_" << device.architecture << " with " << device.multiprocessors << " multiprocessors";
  s << "\n";
  std::vector<plan_step> steps;
  call.add_steps(steps);
  for (const plan_step& step : steps)
    s << step.name << ": " << step.detail << "; reads " << step.bytes_read << ", writes " << step.bytes_written << "\n";
  s << "workspace " << call.workspace_bytes() << workspace << "\n";
  std::vector<std::string> kernels;
  launched = &kernels;
  executor::device pretended({.multiprocessors = device.multiprocessors, .architecture = device.architecture});
  call.launch(simt::queue::executor(pretended), at(6));
  launched = nullptr;
  for (const std::string& kernel : kernels)
    s << "  " << kernel << "\n";
  return s.str();
}

std::string list_of(const asked& a) {
  const options opts{.bits = a.bits, .memory = memory::device};
  const sort_request request = request_of(a);
  const std::size_t enough = gpu::device_sort::enough_workspace(request, opts, a.device);
  return list_of(name_of(a), gpu::device_sort(request, opts, a.device), ", enough " + std::to_string(enough), a.device);
}

constexpr gpu::device_facts hopper{.architecture = 90, .multiprocessors = 132};
constexpr gpu::device_facts ampere{.architecture = 80, .multiprocessors = 108};

/// Each way of a top-k: a warp a row, a block a row, the filter, a sort of all.
std::string lists_of_top_k() {
  struct shape {
    std::size_t n, k, rows;
  };
  std::string lists;
  for (const auto [n, k, rows] :
       {shape{1000, 10, 300}, shape{40'000, 500, 1}, shape{40'000, 500, 300}, shape{5'000'000, 10, 1},
        shape{5'000'000, 500'000, 1}, shape{5'000'000, 10, 2}, shape{5'000'000, 4'000'000, 1}}) {
    const top_k_request r{.type = key_type::f32,
                          .n = n,
                          .k = k,
                          .keys_in = at(1),
                          .keys_out = at(2),
                          .carries = payload::indices,
                          .value_bytes = 8,
                          .values_out = at(3),
                          .rows = rows};
    std::ostringstream name;
    name << "first " << k << " keys and positions of f32, n = " << n << ", rows = " << rows;
    lists += list_of(name.str(), gpu::device_select(r, {}, hopper), "", hopper);
    top_k_request read = r;
    read.row_k = at(4);
    lists += list_of(name.str() + ", as many as device memory says", gpu::device_select(read, {}, hopper), "", hopper);
  }
  return lists;
}

/// Each way of a top-k within segments: a block each, a sort of all.
std::string lists_of_segmented_top_k() {
  std::string lists;
  for (const std::size_t count : {100u, 100'000u}) {
    const segmented_top_k_request r{{.type = key_type::f32,
                                     .n = 1'000'000,
                                     .k = 10,
                                     .keys_in = at(1),
                                     .keys_out = at(2),
                                     .carries = payload::values,
                                     .value_bytes = 8,
                                     .values_in = at(5),
                                     .values_out = at(3)},
                                    {.form = segment_form::offsets, .count = count, .begins = at(4)}};
    lists += list_of("first 10 keys of each of " + std::to_string(count) + " segments of f32 with values, n = 1000000",
                     gpu::device_select(r, {}, hopper), "", hopper);
  }
  return lists;
}

/// Each way of a partial sort and of nth_element: first ones chosen and put in place, at the end too; all sorted.
std::string lists_of_partial_sorts() {
  struct shape {
    std::size_t n, k;
  };
  std::string lists;
  for (const auto [n, k] : {shape{1000, 0}, shape{40'000, 500}, shape{5'000'000, 10}, shape{5'000'000, 4'000'000},
                            shape{5'000'000, 4'999'990}, shape{5'000'000, 5'000'000}}) {
    const partial_sort_request first{
        .type = key_type::f32, .n = n, .k = k, .keys = at(1), .value_bytes = 8, .values = at(2)};
    const nth_element_request nth{.type = key_type::u64, .n = n, .nth = k, .keys = at(1)};
    const std::string shape = std::to_string(k) + " of " + std::to_string(n);
    lists += list_of("f32 and values of 8 bytes, the first " + shape, gpu::device_partial_sort(first, {}, hopper), "",
                     hopper);
    lists += list_of("u64, the element " + shape, gpu::device_partial_sort(nth, {}, hopper), "", hopper);
  }
  return lists;
}

/// Each way to keys at ranks and to quantiles: a search, a sort of all, a sort of rows. `count` of them, evenly.
std::string lists_of_ranks() {
  struct shape {
    std::size_t n, count, rows;
  };
  std::string lists;
  for (const auto [n, count, rows] :
       {shape{0, 1, 1}, shape{1000, 1, 1}, shape{1000, 1, 300}, shape{1u << 19, 1, 1}, shape{(1u << 19) + 1, 1, 1},
        shape{50'000'000, 1, 1}, shape{50'000'000, 9, 1}, shape{50'000'000, 100, 1}, shape{5'000'000, 1, 2}}) {
    std::vector<std::size_t> ranks;
    std::vector<double> probabilities;
    for (std::size_t i = 1; i <= count; ++i) {
      probabilities.push_back(double(i) / double(count + 1));
      if (n > 0)
        ranks.push_back(i * n / (count + 1));
    }
    const ranks_request keys{
        .type = key_type::u32, .n = n, .keys = at(1), .ranks = ranks, .keys_out = at(2), .rows = rows};
    const quantiles_request numbers{.type = key_type::f64,
                                    .n = n,
                                    .keys = at(1),
                                    .probabilities = probabilities,
                                    .results = static_cast<double*>(at(2)),
                                    .rows = rows};
    const std::string shape = ", n = " + std::to_string(n) + ", rows = " + std::to_string(rows);
    lists += list_of("ranks of u32: " + std::to_string(ranks.size()) + shape, gpu::device_ranks(keys, {}, hopper, {}),
                     "", hopper);
    lists += list_of("quantiles of f64: " + std::to_string(count) + shape, gpu::device_ranks(numbers, {}, hopper, {}),
                     "", hopper);
  }
  const std::vector<double> quartiles{0.25, 0.5, 0.75};
  const segmented_quantiles_request of_segments{{.type = key_type::f32,
                                                 .n = 1'000'000,
                                                 .keys = at(1),
                                                 .probabilities = quartiles,
                                                 .results = static_cast<double*>(at(2))},
                                                {.form = segment_form::offsets, .count = 5000, .begins = at(3)}};
  return lists + list_of("quartiles of 5000 segments of f32, n = 1000000",
                         gpu::device_ranks(of_segments, {}, hopper, {}), "", hopper);
}

/// Segments at offsets: few of a short array in one launch, unless somebody asks what the offsets were; else by lists.
std::string lists_of_segments() {
  struct shape {
    std::size_t n, count;
    bool checked;
  };
  struct call : gpu::device_segmented_sort {
    using device_segmented_sort::device_segmented_sort;
    void launch(const simt::queue& q, void* workspace) const { device_segmented_sort::launch(q, workspace, nullptr); }
  };
  std::string lists;
  for (const auto [n, count, checked] :
       {shape{30, 1000, false}, shape{100, 10, false}, shape{1000, 10, false}, shape{10'000, 10, false},
        shape{10'000, 10, true}, shape{10'000, 129, false}, shape{16'385, 10, false}}) {
    const segmented_request r{{.type = key_type::u32, .n = n, .keys_in = at(1), .keys_out = at(2)},
                              {.form = segment_form::offsets, .count = count, .begins = at(3)}};
    options opts{.memory = memory::device};
    opts.checked = checked;
    lists +=
        list_of(std::to_string(count) + " segments of u32, n = " + std::to_string(n) + (checked ? ", checked" : ""),
                call(r, opts), "", hopper);
  }
  return lists;
}

/// A routing in one launch and in three.
std::string lists_of_routes() {
  struct shape {
    std::size_t n, expert_count, block;
    gpu::device_facts device;
  };
  std::string lists;
  for (const auto& [n, expert_count, block, device] :
       {shape{0, 8, 1, hopper}, shape{4096, 8, 16, hopper}, shape{131'072, 1024, 128, hopper},
        shape{131'073, 1024, 128, hopper}, shape{4096, 1025, 16, hopper}, shape{1u << 24, 64, 1, hopper},
        shape{4096, 8, 16, ampere}}) {
    const route_request r{.n = n,
                          .experts = at(1),
                          .expert_count = expert_count,
                          .block = block,
                          .offsets = at(2),
                          .counts = at(3),
                          .order = at(4),
                          .inverse = at(5),
                          .block_experts = at(7),
                          .dropped = at(8)};
    std::ostringstream name;
    name << "route, n = " << n << " pairs of " << expert_count << " experts, blocks of " << block;
    lists += list_of(name.str(), gpu::device_route(r, device), "", device);
  }
  return lists;
}

/// Each way of a merge: a copy, passes with arguments or a table, values gathered, and sorts of few, of short keys and
/// of many runs.
std::string lists_of_merges() {
  struct shape {
    key_type type;
    std::size_t count, length, value_bytes;
  };
  std::string lists;
  for (const auto [type, count, length, value_bytes] :
       {shape{key_type::u32, 3, 0, 4}, shape{key_type::u32, 1, 1000, 4}, shape{key_type::u32, 2, 2000, 0},
        shape{key_type::u32, 2, 10'000'000, 0}, shape{key_type::f32, 8, 1'000'000, 4},
        shape{key_type::u64, 64, 100'000, 8}, shape{key_type::u64, 300, 10'000, 12},
        shape{key_type::u128, 9, 100'000, 0}, shape{key_type::u32, 65, 100'000, 0}, shape{key_type::u16, 3, 5000, 8},
        shape{key_type::u64, 2, 5'000'000'000, 1}}) {
    const std::vector<sorted_run> runs(count, {at(1), at(3), length});
    const merge_request r{
        .type = type, .runs = runs, .keys_out = at(2), .value_bytes = value_bytes, .values_out = at(4)};
    std::ostringstream name;
    name << "merge of " << count << " runs of " << length << " " << sortile::name(type) << ", values of " << value_bytes
         << " bytes";
    lists += list_of(name.str(), gpu::device_merge(r, {}, hopper), "", hopper);
  }
  return lists;
}

/// The fewest keys and pairs that may have a map (kernels/typed_request.hpp).
std::vector<asked> from_here_on_a_map() {
  return {{.type = key_type::u64, .n = std::size_t{1} << 22},
          {.type = key_type::u32, .n = std::size_t{1} << 22},
          {.type = key_type::u64, .n = std::size_t{1} << 19, .value_bytes = 8},
          {.type = key_type::u32, .n = std::size_t{1} << 21, .value_bytes = 4}};
}

/// A request for each rule and each shape of the sorts; with SORTILE_LAUNCH_LISTS=all, of everything.
std::vector<asked> requests(bool everything) {
  std::vector<asked> all;
  const std::size_t few[] = {5000, 500'000, 50'000'000, 200'000'000};
  const std::size_t many[] = {
      0,          1,          300,        600,         4480,        4481,        6145,           8193,      20'000,
      40'000,     70'000,     140'000,    300'000,     600'000,     1u << 20,    (1u << 20) + 1, 5'000'000, 1u << 24,
      20'000'000, 40'000'000, 50'000'000, 100'000'000, 200'000'000, 300'000'000, 5'000'000'000};
  const std::size_t widths[] = {0, 4, 8, 16, 3, 100};
  for (const key_type type : {key_type::u8, key_type::u16, key_type::f16, key_type::u32, key_type::f32, key_type::u64,
                              key_type::f64, key_type::u128})
    for (const std::size_t value_bytes : widths) {
      if (!everything && (value_bytes == 16 || (value_bytes == 3 && type != key_type::u32) ||
                          (value_bytes == 100 && type != key_type::u64)))
        continue;
      if (!everything) {
        for (const std::size_t n : few)
          if (n < few[3] || value_bytes == 0)
            all.push_back({.type = type, .n = n, .value_bytes = value_bytes});
        continue;
      }
      for (const std::size_t n : many)
        for (const buffers where : {buffers::apart, buffers::in_place, buffers::twice, buffers::order_alone})
          for (const bool indices : {false, true}) {
            if ((indices && value_bytes != 4 && value_bytes != 8) || (indices && value_bytes == 4 && n >> 32 != 0) ||
                (where == buffers::order_alone && value_bytes == 0) || (where == buffers::twice && indices))
              continue;
            for (const gpu::device_facts device :
                 {gpu::device_facts{90, 132}, gpu::device_facts{80, 108}, gpu::device_facts{90, 4}})
              for (const std::size_t off : {std::size_t{0}, key_bytes(type)})
                all.push_back({.type = type,
                               .n = n,
                               .value_bytes = value_bytes,
                               .indices = indices,
                               .where = where,
                               .off = off,
                               .device = device});
          }
    }
  for (const std::size_t n : {std::size_t{1000}, std::size_t{1'000'000}, std::size_t{30'000'000}}) {
    for (const buffers where : {buffers::in_place, buffers::twice})
      for (const std::size_t value_bytes : {0, 8})
        all.push_back({.type = key_type::u64, .n = n, .value_bytes = value_bytes, .where = where});
    all.push_back({.type = key_type::u32, .n = n, .value_bytes = 4, .indices = true, .where = buffers::order_alone});
    all.push_back({.type = key_type::u32, .n = n, .bits = {8, 24}});
    all.push_back({.type = key_type::u64, .n = n, .bits = {0, 20}});
    all.push_back({.type = key_type::u32, .n = n, .off = 4});
    all.push_back({.type = key_type::u32, .n = n, .n_on_device = true});
    all.push_back({.type = key_type::u64, .n = n, .device = {.architecture = 80, .multiprocessors = 108}});
  }
  for (const asked& at : from_here_on_a_map())
    for (const std::size_t n : {at.n - 1, at.n, at.n + 1}) {
      asked near = at;
      near.n = n;
      all.push_back(near);
    }
  return all;
}

/// How often a map is drawn by a launch of its own.
std::ptrdiff_t map_launches(asked a, std::size_t n) {
  a.n = n;
  std::vector<std::string> kernels;
  launched = &kernels;
  executor::device pretended({.multiprocessors = a.device.multiprocessors, .architecture = a.device.architecture});
  gpu::device_sort(request_of(a), {.memory = memory::device}, a.device).launch(simt::queue::executor(pretended), at(6));
  launched = nullptr;
  return std::count_if(kernels.begin(), kernels.end(),
                       [](const std::string& name) { return name.rfind("key_map_kernel<", 0) == 0; });
}
/// By how much more memory the sort of pairs takes for n than for n − 1.
template <class Word>
std::size_t one_more(const asked& a, std::size_t n) {
  const auto workspace = [&a](std::size_t pairs) {
    alignas(16) static Word in, out;
    alignas(16) static std::uint64_t values, values_out;
    static std::uint32_t verdict;
    return kernels::sort_pairs_workspace_bytes(
        kernels::typed_request<Word>{.keys_in = &in,
                                     .keys_out = &out,
                                     .values_in = &values,
                                     .values_out = &values_out,
                                     .value_bytes = unsigned(a.value_bytes),
                                     .n = pairs,
                                     .codec = make_key_codec<Word>(a.type, order::ascending, {}),
                                     .verdict = {.word = &verdict}});
  };
  return workspace(n) - workspace(n - 1);
}

/// Of pairs it has no launch of its own, since the kernel that counts them draws it; but its room tells.
TEST(launch_list, skewed_keys_have_a_map_from_so_many_on) {
  for (const asked& a : from_here_on_a_map()) {
    SCOPED_TRACE(name_of(a));
    const std::size_t map_bytes = 2 * 256 * key_bytes(a.type) * sizeof(std::uint32_t);
    const bool keys_alone = a.value_bytes == 0;
    EXPECT_EQ(map_launches(a, a.n - 1), 0);
    EXPECT_EQ(map_launches(a, a.n), keys_alone ? 1 : 0);
    EXPECT_EQ(map_launches(a, a.n + 1), keys_alone ? 1 : 0);
    if (!keys_alone) {
      const auto more = key_bytes(a.type) == 4 ? one_more<std::uint32_t> : one_more<std::uint64_t>;
      EXPECT_LT(more(a, a.n - 1), map_bytes);
      EXPECT_GT(more(a, a.n), map_bytes);
    }
  }
}

TEST(launch_list, is_the_one_that_is_kept) {
  const char* const what = std::getenv("SORTILE_LAUNCH_LISTS");
  std::string lists;
  for (const asked& a : requests(what != nullptr && std::string(what) == "all"))
    lists += list_of(a);
  lists += lists_of_top_k() + lists_of_segmented_top_k() + lists_of_partial_sorts() + lists_of_ranks() +
           lists_of_segments() + lists_of_routes() + lists_of_merges();
  if (const char* const file = std::getenv("SORTILE_WRITE_LAUNCH_LISTS")) {
    std::ofstream(file) << lists;
    return;
  }
  std::ifstream file(testing::source_folder() + "/tests/gpu/launch_lists.txt");
  std::ostringstream kept;
  kept << file.rdbuf();
  std::istringstream is(lists), was(kept.str());
  std::string request, line, expected;
  while (std::getline(is, line)) {
    request = line.rfind("== ", 0) == 0 ? line : request;
    ASSERT_TRUE(std::getline(was, expected)) << "not kept: " << request;
    ASSERT_EQ(line, expected) << request;
  }
  EXPECT_FALSE(std::getline(was, expected)) << "kept, but not there: " << expected;
}

} // namespace
} // namespace sortile::testing
