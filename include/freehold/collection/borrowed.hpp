#pragma once
// Moved to traced/traced_view.hpp; removed in 1.0.
// The class is now `traced_view`: docs/decisions/0025-names.md.

#include "../traced/traced_view.hpp"
