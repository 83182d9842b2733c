# Builds the probe of a strategy in OCaml: the file strategies/FAMILY/NAME.ml, with the programs in this folder, which
# register what the harness calls.
#
# Optimized as far as the compiler goes: -unsafe leaves out the checks of array bounds, which C++ has not either, and
# -inline 200 raises the limit of 10 for what is inlined. -O3 needs a compiler that was configured with flambda, which
# Debian's is not; others ignore it silently.

find_program(FREEHOLD_OCAMLOPT ocamlopt REQUIRED)
execute_process(COMMAND ${FREEHOLD_OCAMLOPT} -version
  OUTPUT_VARIABLE ocaml_version OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${FREEHOLD_OCAMLOPT} -where
  OUTPUT_VARIABLE ocaml_folder OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${FREEHOLD_OCAMLOPT} -config-var native_c_libraries
  OUTPUT_VARIABLE ocaml_libraries OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(ocaml_libraries UNIX_COMMAND "${ocaml_libraries}")

file(GLOB ocaml_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.ml)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ocaml_programs})
# A module is linked after those that it uses.
find_program(FREEHOLD_OCAMLDEP ocamldep REQUIRED)
execute_process(COMMAND ${FREEHOLD_OCAMLDEP} -sort ${ocaml_programs}
  OUTPUT_VARIABLE ocaml_programs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(ocaml_programs UNIX_COMMAND "${ocaml_programs}")

# As OCaml 4 and 5 call it.
find_library(ocaml_unix NAMES libunixnat.a libunix.a PATHS ${ocaml_folder} NO_DEFAULT_PATH REQUIRED)

function(add_ocaml_probe name strategy_file)
  # The compiler writes its other outputs beside the sources, so it is given copies. The object holds OCaml's runtime;
  # the C libraries behind its threads are linked afterwards, as they name libraries that ld -r does not find.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/ocaml/${name})
  list(TRANSFORM ocaml_programs REPLACE ".*/" "" OUTPUT_VARIABLE modules)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/complete.o
    COMMAND ${CMAKE_COMMAND} -E copy ${ocaml_programs} ${strategy_file} ${folder}
    COMMAND ${CMAKE_COMMAND} -E chdir ${folder}
      ${FREEHOLD_OCAMLOPT} -O3 -unsafe -inline 200 -output-complete-obj -o complete.o
      -noautolink -I +threads unix.cmxa threads.cmxa ${modules} ${name}.ml
    DEPENDS ${ocaml_programs} ${strategy_file}
    VERBATIM)
  add_executable(probe_${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/probe.cpp ${folder}/complete.o)
  target_include_directories(probe_${name} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/generated)
  target_include_directories(probe_${name} SYSTEM PRIVATE ${ocaml_folder})
  target_compile_definitions(probe_${name} PRIVATE
    FREEHOLD_STRATEGY_NAME="${name}" FREEHOLD_OCAML_VERSION="${ocaml_version}")
  target_link_libraries(probe_${name} PRIVATE harness
    ${ocaml_folder}/libthreadsnat.a ${ocaml_unix} ${ocaml_libraries})
endfunction()
