#include "gpu/device_sort.hpp"

#include "kernels/count/check_count.hpp"
#include "kernels/values/move_values.hpp"
#include "primitives/key_codec.hpp"

#include <algorithm>
#include <string>

namespace sortile::gpu {
namespace {

constexpr std::size_t rounded(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

bool aligned(const void* array, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(array) % alignment == 0;
}

constexpr std::size_t vector_bytes = 16;
/// Below, the launches of two sorts of 32-bit keys take longer than those of the LSD sort alone (H100: 2^16 keys 48 and
/// 42 µs, 2^20 57 and 62).
constexpr std::size_t narrow_keys_in_buckets_from = std::size_t{1} << 18;
/// Beyond, buckets of pairs grow too large for the local step.
constexpr std::size_t most_pairs_in_buckets = std::size_t{1} << 28;

/// The width that values of so many bytes travel in.
constexpr std::size_t travelling_width(std::size_t value_bytes) {
  return value_bytes <= 4 ? 4 : value_bytes <= 8 ? 8 : 16;
}

constexpr std::size_t widest_travelling = 16;
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

device_sort::device_sort(const sort_request& request, const options& opts, unsigned architecture)
    : request_(request), order_(opts.order), bits_(opts.bits), architecture_(architecture) {
  choose_handling();
  choose_sorter();
  lay_out();
}

std::string device_sort::why_refused() const {
  const bool moves = handling_ == value_handling::moved || handling_ == value_handling::gathered;
  return request_.device_n != nullptr && moves
             ? "where n lies in device memory, values must have 4, 8 or 16 bytes and be aligned to that"
             : "";
}

void device_sort::choose_handling() {
  const std::size_t bytes = request_.value_bytes;
  if (request_.carries == payload::none)
    return;
  if (request_.carries == payload::indices) {
    handling_ = value_handling::indices;
    width_ = bytes;
  } else if (bytes > widest_travelling) {
    handling_ = value_handling::gathered;
    width_ = request_.n <= std::size_t{1} << 32 ? 4 : 8;
  } else {
    width_ = travelling_width(bytes);
    const bool as_they_are =
        width_ == bytes && aligned(request_.values_in, width_) && aligned(request_.values_out, width_);
    handling_ = as_they_are ? value_handling::direct : value_handling::moved;
  }
}

/// Whether all arrays can be read and written 16 bytes at a time.
bool device_sort::vectors_fit() const {
  const bool values = handling_ != value_handling::direct && handling_ != value_handling::indices
                          ? true // in the workspace
                          : aligned(request_.values_in, vector_bytes) && aligned(request_.values_out, vector_bytes);
  return values && aligned(request_.keys_in, vector_bytes) && aligned(request_.keys_out, vector_bytes);
}

void device_sort::choose_sorter() {
  const std::size_t n = request_.n;
  if (n == 0)
    return;
  sorter_ = sorter::lsd;
  const unsigned width = key_bits(request_.type);
  const bool whole = bits_.begin == 0 && (bits_.end == bit_window::whole_key || bits_.end == width);
  if ((width != 32 && width != 64) || !whole || !vectors_fit() || request_.device_n != nullptr)
    return;
  if (handling_ == value_handling::none && !is_float(request_.type)) {
    const bool pays =
        n >= narrow_keys_in_buckets_from || width > 32 || kernels::sort_keys_shape_of<std::uint32_t>(n).in_one_block;
    if (n <= kernels::sort_keys_most && pays)
      sorter_ = sorter::keys;
  } else if (architecture_ >= kernels::sort_pairs_architecture && n <= most_pairs_in_buckets) {
    sorter_ = sorter::pairs;
  }
  lsd_behind_ = sorter_ != sorter::lsd && !partition_shape().in_one_block;
}

kernels::sort_shape device_sort::partition_shape() const {
  if (sorter_ == sorter::pairs)
    return kernels::sort_pairs_shape_of(request_.n);
  return key_bytes(request_.type) == 4 ? kernels::sort_keys_shape_of<std::uint32_t>(request_.n)
                                       : kernels::sort_keys_shape_of<std::uint64_t>(request_.n);
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

template <class Word>
kernels::sort_keys_request<Word> device_sort::keys_request(std::byte* workspace) const {
  return {.in = static_cast<const Word*>(request_.keys_in),
          .out = static_cast<Word*>(request_.keys_out),
          .n = request_.n,
          .codec = make_key_codec<Word>(request_.type, order_, bits_),
          .workspace = workspace + layout_.sorter,
          .workspace_bytes = layout_.bytes - layout_.sorter,
          .unsuited = lsd_behind_ ? reinterpret_cast<std::uint32_t*>(workspace + layout_.unsuited) : nullptr};
}

template <class Word>
kernels::sort_pairs_request<Word> device_sort::pairs_request(std::byte* workspace) const {
  const travelling values = values_at(workspace);
  return {.keys_in = static_cast<const Word*>(request_.keys_in),
          .keys_out = static_cast<Word*>(request_.keys_out),
          .values_in = values.in,
          .values_out = values.out,
          .value_bytes = unsigned(width_),
          .make_indices = makes_indices(),
          .n = request_.n,
          .codec = make_key_codec<Word>(request_.type, order_, bits_),
          .workspace = workspace + layout_.sorter,
          .workspace_bytes = layout_.bytes - layout_.sorter,
          .unsuited = lsd_behind_ ? reinterpret_cast<std::uint32_t*>(workspace + layout_.unsuited) : nullptr};
}

template <class Word>
kernels::lsd_request<Word> device_sort::lsd_request(std::byte* workspace) const {
  const travelling values = values_at(workspace);
  return {.keys_in = static_cast<const Word*>(request_.keys_in),
          .keys_out = static_cast<Word*>(request_.keys_out),
          .values_in = values.in,
          .values_out = values.out,
          .value_bytes = unsigned(width_),
          .make_indices = makes_indices(),
          .input_is_scratch =
              request_.input_is_scratch && (handling_ == value_handling::none || handling_ == value_handling::direct),
          .n = request_.n,
          .device_n = request_.device_n,
          .only_if = lsd_behind_ ? reinterpret_cast<std::uint32_t*>(workspace + layout_.unsuited) : nullptr,
          .codec = make_key_codec<Word>(request_.type, order_, bits_),
          .workspace = workspace + layout_.sorter,
          .workspace_bytes = layout_.bytes - layout_.sorter,
          .architecture = architecture_};
}

std::size_t device_sort::sorter_bytes() const {
  if (sorter_ == sorter::nothing)
    return 0;
  std::byte* const anywhere = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 60); // compared, never followed
  return with_word(request_.type, [&]<class Word>(Word) {
    std::size_t bytes = 0;
    if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8) {
      if (sorter_ == sorter::keys)
        bytes = kernels::sort_keys_workspace_bytes<Word>(request_.n);
      else if (sorter_ == sorter::pairs)
        bytes = kernels::sort_pairs_workspace_bytes(pairs_request<Word>(anywhere));
    }
    return sorter_ == sorter::lsd || lsd_behind_
               ? std::max(bytes, kernels::lsd_workspace_bytes(lsd_request<Word>(anywhere)))
               : bytes;
  });
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
  if (lsd_behind_)
    layout_.unsuited = reserve(sizeof(std::uint32_t));
  layout_.sorter = at;
  reserve(sorter_bytes());
  layout_.bytes = at;
}

void device_sort::add_steps(std::vector<plan_step>& steps) const {
  const std::size_t raw = request_.n * request_.value_bytes;
  if (handling_ == value_handling::moved)
    steps.push_back({"move", "values into " + std::to_string(width_) + " aligned bytes each", raw, moved_bytes()});
  if (sorter_ == sorter::keys || sorter_ == sorter::pairs)
    add_steps_of_partitions(steps);
  else if (sorter_ == sorter::lsd)
    add_steps_of_lsd(steps);
  if (handling_ == value_handling::moved)
    steps.push_back(
        {"move", "values back to " + std::to_string(request_.value_bytes) + " bytes each", moved_bytes(), raw});
  if (handling_ == value_handling::gathered)
    steps.push_back({"gather", "values by position", moved_bytes() + raw, raw});
  if (handling_ == value_handling::gathered && in_place())
    steps.push_back({"copy", "values back to where they were", raw, raw});
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
  steps.push_back({"look", "are they sorted, how crowded is which part of their range", keys, 0});
  const auto partition = [&](unsigned bits, const char* what) {
    if (bits == 0)
      return;
    steps.push_back({"partition", what + std::to_string(1u << bits) + " buckets", made(first), moved});
    first = false;
  };
  partition(shape.first_bits, "into ");
  partition(shape.second_bits, "each bucket into ");
  steps.push_back({"local", "each bucket in the shared memory of a multiprocessor", made(first), moved});
  if (lsd_behind_)
    steps.push_back({"or passes",
                     "in place of those three, where one bucket would hold too much: least significant digit first", 0,
                     0});
}

void device_sort::add_steps_of_lsd(std::vector<plan_step>& steps) const {
  const std::size_t n = request_.n, keys = n * key_bytes(request_.type), values = moved_bytes();
  const bool makes_values = handling_ == value_handling::indices || handling_ == value_handling::gathered;
  const unsigned width = key_bits(request_.type), end = bits_.end == bit_window::whole_key ? width : bits_.end;
  steps.push_back({"look", "which digits differ, is it sorted, how often each digit occurs", keys, 0});
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
  if (sorter_ == sorter::nothing)
    return;
  auto* const space = static_cast<std::byte*>(workspace);
  const std::size_t n = request_.n, bytes = request_.value_bytes;
  const auto move = [&](const void* in, std::size_t in_bytes, void* out, std::size_t out_bytes,
                        const void* indices = nullptr, unsigned index_bytes = 0) {
    kernels::move_values(q, {n, in, in_bytes, out, out_bytes, indices, index_bytes});
  };
  if (handling_ == value_handling::moved)
    move(request_.values_in, bytes, space + layout_.moved_in, width_);
  launch_sorter(q, space);
  if (handling_ == value_handling::moved)
    move(space + layout_.moved_out, width_, request_.values_out, bytes);
  if (handling_ != value_handling::gathered)
    return;
  void* const to = in_place() ? space + layout_.gathered : request_.values_out;
  move(request_.values_in, bytes, to, bytes, space + layout_.moved_out, unsigned(width_));
  if (in_place())
    move(to, bytes, request_.values_out, bytes);
}

void device_sort::launch_sorter(const simt::queue& q, std::byte* workspace) const {
  with_word(request_.type, [&]<class Word>(Word) {
    if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8) {
      if (sorter_ == sorter::keys)
        kernels::sort_keys(q, keys_request<Word>(workspace));
      else if (sorter_ == sorter::pairs)
        kernels::sort_pairs(q, pairs_request<Word>(workspace));
    }
    if (sorter_ == sorter::lsd || lsd_behind_)
      kernels::lsd_sort(q, lsd_request<Word>(workspace));
  });
}

} // namespace sortile::gpu
