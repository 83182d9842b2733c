# Compiles for another processor with Debian's cross compiler, and runs the tests under qemu-user.
# -D FREEHOLD_TARGET_TRIPLE=TRIPLE names the processor as the compiler's name does: aarch64-linux-gnu.

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FREEHOLD_TARGET_TRIPLE)
string(REGEX MATCH "^[^-]+" processor ${FREEHOLD_TARGET_TRIPLE})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_CXX_COMPILER ${FREEHOLD_TARGET_TRIPLE}-g++)
set(CMAKE_C_COMPILER ${FREEHOLD_TARGET_TRIPLE}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${processor} -L /usr/${FREEHOLD_TARGET_TRIPLE})
