// Names and values in messages: whatever they hold, a message stays one line, and no byte of it steers a terminal.
#pragma once

#include <string>
#include <string_view>

namespace sortile::files {

/// `text` with its control characters written as C writes them: \n, \t, \033. Those of Unicode above ASCII
/// (U+0080 to U+009F, in UTF-8) too.
std::string escaped(std::string_view text);

/// A name as GNU sort writes it in the C locale: as a shell would need it, 'a'$'\n''b'. In some of its messages any
/// name is quoted, in others those that a shell would not take as they are.
enum class quoted_names : bool { as_needed, always };
std::string shell_quoted(std::string_view name, quoted_names which = quoted_names::as_needed);

/// An argument as GNU sort writes it in the C locale: '\303\251', 'a\\b'.
std::string quoted_by_sort(std::string_view argument);

} // namespace sortile::files
