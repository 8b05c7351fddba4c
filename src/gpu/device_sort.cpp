#include "gpu/device_sort.hpp"

#include "kernels/count/check_count.hpp"
#include "kernels/values/move_values.hpp"
#include "primitives/key_codec.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace sortile::gpu {
namespace {

constexpr std::size_t rounded(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

bool aligned(const void* array, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(array) % alignment == 0;
}

constexpr bool is_any(const device_facts& device) {
  return device.architecture == any_device.architecture;
}

constexpr std::size_t vector_bytes = 16;
/// The width that values of so many bytes travel in.
constexpr std::size_t travelling_width(std::size_t value_bytes) {
  return value_bytes <= 4 ? 4 : value_bytes <= 8 ? 8 : 16;
}

constexpr std::size_t widest_travelling = 16;

/// How the values of a request come along, and in what width.
struct value_route {
  value_handling handling = value_handling::none;
  std::size_t width = 0;
};
value_route route_of(const sort_request& request) {
  const std::size_t bytes = request.value_bytes;
  if (request.carries == payload::none)
    return {};
  if (request.carries == payload::indices)
    return {value_handling::indices, bytes};
  if (bytes > widest_travelling)
    return {value_handling::gathered, request.n <= std::size_t{1} << 32 ? 4u : 8u};
  const std::size_t width = travelling_width(bytes);
  const bool as_they_are = width == bytes && aligned(request.values_in, width) && aligned(request.values_out, width);
  return {as_they_are ? value_handling::direct : value_handling::moved, width};
}

/// The request for n keys, with the same arrays present and the same ones in place, aligned to vectors or no more than
/// they have to be.
sort_request elsewhere(const sort_request& request, std::size_t n, bool keys_aligned, bool values_aligned) {
  const auto place = [](unsigned k, std::size_t off) { // compared, never followed
    return reinterpret_cast<void*>((std::uintptr_t{1} << 60) + (std::uintptr_t{k} << 57) + off);
  };
  const std::size_t keys_off = keys_aligned ? 0 : key_bytes(request.type);
  const std::size_t values_off = values_aligned ? (keys_aligned ? 0 : travelling_width(request.value_bytes)) : 1;
  const bool in_place = request.keys_in == request.keys_out;
  sort_request r = request;
  r.n = n;
  r.keys_in = place(0, keys_off);
  r.keys_out = request.keys_out == nullptr ? nullptr : place(in_place ? 0 : 1, keys_off);
  if (r.carries == payload::values)
    r.values_in = place(2, values_off);
  if (r.carries != payload::none)
    r.values_out = place(in_place && r.carries == payload::values ? 2 : 3, values_off);
  return r;
}

constexpr unsigned digit_bits = 8; // of an LSD pass

/// Calls f with a value of the unsigned type that keys of a type are stored as.
template <class F>
decltype(auto) with_word(key_type type, F&& f) {
  switch (key_bytes(type)) {
  case 1:
    return f(std::uint8_t{});
  case 2:
    return f(std::uint16_t{});
  case 4:
    return f(std::uint32_t{});
  case 8:
    return f(std::uint64_t{});
  default:
    return f(uint128{});
  }
}

} // namespace

device_sort::device_sort(const sort_request& request, const options& opts, const device_facts& device)
    : request_(request), order_(opts.order), bits_(opts.bits), device_(is_any(device) ? device_facts{} : device) {
  const value_route route = route_of(request);
  handling_ = route.handling;
  width_ = route.width;
  choice_ = choose_sorter(facts());
  lay_out();
  if (is_any(device))
    layout_.bytes =
        std::max(layout_.bytes, device_sort(request, opts, {.architecture = oldest_architecture}).workspace_bytes());
}

std::size_t device_sort::enough_workspace(const sort_request& request, const options& opts,
                                          const device_facts& device) {
  const value_route route = route_of(request);
  const bool values_aligned = route.handling != value_handling::moved;
  std::vector<std::size_t> counts = last_before_changes(key_bytes(request.type) + route.width);
  if (device.multiprocessors != 0)
    counts.push_back(most_of_a_sample(request, opts, device));
  counts.push_back(request.n);
  std::size_t most = 0;
  for (const std::size_t n : counts)
    for (const bool keys_aligned : {true, false})
      if (n <= request.n)
        most = std::max(
            most, device_sort(elsewhere(request, n, keys_aligned, values_aligned), opts, device).workspace_bytes());
  return most;
}

std::string device_sort::why_refused(const sort_request& request) {
  const value_handling handling = route_of(request).handling;
  const bool moves = handling == value_handling::moved || handling == value_handling::gathered;
  return request.device_n != nullptr && moves
             ? "where n lies in device memory, values must have 4, 8 or 16 bytes and be aligned to that"
             : "";
}

/// Whether all arrays can be read and written 16 bytes at a time.
bool device_sort::vectors_fit() const {
  const bool values = handling_ != value_handling::direct && handling_ != value_handling::indices
                          ? true // in the workspace
                          : aligned(request_.values_in, vector_bytes) && aligned(request_.values_out, vector_bytes);
  return values && aligned(request_.keys_in, vector_bytes) && aligned(request_.keys_out, vector_bytes);
}

sort_facts device_sort::facts() const {
  const unsigned bits = key_bits(request_.type);
  return {.n = request_.n,
          .key_bits = bits,
          .value_bytes = unsigned(width_),
          .floats = is_float(request_.type),
          .whole_keys = bits_.begin == 0 && (bits_.end == bit_window::whole_key || bits_.end == bits),
          .vectors_fit = vectors_fit(),
          .n_on_device = request_.device_n != nullptr,
          .sample_fits = sample_fits(),
          .device = device_};
}

bool device_sort::sample_fits() const {
  return device_.multiprocessors == 0 || with_word(request_.type, [&]<class Word>(Word) {
           std::byte* const anywhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 60); // never followed
           return request_.n <= kernels::sample_sort_most(device_.multiprocessors, sample_request<Word>(anywhere));
         });
}

kernels::sort_shape device_sort::partition_shape() const {
  if (choice_.first == sorter::pairs)
    return kernels::sort_pairs_shape_of(request_.n);
  return with_word(request_.type, [&]<class Word>(Word) -> kernels::sort_shape {
    if constexpr (sizeof(Word) >= 4)
      return kernels::sort_keys_shape_of<Word>(request_.n);
    else
      return {};
  });
}

device_sort::travelling device_sort::values_at(std::byte* workspace) const {
  travelling t;
  if (handling_ == value_handling::direct)
    t.in = request_.values_in;
  else if (handling_ == value_handling::moved)
    t.in = workspace + layout_.moved_in;
  if (handling_ == value_handling::direct || handling_ == value_handling::indices)
    t.out = request_.values_out;
  else if (handling_ != value_handling::none)
    t.out = workspace + layout_.moved_out;
  return t;
}

std::uint32_t* device_sort::unsuited(std::byte* workspace, sorter said_by) const {
  if (!someone_behind())
    return nullptr;
  auto* const words = reinterpret_cast<std::uint32_t*>(workspace + layout_.unsuited);
  return said_by == choice_.first ? words : words + 1;
}

template <class Request, class Word>
Request device_sort::request_of(std::byte* workspace) const {
  Request r;
  r.n = request_.n;
  r.codec = make_key_codec<Word>(request_.type, order_, bits_);
  r.workspace = workspace + layout_.sorter;
  r.workspace_bytes = layout_.bytes - layout_.sorter;
  if constexpr (requires { r.in; }) {
    r.in = static_cast<const Word*>(request_.keys_in);
    r.out = static_cast<Word*>(request_.keys_out);
  } else {
    const travelling values = values_at(workspace);
    r.keys_in = static_cast<const Word*>(request_.keys_in);
    r.keys_out = static_cast<Word*>(request_.keys_out);
    r.values_in = values.in;
    r.values_out = values.out;
    r.value_bytes = unsigned(width_);
    r.make_indices = makes_indices();
  }
  if constexpr (requires { r.device_n; })
    r.device_n = request_.device_n;
  if constexpr (requires { r.input_is_scratch; })
    r.input_is_scratch = double_buffer();
  if constexpr (requires { r.fallback_sees_order; })
    r.fallback_sees_order = choice_.second == sorter::nothing && choice_.behind == sorter::lsd;
  constexpr bool may_leave = requires {
    r.unsuited;
  };
  constexpr bool stands_behind = requires {
    r.only_if;
  };
  if constexpr (may_leave)
    r.unsuited = unsuited(workspace, stands_behind ? last_before_behind() : choice_.first);
  if constexpr (stands_behind)
    r.only_if = unsuited(workspace, may_leave ? choice_.first : last_before_behind());
  return r;
}

template <class Word>
kernels::count_sort_request<Word> device_sort::count_request(std::byte* workspace) const {
  return request_of<kernels::count_sort_request<Word>, Word>(workspace);
}
template <class Word>
kernels::sort_keys_request<Word> device_sort::keys_request(std::byte* workspace) const {
  return request_of<kernels::sort_keys_request<Word>, Word>(workspace);
}
template <class Word>
kernels::sort_pairs_request<Word> device_sort::pairs_request(std::byte* workspace) const {
  return request_of<kernels::sort_pairs_request<Word>, Word>(workspace);
}
template <class Word>
kernels::splitter_sort_request<Word> device_sort::splitter_request(std::byte* workspace) const {
  auto r = request_of<kernels::splitter_sort_request<Word>, Word>(workspace);
  r.leaves_to_passes = choice_.first == sorter::splitters;
  if (r.leaves_to_passes) // nobody before it
    r.only_if = nullptr;
  return r;
}
template <class Word>
kernels::sample_request<Word> device_sort::sample_request(std::byte* workspace) const {
  return request_of<kernels::sample_request<Word>, Word>(workspace);
}
template <class Word>
kernels::lsd_request<Word> device_sort::lsd_request(std::byte* workspace) const {
  auto r = request_of<kernels::lsd_request<Word>, Word>(workspace);
  r.architecture = device_.architecture;
  return r;
}

std::size_t device_sort::most_of_a_sample(const sort_request& request, const options& opts,
                                          const device_facts& device) {
  const device_sort any(request, opts, device);
  return with_word(request.type, [&]<class Word>(Word) -> std::size_t {
    std::byte* const anywhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 60); // never followed
    return kernels::sample_sort_most(device.multiprocessors, any.sample_request<Word>(anywhere));
  });
}

std::size_t device_sort::workspace_of(sorter which) const {
  std::byte* const anywhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 60); // compared, never followed
  return with_word(request_.type, [&]<class Word>(Word) -> std::size_t {
    switch (which) {
    case sorter::nothing:
      return 0;
    case sorter::counting:
      if constexpr (sizeof(Word) <= 2)
        return kernels::count_sort_workspace_bytes(count_request<Word>(anywhere));
      break;
    case sorter::keys:
      if constexpr (sizeof(Word) >= 4)
        return kernels::sort_keys_workspace_bytes<Word>(request_.n, kernels::sort_keys_request<Word>::follows_n,
                                                        double_buffer());
      break;
    case sorter::pairs:
      if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8)
        return kernels::sort_pairs_workspace_bytes(pairs_request<Word>(anywhere));
      break;
    case sorter::splitters:
      if constexpr (sizeof(Word) >= 8)
        return kernels::splitter_sort_workspace_bytes(splitter_request<Word>(anywhere));
      break;
    case sorter::sample: { // on an unknown device, which may have few multiprocessors, the LSD sort may stand in
      const std::size_t bytes = kernels::sample_sort_workspace_bytes(sample_request<Word>(anywhere));
      return device_.multiprocessors != 0 ? bytes : std::max(bytes, workspace_of(sorter::lsd));
    }
    case sorter::lsd:
      break;
    }
    return kernels::lsd_workspace_bytes(lsd_request<Word>(anywhere));
  });
}

std::size_t device_sort::sorter_bytes() const {
  return std::max({workspace_of(choice_.first), workspace_of(choice_.second), workspace_of(choice_.behind)});
}

void device_sort::lay_out() {
  std::size_t at = 0;
  const auto reserve = [&at](std::size_t bytes) {
    const std::size_t here = at;
    at += rounded(bytes);
    return here;
  };
  if (handling_ == value_handling::moved) {
    layout_.moved_in = reserve(moved_bytes());
    layout_.moved_out = in_place() ? layout_.moved_in : reserve(moved_bytes());
  } else if (handling_ == value_handling::gathered) {
    layout_.moved_out = reserve(moved_bytes()); // positions
    if (in_place())
      layout_.gathered = reserve(request_.n * request_.value_bytes);
  }
  if (someone_behind())
    layout_.unsuited = reserve(2 * sizeof(std::uint32_t));
  layout_.sorter = at;
  reserve(sorter_bytes());
  layout_.bytes = at;
}

void device_sort::add_steps(std::vector<plan_step>& steps) const {
  const std::size_t raw = request_.n * request_.value_bytes;
  if (handling_ == value_handling::moved)
    steps.push_back({"move", "values into " + std::to_string(width_) + " aligned bytes each", raw, moved_bytes()});
  add_steps_of_sorter(steps);
  if (handling_ == value_handling::moved)
    steps.push_back(
        {"move", "values back to " + std::to_string(request_.value_bytes) + " bytes each", moved_bytes(), raw});
  if (handling_ == value_handling::gathered)
    steps.push_back({"gather", "values by position", moved_bytes() + raw, raw});
  if (handling_ == value_handling::gathered && in_place())
    steps.push_back({"copy", "values back to where they were", raw, raw});
}

void device_sort::add_steps_of_sorter(std::vector<plan_step>& steps) const {
  const std::size_t keys = request_.n * key_bytes(request_.type), values = moved_bytes();
  switch (choice_.first) {
  case sorter::nothing:
    return;
  case sorter::counting:
    return add_steps_of_counting(steps);
  case sorter::sample:
    steps.push_back(
        {"partition", "into one bucket for each multiprocessor, between splitters from a sample", keys, keys});
    steps.push_back({"local", "each bucket by merging in shared memory, in the same launch",
                     keys + (makes_indices() ? 0 : values), (request_.keys_out == nullptr ? 0 : keys) + values});
    return;
  case sorter::keys:
  case sorter::pairs:
    return add_steps_of_partitions(steps);
  case sorter::splitters:
    return add_steps_of_splitters(steps);
  case sorter::lsd:
    return add_steps_of_lsd(steps);
  }
}

void device_sort::add_steps_of_counting(std::vector<plan_step>& steps) const {
  const std::size_t keys = request_.n * key_bytes(request_.type);
  steps.push_back({"count", "how often each key occurs", keys, 0});
  steps.push_back({"fill", "each key as often as it was counted", 0, keys});
  if (someone_behind())
    steps.push_back({"fallback",
                     "LSD passes in place of the fill, where there are both -0 and +0, or NaNs of several kinds", 0,
                     0});
}

void device_sort::add_steps_of_partitions(std::vector<plan_step>& steps) const {
  const std::size_t n = request_.n, keys = n * key_bytes(request_.type);
  const std::size_t values_read = handling_ == value_handling::none ? 0 : moved_bytes(), moved = keys + values_read;
  const kernels::sort_shape shape = partition_shape();
  const auto made = [&](bool first) { return first && makes_indices() ? keys : moved; };
  bool first = true;
  if (shape.in_one_block) {
    steps.push_back({"local", "all keys in the shared memory of one multiprocessor", made(first), moved});
    return;
  }
  steps.push_back({"scan", "whether the keys are sorted, and how many lie in each part of their range", keys, 0});
  const auto partition = [&](unsigned bits, const char* what) {
    if (bits == 0)
      return;
    steps.push_back({"partition", what + std::to_string(1u << bits) + " buckets", made(first), moved});
    first = false;
  };
  partition(shape.first_bits, "into ");
  partition(shape.second_bits, "each bucket into ");
  steps.push_back({"local",
                   std::string("each bucket in the shared memory of a multiprocessor") +
                       (shape.counts ? ", the keys of larger ones counted" : ""),
                   made(first), moved});
  if (choice_.behind == sorter::sample)
    steps.push_back(
        {"fallback", "a sample sort in place of all but the scan, where one bucket would hold too much", 0, 0});
  else if (choice_.second == sorter::splitters)
    steps.push_back({"fallback",
                     "a sort between splitters in place of all but the scan, where one bucket would hold too much; LSD "
                     "passes, where one of its buckets would",
                     0, 0});
  else if (someone_behind())
    steps.push_back({"fallback",
                     std::string("LSD passes in place of all but the scan, where ") +
                         (shape.counts ? "there is a -0 or a NaN" : "one bucket would hold too much"),
                     0, 0});
}

void device_sort::add_steps_of_splitters(std::vector<plan_step>& steps) const {
  const std::size_t keys = request_.n * key_bytes(request_.type), moved = keys + moved_bytes();
  const auto partition = [&](const char* what, std::size_t read) {
    steps.push_back({"count", std::string("how many keys lie between which splitters of a sample") + what, keys, 0});
    steps.push_back({"partition", "into the buckets between the splitters", read, moved});
  };
  partition("", makes_indices() ? keys : moved);
  partition(", of each bucket", moved);
  steps.push_back({"local", "each bucket in the shared memory of a multiprocessor", moved,
                   (request_.keys_out == nullptr ? 0 : keys) + moved_bytes()});
  steps.push_back(
      {"fallback",
       "LSD passes: in place of all these steps where a sample is sorted or differs in few digits, in place "
       "of those that write the output where a bucket would hold too much",
       0, 0});
}

void device_sort::add_steps_of_lsd(std::vector<plan_step>& steps) const {
  const std::size_t n = request_.n, keys = n * key_bytes(request_.type), values = moved_bytes();
  const bool makes_values = handling_ == value_handling::indices || handling_ == value_handling::gathered;
  const unsigned width = key_bits(request_.type), end = bits_.end == bit_window::whole_key ? width : bits_.end;
  steps.push_back(
      {"scan", "which digits differ, whether the keys are sorted, how often each digit value occurs", keys, 0});
  for (unsigned begin = bits_.begin; begin < end; begin += digit_bits) {
    const bool first = begin == bits_.begin, last = begin + digit_bits >= end;
    steps.push_back({"pass",
                     "by bits [" + std::to_string(begin) + ", " + std::to_string(std::min(end, begin + digit_bits)) +
                         "), unless no key differs in them",
                     keys + (first && makes_values ? 0 : values),
                     (last && request_.keys_out == nullptr ? 0 : keys) + values});
  }
}

void device_sort::launch(const simt::queue& q, void* workspace) const {
  if (request_.device_status != nullptr)
    kernels::check_count(q, request_.device_n, request_.n, request_.device_status);
  if (choice_.first == sorter::nothing)
    return;
  auto* const space = static_cast<std::byte*>(workspace);
  const std::size_t n = request_.n, bytes = request_.value_bytes;
  const auto move = [&](const void* in, std::size_t in_bytes, void* out, std::size_t out_bytes,
                        const void* indices = nullptr, unsigned index_bytes = 0) {
    kernels::move_values(q, {n, in, in_bytes, out, out_bytes, indices, index_bytes});
  };
  if (handling_ == value_handling::moved)
    move(request_.values_in, bytes, space + layout_.moved_in, width_);
  launch_sorter(q, space, choice_.first);
  launch_sorter(q, space, choice_.second);
  launch_sorter(q, space, choice_.behind);
  if (handling_ == value_handling::moved)
    move(space + layout_.moved_out, width_, request_.values_out, bytes);
  if (handling_ != value_handling::gathered)
    return;
  void* const to = in_place() ? space + layout_.gathered : request_.values_out;
  move(request_.values_in, bytes, to, bytes, space + layout_.moved_out, unsigned(width_));
  if (in_place())
    move(to, bytes, request_.values_out, bytes);
}

void device_sort::launch_sorter(const simt::queue& q, std::byte* workspace, sorter which) const {
  with_word(request_.type, [&]<class Word>(Word) {
    if (which == sorter::nothing)
      return;
    if (which == sorter::sample) {
      const auto r = sample_request<Word>(workspace);
      if (device_.multiprocessors != 0 || request_.n <= kernels::sample_sort_most(q, r))
        return kernels::sample_sort(q, r);
    }
    if constexpr (sizeof(Word) <= 2)
      if (which == sorter::counting)
        return kernels::count_sort(q, count_request<Word>(workspace));
    if constexpr (sizeof(Word) >= 4)
      if (which == sorter::keys)
        return kernels::sort_keys(q, keys_request<Word>(workspace));
    if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8)
      if (which == sorter::pairs)
        return kernels::sort_pairs(q, pairs_request<Word>(workspace));
    if constexpr (sizeof(Word) >= 8)
      if (which == sorter::splitters)
        return kernels::splitter_sort(q, splitter_request<Word>(workspace));
    kernels::lsd_sort(q, lsd_request<Word>(workspace));
  });
}

} // namespace sortile::gpu
