#pragma once
// std::pmr::synchronized_pool_resource of libc++.

#include "std_synchronized_pool.hpp"
