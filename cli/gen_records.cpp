// See gen_records.hpp.
//
// A record is made of the number i of the record and of number i + 1 of a linear congruential generator of 128 bits, as
// the definition of the sort benchmark has it (sortbenchmark.org, gensort): x ← a·x + c, from x = 0 on.
//
//   binary    0 key: its upper 10 bytes      10 00 11    12 i, 32 digits    44 88 99 AA BB    48 filler    96 CC DD EE
//   FF text      0 key: 10 of 95 characters     10 blanks   12 i, 32 digits    44 blanks         46 filler    98 CR LF
//
// The filler shows the lower digits of x, each four times. A thread begins at any record: i steps at once are one step
// with another a and c, made by squaring.
#include "gen_records.hpp"

#include "files/record_blocks.hpp"

#include <sortile/types.hpp>

#include <algorithm>

namespace sortile::cli {

namespace {

constexpr uint128 of_halves(std::uint64_t upper, std::uint64_t lower) {
  return uint128{upper} << 64 | lower;
}

struct step {
  uint128 a = 1;
  uint128 c = 0;

  uint128 operator()(uint128 x) const { return a * x + c; }
  /// This step, then another one.
  step then(const step& next) const { return {next.a * a, next.a * c + next.c}; }
};
constexpr step one_step{of_halves(0x2360ed051fc65da4, 0x4385df649fccf645),
                        of_halves(0x4a696d4772617952, 0x4950202020202001)};

uint128 number_at(std::uint64_t index) {
  step all;
  step square = one_step;
  for (; index != 0; index >>= 1, square = square.then(square))
    if ((index & 1) != 0)
      all = all.then(square);
  return all(0);
}

char hex_digit(std::uint64_t value) {
  return "0123456789ABCDEF"[value & 15];
}

char* put(char* to, std::string_view bytes) {
  return std::copy(bytes.begin(), bytes.end(), to);
}

// The record's number in 32 digits.
char* put_number(char* to, std::uint64_t i) {
  to = std::fill_n(to, 16, '0');
  for (int shift = 60; shift >= 0; shift -= 4)
    *to++ = hex_digit(i >> shift);
  return to;
}

// The lowest digits of x, each four times.
char* put_filler(char* to, std::uint64_t x, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    to = std::fill_n(to, 4, hex_digit(x >> shift));
  return to;
}

void put_binary(char* to, std::uint64_t i, uint128 x) {
  for (int shift = 120; shift > 40; shift -= 8)
    *to++ = static_cast<char>(x >> shift);
  to = put(to, {"\x00\x11", 2});
  to = put_number(to, i);
  to = put(to, "\x88\x99\xaa\xbb");
  to = put_filler(to, static_cast<std::uint64_t>(x), 12);
  put(to, "\xcc\xdd\xee\xff");
}

char* put_characters(char* to, std::uint64_t x, int count) {
  constexpr std::uint64_t printable = 95;
  for (int k = 0; k < count; ++k, x /= printable)
    *to++ = static_cast<char>(' ' + x % printable);
  return to;
}

void put_text(char* to, std::uint64_t i, uint128 x) {
  to = put_characters(to, static_cast<std::uint64_t>(x >> 64), 8);
  to = put_characters(to, static_cast<std::uint64_t>(x), 2);
  to = put(to, "  ");
  to = put_number(to, i);
  to = put(to, "  ");
  to = put_filler(to, static_cast<std::uint64_t>(x), 13);
  put(to, "\r\n");
}

} // namespace

void gen_benchmark_records(std::uint64_t n, bool as_text, files::output& to, unsigned threads, progress_bar& bar) {
  files::write_fixed_records(
      to, threads, n, benchmark_record_bytes,
      [&](std::size_t begin, std::size_t end, char* records) {
        uint128 x = number_at(begin + 1);
        for (std::size_t i = begin; i < end; ++i, x = one_step(x), records += benchmark_record_bytes)
          as_text ? put_text(records, i, x) : put_binary(records, i, x);
      },
      bar.sink());
}

} // namespace sortile::cli
