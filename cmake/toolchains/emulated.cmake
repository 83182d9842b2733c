# Compiles for another processor with Debian's cross compiler, and runs the tests under qemu-user, or directly where this
# processor can. -D FREEHOLD_TARGET_TRIPLE=TRIPLE names the processor as the compiler's name does: aarch64-linux-gnu.

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FREEHOLD_TARGET_TRIPLE)
string(REGEX MATCH "^[^-]+" processor ${FREEHOLD_TARGET_TRIPLE})
set(root /usr/${FREEHOLD_TARGET_TRIPLE})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_CXX_COMPILER ${FREEHOLD_TARGET_TRIPLE}-g++)
set(CMAKE_C_COMPILER ${FREEHOLD_TARGET_TRIPLE}-gcc)
if(processor STREQUAL i686)
  # With the C library that the compiler brought: the system need not have one of 32 bits.
  set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${root}/lib/ld-linux.so.2,-rpath=${root}/lib")
else()
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${processor} -L ${root})
endif()
