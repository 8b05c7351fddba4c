// See ipp.hpp.
#include "bench/classics/ipp.hpp"

#include <sortile/error.hpp>

#if defined(SORTILE_HAS_IPP) && SORTILE_HAS_IPP
#include <ippcore.h>
#include <ipps.h>
#endif

namespace sortile::experiments {

#if defined(SORTILE_HAS_IPP) && SORTILE_HAS_IPP

namespace {

void check(IppStatus status, const char* call) {
  if (status < ippStsNoErr)
    throw error(status::internal_error, std::string("IPP: ") + call + ": " + ippGetStatusString(status));
}

} // namespace

bool has_ipp() {
  return true;
}

std::string ipp_version() {
  const IppLibraryVersion* version = ippsGetLibVersion();
  return std::string(version->Version);
}

void ipp_sort(std::vector<std::uint32_t>& keys, std::vector<std::uint8_t>& workspace) {
  static const IppStatus initialised = ippInit(); // chooses the code for this CPU
  check(initialised, "ippInit");
  const int n = static_cast<int>(keys.size());
  int bytes = 0;
  check(ippsSortRadixGetBufferSize(n, ipp32u, &bytes), "ippsSortRadixGetBufferSize");
  workspace.resize(static_cast<std::size_t>(bytes));
  check(ippsSortRadixAscend_32u_I(keys.data(), n, workspace.data()), "ippsSortRadixAscend_32u_I");
}

#else

bool has_ipp() {
  return false;
}

std::string ipp_version() {
  return "not installed";
}

void ipp_sort(std::vector<std::uint32_t>&, std::vector<std::uint8_t>&) {
  throw engine_unusable("IPP was not installed when this was built");
}

#endif

} // namespace sortile::experiments
