#include "sort/struct_sort.hpp"

#include "kernels/arena.hpp"
#include "kernels/values/move_values.hpp"
#include "plan/nowhere.hpp"

#include <algorithm>

namespace sortile::gpu {
namespace {

constexpr std::size_t rounded(std::size_t bytes) {
  kernels::arena one;
  one.take(bytes);
  return one.bytes();
}

constexpr std::size_t most_travelling_bytes = 8;

} // namespace

struct_sort::struct_sort(const struct_request& request, order direction, const device_facts& device)
    : request_(request), options_{.order = direction}, device_(device),
      position_bytes_(request.n <= std::size_t{1} << 32 ? 4 : 8) {
  if (request.n == 0)
    return;
  if (given_positions())
    position_bytes_ = unsigned(request.value_bytes);
  else if (!structs_travel())
    second_part_ = rounded(request.n * position_bytes_);
  bytes_ = bytes_with([this](const sort_request& r) { return device_sort(r, options_, device_).workspace_bytes(); });
}

std::size_t struct_sort::enough_workspace() const {
  return request_.n == 0 ? 0 : bytes_with([this](const sort_request& r) {
    const std::size_t as_they_lie = device_sort::enough_workspace(r, options_, device_);
    if (!structs_travel())
      return as_they_lie;
    // The type may allow a place where structs are no values of their width.
    const auto misaligned = [this](const void* structs) {
      return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(structs) / 16 * 16) + request_.key_alignment;
    };
    sort_request odd = r;
    odd.values_in = misaligned(r.values_in);
    odd.values_out = misaligned(r.values_out);
    return std::max(as_they_lie, device_sort::enough_workspace(odd, options_, device_));
  });
}

template <class BytesOf>
std::size_t struct_sort::bytes_with(BytesOf bytes_of) const {
  std::size_t most = 0;
  for (unsigned word = 0; word < image_words(request_.image_bits); ++word)
    most = std::max(most, words_bytes(word) + bytes_of(request_by(word, nowhere())));
  if (request_.keys_in == request_.keys_out && !structs_travel())
    most = std::max(most, request_.n * std::max(request_.key_bytes, request_.value_bytes));
  return second_part_ + rounded(most);
}

bool struct_sort::structs_travel() const {
  return request_.carries == payload::none && request_.key_bytes <= most_travelling_bytes &&
         image_words(request_.image_bits) == 1;
}

void* struct_sort::positions_at(std::byte* workspace) const {
  return given_positions() ? request_.values_out : workspace;
}

std::size_t struct_sort::words_bytes(unsigned word) const {
  return rounded(request_.n * key_bytes(image_word_type(request_.image_bits, word)));
}

sort_request struct_sort::request_by(unsigned word, std::byte* workspace) const {
  sort_request r{.type = image_word_type(request_.image_bits, word),
                 .n = request_.n,
                 .keys_in = workspace + second_part_,
                 .carries = payload::indices,
                 .value_bytes = position_bytes_,
                 .values_out = positions_at(workspace)};
  if (structs_travel()) {
    r.carries = payload::values;
    r.value_bytes = request_.key_bytes;
    r.values_in = request_.keys_in;
    r.values_out = request_.keys_out;
  } else if (word > 0) {
    r.keys_out = workspace + second_part_;
    r.carries = payload::values;
    r.values_in = r.values_out;
  }
  return r;
}

void struct_sort::launch(const simt::queue& q, void* workspace) const {
  if (request_.n == 0)
    return;
  auto* const space = static_cast<std::byte*>(workspace);
  for (unsigned word = 0; word < image_words(request_.image_bits); ++word) {
    std::byte* const words = space + second_part_;
    request_.extract(q,
                     {.structs = request_.keys_in,
                      .n = request_.n,
                      .word = word,
                      .words = words,
                      .positions = word == 0 ? nullptr : positions_at(space),
                      .position_bytes = position_bytes_},
                     request_.decomposer);
    device_sort(request_by(word, space), options_, device_).launch(q, words + words_bytes(word));
  }
  if (request_.keys_out != nullptr && !structs_travel())
    gather(q, space, request_.keys_in, request_.keys_out, request_.key_bytes);
  if (request_.carries == payload::values)
    gather(q, space, request_.values_in, request_.values_out, request_.value_bytes);
}

void struct_sort::gather(const simt::queue& q, std::byte* workspace, const void* in, void* out,
                         std::size_t bytes) const {
  void* const to = in == out ? workspace + second_part_ : out;
  kernels::move_values(q, {request_.n, in, bytes, to, bytes, positions_at(workspace), position_bytes_});
  if (in == out)
    kernels::move_values(q, {request_.n, to, bytes, out, bytes, nullptr, 0});
}

} // namespace sortile::gpu
