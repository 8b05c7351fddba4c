// See classics_counters.hpp.
#include "classics_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace sortile::cli {

using executor::counters;
using executor::memory_counters;
using executor::memory_space;
using executor::warp_request;

namespace {

/// "sortile::classics::{anonymous}::merge_tiles<unsigned int, false>" → "merge_tiles".
std::string short_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  const std::size_t colons = kernel.rfind("::");
  return std::string(colons == std::string_view::npos ? kernel : kernel.substr(colons + 2));
}

std::string place_of(const executor::site& where) {
  const std::string_view file = where.file_name();
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), where.line());
}

std::string kind_of(const warp_request& r) {
  const char* space = r.space == memory_space::global   ? "global"
                      : r.space == memory_space::shared ? "shared"
                                                        : "constant";
  const char* kind = r.kind == executor::access::atomic ? "atomic" : r.writes() ? "store" : "load";
  return fmt::format("{} {}", space, kind);
}

/// Most lanes at one address.
unsigned contention(const warp_request& r) {
  std::map<const char*, unsigned> lanes_at;
  unsigned most = 0;
  for (std::uint32_t lanes = r.lanes; lanes != 0; lanes &= lanes - 1)
    most = std::max(most, ++lanes_at[r.address[static_cast<unsigned>(std::countr_zero(lanes))]]);
  return most;
}

double each(const memory_counters& m) {
  return m.units_per_request();
}

/// "32 2-way, 16 4-way": requests that took more than one turn.
std::string conflicts_text(const std::map<unsigned, std::uint64_t>& ways) {
  std::string text;
  for (const auto& [way, requests] : ways)
    if (way > 1)
      text += fmt::format("{}{} {}-way", text.empty() ? "" : ", ", requests, way);
  return text;
}

/// "4 of 1, 12 of up to 32 lanes at one address": in steps of powers of two.
std::string contention_text(const std::map<unsigned, std::uint64_t>& ways) {
  std::map<unsigned, std::uint64_t> up_to;
  for (const auto& [way, requests] : ways)
    up_to[std::bit_ceil(way)] += requests;
  std::string text;
  for (const auto& [most, requests] : up_to)
    text += fmt::format("{}{} of {}{}", text.empty() ? "" : ", ", requests, most > 2 ? "up to " : "", most);
  return text + (up_to.rbegin()->first == 1 ? " lane at one address" : " lanes at one address");
}

/// Null where it is no barrier.
const char* barrier_name(executor::meeting::level level) {
  using enum executor::meeting::level;
  switch (level) {
  case warp:
    return "warp barrier";
  case named:
    return "named barrier";
  case block:
    return "block barrier";
  case cluster:
    return "cluster barrier";
  case grid:
    return "grid barrier";
  case collective:
    break;
  }
  return nullptr;
}

} // namespace

detailed_counters::ways_met& detailed_counters::ways_met::operator+=(const ways_met& o) {
  for (const auto& [way, requests] : o.in_bank)
    in_bank[way] += requests;
  for (const auto& [way, requests] : o.at_address)
    at_address[way] += requests;
  return *this;
}

/// What matters of a launch: sectors a request, conflicts, barriers, atomics.
std::string detailed_counters::summary(const counters& c, const ways_met& ways) {
  std::string text;
  const auto add = [&](std::string part) { text += (text.empty() ? "" : ", ") + std::move(part); };
  if (c.global_loads.requests != 0)
    add(fmt::format("{:.2f} sectors a load", each(c.global_loads)));
  if (c.global_stores.requests != 0)
    add(fmt::format("{:.2f} a store", each(c.global_stores)));
  add(fmt::format("{} bytes", c.global_loads.bytes + c.global_stores.bytes + c.global_atomics.bytes));
  if (const std::uint64_t atomics = c.global_atomics.requests + c.shared_atomics.requests; atomics != 0)
    add(fmt::format("{} atomics of warps ({})", atomics, contention_text(ways.at_address)));
  if (c.shared_loads.requests + c.shared_stores.requests != 0) {
    const std::string by_way = conflicts_text(ways.in_bank);
    add(fmt::format("{} bank conflicts{}", c.bank_conflicts(), by_way.empty() ? "" : " (" + by_way + ")"));
  }
  if (c.block_barriers != 0)
    add(fmt::format("{} barriers", c.block_barriers));
  return text;
}

/// The last of the steps that share it.
std::size_t detailed_counters::step_of(std::uint64_t number) const {
  std::size_t s = 0;
  while (s < steps_.size() && steps_[s].launches <= number)
    ++s;
  while (s + 2 < steps_.size() && steps_[s + 1].launches == steps_[s].launches) // the last of all is the result
    ++s;
  return s;
}

void detailed_counters::launch_begins(const executor::launch_shape& shape) {
  launch begun{.kernel = short_name(shape.kernel),
               .blocks = std::uint64_t{shape.dims.grid[0]} * shape.dims.grid[1] * shape.dims.grid[2],
               .threads = shape.dims.block,
               .step = step_of(begun_++)};
  const bool again = !launches_.empty() && launches_.back().kernel == begun.kernel &&
                     launches_.back().blocks == begun.blocks && launches_.back().threads == begun.threads &&
                     launches_.back().step == begun.step;
  if (!again)
    launches_.push_back(std::move(begun));
  ++launches_.back().times;
}

void detailed_counters::launch_ends(const counters& counted) {
  launches_.back().counted += counted;
}

void detailed_counters::requested(const warp_request& r) {
  place_counters& at = places_[{place_of(r.where), kind_of(r)}];
  ++at.requests;
  at.units += r.units;
  at.ideal += r.ideal;
  const bool atomic = r.kind == executor::access::atomic;
  if (!atomic && r.space != memory_space::shared)
    return;
  const unsigned way = atomic ? contention(r) : static_cast<unsigned>(r.units / std::max<std::uint64_t>(r.ideal, 1));
  ++at.ways[way];
  ways_met& of_launch = launches_.back().ways;
  ++(atomic ? of_launch.at_address : of_launch.in_bank)[way];
}

void detailed_counters::met(const executor::meeting& m) {
  if (const char* barrier = barrier_name(m.where_they_meet))
    ++barriers_[{place_of(m.where), barrier}];
}

std::string detailed_counters::by_launch() const {
  std::string text;
  for (const launch& l : launches_)
    text += fmt::format("{:<28} {:>6} x {:>6} blocks of {:>4}   {}\n", l.kernel, l.times, l.blocks, l.threads,
                        summary(l.counted, l.ways));
  return text;
}

std::string detailed_counters::by_line() const {
  std::vector<std::pair<place, place_counters>> all(places_.begin(), places_.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second.units > b.second.units; });
  std::string text;
  for (const auto& [where, at] : all) {
    const bool atomic = where.second.ends_with("atomic"), shared = where.second.starts_with("shared");
    const char* unit = shared ? "wavefronts" : where.second.starts_with("global") ? "sectors" : "addresses";
    text +=
        fmt::format("{:<28} {:<14} {:>9} requests {:>6.2f} {} each ({:.2f} at best)", where.first, where.second,
                    at.requests, double(at.units) / double(at.requests), unit, double(at.ideal) / double(at.requests));
    if (atomic)
      text += fmt::format(", up to {} lanes at one address", at.ways.rbegin()->first);
    else if (shared && at.ways.rbegin()->first > 1)
      for (const char* before = ": "; const auto& [way, requests] : at.ways) {
        text += fmt::format("{}{} {}-way", before, requests, way);
        before = ", ";
      }
    text += "\n";
  }
  for (const auto& [where, times] : barriers_)
    text += fmt::format("{:<28} {:<14} {:>9} times\n", where.first, where.second, times);
  return text;
}

std::string detailed_counters::of_step(std::size_t s) const {
  counters sum;
  ways_met ways;
  std::uint64_t launches = 0;
  for (const launch& l : launches_)
    if (l.step == s) {
      sum += l.counted;
      ways += l.ways;
      launches += l.times;
    }
  std::size_t sharing = 1;
  while (sharing <= s && steps_[s - sharing].launches == steps_[s].launches)
    ++sharing;
  return launches == 0 ? ""
                       : fmt::format("  counted{}: {} launch{}, {}\n",
                                     sharing > 1 ? fmt::format(" in these {} steps", sharing) : "", launches,
                                     launches == 1 ? "" : "es", summary(sum, ways));
}

} // namespace sortile::cli
