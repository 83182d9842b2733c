#pragma once
// What the library of with_a_library_loaded_later.cpp offers.

#include <freehold/freehold.hpp>

namespace builds {

struct library {
    struct deleter {
        void operator()(int* object) const {
            ++*calls;
            delete object;
        }

        int* calls;
    };

    // Returns: an object of the library's.
    freehold::shared_ptr<int> (*make)(int value);

    // Effects: starts a thread, and copies and releases the owner in it and in this thread.
    void (*copy_in_threads)(const freehold::shared_ptr<int>& owner);

    // Returns: whether the library finds the deleter of an object that was made elsewhere.
    bool (*knows_deleter)(const freehold::shared_ptr<int>& owner);
};

}  // namespace builds
