// What the front door asks of every request before anything is planned. Each function throws invalid_argument (or what
// it names).
#pragma once

#include <sortile/sortile.hpp>
#include <sortile/struct_request.hpp>

namespace sortile::checks {

void sort(const sort_request& request, const options& opts);
void structs(const struct_request& request, const options& opts);
/// Of a sort of n structs in host memory, where they begin; null where they do not lie in one piece.
void struct_options(const options& opts, const void* structs, std::size_t n);
/// Of a sort or a merge by a comparison, and of what a comparison leaves no choice in.
void comparison_options(const char* operation, bool takes_workspace, const options& opts);
void comparison_direction(const options& opts);
void merge(const merge_request& request, const options& opts);
/// What the CPU engine's merges do not take.
void merge_on_cpu(const options& opts);
void rows(const rows_request& request, const options& opts);
void sort_rows(const sort_rows_request& request, const options& opts);
void permute(const permute_request& request, const options& opts);
void strings(const strings_request& request, const options& opts);
[[noreturn]] void refuse_offset(std::size_t string);
/// The output of a sort of strings that lie one after the other.
void gathered_strings(const strings_request& request, const void* offsets_out, const char* bytes_out,
                      std::size_t bytes_size);
void keys(const char* function, key_type type, const void* keys, std::size_t n, const options& opts);

/// The caller's workspace: large enough, aligned, within reach, apart from the arrays of the request.
void workspace(const sort_request& request, const options& opts, std::size_t wanted);
void workspace(const struct_request& request, const options& opts, std::size_t wanted);
void workspace(const merge_request& request, const options& opts, std::size_t wanted);

} // namespace sortile::checks
