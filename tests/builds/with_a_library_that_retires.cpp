// A program and a plug-in with hidden symbols share the hazard pointers and the regions of the process: what one reads
// is not deleted by the other. Then the plug-in is unloaded.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

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

// Each module that has regions has a handler of the fork.
void fork_in_a_region(const builds::module& reader, const builds::module& writer, builds::shared_objects& shared) {
    static bool is_deleted = false;
    reader.open_region();
    freehold::rcu_retire(&is_deleted, [](bool* deleted) { *deleted = true; });
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 40'000; ++i) {
            reader.replace(shared);
            writer.replace(shared);
        }
        if (is_deleted) _exit(1);
        reader.close_region();
        writer.clean_up();
        _exit(is_deleted ? 0 : 2);
    }
    reader.close_region();
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    reader.clean_up();
    is_deleted = false;
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
    fork_in_a_region(program, *library, shared);
    fork_in_a_region(*library, program, shared);
    program.replace(shared);
    library->clean_up();  // what the library has retired is deleted by its own code
    CHECK(dlclose(handle) == 0);
    for (int i = 0; i < 100'000; ++i) program.replace(shared);
    CHECK(program.read(shared));
    shared.first.exchange(nullptr)->retire();
    shared.second.exchange(nullptr)->retire();
    program.clean_up();
}
