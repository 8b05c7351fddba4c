# A kernel file is compiled twice: by the host compiler for the executor, and by nvcc, where there is one, for the GPU.
#
#   sortile_kernels(<target> [RDC] <file.cu>...)
#
# Each file goes to the target through a generated .cpp that includes it, and, with CUDA, as itself. RDC: device code that
# launches kernels. The target must link sortile_simt.
function(sortile_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RDC" "" "")
  foreach(file IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(path "${file}" ABSOLUTE)
    file(RELATIVE_PATH relative "${CMAKE_CURRENT_SOURCE_DIR}" "${path}")
    string(REGEX REPLACE "[^A-Za-z0-9_.]" "_" name "${relative}")
    set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/${target}.kernels/${name}.executor.cpp")
    # By a relative path, so that a compiler cache knows the file again in another checkout.
    get_filename_component(folder "${wrapper}" DIRECTORY)
    file(RELATIVE_PATH from_wrapper "${folder}" "${path}")
    file(CONFIGURE OUTPUT "${wrapper}" CONTENT "// ${relative}, for the executor.\n#include \"${from_wrapper}\"\n" @ONLY)
    target_sources(${target} PRIVATE "${wrapper}")
    if(SORTILE_HAS_CUDA)
      target_sources(${target} PRIVATE "${path}")
    endif()
  endforeach()
  if(SORTILE_HAS_CUDA)
    sortile_cuda_target(${target})
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
    if(arg_RDC)
      set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
    endif()
  endif()
endfunction()
