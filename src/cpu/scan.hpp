// Scans and digit histograms of arrays in host memory. The requests are checked already.
#pragma once

#include <sortile/scan.hpp>

namespace sortile::cpu {

void scan(const scan_request& request, unsigned threads);
void histogram(const histogram_request& request, const options& opts, unsigned threads);

} // namespace sortile::cpu
