#pragma once
// Moved to traced/traced_local.hpp; removed in 1.0.
// The class is now `traced_local`: docs/decisions/0025-names.md.

#include "../traced/traced_local.hpp"
