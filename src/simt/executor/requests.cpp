// Lanes run one after another on the executor. This puts their accesses together again to the requests of a warp.
//
// Each lane's accesses are kept until lanes meet (a warp-wide call, a block barrier, the block's end). The n-th access
// of each lane from one place in the source is then one request.
//
// For an observer the values are kept too. An access is logged before it is done, so the value that it leaves in memory
// is read when the next access is logged, or when lanes meet: nothing else runs in between.
#include "simt/executor/scheduler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <unordered_map>

namespace sortile::executor {
namespace {

struct values {
  warp_request::value before{}, after{};
  std::uint64_t tick = 0;
};

struct logged {
  const char* address;
  std::uint64_t place; // file, line, column and kind
  site where;
  const block_state* owner; // of shared storage
  std::uint32_t size;
  access kind;
  memory_space space;
};

struct warp_log {
  std::array<std::vector<logged>, simt::warp_size> lanes;
  std::array<std::vector<values>, simt::warp_size> seen; // beside them, for an observer
};

struct request {
  std::array<const char*, simt::warp_size> address{}; // null: the lane takes no part
  std::uint32_t size = 0;
  access kind{};
  memory_space space{};
  bool shared = false;
  site where{};
  const block_state* owner = nullptr;
  std::array<std::uint32_t, simt::warp_size> entry{}; // of the lane's log
};

std::uint64_t place_of(const site& s, access kind, memory_space space) {
  const auto file = reinterpret_cast<std::uintptr_t>(s.file_name());
  return (std::uint64_t{file} * 0x9e3779b97f4a7c15ull) ^
         (std::uint64_t{s.line()} << 20 | std::uint64_t{s.column()} << 4 | std::uint64_t(kind) << 1 |
          std::uint64_t{space == memory_space::shared});
}

std::uint64_t sectors(const request& r) {
  std::vector<std::uintptr_t> touched;
  for (const char* a : r.address)
    for (std::uintptr_t s = reinterpret_cast<std::uintptr_t>(a) / 32;
         a && s <= (reinterpret_cast<std::uintptr_t>(a) + r.size - 1) / 32; ++s)
      touched.push_back(s);
  std::sort(touched.begin(), touched.end());
  return std::uint64_t(std::unique(touched.begin(), touched.end()) - touched.begin());
}

// The busiest bank of each part of the warp that the hardware serves at once.
void wavefronts(const request& r, memory_counters& m) {
  const unsigned parts = std::clamp(r.size / 4, 1u, 4u), lanes = simt::warp_size / parts;
  for (unsigned part = 0; part < parts; ++part) {
    std::array<std::vector<std::uintptr_t>, 32> words;
    for (unsigned l = part * lanes; l < (part + 1) * lanes; ++l) {
      const auto at = reinterpret_cast<std::uintptr_t>(r.address[l]);
      for (std::uintptr_t w = at / 4; at && w <= (at + r.size - 1) / 4; ++w)
        words[w % 32].push_back(w);
    }
    std::size_t busiest = 0;
    for (auto& bank : words) {
      std::sort(bank.begin(), bank.end());
      if (r.kind != access::atomic) // atomics on one word take turns
        bank.erase(std::unique(bank.begin(), bank.end()), bank.end());
      busiest = std::max(busiest, bank.size());
    }
    m.units += busiest;
    m.ideal += busiest != 0;
  }
}

// Constant memory serves a warp one address at a time.
std::uint64_t distinct_addresses(const request& r) {
  std::vector<const char*> asked;
  std::copy_if(r.address.begin(), r.address.end(), std::back_inserter(asked),
               [](const char* a) { return a != nullptr; });
  std::sort(asked.begin(), asked.end());
  return std::uint64_t(std::unique(asked.begin(), asked.end()) - asked.begin());
}

memory_counters& counter_of(const request& r, counters& c) {
  switch (r.kind) {
  case access::atomic:
    return r.shared ? c.shared_atomics : c.global_atomics;
  case access::store:
  case access::ordered_store:
    return r.shared ? c.shared_stores : c.global_stores;
  case access::constant_load:
    return c.constant_loads;
  default:
    return r.shared ? c.shared_loads : c.global_loads;
  }
}

struct cost {
  std::uint64_t units = 0, ideal = 0;
};

cost count(const request& r, unsigned warp_lanes, counters& into) {
  memory_counters m;
  const auto lanes =
      unsigned(std::count_if(r.address.begin(), r.address.end(), [](const char* a) { return a != nullptr; }));
  m.requests = 1;
  m.partial = lanes < warp_lanes;
  m.bytes = std::uint64_t{lanes} * r.size;
  if (r.shared) {
    wavefronts(r, m);
  } else if (r.kind == access::constant_load) {
    m.units = distinct_addresses(r);
    m.ideal = 1;
  } else {
    m.units = sectors(r);
    m.ideal = std::min(m.units, (m.bytes + 31) / 32); // lanes that share an address need fewer
  }
  counter_of(r, into) += m;
  return {m.units, m.ideal};
}

/// The requests of some lanes of a warp, and which of them each lane made, in its order.
struct gathered {
  std::vector<request> requests;
  std::array<std::vector<std::uint32_t>, simt::warp_size> made;
};

gathered gather(const warp_log& log, unsigned mask) {
  gathered all;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> at; // by place, in order of occurrence
  for (unsigned m = mask; m; m &= m - 1) {
    const auto lane = unsigned(std::countr_zero(m));
    std::unordered_map<std::uint64_t, std::size_t> seen;
    for (std::uint32_t entry = 0; entry < log.lanes[lane].size(); ++entry) {
      const logged& l = log.lanes[lane][entry];
      std::vector<std::uint32_t>& here = at[l.place];
      const std::size_t n = seen[l.place]++;
      if (n == here.size()) {
        here.push_back(std::uint32_t(all.requests.size()));
        all.requests.push_back({{}, l.size, l.kind, l.space, l.space == memory_space::shared, l.where, l.owner, {}});
      }
      request& r = all.requests[here[n]];
      r.address[lane] = l.address;
      r.entry[lane] = entry;
      all.made[lane].push_back(here[n]);
    }
  }
  return all;
}

/// An order of the requests that is the order of every lane. Where lanes went different ways there may be none: then
/// the lowest lane's.
std::vector<std::uint32_t> program_order(const gathered& g) {
  std::vector<std::uint32_t> order, missing(g.requests.size());
  for (const auto& lane : g.made)
    for (const std::uint32_t r : lane)
      ++missing[r]; // lanes that have not come to it
  std::array<std::size_t, simt::warp_size> head{};
  std::vector<bool> told(g.requests.size());
  const auto arrive = [&](unsigned lane) {
    while (head[lane] < g.made[lane].size() && told[g.made[lane][head[lane]]])
      ++head[lane];
    if (head[lane] < g.made[lane].size())
      --missing[g.made[lane][head[lane]]];
  };
  for (unsigned lane = 0; lane < simt::warp_size; ++lane)
    arrive(lane);
  while (order.size() < g.requests.size()) {
    std::uint32_t next = ~0u;
    for (unsigned lane = 0; lane < simt::warp_size; ++lane)
      if (head[lane] < g.made[lane].size()) {
        const std::uint32_t r = g.made[lane][head[lane]];
        if (next == ~0u || (missing[r] == 0 && missing[next] != 0))
          next = r;
      }
    order.push_back(next);
    told[next] = true;
    for (unsigned lane = 0; lane < simt::warp_size; ++lane)
      if (head[lane] < g.made[lane].size() && g.made[lane][head[lane]] == next)
        arrive(lane);
  }
  return order;
}

warp_request described(const request& r, const warp_log& log, const warp_state& w, const cost& c) {
  warp_request d;
  d.kind = r.kind;
  d.space = r.space;
  d.block = linear_index(*w.block);
  d.warp = w.index;
  d.size = r.size;
  d.address = r.address;
  d.base = r.shared ? r.owner->shared : static_cast<const char*>(kernel_constants());
  d.owner = r.shared ? linear_index(*r.owner) : d.block;
  d.where = r.where;
  d.units = c.units;
  d.ideal = c.ideal;
  for (unsigned lane = 0; lane < simt::warp_size; ++lane)
    if (r.address[lane]) {
      d.lanes |= 1u << lane;
      d.before[lane] = log.seen[lane][r.entry[lane]].before;
      d.after[lane] = log.seen[lane][r.entry[lane]].after;
      d.tick[lane] = log.seen[lane][r.entry[lane]].tick;
    }
  return d;
}

} // namespace

class request_log {
 public:
  std::unordered_map<const warp_state*, warp_log> warps;
  const logged* last = nullptr; // whose outcome is not known yet
  values* outcome = nullptr;
  std::uint64_t ticks = 0;

  void settle() {
    if (outcome)
      std::memcpy(outcome->after.data(), last->address, last->size);
    outcome = nullptr;
  }
  void log(const thread_state& t, const logged& l, const void* value);
};

void request_log::log(const thread_state& t, const logged& l, const void* value) {
  settle();
  warp_log& w = warps[t.warp];
  w.lanes[t.lane].push_back(l);
  if (!mine->watcher)
    return;
  if (l.size > warp_request::largest_access)
    bad_use("an access of " + std::to_string(l.size) + " bytes; an observer is told of up to " +
                std::to_string(warp_request::largest_access),
            l.where);
  values& v = w.seen[t.lane].emplace_back();
  std::memcpy(v.before.data(), l.address, l.size);
  v.tick = ticks++;
  if (value) {
    std::memcpy(v.after.data(), value, l.size);
  } else {
    last = &w.lanes[t.lane].back();
    outcome = &v;
  }
}

void request_log_deleter::operator()(request_log* l) const {
  delete l;
}

std::unique_ptr<request_log, request_log_deleter> make_request_log() {
  return std::unique_ptr<request_log, request_log_deleter>(new request_log);
}

void log_access(request_log& log, const thread_state& t, memory_space space, access kind, const void* address,
                std::size_t size, site where, const void* value) {
  log.log(t,
          {static_cast<const char*>(address), place_of(where, kind, space), where, nullptr, std::uint32_t(size), kind,
           space},
          value);
}

void log_shared_access(request_log& log, const thread_state& t, const block_state& owner, access kind,
                       const void* address, std::size_t size, site where) {
  log.log(t,
          {static_cast<const char*>(address), place_of(where, kind, memory_space::shared), where, &owner,
           std::uint32_t(size), kind, memory_space::shared},
          nullptr);
}

void flush_warp(request_log& log, const warp_state& w, unsigned mask, counters& into) {
  log.settle();
  const auto found = log.warps.find(&w);
  if (found == log.warps.end())
    return;
  warp_log& kept = found->second;
  const gathered all = gather(kept, mask);
  std::vector<cost> costs;
  for (const request& r : all.requests)
    costs.push_back(count(r, unsigned(std::popcount(w.exists)), into));
  if (mine->watcher)
    for (const std::uint32_t r : program_order(all))
      mine->watcher->requested(described(all.requests[r], kept, w, costs[r]));
  for (unsigned m = mask; m; m &= m - 1) {
    kept.lanes[unsigned(std::countr_zero(m))].clear();
    kept.seen[unsigned(std::countr_zero(m))].clear();
  }
}

} // namespace sortile::executor
