# Builds the probe of a strategy in Rust, from this folder and the file strategies/FAMILY/NAME.rs. If it is made of a
# crate, FREEHOLD_LAB_CRATE_NAME, the crate is built first, without Cargo: it may depend on none. Its programs are those
# below collected/.

find_program(FREEHOLD_RUSTC rustc REQUIRED)
execute_process(COMMAND ${FREEHOLD_RUSTC} --version OUTPUT_VARIABLE rustc_version COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[0-9.]+" rustc_version ${rustc_version})
file(GLOB_RECURSE rust_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.rs)

# Optimized as far as the compiler goes, beyond `cargo build --release`: lto=fat with a single codegen unit lets the
# compiler inline across all of the program and the standard library, as a C++ compiler inlines its headers. No
# processor is named (-C target-cpu, -march), neither here nor for C++, so both compile for any processor of the machine's
# architecture.
function(add_rust_probe name strategy_file)
  set(optimized -C opt-level=3 -C codegen-units=1 -C panic=abort)
  set(workloads ${registry}/workloads.rs)
  set(crate ${FREEHOLD_LAB_CRATE_${name}})
  if(crate)
    set(workloads ${registry}/collected.rs)
    file(GLOB crate_sources ${FREEHOLD_LAB_CRATES}/${crate}-[0-9]*/src/lib.rs)
    set(library ${CMAKE_CURRENT_BINARY_DIR}/lib${crate}.rlib)
    add_custom_command(
      OUTPUT ${library}
      COMMAND ${FREEHOLD_RUSTC} --edition 2018 --cap-lints allow --crate-type rlib --crate-name ${crate} ${optimized}
        -C embed-bitcode=yes -o ${library} ${crate_sources}
      VERBATIM)
    set(with_crate --extern ${crate}=${library})
  endif()
  add_custom_command(
    OUTPUT probe_${name}
    COMMAND ${CMAKE_COMMAND} -E env
      FREEHOLD_STRATEGY_NAME=${name} FREEHOLD_STRATEGY_FILE=${strategy_file} FREEHOLD_RUSTC_VERSION=${rustc_version}
      FREEHOLD_WORKLOADS_FILE=${workloads}
      ${FREEHOLD_RUSTC} --edition 2021 --cfg ${name} ${optimized} -C lto=fat ${with_crate} -o probe_${name}
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/probe.rs
    DEPENDS ${rust_sources} ${strategy_file} ${workloads} ${library}
    VERBATIM)
  add_custom_target(rust_probe_${name} ALL DEPENDS probe_${name})
endfunction()
