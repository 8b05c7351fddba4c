# Run by cmake -P: writes text files into a C++ source, as string literals.
#
#   cmake -DOUTPUT=texts.cpp -DROOT=<folder> -DTEXTS=<a|b|…, relative to ROOT> -P EmbedTexts.cmake
#
# What it defines is declared in classics/embedded.hpp.
string(REPLACE "|" ";" texts "${TEXTS}")
set(temporary "${OUTPUT}.new")
file(WRITE "${temporary}" "// Made by cmake/EmbedTexts.cmake.\n#include \"classics/embedded.hpp\"\n\nnamespace sortile::classics {\n\n"
                          "std::span<const embedded_text> embedded_texts() {\n  static constexpr embedded_text all[] = {\n")
foreach(text IN LISTS texts)
  file(READ "${ROOT}/${text}" content)
  string(FIND "${content}" ")embedded\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${text}: holds the characters that end an embedded text")
  endif()
  file(APPEND "${temporary}" "{\"${text}\", R\"embedded(${content})embedded\"},\n")
endforeach()
file(APPEND "${temporary}" "};\n  return all;\n}\n\n} // namespace sortile::classics\n")
file(RENAME "${temporary}" "${OUTPUT}")
