# Builds the probe of a strategy in Go, from this folder and the file strategies/FAMILY/NAME.go, with the standard library
# alone: nothing is fetched, and what is compiled is kept below this build.
#
# go build has no options to optimize. The checks of array bounds stay, as in Java.

find_program(FREEHOLD_GO go REQUIRED)
file(GLOB go_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.go)
list(APPEND go_sources ${CMAKE_CURRENT_LIST_DIR}/go.mod ${registry}/registry.go)
# What the user has set for other programs is not for this one.
set(go_environment GOENV=off GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GO111MODULE=on GOWORK=off CGO_ENABLED=0
  GOOS= GOARCH= GOAMD64= GOEXPERIMENT=
  GOCACHE=${CMAKE_CURRENT_BINARY_DIR}/go/cache GOPATH=${CMAKE_CURRENT_BINARY_DIR}/go/path)

function(add_go_probe name strategy_file)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/go/${name})
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe_${name})
  add_custom_command(
    OUTPUT ${probe}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E copy ${go_sources} ${folder}
    COMMAND ${CMAKE_COMMAND} -E copy ${strategy_file} ${folder}/strategy.go
    COMMAND ${CMAKE_COMMAND} -E chdir ${folder} ${CMAKE_COMMAND} -E env ${go_environment}
      ${FREEHOLD_GO} build -buildvcs=false -ldflags=-X=main.strategy=${name} -o ${probe} .
    DEPENDS ${go_sources} ${strategy_file}
    VERBATIM)
  add_custom_target(go_probe_${name} ALL DEPENDS ${probe})
endfunction()
