#pragma once
// Freehold's traced_heap, whose objects live as long as they can be reached. See docs/traced/.

#include "traced/ephemeron.hpp"
#include "traced/traced_array.hpp"
#include "traced/traced_frame.hpp"
#include "traced/traced_heap.hpp"
#include "traced/traced_heap_options.hpp"
#include "traced/traced_local.hpp"
#include "traced/traced_ptr.hpp"
#include "traced/traced_root.hpp"
#include "traced/traced_root_vector.hpp"
#include "traced/traced_view.hpp"
#include "traced/traced_weak_ptr.hpp"
#include "tracing/hidden_pointers.hpp"
#include "tracing/large_aggregates.hpp"
#include "tracing/points_directly.hpp"
#include "tracing/trace.hpp"
#include "tracing/untraced.hpp"
