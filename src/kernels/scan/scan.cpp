// Checks scan requests, decides how they are cut, and sends them to the queue's backend.
#include "kernels/scan/scan.hpp"
#include "kernels/argument_checks.hpp"
#include "primitives/operators.hpp"

#include <algorithm>
#include <limits>

namespace sortile::kernels {

namespace {

constexpr std::size_t header_bytes = 16, vector_bytes = 16;
template <class T>
constexpr std::size_t status_bytes = sizeof(T) == 8 ? 16 : 8;

// Which kernel runs depends on the device; the workspace serves both.
template <class T>
constexpr std::uint64_t smallest_tile = std::min(detail::scan_tile_items<T>, detail::resident_scan_tile_items<T>);
template <class T>
std::uint64_t most_tiles(std::uint64_t n, std::uint64_t lead) {
  return detail::scan_tiles(n, lead, smallest_tile<T>);
}

template <class T>
void check(const scan_request<T>& r) {
  check_array("scan", "in", r.in, r.n);
  check_array("scan", "out", r.out, r.n);
  if (r.in != r.out)
    check_apart("scan", "in", r.in, r.n * sizeof(T), "out", r.out, r.n * sizeof(T));
  const std::size_t wanted = scan_workspace_bytes<T>(r.n);
  check_workspace("scan", r.workspace, r.workspace_bytes, wanted);
  check_apart("scan", "workspace", r.workspace, r.workspace_bytes, "in", r.in, r.n * sizeof(T));
  check_apart("scan", "workspace", r.workspace, r.workspace_bytes, "out", r.out, r.n * sizeof(T));
}

template <class T>
T default_initial(const scan_request<T>& r) {
  if (r.op == scan_operator::maximum)
    return primitives::maximum::identity<T>();
  return T{};
}

template <class T>
detail::scan_plan<T> plan(const scan_request<T>& r) {
  const std::size_t in_offset = reinterpret_cast<std::uintptr_t>(r.in) % vector_bytes;
  const std::size_t out_offset = reinterpret_cast<std::uintptr_t>(r.out) % vector_bytes;
  const std::uint64_t lead = in_offset / sizeof(T);
  if (most_tiles<T>(r.n, lead) > std::uint64_t(std::numeric_limits<std::int32_t>::max()))
    throw invalid_argument("scan: n = " + std::to_string(r.n) + " is more than one launch can do (" +
                           std::to_string(smallest_tile<T> * std::numeric_limits<std::int32_t>::max()) + " items)");
  const std::size_t words = (r.workspace_bytes - header_bytes) / status_bytes<T>;
  return {.in = r.in,
          .out = r.out,
          .n = r.n,
          .workspace = r.workspace,
          .capacity = std::uint32_t(std::min<std::size_t>(words, std::numeric_limits<std::int32_t>::max())),
          .lead = std::uint32_t(lead),
          .initial = r.initial ? *r.initial : default_initial(r),
          .vectors_allowed = in_offset == out_offset,
          .large = r.n * sizeof(T) >= detail::large_scan_bytes,
          .exclusive = r.kind == scan_kind::exclusive,
          .prepared = r.prepared};
}

/// The same bits as unsigned items: sums need no sign.
template <class T>
auto unsigned_plan(const detail::scan_plan<T>& p) {
  using U = std::make_unsigned_t<T>;
  return detail::scan_plan<U>{
      reinterpret_cast<const U*>(p.in), reinterpret_cast<U*>(p.out), p.n,     p.workspace, p.capacity, p.lead,
      static_cast<U>(p.initial),        p.vectors_allowed,           p.large, p.exclusive, p.prepared};
}

} // namespace

template <class T>
std::size_t scan_workspace_bytes(std::uint64_t n) {
  // An array may start anywhere within 16 bytes.
  return header_bytes + most_tiles<T>(n, n == 0 ? 0 : vector_bytes / sizeof(T) - 1) * status_bytes<T>;
}

template <class T>
void scan(const simt::queue& q, const scan_request<T>& request) {
  if (request.n == 0)
    return;
  check(request);
  const detail::scan_plan<T> p = plan(request);
  simt::visit(q, [&](auto backend) {
    using backend_type = decltype(backend);
    if (request.op == scan_operator::maximum)
      detail::launch_maximum_scan<backend_type>(q, p);
    else
      detail::launch_plus_scan<backend_type>(q, unsigned_plan(p));
  });
}

void prepare_scan_workspace(const simt::queue& q, void* workspace, std::size_t bytes) {
  check_workspace("prepare_scan_workspace", workspace, bytes, header_bytes);
  simt::visit(q, [&](auto backend) { detail::launch_clear<decltype(backend)>(q, workspace, bytes / 8 * 8); });
}

template std::size_t scan_workspace_bytes<std::uint32_t>(std::uint64_t);
template std::size_t scan_workspace_bytes<std::int32_t>(std::uint64_t);
template std::size_t scan_workspace_bytes<std::uint64_t>(std::uint64_t);
template std::size_t scan_workspace_bytes<std::int64_t>(std::uint64_t);
template void scan(const simt::queue&, const scan_request<std::uint32_t>&);
template void scan(const simt::queue&, const scan_request<std::int32_t>&);
template void scan(const simt::queue&, const scan_request<std::uint64_t>&);
template void scan(const simt::queue&, const scan_request<std::int64_t>&);

} // namespace sortile::kernels
