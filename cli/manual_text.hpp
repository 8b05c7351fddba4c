// The parts of the manual page that no option can tell.
#pragma once

#include <array>
#include <string_view>

namespace sortile::cli {

struct manual_section {
  std::string_view title;
  std::string_view text;
};

inline constexpr std::string_view manual_description =
    "sortile sorts, checks, merges and generates arrays of numbers (.npy and raw), text lines and tables (CSV "
    "and TSV; Parquet and Arrow files where there is PyArrow). Lines are ordered as LC_ALL=C sort "
    "orders them, byte for byte: lines with equal keys by all their bytes, unless -s or -u is given. Sorts of arrays "
    "and tables are stable. Floats have \xe2\x88\x92"
    "0 and +0 equal and every NaN last "
    "(descending: first). An output file is written beside its target and renamed when it is complete; until then, and "
    "whatever "
    "happens, the target stays as it was. The file and its name are on the disk when the command ends, unless "
    "--no-sync is "
    "given. The target's mode is kept, symbolic links are followed, pipes and devices are written "
    "straight through.";

inline constexpr std::array manual_sections{
    manual_section{
        "FORMATS",
        "The format is what --format says; else what --type, -k, -n, \xe2\x80\xa6 (lines) or "
        "--by (table) imply; else what the name "
        "says (.npy, .csv, .tsv, .txt, .parquet, .arrow, .feather, .arrows, .raw, .bin, .u8 \xe2\x80\xa6 .f64); "
        "else .npy, Parquet or Arrow where the file begins so; else lines.\n\n"
        "npy: versions 1 to 3, one dimension (more with --rows and --axis), dtypes i1 to i8, u1 to u8, f2 to f8, b1, "
        "M8, m8, S and U of either byte order, and structured dtypes "
        "ordered by fields. The output has the header of the input.\n\n"
        "records: plain records of the size that --record says, ordered by ranges of bytes "
        "(--key 0:10, --key 8:4:u32:desc).\n\n"
        "gzip and zstd files are unpacked, and outputs called .gz and .zst packed (not with "
        "--as-is).\n\n"
        "raw: keys of this machine's byte order, one after the other; --type says which.\n\n"
        "csv, tsv: RFC 4180 with a header, which stays first. Rows keep their bytes. A column is "
        "ordered as numbers or times where every "
        "cell is one or empty (:num and :time demand it, :text forbids it); numbers may have signs, "
        "points and exponents and are compared "
        "exactly; empty cells come before all numbers, nan after them.\n\n"
        "parquet, arrow, arrows: Parquet files, and files and streams of Arrow's IPC format, read and written by "
        "PyArrow "
        "in a Python interpreter. Columns of --by have the types that the file says; rows are moved whole, with "
        "columns "
        "of any type. The output's name says which of the three is written."},
    manual_section{
        "EXIT STATUS",
        "0 where all is well; 1 where check (or sort -c) found a disorder or a difference; 2 for every other trouble."},
    manual_section{"ENVIRONMENT",
                   "SORTILE_ENGINE names the engine where --engine does not. SORTILE_PYTHON names the interpreter "
                   "that has PyArrow (default: python3)."},
    manual_section{"SEE ALSO", "sort(1)"},
};

} // namespace sortile::cli
