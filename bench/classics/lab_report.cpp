// The table that laboratory reports end with: 32 million keys of four spans, as speed-up over C's qsort on the same
// host.
//
// Question: how much faster than qsort is the 2-bit GPU radix sort of the course, with and without its two
// optimisations, with and without the transfers between host and device; and how much is left to a sort that uses the
// whole machine? As in the reports, a sort that can be told how many bits the keys have is told: all but qsort and
// IPP. The report's figures: 9 to 14 times qsort for the
// GPU, 5 to 7 for IPP's radix sort on the CPU, and the variant without coalescing ahead at span 256.
#include "bench/classics/experiment.hpp"
#include "bench/classics/ipp.hpp"
#include "bench/classics/lab.hpp"

#include <sortile/sortile.hpp>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace sortile::experiments {

namespace {

constexpr const char* without = "without transfers";
constexpr const char* pinned = "pinned transfers";
constexpr const char* pageable = "pageable transfers";
constexpr const char* host = "host";
constexpr const char* reference = "C qsort";

/// The same work, from keys in host memory to sorted keys in host memory, by the host's clock.
testing::contender with_transfers(contest& on, classics::machine& machine, const device_work& work,
                                  const std::shared_ptr<void>& from, const std::shared_ptr<void>& to) {
  void* device = on.device_keys(work);
  const std::vector<std::byte>& keys = on.keys();
  return {.name = work.name,
          .prepare =
              [&keys, from, to] {
                std::memcpy(from.get(), keys.data(), keys.size());
                std::memset(to.get(), 0, keys.size());
              },
          .run =
              [&machine, work, device, from, to, bytes = keys.size()] {
                machine.copy_to_device(device, from.get(), bytes);
                machine.copy_to_host(to.get(), work.queue(), bytes);
              },
          .timed = nullptr,
          .check = [&on, to] { on.verify(to.get()); }};
}

std::vector<device_work> gpu_sorts(workbench& bench, contest& on) {
  std::vector<device_work> works;
  for (const lab::variant& v : lab::variants) {
    works.push_back(on.work_of(classics::classic_named(lab::classic), v.given));
    works.back().name = std::string(lab::classic) + (v.given.empty() ? "" : std::string(", ") + v.name);
  }
  works.push_back(on.production());
  if (bench.on_gpu())
    works.push_back(on.cub());
  return works;
}

void append(points& all, const std::vector<standing>& standings, const contest& of, const char* facet,
            const char* span) {
  for (const standing& s : standings) {
    point p = point_of(s, of);
    p.facet = facet;
    p.category = span;
    all.push_back(std::move(p));
  }
}

void race_on_device(workbench& bench, points& all, const lab::span_of_keys& span, std::uint64_t n) {
  contest on(bench, span.workload, n, span.window());
  for (const device_work& work : gpu_sorts(bench, on))
    on.add(work);
  append(all, on.run(), on, without, span.name);
}

void race_with_transfers(workbench& bench, points& all, const lab::span_of_keys& span, std::uint64_t n, bool pin) {
  contest on(bench, span.workload, n, span.window());
  const auto memory = [&]() -> std::shared_ptr<void> {
    return pin ? pinned_memory(bench.on(), n * 4) : std::shared_ptr<std::byte[]>(new std::byte[n * 4]);
  };
  const auto from = memory(), to = memory();
  for (const device_work& work : gpu_sorts(bench, on))
    on.add(with_transfers(on, bench.on(), work, from, to));
  append(all, on.run(), on, pin ? pinned : pageable, span.name);
}

using keys_vector = std::vector<std::uint32_t>;

testing::contender host_contender(contest& on, const char* name, const std::shared_ptr<keys_vector>& work,
                                  const std::function<void(keys_vector&)>& sort) {
  const std::vector<std::byte>& keys = on.keys();
  return {.name = name,
          .prepare = [&keys, work] { std::memcpy(work->data(), keys.data(), keys.size()); },
          .run = [work, sort] { sort(*work); },
          .timed = nullptr,
          .check = [&on, work] { on.verify(work->data()); }};
}

int compare(const void* x, const void* y) {
  const auto a = *static_cast<const std::uint32_t*>(x), b = *static_cast<const std::uint32_t*>(y);
  return a < b ? -1 : a > b;
}

void sort_on_cpu(keys_vector& keys, bit_window bits, unsigned threads) {
  options opts;
  opts.engine = "cpu";
  opts.bits = bits;
  opts.threads = threads;
  sort(std::span<std::uint32_t>(keys), opts);
}

void race_on_host(workbench& bench, points& all, const lab::span_of_keys& span, std::uint64_t n) {
  contest on(bench, span.workload, n, span.window());
  const auto work = std::make_shared<keys_vector>(n);
  const auto workspace = std::make_shared<std::vector<std::uint8_t>>();
  on.add(host_contender(on, reference, work,
                        [](keys_vector& keys) { std::qsort(keys.data(), keys.size(), sizeof keys[0], compare); }));
  const bit_window bits = span.window();
  on.add(host_contender(on, "sortile cpu, all threads", work, [=](keys_vector& keys) { sort_on_cpu(keys, bits, 0); }));
  on.add(host_contender(on, "sortile cpu, 1 thread", work, [=](keys_vector& keys) { sort_on_cpu(keys, bits, 1); }));
  for (const char* name : {"host-radix-queues-256", "host-radix-prefix"})
    on.add(on.work_of(classics::classic_named(name), {}));
  if (has_ipp())
    on.add(host_contender(on, "IPP radix, 1 thread", work,
                          [workspace](keys_vector& keys) { ipp_sort(keys, *workspace); }));
  append(all, on.run({.repetitions = 2, .trial_counts = true}), on, host, span.name);
  if (!has_ipp())
    append(all, {{.name = "IPP radix, 1 thread", .seconds = {}, .note = "not installed"}}, on, host, span.name);
}

points run(workbench& bench) {
  points all;
  const std::uint64_t n = bench.size(32'000'000);
  for (const lab::span_of_keys& span : lab::spans) {
    bench.say(std::string("span ") + span.name);
    race_on_host(bench, all, span, n);
    race_on_device(bench, all, span, n);
    race_with_transfers(bench, all, span, n, true);
    race_with_transfers(bench, all, span, n, false);
  }
  return all;
}

/// How many times faster than qsort a point is.
reading speed_up(const points& all) {
  return [&all](const point& p) -> std::optional<double> {
    const point* slow = nullptr;
    for (const point& q : all)
      slow = q.facet == host && q.series == reference && q.category == p.category ? &q : slow;
    return slow == nullptr || slow->seconds.empty() || p.seconds.empty() ? std::nullopt
                                                                         : std::optional(slow->median() / p.median());
  };
}

std::vector<plot::chart> charts(const points& all, const testing::facts& environment) {
  std::vector<plot::chart> drawn;
  for (const char* facet : {without, pinned, pageable}) {
    points shown = of_facet(all, facet);
    for (const point& p : of_facet(all, host))
      if (p.series != reference)
        shown.push_back(p);
    if (shown.empty())
      continue;
    const std::vector<std::string> categories = categories_of(shown);
    const std::string file = facet == without ? "device" : facet == pinned ? "pinned" : "pageable";
    drawn.push_back({.name = "classics-lab-report-" + file,
                     .title = "32 million keys: speed-up over C qsort, GPU " + std::string(facet),
                     .subtitle = machine_text(environment) + "; host " + environment.text("cpu"),
                     .x = {"span of the keys", plot::scale::categories, categories},
                     .y = {"times as fast as C qsort", plot::scale::decades},
                     .lines = series_of(shown, categories, speed_up(all)),
                     .bars = true});
  }
  return drawn;
}

std::string tables(const points& all, const testing::facts&) {
  std::string text;
  const reading faster = speed_up(all);
  for (const std::string facet : {host, without, pinned, pageable}) {
    const auto cell = [&](const point& p) {
      if (p.seconds.empty())
        return p.note;
      const std::optional<double> ratio = p.series == reference ? std::nullopt : faster(p);
      return duration_text(p.median()) + (ratio ? " (" + figures_text(*ratio) + " x)" : "");
    };
    const points shown = of_facet(all, facet);
    if (shown.empty())
      continue;
    const std::string title = facet == host ? "On the host: time (speed-up over qsort)"
                                            : "On the GPU, " + facet + ": time (speed-up over qsort)";
    text += (text.empty() ? "" : "\n") + table_of(title, shown, "span of the keys", power_text, cell);
  }
  return text;
}

} // namespace

const experiment lab_report{.name = "lab-report",
                            .question =
                                "32 million u32 of four spans against C qsort: the course's 2-bit radix sort, its "
                                "ablations, transfers, CPU radix sorts, CUB",
                            .run = run,
                            .charts = charts,
                            .tables = tables};

} // namespace sortile::experiments
