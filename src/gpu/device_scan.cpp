#include "gpu/device_scan.hpp"

#include "kernels/histogram/radix_histogram.hpp"
#include "kernels/scan/scan.hpp"
#include "primitives/with_word.hpp"

#include <string>

namespace sortile::gpu {

std::size_t scan_workspace_bytes(const scan_request& request) {
  return with_integer(request.type,
                      [&]<class T>(T) { return request.n == 0 ? 0 : kernels::scan_workspace_bytes<T>(request.n); });
}

void add_scan_steps(const scan_request& request, std::vector<plan_step>& steps) {
  const std::size_t bytes = request.n * key_bytes(request.type);
  if (bytes > 0)
    steps.push_back({"scan", "tiles behind each other in one pass, each told what stands before it", bytes, bytes});
}

void add_histogram_steps(const histogram_request& request, std::vector<plan_step>& steps) {
  const std::size_t digits = key_bytes(request.type), counts = 256 * digits * sizeof(std::uint64_t);
  steps.push_back({"clear", "the counts", 0, counts});
  if (request.n > 0)
    steps.push_back(
        {"count", "the values of " + std::to_string(digits) + " digits of 8 bits", request.n * digits, counts});
}

void launch_scan(const simt::queue& q, const scan_request& request, void* workspace) {
  with_integer(request.type, [&]<class T>(T) {
    kernels::scan_request<T> r{.in = static_cast<const T*>(request.in),
                               .out = static_cast<T*>(request.out),
                               .n = request.n,
                               .op = request.op,
                               .kind = request.kind,
                               .workspace = workspace,
                               .workspace_bytes = scan_workspace_bytes(request)};
    if (request.initial)
      r.initial = static_cast<T>(*request.initial);
    kernels::scan(q, r);
  });
}

void launch_histogram(const simt::queue& q, const histogram_request& request, const options& opts) {
  with_word(request.type, [&]<class Word>(Word) {
    kernels::radix_histogram(q, static_cast<const Word*>(request.keys), request.n,
                             make_key_codec<Word>(request.type, opts.order, opts.bits), request.counts);
  });
}

} // namespace sortile::gpu
