# A kernel file is compiled twice: by the host compiler for the executor, and by nvcc, where there is one, for the GPU.
#
#   sortile_executor_kernels(<target> <file.cu>...)   for the executor: through a generated .cpp that includes the file
#   sortile_cuda_kernels(<target> [RDC] <file.cu>...) by nvcc
#   sortile_cuda_kernels_together(<target> <file.cu>...)  by nvcc, six files a translation unit: quicker, and nothing of it runs
#   sortile_kernels(<target> [RDC] <file.cu>...)      of a test, classic or bench: for the executor, and with SORTILE_GPU_TESTS for
#                                                     the GPU too; the target must link sortile_simt
#
#   sortile_kernel_instances(<list> <header> <macro> <width>...)  appends to the list of kernel files one for each width of keys, so that
#                                                     they compile side by side: it includes the header and instantiates its kernels by
#                                                     the macro. 8-16: one file for both
#
# RDC: device code that launches kernels.
#
#   sortile_kernel_library(<target>)                  a library that engines made of kernels need: as sortile_target(), and in
#                                                     another project built only where something links it
function(sortile_kernel_library target)
  sortile_target(${target})
  set_target_properties(${target} PROPERTIES CUDA_VISIBILITY_PRESET hidden SORTILE_INSTALLED ON)
  if(NOT PROJECT_IS_TOP_LEVEL AND NOT SORTILE_INSTALL)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# A translation unit that includes files: by relative paths, so that a compiler cache knows them again in another checkout.
function(sortile_including unit comment)
  get_filename_component(folder "${unit}" DIRECTORY)
  set(text "// ${comment}\n")
  foreach(file IN LISTS ARGN)
    get_filename_component(path "${file}" ABSOLUTE)
    file(RELATIVE_PATH path "${folder}" "${path}")
    string(APPEND text "#include \"${path}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}" @ONLY)
endfunction()

function(sortile_kernel_instances list header macro)
  get_filename_component(name "${header}" NAME_WE)
  set(files ${${list}})
  foreach(widths IN LISTS ARGN)
    set(text "// Kernels for keys of ${widths} bits.\n#include \"kernels/${header}\"\n\n")
    string(REPLACE "-" ";" each "${widths}")
    foreach(width IN LISTS each)
      string(REPLACE std::uint128_t sortile::uint128 word "std::uint${width}_t")
      string(APPEND text "${macro}(${word})\n")
    endforeach()
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/instances/${name}_${widths}.cu")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}" @ONLY)
    list(APPEND files "${unit}")
  endforeach()
  set(${list} ${files} PARENT_SCOPE)
endfunction()

function(sortile_executor_kernels target)
  foreach(file IN LISTS ARGN)
    get_filename_component(path "${file}" ABSOLUTE)
    string(REPLACE "${CMAKE_CURRENT_BINARY_DIR}/" "${CMAKE_CURRENT_SOURCE_DIR}/" relative "${path}") # of one that is made here
    file(RELATIVE_PATH relative "${CMAKE_CURRENT_SOURCE_DIR}" "${relative}")
    string(REGEX REPLACE "[^A-Za-z0-9_.]" "_" name "${relative}")
    set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels/${name}.executor.cpp")
    sortile_including("${wrapper}" "${relative}, for the executor." "${file}")
    target_sources(${target} PRIVATE "${wrapper}")
    # -O2 takes half as long again to compile and runs no faster: on the executor a kernel waits for its fibers. (It would need
    # -Wno-stringop-overflow for g++ 12 besides, which then takes lengths that cannot be for ones that are.)
    set_property(SOURCE "${wrapper}" TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
  endforeach()
endfunction()

function(sortile_cuda_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RDC" "" "")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  target_sources(${target} PRIVATE ${arg_UNPARSED_ARGUMENTS})
  sortile_cuda_target(${target})
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  if(arg_RDC)
    set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
  endif()
endfunction()

# The headers take nvcc five seconds a unit, as much as a file's kernels do.
function(sortile_cuda_kernels_together target)
  list(LENGTH ARGN count)
  math(EXPR last "${count} - 1")
  foreach(first RANGE 0 ${last} 6)
    list(SUBLIST ARGN ${first} 6 files)
    set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels/together_${first}.cu")
    sortile_including("${unit}" "Files of kernels, for nvcc." ${files})
    sortile_cuda_kernels(${target} "${unit}")
  endforeach()
endfunction()

function(sortile_kernels target)
  set(files ${ARGN})
  list(REMOVE_ITEM files RDC)
  sortile_executor_kernels(${target} ${files})
  if(SORTILE_GPU_TESTS)
    sortile_cuda_kernels(${target} ${ARGN})
  endif()
endfunction()
