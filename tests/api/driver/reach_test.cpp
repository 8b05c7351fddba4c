// Memory of a GPU in the place of host memory is refused by name, in every argument of every call, before a byte of it
// is read: here it is memory that nobody may touch, and a library stands in for the driver that knows it.
#include "tests/api/driver/driver_stand_in.hpp"
#include "tests/expect_refusal.hpp"

#include <sortile/device_call.hpp>
#include <sortile/few.hpp>
#include <sortile/groups.hpp>
#include <sortile/scan.hpp>
#include <sortile/segments.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.h>
#include <sortile/sortile.hpp>
#include <sortile/struct_request.hpp>

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>

namespace sortile::testing {

int number_of_needing(); // of a library that needs another one

namespace {

constexpr std::size_t granule = std::size_t{2} << 20; // by which CUDA takes addresses

/// Pages for a granule of their own.
std::byte* map(int protection) {
  void* const got = mmap(nullptr, 2 * granule, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED)
    throw std::bad_alloc();
  const auto begin = (reinterpret_cast<std::uintptr_t>(got) + granule - 1) / granule * granule;
  mprotect(reinterpret_cast<void*>(begin), granule, protection);
  return reinterpret_cast<std::byte*>(begin);
}

/// A sort, since a process may load the driver at any time, finds it also where one before it found none.
decltype(&stand_in_say) load_driver() {
  static const auto say = [] {
    std::vector<std::uint32_t> keys = {2, 1};
    sortile::sort(keys);
    void* const library = dlopen(DRIVER_STAND_IN, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw std::runtime_error(dlerror());
    return reinterpret_cast<decltype(&stand_in_say)>(dlsym(library, "stand_in_say"));
  }();
  return say;
}

std::byte* memory_of(memory_kind kind) {
  std::byte* const pages = map(kind == memory_kind::device ? PROT_NONE : PROT_READ | PROT_WRITE);
  load_driver()(pages, granule, kind);
  return pages;
}

/// Gives a call its arrays. One of them, by name, lies in memory of a GPU; the others on the heap.
class places {
 public:
  places(std::string in_device_memory, std::byte* there) : chosen_(std::move(in_device_memory)), there_(there) {}

  /// n elements, the first ones as said.
  template <class T>
  T* at(const std::string& name, std::size_t n, std::vector<T> first = {}) {
    names.push_back(name);
    if (name == chosen_)
      return reinterpret_cast<T*>(there_);
    auto owned = std::shared_ptr<std::byte[]>(new (std::align_val_t{128}) std::byte[n * sizeof(T)](),
                                              [](std::byte* p) { operator delete[](p, std::align_val_t{128}); });
    std::memcpy(owned.get(), first.data(), first.size() * sizeof(T));
    heap_.push_back(owned);
    return reinterpret_cast<T*>(owned.get());
  }
  std::span<std::byte> workspace(std::size_t bytes) { return {at<std::byte>("the workspace", bytes + 1), bytes + 1}; }

  std::vector<std::string> names; ///< of all arrays that were asked for

 private:
  std::string chosen_;
  std::byte* there_;
  std::vector<std::shared_ptr<std::byte[]>> heap_;
};

/// The call is done where no array is out of reach, and is refused by name where any one of them is.
template <class Call>
void expect_each_array_refused(const Call& call, std::size_t arrays) {
  static std::byte* const device_memory = memory_of(memory_kind::device);
  places all_on_host("", device_memory);
  ASSERT_NO_THROW(call(all_on_host));
  EXPECT_EQ(all_on_host.names.size(), arrays) << "the arrays of this call";
  for (const std::string& name : all_on_host.names) {
    SCOPED_TRACE(name);
    places p(name, device_memory);
    expect_invalid([&] { call(p); }, {name, "lies in the memory of a GPU"});
  }
}

constexpr std::size_t sizes[] = {3, 100, 5000}; // short ones take ways of their own

std::vector<std::uint32_t> falling(std::size_t n) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i)
    keys[i] = static_cast<std::uint32_t>(n - i);
  return keys;
}

template <class Index>
std::vector<Index> counting(std::size_t n) {
  std::vector<Index> positions(n);
  for (std::size_t i = 0; i < n; ++i)
    positions[i] = static_cast<Index>(i);
  return positions;
}

// The first test, so that there is no driver yet.
TEST(device_memory_given_as_host_memory, is_refused_where_a_sort_has_met_host_memory_before_there_was_a_driver) {
  if (dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) != nullptr)
    GTEST_SKIP() << "there is a driver already";
  std::byte* const pages = map(PROT_READ | PROT_WRITE);
  const auto keys = [pages](std::size_t n) { return std::span(reinterpret_cast<std::uint32_t*>(pages), n); };
  for (const std::size_t n : sizes)
    sortile::sort(keys(n));
#if defined(__GLIBC__)
  EXPECT_EQ(number_of_needing(), 2);
  EXPECT_TRUE(detail::few_door_is_open()) << "beside a library behind the dynamic linker";
#endif
  const auto say = load_driver();
  mprotect(pages, granule, PROT_NONE);
  say(pages, granule, memory_kind::device);
  for (const std::size_t n : sizes)
    expect_invalid([&] { sortile::sort(keys(n)); }, {"lies in the memory of a GPU"});
}

TEST(device_memory_given_as_host_memory, is_refused_by_sorts) {
  for (const std::size_t n : sizes)
    for (const bool with_workspace : {false, true}) {
      const auto done = [&](places& p, sort_request r) {
        options opts;
        if (with_workspace)
          opts.workspace = p.workspace(workspace_bytes(r));
        run(r, opts);
      };
      const std::size_t space = with_workspace ? 1 : 0;
      expect_each_array_refused(
          [&](places& p) {
            done(p,
                 {.n = n, .keys_in = p.at("keys_in", n, falling(n)), .keys_out = p.at<std::uint32_t>("keys_out", n)});
          },
          2 + space);
      expect_each_array_refused(
          [&](places& p) {
            done(p, {.n = n,
                     .keys_in = p.at("keys_in", n, falling(n)),
                     .keys_out = p.at<std::uint32_t>("keys_out", n),
                     .carries = payload::values,
                     .value_bytes = 8,
                     .values_in = p.at<std::uint64_t>("values_in", n),
                     .values_out = p.at<std::uint64_t>("values_out", n)});
          },
          4 + space);
      expect_each_array_refused(
          [&](places& p) {
            done(p, {.n = n,
                     .keys_in = p.at("keys_in", n, falling(n)),
                     .keys_out = p.at<std::uint32_t>("keys_out", n),
                     .carries = payload::indices,
                     .value_bytes = 8,
                     .values_out = p.at<std::uint64_t>("indices", n)});
          },
          3 + space);
    }
}

TEST(device_memory_given_as_host_memory, is_refused_by_sorts_within_segments) {
  for (const std::size_t n : sizes) {
    const auto pairs = [n](places& p) {
      return sort_request{.n = n,
                          .keys_in = p.at("keys_in", n, falling(n)),
                          .keys_out = p.at<std::uint32_t>("keys_out", n),
                          .carries = payload::values,
                          .value_bytes = 8,
                          .values_in = p.at<std::uint64_t>("values_in", n),
                          .values_out = p.at<std::uint64_t>("values_out", n)};
    };
    const auto run_with_workspace = [](places& p, const segmented_request& r) {
      run(r, {.workspace = p.workspace(workspace_bytes(r))});
    };
    expect_each_array_refused(
        [&](places& p) {
          run_with_workspace(
              p, {pairs(p),
                  {.form = segment_form::offsets, .count = 2, .begins = p.at<std::uint64_t>("begins", 3, {0, 2, n})}});
        },
        6);
    expect_each_array_refused(
        [&](places& p) {
          run_with_workspace(p, {pairs(p),
                                 {.form = segment_form::ranges,
                                  .count = 2,
                                  .begins = p.at<std::uint64_t>("begins", 2, {1, 0}),
                                  .ends = p.at<std::uint64_t>("ends", 2, {n, 1})}});
        },
        7);
  }
}

TEST(device_memory_given_as_host_memory, is_refused_by_selections) {
  for (const std::size_t n : sizes) {
    const std::size_t k = n / 2;
    expect_each_array_refused(
        [&](places& p) {
          const top_k_request r{.n = n,
                                .k = k,
                                .keys_in = p.at("keys_in", n, falling(n)),
                                .keys_out = p.at<std::uint32_t>("keys_out", k),
                                .carries = payload::values,
                                .value_bytes = 8,
                                .values_in = p.at<std::uint64_t>("values_in", n),
                                .values_out = p.at<std::uint64_t>("values_out", k)};
          run(r, {.workspace = p.workspace(workspace_bytes(r))});
        },
        5);
    expect_each_array_refused(
        [&](places& p) {
          run(top_k_request{.n = n,
                            .k = k,
                            .keys_in = p.at("keys_in", n, falling(n)),
                            .carries = payload::indices,
                            .value_bytes = 4,
                            .values_out = p.at<std::uint32_t>("indices", k)});
        },
        2);
    expect_each_array_refused(
        [&](places& p) {
          run(partial_sort_request{.n = n,
                                   .k = k,
                                   .keys = p.at("keys", n, falling(n)),
                                   .value_bytes = 8,
                                   .values = p.at<std::uint64_t>("values", n)});
        },
        2);
    expect_each_array_refused(
        [&](places& p) { run(nth_element_request{.n = n, .nth = k, .keys = p.at("keys", n, falling(n))}); }, 1);
    expect_each_array_refused(
        [&](places& p) {
          run(ranks_request{.n = n,
                            .keys = p.at("keys", n, falling(n)),
                            .ranks = {p.at<std::size_t>("ranks", 2, {0, k}), 2},
                            .keys_out = p.at<std::uint32_t>("keys_out", 2)});
        },
        3);
    expect_each_array_refused(
        [&](places& p) {
          run(quantiles_request{.type = key_type::u32,
                                .n = n,
                                .keys = p.at("keys", n, falling(n)),
                                .probabilities = {p.at<double>("probabilities", 2, {0, 0.5}), 2},
                                .results = p.at<double>("results", 2)});
        },
        3);
  }
}

TEST(device_memory_given_as_host_memory, is_refused_by_groups_scans_and_histograms) {
  for (const std::size_t n : sizes) {
    expect_each_array_refused(
        [&](places& p) {
          run(groups_request{.n = n,
                             .keys = p.at("keys", n, falling(n)),
                             .keys_out = p.at<std::uint32_t>("keys_out", n),
                             .first = p.at<std::uint64_t>("first", n),
                             .counts = p.at<std::uint64_t>("counts", n),
                             .offsets = p.at<std::uint64_t>("offsets", n + 1),
                             .order = p.at<std::uint64_t>("order", n),
                             .inverse = p.at<std::uint64_t>("inverse", n)});
        },
        7);
    expect_each_array_refused(
        [&](places& p) {
          run(scan_request{.n = n, .in = p.at("in", n, falling(n)), .out = p.at<std::uint32_t>("out", n)});
        },
        2);
    expect_each_array_refused(
        [&](places& p) {
          run(histogram_request{
              .n = n, .keys = p.at("keys", n, falling(n)), .counts = p.at<std::uint64_t>("counts", 4 * 256)});
        },
        2);
  }
}

TEST(device_memory_given_as_host_memory, is_refused_by_merges_rows_and_permutations) {
  for (const std::size_t n : sizes) {
    const std::vector<std::uint32_t> rising = counting<std::uint32_t>(n);
    expect_each_array_refused(
        [&](places& p) {
          const sorted_run runs[] = {{p.at("keys of run 0", n, rising), p.at<std::uint64_t>("values of run 0", n), n},
                                     {p.at("keys of run 1", n, rising), p.at<std::uint64_t>("values of run 1", n), n}};
          run(merge_request{.runs = runs,
                            .keys_out = p.at<std::uint32_t>("keys_out", 2 * n),
                            .value_bytes = 8,
                            .values_out = p.at<std::uint64_t>("values_out", 2 * n)});
        },
        6);
    expect_each_array_refused(
        [&](places& p) {
          const column columns[] = {{key_type::u32, p.at("column 0", n, falling(n))},
                                    {key_type::u64, p.at<std::uint64_t>("column 1", n)}};
          run(rows_request{.n = n, .columns = columns, .indices_out = p.at<std::uint64_t>("indices", n)});
        },
        3);
    expect_each_array_refused(
        [&](places& p) {
          const column columns[] = {{key_type::u32, p.at("column 0", n, falling(n))}};
          const row_array arrays[] = {{p.at<std::uint64_t>("array 0", n), 8}, {p.at<std::uint16_t>("array 1", n), 2}};
          run(sort_rows_request{.n = n, .columns = columns, .arrays = arrays});
        },
        3);
    expect_each_array_refused(
        [&](places& p) {
          run(permute_request{.n = n,
                              .indices = p.at("indices", n, counting<std::uint64_t>(n)),
                              .values = p.at<std::uint32_t>("values", n),
                              .value_bytes = 4});
        },
        2);
    expect_each_array_refused(
        [&](places& p) { static_cast<void>(first_disorder(key_type::u32, p.at("keys", n, falling(n)), n)); }, 1);
  }
}

TEST(device_memory_given_as_host_memory, is_refused_by_sorts_of_strings) {
  for (const std::size_t n : sizes) {
    expect_each_array_refused(
        [&](places& p) {
          run(strings_request{.n = n,
                              .offsets = p.at("offsets", n + 1, counting<std::uint64_t>(n + 1)),
                              .offset_bytes = 8,
                              .bytes = p.at<char>("bytes", n),
                              .size = n,
                              .indices_out = p.at<std::uint64_t>("indices", n)});
        },
        3);
    expect_each_array_refused(
        [&](places& p) {
          run(strings_request{
              .n = n, .views = p.at<std::string_view>("views", n), .indices_out = p.at<std::uint64_t>("indices", n)});
        },
        2);
    expect_each_array_refused(
        [&](places& p) {
          const byte_strings<std::uint64_t> strings{{p.at("offsets", n + 1, counting<std::uint64_t>(n + 1)), n + 1},
                                                    {p.at<char>("bytes", n), n}};
          sort_strings(strings, {p.at<std::uint64_t>("offsets_out", n + 1), n + 1}, {p.at<char>("bytes_out", n), n});
        },
        4);
  }
}

struct pair_of_members {
  std::uint32_t first, second;
};

TEST(device_memory_given_as_host_memory, is_refused_by_sorts_of_structs_and_by_comparisons) {
  for (const std::size_t n : sizes) {
    expect_each_array_refused(
        [&](places& p) {
          sortile::sort(std::span(p.at<pair_of_members>("the range of structs", n), n), by(&pair_of_members::first));
        },
        1);
    expect_each_array_refused(
        [&](places& p) {
          argsort(std::span(p.at<pair_of_members>("the range of structs", n), n),
                  std::span(p.at<std::uint64_t>("indices", n), n), by(&pair_of_members::first));
        },
        2);
    const auto less = [](std::uint32_t a, std::uint32_t b) { return a < b; };
    const auto space = [n](places& p) {
      return options{.workspace = p.workspace(any_order_workspace_bytes<std::uint32_t, std::uint64_t>(n))};
    };
    expect_each_array_refused(
        [&](places& p) { sortile::sort(std::span(p.at("the elements", n, falling(n)), n), less, space(p)); }, 2);
    expect_each_array_refused(
        [&](places& p) {
          sortile::sort(std::span(p.at("in", n, falling(n)), n), std::span(p.at<std::uint32_t>("out", n), n), less,
                        space(p));
        },
        3);
    expect_each_array_refused(
        [&](places& p) {
          sort_by_key(std::span(p.at("keys", n, falling(n)), n), std::span(p.at<std::uint64_t>("values", n), n), less,
                      space(p));
        },
        3);
    expect_each_array_refused(
        [&](places& p) {
          argsort(std::span(p.at("the elements", n, falling(n)), n), std::span(p.at<std::uint64_t>("positions", n), n),
                  less, space(p));
        },
        3);
    expect_each_array_refused(
        [&](places& p) {
          merge(std::span(p.at<std::uint32_t>("a run", n), n), std::span<const std::uint32_t>(),
                std::span(p.at<std::uint32_t>("out", n), n), less);
        },
        2);
    expect_each_array_refused(
        [&](places& p) { static_cast<void>(is_sorted(std::span(p.at("the elements", n, falling(n)), n), less)); }, 1);
  }
}

TEST(device_memory_given_as_host_memory, is_refused_by_kernels_compiled_for_the_executor) {
  const std::size_t n = 3;
  static std::byte* const there = memory_of(memory_kind::device);
  for (const std::string name : {"keys_in", "keys_out", "values_in", "values_out"}) {
    places p(name, there);
    const struct_request structs{.n = n,
                                 .key_bytes = 4,
                                 .key_alignment = 4,
                                 .keys_in = p.at<std::uint32_t>("keys_in", n),
                                 .keys_out = p.at<std::uint32_t>("keys_out", n),
                                 .carries = payload::values,
                                 .value_bytes = 8,
                                 .values_in = p.at<std::uint64_t>("values_in", n),
                                 .values_out = p.at<std::uint64_t>("values_out", n),
                                 .image_bits = 32,
                                 .extract = [](const simt::queue&, const image_extraction&, const void*) {},
                                 .on_executor = true};
    expect_invalid([&] { run(structs); }, {name, "lies in the memory of a GPU"});
  }
  for (const std::string name : {"in", "out"}) {
    places p(name, there);
    const detail::device_call call{.operation = "a sort by a comparison",
                                   .arrays = {{"in", p.at<std::uint32_t>("in", n), n, 4, 4, false},
                                              {"out", p.at<std::uint32_t>("out", n), n, 4, 4, true}},
                                   .on_executor = true};
    expect_invalid([&] { detail::run_on_device(call, {}); }, {name, "lies in the memory of a GPU"});
  }
}

/// The C functions' lists and results, which lie in host memory wherever the arrays do.
TEST(device_memory_given_as_host_memory, is_refused_by_the_c_functions) {
  const std::size_t n = 100;
  const auto done = [](sortile_status code) {
    if (code == SORTILE_INVALID_ARGUMENT)
      throw invalid_argument(sortile_error_message());
    ASSERT_EQ(code, SORTILE_OK) << sortile_error_message();
  };
  expect_each_array_refused(
      [&](places& p) {
        done(sortile_sort_double_buffer(SORTILE_U32, p.at("keys_in", n, falling(n)), p.at<std::uint32_t>("keys_out", n),
                                        8, p.at<std::uint64_t>("values_in", n), p.at<std::uint64_t>("values_out", n), n,
                                        p.at<int>("result_in_first", 1), nullptr));
      },
      5);
  expect_each_array_refused(
      [&](places& p) {
        done(sortile_keys_at_ranks(SORTILE_U32, p.at("keys", n, falling(n)), n, p.at<std::size_t>("ranks", 2, {0, 5}),
                                   2, p.at<std::uint32_t>("keys_out", 2), nullptr));
      },
      3);
  expect_each_array_refused(
      [&](places& p) {
        done(sortile_quantiles(SORTILE_U32, p.at("keys", n, falling(n)), n, p.at<double>("probabilities", 2), 2,
                               SORTILE_LINEAR, p.at<double>("results", 2), nullptr));
      },
      3);
  expect_each_array_refused(
      [&](places& p) {
        const auto keys = p.at<std::uint32_t>("keys of run 0", n);
        done(sortile_merge(SORTILE_U32, p.at<sortile_run>("runs", 1, {{keys, nullptr, n}}), 1,
                           p.at<std::uint32_t>("keys_out", n), 0, nullptr, nullptr));
      },
      3);
  expect_each_array_refused(
      [&](places& p) {
        const auto keys = p.at("column 0", n, falling(n));
        const auto values = p.at<std::uint64_t>("array 0", n);
        done(sortile_sort_rows(p.at<sortile_column>("columns", 1, {{SORTILE_U32, keys, SORTILE_ASCENDING}}), 1,
                               p.at<sortile_row_array>("arrays", 1, {{values, 8}}), 1, n, nullptr));
      },
      4);
  expect_each_array_refused(
      [&](places& p) {
        sortile_groups_request r{};
        r.type = SORTILE_U32;
        r.n = n;
        r.keys = p.at("keys", n, falling(n));
        r.index_bytes = 8;
        done(sortile_groups(&r, p.at<std::size_t>("groups", 1), nullptr));
      },
      2);
  expect_each_array_refused(
      [&](places& p) {
        done(sortile_first_disorder(SORTILE_U32, p.at("keys", n, falling(n)), n, p.at<std::size_t>("position", 1),
                                    nullptr));
      },
      2);
  expect_each_array_refused(
      [&](places& p) { done(sortile_workspace_bytes(SORTILE_U32, n, 0, 0, p.at<std::size_t>("bytes", 1), nullptr)); },
      1);
}

TEST(managed_and_pinned_memory, is_the_hosts_too) {
  const std::size_t n = 3;
  for (const memory_kind kind : {memory_kind::managed, memory_kind::pinned}) {
    const std::span<std::uint32_t> keys(reinterpret_cast<std::uint32_t*>(memory_of(kind)), n);
    keys[0] = 9;
    keys[1] = 7;
    keys[2] = 8;
    sortile::sort(keys);
    EXPECT_EQ(std::vector(keys.begin(), keys.end()), (std::vector<std::uint32_t>{7, 8, 9}));
    EXPECT_EQ(top_k(keys, 1), std::vector<std::uint32_t>{7});
  }
}

} // namespace
} // namespace sortile::testing
