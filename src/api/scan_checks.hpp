// What the front door asks of scans and histograms before anything is planned. Each function throws invalid_argument.
#pragma once

#include <sortile/scan.hpp>

namespace sortile::checks {

/// Of a scan whose arrays are not there yet: type, operator and options.
void scan_type(const scan_request& request, const options& opts);
void scan(const scan_request& request, const options& opts);
void histogram_type(const histogram_request& request, const options& opts);
void histogram(const histogram_request& request, const options& opts);
/// The caller's workspace, in device memory.
void workspace(const scan_request& request, const options& opts, std::size_t wanted);

} // namespace sortile::checks
