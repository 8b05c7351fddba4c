// See trace.hpp.
#include "classics/trace.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <string_view>

namespace sortile::classics {

using json = nlohmann::ordered_json;
using executor::access;
using executor::memory_space;

namespace {

constexpr unsigned banks = 32, bank_bytes = 4, sector_bytes = 32;

std::string_view name(access kind) {
  switch (kind) {
  case access::store:
    return "store";
  case access::ordered_store:
    return "ordered store";
  case access::ordered_load:
    return "ordered load";
  case access::atomic:
    return "atomic";
  case access::load:
  case access::constant_load:
    break;
  }
  return "load";
}

std::string_view name(memory_space space) {
  return space == memory_space::global ? "global" : space == memory_space::shared ? "shared" : "constant";
}

std::string_view name(executor::meeting::level level) {
  using enum executor::meeting::level;
  switch (level) {
  case collective:
    return "collective";
  case warp:
    return "warp";
  case named:
    return "named";
  case block:
    return "block";
  case cluster:
    return "cluster";
  case grid:
    break;
  }
  return "grid";
}

// Values are numbers of up to four bytes; what is wider is cut into four-byte words, the lowest first.
void append_values(json& to, const unsigned char* bytes, std::size_t size, unsigned element) {
  const std::size_t unit = std::min<std::size_t>(element, 4);
  for (std::size_t at = 0; at + unit <= size; at += unit) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes + at, unit);
    to.push_back(value);
  }
}

json counters_as_json(const executor::counters& c) {
  json j;
  const auto memory = [&](const char* key, const executor::memory_counters& m) {
    if (m.requests != 0)
      j[key] = {
          {"requests", m.requests}, {"partial", m.partial}, {"bytes", m.bytes}, {"units", m.units}, {"ideal", m.ideal}};
  };
  memory("global_loads", c.global_loads);
  memory("global_stores", c.global_stores);
  memory("global_atomics", c.global_atomics);
  memory("shared_loads", c.shared_loads);
  memory("shared_stores", c.shared_stores);
  memory("shared_atomics", c.shared_atomics);
  memory("constant_loads", c.constant_loads);
  j["bank_conflicts"] = c.bank_conflicts();
  j["block_barriers"] = c.block_barriers;
  j["warp_barriers"] = c.warp_barriers;
  j["warp_collectives"] = c.warp_collectives;
  j["cluster_barriers"] = c.cluster_barriers;
  j["grid_barriers"] = c.grid_barriers;
  j["spins"] = c.spins;
  return j;
}

json lanes_as_json(std::uint32_t mask) {
  json lanes = json::array();
  for (; mask != 0; mask &= mask - 1)
    lanes.push_back(std::countr_zero(mask));
  return lanes;
}

} // namespace

struct trace::events {
  std::vector<json> list;
  std::vector<json> launches;
  // What the host wrote, as bytes until the elements' size is known: the event and what it wrote.
  std::vector<std::pair<std::size_t, std::vector<unsigned char>>> host_writes;
};

trace::trace() : events_(new events) {}
trace::~trace() = default;

std::size_t trace::launches() const {
  return events_->launches.size();
}

std::size_t trace::size() const {
  return events_->list.size();
}

bool trace::room() {
  if (events_->list.size() >= most_events)
    overflowed_ = true;
  return !overflowed_;
}

// The latest: memory that was freed may have been given out again.
trace::array* trace::array_at(const void* address) {
  const char* at = static_cast<const char*>(address);
  for (auto a = arrays_.rbegin(); a != arrays_.rend(); ++a)
    if (a->live && at >= a->address && at < a->address + a->bytes)
      return &*a;
  return nullptr;
}

unsigned trace::site_of(const executor::site& s) {
  const std::string_view path = s.file_name();
  const std::string file(path.substr(path.rfind('/') + 1));
  return sites_.try_emplace({file, s.line(), s.column()}, unsigned(sites_.size())).first->second;
}

void trace::launch_begins(const executor::launch_shape& l) {
  if (!room())
    return;
  events_->list.push_back({{"do", "launch"}, {"launch", launches()}});
  events_->launches.push_back({{"kernel", l.kernel},
                               {"grid", {l.dims.grid[0], l.dims.grid[1], l.dims.grid[2]}},
                               {"block", l.dims.block},
                               {"cluster", l.dims.cluster},
                               {"shared_bytes", l.shared_bytes},
                               {"cooperative", l.cooperative}});
}

void trace::launch_ends(const executor::counters& c) {
  if (!room())
    return;
  events_->list.push_back({{"do", "launch ends"}, {"launch", launches() - 1}});
  events_->launches.back()["counters"] = counters_as_json(c);
}

void trace::block_begins(unsigned block) {
  if (room())
    events_->list.push_back({{"do", "block"}, {"block", block}});
}

void trace::block_ends(unsigned block) {
  if (room())
    events_->list.push_back({{"do", "block ends"}, {"block", block}});
}

void trace::met(const executor::meeting& m) {
  if (!room())
    return;
  using enum executor::meeting::level;
  json e = {{"do", "barrier"}, {"level", name(m.where_they_meet)}, {"block", m.block}};
  if (m.where_they_meet == warp || m.where_they_meet == collective) {
    e["warp"] = m.warp;
    e["lanes"] = lanes_as_json(m.lanes);
  }
  e["site"] = site_of(m.where);
  events_->list.push_back(std::move(e));
}

void trace::requested(const executor::warp_request& r) {
  if (!room())
    return;
  json at = json::array(), before = json::array(), after = json::array(), places = json::array(), ticks = json::array();
  std::set<std::ptrdiff_t> sectors;
  const char* base = r.base;
  json e = {{"do", "request"}, {"what", name(r.kind)}, {"space", name(r.space)}};
  if (r.space == memory_space::global) {
    array* a = array_at(r.address[std::size_t(std::countr_zero(r.lanes))]);
    if (a != nullptr && (a->element == 0 || r.size < a->element))
      a->element = r.size;
    base = a != nullptr ? a->address : nullptr;
    e["array"] = a != nullptr ? json(number_of(*a)) : json(nullptr);
  }
  for (std::uint32_t m = r.lanes; m != 0; m &= m - 1) {
    const auto lane = std::size_t(std::countr_zero(m));
    const std::ptrdiff_t offset = base != nullptr ? r.address[lane] - base : 0;
    at.push_back(offset);
    ticks.push_back(r.tick[lane]);
    append_values(before, r.before[lane].data(), r.size, r.size);
    if (r.writes())
      append_values(after, r.after[lane].data(), r.size, r.size);
    if (r.space == memory_space::shared)
      places.push_back(offset / bank_bytes % banks);
    else
      for (std::ptrdiff_t s = offset / sector_bytes; s <= (offset + std::ptrdiff_t(r.size) - 1) / sector_bytes; ++s)
        sectors.insert(s);
  }
  e["block"] = r.block;
  if (r.owner != r.block)
    e["owner"] = r.owner;
  e["warp"] = r.warp;
  e["site"] = site_of(r.where);
  e["size"] = r.size;
  e["lanes"] = lanes_as_json(r.lanes);
  e["at"] = std::move(at);
  e["before"] = std::move(before);
  if (r.writes())
    e["after"] = std::move(after);
  if (r.kind == access::atomic || r.kind == access::ordered_store)
    e["ticks"] = std::move(ticks);
  if (r.space == memory_space::shared)
    e["banks"] = std::move(places);
  else if (r.space == memory_space::global)
    e["sectors"] = sectors;
  e["units"] = r.units;
  e["ideal"] = r.ideal;
  events_->list.push_back(std::move(e));
}

void trace::bulk_copied(const executor::bulk_landing& b) {
  if (!room())
    return;
  const char* global = b.to_shared ? b.from : b.to;
  const char* shared = b.to_shared ? b.to : b.from;
  const array* a = array_at(global);
  json values = json::array();
  append_values(values, reinterpret_cast<const unsigned char*>(b.to), b.bytes, 4);
  events_->list.push_back({{"do", "bulk copy"},
                           {"to", b.to_shared ? "shared" : "global"},
                           {"block", b.block},
                           {"site", site_of(b.where)},
                           {"array", a != nullptr ? json(number_of(*a)) : json(nullptr)},
                           {"at", a != nullptr ? global - a->address : 0},
                           {"shared_at", shared - b.shared_base},
                           {"values", std::move(values)}});
}

void trace::host_allocated(const void* memory, std::size_t bytes) {
  if (memory != nullptr)
    arrays_.push_back({"", static_cast<const char*>(memory), bytes, 0, true, events_->list.size(), 0});
}

void trace::host_freed(const void* memory) {
  if (array* a = array_at(memory)) {
    a->live = false;
    a->freed = events_->list.size();
  }
}

void trace::host_named(const void* memory, std::string_view name) {
  if (array* a = array_at(memory))
    a->name = name;
}

void trace::host_wrote(const void* memory, std::size_t bytes) {
  const array* a = array_at(memory);
  if (a == nullptr || !room())
    return;
  const auto* from = static_cast<const unsigned char*>(memory);
  events_->host_writes.emplace_back(events_->list.size(), std::vector<unsigned char>(from, from + bytes));
  events_->list.push_back(
      {{"do", "host writes"}, {"array", number_of(*a)}, {"at", static_cast<const char*>(memory) - a->address}});
}

void trace::host_read(const void* memory, std::size_t bytes) {
  if (const array* a = array_at(memory); a != nullptr && room())
    events_->list.push_back({{"do", "host reads"},
                             {"array", number_of(*a)},
                             {"at", static_cast<const char*>(memory) - a->address},
                             {"bytes", bytes}});
}

json trace::to_json(const json& about) const {
  json sites = json::array(), arrays = json::array(), list = events_->list;
  sites.get_ref<json::array_t&>().resize(sites_.size());
  for (const auto& [place, number] : sites_)
    sites[number] = {std::get<0>(place), std::get<1>(place), std::get<2>(place)};
  for (const array& a : arrays_) {
    json one = {{"name", a.name}, {"bytes", a.bytes}, {"element", a.element != 0 ? a.element : 4}, {"born", a.born}};
    one["freed"] = a.live ? json(nullptr) : json(a.freed);
    arrays.push_back(std::move(one));
  }
  for (const auto& [event, bytes] : events_->host_writes) {
    json values = json::array();
    append_values(values, bytes.data(), bytes.size(), arrays[list[event]["array"].get<std::size_t>()]["element"]);
    list[event]["values"] = std::move(values);
  }
  return {{"format", format},
          {"version", version},
          {"about", about},
          {"machine",
           {{"lanes", simt::warp_size}, {"banks", banks}, {"bank_bytes", bank_bytes}, {"sector_bytes", sector_bytes}}},
          {"sites", std::move(sites)},
          {"arrays", std::move(arrays)},
          {"launches", events_->launches},
          {"events", std::move(list)}};
}

} // namespace sortile::classics
