// Checks scan requests and sends them to the queue's backend.
#include "kernels/scan/scan.hpp"
#include "kernels/argument_checks.hpp"
#include "kernels/send.hpp"

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
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  if (most_tiles<T>(r.n, reinterpret_cast<std::uintptr_t>(r.in) % vector_bytes / sizeof(T)) > most)
    throw invalid_argument("scan: n = " + std::to_string(r.n) + " is more than one launch can do (" +
                           std::to_string(smallest_tile<T> * most) + " items)");
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
  send(q, request);
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
