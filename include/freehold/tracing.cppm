// How the pointers in an object are found, as a module; freehold.cyclic and freehold.traced export it.

module;

#include "tracing/hidden_pointers.hpp"
#include "tracing/owned_bytes.hpp"
#include "tracing/points_directly.hpp"
#include "tracing/trace.hpp"
#include "tracing/traces_concurrently.hpp"
#include "tracing/untraced.hpp"

export module freehold.tracing;

export namespace freehold {
using freehold::hides_traced;
using freehold::is_traced_pointer;
using freehold::is_traced_range;
using freehold::is_untraced;
using freehold::leads_to_traced;
using freehold::may_own_memory;
using freehold::member_visitor;
using freehold::needs_its_collector;
using freehold::owned_bytes;
using freehold::points_directly;
using freehold::trace;
using freehold::traces_concurrently;
using freehold::untraced;
}  // namespace freehold
