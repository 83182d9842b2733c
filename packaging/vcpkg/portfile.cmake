# Never run. An overlay port: it installs the tree that it is in.

set(VCPKG_BUILD_TYPE release) # headers alone
get_filename_component(source ${CURRENT_PORT_DIR}/../.. ABSOLUTE)
vcpkg_cmake_configure(SOURCE_PATH ${source} OPTIONS -DFREEHOLD_BUILD_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/freehold)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/share/doc)
vcpkg_install_copyright(FILE_LIST ${source}/LICENSE)
