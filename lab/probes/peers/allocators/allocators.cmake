# Builds the allocators whose sources are crates, each as a shared library that is linked like any other malloc, and named
# after its crate: `NAME_malloc` for the strategy NAME.

enable_language(C)

# Adds the library of a strategy from sources below `folder` of its crate, with the settings of the allocator's own build.
function(add_malloc name crate folder)
  cmake_parse_arguments(PARSE_ARGV 3 malloc "" "" "SOURCES;INCLUDE;DEFINE;OPTIONS")
  file(GLOB found ${FREEHOLD_LAB_CRATES}/${crate}-[0-9]*)
  cmake_path(GET found FILENAME crate_and_version)
  list(TRANSFORM malloc_SOURCES PREPEND ${found}/${folder}/)
  list(TRANSFORM malloc_INCLUDE PREPEND ${found}/${folder}/)
  add_library(${name}_malloc SHARED EXCLUDE_FROM_ALL ${malloc_SOURCES})
  set_target_properties(${name}_malloc PROPERTIES PREFIX "" OUTPUT_NAME ${crate_and_version})
  target_include_directories(${name}_malloc PRIVATE ${malloc_INCLUDE})
  target_compile_definitions(${name}_malloc PRIVATE ${malloc_DEFINE})
  target_compile_options(${name}_malloc PRIVATE -w -ftls-model=initial-exec ${malloc_OPTIONS})
  target_link_libraries(${name}_malloc PRIVATE Threads::Threads)
endfunction()

add_malloc(mimalloc_3 libmimalloc-sys c_src/mimalloc/v3
  SOURCES src/static.c INCLUDE include src
  DEFINE MI_MALLOC_OVERRIDE MI_BUILD_RELEASE MI_DEBUG=0
  OPTIONS -fno-builtin-malloc)
add_malloc(rpmalloc rpmalloc-sys rpmalloc/rpmalloc
  SOURCES rpmalloc.c
  DEFINE _GNU_SOURCE ENABLE_PRELOAD=1 ENABLE_OVERRIDE=1)
add_malloc(snmalloc snmalloc-sys upstream/src
  SOURCES snmalloc/override/malloc.cc snmalloc/override/new.cc INCLUDE .
  DEFINE SNMALLOC_USE_WAIT_ON_ADDRESS=1 SNMALLOC_HAS_LINUX_FUTEX_H SNMALLOC_HAS_LINUX_RANDOM_H
    SNMALLOC_PLATFORM_HAS_GETENTROPY
  OPTIONS -mcx16)
