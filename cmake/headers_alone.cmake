# The build fails where a public header does not compile alone: once with each standard library, for the other compiler,
# the optimizer and sanitizers have nothing to add to that but their time. So libc++ has its turn in the long test. A
# private header is included by its own layer alone. That for nanobind is compiled by tests/bindings/.

if(CMAKE_CXX_FLAGS MATCHES "-fsanitize="
    OR CMAKE_CXX_FLAGS_DEBUG MATCHES "-O1 -fstrict-aliasing"
    OR NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_FLAGS MATCHES "-stdlib=libc[+][+]"))
  return()
endif()

set(include ${PROJECT_SOURCE_DIR}/include)
file(GLOB_RECURSE public CONFIGURE_DEPENDS ${include}/*.hpp)
list(FILTER public EXCLUDE REGEX "/detail/|/interop/nanobind[.]hpp$")
separate_arguments(options UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
list(APPEND options -std=c++20 -Werror -Wall -Wextra -Wpedantic -Wconversion -Wshadow -fsyntax-only -I${include})

foreach(header IN LISTS public)
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${include} OUTPUT_VARIABLE name)
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${name})
  cmake_path(GET stamp PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CMAKE_CXX_COMPILER} ${options} -MD -MF ${stamp}.d -MT ${stamp} -include ${name} -x c++ /dev/null
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${header} DEPFILE ${stamp}.d
    COMMENT "Compiling ${name} alone" VERBATIM)
  list(APPEND stamps ${stamp})
endforeach()
add_custom_target(headers_alone ALL DEPENDS ${stamps})
