// See collation.hpp.
//
//   key of a text    strxfrm("piece") 00 01 strxfrm("piece") 00 00
//
// strxfrm() writes no NUL, so that 00 00, the end, is less than 00 01, a further piece, and both are less than whatever
// a longer piece goes on with.
#include "files/collation.hpp"

#include "files/failure.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <string.h>

namespace sortile::files {

namespace {

constexpr std::string_view further_piece{"\0\1", 2};
constexpr std::string_view end_of_text{"\0\0", 2};
constexpr std::size_t usual_growth = 9; // bytes of a key for one of a text, in the locales of glibc

void append_transformed(const char* piece, std::size_t size, locale_t locale, std::string& key) {
  const std::size_t begin = key.size();
  for (std::size_t room = usual_growth * size + 1;;) {
    key.resize(begin + room);
    const std::size_t needed = ::strxfrm_l(key.data() + begin, piece, room, locale);
    if (needed < room)
      return key.resize(begin + needed);
    room = needed + 1;
  }
}

} // namespace

collation::collation(std::string name)
    : name_(std::move(name)), locale_(::newlocale(LC_COLLATE_MASK | LC_CTYPE_MASK, name_.c_str(), nullptr)) {
  if (locale_ == nullptr)
    refuse("--locale: the system has no locale '{}' (LC_ALL, LC_COLLATE or LANG names it; locale -a lists all)", name_);
}

collation::~collation() {
  ::freelocale(locale_);
}

int collation::compare(std::string_view a, std::string_view b) const {
  if (a == b)
    return 0;
  thread_local std::string x;
  thread_local std::string y;
  x.assign(a);
  y.assign(b);
  for (std::size_t at_x = 0, at_y = 0;;) {
    const int result = ::strcoll_l(x.c_str() + at_x, y.c_str() + at_y, locale_);
    if (result != 0)
      return result;
    at_x = std::min(a.find('\0', at_x), a.size()) + 1;
    at_y = std::min(b.find('\0', at_y), b.size()) + 1;
    if (at_x > a.size() || at_y > b.size())
      return static_cast<int>(at_x <= a.size()) - static_cast<int>(at_y <= b.size());
  }
}

void collation::append_key(std::string_view text, std::string& key) const {
  thread_local std::string terminated;
  terminated.assign(text);
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    append_transformed(terminated.c_str() + begin, end - begin, locale_, key);
    if (end == text.size())
      break;
    key += further_piece;
    begin = end + 1;
  }
  key += end_of_text;
}

std::string locale_of_environment() {
  for (const char* name : {"LC_ALL", "LC_COLLATE", "LANG"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0')
      return value;
  return "C";
}

bool orders_by_bytes(std::string_view locale) {
  return locale == "C" || locale == "POSIX" || locale == "C.UTF-8" || locale == "C.utf8";
}

std::shared_ptr<const collation> collation_of_environment() {
  const std::string name = locale_of_environment();
  return orders_by_bytes(name) ? nullptr : std::make_shared<const collation>(name);
}

} // namespace sortile::files
