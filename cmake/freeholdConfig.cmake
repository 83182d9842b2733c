# What find_package(freehold) reads.

include(${CMAKE_CURRENT_LIST_DIR}/freeholdTargets.cmake)

# RISC-V has no atomic instruction for one byte: compilers call a library.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^riscv")
  target_link_libraries(freehold::freehold INTERFACE atomic)
endif()
