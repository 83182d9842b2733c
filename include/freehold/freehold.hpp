#pragma once
// All four products of Freehold. The headers of interop/ and diagnosis/ are included by name, as are those that bring
// all containers of the standard: memory/containers.hpp and memory/pmr.hpp.

#include "core/version.hpp"
#include "cyclic.hpp"
#include "memory.hpp"
#include "pointers.hpp"
#include "traced.hpp"
