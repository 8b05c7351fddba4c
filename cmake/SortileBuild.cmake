# How every target of sortile is compiled. Nothing here reaches a consumer: the settings are those of a target, never global flags.
include(GNUInstallDirs)

if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16))
  message(FATAL_ERROR "sortile: ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} is too old; g++ 12 or clang 16, or later, is needed "
                      "(set CMAKE_CXX_COMPILER or CXX)")
endif()

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "build type" FORCE)
  endif()
  find_program(SORTILE_CCACHE ccache)
  if(SORTILE_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${SORTILE_CCACHE}")
    set(CMAKE_C_COMPILER_LAUNCHER "${SORTILE_CCACHE}")
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${SORTILE_CCACHE}")
  endif()
endif()

# sortile_target(<name>): the language level, warnings and sanitizers of a target of our own.
function(sortile_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                           VISIBILITY_INLINES_HIDDEN ON DEFINE_SYMBOL "")
  if(SORTILE_WARNINGS)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion>)
    # g++ 12 sees overlapping copies in every `"text" + std::string` (its bug 105329).
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
    endif()
  endif()
  if(SORTILE_SANITIZE)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=${SORTILE_SANITIZE} -fno-omit-frame-pointer -g1
                                           -fno-sanitize-recover=all>)
    # AddressSanitizer's checks as calls in functions that have many: with each written out g++ takes up to half as long again. In loops
    # a call takes three times as long, so short functions keep theirs.
    if(SORTILE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:--param=asan-instrumentation-with-call-threshold=150>)
    endif()
    # These checks of UBSan take a quarter of such a build's time, and what they find AddressSanitizer finds too.
    if(SORTILE_SANITIZE MATCHES "address.*undefined")
      target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fno-sanitize=null,object-size,pointer-overflow,vptr>)
    endif()
    target_link_options(${name} PUBLIC -fsanitize=${SORTILE_SANITIZE})
  endif()
endfunction()

# sortile_compiled_quickly(<name>): for a target whose own code runs briefly, tests and commands: its headers take the compiler half the
# time where it optimises less, and under the sanitizers not at all. Options of a source, as kernels have them, come behind and prevail.
function(sortile_compiled_quickly name)
  target_compile_options(${name} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release>>:-O1>
                                         $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:RelWithDebInfo>>:-O0>)
endfunction()
