// Keys as options say them, and the orders of texts and records: the words of two texts compare as the texts do.
#include "targets.hpp"

#include "files/column_keys.hpp"
#include "files/decimal.hpp"
#include "files/field_keys.hpp"
#include "files/fixed_records.hpp"
#include "files/instant.hpp"
#include "files/record_order.hpp"

#include <sortile/error.hpp>

#include <algorithm>
#include <compare>
#include <string>

namespace sortile::files::fuzz {

namespace {

int by_words(const key_part& part, std::string_view a, std::string_view b) {
  std::string scratch;
  for (std::size_t depth = 0;; ++depth) {
    const key_word x = word_of(part, a, depth, scratch);
    const key_word y = word_of(part, b, depth, scratch);
    if (x.bits != y.bits)
      return x.bits < y.bits ? -1 : 1;
    hold(x.last == y.last, "equal words end together");
    if (x.last)
      return 0;
    hold(depth < 8 * (a.size() + b.size()) + 16, "words come to an end");
  }
}

int sign(int x) {
  return x < 0 ? -1 : x > 0 ? 1 : 0;
}

void hold_order(const key_part& part, std::string_view a, std::string_view b) {
  const int compared = sign(compare({part}, a, b));
  hold(compared == -sign(compare({part}, b, a)), "a comparison turned round gives the opposite");
  hold(compared == by_words(part, a, b), "words compare as texts do");
  hold(compare({part}, a, a) == 0, "a text equals itself");
}

template <class Action>
bool is_accepted(Action&& action) {
  try {
    action();
    return true;
  } catch (const invalid_argument& error) {
    hold(std::string_view(error.what()).size() > 0, "a refusal has words");
    return false;
  }
}

} // namespace

void keys(std::string_view bytes) {
  const std::string_view key = take(bytes, '\n');
  is_accepted([&] { parse_column_keys(key); });
  is_accepted([&] { order_of_ranges(100, {std::string(key)}, false); });
  for (const std::optional<char> separator : {std::optional<char>(), std::optional(':')}) {
    is_accepted([&] {
      const field_key field = parse_field_key(key, separator, {});
      const std::string_view part = field.range.in(bytes);
      hold(part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + bytes.size(),
           "a key lies in its record");
    });
  }
}

void number(std::string_view bytes) {
  const std::string_view a = take(bytes, '\n');
  const std::string_view b = bytes;
  using form = key_part::form;
  for (const form as :
       {form::text, form::folded, form::leading_number, form::general_number, form::human_number, form::month,
        form::version, form::semantic, form::natural, form::presence, form::any_bytes, form::random})
    hold_order({.as = as}, a, b);
  for (const bool dictionary : {false, true})
    hold_order({.as = form::filtered,
                .filter = {dictionary ? text_filter::keep::dictionary : text_filter::keep::printing, dictionary}},
               a, b);
  if (parse_number(a) && parse_number(b))
    hold_order({.as = form::number}, a, b);
  const std::optional<instant> x = parse_instant(a);
  const std::optional<instant> y = parse_instant(b);
  hold_order({.as = form::instant}, a, b);
  if (x && y)
    hold(sign(compare({{.as = form::instant}}, a, b)) == (*x < *y ? -1 : *x > *y ? 1 : 0), "times compare as instants");
  for (const std::string_view text : {a, b}) {
    const std::optional<std::uint64_t> word = plain_integer_word(text, true);
    hold(!word || (parse_number(text) && integer_word(*parse_number(text)) == word), "plain integers are integers");
  }
}

void record(std::string_view bytes) {
  const std::string key(take(bytes, '\n'));
  const std::size_t size = bytes.size() / 2;
  if (size == 0)
    return;
  record_order order;
  if (!is_accepted([&] { order = order_of_ranges(size, {key}, false); }))
    return;
  hold_order(order[0], bytes.substr(0, size), bytes.substr(size, size));
  if (size % 4 == 0) {
    key_part characters{.where = key_part::place::range, .as = key_part::form::code_points};
    characters.binary = {.offset = 0, .bytes = size, .big_endian = key.size() % 2 != 0};
    hold_order(characters, bytes.substr(0, size), bytes.substr(size, size));
  }
}

} // namespace sortile::files::fuzz
