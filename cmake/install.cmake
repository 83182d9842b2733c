# What find_package(freehold) finds. Freehold depends on nothing, so the exported targets are the whole configuration.
# With freehold::compiled the installation is for one architecture.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config_folder ${CMAKE_INSTALL_DATADIR}/cmake/freehold)

set(any_architecture ARCH_INDEPENDENT)
if(FREEHOLD_INSTALL_COMPILED)
  set(any_architecture)
  set_target_properties(freehold_compiled PROPERTIES EXCLUDE_FROM_ALL OFF)
  install(TARGETS freehold_compiled EXPORT freehold)
endif()
if(FREEHOLD_INSTALL_MALLOC)
  set_target_properties(freehold_malloc freehold_malloc_hardened PROPERTIES EXCLUDE_FROM_ALL OFF)
  install(TARGETS freehold_malloc freehold_malloc_hardened LIBRARY)
endif()
write_basic_package_version_file(freeholdConfigVersion.cmake COMPATIBILITY SameMinorVersion ${any_architecture})

install(TARGETS freehold EXPORT freehold FILE_SET HEADERS)
install(EXPORT freehold NAMESPACE freehold:: FILE freeholdConfig.cmake DESTINATION ${config_folder})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/freeholdConfigVersion.cmake DESTINATION ${config_folder})
