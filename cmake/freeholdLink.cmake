# What a program that uses Freehold is linked with, on the system and the processor that it is built for. The headers may
# be installed for any, so freeholdConfig.cmake asks again. Plain options: Meson reads them, and no generator expressions.

set(freehold_link_options)
set(freehold_link_libraries)

# A program's plug-ins use the program's hazard pointers and RCU domain, whatever visibility they are built with. `zig c++`
# does not pass the option to its linker.
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CMAKE_CXX_COMPILER MATCHES "zig")
  list(APPEND freehold_link_options
    -Wl,--export-dynamic-symbol=freehold_hazard_pointers_v0_2
    -Wl,--export-dynamic-symbol=freehold_rcu_domain_v0_2)
endif()

# RISC-V has no atomic instruction for one byte: compilers call a library.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^riscv")
  list(APPEND freehold_link_libraries atomic)
endif()
