// The order of texts in a locale: a key for each text, whose bytes compare as the texts do.
//
// A key is what strxfrm() makes of the text. NULs, of which strxfrm() knows nothing, part a text into pieces that are
// compared one after the other. Texts that the locale takes for equal have equal keys, though their bytes may differ.
//
// The order is that of strcoll(), and glibc's two functions disagree on a few texts (combining marks, characters that
// the locale does not know, where nothing else decides). A sort by keys is therefore looked over by comparison once.
//
// Source: POSIX strcoll() and strxfrm(); for NULs, what GNU sort 9.1 does.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <locale.h>

namespace sortile::files {

class collation {
 public:
  /// \throws invalid_argument where the system has no such locale
  explicit collation(std::string name);
  collation(const collation&) = delete;
  collation& operator=(const collation&) = delete;
  ~collation();

  const std::string& name() const { return name_; }

  /// Negative, 0, positive. May be called by several threads.
  int compare(std::string_view a, std::string_view b) const;

  /// Appends the key of a text. No key is the beginning of another one. May be called by several threads.
  void append_key(std::string_view text, std::string& key) const;

 private:
  std::string name_;
  locale_t locale_;
};

/// The locale that the environment names for the order of text: the first of LC_ALL, LC_COLLATE and LANG that is not
/// empty, else "C".
std::string locale_of_environment();

/// Whether text is in the order of its bytes there: C and POSIX, and C in UTF-8.
bool orders_by_bytes(std::string_view locale);

/// The order of the environment's locale; null where that is the order of bytes. \throws as collation()
std::shared_ptr<const collation> collation_of_environment();

} // namespace sortile::files
