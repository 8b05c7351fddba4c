// Scans and digit histograms of arrays in host memory. The requests are checked already.
#pragma once

#include <sortile/scan.hpp>

#include <vector>

namespace sortile::cpu {

void add_scan_steps(const scan_request& request, unsigned threads, std::vector<plan_step>& steps);
void add_histogram_steps(const histogram_request& request, std::vector<plan_step>& steps);

void scan(const scan_request& request, unsigned threads);
void histogram(const histogram_request& request, const options& opts, unsigned threads);

} // namespace sortile::cpu
