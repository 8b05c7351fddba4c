# Finds CUDA or leaves it out, and says which in one line. Sets SORTILE_HAS_CUDA; SORTILE_GPU_TESTS to ON or OFF; and
# SORTILE_HAS_KERNELS where there is an engine made of kernels.
#
# CMake 3.25 knows neither C++20 for nvcc nor the architecture name `native`; the language level is therefore given as a plain
# compile option to the targets that need it (sortile_cuda_target).
set(SORTILE_CUDA_ARCHITECTURES "80-real;90-real;90-virtual" CACHE STRING "GPU architectures to compile for")
set(SORTILE_HAS_CUDA OFF)

if(NOT SORTILE_CUDA STREQUAL "OFF")
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(SORTILE_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(SORTILE_NVCC)
      set(CMAKE_CUDA_COMPILER "${SORTILE_NVCC}")
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_ARCHITECTURES "${SORTILE_CUDA_ARCHITECTURES}")
    enable_language(CUDA)
    find_package(CUDAToolkit 12.8 QUIET)
    if(CUDAToolkit_FOUND)
      set(SORTILE_HAS_CUDA ON)
    endif()
  endif()
  if(SORTILE_CUDA STREQUAL "ON" AND NOT SORTILE_HAS_CUDA)
    message(FATAL_ERROR "sortile: SORTILE_CUDA=ON, but no nvcc of CUDA 12.8 or later was found (set CMAKE_CUDA_COMPILER or CUDACXX)")
  endif()
endif()

# What nvcc makes of tests, gallery and benches runs on a GPU alone; the GPU side of the library is always compiled.
if(NOT SORTILE_HAS_CUDA)
  set(SORTILE_GPU_TESTS OFF)
elseif(SORTILE_GPU_TESTS STREQUAL "AUTO")
  set(SORTILE_GPU_TESTS OFF)
  if(EXISTS /dev/nvidia0)
    set(SORTILE_GPU_TESTS ON)
  endif()
endif()

# Kernels that nothing here runs need not be fast (CUDA 13).
set(SORTILE_KERNELS_ARE_QUICK OFF)
if(SORTILE_QUICK_KERNELS AND SORTILE_HAS_CUDA AND NOT SORTILE_GPU_TESTS AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  set(SORTILE_KERNELS_ARE_QUICK ON)
endif()

set(SORTILE_HAS_KERNELS OFF)
if(SORTILE_HAS_CUDA OR SORTILE_EXECUTOR)
  set(SORTILE_HAS_KERNELS ON)
endif()

if(SORTILE_HAS_CUDA)
  message(STATUS "sortile: CUDA ${CUDAToolkit_VERSION} found, GPU side built for ${CMAKE_CUDA_ARCHITECTURES}, tests and gallery "
                 "for the GPU: ${SORTILE_GPU_TESTS}")
elseif(SORTILE_CUDA STREQUAL "OFF")
  message(STATUS "sortile: CUDA left out (SORTILE_CUDA=OFF)")
else()
  message(STATUS "sortile: CUDA left out (no nvcc of CUDA 12.8 or later)")
endif()

# sortile_cuda_target(<name>): how device code of a target is compiled.
function(sortile_cuda_target name)
  set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr -Xcompiler=-Wall>)
endfunction()
