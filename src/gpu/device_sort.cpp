#include "gpu/device_sort.hpp"

#include "kernels/sort/sort_keys.hpp"
#include "kernels/values/move_values.hpp"
#include "primitives/key_codec.hpp"

#include <string>

namespace sortile::gpu {
namespace {

constexpr std::size_t rounded(std::size_t bytes) {
  return (bytes + workspace_alignment - 1) / workspace_alignment * workspace_alignment;
}

bool aligned(const void* array, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(array) % alignment == 0;
}

/// The width that values of so many bytes travel in.
constexpr std::size_t travelling_width(std::size_t value_bytes) {
  return value_bytes <= 4 ? 4 : value_bytes <= 8 ? 8 : 16;
}

constexpr std::size_t widest_travelling = 16;

} // namespace

device_sort::device_sort(const sort_request& request, const options& opts)
    : request_(request), order_(opts.order), bits_(opts.bits) {
  choose_handling();
  choose_sorter();
  lay_out();
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

void device_sort::choose_sorter() {
  if (request_.n > 0)
    sorter_ = sorter::keys;
}

std::string device_sort::why_refused() const {
  if (sorter_ == sorter::nothing)
    return {};
  const unsigned width = key_bits(request_.type);
  const bool whole = bits_.begin == 0 && (bits_.end == bit_window::whole_key || bits_.end == width);
  if (request_.carries != payload::none)
    return "it sorts keys without values and positions so far";
  if (is_float(request_.type) || (width != 32 && width != 64))
    return "it sorts integers of 32 and 64 bits so far, not " + std::string(name(request_.type));
  if (!whole)
    return "it sorts by the whole key so far, not by a bit window";
  if (request_.n > kernels::sort_keys_most)
    return "it sorts at most " + std::to_string(kernels::sort_keys_most) + " keys so far";
  if (!aligned(request_.keys_in, 16) || !aligned(request_.keys_out, 16))
    return "it sorts arrays aligned to 16 bytes so far";
  return {};
}

std::size_t device_sort::sorter_bytes() const {
  if (sorter_ == sorter::nothing || !why_refused().empty())
    return 0;
  return key_bytes(request_.type) == 4 ? kernels::sort_keys_workspace_bytes<std::uint32_t>(request_.n)
                                       : kernels::sort_keys_workspace_bytes<std::uint64_t>(request_.n);
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
  layout_.sorter = reserve(sorter_bytes());
  layout_.bytes = at;
}

void device_sort::add_steps(std::vector<plan_step>& steps) const {
  const std::size_t n = request_.n, keys = n * key_bytes(request_.type), raw = n * request_.value_bytes;
  if (handling_ == value_handling::moved)
    steps.push_back({"move", "values into " + std::to_string(width_) + " aligned bytes each", raw, moved_bytes()});
  if (sorter_ == sorter::keys) {
    const auto shape = key_bytes(request_.type) == 4 ? kernels::sort_keys_shape_of<std::uint32_t>(n)
                                                     : kernels::sort_keys_shape_of<std::uint64_t>(n);
    if (shape.in_one_block)
      steps.push_back({"local", "all keys in the shared memory of one multiprocessor", keys, keys});
    else
      steps.push_back({"look", "which bits differ, is it sorted, how many keys begin with which bits", keys, 0});
    if (shape.first_bits > 0)
      steps.push_back({"partition", "by the highest " + std::to_string(shape.first_bits) + " bits", keys, keys});
    if (shape.second_bits > 0)
      steps.push_back({"partition", "each bucket by the next " + std::to_string(shape.second_bits) + " bits", keys, keys});
    if (!shape.in_one_block)
      steps.push_back({"local", "each bucket in the shared memory of a multiprocessor", keys, keys});
  }
  if (handling_ == value_handling::moved)
    steps.push_back({"move", "values back to " + std::to_string(request_.value_bytes) + " bytes each", moved_bytes(), raw});
  if (handling_ == value_handling::gathered)
    steps.push_back({"gather", "values by position", moved_bytes() + raw, raw});
  if (handling_ == value_handling::gathered && in_place())
    steps.push_back({"copy", "values back to where they were", raw, raw});
}

void device_sort::launch(const simt::queue& q, void* workspace) const {
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
  launch_keys(q, workspace + layout_.sorter);
}

void device_sort::launch_keys(const simt::queue& q, std::byte* workspace) const {
  const auto launch_as = [&]<class Word>(Word) {
    kernels::sort_keys(q, kernels::sort_keys_request<Word>{.in = static_cast<const Word*>(request_.keys_in),
                                                           .out = static_cast<Word*>(request_.keys_out),
                                                           .n = request_.n,
                                                           .codec = make_key_codec<Word>(request_.type, order_, bits_),
                                                           .workspace = workspace,
                                                           .workspace_bytes = sorter_bytes()});
  };
  if (key_bytes(request_.type) == 4)
    launch_as(std::uint32_t{});
  else
    launch_as(std::uint64_t{});
}

} // namespace sortile::gpu
