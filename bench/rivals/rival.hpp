// The other sorts: each under one face, so that a race treats all alike.
//
// Keys alone are arrays of the key type. Pairs are arrays of structs for rivals, which is what their interfaces take,
// and two arrays for sortile, which is what its interface takes; only keys are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sortile::bench {

/// What is sorted. Pairs are called key_value.
enum class shape : std::uint8_t { u32, u64, f32, f64, u32_u32, u64_u32, u64_u64 };
inline constexpr shape all_shapes[] = {shape::u32,     shape::u64,     shape::f32,    shape::f64,
                                       shape::u32_u32, shape::u64_u32, shape::u64_u64};
/// How they are called, in their order.
inline constexpr const char* shape_names[] = {"u32", "u64", "f32", "f64", "u32+u32", "u64+u32", "u64+u64"};

/// The value comes first because Highway wants it there; to the others it is all the same.
template <class Key, class Value>
struct alignas(sizeof(Key) == sizeof(Value) ? 2 * sizeof(Key) : alignof(Key)) pair_of {
  Value value;
  Key key;
  friend bool operator<(const pair_of& a, const pair_of& b) { return a.key < b.key; }
};

/// Sorts n elements of a shape, on at most so many threads.
using sort_function = void (*)(void* elements, std::size_t n, unsigned threads);

struct rival {
  std::string name;
  bool stable = false;
  bool parallel = false;
  sort_function sorts[std::size(all_shapes)] = {}; ///< by shape; null where the rival has no such sort
};

/// A rival from a class with `template <class T> static void sort(T* begin, T* end, unsigned threads)` for every shape.
template <class Sorter>
rival rival_of(std::string name, bool stable, bool parallel) {
  const auto function = []<class T>(T*) -> sort_function {
    return [](void* elements, std::size_t n, unsigned threads) {
      T* begin = static_cast<T*>(elements);
      Sorter::sort(begin, begin + n, threads);
    };
  };
  return {std::move(name),
          stable,
          parallel,
          {function(static_cast<std::uint32_t*>(nullptr)), function(static_cast<std::uint64_t*>(nullptr)),
           function(static_cast<float*>(nullptr)), function(static_cast<double*>(nullptr)),
           function(static_cast<pair_of<std::uint32_t, std::uint32_t>*>(nullptr)),
           function(static_cast<pair_of<std::uint64_t, std::uint32_t>*>(nullptr)),
           function(static_cast<pair_of<std::uint64_t, std::uint64_t>*>(nullptr))}};
}

std::vector<rival> standard_rivals();
std::vector<rival> tbb_rivals();
std::vector<rival> boost_rivals();
std::vector<rival> highway_rivals();
std::vector<rival> ips4o_rivals();
std::vector<rival> pdqsort_rivals();

} // namespace sortile::bench
