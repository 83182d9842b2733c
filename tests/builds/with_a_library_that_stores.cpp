// A program and a plug-in with hidden symbols store into atomic pointers of the program: also values that do not fit
// into a word, and when the kernel begins to refuse membarrier. Then the plug-in is unloaded.

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <thread>
#include <vector>

#include "check.hpp"
#include "library_that_stores.hpp"

namespace {

using builds::atomic_number;
using builds::module;
using builds::number;

// 100 numbers that are not where their owner's count is, each in an atomic pointer.
struct table {
    table() {
        for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
    }

    void store(const module& by) {
        for (std::size_t i = 0; i < places.size(); ++i) by.store_alias(places[i], owner, &numbers[i]);
    }

    [[nodiscard]] bool is_sound() const {
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (places[i].snapshot().get() != &numbers[i]) return false;
        }
        return true;
    }

    number owner = freehold::make_shared<int>(0);
    std::array<int, 100> numbers{};
    std::array<atomic_number, 100> places;
};

// Whoever releases a value gives its record back to where it came from.
void store_aliases_by_turns(const module& program, const module& library) {
    table first;
    table second;
    first.store(library);
    second.store(program);
    CHECK(first.is_sound() && second.is_sound());
    for (int i = 0; i < 3; ++i) {
        first.store(program);
        first.store(library);
        second.store(program);
        CHECK(first.is_sound() && second.is_sound());
    }
}

// Effects: the library stores objects of the program while the program reads.
void store_under_readers(const module& program, const module& library, atomic_number& shared) {
    std::atomic<bool> is_done = false;
    std::thread reader([&] {
        while (!is_done) CHECK(program.read(shared) == 7);
    });
    std::thread writer([&] {
        for (int i = 0; i < 20'000; ++i) library.store(shared, freehold::make_shared<int>(7));
    });
    writer.join();
    is_done = true;
    reader.join();
}

bool forbid_membarrier() {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog code = {4, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &code) == 0;
}

// The readers go on without a fence, so whoever releases something must wait for what they have stored.
void forbid_membarrier_later(const module& program, const module& library) {
    atomic_number shared(freehold::make_shared<int>(7));
    CHECK(program.read(shared) == 7 && library.read(shared) == 7);
    if (!program.pays_no_fence()) return;  // under ThreadSanitizer, or it was forbidden before
    const pid_t child = fork();
    if (child == 0) {
        if (!forbid_membarrier()) _exit(0);
        store_under_readers(program, library, shared);
        _exit(program.pays_no_fence() ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

}  // namespace

int main() {
    std::thread([] {}).join();  // from now on releases are deferred
    void* const handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != nullptr);
    const auto* const library = static_cast<const module*>(dlsym(handle, "offered"));
    CHECK(library != nullptr);
    const module program = builds::this_module();

    store_aliases_by_turns(program, *library);
    forbid_membarrier_later(program, *library);

    // What the library has stored is the program's: objects, and the records of aliases.
    table kept;
    kept.store(*library);
    atomic_number shared(freehold::make_shared<int>(7));
    store_under_readers(program, *library, shared);
    program.flush();  // what the library has replaced is released by its own code
    CHECK(dlclose(handle) == 0);
    CHECK(dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD) == nullptr);
    CHECK(kept.is_sound());
    kept.store(program);
    for (int i = 0; i < 40'000; ++i) program.store(shared, freehold::make_shared<int>(7));
    std::thread([&] { CHECK(program.read(shared) == 7); }).join();
}
