#pragma once
// Moved to pointers/make_shared_with_weak.hpp; removed in 1.0.
// The function is now `make_shared_with_weak`: docs/decisions/0025-names.md.

#include "make_shared_with_weak.hpp"
