# Finds clang++ whatever it is called: Debian's packages install clang++-19 and the like, and on Debian 12 the plain
# clang++ is version 14, too old for Freehold. -D FREEHOLD_CLANG=PATH chooses one by hand.

function(freehold_clang_is_recent result candidate)
  execute_process(COMMAND ${candidate} -dumpversion OUTPUT_VARIABLE version)
  if(version VERSION_LESS 16)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

find_program(FREEHOLD_CLANG
  NAMES clang++-22 clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 clang++-16 clang++
  VALIDATOR freehold_clang_is_recent
  REQUIRED)
set(CMAKE_CXX_COMPILER ${FREEHOLD_CLANG})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FREEHOLD_CLANG)
