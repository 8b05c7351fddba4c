#!/usr/bin/env python3
"""Calls that do not exist end the compilation with one sentence that says what to write: does_not_compile.py INCLUDE COMPILER...

INCLUDE: the folders that are searched, with : between them.
The first error of each call must hold its sentence; many calls are compiled at a time, and its line says which call an error is of. What is
accepted must compile, so that the sentences are known to come from the calls and not from the frame around them. Compilers after the first get
each sentence once. A compiler that is not installed is named and left out.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing


class Calls(typing.NamedTuple):
    """What is compiled: headers, what stands before each call, (call, sentence) of those refused, and what is accepted."""
    headers: str
    frame: str
    refused: list
    accepted: str
    old: str  # a program, for C++17


HEADERS = """#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <sortile/groups.hpp>
#include <sortile/route.hpp>
#include <sortile/scan.hpp>
#include <sortile/select.hpp>
#include <sortile/sortile.hpp>
#include <string>
"""

FRAME = """using sortile::by;
using sortile::order;
struct person { int age; float score; std::string name; int twice() const { return 2 * age; } };
struct fixed { const int id; };
std::vector<int> v, w;
std::vector<float> f;
std::vector<std::string> strings;
const std::vector<std::string> constant_strings;
std::vector<person> people;
std::vector<bool> bits;
std::vector<fixed> fixed_ones;
std::vector<long double> long_doubles;
std::vector<person*> pointers;
std::vector<std::pair<int, int>> pairs;
std::list<int> list;
std::deque<int> deque;
const std::vector<int> constant;
const std::vector<person> constant_people;
volatile int changing[3];
int array[3], changed[3];
std::vector<const char*> words;
std::vector<std::uint32_t> positions;
const std::size_t places_of[] = {1};
const std::vector<double> halves{0.5};
inline constexpr auto younger = [](const auto& a, const auto& b) { return &a < &b; }; // any order
"""

OF_STRINGS = "calls of strings take arrays of std::string_view and of std::string in one piece of memory"
STRINGS = "strings are no keys; sort_strings, argsort_strings and unique_strings take them"
RANGES = "calls take a range in place of two iterators: sort(v)"
MEMBERS = "name the members that decide: sort(v, by(&T::member))"
OPERATOR = "elements of this type have no < for std::less"
DIRECTION = "the direction is one of the options: sort(v, {.order = order::descending})"
TEMPORARY = "this range is a temporary, and the result would be lost with it"
CONST = "the elements of this range are const"
PIECE = "does not lie in one piece of memory; copy it to a std::vector"
BITS = "std::vector<bool> packs its elements into bits; use a std::vector<char>"
VALUES = "values are moved as bytes and must be trivially copyable"
POSITIONS = "positions are integers of 32 or 64 bits"
NO_OPTIONS = "what a call may be told are options: sort(v, {.order = order::descending, .threads = 2})"
COMPARED = "a comparison of members is written out: sort(v, [](const T& a, const T& b) { return a.member < b.member; })"
COLUMNS = "rows have an array of columns: sort_rows(std::array{by(v)}, std::tie(v, w))"
COLUMN_ORDER = "each column has its direction: std::array{by(v, order::descending)}"
BUFFER = "a double_buffer must be a variable"
QUANTILES = "quantiles have no direction: in a descending order that at 0.1 is the one at 0.9"
ITERATORS = "calls take a range and a number in place of iterators"
OF_SEGMENTS = "within segments keys are sorted in their own order"
OWN_ORDER = "selections and groups go by the keys' own order"
SCANNED = "scans take integers of 32 and 64 bits"
OPERATOR_OF_SCAN = "a scan is one by scan_operator::sum or scan_operator::maximum"
WRAP = "a projection is wrapped in by(): sort(v, by(&T::member))"

REFUSED = [
    ("sortile::sort(strings);", STRINGS),
    ("sortile::sort(v.begin(), v.end());", RANGES),
    ("sortile::sort(v.data(), v.data() + 1);", RANGES),
    ("sortile::sort(v.begin(), v.end(), std::greater<>{});", RANGES),
    ("sortile::sort(v.data(), v.size());", "in place of a pointer and a length: sort(std::span(pointer, n))"),
    ("sortile::sort(people, std::greater{});", OPERATOR),
    ("sortile::sort(constant, younger);", "the elements are const and cannot be moved"),
    ("sortile::sort(std::vector<person>(3), younger);", "the range is a temporary"),
    ("sortile::sort(list, younger);", "a range with random access and a size"),
    ("sortile::sort(f, v, younger);", "input and output must have elements of one type"),
    ("sortile::sort(v, order::descending);", DIRECTION),
    ("sortile::sort(v, w, order::descending);", DIRECTION),
    ("sortile::sort(people, std::greater{}, order::descending);", DIRECTION),
    ("sortile::sort(v, std::less{}, order::descending);", "the comparison says the direction; turn it round"),
    ("sortile::sort(v, true);", NO_OPTIONS),
    ("sortile::sort(v, 4);", NO_OPTIONS),
    ("sortile::sort(v, \"desc\");", NO_OPTIONS),
    ("sortile::sort(array, array + 3);", RANGES),
    ("sortile::sort(std::begin(array), std::end(array));", RANGES),
    ("sortile::sort(array, std::end(array), std::greater{});", RANGES),
    ("sortile::sort(people, std::less{}, &person::age);", COMPARED),
    ("sortile::sort(people, {}, &person::name);", COMPARED),
    ("sortile::sort(words);", "strings of this type are no keys; make them std::string_view or std::string"),
    ("sortile::sort(people);", MEMBERS),
    ("sortile::sort(pairs);", MEMBERS),
    ("sortile::sort(long_doubles);", "long double is no key type; float and double are"),
    ("sortile::sort(pointers);", "pointers are no keys; name what they point to"),
    ("sortile::sort(bits);", BITS),
    ("sortile::sort(list);", PIECE),
    ("sortile::sort(deque);", PIECE),
    ("sortile::sort(changing);", "the elements are volatile"),
    ("sortile::sort(constant);", CONST),
    ("sortile::sort(std::span<const int>(v));", CONST),
    ("sortile::sort(std::vector{3, 1, 2});", TEMPORARY),
    ("sortile::sort(5);", "this argument must be a range"),
    ("sortile::sort(sortile::double_buffer<int>{v, w});", BUFFER),
    ("sortile::double_buffer<const int> b; sortile::sort(b);", BUFFER),
    ("sortile::sort(v, f);", "input and output must have keys of one type"),
    ("sortile::sort(v, constant);", CONST),
    ("sortile::sort(v, std::vector<int>(3));", TEMPORARY),
    ("sortile::sort(strings, strings);", STRINGS),
    ("sortile::sort(people, &person::age);", WRAP),
    ("sortile::sort(people, [](const person& p) { return p.age; });", WRAP),
    ("sortile::sort(people, by(&person::name));", "by(...) gives a string, and strings are no keys"),
    ("sortile::sort(people, by(&person::age), by(&person::name));", "by(...) gives a string"),
    ("sortile::sort(pairs, by([](const auto& p) { return p; }));", "what by(...) gives is no key"),
    ("sortile::sort(v, by(&person::age));", "by(...) must name a member of the elements"),
    ("sortile::sort(people, by(&person::age), order::descending);", "further by(...), and options{...} last; nothing else"),
    ("sortile::sort(constant_people, by(&person::age));", "the elements are const and cannot be moved; argsort(range, by(...))"),
    ("sortile::sort(fixed_ones, by(&fixed::id));", "the elements cannot be moved and assigned; argsort(range, by(...))"),
    ("sortile::sort(std::vector<person>(3), by(&person::age));", "the range is a temporary"),
    ("sortile::sort(list, by(std::identity{}));", "a range with random access and a size"),
    ("sortile::sort_by_key(strings, v);", STRINGS),
    ("sortile::sort_by_key(v, strings);", VALUES),
    ("sortile::sort_by_key(v, pairs);", VALUES),
    ("sortile::sort_by_key(v, constant);", CONST),
    ("sortile::sort_by_key(v, std::vector<int>(3));", TEMPORARY),
    ("sortile::sort_by_key(v.begin(), v.end(), w.begin());", "in place of iterators: sort_by_key(keys, values)"),
    ("sortile::sort_by_key(v, w, order::descending);", DIRECTION),
    ("sortile::sort_by_key(v, w, v, w, order::descending);", DIRECTION),
    ("sortile::sort_by_key(v, w, false);", NO_OPTIONS),
    ("sortile::sort_by_key(array, array + 3, v.data());", "in place of iterators: sort_by_key(keys, values)"),
    ("sortile::sort_by_key(v, strings, younger);", VALUES),
    ("sortile::sort_by_key(v, constant, younger);", CONST),
    ("sortile::sort_by_key(constant_people, v, younger);", "the elements are const and cannot be moved"),
    ("sortile::sort_by_key(v, w, v, constant);", CONST),
    ("sortile::sort_by_key(v, f, v, w);", "input and output must have values of one type"),
    ("sortile::sort_by_key(sortile::double_buffer<int>{}, sortile::double_buffer<int>{});", BUFFER),
    ("auto p = sortile::argsort(strings);", STRINGS),
    ("for (auto i : sortile::argsort(people)) static_cast<void>(v[i]);", MEMBERS),
    ("auto p = sortile::argsort(v.begin(), v.end());", RANGES),
    ("auto p = sortile::argsort(people, std::greater{});", OPERATOR),
    ("auto p = sortile::argsort(list, younger);", "a range with random access and a size"),
    ("sortile::argsort(v, f, younger);", POSITIONS),
    ("auto p = sortile::argsort(v, order::descending);", DIRECTION),
    ("sortile::argsort(v, positions, order::descending);", DIRECTION),
    ("auto p = sortile::argsort<std::uint32_t>(v, order::descending);", DIRECTION),
    ("auto p = sortile::argsort(v, \"desc\");", NO_OPTIONS),
    ("auto p = sortile::argsort(people, std::less{}, &person::age);", COMPARED),
    ("auto p = sortile::argsort(array, array + 3);", RANGES),
    ("auto p = sortile::argsort<short>(v);", POSITIONS),
    ("auto p = sortile::argsort(people, by(&person::name));", "by(...) gives a string"),
    ("sortile::argsort(v, f);", POSITIONS),
    ("sortile::argsort(v, constant);", CONST),
    ("if (sortile::is_sorted(strings)) v.clear();", STRINGS),
    ("if (sortile::is_sorted(v.begin(), v.end())) v.clear();", RANGES),
    ("if (sortile::is_sorted(v, order::descending)) v.clear();", DIRECTION),
    ("auto c = by(std::vector<int>(3));", "by(range) points to the keys, and this range is a temporary"),
    ("auto c = by(strings);", STRINGS),
    ("sortile::sort_rows(std::array{by(v)}, std::tie(v, strings));", VALUES),
    ("sortile::sort_rows(std::array{by(v)}, std::tie(v, constant));", CONST),
    ("sortile::sort_rows(by(v), std::tie(v));", COLUMNS),
    ("sortile::sort_rows({by(v)}, std::tie(v));", COLUMNS),
    ("sortile::sort_rows(std::array{by(v)}, v);", "the ranges that move are tied"),
    ("sortile::sort_rows(std::array{by(v)}, std::tie(v), order::descending);", COLUMN_ORDER),
    ("sortile::argsort_rows(by(v), positions);", COLUMNS),
    ("sortile::argsort_rows(std::array{by(v)}, strings);", POSITIONS),
    ("sortile::argsort_rows(std::array{by(v)}, positions, order::descending);", COLUMN_ORDER),
    ("sortile::permute(f, v);", POSITIONS),
    ("sortile::permute(v, strings);", VALUES),
    ("sortile::merge(v, strings, w);", STRINGS),
    ("sortile::merge(strings, strings, strings);", STRINGS),
    ("sortile::sort_strings(v);", OF_STRINGS),
    ("sortile::sort_strings(list, {.threads = 1});", OF_STRINGS),
    ("sortile::sort_strings(constant_strings);", CONST),
    ("auto p = sortile::argsort_strings<std::uint32_t>(words);", OF_STRINGS),
    ("auto p = sortile::unique_strings(people);", OF_STRINGS),
    ("auto p = sortile::group_by<short>(v);", "positions are integers of 32 or 64 bits: group_by<std::uint32_t>(keys)"),
    ("auto p = sortile::quantiles(v, 0.5);", "probabilities are a list: quantiles(v, {0.5})"),
    ("auto p = sortile::quantiles(v, 1, sortile::quantile_method::lower, {.threads = 1});", "probabilities are a list"),
    ("auto p = sortile::keys_at_ranks(v, 3);", "ranks are a list: keys_at_ranks(v, {rank})"),
    ("auto p = sortile::segment_quantiles(v, 0.5, sortile::segments::rows(1, 1));", "probabilities are a list: segment_quantiles"),
    ("auto p = sortile::segment_keys_at_ranks(v, 3, sortile::segments::rows(1, 1));", "ranks are a list: segment_keys_at_ranks"),
    ("auto p = sortile::route(f, 2);", "experts are numbered by integers of 8 to 64 bits"),
    ("auto p = sortile::route(list, 2, 4);", PIECE),
    ("sortile::merge(v, f, w);", "ranges and output must have keys of one type"),
    ("sortile::merge(v, w, constant);", CONST),
    ("sortile::merge(v, w, v, order::descending);", DIRECTION),
    ("sortile::sort_strings(strings, order::descending);", DIRECTION),
    ("auto p = sortile::argsort_strings(strings, order::descending);", DIRECTION),
    ("auto p = sortile::unique_strings(strings, \"desc\");", NO_OPTIONS),
    ("sortile::segment_sort(v, sortile::segments::rows(1, 1), order::descending);", DIRECTION),
    ("auto p = sortile::top_k(v, 3, order::descending);", DIRECTION),
    ("sortile::top_k(v, w, order::descending);", DIRECTION),
    ("auto p = sortile::arg_top_k<std::uint32_t>(v, 3, order::descending);", DIRECTION),
    ("sortile::partial_sort(v, 3, order::descending);", DIRECTION),
    ("sortile::nth_element(v, 3, order::descending);", DIRECTION),
    ("auto p = sortile::unique(v, order::descending);", DIRECTION),
    ("auto p = sortile::count_keys(v, order::descending);", DIRECTION),
    ("auto p = sortile::digit_histogram(v, order::descending);", DIRECTION),
    ("auto p = sortile::median(v, order::descending);", QUANTILES),
    ("auto p = sortile::quantiles(v, std::vector{0.5}, sortile::quantile_method::lower, order::descending);", QUANTILES),
    ("sortile::segment_top_k(v, w, sortile::segments::rows(1, 1), order::descending);", DIRECTION),
    ("sortile::segment_partial_sort(v, 3, sortile::segments::rows(1, 1), order::descending);", DIRECTION),
    ("sortile::segment_nth_element(v, 3, sortile::segments::rows(1, 1), order::descending);", DIRECTION),
    ("auto p = sortile::segment_median(v, sortile::segments::rows(1, 1), order::descending);", QUANTILES),
    ("auto p = sortile::segment_median(strings, sortile::segments::rows(1, 1));", STRINGS),
    ("auto p = sortile::segment_quantiles(people, halves, sortile::segments::rows(1, 1), sortile::quantile_method::lower);", MEMBERS),
    ("sortile::segment_nth_element(constant, 3, sortile::segments::rows(1, 1), {.threads = 1});", CONST),
    ("sortile::segment_partial_sort(bits, 3, sortile::segments::rows(1, 1));", BITS),
    ("auto p = sortile::top_k(strings, 3);", STRINGS),
    ("auto p = sortile::arg_top_k<std::uint32_t>(people, 3, {.threads = 2});", MEMBERS),
    ("sortile::partial_sort(strings, 3);", STRINGS),
    ("sortile::nth_element(constant, 3);", CONST),
    ("auto p = sortile::keys_at_ranks(bits, std::vector<std::size_t>{1});", BITS),
    ("auto p = sortile::median(strings);", STRINGS),
    ("auto p = sortile::quantiles(people, std::vector{0.5});", MEMBERS),
    ("auto p = sortile::unique(strings);", STRINGS),
    ("auto p = sortile::count_keys(pairs);", MEMBERS),
    ("auto p = sortile::group_by<std::uint32_t>(strings, {.threads = 2});", STRINGS),
    ("sortile::partial_sort(v.begin(), v.begin() + 2, v.end());", ITERATORS),
    ("sortile::partial_sort(v.begin(), v.begin() + 2, v.end(), younger);", ITERATORS),
    ("sortile::nth_element(v.data(), v.data() + 2, v.data() + 4);", ITERATORS),
    ("sortile::nth_element(list.begin(), list.begin(), list.end(), std::less{});", ITERATORS),
    ("sortile::segment_sort(v, sortile::segments::rows(1, 1), std::greater{});", OF_SEGMENTS),
    ("sortile::segment_sort_by_key(v, w, sortile::segments::rows(1, 1), younger);", OF_SEGMENTS),
    ("auto p = sortile::segment_argsort(people, sortile::segments::rows(1, 1), younger);", OF_SEGMENTS),
    ("sortile::merge(std::vector{v, w}, constant);", CONST),
    ("sortile::nth_element(v, v.begin() + 1);", "a number in place of an iterator: nth_element(v, nth)"),
    ("sortile::partial_sort(v, v.begin() + 1, {.threads = 1});", "a number in place of an iterator: partial_sort(v, k)"),
    ("auto p = sortile::top_k(v, 3, std::greater{});", OWN_ORDER),
    ("auto p = sortile::arg_top_k<std::uint32_t>(people, 3, younger);", OWN_ORDER),
    ("sortile::partial_sort(v, 3, std::greater{});", OWN_ORDER),
    ("sortile::nth_element(v, 3, younger, {.threads = 1});", OWN_ORDER),
    ("auto p = sortile::unique(v, std::less{});", OWN_ORDER),
    ("auto p = sortile::unique(v.begin(), v.end());", RANGES),
    ("sortile::inclusive_scan(v.begin(), v.end(), w.begin());", "calls take ranges in place of iterators: inclusive_scan(in, out)"),
    ("sortile::exclusive_scan(v.data(), v.data() + 3, w.data(), 0);", "calls take ranges in place of iterators: exclusive_scan(in, out)"),
    ("sortile::inclusive_scan(f, f);", SCANNED),
    ("sortile::exclusive_scan(bits, v);", BITS),
    ("sortile::exclusive_scan(v, constant);", CONST),
    ("sortile::inclusive_scan(v, w, std::plus{});", OPERATOR_OF_SCAN),
    ("sortile::exclusive_scan(v, w, 0);", OPERATOR_OF_SCAN),
    ("auto p = sortile::digit_histogram(strings);", STRINGS),
    ("sortile::segment_sort(strings, sortile::segments::rows(1, 1));", STRINGS),
    ("sortile::segment_sort(constant, sortile::segments::rows(1, 1));", CONST),
    ("sortile::segment_sort(v, positions);", "say how offsets cut an array"),
    ("auto p = sortile::segments::by_offsets(std::vector{0u, 3u});", "these are a temporary; give them a name"),
    ("auto p = sortile::segments::by_offsets(f);", "offsets are integers of 32 or 64 bits"),
    ("sortile::merge(std::array{strings, strings}, strings);", STRINGS),
    ("sortile::merge(std::vector{v, w}, f);", "runs and output must have keys of one type"),
    ("sortile::merge(v, f, w, younger);", "ranges and output must have elements of one type"),
    ("sortile::merge(std::array{f, f}, w, younger);", "runs and output must have elements of one type"),
]

ACCEPTED = """
sortile::sort(v); sortile::sort(v, {.order = order::descending}); sortile::sort(v, w); sortile::sort(constant, w, {.threads = 2});
sortile::options variable; sortile::sort(v, variable); sortile::sort(v, w, variable); sortile::sort(std::span(v).first(0));
const sortile::options fixed_options; sortile::sort(v, fixed_options); sortile::sort_by_key(v, f, variable);
sortile::double_buffer<int> b{v, w}; sortile::sort(b); sortile::sort(b, variable); sortile::sort_by_key(b, b, {.threads = 1});
sortile::sort(people, by(&person::age)); sortile::sort(people, by(&person::twice), variable); sortile::sort(deque, by(std::identity{}));
sortile::sort(people, by(&person::age), by(&person::score, order::descending)); sortile::sort(people, by(&person::age), {.threads = 1});
sortile::sort(people, by(&person::age), by(&person::score), variable); sortile::sort(std::span(people), by(&person::age));
auto p = sortile::argsort(constant); auto q = sortile::argsort<std::uint32_t>(constant_people, by(&person::age), variable);
auto r = sortile::argsort(list.empty() ? v : w, {.threads = 1}); sortile::argsort(fixed_ones, v, by(&fixed::id));
auto s = sortile::argsort(std::vector{2, 1}); sortile::argsort(v, w); sortile::argsort(v, w, variable);
if (sortile::is_sorted(constant) && sortile::is_sorted(v, variable)) v.clear();
sortile::merge(constant, v, w); sortile::permute(v, f); sortile::sort_rows(std::array{by(v), by(constant)}, std::tie(v, f));
sortile::sort_by_key(v, w, v, w, variable); sortile::sort_by_key(constant, f, v, f); by(std::span(v));
sortile::sort(v, std::greater{}); sortile::sort(people, younger, variable); sortile::sort(strings, std::less{}, {.threads = 1});
sortile::sort(v, w, std::ranges::less{}); sortile::sort(deque, younger); sortile::sort(std::span(people), younger); sortile::sort(pairs, std::less{});
sortile::sort_by_key(v, w, std::greater<int>{}); sortile::sort_by_key(strings, f, younger); sortile::sort_by_key(v, f, v, f, younger, variable);
auto t = sortile::argsort(constant_people, younger); auto u = sortile::argsort<std::uint32_t>(v, std::greater{}, {.threads = 1});
sortile::argsort(v, w, younger); if (sortile::is_sorted(strings, std::less{}) && sortile::is_sorted(v, younger, variable)) v.clear();
sortile::merge(std::vector{v, w}, v); sortile::merge(std::array{std::span(array), std::span(changed)}, v, variable); sortile::merge(std::vector{w, w}, v, {.threads = 1});
auto middle = sortile::median(constant) + sortile::median(v, {.threads = 1}); auto below = sortile::quantiles(v, std::vector{0.5}, sortile::quantile_method::lower, variable);
sortile::partial_sort(v, 3); sortile::partial_sort(v, 3, variable); sortile::nth_element(v, 3, {.threads = 1}); auto at = sortile::keys_at_ranks(v, std::vector<std::size_t>{1}, variable);
auto written = sortile::quantiles(v, {0.25, 0.5}); auto out_of = sortile::quantiles(v, {0.5}, sortile::quantile_method::higher, variable);
auto of_ranks = sortile::keys_at_ranks(v, {0, 1}); of_ranks = sortile::keys_at_ranks(v, {places_of, 1}, {.threads = 1}); sortile::inclusive_scan(v, v);
sortile::exclusive_scan(v, w, sortile::scan_operator::maximum, {.threads = 1}); auto cut = sortile::segments::by_offsets(positions); sortile::segment_sort(v, cut);
sortile::segment_sort(v, w, cut, {.threads = 1}); sortile::nth_element(v, 3u); sortile::top_k(v, w, positions); auto bytes_of = sortile::digit_histogram(constant);
auto groups = sortile::group_by(constant, variable); auto distinct = sortile::unique(v, {.threads = 1}); auto many = sortile::count_keys(std::vector{1, 2});
sortile::segment_sort(v, sortile::segments::rows(1, 1), variable); sortile::top_k(v, w, {.threads = 1}); sortile::top_k(constant, w);
sortile::merge(v, w, v, younger); sortile::merge(std::vector{v, w}, v, std::greater{}, variable);
auto of_rows = sortile::segment_median(constant, sortile::segments::rows(1, 1)); of_rows = sortile::segment_quantiles(v, {0.5}, cut, sortile::quantile_method::lower, variable);
of_rows = sortile::segment_quantiles(v, halves, cut); of_ranks = sortile::segment_keys_at_ranks(constant, {0, 1}, cut, {.threads = 1});
sortile::segment_partial_sort(v, 3, cut); sortile::segment_partial_sort_by_key(v, f, 3, cut, variable); sortile::segment_nth_element(v, 3u, cut, {.threads = 1});
sortile::sort_strings(strings); sortile::sort_strings(std::span(strings), {.order = order::descending});
auto x = sortile::argsort_strings(strings); auto y = sortile::unique_strings<std::uint32_t>(strings, {.threads = 1});
std::vector<std::string_view> views(words.begin(), words.end()); sortile::sort_strings(views); auto z = sortile::argsort_strings(views);
sortile::sort(people, [](const person& a, const person& b) { return a.name < b.name; }); sortile::sort(array); sortile::sort(array, changed);
sortile::sort_by_key(array, changed); sortile::sort(std::span(array, array + 2)); sortile::sort(std::span(v.data(), v.size()));
sortile::sort_rows(std::array{by(v, order::descending)}, std::tie(v, w)); sortile::argsort_rows(std::array{by(v)}, positions, {.threads = 1});
auto bytes_wanted = sortile::workspace_bytes({.type = sortile::key_type::f64, .n = 3});
bytes_wanted += sortile::workspace_bytes({.type = sortile::key_type::f64, .n = 3, .k = 2});
std::vector<std::size_t> places{1}; bytes_wanted += sortile::workspace_bytes({.type = sortile::key_type::f64, .n = 3, .ranks = places});
bytes_wanted += sortile::workspace_bytes({.type = sortile::key_type::f64, .n = 3, .probabilities = halves});
auto searched = sortile::explain({.type = sortile::key_type::i32, .n = 3, .keys = array, .ranks = places}, variable);
sortile::run({.type = sortile::key_type::i32, .n = 3, .keys_in = array, .keys_out = array}); auto best = sortile::top_k(v, 3, variable);
auto plan = sortile::explain({.type = sortile::key_type::i32, .n = 3, .keys_in = array, .keys_out = array}, variable);
std::vector<char> letters; char few[4]; std::string text; sortile::sort(letters, few); sortile::sort(letters, text); sortile::sort(text);
std::vector<std::chrono::milliseconds> times; sortile::sort(times); std::vector<std::byte> bytes; sortile::sort(bytes);
"""

OLD = """#include <sortile/sortile.hpp>
#include <vector>
int main() { std::vector<int> v{3, 1, 2}; sortile::sort(v, {}); return sortile::is_sorted(v) ? 0 : 1; }
"""


def version(compiler):
    return subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def is_clang(compiler):
    return "clang" in compiler[0]


def diagnostics(compiler, flags, source, text):
    """What the compiler says, line by line, none left out."""
    source.write_text(text)
    all_of_them = ["-ferror-limit=0", "-fno-caret-diagnostics"] if is_clang(compiler) else ["-fmax-errors=0", "-fno-diagnostics-show-caret"]
    run = subprocess.run([*compiler, *flags, *all_of_them, "-ftemplate-backtrace-limit=0", "-fsyntax-only", source],
                         capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    lines = run.stderr.splitlines()
    if run.returncode != 0 and not any("error:" in line for line in lines):
        raise SystemExit(f"{compiler} failed: {run.stderr}")
    return lines


def errors(*what):
    return [line for line in diagnostics(*what) if "error:" in line]


# A line that says which call an error is of: its own line, or that of what it instantiates.
PLACE = re.compile(r"call:(\d+):\d+:(?: error:|   required from here| note: (?:in instantiation|while)| note: .* requested here)")


def first_errors(compiler, flags, source, frame, calls):
    """number → the first error of that call, for calls {number: code} that are functions of one source, each on the line of its number.

    Of calls that need the same instantiation one alone has its error; the others are missing."""
    functions = (f'#line {number} "call"\nvoid call_{number}() {{ {code} }}\n' for number, code in calls.items())
    found = {}
    error = number = None
    for line in diagnostics(compiler, flags, source, frame + "".join(functions)):
        place = PLACE.match(line)
        # clang names the call after the error; g++ before, and once for several errors.
        if "error:" in line:
            error = line
            number = None if is_clang(compiler) else number
        if place:
            number = int(place[1])
        if error and number:
            found.setdefault(number, error)
            error = None
    return found


def answers(compiler, flags, folder, frame, calls):
    """number → first error, of all calls that have one: those missing are compiled again without the others, at last each by itself."""
    found = {}
    missing = dict(enumerate(calls, 1))
    while missing:
        now = first_errors(compiler, flags, folder / "calls.cpp", frame, missing)
        if not now:
            break
        found |= now
        missing = {number: code for number, code in missing.items() if number not in now}
    for number, code in missing.items():
        found |= first_errors(compiler, flags, folder / "call.cpp", frame, {number: code})
    return found


def precompile(compiler, flags, headers, folder):
    header = folder / "headers.hpp"
    header.write_text(headers)
    out = folder / ("headers.pch" if is_clang(compiler) else "headers.hpp.gch")
    subprocess.run([*compiler, *flags, "-x", "c++-header", header, "-o", out], check=True)
    return [*flags, "-include-pch", str(out)] if is_clang(compiler) else [*flags, "-include", str(header)]


def wrong_calls(compiler, calls, refused, include, folder):
    """One line for each call that is not answered as it should be."""
    searched = [f"-I{path}" for path in include.split(":")]
    flags = precompile(compiler, ["-std=c++20", "-Wall", "-Wextra", "-Wno-unused", *searched], calls.headers, folder)
    found = answers(compiler, flags, folder, calls.frame, [code for code, _ in refused])
    wrong = []
    for number, (code, sentence) in enumerate(refused, 1):
        if number not in found:
            wrong.append(f"compiles: {code}")
        elif sentence not in found[number]:
            wrong.append(f"{code}\n    expected: {sentence}\n    got: {found[number]}")
    wrong += [f"does not compile: {line}" for line in errors(compiler, flags, folder / "accepted.cpp", f"{calls.frame}void test() {{\n{calls.accepted}\n}}\n")[:1]]
    old = errors(compiler, ["-std=c++17", *searched], folder / "old.cpp", calls.old)
    if len(old) != 1 or "sortile needs C++20: compile with -std=c++20" not in old[0]:
        wrong.append(f"C++17: one sentence expected, got {len(old)}: {old[:2]}")
    return wrong


def check(calls, include, compilers):
    failed = tested = 0
    for compiler in compilers:
        words = compiler.split()
        if shutil.which(words[0]) is None:
            print(f"{compiler}: not installed, left out")
            continue
        with tempfile.TemporaryDirectory() as folder:
            refused = list({sentence: (code, sentence) for code, sentence in calls.refused}.values()) if tested else calls.refused
            wrong = wrong_calls(words, calls, refused, include, pathlib.Path(folder))
        print(f"{version(words)}: {len(refused)} calls refused with their sentence, but for {len(wrong)}")
        for line in wrong:
            print(f"  {line}")
        failed += len(wrong)
        tested += 1
    return 1 if failed or tested == 0 else 0


if __name__ == "__main__":
    sys.exit(check(Calls(HEADERS, FRAME, REFUSED, ACCEPTED, OLD), sys.argv[1], sys.argv[2:]))
