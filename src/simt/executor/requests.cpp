// Lanes run one after another on the executor; here their accesses are put together again to the requests of a warp.
//
// Each lane's accesses are kept until lanes meet (a warp-wide call, a block barrier, the block's end). The n-th access
// of each lane from one place in the source is then one request.
#include "simt/executor/scheduler.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <unordered_map>

namespace sortile::executor {
namespace {

struct logged {
  const char* address;
  std::uint64_t place; // file, line, column and kind
  std::uint32_t size;
  access kind;
  bool shared;
};

struct warp_log {
  std::array<std::vector<logged>, simt::warp_size> lanes;
};

struct request {
  std::array<const char*, simt::warp_size> address{}; // null: the lane takes no part
  std::uint32_t size = 0;
  access kind{};
  bool shared = false;
};

std::uint64_t place_of(const site& s, access kind, bool shared) {
  const auto file = reinterpret_cast<std::uintptr_t>(s.file_name());
  return (std::uint64_t{file} * 0x9e3779b97f4a7c15ull) ^
         (std::uint64_t{s.line()} << 20 | std::uint64_t{s.column()} << 4 | std::uint64_t(kind) << 1 |
          std::uint64_t{shared});
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

void count(const request& r, unsigned warp_lanes, counters& into) {
  memory_counters& m = counter_of(r, into);
  const auto lanes =
      unsigned(std::count_if(r.address.begin(), r.address.end(), [](const char* a) { return a != nullptr; }));
  ++m.requests;
  m.partial += lanes < warp_lanes;
  m.bytes += std::uint64_t{lanes} * r.size;
  if (r.shared)
    return wavefronts(r, m);
  if (r.kind == access::constant_load) {
    m.units += distinct_addresses(r);
    ++m.ideal;
    return;
  }
  const std::uint64_t touched = sectors(r), packed = (std::uint64_t{lanes} * r.size + 31) / 32;
  m.units += touched;
  m.ideal += std::min(touched, packed); // lanes that share an address need fewer
}

} // namespace

class request_log {
 public:
  std::unordered_map<const warp_state*, warp_log> warps;
};

void request_log_deleter::operator()(request_log* l) const {
  delete l;
}

std::unique_ptr<request_log, request_log_deleter> make_request_log() {
  return std::unique_ptr<request_log, request_log_deleter>(new request_log);
}

void log_access(request_log& log, const thread_state& t, bool shared, access kind, const void* address,
                std::size_t size, site where) {
  log.warps[t.warp].lanes[t.lane].push_back(
      {static_cast<const char*>(address), place_of(where, kind, shared), std::uint32_t(size), kind, shared});
}

void flush_warp(request_log& log, const warp_state& w, unsigned mask, counters& into) {
  const auto found = log.warps.find(&w);
  if (found == log.warps.end())
    return;
  std::unordered_map<std::uint64_t, std::vector<request>> requests; // by place, in order of occurrence
  for (unsigned m = mask; m; m &= m - 1) {
    const auto lane = unsigned(std::countr_zero(m));
    std::unordered_map<std::uint64_t, std::size_t> seen;
    for (const logged& l : found->second.lanes[lane]) {
      std::vector<request>& at = requests[l.place];
      const std::size_t n = seen[l.place]++;
      if (n == at.size())
        at.push_back({{}, l.size, l.kind, l.shared});
      at[n].address[lane] = l.address;
    }
    found->second.lanes[lane].clear();
  }
  for (const auto& [place, list] : requests)
    for (const request& r : list)
      count(r, unsigned(std::popcount(w.exists)), into);
}

} // namespace sortile::executor
