#pragma once
// Moved to traced/traced_weak_ptr.hpp; removed in 1.0.

#include "../traced/traced_weak_ptr.hpp"
