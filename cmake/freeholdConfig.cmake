# What find_package(freehold) reads, maybe more than once in a project.

if(NOT TARGET freehold::freehold)
  include(${CMAKE_CURRENT_LIST_DIR}/freeholdTargets.cmake)
  include(${CMAKE_CURRENT_LIST_DIR}/freeholdLink.cmake)
  target_link_options(freehold::freehold INTERFACE ${freehold_link_options})
  target_link_libraries(freehold::freehold INTERFACE ${freehold_link_libraries})
endif()
