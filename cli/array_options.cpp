// See array_options.hpp.
#include "array_options.hpp"

#include "files/failure.hpp"

#include <sortile/request.hpp>

#include <charconv>
#include <cmath>

namespace sortile::cli {

using files::refuse;

void array_options::add_to(CLI::App& command) {
  constexpr const char* group = "Order and engine";
  command.add_flag("-r,--reverse", reverse, "largest first; a key's own letters or :asc decide for that key")
      ->group(group);
  command.add_option("--order", direction, "asc or desc")
      ->check(CLI::IsMember({"asc", "desc"}))
      ->option_text("ORDER")
      ->group(group);
  command.add_option("--engine", engine, "the engine (sortile info lists them; default: SORTILE_ENGINE, else chosen)")
      ->option_text("NAME")
      ->group(group);
  command.add_option("--threads,--parallel", threads, "CPU threads at most (default: all)")
      ->option_text("N")
      ->check(CLI::Range(1u, 65536u))
      ->group(group);
  command.add_flag("--as-is", as_it_is, "do not unpack gzip and zstd files, nor pack outputs called .gz and .zst")
      ->group(group);
  constexpr const char* arrays = "Arrays";
  command.add_option("--type", type, "key type of a raw array: u8 … u128, i8 … i128, f16, bf16, f32, f64")
      ->option_text("TYPE")
      ->group(arrays);
  command
      .add_option("--key", keys,
                  "what decides: a field of structured .npy records (default: the first), or with --record a range of "
                  "bytes, OFFSET:LENGTH[:TYPE][:be][:desc]; may be repeated")
      ->option_text("FIELD|RANGE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false)
      ->group(arrays);
  command.add_option("--record", record, "the input is records of N bytes each, without anything between them")
      ->option_text("N")
      ->group(arrays);
  command
      .add_option("--bits", bits,
                  "only bits B to E - 1 decide, 0 being the lowest; of signed keys and floats, bits of the unsigned "
                  "number that sorts as the key does")
      ->option_text("B:E")
      ->group(arrays);
}

void axis_options::add_to(CLI::App& command) {
  command.add_flag("--rows", rows, "each row of a .npy array of several axes by itself: along the last axis")
      ->group("Arrays");
  command.add_option("--axis", axis, "along this axis: 0 is the first, -1 the last")->option_text("N")->group("Arrays");
}

long axis_options::chosen() const {
  if (rows && !axis.empty())
    refuse("--rows and --axis contradict each other; --rows is --axis -1");
  if (axis.empty())
    return -1;
  long number = 0;
  const auto [rest, error] = std::from_chars(axis.data(), axis.data() + axis.size(), number);
  if (error != std::errc{} || rest != axis.data() + axis.size())
    refuse("--axis {}: is not the number of an axis (allowed: 0 for the first, 1, …; -1 for the last, -2, …)", axis);
  return number;
}

bool array_options::descending() const {
  if (reverse && direction == "asc")
    refuse("-r and --order asc contradict each other");
  return reverse || direction == "desc";
}

namespace {

bit_window parse_window(const std::string& text) {
  bit_window window;
  const char* end = text.data() + text.size();
  const auto [colon, error] = std::from_chars(text.data(), end, window.begin);
  if (error == std::errc{} && colon != end && *colon == ':') {
    const auto [last, error2] = std::from_chars(colon + 1, end, window.end);
    if (error2 == std::errc{} && last == end)
      return window;
  }
  refuse("--bits {}: is not understood (allowed: B:E with 0 <= B <= E <= the key's width, such as 8:24)", text);
}

} // namespace

options array_options::for_library() const {
  options opts;
  opts.order = descending() ? order::descending : order::ascending;
  if (!bits.empty())
    opts.bits = parse_window(bits);
  opts.engine = engine;
  opts.threads = threads;
  return opts;
}

void array_options::need_engine() const {
  if (!engine.empty())
    explain(sort_request{}, {.engine = engine});
}

std::optional<key_type> array_options::raw_type() const {
  return type.empty() ? std::nullopt : std::optional(key_type_named(type));
}

files::packing array_options::packing_of_output(const std::string& path) const {
  return as_it_is ? files::packing::none : files::packing_to_write(path);
}

std::size_t array_options::record_bytes() const {
  constexpr std::uint64_t largest = std::uint64_t{1} << 30;
  const std::uint64_t bytes = parse_count(record, "--record");
  if (bytes == 0 || bytes > largest)
    refuse("--record {}: a record has 1 to {} bytes", record, largest);
  return static_cast<std::size_t>(bytes);
}

std::uint64_t parse_count(const std::string& text, std::string_view what) {
  const char* end = text.data() + text.size();
  double number = 0;
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && rest != end && *rest == '^' && number == 2) {
    const auto [last, error2] = std::from_chars(rest + 1, end, number);
    number = std::exp2(number);
    rest = error2 == std::errc{} ? last : text.data();
  } else if (error == std::errc{} && rest + 1 == end) {
    const std::string_view units = "kMGT";
    const std::size_t unit = units.find(*rest == 'K' ? 'k' : *rest);
    if (unit != std::string_view::npos) {
      number *= std::pow(1000.0, static_cast<double>(unit + 1));
      ++rest;
    }
  }
  if (error != std::errc{} || rest != end || !(number >= 0) || number >= 0x1p62 || number != std::floor(number))
    refuse("{} {}: is not a count (allowed: 1000, 64k, 100M, 1e8, 2^28)", what, text);
  return static_cast<std::uint64_t>(number);
}

} // namespace sortile::cli
