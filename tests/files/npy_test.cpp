// Headers of .npy files: what is understood, what is refused.
#include "files/array_file.hpp"
#include "files/npy.hpp"
#include "scratch_folder.hpp"

namespace sortile::files {
namespace {

std::string header_bytes(std::string_view dictionary, int major = 1) {
  std::string text("\x93NUMPY");
  text += static_cast<char>(major);
  text += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    text += static_cast<char>((dictionary.size() >> (8 * i)) & 0xff);
  return text + std::string(dictionary);
}

std::string of_dtype(const std::string& descr, std::size_t n) {
  return header_bytes("{'descr': " + descr + ", 'fortran_order': False, 'shape': (" + std::to_string(n) + ",)}");
}

TEST(Npy, WhatIsMadeIsRead) {
  for (const key_type type :
       {key_type::u8, key_type::i16, key_type::u32, key_type::i64, key_type::f16, key_type::f32, key_type::f64}) {
    const std::string made = make_npy_header(npy_descr(type), 3);
    EXPECT_EQ(made.size() % 64, 0u);
    const npy_header header = parse_npy(made + std::string(3 * key_bytes(type), 'x'), "made");
    EXPECT_EQ(header.fields.at(0).key, type);
    EXPECT_EQ(header.count, 3u);
    EXPECT_EQ(header.data_offset, made.size());
    EXPECT_EQ(header.record_bytes, key_bytes(type));
    EXPECT_EQ(header.descr, npy_descr(type));
  }
  for (const key_type type : {key_type::u128, key_type::i128, key_type::bf16})
    expect_error<invalid_argument>([&] { npy_descr(type); }, name(type));
}

TEST(Npy, EveryHeaderSizeIsPadded) {
  for (std::uint64_t n = 1; n < 1'000'000'000'000'000'000; n *= 10)
    EXPECT_EQ(make_npy_header("'<u8'", n).size() % 64, 0u) << n;
}

TEST(Npy, StructuredDtypes) {
  const std::string text = of_dtype(
      "[('a', '<u2'), (('a title', 'b'), '>f8'), ('c', '|S3', (2, 2)), ('d', [('x', '<u4'), ('y', '|u1')])]", 2);
  const npy_header header = parse_npy(text + std::string(2 * 27, 'x'), "records");
  ASSERT_EQ(header.fields.size(), 4u);
  EXPECT_EQ(header.record_bytes, 27u);
  EXPECT_EQ(header.fields[1].name, "b");
  EXPECT_EQ(header.fields[1].offset, 2u);
  EXPECT_TRUE(header.fields[1].big_endian);
  EXPECT_EQ(header.fields[1].key, key_type::f64);
  EXPECT_EQ(header.fields[2].bytes, 12u);
  EXPECT_FALSE(header.fields[2].key);
  EXPECT_FALSE(header.fields[3].key);
}

TEST(Npy, VersionsDifferInTheLengthOnly) {
  for (const int version : {1, 2, 3})
    EXPECT_EQ(
        parse_npy(header_bytes("{'descr': \"<u4\", 'fortran_order': True, 'shape': (1L,), }\n", version) + "1234", "v")
            .count,
        1u);
}

TEST(Npy, NamesOfAnyCharacters) {
  const auto name_in = [](std::string_view quoted, int version) {
    const std::string dictionary =
        "{'descr': [(" + std::string(quoted) + ", '<u4')], 'fortran_order': False, 'shape': (1,)}";
    return parse_npy(header_bytes(dictionary, version) + "1234", "named").fields.at(0).name;
  };
  EXPECT_EQ(name_in("'gr\xf6\xdf'", 1), "größ"); // Latin-1
  EXPECT_EQ(name_in("'gr\xf6\xdf'", 2), "größ");
  EXPECT_EQ(name_in("'größ€'", 3), "größ€");
  EXPECT_EQ(name_in(R"('\x1b\n\t\'\\\"\xe9\u20ac\U0001f600\q')", 1), "\x1b\n\t'\\\"é€😀\\q");
  for (const char* cut : {R"('\x1')", R"('\u12g4')", R"('\U00110000')"})
    expect_error<io_failure>([&] { name_in(cut, 1); }, "the number of a character");
}

TEST(Npy, WhatIsMadeOfAnyNamesIsRead) {
  std::string many;
  for (int i = 0; i < 5000; ++i)
    many += "('a long name of a field " + std::to_string(i) + "', '|u1'), ";
  for (const auto& [fields, major] : {std::pair<std::string, int>{"('a', '<u4')", 1},
                                      {"('größ€', '<u4')", 3},
                                      {"('größ', '<u4')", 3},
                                      {R"(('\x1b\n\'\\', '<u4'))", 1},
                                      {many, 2}}) {
    const std::string made = make_npy_header("[" + fields + "]", 7);
    EXPECT_EQ(made[6], major);
    EXPECT_EQ(made.size() % 64, 0u);
    const npy_header header = parse_npy_header(made, "made");
    EXPECT_EQ(header.data_offset, made.size());
    EXPECT_EQ(header.count, 7u);
    EXPECT_EQ(parse_npy_header(make_npy_header(header.descr, 7), "again").fields.at(0).name, header.fields.at(0).name);
  }
}

TEST(Npy, PythonIsReadWithCare) {
  for (const char* text :
       {"{'descr': '<u4', 'fortran_order': False, 'shape': (0,)} x", "{'descr': '<u4' 'fortran_order': False}",
        "{1: 2}", "", "{'a'}", "{'descr': '<u4, 'fortran_order': False, 'shape': (0,)}"})
    expect_error<io_failure>([&] { parse_npy(header_bytes(text), "name.npy"); },
                             "name.npy: the .npy header is not a Python dictionary");
}

TEST(Npy, LengthsOfMoreThan64BitsAreNamed) {
  const auto of_shape = [](const std::string& shape) {
    return header_bytes("{'descr': '<u4', 'fortran_order': False, 'shape': " + shape + "}");
  };
  expect_error<io_failure>([&] { parse_npy(of_shape("(99999999999999999999,)"), "name.npy"); },
                           "name.npy: 'shape' says 99999999999999999999 elements, which are more than memory can hold");
  expect_error<io_failure>([&] { parse_npy(of_shape("(-99999999999999999999,)"), "name.npy"); },
                           "name.npy: 'shape' holds something that is not a length");
  expect_error<io_failure>([&] { parse_npy(of_dtype("[('a', '<u4', (99999999999999999999,))]", 1), "name.npy"); },
                           "name.npy: the shape of the field 'a' says 99999999999999999999 elements");
}

TEST(Npy, KeysCanBeChosen) {
  const scratch_folder folder;
  const std::string path = folder.write("r.npy", of_dtype("[('s', '|V4'), ('k', '>i4')]", 1) + "abcd\x01\x02\x03\x04");
  const array_file array = open_npy(path, "k");
  EXPECT_EQ(array.layout, (array_layout{key_type::i32, true, 4, 8}));
  expect_error<io_failure>([&] { open_npy(path); }, "the field 's' of dtype |V4 cannot be ordered");
  expect_error<io_failure>([&] { open_npy(path, "z"); }, "no field 'z' (fields that can be keys: k)");
}

TEST(Raw, SizesMustFit) {
  const scratch_folder folder;
  EXPECT_EQ(open_raw(folder.write("fits", std::string(32, 'x')), key_type::u128).count, 2u);
  EXPECT_EQ(open_raw(folder.write("none", ""), key_type::u64).count, 0u);
  expect_error<io_failure>([&] { open_raw(folder.write("odd", std::string(33, 'x')), key_type::u128); }, "33 bytes");
}

} // namespace
} // namespace sortile::files
