// XLA calls the handler on a thread of its own, without Python's lock: nothing here touches an object of Python's.
#include "xla.hpp"

#include "device.hpp"
#include "element.hpp"
#include "rows_call.hpp"
#include "xla_arguments.hpp"

#include <sortile/device.hpp>
#include <sortile/groups.hpp>
#include <sortile/route.hpp>
#include <sortile/select.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sortile::python {

namespace {

xla::error* failed(const xla::call_frame& frame, xla::error_code code, const std::string& message) {
  xla::error_create made{sizeof(xla::error_create), nullptr, message.c_str(), code};
  return frame.functions->create_error(&made);
}

/// What XLA says of an error of its own, which is gone after this.
std::string text_of(const xla::api& functions, xla::error* error) {
  xla::error_details details{sizeof(xla::error_details), nullptr, error, nullptr, {}};
  functions.get_error_details(&details);
  const std::string text = details.message == nullptr ? "" : details.message;
  xla::error_destroy gone{sizeof(xla::error_destroy), nullptr, error};
  functions.destroy_error(&gone);
  return text;
}

/// Workspace from XLA's allocator, which hands memory out again in the order of its stream. It promises an alignment of
/// 16 bytes and refuses calls for more, so blocks are taken larger and begin where the library wants them.
class xla_memory final : public device_memory_resource {
 public:
  explicit xla_memory(const xla::call_frame& frame) : frame_(frame) {}

  void* allocate(std::size_t bytes, void*) override {
    xla::memory_allocate wish{sizeof(xla::memory_allocate), nullptr, frame_.ctx, bytes + room, promised, nullptr};
    if (xla::error* const error = frame_.functions->allocate(&wish))
      throw out_of_memory("sortile: out of memory: " + std::to_string(bytes + room) +
                          " bytes are wanted for the workspace of a sort, and XLA's allocator says: " +
                          text_of(*frame_.functions, error));
    const auto begin = reinterpret_cast<std::uintptr_t>(wish.data);
    void* const aligned = reinterpret_cast<void*>((begin + room) / wanted * wanted);
    blocks_.push_back({aligned, wish.data});
    return aligned;
  }

  void deallocate(void* memory, std::size_t bytes, void*) noexcept override {
    const auto block = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& b) { return b.aligned == memory; });
    xla::memory_free done{sizeof(xla::memory_free), nullptr, frame_.ctx, bytes + room, block->given};
    blocks_.erase(block);
    if (xla::error* const error = frame_.functions->free(&done))
      text_of(*frame_.functions, error);
  }

 private:
  static constexpr std::size_t promised = 16, wanted = 256, room = wanted - promised;

  struct block {
    void* aligned;
    void* given;
  };

  const xla::call_frame& frame_;
  std::vector<block> blocks_;
};

rows_call call_of(const xla::call_frame& frame) {
  const xla::buffer& keys = item(frame.arguments, 0, "keys");
  width_of(keys);
  rows_call call{.wanted = static_cast<product>(attribute(frame, "kind")),
                 .type = *key_type_of_xla(keys.type),
                 .rows = row_count(keys),
                 .n = row_length(keys),
                 .keys_in = keys.data};
  std::int64_t result = 0;
  if (call.wanted != product::positions && call.wanted != product::first_positions) {
    const xla::buffer& sorted = item(frame.results, result++, "result for the keys");
    need_same_shape(keys, sorted);
    call.keys_out = sorted.data;
  }
  if (call.wanted != product::keys) {
    const xla::buffer& moved = item(frame.results, result, "result for positions or values");
    if (call.wanted == product::first_positions)
      call.k = count_of_each_row(keys, moved);
    else
      need_same_shape(keys, moved);
    call.value_bytes = width_of(moved);
    call.values_out = moved.data;
  }
  if (call.wanted == product::keys_and_values) {
    const xla::buffer& values = item(frame.arguments, 1, "values");
    need_same_shape(keys, values);
    call.values_in = values.data;
  }
  return call;
}

segments segments_of(const xla::call_frame& frame, product wanted) {
  const std::int64_t first = wanted == product::keys ? 1 : 2;
  return segments_at(frame, first, frame.arguments.size > first + 1);
}

route_request routing_of(const xla::call_frame& frame) {
  const xla::buffer& experts = item(frame.arguments, 0, "experts");
  const xla::buffer& counts = item(frame.results, 1, "result for the counts");
  const std::int64_t block = attribute(frame, "block");
  width_of(experts);
  if (block < 1)
    throw invalid_argument("sortile: the custom call has block = " + std::to_string(block) + "; it is at least 1");
  route_request request{.type = *key_type_of_xla(experts.type),
                        .n = elements_of(experts),
                        .experts = experts.data,
                        .expert_count = elements_of(counts),
                        .block = static_cast<std::size_t>(block),
                        .index_bytes = width_of(counts)};
  const std::size_t rows = route_rows(request.n, request.expert_count, request.block);
  const auto numbers = [&](std::int64_t result, std::size_t count) {
    return numbers_of(frame, result, count, request.index_bytes);
  };
  request.offsets = numbers(0, request.expert_count + 1);
  request.counts = counts.data;
  request.order = numbers(2, rows);
  request.inverse = numbers(3, request.n);
  request.block_experts = numbers(4, rows / request.block);
  request.dropped = numbers(5, 1);
  return request;
}

/// Outputs of a groups_request that the mask names, in its order, between the keys and their number of 64 bits.
groups_request grouping_of(const xla::call_frame& frame) {
  const xla::buffer& keys = item(frame.arguments, 0, "keys");
  const xla::buffer& distinct = item(frame.results, 0, "result for the keys");
  const std::int64_t wanted = attribute(frame, "outputs");
  width_of(keys);
  need_same_shape(keys, distinct);
  const std::size_t n = elements_of(keys);
  groups_request request{.type = *key_type_of_xla(keys.type), .n = n, .keys = keys.data, .keys_out = distinct.data};
  void** const outputs[] = {&request.first, &request.counts, &request.offsets, &request.order, &request.inverse};
  std::int64_t result = 1;
  for (std::size_t i = 0; i < std::size(outputs); ++i)
    if ((wanted >> i & 1) != 0) {
      if (result == 1)
        request.index_bytes = width_of(item(frame.results, result, "result of groups"));
      *outputs[i] = numbers_of(frame, result++, n + (outputs[i] == &request.offsets ? 1 : 0), request.index_bytes);
    }
  request.device_groups = static_cast<std::uint64_t*>(numbers_of(frame, result, 2, sizeof(std::uint32_t)));
  return request;
}

using work = void(const xla::call_frame&, options);

options in_order(const xla::call_frame& frame, options opts) {
  opts.order = attribute(frame, "descending") != 0 ? order::descending : order::ascending;
  return opts;
}

void rows(const xla::call_frame& frame, options opts) {
  run_rows(call_of(frame), in_order(frame, std::move(opts)));
}

/// Calls run(options) in host memory with keys, and whatever results hold before, whose signs are turned round.
template <class Run>
void with_signs_turned(top_k_request& arrays, std::size_t keys, std::size_t results, options opts, Run&& run) {
  const std::size_t width = key_bytes(arrays.type);
  const auto* const first = static_cast<const std::byte*>(arrays.keys_in);
  std::vector<std::byte> turned(first, first + keys * width);
  turn_signs(turned.data(), keys, width);
  turn_signs(arrays.keys_out, results, width);
  arrays.keys_in = turned.data();
  opts.order = order::ascending;
  run(opts);
  turn_signs(arrays.keys_out, results, width);
}

[[noreturn]] void refuse_nan_last(std::size_t n) {
  throw invalid_argument("sortile: rows of " + std::to_string(n) +
                         " keys are too long for a custom call with NaN last");
}

void run_with_nan_last(top_k_request request, const options& opts) {
  if (opts.memory == memory::host)
    with_signs_turned(request, request.rows * request.n, request.rows * request.k, opts,
                      [&](const options& how) { run(request, how); });
  else if (!queue_with_nan_last(request, opts))
    refuse_nan_last(request.n);
}

void run_with_nan_last(segmented_top_k_request request, const options& opts) {
  if (opts.memory == memory::host)
    with_signs_turned(request.arrays, request.arrays.n, request.where.count * request.arrays.k, opts,
                      [&](const options& how) { run(request, how); });
  else if (!queue_with_nan_last(request, opts))
    refuse_nan_last(request.arrays.n);
}

template <class Request>
void run_top_k(const xla::call_frame& frame, const Request& request, options opts) {
  if (attribute(frame, "nan_last") != 0)
    run_with_nan_last(request, opts);
  else
    run(request, in_order(frame, std::move(opts)));
}

void first_of_rows(const xla::call_frame& frame, options opts) {
  const xla::buffer& keys = item(frame.arguments, 0, "keys");
  const xla::buffer& found = item(frame.results, 0, "result for the keys");
  const xla::buffer& positions = item(frame.results, 1, "result for positions");
  width_of(keys);
  need_same_shape(found, positions);
  const top_k_request request{.type = *key_type_of_xla(keys.type),
                              .n = row_length(keys),
                              .k = count_of_each_row(keys, found),
                              .keys_in = keys.data,
                              .keys_out = found.data,
                              .carries = payload::indices,
                              .value_bytes = width_of(positions),
                              .values_out = positions.data,
                              .rows = row_count(keys)};
  if (keys.type != found.type)
    throw invalid_argument("sortile: keys and result of the custom call differ in their types");
  if (request.k == 0 || request.rows == 0)
    return;
  run_top_k(frame, request, std::move(opts));
}

/// Results lie where the first two arguments do, of as many rows as there are segments: what is not written stays.
void first_of_segments(const xla::call_frame& frame, options opts) {
  const xla::buffer& keys = item(frame.arguments, 2, "keys");
  const xla::buffer& found = item(frame.results, 0, "result for the keys");
  const xla::buffer& positions = item(frame.results, 1, "result for positions");
  const bool ranges = attribute(frame, "ranges") != 0;
  const segments where = segments_at(frame, 3, ranges);
  width_of(keys);
  need_same_shape(found, positions);
  if (keys.rank != 1 || keys.type != found.type)
    throw invalid_argument("sortile: keys of the custom call have several axes, or another type than the result");
  if (found.rank != 2 || static_cast<std::size_t>(found.dims[0]) != where.count)
    throw invalid_argument("sortile: the result of the custom call is no row for each of " +
                           std::to_string(where.count) + " segments");
  segmented_top_k_request request{{.type = *key_type_of_xla(keys.type),
                                   .n = row_length(keys),
                                   .k = row_length(found),
                                   .keys_in = keys.data,
                                   .keys_out = found.data,
                                   .carries = payload::indices,
                                   .value_bytes = width_of(positions),
                                   .values_out = positions.data},
                                  where};
  if (const std::int64_t counts = ranges ? 5 : 4; frame.arguments.size > counts) {
    const xla::buffer& numbers = offsets_of(frame, counts, "counts");
    if (static_cast<std::size_t>(numbers.dims[0]) != where.count)
      throw invalid_argument("sortile: the counts of the custom call are not as many as its segments");
    request.arrays.row_k = numbers.data;
    request.arrays.row_k_bytes = width_of(numbers);
  }
  if (request.arrays.n > 0 && elements_of(found) > 0)
    run_top_k(frame, request, std::move(opts));
}

void segments_of_a_row(const xla::call_frame& frame, options opts) {
  const rows_call call = call_of(frame);
  run_segments(call, segments_of(frame, call.wanted), in_order(frame, std::move(opts)));
}

void ranks(const xla::call_frame& frame, options opts) {
  const xla::buffer& keys = item(frame.arguments, 0, "keys");
  const xla::buffer& found = item(frame.results, 0, "result");
  const std::vector<std::size_t> list = list_attribute(frame, "ranks");
  width_of(keys);
  if (keys.type != found.type || count_of_each_row(keys, found) != list.size())
    throw invalid_argument("sortile: the result of the custom call is not a key of each of " +
                           std::to_string(list.size()) + " ranks");
  run(ranks_request{.type = *key_type_of_xla(keys.type),
                    .n = row_length(keys),
                    .keys = keys.data,
                    .ranks = list,
                    .keys_out = found.data,
                    .rows = row_count(keys)},
      opts);
}

void groups(const xla::call_frame& frame, options opts) {
  groups_request request = grouping_of(frame);
  std::uint64_t* const number = request.device_groups;
  if (opts.memory == memory::host) {
    request.device_groups = nullptr;
    *number = run(request, opts);
  } else {
    run(request, opts);
  }
}

void routing(const xla::call_frame& frame, options opts) {
  run(routing_of(frame), opts);
}

/// Results that nothing is written to.
void spares(const xla::call_frame&, options) {}

/// Where XLA wants to know what it has before it: the version of XLA's own, within major version 0, and no trait. The
/// one that there is says that a call may be recorded in a CUDA graph. Workspace that XLA's allocator gives is free
/// again when the recording ends, and the graph would still write to it.
xla::error* describe(const xla::call_frame& frame) {
  xla::metadata& about = *reinterpret_cast<xla::metadata_extension*>(frame.extensions)->about;
  about.api_version = {sizeof(xla::version), nullptr, 0, frame.functions->api_version.minor};
  about.traits = 0;
  return nullptr;
}

template <class Run>
xla::error* handle(xla::call_frame* frame, Run&& run) {
  if (frame->extensions != nullptr && frame->extensions->type == xla::metadata_extension_type)
    return describe(*frame);
  if (frame->stage != xla::execute_stage)
    return failed(*frame, xla::error_code::failed_precondition, "sortile: called in another stage than execution");
  try {
    run(options{});
    return nullptr;
  } catch (const invalid_argument& e) {
    return failed(*frame, xla::error_code::invalid_argument, e.what());
  } catch (const out_of_memory& e) {
    return failed(*frame, xla::error_code::resource_exhausted, e.what());
  } catch (const engine_unusable& e) {
    return failed(*frame, xla::error_code::failed_precondition, e.what());
  } catch (const std::exception& e) {
    return failed(*frame, xla::error_code::internal, e.what());
  }
}

template <work& Work>
xla::error* on_cpu(xla::call_frame* frame) {
  return handle(frame, [frame](options opts) { Work(*frame, std::move(opts)); });
}

template <work& Work>
xla::error* on_cuda(xla::call_frame* frame) {
  return handle(frame, [frame](options opts) {
    xla::stream_get queue{sizeof(xla::stream_get), nullptr, frame->ctx, nullptr};
    if (xla::error* const error = frame->functions->get_stream(&queue))
      throw device_failure("sortile: XLA gives no stream: " + text_of(*frame->functions, error));
    xla_memory workspace(*frame);
    opts.memory = memory::device;
    opts.stream = queue.stream;
    opts.resource = &workspace;
    Work(*frame, std::move(opts));
  });
}

nb::object capsule_of(xla::handler* function) {
  return owned(PyCapsule_New(reinterpret_cast<void*>(function), nullptr, nullptr));
}

template <work& Work>
nb::dict by_platform() {
  nb::dict handlers;
  handlers["cpu"] = capsule_of(&on_cpu<Work>);
  handlers["CUDA"] = capsule_of(&on_cuda<Work>);
  return handlers;
}

} // namespace

nb::object xla_handlers() {
  nb::dict by_name;
  by_name["sortile_sort"] = by_platform<rows>();
  by_name["sortile_top_k"] = by_platform<first_of_rows>();
  by_name["sortile_segments"] = by_platform<segments_of_a_row>();
  by_name["sortile_segment_top_k"] = by_platform<first_of_segments>();
  by_name["sortile_ranks"] = by_platform<ranks>();
  by_name["sortile_groups"] = by_platform<groups>();
  by_name["sortile_route"] = by_platform<routing>();
  by_name["sortile_spares"] = by_platform<spares>();
  return by_name;
}

} // namespace sortile::python
