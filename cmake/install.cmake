# What is installed: the headers, and what find_package(freehold) and pkg-config read. With freehold::compiled the
# installation is for one architecture.

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

install(DIRECTORY include/freehold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS freehold EXPORT freehold INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT freehold NAMESPACE freehold:: FILE freeholdTargets.cmake DESTINATION ${config_folder})
install(FILES cmake/freeholdConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/freeholdConfigVersion.cmake
  DESTINATION ${config_folder})
