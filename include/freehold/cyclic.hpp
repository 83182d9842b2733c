#pragma once
// Freehold's cyclic_ptr, which counts owners and collects cycles. See docs/cyclic/.

#include "cyclic/concurrent_cyclic_ptr.hpp"
#include "cyclic/concurrent_cyclic_weak_ptr.hpp"
#include "cyclic/cycle_collector.hpp"
#include "cyclic/cyclic_cast.hpp"
#include "cyclic/cyclic_heap.hpp"
#include "cyclic/cyclic_ptr.hpp"
#include "cyclic/cyclic_weak_ptr.hpp"
#include "cyclic/may_be_in_cycle.hpp"
#include "cyclic/parent_ptr.hpp"
#include "tracing/large_aggregates.hpp"
#include "tracing/trace.hpp"
#include "tracing/untraced.hpp"
