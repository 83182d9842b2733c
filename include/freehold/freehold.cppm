// All of Freehold as a module, as freehold.hpp has it: import freehold; see docs/guide/modules.md.

module;

#include "core/version.hpp"

export module freehold;

export import freehold.cyclic;
export import freehold.memory;
export import freehold.pointers;
export import freehold.traced;
