// sortile_structs_bench: sorts of structs in device memory by compare.cuh against CUB's radix sort with a decomposer,
// out of place and with a workspace given, in one process, taking turns; every result is compared with CUB's, byte for
// byte, before anything is timed.
//
//   sortile_structs_bench [--rounds N] [--log-n A,B,…] [--workloads uniform,…] [--json FILE]
#include "bench/gpu/program.hpp"
#include "bench/gpu/struct_sort.cuh"
#include "bench/gpu/with_workspace.cuh"

#include "simt/simt.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/tuple>

#include <array>

namespace sortile::bench {
namespace {

// A shape: the struct, how it is made of words, its members for sortile (call operator) and for CUB (`ties`). The words
// are keys of a workload, of 64 bits, of three seeds. Bytes without a member, padding too, are zeros or words, so that
// whole arrays can be compared.

struct two_words {
  static constexpr const char* name = "{u32, u32}";
  struct type {
    std::uint32_t a, b;
  };
  SORTILE_DEVICE static type of(std::uint64_t word, std::uint64_t, std::uint64_t) {
    return {std::uint32_t(word >> 32), std::uint32_t(word)};
  }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.a, t.b); }
  struct ties {
    SORTILE_HOST_DEVICE cuda::std::tuple<std::uint32_t&, std::uint32_t&> operator()(type& t) const {
      return {t.a, t.b};
    }
  };
};

/// 56 bits in 8 bytes. Floats of one binade and both signs: CUB orders NaN and −0 otherwise.
struct mixed {
  static constexpr const char* name = "{f32, i16, u8}";
  struct type {
    float f;
    std::int16_t i;
    std::uint8_t u, zero;
  };
  SORTILE_DEVICE static type of(std::uint64_t word, std::uint64_t, std::uint64_t) {
    const std::uint32_t bits = (std::uint32_t(word >> 32) & 0x807fffffu) | 0x3f800000u;
    return {__builtin_bit_cast(float, bits), std::int16_t(word >> 16), std::uint8_t(word >> 8), 0};
  }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.f, t.i, t.u); }
  struct ties {
    SORTILE_HOST_DEVICE cuda::std::tuple<float&, std::int16_t&, std::uint8_t&> operator()(type& t) const {
      return {t.f, t.i, t.u};
    }
  };
};

/// 160 bits: three words, of which the first decides nearly always.
struct three_words {
  static constexpr const char* name = "{u64, u64, u32}";
  struct type {
    std::uint64_t a, b;
    std::uint32_t c, zero;
  };
  SORTILE_DEVICE static type of(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
    return {first, second, std::uint32_t(third >> 32), 0};
  }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.a, t.b, t.c); }
  struct ties {
    SORTILE_HOST_DEVICE cuda::std::tuple<std::uint64_t&, std::uint64_t&, std::uint32_t&> operator()(type& t) const {
      return {t.a, t.b, t.c};
    }
  };
};

/// A number with a long tail that only travels.
struct tailed {
  static constexpr const char* name = "{u64} of 32 bytes";
  struct type {
    std::uint64_t k, tail[3];
  };
  SORTILE_DEVICE static type of(std::uint64_t first, std::uint64_t second, std::uint64_t third) {
    return {first, {second, third, second}};
  }
  SORTILE_HOST_DEVICE auto operator()(const type& t) const { return members(t.k); }
  struct ties {
    SORTILE_HOST_DEVICE cuda::std::tuple<std::uint64_t&> operator()(type& t) const { return {t.k}; }
  };
};

template <class Shape>
struct structs_kernel {
  static constexpr unsigned block_threads = 256;
  simt::global<const std::uint64_t> first, second, third;
  simt::global<typename Shape::type> out;
  std::uint64_t n;
  SORTILE_DEVICE void operator()() const {
    const auto stride = std::uint64_t{simt::grid_size()} * block_threads;
    for (auto i = std::uint64_t{simt::block_index()} * block_threads + simt::thread_index(); i < n; i += stride)
      out.store(i, Shape::of(first.load(i), second.load(i), third.load(i)));
  }
};

template <class Shape>
shared_buffer structs_of(const std::string& workload, std::uint64_t n) {
  using T = typename Shape::type;
  const auto words = [&](std::uint64_t seed) { return keys_of(workload, {key_type::u64, n, seed}); };
  const shared_buffer first = words(1), second = words(2), third = words(3), out = make_buffer(n * sizeof(T));
  const auto view = [n](const shared_buffer& b) {
    return simt::global<const std::uint64_t>{static_cast<const std::uint64_t*>(b->data()), n};
  };
  simt::launch(simt::queue::cuda(nullptr), {.grid = 1024},
               structs_kernel<Shape>{view(first), view(second), view(third), {static_cast<T*>(out->data()), n}, n});
  return out;
}

template <class Shape>
row make_row(const std::string& workload, std::uint64_t n) {
  using T = typename Shape::type;
  const auto in = structs_of<Shape>(workload, n), out = make_buffer(n * sizeof(T)),
             expected = make_buffer(n * sizeof(T));
  const auto array = [n](const shared_buffer& b) { return std::span(static_cast<T*>(b->data()), n); };

  row r{Shape::name, n, 2.0 * double(n * sizeof(T)), {}, workload};
  r.contestants.push_back(struct_sort_contestant<T>(array(in), array(out), Shape{}));
  r.contestants.push_back(with_workspace("cub", [=](void* temporary, std::size_t& temporary_bytes) {
    return cub::DeviceRadixSort::SortKeys(temporary, temporary_bytes, static_cast<const T*>(in->data()),
                                          static_cast<T*>(expected->data()), n, typename Shape::ties{});
  }));
  for (contestant& c : r.contestants) {
    c.run();
    c.run = [work = c.run, kept = std::vector<shared_buffer>{in, out, expected}] { work(); };
  }
  if (!same_bytes(out->data(), expected->data(), n * sizeof(T)))
    throw std::runtime_error(r.name + " " + workload + ", n = " + std::to_string(n) +
                             ": sortile's result is not CUB's");
  return r;
}

struct settings {
  unsigned rounds = 7;
  std::vector<unsigned> log_n{12, 16, 20, 24, 26};
  std::vector<std::string> workloads{"uniform"};
  std::string json_path;
};

std::vector<row_result> run_rows(const settings& s) {
  std::vector<row_result> results;
  for (const std::string& workload : s.workloads)
    for (const unsigned log_n : s.log_n)
      for (const auto make : {make_row<two_words>, make_row<mixed>, make_row<three_words>, make_row<tailed>}) {
        results.push_back(measure(make(workload, std::uint64_t{1} << log_n), s.rounds));
        for (contestant& c : results.back().measured.contestants)
          c.run = nullptr; // its memory
      }
  return results;
}

} // namespace
} // namespace sortile::bench

int main(int argc, char** argv) {
  sortile::bench::settings s;
  CLI::App app("Sorts of structs in device memory against CUB");
  app.add_option("--rounds", s.rounds, "timed rounds")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--log-n", s.log_n, "sizes, as powers of two")->delimiter(',')->check(CLI::Range(8, 29));
  sortile::bench::add_workloads(app, s.workloads, std::array{sortile::key_type::u64});
  app.add_option("--json", s.json_path, "where the raw figures go");
  CLI11_PARSE(app, argc, argv);
  return sortile::bench::run_program("sortile_structs_bench", s.json_path, [&] { return sortile::bench::run_rows(s); });
}
