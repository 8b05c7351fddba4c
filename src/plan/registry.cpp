// The engines of this program: the CPU engine, and those that other libraries have registered.
#include "plan/registry.hpp"

#include "cpu/cpu_engine.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace sortile {
namespace {

/// Stands for an engine whose library this program was linked without: listed, never chosen.
class absent_engine final : public engine {
 public:
  absent_engine(std::string_view name, std::string_view description, std::string_view why)
      : name_(name), description_(description), why_(why) {}
  std::string_view name() const override { return name_; }
  std::string_view description() const override { return description_; }
  std::string_view why_unusable() const override { return why_; }
  std::string_view why_refused(const sort_request&, const options&) const override { return why_; }
  plan make_plan(const sort_request&, const options&, unsigned) const override { throw_unusable(); }
  result_place run(const sort_request&, const options&, const execution&) const override { throw_unusable(); }

 private:
  [[noreturn]] void throw_unusable() const { throw engine_unusable("sortile: " + std::string(why_)); }

  std::string_view name_, description_, why_;
};

struct entry {
  const engine* there;
  int rank;
  bool stands_in; ///< for one that is absent
};

/// What all_engines() has handed out stays as it was: each change makes a new list, of which there are few.
class registry {
 public:
  registry() {
    static const absent_engine cuda("cuda", "sorts on one NVIDIA GPU",
                                    "this program has no GPU engine: it was linked without sortile::cuda");
    static const absent_engine executor("executor",
                                        "the kernels of engine 'cuda', run on the CPU for checking and learning; slow",
                                        "this program has no kernel executor: it was linked without sortile::executor");
    entries_ = {{&cuda, rank::cuda, true}, {&cpu::cpu_engine(), rank::cpu, false}, {&executor, rank::executor, true}};
    publish();
  }

  void add(const engine& brought, int rank) {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const entry& e) { return e.there->name() == brought.name(); };
    const auto found = std::find_if(entries_.begin(), entries_.end(), same);
    if (found != entries_.end() && !found->stands_in)
      return;
    if (found != entries_.end())
      entries_.erase(found);
    const auto behind = [&](const entry& e) { return e.rank > rank; };
    entries_.insert(std::find_if(entries_.begin(), entries_.end(), behind), {&brought, rank, false});
    publish();
  }

  std::span<const engine* const> list() const { return *published_.load(std::memory_order_acquire); }

 private:
  using engines_in_order = std::vector<const engine*>;

  void publish() {
    auto* const made = new engines_in_order;
    for (const entry& e : entries_)
      made->push_back(e.there);
    published_.store(made, std::memory_order_release);
    all_made_.push_back(made);
  }

  std::mutex mutex_;
  std::vector<entry> entries_;
  std::vector<const engines_in_order*> all_made_; ///< never deleted: callers may still read the older ones
  std::atomic<const engines_in_order*> published_{nullptr};
};

/// Never destroyed: engines may be asked for until the process has ended.
registry& the_registry() {
  static registry* const made = new registry;
  return *made;
}

} // namespace

std::span<const engine* const> all_engines() {
  return the_registry().list();
}

void register_engine(const engine& brought, int rank) {
  the_registry().add(brought, rank);
}

const device_list& devices() {
  for (const engine* e : all_engines())
    if (const device_list* list = e->devices())
      return *list;
  static const device_list none{{}, "this program has no GPU engine: it was linked without sortile::cuda"};
  return none;
}

const device_info* first_usable_device() {
  for (const device_info& info : devices().devices)
    if (info.why_unusable.empty())
      return &info;
  return nullptr;
}

} // namespace sortile
