// A program and a plug-in with hidden symbols share the hazard pointers and the regions of the process: what one reads
// is not deleted by the other. Then the plug-in is unloaded.

#include <dlfcn.h>

#include <atomic>
#include <thread>

#include "check.hpp"
#include "library_that_retires.hpp"

namespace {

void share(const builds::module& reader, const builds::module& writer, builds::shared_objects& shared) {
    std::atomic<bool> is_done = false;
    std::atomic<bool> all_alive = true;
    std::thread reads([&] {
        while (!is_done) {
            if (!reader.read(shared)) all_alive = false;
        }
    });
    std::thread writes([&] {
        for (int i = 0; i < 200'000; ++i) writer.replace(shared);
    });
    writes.join();
    is_done = true;
    reads.join();
    CHECK(all_alive);
}

}  // namespace

int main() {
    void* const handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != nullptr);
    const auto* const library = static_cast<const builds::module*>(dlsym(handle, "offered"));
    CHECK(library != nullptr);
    const builds::module program = builds::this_module();

    builds::shared_objects shared;
    program.replace(shared);
    share(program, *library, shared);
    share(*library, program, shared);
    program.replace(shared);
    library->clean_up();  // what the library has retired is deleted by its own code
    CHECK(dlclose(handle) == 0);
    for (int i = 0; i < 100'000; ++i) program.replace(shared);
    CHECK(program.read(shared));
    shared.first.exchange(nullptr)->retire();
    shared.second.exchange(nullptr)->retire();
    program.clean_up();
}
