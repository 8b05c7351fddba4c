// Scans and digit histograms in the memory that a queue's kernels see. The requests are checked already.
#pragma once

#include "simt/queue.hpp"

#include <sortile/scan.hpp>

#include <vector>

namespace sortile::gpu {

std::size_t scan_workspace_bytes(const scan_request& request);

void add_scan_steps(const scan_request& request, std::vector<plan_step>& steps);
void add_histogram_steps(const histogram_request& request, std::vector<plan_step>& steps);

/// Queues it. `workspace`: scan_workspace_bytes() bytes, aligned to workspace_alignment. Allocates nothing.
void launch_scan(const simt::queue& q, const scan_request& request, void* workspace);
void launch_histogram(const simt::queue& q, const histogram_request& request, const options& opts);

} // namespace sortile::gpu
