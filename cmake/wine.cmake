# Lets all tests wait for Wine's services. A program that starts these hands them what it prints to, so that ctest would
# take the first tests to be running as long as any other test runs. They end a minute after the last program; until
# then a second server is refused, and not needed.

set(environment WINEDEBUG=-all WINEPREFIX=${CMAKE_BINARY_DIR}/wine)
set(start "mkdir -p $WINEPREFIX && (wineserver -p60 || true) && wine wineboot")
get_property(tests DIRECTORY PROPERTY TESTS)
set_tests_properties(${tests} PROPERTIES FIXTURES_REQUIRED wine)
add_test(NAME wine COMMAND ${CMAKE_COMMAND} -E env ${environment} sh -c "(${start}) >/dev/null 2>&1")
set_tests_properties(wine PROPERTIES FIXTURES_SETUP wine)
