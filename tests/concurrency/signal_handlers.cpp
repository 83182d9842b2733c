// What a signal handler may call: docs/guide/with-shared-libraries.md has the list. The handler interrupts a thread
// that does the same, at any instruction.

#include <gtest/gtest.h>
#include <pthread.h>
#include <freehold/pointers/atomic_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/reclamation/hazard_pointer.hpp>

#include <atomic>
#include <csignal>
#include <thread>

#include "support/effort.hpp"
#include "support/tracked.hpp"

namespace {

constexpr int sound = 0x50f7;

struct published : support::tracked {
    ~published() { state = 0; }

    volatile int state = sound;
};

struct hazardous_object : freehold::hazard_pointer_obj_base<hazardous_object>, support::tracked {
    hazardous_object() = default;
    hazardous_object(const hazardous_object&) = delete;
    hazardous_object& operator=(const hazardous_object&) = delete;
    ~hazardous_object() { state = 0; }

    volatile int state = sound;
};

freehold::atomic_shared_ptr<published> current;
std::atomic<hazardous_object*> hazardous_current;
freehold::hazard_pointer of_the_handler;
std::atomic<int> handled = 0;
std::atomic<bool> all_sound = true;

void check(int state) {
    if (state != sound) all_sound = false;
}

extern "C" void handle(int) {
    check(current.snapshot()->state);
    check(of_the_handler.protect(hazardous_current)->state);
    of_the_handler.reset_protection();
    handled.fetch_add(1, std::memory_order_relaxed);
}

class signal_handlers : public support::tracked_test {};

}  // namespace

TEST_F(signal_handlers, may_read_by_snapshots_and_by_a_hazard_pointer_of_their_own) {
    current.store(freehold::make_shared<published>());
    hazardous_current = new hazardous_object;
    of_the_handler = freehold::make_hazard_pointer();
    std::atomic<bool> is_done = false;
    std::atomic<bool> has_begun = false;
    std::thread interrupted([&] {
        freehold::hazard_pointer hazard = freehold::make_hazard_pointer();
        while (!is_done.load(std::memory_order_relaxed)) {
            const auto read = current.snapshot();
            const auto again = current.snapshot();
            has_begun = true;
            check(read->state);
            check(again->state);
            check(hazard.protect(hazardous_current)->state);
        }
    });
    while (!has_begun) std::this_thread::yield();
    std::signal(SIGUSR1, &handle);
    std::thread writer([&] {
        while (!is_done.load(std::memory_order_relaxed)) {
            current.store(freehold::make_shared<published>());
            hazardous_current.exchange(new hazardous_object)->retire();
        }
    });
    const int signals = support::full_effort(2000, 400);
    for (int sent = 1; sent <= signals; ++sent) {
        pthread_kill(interrupted.native_handle(), SIGUSR1);
        while (handled.load(std::memory_order_relaxed) != sent) std::this_thread::yield();
    }
    is_done = true;
    interrupted.join();
    writer.join();
    EXPECT_TRUE(all_sound);
    current.store(nullptr);
    freehold::flush_deferred_releases();
    hazardous_current.exchange(nullptr)->retire();
    freehold::hazard_pointer_clean_up();
}
