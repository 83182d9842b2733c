#pragma once
// sp: the namespace of the shared pointers that a program is built with: std's, Boost's or Freehold's.

#if defined FREEHOLD_TRUTH_BOOST
#include <boost/enable_shared_from_this.hpp>
#include <boost/make_shared.hpp>
#include <boost/shared_ptr.hpp>
#include <boost/weak_ptr.hpp>
namespace sp = boost;
#elif defined FREEHOLD_TRUTH_FREEHOLD
#include <freehold/pointers.hpp>
namespace sp = freehold;
#else
#include <memory>
namespace sp = std;
#endif
