#pragma once
// Moved to cyclic/concurrent_cyclic_ptr.hpp; removed in 1.0.
// The class is now `concurrent_cyclic_ptr`: docs/decisions/0025-names.md.

#include "../cyclic/concurrent_cyclic_ptr.hpp"
