// See npy.hpp.
#include "files/npy.hpp"

#include "files/failure.hpp"
#include "files/message_text.hpp"
#include "files/python_literal.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace sortile::files {

namespace {

using kind = python_literal::kind;

constexpr std::string_view key_dtypes = "i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8";
constexpr std::size_t largest_record = std::size_t{1} << 30;

std::optional<key_type> key_of(char letter, std::size_t bytes) {
  for (const key_type type : {key_type::u8, key_type::u16, key_type::u32, key_type::u64, key_type::i8, key_type::i16,
                              key_type::i32, key_type::i64, key_type::f16, key_type::f32, key_type::f64}) {
    const char its_letter = is_float(type) ? 'f' : is_signed_integer(type) ? 'i' : 'u';
    if (its_letter == letter && key_bytes(type) == bytes)
      return type;
  }
  return std::nullopt;
}

// A dtype string: byte order, letter, size, and for times a unit in brackets.
npy_field parse_descr(const std::string& descr, std::string_view name) {
  npy_field field{.name = {}, .descr = descr, .offset = 0, .bytes = 0, .key = {}, .big_endian = false};
  std::string_view rest = descr;
  if (!rest.empty() && std::string_view("<>|=").find(rest[0]) != std::string_view::npos) {
    field.big_endian = rest[0] == '>' || (rest[0] == '=' && std::endian::native == std::endian::big);
    rest.remove_prefix(1);
  }
  const char letter = rest.empty() ? '\0' : rest[0];
  std::size_t size = 0;
  const char* begin = rest.data() + (rest.empty() ? 0 : 1);
  const auto [end, error] = std::from_chars(begin, rest.data() + rest.size(), size);
  const std::string_view tail(end, static_cast<std::size_t>(rest.data() + rest.size() - end));
  const bool has_unit = (letter == 'M' || letter == 'm') && tail.starts_with('[') && tail.ends_with(']');
  if (letter == 'O') // numpy writes it without a size
    fail(name, "the dtype '{}' holds Python objects (allowed: records of plain bytes)", escaped(descr));
  if (error != std::errc{} || letter == '\0' || !(tail.empty() || has_unit))
    fail(name, "the dtype '{}' is not understood", escaped(descr));
  if (std::string_view("biufcmMSUVa").find(letter) == std::string_view::npos)
    fail(name, "the dtype '{}' is not understood", escaped(descr));
  if (size > largest_record)
    fail(name, "the dtype '{}' is larger than {} bytes", descr, largest_record);
  field.bytes = letter == 'U' ? 4 * size : size;
  field.key = letter == 'b' && size == 1 ? key_type::u8 : key_of(letter, size);
  const bool is_time = letter == 'M' || letter == 'm';
  field.what = size == 0                        ? npy_field::kind::other
               : field.key                      ? npy_field::kind::number
               : is_time && size == 8           ? npy_field::kind::time
               : letter == 'S' || letter == 'a' ? npy_field::kind::bytes
               : letter == 'U'                  ? npy_field::kind::characters
                                                : npy_field::kind::other;
  return field;
}

std::size_t checked_product(std::size_t a, std::size_t b, std::string_view name) {
  std::size_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    fail(name, "the shape says more elements than memory can hold");
  return product;
}

// Of a number that is at least 0.
void need_length(const python_literal& length, std::string_view whose, std::string_view name) {
  if (!length.text.empty())
    fail(name, "{} says {} elements, which are more than memory can hold", whose, length.text);
}

std::size_t record_size(const python_literal& descr, std::string_view name);

// One entry of a structured dtype: (name, descr) or (name, descr, shape); the name may come as (title, name).
npy_field parse_field(const python_literal& entry, std::string_view name) {
  const bool fits = entry.is(kind::sequence) && (entry.items.size() == 2 || entry.items.size() == 3);
  const python_literal* label = fits ? &entry.items[0] : nullptr;
  if (label != nullptr && label->is(kind::sequence) && label->items.size() == 2)
    label = &label->items[1];
  if (label == nullptr || !label->is(kind::text))
    fail(name, "a field of the dtype is not understood (allowed: ('name', 'dtype') and ('name', 'dtype', shape))");
  const python_literal& descr = entry.items[1];
  npy_field field{.name = {}, .descr = {}, .offset = 0, .bytes = 0, .key = {}, .big_endian = false};
  if (descr.is(kind::text)) {
    field = parse_descr(descr.text, name);
  } else {
    field.bytes = record_size(descr, name);
    field.descr = to_string(descr);
  }
  field.name = label->text;
  if (entry.items.size() == 3) {
    const python_literal& shape = entry.items[2];
    const std::vector<python_literal> lengths = shape.is(kind::sequence) ? shape.items : std::vector{shape};
    for (const python_literal& length : lengths) {
      if (!length.is(kind::integer) || length.integer < 0)
        fail(name, "the shape of the field '{}' is not understood", field.name);
      need_length(length, fmt::format("the shape of the field '{}'", field.name), name);
      field.bytes = checked_product(field.bytes, static_cast<std::size_t>(length.integer), name);
    }
    if (!lengths.empty()) {
      field.key.reset();
      field.what = npy_field::kind::other;
      field.descr = fmt::format("({}, {})", to_string(descr), to_string(shape));
    }
  }
  return field;
}

std::vector<npy_field> parse_record(const python_literal& descr, std::string_view name) {
  if (!descr.is(kind::sequence) || descr.items.empty())
    fail(name, "'descr' is not understood (allowed: a dtype string or a list of fields)");
  std::vector<npy_field> fields;
  std::size_t offset = 0;
  for (const python_literal& entry : descr.items) {
    npy_field field = parse_field(entry, name);
    field.offset = offset;
    if (field.bytes > largest_record || (offset += field.bytes) > largest_record)
      fail(name, "a record is larger than {} bytes", largest_record);
    fields.push_back(std::move(field));
  }
  return fields;
}

// The fields of the records within a record, of any depth. `fields` are those of `descr`.
void add_nested(const python_literal& descr, const std::vector<npy_field>& fields, const std::string& prefix,
                std::size_t offset, std::string_view name, std::vector<npy_field>& to) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const python_literal& entry = descr.items[i];
    if (!entry.items[1].is(kind::sequence) || entry.items.size() == 3)
      continue;
    const std::vector<npy_field> inner = parse_record(entry.items[1], name);
    const std::string outer = prefix + fields[i].name + ".";
    for (npy_field field : inner) {
      field.name = outer + field.name;
      field.offset += offset + fields[i].offset;
      to.push_back(std::move(field));
    }
    add_nested(entry.items[1], inner, outer, offset + fields[i].offset, name, to);
  }
}

std::size_t record_size(const python_literal& descr, std::string_view name) {
  const npy_field last = parse_record(descr, name).back();
  return last.offset + last.bytes;
}

struct frame_sizes {
  std::size_t begin;
  std::size_t length;
};

// The dictionary text between the fixed part and the array.
struct frame {
  std::size_t major; // version of the format
  std::string_view dictionary;
  std::size_t data_offset;
};

// Where the dictionary begins and how long it is, by the version that the file says.
frame_sizes sizes_of(std::string_view begin) {
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(begin[i])); };
  const std::size_t length_bytes = byte(6) == 1 ? 2 : 4;
  frame_sizes sizes{8 + length_bytes, 0};
  for (std::size_t i = 0; i < length_bytes && 8 + i < begin.size(); ++i)
    sizes.length |= byte(8 + i) << (8 * i);
  return sizes;
}

frame parse_frame(std::string_view bytes, std::string_view name) {
  if (!bytes.starts_with(npy_magic))
    fail(name, "is not a .npy file (it does not begin with \\x93NUMPY)");
  if (bytes.size() < npy_magic.size() + 2)
    fail(name, "the .npy header is cut off after {} bytes", bytes.size());
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t major = byte(6);
  const std::size_t minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    fail(name, "version {}.{} of the .npy format is unknown (allowed: 1.0, 2.0, 3.0)", major, minor);
  const auto [begin, length] = sizes_of(bytes);
  if (bytes.size() < begin)
    fail(name, "the .npy header is cut off after {} bytes", bytes.size());
  if (length > bytes.size() - begin)
    fail(name, "the .npy header says that it is {} bytes long, but only {} follow", length, bytes.size() - begin);
  return {major, bytes.substr(begin, length), begin + length};
}

std::vector<std::size_t> parse_shape(const python_literal& shape, std::string_view name, npy_axes axes) {
  if (!shape.is(kind::sequence))
    fail(name, "'shape' is not a tuple");
  std::string text;
  std::vector<std::size_t> lengths;
  for (const python_literal& length : shape.items) {
    if (!length.is(kind::integer) || length.integer < 0)
      fail(name, "'shape' holds something that is not a length");
    need_length(length, "'shape'", name);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", length.integer);
    lengths.push_back(static_cast<std::size_t>(length.integer));
  }
  if (axes == npy_axes::one && lengths.size() != 1)
    fail(name, "the array has {} dimensions, shape ({}) (allowed: one dimension; --rows and --axis sort within more)",
         lengths.size(), text);
  return lengths;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Before version 3 a dictionary is in Latin-1, in which each byte is the number of its character.
std::string utf8_of_latin1(std::string_view text) {
  std::string result;
  for (const char c : text)
    append_utf8(static_cast<unsigned char>(c), result);
  return result;
}

python_literal parse_dictionary(const frame& where, std::string_view name) {
  try {
    python_literal dictionary =
        parse_python_literal(where.major < 3 ? utf8_of_latin1(where.dictionary) : std::string(where.dictionary));
    if (dictionary.is(kind::dictionary))
      return dictionary;
  } catch (const invalid_argument& error) {
    fail(name, "the .npy header is not a Python dictionary: {}", error.what());
  }
  fail(name, "the .npy header is not a Python dictionary");
}

} // namespace

std::size_t npy_header_size(std::string_view begin) {
  if (!begin.starts_with(npy_magic) || begin.size() < npy_frame_bytes)
    return npy_frame_bytes;
  const auto [at, length] = sizes_of(begin);
  return at + length;
}

npy_header parse_npy(std::string_view bytes, std::string_view name, npy_axes axes) {
  npy_header header = parse_npy_header(bytes, name, axes);
  need_whole_array(header, bytes.size() - header.data_offset, name);
  return header;
}

void need_whole_array(const npy_header& header, std::uint64_t bytes, std::string_view name) {
  const std::size_t wanted = checked_product(header.count, header.record_bytes, name);
  if (wanted != bytes)
    fail(name, "{} elements of {} bytes make {} bytes, but {} follow the header", header.count, header.record_bytes,
         wanted, bytes);
}

npy_header parse_npy_header(std::string_view bytes, std::string_view name, npy_axes axes) {
  const frame where = parse_frame(bytes, name);
  const python_literal dictionary = parse_dictionary(where, name);
  for (const char* key : {"descr", "fortran_order", "shape"})
    if (const auto times = std::count(dictionary.keys.begin(), dictionary.keys.end(), key); times != 1)
      fail(name, "the .npy header {} '{}'", times == 0 ? "lacks" : "says more than once", key);
  if (!dictionary.find("fortran_order")->is(kind::boolean))
    fail(name, "'fortran_order' is neither True nor False");

  npy_header header;
  const python_literal& descr = *dictionary.find("descr");
  header.structured = !descr.is(kind::text);
  header.descr = to_string(descr);
  header.fields = header.structured ? parse_record(descr, name) : std::vector{parse_descr(descr.text, name)};
  if (header.structured)
    add_nested(descr, header.fields, {}, 0, name, header.nested);
  header.record_bytes = header.fields.back().offset + header.fields.back().bytes;
  header.shape = parse_shape(*dictionary.find("shape"), name, axes);
  header.fortran_order = dictionary.find("fortran_order")->boolean;
  header.count = 1;
  for (const std::size_t length : header.shape)
    header.count = checked_product(header.count, length, name);
  header.data_offset = where.data_offset;
  if (header.record_bytes == 0)
    fail(name, "the elements are 0 bytes large");
  checked_product(header.count, header.record_bytes, name);
  return header;
}

std::string make_npy_header(std::string_view descr, std::uint64_t count) {
  return make_npy_header(descr, std::vector<std::size_t>{static_cast<std::size_t>(count)}, false);
}

std::string make_npy_header(std::string_view descr, const std::vector<std::size_t>& shape, bool fortran_order) {
  std::string text =
      fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': ({}{}), }}", descr, fortran_order ? "True" : "False",
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t alignment = 64;
  constexpr std::size_t most_of_version_1 = 0xffff - alignment;
  const char major = !is_ascii(text) ? 3 : text.size() > most_of_version_1 ? 2 : 1; // the first that can say it
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t before = npy_magic.size() + 2 + length_bytes;
  text.append(alignment - (before + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string header(npy_magic);
  header += {major, '\0'};
  for (std::size_t i = 0; i < length_bytes; ++i)
    header += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return header + text;
}

std::string npy_descr(key_type type) {
  if (type == key_type::u128 || type == key_type::i128 || type == key_type::bf16)
    refuse("the .npy format has no type {} (raw arrays have it; allowed here: {})", sortile::name(type), key_dtypes);
  const char letter = is_float(type) ? 'f' : is_signed_integer(type) ? 'i' : 'u';
  const char order = key_bytes(type) == 1 ? '|' : std::endian::native == std::endian::big ? '>' : '<';
  return fmt::format("'{}{}{}'", order, letter, key_bytes(type));
}

} // namespace sortile::files
