# What find_package(freehold) finds. Freehold depends on nothing, so the exported targets are the whole configuration.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(config_folder ${CMAKE_INSTALL_DATADIR}/cmake/freehold)

write_basic_package_version_file(freeholdConfigVersion.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

install(TARGETS freehold EXPORT freehold FILE_SET HEADERS)
install(EXPORT freehold NAMESPACE freehold:: FILE freeholdConfig.cmake DESTINATION ${config_folder})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/freeholdConfigVersion.cmake DESTINATION ${config_folder})
