#pragma once
// All four products of Freehold. The headers of interop/ and diagnosis/ are included by name.

#include "core/version.hpp"
#include "cyclic.hpp"
#include "memory.hpp"
#include "pointers.hpp"
#include "traced.hpp"
