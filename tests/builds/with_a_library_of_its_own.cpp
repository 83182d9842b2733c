// A program and a library that have each a copy of all static variables of Freehold, as hidden visibility or RTLD_LOCAL
// leave it, share resources and pointers: what one has made is used, counted and ended by the other, in several
// threads. Only a heap that is collected stays with the half that made it.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "across_libraries.hpp"
#include "check.hpp"

namespace {

using builds::half;
using builds::twin;
using halves = std::array<const half*, 2>;

struct block {
    void* memory;
    std::size_t bytes;
    int number;

    void fill() const { std::memset(memory, number % 128, bytes); }
    [[nodiscard]] bool is_intact() const {
        const auto* const bytes_of_it = static_cast<const char*>(memory);
        for (std::size_t i = 0; i < bytes; ++i) {
            if (bytes_of_it[i] != static_cast<char>(number % 128)) return false;
        }
        return true;
    }
};

// Effects: both halves allocate from all resources by turns, and each frees what the other has.
template <class Resource>
void use_by_turns(const halves& both, builds::use_of<Resource> half::* use, std::vector<Resource*>& resources,
                  std::vector<std::unique_ptr<builds::arena>>& arenas) {
    std::vector<std::pair<std::size_t, block>> blocks;
    for (int number = 0; number < 400; ++number) {
        for (std::size_t i = 0; i < resources.size(); ++i) {
            const std::size_t bytes = 16 + static_cast<std::size_t>(number % 5) * 24;
            const auto& by = both[static_cast<std::size_t>(number) % 2]->*use;
            const block made{by.allocate(*resources[i], bytes), bytes, number};
            CHECK(arenas[i]->has(made.memory));  // not a block of another resource
            made.fill();
            blocks.emplace_back(i, made);
        }
        if (number % 3 != 0) continue;
        for (std::size_t n = 0; n < blocks.size(); n += 3) {
            const auto [i, freed] = blocks[n];
            CHECK(freed.is_intact());
            (both[static_cast<std::size_t>(freed.number + 1) % 2]->*use)
                .deallocate(*resources[i], freed.memory, freed.bytes);
            blocks[n] = blocks.back();
            blocks.pop_back();
        }
    }
    for (const auto& [i, freed] : blocks) {
        CHECK(freed.is_intact());
        (both[static_cast<std::size_t>(freed.number + 1) % 2]->*use)
            .deallocate(*resources[i], freed.memory, freed.bytes);
    }
}

// Eight of a kind, half of them made by the library.
template <class Resource>
void share_resources(const halves& both, builds::use_of<Resource> half::* use, int threads) {
    constexpr std::size_t number = 8;
    std::vector<std::unique_ptr<builds::arena>> arenas;
    std::vector<Resource*> resources;
    for (std::size_t i = 0; i < number; ++i) {
        arenas.push_back(std::make_unique<builds::arena>());
        resources.push_back((both[i % 2]->*use).make(*arenas.back()));
    }
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([&] { use_by_turns(both, use, resources, arenas); });
    use_by_turns(both, use, resources, arenas);
    for (std::thread& each : others) each.join();
    for (std::size_t i = 0; i < number; ++i) (both[i % 2]->*use).end(resources[i]);
}

void share_pages(const halves& both) {
    freehold::page_cache cache;
    for (std::size_t i = 0; i < 8; ++i) {
        void* const pages = both[i % 2]->allocate_pages(cache, 100'000);
        both[(i + 1) % 2]->deallocate_pages(cache, pages, 100'000);
    }
}

int alive(const halves& both) { return both[0]->alive() + both[1]->alive(); }

void share_owners(const half& maker, const half& user, const halves& both) {
    auto owner = maker.make(1);
    user.copy(owner);
    CHECK(owner.use_count() == 1);
    user.release(owner);
    CHECK(alive(both) == 0);
    CHECK(user.own_borrowed(maker.make_thin(2)));
    CHECK(alive(both) == 0);
}

void share_biased_owners(const half& maker, const half& user, const halves& both) {
    auto owner = maker.make_biased(1);
    auto other = owner;
    user.copy_biased(owner);
    user.release_biased(owner);
    std::thread([&] {
        user.copy_biased(other);
        maker.copy_biased(other);
        user.release_biased(other);
    }).join();
    maker.merge_biased();
    CHECK(alive(both) == 0);

    // Made in a thread that has ended when the last owner leaves.
    std::thread([&] {
        owner = maker.make_biased(2);
        user.copy_biased(owner);
    }).join();
    user.release_biased(owner);
    CHECK(alive(both) == 0);
}

// Effects: both halves read and replace one pointer at once.
template <class Shared, class Load, class Store>
void replace_under_readers(const halves& both, Shared& shared, Load load, Store store) {
    std::atomic<bool> is_intact = true;
    std::vector<std::thread> threads;
    for (const half* each : both) {
        threads.emplace_back([&, each] {
            for (int i = 0; i < 200'000; ++i) {
                if (!(each->*load)(shared)) is_intact = false;
            }
        });
        threads.emplace_back([&, each] {
            for (int i = 0; i < 200'000; ++i) (each->*store)(shared, i);
        });
    }
    for (std::thread& each : threads) each.join();
    CHECK(is_intact);
}

void share_atomic_pointers(const halves& both) {
    {
        auto shared = both[0]->make(0);
        replace_under_readers(both, shared, &half::load, &half::store);
    }
    CHECK(alive(both) == 0);
    {
        freehold::atomic_shared_ptr<twin> shared(both[1]->make(0));
        replace_under_readers(both, shared, &half::load_atomic, &half::store_atomic);
    }
    freehold::flush_deferred_releases();  // in the module of the atomic pointer, for what both have replaced
    CHECK(alive(both) == 0);
}

// A notification that does not arrive is noticed by the test's time limit.
void wait_for_each_other(const half& waiter, const half& notifier) {
    freehold::atomic_shared_ptr<twin> shared;
    std::thread waits([&] { waiter.wait_atomic(shared); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most likely it waits by now
    notifier.store_atomic(shared, 1);
    waits.join();
}

// Effects: expects that a session of a heap that the other half has made ends the program in checked builds.
void begin_session_of_another([[maybe_unused]] const half& user) {
#ifndef NDEBUG
    const pid_t child = fork();
    if (child == 0) {
        freehold::shared_traced_heap heap;
        user.begin_session(heap);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
#endif
}

}  // namespace

int main() {
    void* const handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != nullptr);
    const auto* const library = static_cast<const half*>(dlsym(handle, "offered"));
    CHECK(library != nullptr);
    const half program = builds::half_of_program();
    const halves both{&program, library};

    share_resources(both, &half::concurrent_pool, 1);
    share_resources(both, &half::concurrent_pool, 3);
    share_resources(both, &half::pool, 1);
    share_resources(both, &half::monotonic, 1);
    share_resources(both, &half::region, 1);
    share_resources(both, &half::run_length, 1);
    share_pages(both);
    share_owners(program, *library, both);
    share_owners(*library, program, both);
    share_biased_owners(program, *library, both);
    share_biased_owners(*library, program, both);
    share_atomic_pointers(both);
    wait_for_each_other(program, *library);
    wait_for_each_other(*library, program);
    share_resources(both, &half::concurrent_pool, 3);  // threads have come and gone
    begin_session_of_another(*library);
    CHECK(dlclose(handle) == 0);
    auto owner = program.make(3);  // after the library
    std::thread([&] { program.release(owner); }).join();
}
