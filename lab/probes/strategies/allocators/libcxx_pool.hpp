#pragma once
// std::pmr::unsynchronized_pool_resource of libc++.

#include "std_pool.hpp"
