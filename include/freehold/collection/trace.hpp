#pragma once
// Moved to tracing/trace.hpp; removed in 1.0.

#include "../tracing/trace.hpp"
