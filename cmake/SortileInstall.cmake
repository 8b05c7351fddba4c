# What `cmake --install` puts where: headers, the library, its CMake package and pkg-config file. The command-line tool with its
# manual page and completions installs itself (cli/).
include(CMakePackageConfigHelpers)
set(SORTILE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/sortile")

# A static library brings the two that it is made of.
get_target_property(sortile_type sortile TYPE)
set(SORTILE_STATIC OFF)
set(sortile_parts "")
if(sortile_type STREQUAL "STATIC_LIBRARY")
  set(SORTILE_STATIC ON)
  set(sortile_parts sortile_steps sortile_simt)
endif()
install(TARGETS sortile sortile_compare ${sortile_parts} EXPORT sortile-targets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/sortile" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
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

install(EXPORT sortile-targets NAMESPACE sortile:: DESTINATION "${SORTILE_CMAKE_DIR}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/sortileConfig.cmake.in" "${PROJECT_BINARY_DIR}/sortileConfig.cmake"
  INSTALL_DESTINATION "${SORTILE_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/sortileConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/sortileConfig.cmake" "${PROJECT_BINARY_DIR}/sortileConfigVersion.cmake"
        DESTINATION "${SORTILE_CMAKE_DIR}")

# pkg-config: the prefix is found from where the file lies, so that a moved tree keeps working.
file(RELATIVE_PATH SORTILE_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
# A static library leaves its own libraries to whoever links it; a shared one brings them along.
set(SORTILE_PC_PRIVATE "-lsortile_steps -lsortile_simt -lboost_context -ltbb -lstdc++ -lm -lpthread")
if(SORTILE_HAS_CUDA)
  string(APPEND SORTILE_PC_PRIVATE " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -lpthread")
endif()
set(SORTILE_PC_PUBLIC "")
if(SORTILE_STATIC)
  set(SORTILE_PC_PUBLIC " ${SORTILE_PC_PRIVATE}")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/sortile.pc.in" "${PROJECT_BINARY_DIR}/sortile.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/sortile.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
