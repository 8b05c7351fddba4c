#!/usr/bin/env python3
"""What the calls of cub.cuh do not do ends the compilation with one sentence: does_not_compile.py INCLUDE COMPILER...

As tests/api/does_not_compile.py, by host compilers: the checks are the same under nvcc, but for one, which nvcc is asked for where it is installed.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "api"))
from does_not_compile import Calls, check  # noqa: E402

HEADERS = """#include <sortile/cub.cuh>
#include <deque>
#include <string>
#include <vector>
"""

FRAME = """using namespace sortile::cub;
struct person { unsigned age; float score; bool operator<(const person& p) const { return age < p.age; } };
struct named { std::string name; };
struct large { char bytes[80]; };
struct bytes_3 { char bytes[3]; };
struct by_age { std::tuple<unsigned&> operator()(person& p) const { return {p.age}; } };
struct gives_values { std::tuple<unsigned> operator()(person& p) const { return {p.age}; } };
struct gives_a_number { unsigned operator()(person& p) const { return p.age; } };
struct of_named { std::tuple<char&> operator()(named& n) const { return {n.name[0]}; } };
struct with_text { std::string text; std::tuple<unsigned&> operator()(person& p) const { return {p.age}; }
                   bool operator()(int a, int b) const { return a < b; } };
struct less { template <class T> bool operator()(const T& a, const T& b) { return a < b; } };
struct by_first_byte { bool operator()(const large& a, const large& b) const { return a.bytes[0] < b.bytes[0]; } };
struct one_argument { bool operator()(int) const { return true; } };
int *in, *out;
const int* constant;
unsigned *numbers;
long *offsets;
short *short_offsets;
long double* wide;
person *people, *people_out;
named* names;
large* large_ones;
bytes_3* threes;
std::deque<int>::iterator scattered;
void* storage;
std::size_t bytes;
DoubleBuffer<int> buffer;
DoubleBuffer<person> people_buffer;
"""

DECOMPOSER = "keys of this type are sorted with a decomposer"
TUPLE = "a decomposer must return a tuple of references to members"
POINTERS = "arrays are given as pointers to device memory"
OFFSETS = "begin and end offsets must be integers of one width, of 32 or 64 bits"
STORAGE = "CUB's calls without temporary storage are not here"

REFUSED = [
    ("DeviceRadixSort::SortKeys(storage, bytes, people, people_out, 9);", DECOMPOSER),
    ("DeviceRadixSort::SortPairsDescending(storage, bytes, people_buffer, buffer, 9);", DECOMPOSER),
    ("DeviceRadixSort::SortKeys(storage, bytes, wide, wide, 9);", "long double is no key type; float and double are"),
    ("DeviceRadixSort::SortPairs(storage, bytes, in, out, names, names, 9);", "values are moved as bytes and must be trivially copyable"),
    ("DeviceRadixSort::SortKeys(storage, bytes, people, people_out, 9, gives_values{});", TUPLE),
    ("DeviceRadixSort::SortKeys(storage, bytes, people, people_out, 9, gives_a_number{}, 0, 8);", TUPLE),
    ("DeviceRadixSort::SortKeys(storage, bytes, people_buffer, 9, less{});", "a decomposer must be a function object that takes a reference to a key"),
    ("DeviceRadixSort::SortKeys(storage, bytes, people, people_out, 9, with_text{});", "a decomposer is copied to the device as bytes"),
    ("DeviceRadixSort::SortKeys(storage, bytes, names, names, 9, of_named{});", "keys with a decomposer are moved as bytes"),
    ("DeviceRadixSort::SortKeys(storage, bytes, in, out, 9.5);", "the number of items must be an integer"),
    ("DeviceRadixSort::SortKeys(in, out, 9);", STORAGE),
    ("DeviceRadixSort::SortPairs(buffer, buffer, 9, 0, 32);", STORAGE),
    ("DeviceMergeSort::SortKeys(in, 9, less{});", STORAGE),
    ("DeviceMergeSort::SortPairs(in, out, 9, less{});", STORAGE),
    ("DeviceMergeSort::StableSortKeysCopy(in, out, 9, less{});", STORAGE),
    ("DeviceSegmentedSort::SortKeys(in, out, 9, 2, offsets, offsets);", STORAGE),
    ("DeviceSegmentedRadixSort::SortPairsDescending(buffer, buffer, 9, 2, offsets, offsets);", STORAGE),
    ("DeviceTopK::MaxKeys(in, out, 9, 2);", STORAGE),
    ("DeviceTopK::MinPairs(in, out, in, out, 9, 2);", STORAGE),
    ("DeviceMergeSort::SortKeys(storage, bytes, scattered, 9, less{});", POINTERS),
    ("DeviceMergeSort::SortPairs(storage, bytes, in, scattered, 9, less{});", POINTERS),
    ("DeviceMergeSort::SortKeys(storage, bytes, constant, 9, less{});", "the output is const, and the call writes to it"),
    ("DeviceMergeSort::SortKeysCopy(storage, bytes, in, numbers, 9, less{});", "input and output must have elements of one type"),
    ("DeviceMergeSort::SortKeys(storage, bytes, in, 9, one_argument{});", "compare_op must be callable with two keys"),
    ("DeviceMergeSort::SortKeys(storage, bytes, in, 9, with_text{});", "compare_op is copied to the device as bytes"),
    ("DeviceMergeSort::SortKeys(storage, bytes, large_ones, 9, by_first_byte{});", "keys of more than 64 bytes are sorted by a comparison of their positions"),
    ("DeviceSegmentedSort::SortKeys(storage, bytes, people, people_out, 9, 2, offsets, offsets + 1);", DECOMPOSER),
    ("DeviceSegmentedSort::SortKeys(storage, bytes, in, out, 9, 2, short_offsets, short_offsets + 1);", OFFSETS),
    ("DeviceSegmentedSort::SortKeys(storage, bytes, buffer, 9, 2, offsets, in);", OFFSETS),
    ("DeviceSegmentedRadixSort::SortKeys(storage, bytes, in, out, 9, 2, scattered, scattered);", "iterators that compute them are not taken"),
    ("DeviceSegmentedSort::SortPairs(storage, bytes, in, out, threes, threes, 9, 2, offsets, offsets + 1);", "values that are sorted within segments must have 4, 8 or 16 bytes"),
    ("DeviceTopK::MaxKeys(storage, bytes, people, people_out, 9, 2);", DECOMPOSER),
    ("DeviceTopK::MaxKeys(storage, bytes, people, people_out, 9, 2, by_age{});", "DeviceTopK takes no decomposer"),
    ("DeviceTopK::MinKeys(storage, bytes, scattered, out, 9, 2);", POINTERS),
    ("DeviceTopK::MinPairs(storage, bytes, in, out, in, numbers, 9, 2);", "input and output must have elements of one type"),
    ("DeviceTopK::MinPairs(storage, bytes, in, out, in, out, 9, 2, std::string());", "give the stream itself"),
    ("DeviceScan::InclusiveSum(storage, bytes, in, out, 9);", "DeviceScan is not here; sortile::run(scan_request)"),
    ("DeviceHistogram::HistogramEven(storage, bytes, in, out, 9, 0, 8, 9);", "sortile::run(histogram_request)"),
    ("DeviceRunLengthEncode::Encode(storage, bytes, in, out, out, out, 9);", "sortile::run(groups_request)"),
    ("DeviceSelect::Unique(storage, bytes, in, out, out, 9);", "DeviceSelect is not here; sortile::run(groups_request)"),
    ("DevicePartition::Flagged(storage, bytes, in, out, out, out, 9);", "sortile::run(route_request)"),
    ("DeviceMerge::MergeKeys(storage, bytes, in, 9, in, 9, out);", "sortile::run(merge_request)"),
    ("DeviceReduce::Sum(storage, bytes, in, out, 9);", "reductions are not here; take ::cub::DeviceReduce"),
    ("DeviceSegmentedReduce::Max(storage, bytes, in, out, 9, offsets, offsets + 1);", "reductions are not here"),
    ("DeviceFor::Bulk(9, less{});", "only what sorts is here"),
]

ACCEPTED = """
DeviceRadixSort::SortKeys(storage, bytes, in, out, 9); DeviceRadixSort::SortKeys(nullptr, bytes, in, out, 9ull, 3, 7, 0);
DeviceRadixSort::SortKeys(storage, bytes, constant, out, short(9), 0, 32, cudaStream_t{}); DeviceRadixSort::SortKeys(numbers, bytes, buffer, 9);
DeviceRadixSort::SortPairs(storage, bytes, people, people_out, in, out, 9, by_age{}); DeviceRadixSort::SortKeys(storage, bytes, people_buffer, 9, by_age{}, 1, 8);
DeviceRadixSort::SortPairsDescending(storage, bytes, buffer, people_buffer, 9, 0, 32, {});
DeviceMergeSort::SortKeys(storage, bytes, people, 9, less{}); DeviceMergeSort::StableSortPairs(storage, bytes, in, people, 9, less{}, 0);
DeviceMergeSort::SortKeysCopy(numbers, bytes, constant, out, 9, less{}); std::vector<int> v; DeviceMergeSort::SortKeys(numbers, bytes, v.begin(), 9, less{});
DeviceSegmentedSort::SortKeys(storage, bytes, in, out, 9, 2u, offsets, offsets + 1, 0); DeviceSegmentedSort::StableSortPairs(storage, bytes, buffer, buffer, 9, 2, constant, in);
DeviceSegmentedRadixSort::SortPairs(storage, bytes, in, out, in, out, 9, 2, numbers, numbers + 1, 0, 8, cudaStream_t{});
DeviceTopK::MaxPairs(storage, bytes, in, out, threes, threes, 9, 2u); DeviceTopK::MinKeys(storage, bytes, constant, out, 9ll, 2, cudaStream_t{});
using not_called = DeviceScan;
"""

STD_TUPLE = """#include <sortile/cub.cuh>
#include <cuda/std/tuple>
struct person { unsigned age; };
struct by_age { __host__ __device__ TUPLE<unsigned&> operator()(person& p) const { return {p.age}; } };
void sort(person* in, person* out, void* storage, std::size_t& bytes) {
  sortile::cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, 9, by_age{});
}
"""


def by_nvcc(folders):
    """How many of three programs nvcc does not take, or refuse, as it should: it has device code read no std::tuple unasked."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        print("nvcc is not installed: left out")
        return 0
    wrong = 0
    for type_of_tuple, flags, sentence in (("std::tuple", [], "device code reads no std::tuple; let the decomposer return a cuda::std::tuple"),
                                           ("std::tuple", ["--expt-relaxed-constexpr"], None), ("cuda::std::tuple", [], None)):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "program.cu")
            program.write_text(STD_TUPLE.replace("TUPLE", type_of_tuple))
            done = subprocess.run([nvcc, "-std=c++20", "-arch=sm_90", "-ptx", *flags, *(f"-I{each}" for each in folders.split(":")), program, "-o", f"{folder}/out"],
                                  capture_output=True, text=True)
        errors = [line for line in (done.stdout + done.stderr).splitlines() if "error" in line]
        if (done.returncode == 0) != (sentence is None) or (sentence is not None and not (len(errors) == 2 and sentence in errors[0])):  # the second counts them
            print(f"nvcc, {type_of_tuple} {flags}: {errors}")
            wrong += 1
    return wrong


if __name__ == "__main__":
    sys.exit(check(Calls(HEADERS, FRAME, REFUSED, ACCEPTED, "#include <sortile/cub.cuh>\nint main() {}\n"), sys.argv[1], sys.argv[2:]) or by_nvcc(sys.argv[1]))
