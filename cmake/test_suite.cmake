# freehold_add_test_suite(FOLDER): one executable of every .cpp under FOLDER, and a test FOLDER/FILE of each.
# Adding a test is adding a file. A folder may be empty.

include(${CMAKE_CURRENT_LIST_DIR}/joined_sources.cmake)

add_library(freehold_strict INTERFACE)
target_compile_options(freehold_strict INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)

# Death tests start theirs afresh ("threadsafe"), since forking is unsafe once a test has threads and under
# ThreadSanitizer. An emulator does not start programs of another processor.
set(freehold_test_environment GTEST_DEATH_TEST_STYLE=threadsafe)
if(CMAKE_CROSSCOMPILING_EMULATOR)
  set(freehold_test_environment GTEST_DEATH_TEST_STYLE=fast FREEHOLD_TESTS_ARE_EMULATED=1)
endif()

# What every test includes, read once: half the time that a test takes to compile. Freehold's own headers are not among
# it, so that a test fails to compile without the one it needs.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp "")
add_library(freehold_precompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(freehold_precompiled PRIVATE freehold::freehold freehold_strict GTest::gtest)
target_precompile_headers(freehold_precompiled PRIVATE
  <gtest/gtest.h> <atomic> <functional> <memory> <memory_resource> <random> <string> <thread> <unordered_set> <vector>)

add_library(freehold_test_main STATIC ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
target_link_libraries(freehold_test_main PUBLIC GTest::gtest PRIVATE freehold_strict)
target_compile_features(freehold_test_main PRIVATE cxx_std_20)
if(WIN32)
  target_sources(freehold_test_main PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/bounded_waits.cpp)
  # Undefined at first: where only libraries wait, the linker would have passed the file that waits for them.
  target_link_options(freehold_test_main INTERFACE
    LINKER:--wrap=pthread_cond_wait,--undefined=__wrap_pthread_cond_wait)
endif()

# ThreadSanitizer has nothing to say of a test that never mentions a thread, nor of those that run their threads by turns.
function(freehold_leave_tests_with_threads name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${${name}})
  foreach(source IN LISTS ${name})
    file(STRINGS ${source} mentioned REGEX "thread")
    if(NOT mentioned OR source MATCHES "/memory_model/")
      list(REMOVE_ITEM ${name} ${source})
    endif()
  endforeach()
  set(${name} ${${name}} PARENT_SCOPE)
endfunction()

function(freehold_add_test_suite folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
    freehold_leave_tests_with_threads(sources)
  endif()
  if(WIN32)
    list(FILTER sources EXCLUDE REGEX "/shared_memory_processes[.]cpp$")  # forks, and kills by signals
  endif()
  if(NOT sources)
    return()
  endif()
  string(REPLACE / _ name ${folder})
  set(units ${sources})
  freehold_join(${name} units)
  foreach(unit IN LISTS units)
    # These execute so much that a sanitizer's build without optimization takes ten times as long.
    if(CMAKE_CXX_FLAGS_DEBUG MATCHES "-O0" AND unit MATCHES "/memory_model|large_objects")
      set_property(SOURCE ${unit} APPEND PROPERTY COMPILE_OPTIONS -O1)
      set_source_files_properties(${unit} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
    # It has more sections than an object file of Windows usually may.
    if(WIN32 AND unit MATCHES "/unit_pointers_open")
      set_property(SOURCE ${unit} APPEND PROPERTY COMPILE_OPTIONS -Wa,-mbig-obj)
    endif()
    # What an optimizer does with the address of a thread-local variable.
    if(unit MATCHES "/thread_local.cpp" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      set_property(SOURCE ${unit} APPEND PROPERTY COMPILE_OPTIONS -O2)
      set_source_files_properties(${unit} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  add_executable(${name} ${units})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE freehold::freehold freehold_strict freehold_test_main)
  target_precompile_headers(${name} REUSE_FROM freehold_precompiled)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} tests REGEX "^ *(TEST|TEST_F|TEST_P|TYPED_TEST|CONTRACT)[(]")
    if(NOT tests)
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE file)
    cmake_path(REMOVE_EXTENSION file OUTPUT_VARIABLE test)
    add_test(NAME ${test} COMMAND ${name} --file=${file})
    set_tests_properties(${test} PROPERTIES
      ENVIRONMENT "${freehold_test_environment}"
      FAIL_REGULAR_EXPRESSION "^0 tests")
    # The longest come first, so that none runs alone at the end.
    if(test MATCHES "memory_model|deep_destruction|large_objects")
      set_tests_properties(${test} PROPERTIES COST 100)
    endif()
  endforeach()
endfunction()
