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

install(DIRECTORY include/freehold DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN __pycache__ EXCLUDE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS freehold EXPORT freehold INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT freehold NAMESPACE freehold:: FILE freeholdTargets.cmake DESTINATION ${config_folder})
install(FILES cmake/freeholdConfig.cmake cmake/freeholdLink.cmake ${CMAKE_CURRENT_BINARY_DIR}/freeholdConfigVersion.cmake
  DESTINATION ${config_folder})

# pkg-config's file says where the headers are from where it is itself, so that an installation may be moved.
file(RELATIVE_PATH include_from_pc ${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(pc_flags)
if(FREEHOLD_HARDENED)
  string(APPEND pc_flags " -DFREEHOLD_HARDENED")
endif()
string(REPLACE ";" " " pc_libraries "${freehold_link_options}")
foreach(library IN LISTS freehold_link_libraries)
  string(APPEND pc_libraries " -l${library}")
endforeach()
configure_file(cmake/freehold.pc.in freehold.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/freehold.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)

# The Debian package: cpack -G DEB. What is compiled makes it a package for one architecture.
if(top_level)
  set(CPACK_PACKAGE_NAME freehold)
  set(CPACK_PACKAGE_CONTACT "The maintainers of Freehold")
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_DEBIAN_PACKAGE_NAME libfreehold-dev)
  set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  if(NOT FREEHOLD_INSTALL_COMPILED AND NOT FREEHOLD_INSTALL_MALLOC)
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  endif()
  include(CPack)
endif()
