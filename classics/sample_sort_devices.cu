// Sample sort over several devices: splitters from samples of all, one exchange, local sorts.
//
// Idea. The keys lie in equal pieces on D devices, and are to lie there sorted, device after device. Each device draws
// a sample of its piece; the samples of all are put together and sorted, and every D·s-th key of them is a splitter: D
// − 1 of them, the same for all. Each device divides its piece by the splitters, so that what goes to one device is one
// run. Then every device sends D runs, and receives D: the only time that keys travel. What arrived is sorted where it
// is.
//
//   $ sortile classics show --example sample-devices
//   input: 12 3 6 9 15 8 5 10 9 6 11 13 4 10 7 0
//   pieces of devices
//     device 0  12  3  6  9
//     device 1  15  8  5 10
//     device 2   9  6 11 13
//     device 3   4 10  7  0
//   splitters
//     sample     0 3 4 5 6 6 7 8 9 9 10 10 11 12 13 15
//     splitters  5 8 10
//   divided by the splitters
//     device 0  3 6  9 12
//     device 1  5 8 10 15
//     device 2  6 9 13 11
//     device 3  0 4  7 10
//   keys received by each device, from each
//     to
//       0  1 1 0 2
//       1  1 1 1 1
//       2  1 1 1 1
//       3  1 1 2 0
//   keys of each device after the exchange: 4 4 4 4
//   after the exchange
//     device 0   3  5  0  4
//     device 1   6  8  6  7
//     device 2   9 10  9 10
//     device 3  12 15 13 11
//   sorted on each device
//     device 0   0  3  4  5
//     device 1   6  6  7  8
//     device 2   9  9 10 10
//     device 3  11 12 13 15
//   result: 0 3 4 5 6 6 7 8 9 9 10 10 11 12 13 15
//
// The parts are those of sample_sort.cu and radix_buckets.cu: buckets by splitters, keys equal to a splitter in a
// bucket of their own (it goes with the one before), a local radix sort.
//
// Source: Shi & Schaeffer, "Parallel Sorting by Regular Sampling", 1992; Frazer & McKellar 1970; Blelloch et al. 1991.
//
// Cost: a key crosses from device to device once at most, (D − 1) / D of them for uniform keys; the sample is D² s
// keys, sorted by the host. A device's share after the exchange is n / D, more or less as the sample is good: the note
// says how many keys each had, and the one with the most is waited for.
//
// Devices are machines of their own, with their memory, queue, and on the executor schedule. On the executor that is as
// many pretended GPUs; they take turns. With --engine cuda device d is GPU d, and the exchange goes from GPU to GPU;
// where there are fewer GPUs than devices, several devices are streams of one (a note says how many GPUs there were).
// --counters adds up what all devices did. Parameters: `devices` (a power of two from 2 to 8), `oversampling`, s.
//
// What it teaches: sorting where moving a key is dear: look first, move once. Limits: many equal keys all go to one
// device; the host sorts the sample and drives the exchange; unstable (places within a run are taken by atomics).
#include "classics/radix_buckets.hpp"
#include "classics/sample_division.hpp"

#include <deque>
#include <set>

namespace sortile::classics {
namespace {

constexpr unsigned most_devices = 8, keys_a_thread = 8;

/// Images of keys at evenly spread places.
template <class Word>
struct draw_sample {
  static constexpr unsigned block_threads = 256;
  simt::global<const Word> keys;
  std::uint64_t n;
  key_codec<Word> codec;
  simt::global<Word> sample; // [size]
  unsigned size;
  SORTILE_DEVICE void operator()() const {
    const std::uint64_t i = grid_thread();
    if (i < size)
      sample[i] = codec.image(keys.load(i * n / size));
  }
};

/// A device: its machine, the records that it holds, and as much room again.
template <class Word, bool Pairs>
class one_device {
 public:
  using array = records<Word, Pairs>;

  one_device(const job& j, unsigned number)
      : on(j.on.is_executor() ? machine(options(j, number)) : machine::cuda(number % j.parameter("devices"))),
        begins_(on, buckets_of(most_devices)) {}

  machine on;
  std::uint64_t count = 0;
  array held() const { return view_of(held_); }

  /// Room for n records, whose contents come from elsewhere.
  void make_room(std::uint64_t n) {
    held_ = room(on, n);
    spare_ = room(on, n);
    count = n;
  }
  void take(const machine& other, const array& from, std::uint64_t first, std::uint64_t n, std::uint64_t to) {
    on.copy_from(other, held().keys.data() + to, from.keys.data() + first, n * sizeof(Word));
    if constexpr (Pairs)
      on.copy_from(other, held().values.data() + to, from.values.data() + first, n * sizeof(std::uint32_t));
  }

  std::vector<Word> sample(const key_codec<Word>& codec, unsigned size) {
    if (count == 0)
      return {};
    const device_array<Word> drawn(on, size);
    simt::launch(on.queue(), {.grid = blocks_for(size, 256)},
                 draw_sample<Word>{held().keys, count, codec, view(drawn), size});
    return drawn.to_host();
  }

  /// Divides what it holds by the splitters; returns where each bucket begins, and the end.
  std::vector<std::uint32_t> divide(const std::vector<Word>& splitters, const key_codec<Word>& codec, unsigned tile) {
    const auto ways = static_cast<unsigned>(splitters.size() + 1), buckets = buckets_of(ways);
    if (count == 0)
      return std::vector<std::uint32_t>(buckets + 1);
    const unsigned tiles = blocks_for(count, tile);
    const part all{0, static_cast<std::uint32_t>(count), 0, 0};
    const device_array<Word> chosen(on, splitters.size());
    on.copy_to_device(chosen.data(), splitters.data(), splitters.size() * sizeof(Word));
    const device_array<std::uint32_t> table(on, std::uint64_t{buckets} * tiles);
    const single_pass_scan scan(on, table.size());
    const simt::launch_config config{.grid = tiles, .block = std::min(tile, 256u)};
    simt::launch(on.queue(), config,
                 count_buckets<Word, Pairs>{held(), all, codec, ways, tile, view(chosen), view(table), {}});
    scan(view(table), view(table));
    simt::launch(on.queue(), config,
                 move_to_buckets<Word, Pairs>{held(), view_of(spare_), all, codec, ways, tile, view(chosen),
                                              view(table), view(begins_)});
    std::swap(held_, spare_);
    std::vector<std::uint32_t> begins = begins_.to_host();
    begins.resize(buckets);
    begins.push_back(static_cast<std::uint32_t>(count));
    return begins;
  }

  void sort(const key_codec<Word>& codec, unsigned tile) {
    if (count == 0)
      return;
    constexpr unsigned a_pass = 8;
    const bucket_pass<Word, Pairs, keys_a_thread> pass(on, count, a_pass, tile);
    telling silent(nullptr, {});
    for (unsigned bit = 0; bit < codec.bits; bit += a_pass) {
      pass(held(), view_of(spare_), count, codec, {bit, std::min(a_pass, codec.bits - bit)}, silent);
      std::swap(held_, spare_);
    }
  }

 private:
  struct room {
    room() = default;
    room(machine& m, std::uint64_t n) : keys(m, n), values(m, Pairs ? n : 0) {}
    device_array<Word> keys;
    device_array<std::uint32_t> values;
  };
  static executor::device_options options(const job& j, unsigned number) {
    executor::device_options o = j.on.executor_device().options();
    o.seed += 1000003 * (number + 1);
    return o;
  }
  array view_of(const room& r) const { return {{r.keys.data(), count}, {r.values.data(), Pairs ? count : 0}}; }

  room held_, spare_;
  device_array<std::uint32_t> begins_;
};

template <class Word, bool Pairs>
class several_devices {
 public:
  several_devices(job& j, const key_codec<Word>& codec)
      : j_(j), codec_(codec), devices_count_(j.parameter("devices")), tile_(j.parameter("tile")) {
    for (unsigned d = 0; d < devices_count_; ++d)
      devices_.emplace_back(j, d);
  }

  void run(const records<Word, Pairs>& data) {
    hand_out(data);
    tell("pieces of devices");
    const std::vector<Word> splitters = choose_splitters_of_all(data);
    std::vector<std::vector<std::uint32_t>> begins;
    for (auto& d : devices_)
      begins.push_back(d.divide(splitters, codec_, tile_));
    tell("divided by the splitters");
    exchange(begins);
    tell("after the exchange");
    for (auto& d : devices_)
      d.sort(codec_, tile_);
    for (auto& d : devices_) // which have sorted at the same time
      d.on.synchronize();
    tell("sorted on each device");
    collect(data);
  }

 private:
  void hand_out(const records<Word, Pairs>& data) {
    j_.on.synchronize();
    for (unsigned d = 0; d < devices_count_; ++d) {
      const std::uint64_t first = j_.asked.n * d / devices_count_, end = j_.asked.n * (d + 1) / devices_count_;
      devices_[d].make_room(end - first);
      devices_[d].take(j_.on, data, first, end - first, 0);
    }
  }

  std::vector<Word> choose_splitters_of_all(const records<Word, Pairs>& data) {
    const unsigned size = devices_count_ * j_.parameter("oversampling");
    std::vector<Word> sample, splitters;
    for (auto& d : devices_) {
      const std::vector<Word> drawn = d.sample(codec_, size);
      sample.insert(sample.end(), drawn.begin(), drawn.end());
    }
    add_up_counters();
    std::sort(sample.begin(), sample.end());
    for (unsigned i = 1; i < devices_count_; ++i)
      splitters.push_back(sample[sample.size() * i / devices_count_ - 1]);
    if (j_.shows_steps()) {
      const std::vector<Word> all = fetch(j_.on, data.keys, j_.asked.n);
      j_.tell("splitters")
          .words("sample", keys_of_images(j_, codec_, sample, all))
          .words("splitters", keys_of_images(j_, codec_, splitters, all));
    }
    return splitters;
  }

  /// Device `to` gets bucket 2 to, and the keys that equal its upper splitter.
  void exchange(const std::vector<std::vector<std::uint32_t>>& begins) {
    std::deque<one_device<Word, Pairs>> after;
    std::vector<std::uint32_t> matrix;
    std::string shares = "keys of each device after the exchange:";
    for (auto& d : devices_)
      d.on.synchronize();
    for (unsigned to = 0; to < devices_count_; ++to) {
      const auto first = [&](unsigned from) { return begins[from][2 * to]; };
      const auto size = [&](unsigned from) {
        return begins[from][std::min<std::size_t>(2 * to + 2, begins[from].size() - 1)] - first(from);
      };
      std::uint64_t total = 0;
      for (unsigned from = 0; from < devices_count_; ++from)
        total += size(from);
      auto& received = after.emplace_back(j_, devices_count_ + to);
      received.make_room(total);
      std::uint64_t place = 0;
      for (unsigned from = 0; from < devices_count_; place += size(from++)) {
        received.take(devices_[from].on, devices_[from].held(), first(from), size(from), place);
        matrix.push_back(size(from));
      }
      (shares += ' ') += std::to_string(total);
      received.on.synchronize();
    }
    j_.tell("keys received by each device, from each").table("to", matrix, devices_count_);
    devices_.swap(after);
    j_.note(shares);
    if (!j_.on.is_executor()) {
      std::set<int> gpus;
      for (const auto& d : devices_)
        gpus.insert(d.on.ordinal());
      j_.note(std::to_string(devices_count_) + " devices on " + std::to_string(gpus.size()) +
              (gpus.size() == 1 ? " GPU" : " GPUs"));
    }
  }

  void collect(const records<Word, Pairs>& data) {
    std::uint64_t first = 0;
    for (auto& d : devices_) {
      j_.on.copy_from(d.on, data.keys.data() + first, d.held().keys.data(), d.count * sizeof(Word));
      if constexpr (Pairs)
        j_.on.copy_from(d.on, data.values.data() + first, d.held().values.data(), d.count * sizeof(std::uint32_t));
      first += d.count;
    }
    j_.on.synchronize(); // before the devices go
  }

  /// What the devices did is the run's.
  void add_up_counters() {
    for (auto& d : devices_)
      j_.on.take_counters_of(d.on);
  }

  /// The end of a stage.
  void tell(const char* what) {
    add_up_counters();
    if (!j_.shows_steps())
      return;
    telling t = j_.tell(what);
    for (unsigned d = 0; d < devices_count_; ++d) {
      devices_[d].on.synchronize();
      t.keys("device " + std::to_string(d), untyped(devices_[d].held()), devices_[d].count);
    }
  }

  job& j_;
  key_codec<Word> codec_;
  unsigned devices_count_, tile_;
  std::deque<one_device<Word, Pairs>> devices_{};
};

template <class Word, bool Pairs>
void over_devices(job& j, const records<Word, Pairs>& data, const key_codec<Word>& codec) {
  if (j.asked.n != 0)
    several_devices<Word, Pairs>(j, codec).run(data);
}

} // namespace

SORTILE_CLASSICS_OF(sample_sort_devices) {
  return {{.name = "sample-sort-devices",
           .family = "sample",
           .summary = "pieces on several devices: splitters from samples of all, one exchange, local sorts",
           .work = "b n",
           .depth = "b n / p",
           .source = "Shi & Schaeffer 1992; Frazer & McKellar 1970",
           .steps_show = "what each device holds before and after division, exchange and sort; sample and splitters",
           .tile = 256 * keys_a_thread,
           .parameters = {{"devices", 2, 4, most_devices, "devices", true},
                          {"oversampling", 1, 8, most_oversampling, "sampled keys for each device and splitter"},
                          tile_parameter(256 * keys_a_thread)},
           .run = [](job& j) { with_records(j, [&](auto& d, auto&, auto& codec) { over_devices(j, d, codec); }); }}};
}

} // namespace sortile::classics
