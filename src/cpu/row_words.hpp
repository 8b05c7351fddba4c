// Rows as words: numbers that are compared one after the other, the first deciding, and order rows as their columns do.
//
// Idea. A column's keys become distances: of descending columns from the greatest key, of others from the least. A
// column takes as many bits as its greatest distance has, less the low bits that are zero in all of them. So a column
// of numbers below 1000 takes 10 bits whatever its type, floats that are whole numbers few more, and a column of equal
// keys none. The bits of all columns in a row are cut into words of 64: most tables need one, and no column is too
// wide.
//
//   columns    size: 10 bits        weight: 62 bits                 name: 17 bits
//   words    [ size |       54 bits of weight     ] [ 8 bits | name |  ]
//
// Where a column of many bits has few values, their ranks take the place of the distances (row_values.hpp).
//
// Distances are taken between images: of integers the codec's (primitives/key_codec.hpp), of floats the magnitude added
// to the middle, or taken from it where the sign is set. So −0 and +0 have one image, floats of either sign that have
// few digits end in zeros, and every NaN counts as the smallest number above infinity of which that holds.
//
// Cost: each column is read once to find its range, when a word begins that has room for it, and once for each word
// that has a part of it. Source: Graefe, "Implementing sorting in database systems", Computing Surveys 2006 (normalised
// keys).
#pragma once

#include "cpu/memory_slots.hpp"
#include "cpu/scratch.hpp"

#include <sortile/request.hpp>
#include <sortile/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace sortile::cpu {

class row_words {
 public:
  static constexpr unsigned word_bits = 64;

  row_words(std::span<const column> columns, std::size_t n, unsigned threads)
      : columns_(columns), n_(n), threads_(threads) {}

  /// Goes on to the next word, and returns how many bits it has: 0 where none is left.
  unsigned next();
  /// Whether next() may find more.
  bool has_more() const { return last_.left_out > 0 || next_column_ < columns_.size(); }

  /// words[i] is the present word of row first + i. Words of 32 bits where next() said no more.
  template <class Word>
  void make(std::size_t first, std::size_t n, Word* words) const;
  /// words[i] is the present word of row rows[i].
  template <class Index>
  void make(const Index* rows, std::size_t n, std::uint64_t* words) const;

 private:
  /// The ranks of a column's values, as a column.
  struct ranked_column {
    scratch memory; ///< n 16-bit numbers
    column as_given;
  };
  /// A column's distances.
  struct field {
    std::shared_ptr<const ranked_column> ranked; ///< what `from` points to, where it is no column of the caller's
    const column* from = nullptr;
    uint128 base = 0;   ///< the least image; of descending columns the complement of the greatest
    unsigned shift = 0; ///< low bits that are zero in all distances
    unsigned bits = 0;  ///< that remain
  };
  /// What a word has of a field.
  struct part {
    field of;
    unsigned left_out = 0; ///< low bits, which the next word gets
    unsigned bits = 0;
  };

  template <class K, bool Float>
  field measure(const column& c) const;
  template <class K, bool Float>
  std::optional<field> rank_values(const column& c) const;
  field measure(const column& c) const;
  template <class RowOf, class Word>
  void make_words(RowOf row_of, std::size_t n, Word* words) const;

  std::span<const column> columns_;
  std::size_t n_;
  unsigned threads_;
  std::size_t next_column_ = 0;
  part last_{};             ///< of the present word
  call_vector<part> parts_; ///< of the present word
};

} // namespace sortile::cpu
