#include "gpu/segmented_sort.hpp"

#include "kernels/segments/segmented_sort.hpp"
#include "primitives/with_word.hpp"

namespace sortile::gpu {

template <class Word>
kernels::segmented_sort_request<Word> device_segmented_sort::request_of() const {
  const sort_request& a = request_.arrays;
  return {.keys_in = static_cast<const Word*>(a.keys_in),
          .keys_out = static_cast<Word*>(a.keys_out),
          .values_in = a.carries == payload::values ? a.values_in : nullptr,
          .values_out = a.carries == payload::none ? nullptr : a.values_out,
          .value_bytes = a.carries == payload::none ? 0 : unsigned(a.value_bytes),
          .make_indices = a.carries == payload::indices,
          .n = a.n,
          .where = request_.where,
          .status = a.device_status,
          .tells = opts_.checked,
          .codec = make_key_codec<Word>(a.type, opts_.order, opts_.bits)};
}

std::string_view device_segmented_sort::why_refused(const segmented_request& request) {
  const sort_request& a = request.arrays;
  if (a.carries != payload::values)
    return {};
  const std::size_t bytes = a.value_bytes;
  const auto aligned = [bytes](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; };
  const bool moves = (bytes == 4 || bytes == 8 || bytes == 16) && aligned(a.values_in) && aligned(a.values_out);
  return moves ? "" : "values that are sorted within segments must have 4, 8 or 16 bytes and be aligned to that";
}

std::size_t device_segmented_sort::workspace_bytes() const {
  return with_word(request_.arrays.type,
                   [&]<class Word>(Word) { return kernels::segmented_sort_workspace_bytes(request_of<Word>()); });
}

std::size_t device_segmented_sort::enough_workspace() const {
  options told = opts_;
  told.checked = true; // as with a device_status, which need not be there yet
  segmented_request without_keys = request_;
  const std::size_t bytes = device_segmented_sort(request_, told).workspace_bytes();
  if (request_.arrays.carries != payload::indices)
    return bytes;
  without_keys.arrays.keys_out = nullptr;
  return std::max(bytes, device_segmented_sort(without_keys, told).workspace_bytes());
}

void device_segmented_sort::launch(const simt::queue& q, void* workspace, std::uint32_t* status) const {
  with_word(request_.arrays.type, [&]<class Word>(Word) {
    auto r = request_of<Word>();
    r.status = status;
    r.workspace = workspace;
    r.workspace_bytes = kernels::segmented_sort_workspace_bytes(r);
    kernels::segmented_sort(q, r);
  });
}

const std::uint32_t* device_segmented_sort::wrong_offsets(const void* workspace) {
  return static_cast<const std::uint32_t*>(workspace) + kernels::detail::segment_wrong_word;
}

void device_segmented_sort::add_steps(std::vector<plan_step>& steps) const {
  const sort_request& a = request_.arrays;
  const segments& w = request_.where;
  const bool equal = w.form == segment_form::strided, transposes = kernels::detail::is_transposed(w);
  const std::size_t n = equal ? w.count * w.length : a.n, longest = equal ? w.length : a.n;
  const std::size_t keys = n * key_bytes(a.type), values = a.carries == payload::none ? 0 : n * a.value_bytes;
  const std::size_t in = keys + (a.carries == payload::values ? values : 0);
  const std::size_t out = (a.keys_out == nullptr ? 0 : keys) + values;
  const auto layout =
      with_word(a.type, [&]<class Word>(Word) { return kernels::detail::segmented_layout::of(request_of<Word>()); });
  const auto& classes = layout.classes;
  const std::size_t capacity = classes.block();
  const std::size_t offsets = equal ? 0 : (w.form == segment_form::ranges ? 2 : 1) * w.count * w.offset_bytes;
  if (transposes)
    steps.push_back({"transpose", "columns to rows, in the workspace", in, in});
  if (layout.makes_lists || longest <= classes.tiny)
    steps.push_back({"classify",
                     "segments by their lengths; those of up to " + std::to_string(classes.tiny) +
                         " elements are sorted at once, by a thread or some lanes each",
                     offsets, 0});
  if (longest > capacity)
    steps.push_back({"partition",
                     "segments of more than " + std::to_string(capacity) +
                         " elements, by 8 bits at a time, until pieces fit a block",
                     2 * in, in});
  if (longest > classes.tiny)
    steps.push_back({"local",
                     "up to " + std::to_string(classes.most_short) +
                         " elements in the registers of some lanes, up to " + std::to_string(capacity) + " in a block",
                     in, out});
  if (transposes)
    steps.push_back({"transpose", "rows back to columns", out, out});
}

} // namespace sortile::gpu
