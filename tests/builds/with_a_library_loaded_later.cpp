// A program with one thread loads a library that brings a second one: objects of either are counted, destroyed and
// freed by the other.

#include <dlfcn.h>

#include <utility>

#include "check.hpp"
#include "library_loaded_later.hpp"

int main() {
    const auto counted_plainly = freehold::make_shared<int>(7);
    const auto copy = counted_plainly;

    void* const handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != nullptr);
    const auto* const library = static_cast<const builds::library*>(dlsym(handle, "offered"));
    CHECK(library != nullptr);

    library->copy_in_threads(counted_plainly);
    CHECK(counted_plainly.use_count() == 2);

    auto made_there = library->make(8);
    const freehold::weak_ptr<int> weak = made_there;
    CHECK(*made_there == 8);
    made_there.reset();
    CHECK(weak.expired());

    int calls = 0;
    freehold::shared_ptr<int> with_deleter(new int(9), builds::library::deleter{&calls});
    CHECK(library->knows_deleter(with_deleter));
    CHECK(!library->knows_deleter(counted_plainly));
    freehold::managed_ptr<int> managed = std::move(with_deleter);
    managed.reset();
    CHECK(calls == 1);
}
