#pragma once
// Moved to traced/traced_root.hpp; removed in 1.0.
// The class is now `traced_root`: docs/decisions/0025-names.md.

#include "../traced/traced_root.hpp"
