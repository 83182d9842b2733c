#pragma once
// Moved to traced/ephemeron.hpp; removed in 1.0.

#include "../traced/ephemeron.hpp"
