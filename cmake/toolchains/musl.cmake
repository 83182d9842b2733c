# Compiles for Linux with the C library musl, and with libc++: `zig c++` of the Python package ziglang, which is clang with
# the sources of both libraries. It compiles these once, into build/zig.
#
# -D FREEHOLD_ZIG=PATH chooses a zig, -D FREEHOLD_MUSL_SHARED=ON a program that loads musl: /lib/ld-musl-x86_64.so.1.

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FREEHOLD_ZIG FREEHOLD_MUSL_SHARED)
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
file(GLOB packages ${root}/build/python/lib/python3.*/site-packages/ziglang)
find_program(FREEHOLD_ZIG zig HINTS ${packages} REQUIRED)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# Without optimization zig has libc++ check a whole tree at each removal from it. This mode leaves the cheap checks.
set(hardening "-U_LIBCPP_HARDENING_MODE -D_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_EXTENSIVE")
set(options "-target x86_64-linux-musl -fno-sanitize=undefined ${hardening}")
if(FREEHOLD_MUSL_SHARED)
  # zig 0.14 ignores -dynamic, and links musl statically unless a program needs a shared library. This one is musl.
  set(CMAKE_EXE_LINKER_FLAGS_INIT /lib/ld-musl-x86_64.so.1)
endif()
# One program, as CMake and ccache expect a compiler to be.
foreach(language IN ITEMS cc c++)
  set(compiler ${root}/build/zig/musl-${language})
  file(CONFIGURE OUTPUT ${compiler} CONTENT
    "#!/bin/sh\nZIG_GLOBAL_CACHE_DIR=${root}/build/zig/cache exec ${FREEHOLD_ZIG} ${language} ${options} \"$@\"\n" @ONLY)
  file(CHMOD ${compiler} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER ${root}/build/zig/musl-cc)
set(CMAKE_CXX_COMPILER ${root}/build/zig/musl-c++)
