#pragma once
// Moved to diagnosis/diagnosis.hpp; removed in 1.0.

#include "../diagnosis/diagnosis.hpp"
