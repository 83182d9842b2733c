#pragma once
// Lets `trace` (trace.hpp) find the members of aggregates of 25 to 128 members.
//
//     #include <freehold/tracing/large_aggregates.hpp>     // before the first object of such a type is made
//
// A header of its own, because it takes as long to compile as all of the rest of trace.hpp. <freehold/traced.hpp> and
// <freehold/cyclic.hpp> include it. A compiler whose structured bindings may be packs needs nothing of it.
//
// Thread safety, exceptions, complexity, cost at run time: none.

#define FREEHOLD_LARGE_AGGREGATES
#include "detail/member_bindings.hpp"
#undef FREEHOLD_LARGE_AGGREGATES
