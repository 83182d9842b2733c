# Builds the probe of a strategy in Rust, from this folder and the file strategies/FAMILY/NAME.rs. If it is made of a
# crate, FREEHOLD_LAB_CRATE_NAME, Cargo builds that first, from the sources that are here.

find_program(FREEHOLD_RUSTC rustc REQUIRED)
execute_process(COMMAND ${FREEHOLD_RUSTC} --version OUTPUT_VARIABLE rustc_version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[0-9.]+" rustc_version ${rustc_version})
file(GLOB_RECURSE rust_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.rs)

# Optimized as far as the compiler goes, beyond `cargo build --release`: lto=fat with a single codegen unit lets the
# compiler inline across all of the program, its crates and the standard library, as a C++ compiler inlines its headers.
# No processor is named (-C target-cpu, -march), neither here nor for C++, so both compile for any processor of the
# machine's architecture.
set(rust_optimized -C opt-level=3 -C codegen-units=1 -C panic=abort -C lto=fat)
set(cargo_optimized
  CARGO_PROFILE_RELEASE_OPT_LEVEL=3 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 CARGO_PROFILE_RELEASE_PANIC=abort
  CARGO_PROFILE_RELEASE_LTO=fat)

# Builds the crate with what it depends on, once for all strategies. Its file is then ${crate_library}, its version
# ${crate_version}, and ${with_crate} are the options to use it.
function(build_crate crate)
  find_program(FREEHOLD_CARGO cargo REQUIRED)
  set(manifest ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../allocators/Cargo.toml)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/crates/${crate})
  string(REPLACE - _ name ${crate})
  set(library ${folder}/release/lib${name}.rlib)
  if(NOT TARGET crate_${crate})
    add_custom_command(
      OUTPUT ${library}
      COMMAND ${CMAKE_COMMAND} -E env ${cargo_optimized}
        ${FREEHOLD_CARGO} build --quiet --release --offline --locked --package ${crate} --manifest-path ${manifest}
        --target-dir ${folder} --config "source.crates-io.replace-with='here'"
        --config "source.here.directory='${FREEHOLD_LAB_CRATES}'"
      DEPENDS ${manifest}
      VERBATIM)
    add_custom_target(crate_${crate} DEPENDS ${library})
  endif()
  file(GLOB sources ${FREEHOLD_LAB_CRATES}/${crate}-[0-9]*)
  string(REGEX MATCH "[0-9.]+$" version ${sources})
  set(crate_library ${library} PARENT_SCOPE)
  set(crate_version ${version} PARENT_SCOPE)
  set(with_crate --extern ${name}=${library} -L dependency=${folder}/release/deps PARENT_SCOPE)
endfunction()

function(add_rust_probe name strategy_file)
  set(crate ${FREEHOLD_LAB_CRATE_${name}})
  set(library "Rust ${rustc_version}")
  if(crate)
    build_crate(${crate})
    set(library "${crate} ${crate_version}")
  endif()
  set(workloads ${registry}/workloads.rs)
  add_custom_command(
    OUTPUT probe_${name}
    COMMAND ${CMAKE_COMMAND} -E env
      FREEHOLD_STRATEGY_NAME=${name} FREEHOLD_STRATEGY_FILE=${strategy_file} FREEHOLD_RUSTC_VERSION=${rustc_version}
      FREEHOLD_WORKLOADS_FILE=${workloads} FREEHOLD_LIBRARY=${library}
      ${FREEHOLD_RUSTC} --edition 2021 --cfg ${name} ${rust_optimized} ${with_crate} -o probe_${name}
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/probe.rs
    DEPENDS ${rust_sources} ${strategy_file} ${workloads} ${crate_library}
    VERBATIM)
  add_custom_target(rust_probe_${name} ALL DEPENDS probe_${name})
  if(crate)
    add_dependencies(rust_probe_${name} crate_${crate})
  endif()
endfunction()
