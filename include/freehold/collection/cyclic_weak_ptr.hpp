#pragma once
// Moved to cyclic/cyclic_weak_ptr.hpp; removed in 1.0.

#include "../cyclic/cyclic_weak_ptr.hpp"
