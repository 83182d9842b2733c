# Builds GoogleTest from the sources in Debian's package `googletest`, never from its compiled library: it must share
# the tests' compiler, standard library and sanitizers, or libc++ does not link and the sanitizers report falsely.

set(FREEHOLD_GOOGLETEST /usr/src/googletest CACHE PATH "GoogleTest's sources")
if(NOT EXISTS ${FREEHOLD_GOOGLETEST}/CMakeLists.txt)
  message(FATAL_ERROR
    "No GoogleTest in ${FREEHOLD_GOOGLETEST}: install the package googletest or set FREEHOLD_GOOGLETEST")
endif()

block()
  set(BUILD_GMOCK OFF)
  set(INSTALL_GTEST OFF)
  set(CMAKE_COMPILE_WARNING_AS_ERROR OFF)
  add_subdirectory(${FREEHOLD_GOOGLETEST} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
endblock()
# Each test is a process that looks through the names of all: without optimization, half of the time under a sanitizer.
target_compile_options(gtest PRIVATE -O1)
