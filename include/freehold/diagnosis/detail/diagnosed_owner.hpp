#pragma once
// What all functions of diagnosis return for an owner.

#include <cstddef>
#include <string>

namespace freehold {

// An object, and one of the owners in it.
struct diagnosed_owner {
    const void* object;
    std::string type;      // its name
    unsigned long number;  // of diagnosed objects, in the order in which they were made; of others, in the snapshot
    std::size_t place;     // of the owner among those in the object, in the order of trace(), from 1 on
};

}  // namespace freehold
