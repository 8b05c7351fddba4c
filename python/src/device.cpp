#include "device.hpp"

#include "lock.hpp"

#include <sortile/device.hpp>
#include <sortile/groups.hpp>
#include <sortile/request.hpp>
#include <sortile/select.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace sortile::python {

namespace {

/// Workspace from the framework's own allocator. It hands memory out again in the order of its current stream, on which
/// the sort is queued, so a block may go back as soon as the call has returned.
class framework_memory final : public device_memory_resource {
 public:
  explicit framework_memory(nb::handle allocate) : allocate_(allocate) {}

  void* allocate(std::size_t bytes, void*) override {
    const with_lock locked;
    const nb::tuple made = or_stop_for_ever([&] { return nb::cast<nb::tuple>(allocate_(bytes)); });
    void* const address = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(made[0]));
    owners_.emplace_back(address, made[1]);
    return address;
  }

  void deallocate(void* memory, std::size_t, void*) noexcept override {
    const with_lock locked;
    or_stop_for_ever([&] {
      owners_.erase(std::find_if(owners_.begin(), owners_.end(), [&](const auto& o) { return o.first == memory; }));
    });
  }

 private:
  nb::handle allocate_;
  std::vector<std::pair<void*, nb::object>> owners_;
};

options on_device(bool descending) {
  options opts;
  opts.order = descending ? order::descending : order::ascending;
  opts.memory = memory::device;
  return opts;
}

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

rows_call call_at(int wanted, int type, std::size_t rows, std::size_t n, std::uintptr_t keys_in,
                  std::uintptr_t keys_out, std::size_t value_bytes, std::uintptr_t values_in,
                  std::uintptr_t values_out) {
  return {.wanted = static_cast<product>(wanted),
          .type = static_cast<key_type>(type),
          .rows = rows,
          .n = n,
          .keys_in = at<const void>(keys_in),
          .keys_out = at<void>(keys_out),
          .value_bytes = value_bytes,
          .values_in = at<const void>(values_in),
          .values_out = at<void>(values_out)};
}

} // namespace

void queue_on(bool descending, int ordinal, std::uintptr_t stream, nb::handle allocate,
              const std::function<void(const options&)>& run) {
  framework_memory workspace(allocate);
  options opts = on_device(descending);
  opts.stream = reinterpret_cast<void*>(stream);
  opts.resource = &workspace;
  const without_lock unlocked;
  const device_scope current(ordinal);
  run(opts);
}

namespace {

/// `flips`: of floats, in descending order, NaN last. False where that cannot be done; nothing is queued then.
template <class Request>
bool queue_request(const Request& request, bool descending, bool flips, int ordinal, std::uintptr_t stream,
                   nb::handle allocate) {
  bool done = true;
  queue_on(descending, ordinal, stream, allocate, [&](const options& opts) {
    if (flips)
      done = queue_with_nan_last(request, opts);
    else
      run(request, opts);
  });
  return done;
}

} // namespace

void device_sort(int wanted, int type, std::size_t rows, std::size_t n, std::uintptr_t keys_in, std::uintptr_t keys_out,
                 std::size_t value_bytes, std::uintptr_t values_in, std::uintptr_t values_out, bool descending,
                 int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const rows_call call = call_at(wanted, type, rows, n, keys_in, keys_out, value_bytes, values_in, values_out);
  queue_on(descending, ordinal, stream, allocate, [&](const options& opts) { run_rows(call, opts); });
}

namespace {

segments segments_at(std::uintptr_t begins, std::uintptr_t ends, std::size_t offset_bytes, std::size_t count) {
  return {.form = ends == 0 ? segment_form::offsets : segment_form::ranges,
          .count = count,
          .begins = at<const void>(begins),
          .ends = at<const void>(ends),
          .offset_bytes = offset_bytes};
}

} // namespace

void device_segments(int wanted, int type, std::size_t n, std::uintptr_t keys_in, std::uintptr_t keys_out,
                     std::size_t value_bytes, std::uintptr_t values_in, std::uintptr_t values_out,
                     std::uintptr_t begins, std::uintptr_t ends, std::size_t offset_bytes, std::size_t count,
                     bool copies, bool descending, int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const rows_call call = call_at(wanted, type, 1, n, keys_in, keys_out, value_bytes, values_in, values_out);
  const segments where = segments_at(begins, ends, offset_bytes, count);
  queue_on(descending, ordinal, stream, allocate, [&](const options& opts) {
    if (copies && keys_out != 0)
      queue_copy(call.keys_out, call.keys_in, n * key_bytes(call.type), opts);
    if (copies && values_in != 0)
      queue_copy(call.values_out, call.values_in, n * value_bytes, opts);
    run_segments(call, where, opts);
  });
}

namespace {

/// Of one array, or of each row, with `counts` of its own where there are any.
top_k_request top_k_at(int type, std::size_t n, std::size_t k, std::uintptr_t keys, std::uintptr_t keys_out,
                       std::size_t position_bytes, std::uintptr_t positions, std::uintptr_t counts,
                       std::size_t count_bytes) {
  return {.type = static_cast<key_type>(type),
          .n = n,
          .k = k,
          .keys_in = at<const void>(keys),
          .keys_out = at<void>(keys_out),
          .carries = payload::indices,
          .value_bytes = position_bytes,
          .values_out = at<void>(positions),
          .row_k = at<const void>(counts),
          .row_k_bytes = count_bytes};
}

} // namespace

bool device_top_k(int type, std::size_t rows, std::size_t n, std::size_t k, std::uintptr_t keys,
                  std::uintptr_t keys_out, std::size_t position_bytes, std::uintptr_t positions, std::uintptr_t counts,
                  std::size_t count_bytes, bool descending, bool flips, int ordinal, std::uintptr_t stream,
                  nb::handle allocate) {
  if (k == 0 || rows == 0)
    return true;
  top_k_request request = top_k_at(type, n, k, keys, keys_out, position_bytes, positions, counts, count_bytes);
  request.rows = rows;
  return queue_request(request, descending, flips, ordinal, stream, allocate);
}

bool device_segment_top_k(int type, std::size_t n, std::size_t k, std::uintptr_t keys, std::uintptr_t keys_out,
                          std::size_t position_bytes, std::uintptr_t positions, std::uintptr_t begins,
                          std::uintptr_t ends, std::size_t offset_bytes, std::size_t count, std::uintptr_t counts,
                          std::size_t count_bytes, bool descending, bool flips, int ordinal, std::uintptr_t stream,
                          nb::handle allocate) {
  if (n == 0 || k == 0 || count == 0)
    return true;
  const segmented_top_k_request request{
      top_k_at(type, n, k, keys, keys_out, position_bytes, positions, counts, count_bytes),
      segments_at(begins, ends, offset_bytes, count)};
  return queue_request(request, descending, flips, ordinal, stream, allocate);
}

bool device_takes_nan_last(int type, std::size_t rows, std::size_t n, std::size_t k) {
  return takes_top_k_with_nan_last(top_k_request{.type = static_cast<key_type>(type), .n = n, .k = k, .rows = rows});
}

bool device_segments_take_nan_last(int type, std::size_t n, std::size_t k, std::size_t count) {
  return takes_top_k_with_nan_last(
      segmented_top_k_request{{.type = static_cast<key_type>(type), .n = n, .k = k}, {.count = count}});
}

bool device_is_sorted(int type, std::size_t rows, std::size_t n, std::uintptr_t keys, bool descending, bool flips,
                      int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const shared_number answer;
  std::uint64_t found = 0;
  queue_on(descending && !flips, ordinal, stream, allocate, [&](const options& opts) {
    queue_order_check(type, rows, n, at<const void>(keys), flips, answer.address(), opts);
    found = answers_always(rows * n) ? answer.wait(stream) : answer.wait_for_all(stream);
  });
  return !is_out_of_order(found);
}

void device_lexsort(const nb::list& columns, std::size_t n, std::uintptr_t positions, std::size_t position_bytes,
                    int ordinal, std::uintptr_t stream, nb::handle allocate) {
  struct column {
    key_type type;
    const void* keys;
    order direction;
  };
  std::vector<column> list;
  std::size_t widest = 0;
  for (const nb::handle each : columns) {
    const auto given = nb::cast<nb::tuple>(each);
    list.push_back({static_cast<key_type>(nb::cast<int>(given[0])), at<const void>(nb::cast<std::uintptr_t>(given[1])),
                    nb::cast<bool>(given[2]) ? order::descending : order::ascending});
    widest = std::max(widest, key_bytes(list.back().type));
  }
  void* const order_at = at<void>(positions);
  queue_on(false, ordinal, stream, allocate, [&](const options& given) {
    options opts = given;
    opts.order = list.back().direction;
    run(sort_request{.type = list.back().type,
                     .n = n,
                     .keys_in = list.back().keys,
                     .carries = payload::indices,
                     .value_bytes = position_bytes,
                     .values_out = order_at},
        opts);
    if (list.size() < 2)
      return;
    device_memory_resource& memory = *opts.resource;
    void* const keys = memory.allocate(n * widest, opts.stream);
    for (auto c = list.rbegin() + 1; c != list.rend(); ++c) {
      queue_gather(n, c->keys, key_bytes(c->type), keys, order_at, position_bytes, opts);
      opts.order = c->direction;
      run(sort_request{.type = c->type,
                       .n = n,
                       .keys_in = keys,
                       .keys_out = keys,
                       .carries = payload::values,
                       .value_bytes = position_bytes,
                       .values_in = order_at,
                       .values_out = order_at},
          opts);
    }
    memory.deallocate(keys, n * widest, opts.stream);
  });
}

void device_nth_element(int type, std::size_t n, std::size_t nth, std::uintptr_t keys, int ordinal,
                        std::uintptr_t stream, nb::handle allocate) {
  const nth_element_request request{.type = static_cast<key_type>(type), .n = n, .nth = nth, .keys = at<void>(keys)};
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) { run(request, opts); });
}

std::size_t device_groups(int type, std::size_t n, std::uintptr_t keys, std::uintptr_t keys_out,
                          const nb::list& results, int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const auto result = [&](int place) { return at<void>(nb::cast<std::uintptr_t>(results[place])); };
  const shared_number number;
  const groups_request request{.type = static_cast<key_type>(type),
                               .n = n,
                               .keys = at<const void>(keys),
                               .keys_out = at<void>(keys_out),
                               .index_bytes = sizeof(std::int64_t),
                               .first = result(0),
                               .counts = result(1),
                               .offsets = result(2),
                               .order = result(3),
                               .inverse = result(4),
                               .device_groups = number.address()};
  std::uint64_t found = 0;
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) {
    run(request, opts);
    found = number.wait(stream);
  });
  return std::size_t(found);
}

namespace {

template <class T>
std::vector<T> numbers_of(const nb::list& given) {
  std::vector<T> numbers;
  for (const nb::handle number : given)
    numbers.push_back(nb::cast<T>(number));
  return numbers;
}

quantiles_request quantiles_at(int type, std::size_t n, const std::vector<double>& probabilities, int method,
                               std::uintptr_t keys, std::uintptr_t results) {
  return {.type = static_cast<key_type>(type),
          .n = n,
          .keys = at<const void>(keys),
          .probabilities = probabilities,
          .method = static_cast<quantile_method>(method),
          .results = at<double>(results)};
}

} // namespace

void device_quantiles(int type, std::size_t rows, std::size_t n, const nb::list& probabilities, int method,
                      std::uintptr_t keys, std::uintptr_t results, std::uintptr_t told, std::size_t told_bytes,
                      int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const std::vector<double> list = numbers_of<double>(probabilities);
  quantiles_request request = quantiles_at(type, n, list, method, keys, results);
  request.rows = rows;
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) {
    run(request, opts);
    if (is_float(request.type) || told != 0)
      queue_nan_spread(request.results, rows, list.size(), at<void>(told), told_bytes, opts);
  });
}

void device_segment_quantiles(int type, std::size_t n, const nb::list& probabilities, int method, std::uintptr_t keys,
                              std::uintptr_t results, std::uintptr_t begins, std::uintptr_t ends,
                              std::size_t offset_bytes, std::size_t count, int ordinal, std::uintptr_t stream,
                              nb::handle allocate) {
  const std::vector<double> list = numbers_of<double>(probabilities);
  const segmented_quantiles_request request{quantiles_at(type, n, list, method, keys, results),
                                            segments_at(begins, ends, offset_bytes, count)};
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) {
    run(request, opts);
    if (is_float(request.arrays.type))
      queue_nan_spread(request.arrays.results, count, list.size(), nullptr, sizeof(double), opts);
  });
}

void device_ranks(int type, std::size_t rows, std::size_t n, const nb::list& ranks, std::uintptr_t keys,
                  std::uintptr_t keys_out, int ordinal, std::uintptr_t stream, nb::handle allocate) {
  const std::vector<std::size_t> list = numbers_of<std::size_t>(ranks);
  const ranks_request request{.type = static_cast<key_type>(type),
                              .n = n,
                              .keys = at<const void>(keys),
                              .ranks = list,
                              .keys_out = at<void>(keys_out),
                              .rows = rows};
  queue_on(false, ordinal, stream, allocate, [&](const options& opts) { run(request, opts); });
}

bool device_merge(int type, const nb::list& runs, std::uintptr_t keys_out, bool descending, bool flips, int ordinal,
                  std::uintptr_t stream, nb::handle allocate) {
  std::vector<sorted_run> list;
  for (const nb::handle run_given : runs) {
    const auto given = nb::cast<nb::tuple>(run_given);
    list.push_back({at<const void>(nb::cast<std::uintptr_t>(given[0])), nullptr, nb::cast<std::size_t>(given[1])});
  }
  const merge_request request{.type = static_cast<key_type>(type), .runs = list, .keys_out = at<void>(keys_out)};
  return queue_request(request, descending, flips, ordinal, stream, allocate);
}

nb::object device_done(int ordinal, std::uintptr_t stream, nb::handle call, const nb::args& arguments) {
  const auto wait = [&] {
    const without_lock unlocked;
    const device_scope current(ordinal);
    wait_for(stream);
  };
  nb::object result;
  std::exception_ptr failure;
  try {
    result = or_stop_for_ever([&] { return call(*arguments); });
  } catch (...) {
    failure = std::current_exception();
  }
  try {
    wait();
  } catch (const std::exception&) { // what went wrong first is what the caller hears of
    if (failure == nullptr)
      throw;
  }
  if (failure != nullptr)
    std::rethrow_exception(failure);
  return result;
}

nb::object device_explain(int wanted, int type, std::size_t rows, std::size_t n, bool descending) {
  const auto nowhere = [all = rows * n](std::uintptr_t number) { // compared, never followed
    return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 20) + number * (all + 256) / 256 * 256 * 16);
  };
  const rows_call call{.wanted = static_cast<product>(wanted),
                       .type = static_cast<key_type>(type),
                       .rows = rows,
                       .n = n,
                       .keys_in = nowhere(0),
                       .keys_out = nowhere(1),
                       .value_bytes = 8,
                       .values_in = nowhere(2),
                       .values_out = nowhere(3)};
  return nb::str(explain_rows(call, on_device(descending)).c_str());
}

} // namespace sortile::python
