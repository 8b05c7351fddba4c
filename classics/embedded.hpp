// Texts that the program carries with it: the parts of its pages, and the gallery's sources, which the pages quote.
#pragma once

#include <span>
#include <string_view>

namespace sortile::classics {

struct embedded_text {
  std::string_view path; ///< from the project's folder on
  std::string_view content;
};

/// All of them. Made by CMake (cmake/EmbedTexts.cmake) from the files themselves.
std::span<const embedded_text> embedded_texts();

} // namespace sortile::classics
