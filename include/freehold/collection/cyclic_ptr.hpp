#pragma once
// Moved to cyclic/cyclic_ptr.hpp; removed in 1.0.

#include "../cyclic/cyclic_ptr.hpp"
