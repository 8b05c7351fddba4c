#include "gpu/device_scan.hpp"

#include "kernels/histogram/radix_histogram.hpp"
#include "kernels/scan/scan.hpp"
#include "primitives/with_word.hpp"

namespace sortile::gpu {

std::size_t scan_workspace_bytes(const scan_request& request) {
  return with_integer(request.type,
                      [&]<class T>(T) { return request.n == 0 ? 0 : kernels::scan_workspace_bytes<T>(request.n); });
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
