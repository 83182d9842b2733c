#pragma once
// boost::shared_ptr from a plain `new`, its count from Boost's quick_allocator: a pool behind a lock, as N1851 had it.

#define BOOST_SP_USE_QUICK_ALLOCATOR
#include "boost_shared_ptr.hpp"
