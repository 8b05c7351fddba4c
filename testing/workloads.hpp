// Workloads: named rules that give the keys of an array, shared by tests, benches of the CPU and of the GPU, and
// `sortile gen`.
//
// A workload is counter-based: key i of an array follows from (workload, type, n, seed, i) alone. So any piece of the
// array can be made at any time, by any thread, and pieces of any sizes together give the same array. A kernel makes
// the same keys, bit for bit (workload_rules.hpp). Memory: none beyond the output.
#pragma once

#include <sortile/error.hpp>
#include <sortile/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sortile::testing {

/// The array of which a workload gives the keys.
struct array_shape {
  key_type type = key_type::u32;
  std::uint64_t n = 0;
  std::uint64_t seed = 0;
};

/// The parameters of a workload, in the order of its name ("window:8:24" has two); unused ones are 0.
using workload_parameters = std::array<double, 3>;

/// What the registry says of a workload.
struct workload_info {
  std::string_view name;
  std::string_view
      parameters; ///< how they are written after the name, with the default: ":1.2"; empty where there are none
  std::string_view description;
  bool floats_only = false;
};

class workload {
 public:
  workload(std::string spec, workload_info info, workload_parameters parameters, unsigned rule)
      : spec_(std::move(spec)), info_(info), parameters_(parameters), rule_(rule) {}

  /// As it was asked for: "zipf:1.2".
  const std::string& spec() const { return spec_; }
  const workload_info& info() const { return info_; }
  bool suits(key_type type) const { return is_float(type) || !info_.floats_only; }
  /// \throws invalid_argument where the workload does not suit the type
  void check(key_type type) const;
  const workload_parameters& parameters() const { return parameters_; }
  /// The rule's number in rules::all.
  unsigned rule() const { return rule_; }
  /// The same law, however it was spelt.
  bool operator==(const workload& other) const { return rule_ == other.rule_ && parameters_ == other.parameters_; }

  /// Writes keys [begin, end) of the array to `keys`, which is aligned for the type and has room for end − begin of
  /// them. Can be called from several threads at once. \throws invalid_argument where the workload needs a float type,
  /// or a parameter does not fit the type.
  void fill(const array_shape& shape, std::uint64_t begin, std::uint64_t end, void* keys) const;

 private:
  std::string spec_;
  workload_info info_;
  workload_parameters parameters_;
  unsigned rule_;
};

/// All workloads, in the order in which lists show them.
std::span<const workload_info> all_workloads();

/// The workload of a spec: a name, or a name and parameters after colons ("few:16", "window:8:24").
/// \throws invalid_argument where the name or a parameter is not known; the message lists all workloads.
workload workload_named(std::string_view spec);

/// Name, parameters and description of every workload, a line each: for help texts and messages.
std::string workload_list();

/// A whole array of keys of the type K.
template <key K>
std::vector<K> make_keys(std::string_view spec, std::uint64_t n, std::uint64_t seed) {
  std::vector<K> keys(n);
  workload_named(spec).fill({key_type_of<K>, n, seed}, 0, n, keys.data());
  return keys;
}

/// The counter-based generator below all workloads (SplitMix64; Steele, Lea, Flood 2014): 64 random bits for a counter.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

} // namespace sortile::testing
