# What `cmake --install` puts where: headers, the library, the libraries of the engines made of kernels that this build has, their CMake
# package and pkg-config files. The command-line tool with its manual page and completions installs itself (cli/).
include(CMakePackageConfigHelpers)
set(SORTILE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/sortile")

get_target_property(sortile_type sortile TYPE)
set(SORTILE_STATIC OFF)
if(sortile_type STREQUAL "STATIC_LIBRARY")
  set(SORTILE_STATIC ON)
endif()

# A component's targets are in a file of their own: sortile, kernels (what both engines have, and compare.cuh), cuda, executor.
function(sortile_install_targets component)
  install(TARGETS ${ARGN} EXPORT sortile-${component}-targets)
  install(EXPORT sortile-${component}-targets NAMESPACE sortile:: DESTINATION "${SORTILE_CMAKE_DIR}")
endfunction()
sortile_install_targets(cpu sortile)
if(SORTILE_HAS_KERNELS)
  if(SORTILE_STATIC OR SORTILE_EXECUTOR)
    sortile_install_targets(kernels sortile_dialect sortile_compare sortile_steps)
  else()
    sortile_install_targets(kernels sortile_dialect sortile_compare)
  endif()
endif()
if(SORTILE_HAS_CUDA)
  sortile_install_targets(cuda sortile_cuda sortile_cuda_engine)
endif()
if(SORTILE_EXECUTOR)
  sortile_install_targets(executor sortile_executor sortile_executor_engine sortile_simt)
endif()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/sortile" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(SORTILE_HAS_KERNELS)
  # What compare.cuh includes of the layers below, the same files. Of the executor: what kernels compiled for it need.
  set(sortile_compare_dir "${CMAKE_INSTALL_INCLUDEDIR}/sortile/compare")
  foreach(part simt/cuda kernels/decompose)
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/${part}/" DESTINATION "${sortile_compare_dir}/${part}"
            FILES_MATCHING PATTERN "*.hpp")
  endforeach()
  file(GLOB sortile_dialect CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/simt/*.hpp")
  install(FILES ${sortile_dialect} DESTINATION "${sortile_compare_dir}/simt")
  file(GLOB sortile_dialect CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/simt/executor/dialect_*.hpp")
  foreach(part counters device runtime)
    list(APPEND sortile_dialect "${PROJECT_SOURCE_DIR}/src/simt/executor/${part}.hpp")
  endforeach()
  install(FILES ${sortile_dialect} DESTINATION "${sortile_compare_dir}/simt/executor")
  install(FILES "${PROJECT_SOURCE_DIR}/src/primitives/key_codec.hpp" DESTINATION "${sortile_compare_dir}/primitives")
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/sortileConfig.cmake.in" "${PROJECT_BINARY_DIR}/sortileConfig.cmake"
  INSTALL_DESTINATION "${SORTILE_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/sortileConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/sortileConfig.cmake" "${PROJECT_BINARY_DIR}/sortileConfigVersion.cmake"
        DESTINATION "${SORTILE_CMAKE_DIR}")

# pkg-config: the prefix is found from where the file lies, so that a moved tree keeps working.
file(RELATIVE_PATH SORTILE_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
# A static library leaves its own libraries to whoever links it; a shared one brings them along. An engine's static library is linked
# whole (src/gpu/CMakeLists.txt).
set(sortile_system "-lstdc++ -lm -lpthread")
set(sortile_cuda_system "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt ${sortile_system}")
set(sortile_executor_system "-lsortile_simt -lboost_context ${sortile_system}")

# sortile_pkg_config(<name> <what it is> <static or shared> <-l options> <those of what it is made of> <required>)
function(sortile_pkg_config name SORTILE_PC_WHAT type libraries private SORTILE_PC_REQUIRES)
  set(SORTILE_PC_NAME ${name})
  set(SORTILE_PC_LIBS "${libraries}")
  set(SORTILE_PC_PRIVATE "${private}")
  if(type STREQUAL "static")
    string(APPEND SORTILE_PC_LIBS " ${private}")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/sortile.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
function(sortile_whole name result)
  set(${result} "-Wl,-u,sortile_engine_${name} -Wl,--whole-archive -lsortile_${name} -Wl,--no-whole-archive -lsortile_steps" PARENT_SCOPE)
endfunction()

set(type shared)
if(SORTILE_STATIC)
  set(type static)
endif()
sortile_pkg_config(sortile "${PROJECT_DESCRIPTION}" ${type} "-lsortile" "${sortile_system}" "")
if(SORTILE_HAS_CUDA)
  set(libraries "-Wl,-u,sortile_engine_cuda -lsortile_cuda")
  if(SORTILE_STATIC)
    sortile_whole(cuda libraries)
  endif()
  sortile_pkg_config(sortile-cuda "sortile's GPU engine" ${type} "${libraries}" "${sortile_cuda_system}" sortile)
endif()
if(SORTILE_EXECUTOR)
  sortile_whole(executor libraries)
  sortile_pkg_config(sortile-executor "sortile's GPU engine run on the CPU, for checking" static "${libraries}" "${sortile_executor_system}" sortile)
endif()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
