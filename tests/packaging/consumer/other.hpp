#pragma once
// What the two translation units share: an owner made in one is copied and released in the other.

#include <freehold/freehold.hpp>

freehold::shared_ptr<int> made_in_other();
bool released_in_other(freehold::shared_ptr<int> last);
