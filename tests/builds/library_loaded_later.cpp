// The library of with_a_library_loaded_later.cpp.

#include "library_loaded_later.hpp"

#include <thread>

namespace {

freehold::shared_ptr<int> make(int value) { return freehold::make_shared<int>(value); }

void copy_in_threads(const freehold::shared_ptr<int>& owner) {
    const auto copy_and_release = [&owner] {
        for (int round = 0; round < 20000; ++round) {
            const auto copy = owner;
        }
    };
    std::thread other(copy_and_release);
    copy_and_release();
    other.join();
}

bool knows_deleter(const freehold::shared_ptr<int>& owner) {
    return freehold::get_deleter<builds::library::deleter>(owner) != nullptr;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] const builds::library offered{make, copy_in_threads, knows_deleter};
