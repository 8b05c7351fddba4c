// Intel IPP's radix sort, the lab report's rival on the CPU: linked where it was installed when the build was
// configured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sortile::experiments {

/// "2022.0.0", or why there is none.
std::string ipp_version();
bool has_ipp();

/// Sorts in place; `workspace` grows to what IPP asks for. \throws engine_unusable without IPP, error where it refuses
void ipp_sort(std::vector<std::uint32_t>& keys, std::vector<std::uint8_t>& workspace);

} // namespace sortile::experiments
