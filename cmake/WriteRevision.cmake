# Run by each build: writes the git revision of SOURCE_DIR into the header OUTPUT, "+" after it where tracked files were changed;
# "unknown" where SOURCE_DIR is not the top of a checkout. The header is touched only where its content changes.
cmake_minimum_required(VERSION 3.25)
find_program(git git)
set(revision "unknown")
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE_DIR} rev-parse --show-prefix --short=12 HEAD
                  OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
  # The first line is the way from the top of the checkout to here: a project that holds sortile has a revision of its own.
  if(NOT failed AND found MATCHES "^\n([0-9a-f]+)\n$")
    set(revision ${CMAKE_MATCH_1})
    execute_process(COMMAND ${git} -C ${SOURCE_DIR} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      string(APPEND revision "+")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "// The revision that is being built.\n#define SORTILE_REVISION \"@revision@\"\n")
