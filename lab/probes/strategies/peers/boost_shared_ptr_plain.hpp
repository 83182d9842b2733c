#pragma once
// boost::shared_ptr from a plain `new`, with a plain count: Boost without threads.

#define BOOST_SP_DISABLE_THREADS
#include "boost_shared_ptr.hpp"
