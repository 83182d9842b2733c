# Compiles and links for macOS with zig, which brings its libraries' headers and stubs. What it makes does not run here.
# -D FREEHOLD_TARGET_TRIPLE=aarch64-macos or x86_64-macos; zig is on the PATH, or of the package ziglang of FREEHOLD_PYTHON.

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FREEHOLD_TARGET_TRIPLE FREEHOLD_ZIG)
string(REGEX MATCH "^[^-]+" processor ${FREEHOLD_TARGET_TRIPLE})
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
file(GLOB zig_of_python ${CMAKE_CURRENT_LIST_DIR}/../../build/python/lib/python*/site-packages/ziglang)
find_program(FREEHOLD_ZIG zig HINTS ${zig_of_python} REQUIRED)
set(CMAKE_CXX_COMPILER ${FREEHOLD_ZIG} c++)
set(CMAKE_C_COMPILER ${FREEHOLD_ZIG} cc)
set(CMAKE_CXX_COMPILER_TARGET ${FREEHOLD_TARGET_TRIPLE})
set(CMAKE_C_COMPILER_TARGET ${FREEHOLD_TARGET_TRIPLE})
set(CMAKE_CXX_ARCHIVE_CREATE "\"${FREEHOLD_ZIG}\" ar qc <TARGET> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "\"${FREEHOLD_ZIG}\" ranlib <TARGET>")
set(CMAKE_OSX_SYSROOT "")
set(CMAKE_INSTALL_NAME_TOOL ${FREEHOLD_ZIG}) # CMake looks for it, and nothing uses it
