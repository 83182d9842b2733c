# Builds the probe of a strategy in Java, from this folder and the file strategies/FAMILY/NAME.java: an archive of classes
# behind a line that has `java` run it. FREEHOLD_LAB_OPTIONS_NAME are options of `java`.
#
# javac has no options to optimize: the virtual machine compiles at run time, by default in tiers up to its optimizing
# compiler. Timing.java lets it finish before it times anything.

find_program(FREEHOLD_JAVAC javac REQUIRED)
find_program(FREEHOLD_JAR jar REQUIRED)
find_program(FREEHOLD_JAVA java REQUIRED)
file(GLOB java_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.java)
list(APPEND java_sources ${registry}/Extents.java ${registry}/Programs.java)

function(add_java_probe name strategy_file)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/java/${name})
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe_${name})
  file(MAKE_DIRECTORY ${folder})
  file(WRITE ${folder}/start "#!/bin/sh\n"
    "exec ${FREEHOLD_JAVA} ${FREEHOLD_LAB_OPTIONS_${name}} -Dfreehold.strategy=${name} -cp \"$0\" Probe \"$@\"\n")
  add_custom_command(
    OUTPUT ${probe}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}/classes
    COMMAND ${CMAKE_COMMAND} -E copy ${strategy_file} ${folder}/Strategy.java
    COMMAND ${FREEHOLD_JAVAC} -d ${folder}/classes -Xlint:all ${java_sources} ${folder}/Strategy.java
    COMMAND ${FREEHOLD_JAR} --create --file ${folder}/classes.jar -C ${folder}/classes .
    COMMAND ${CMAKE_COMMAND} -E cat ${folder}/start ${folder}/classes.jar > ${probe}
    COMMAND chmod +x ${probe}
    DEPENDS ${java_sources} ${strategy_file} ${folder}/start
    VERBATIM)
  add_custom_target(java_probe_${name} ALL DEPENDS ${probe})
endfunction()
