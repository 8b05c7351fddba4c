// See record_order.hpp. The kind of a part is resolved once a batch, outside the loop over the records.
#include "files/record_order.hpp"

#include "files/csv_check.hpp"
#include "files/decimal.hpp"
#include "files/failure.hpp"
#include "files/instant.hpp"
#include "files/semantic_version.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sortile::files {

namespace {

using form = key_part::form;
using place = key_part::place;

constexpr std::array<char, 256> upper_case = [] {
  std::array<char, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c)
    table[c] = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return table;
}();

// Word of a text as if all its letters were upper case.
key_word folded_word(std::string_view text, std::size_t depth) {
  std::array<char, text_word_bytes + 1> upper{};
  const std::string_view rest = text.substr(depth * text_word_bytes, upper.size());
  std::transform(rest.begin(), rest.end(), upper.begin(),
                 [](char c) { return upper_case[static_cast<unsigned char>(c)]; });
  return text_word({upper.data(), rest.size()}, 0);
}

decimal number_in(const key_part& part, std::string_view text) {
  return part.as == form::leading_number ? parse_leading_number(text) : parse_number(text).value_or(decimal{});
}

// Whether a part's texts are made into others, which compare by bytes.
constexpr bool is_made(form as) {
  return as == form::filtered || as == form::version || as == form::natural || as == form::semantic ||
         as == form::collated;
}

// What such a text is made into; in `kept` or `key` where it is not the text itself.
std::string_view made_text(const key_part& part, std::string_view text, std::string& kept, std::string& key) {
  if (part.as == form::natural) {
    make_natural_key(text, key);
    return key;
  }
  if (part.as == form::semantic) {
    make_semantic_version_key(text, key);
    return key;
  }
  const std::string_view counting = filtered(text, part.filter, kept);
  if (part.as == form::filtered)
    return counting;
  if (part.as == form::collated) {
    key.clear();
    part.locale->append_key(counting, key);
  } else {
    make_version_key(counting, key);
  }
  return key;
}

// One word of a text, by form: a type each, so that the loops below are compiled for each.
template <form As>
class word_reader {
 public:
  explicit word_reader(const key_part& part) : part_(part) {}

  key_word operator()(std::string_view text, std::size_t depth) {
    if constexpr (As == form::text)
      return text_word(text, depth);
    else if constexpr (As == form::folded)
      return folded_word(text, depth);
    else if constexpr (As == form::leading_number)
      return number_word(parse_leading_number(text), depth);
    else if constexpr (As == form::general_number)
      return general_number_word(text, depth);
    else if constexpr (As == form::month)
      return month_word(text);
    else if constexpr (As == form::instant)
      return instant_word(text, depth);
    else if constexpr (As == form::presence)
      return presence_word(text);
    else if constexpr (As == form::any_bytes)
      return {text.empty() ? 0u : 1u, true};
    else if constexpr (As == form::bytes)
      return bytes_word(text, depth);
    else if constexpr (As == form::code_points)
      return code_points_word(text, part_.binary, depth);
    else if constexpr (As == form::value)
      return value_word(text, part_.binary, depth);
    else if constexpr (As == form::human_number)
      return human_number_word(filtered(text, part_.filter, kept_), depth);
    else if constexpr (As == form::random)
      return random_word(filtered(text, part_.filter, kept_), part_.seed, depth);
    else if constexpr (As == form::filtered)
      return filtered_word(text, part_.filter, depth);
    else if constexpr (is_made(As))
      return text_word(made_text(part_, text, kept_, made_), depth);
    else
      return number_word(parse_number(text).value_or(decimal{}), depth);
  }

 private:
  const key_part& part_;
  std::string kept_;
  std::string made_;
};

template <class Body>
decltype(auto) with_reader(const key_part& part, Body&& body) {
  switch (part.as) {
  case form::text:
    return body(word_reader<form::text>(part));
  case form::folded:
    return body(word_reader<form::folded>(part));
  case form::leading_number:
    return body(word_reader<form::leading_number>(part));
  case form::filtered:
    return body(word_reader<form::filtered>(part));
  case form::general_number:
    return body(word_reader<form::general_number>(part));
  case form::human_number:
    return body(word_reader<form::human_number>(part));
  case form::month:
    return body(word_reader<form::month>(part));
  case form::version:
    return body(word_reader<form::version>(part));
  case form::random:
    return body(word_reader<form::random>(part));
  case form::semantic:
    return body(word_reader<form::semantic>(part));
  case form::natural:
    return body(word_reader<form::natural>(part));
  case form::instant:
    return body(word_reader<form::instant>(part));
  case form::presence:
    return body(word_reader<form::presence>(part));
  case form::any_bytes:
    return body(word_reader<form::any_bytes>(part));
  case form::bytes:
    return body(word_reader<form::bytes>(part));
  case form::code_points:
    return body(word_reader<form::code_points>(part));
  case form::value:
    return body(word_reader<form::value>(part));
  case form::collated:
    return body(word_reader<form::collated>(part));
  default:
    return body(word_reader<form::number>(part));
  }
}

template <class Locate, class Word>
void fill_words(Locate&& locate_in, Word&& word, bool reverse, const record_table& records, const std::uint32_t* ids,
                std::size_t begin, std::size_t n, std::size_t depth, std::uint64_t* words) {
  constexpr std::size_t starts_ahead = 32;
  constexpr std::size_t text_ahead = 16;
  const std::uint64_t complement = reverse ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (ids != nullptr && i + starts_ahead < n)
      records.starts.prefetch(ids[i + starts_ahead]);
    if (ids != nullptr && i + text_ahead < n)
      __builtin_prefetch(records.text.data() + records.starts[ids[i + text_ahead]]);
    const std::string_view record = records[ids != nullptr ? ids[i] : begin + i];
    words[i] = word(locate_in(record), depth).bits ^ complement;
  }
}

int sign(std::uint64_t a, std::uint64_t b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

int compare_bytes(std::string_view a, std::string_view b, std::size_t from) {
  return a.substr(std::min(from, a.size())).compare(b.substr(std::min(from, b.size())));
}

int compare_folded(std::string_view a, std::string_view b, std::size_t from) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = from; i < common; ++i) {
    const auto x = static_cast<unsigned char>(upper_case[static_cast<unsigned char>(a[i])]);
    const auto y = static_cast<unsigned char>(upper_case[static_cast<unsigned char>(b[i])]);
    if (x != y)
      return x < y ? -1 : 1;
  }
  return sign(a.size(), b.size());
}

// By words [depth, end), as far as there are any.
int compare_words(const key_part& part, std::string_view a, std::string_view b, std::size_t depth, std::size_t end) {
  return with_reader(part, [&](auto word) {
    for (; depth < end; ++depth) {
      const key_word x = word(a, depth);
      const key_word y = word(b, depth);
      if (x.bits != y.bits || x.last)
        return sign(x.bits, y.bits);
    }
    return 0;
  });
}

int compare_made(const key_part& part, std::string_view a, std::string_view b) {
  if (a == b)
    return 0;
  std::string kept[2];
  std::string keys[2];
  return compare_bytes(made_text(part, a, kept[0], keys[0]), made_text(part, b, kept[1], keys[1]), 0);
}

int compare_collated(const key_part& part, std::string_view a, std::string_view b) {
  std::string kept[2];
  return part.locale->compare(filtered(a, part.filter, kept[0]), filtered(b, part.filter, kept[1]));
}

// Compares two texts of a part that are known to be equal in their first `depth` words; linear in their lengths.
int compare_texts(const key_part& part, std::string_view a, std::string_view b, std::size_t depth) {
  switch (part.as) {
  case form::text:
    return compare_bytes(a, b, depth * text_word_bytes);
  case form::bytes:
    return compare_bytes(a, b, depth * sizeof(std::uint64_t));
  case form::folded:
    return compare_folded(a, b, depth * text_word_bytes);
  case form::leading_number:
  case form::number:
    return compare(number_in(part, a), number_in(part, b));
  case form::human_number: {
    const int units = compare_words(part, a, b, 0, 1);
    return units != 0 ? units : compare(parse_leading_number(a), parse_leading_number(b));
  }
  case form::filtered:
    return compare_filtered(a, b, part.filter);
  case form::version:
  case form::semantic:
  case form::natural:
    return compare_made(part, a, b);
  case form::collated:
    return compare_collated(part, a, b);
  default:
    return compare_words(part, a, b, depth, SIZE_MAX); // of few words; behind those of a hash comes the text
  }
}

} // namespace

key_part::form form_named(column_key::form as) {
  switch (as) {
  case column_key::form::number:
    return form::number;
  case column_key::form::time:
    return form::instant;
  case column_key::form::version:
    return form::version;
  case column_key::form::semantic:
    return form::semantic;
  case column_key::form::natural:
    return form::natural;
  case column_key::form::detect:
  case column_key::form::text:
    break;
  }
  return form::text;
}

std::string_view locate(const key_part& part, std::string_view record, std::string& scratch) {
  switch (part.where) {
  case place::fields:
    return part.range.in(record);
  case place::cell:
    return csv_text(record, part.column, part.dialect, scratch);
  case place::range:
    return record.substr(part.binary.offset, part.binary.bytes);
  default:
    return record;
  }
}

key_word word_of(const key_part& part, std::string_view record, std::size_t depth, std::string& scratch) {
  const std::string_view text = locate(part, record, scratch);
  key_word word = with_reader(part, [&](auto of) { return of(text, depth); });
  if (part.reverse)
    word.bits = ~word.bits;
  return word;
}

void words_of(const key_part& part, const record_table& records, const std::uint32_t* ids, std::size_t begin,
              std::size_t n, std::size_t depth, std::uint64_t* words) {
  std::string scratch;
  if (part.where == place::record && part.as == form::text)
    return fill_words([](std::string_view record) { return record; }, word_reader<form::text>(part), part.reverse,
                      records, ids, begin, n, depth, words);
  with_reader(part, [&](auto word) {
    fill_words([&](std::string_view record) { return locate(part, record, scratch); }, word, part.reverse, records, ids,
               begin, n, depth, words);
  });
}

bool integer_words_of(const key_part& part, const record_table& records, std::size_t begin, std::size_t n,
                      std::uint64_t* words) {
  std::string scratch;
  const std::uint64_t complement = part.reverse ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view text = locate(part, records[begin + i], scratch);
    std::optional<std::uint64_t> word = plain_integer_word(text, part.as == form::number);
    if (!word)
      word = integer_word(number_in(part, text));
    if (!word)
      return false;
    words[i] = *word ^ complement;
  }
  return true;
}

int compare(const record_order& order, std::string_view a, std::string_view b, std::size_t part, std::size_t depth) {
  std::string scratch_a;
  std::string scratch_b;
  for (; part < order.size(); ++part, depth = 0) {
    const key_part& p = order[part];
    const std::string_view x = locate(p, a, scratch_a);
    const std::string_view y = locate(p, b, scratch_b);
    const int result = compare_texts(p, x, y, depth);
    if (result != 0)
      return (result < 0) != p.reverse ? -1 : 1;
  }
  return 0;
}

namespace {

// The words of a part of which each is found in constant time.
template <class Word>
void append_words(Word&& word, std::string& key) {
  for (std::size_t depth = 0;; ++depth) {
    const key_word next = word(depth);
    for (int shift = 56; shift >= 0; shift -= 8)
      key += static_cast<char>(next.bits >> shift);
    if (next.last)
      return;
  }
}

} // namespace

void append_normalized(const record_order& order, std::string_view record, std::string& key) {
  std::string scratch;
  std::string kept;
  std::string made;
  for (const key_part& part : order) {
    const std::size_t begin = key.size();
    const std::string_view text = locate(part, record, scratch);
    if (part.as == form::collated)
      part.locale->append_key(filtered(text, part.filter, kept), key);
    else if (is_made(part.as))
      append_words([of = made_text(part, text, kept, made)](std::size_t depth) { return text_word(of, depth); }, key);
    else if (part.as == form::leading_number || part.as == form::number)
      append_words([of = number_in(part, text)](std::size_t depth) { return number_word(of, depth); }, key);
    else
      with_reader(part, [&](auto of) { append_words([&](std::size_t depth) { return of(text, depth); }, key); });
    if (part.reverse)
      std::transform(key.begin() + static_cast<std::ptrdiff_t>(begin), key.end(),
                     key.begin() + static_cast<std::ptrdiff_t>(begin), [](char c) { return static_cast<char>(~c); });
  }
}

void validate_row(std::string_view row, std::size_t columns, const csv_dialect& dialect, const record_order& order) {
  std::size_t count = 0;
  csv_cells cells(row, dialect);
  for (csv_cell cell; cells.next(cell);)
    ++count;
  if (count != columns)
    refuse("{} cell{}, but the header has {}", count, count == 1 ? "" : "s", columns);
  std::string scratch;
  for (const key_part& part : order) {
    const std::string_view text = locate(part, row, scratch);
    if (part.as == form::number && !parse_number(text))
      refuse("'{}' is not a number", text.substr(0, 40));
    if (part.as == form::instant && type_of(text) != cell_type::time && type_of(text) != cell_type::empty)
      refuse("'{}' is no date or time", text.substr(0, 40));
  }
}

std::size_t common_prefix(const key_part& part, std::string_view a, std::string_view b, std::size_t from) {
  std::string scratch_a;
  std::string scratch_b;
  const std::string_view x = locate(part, a, scratch_a);
  const std::string_view y = locate(part, b, scratch_b);
  const std::size_t length = std::min(x.size(), y.size());
  std::size_t i = from;
  while (i < length && x[i] == y[i])
    ++i;
  return i;
}

} // namespace sortile::files
