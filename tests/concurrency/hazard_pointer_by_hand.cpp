// A reader that protects an object by reset_protection() and reads the source again itself, as for pointers with marks.

#include <gtest/gtest.h>
#include <freehold/reclamation/hazard_pointer.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

struct object;

// The memory stays, so that a reader can tell that the object is gone.
struct mark_as_gone {
    void operator()(object* gone) const;
};

struct object : freehold::hazard_pointer_obj_base<object, mark_as_gone> {
    std::atomic<bool> is_gone = false;
};

void mark_as_gone::operator()(object* gone) const { gone->is_gone.store(true, std::memory_order_relaxed); }

// Returns: how often the reader found an object gone that it had protected.
long gone_while_protected() {
    std::vector<object> objects(400'000);
    std::atomic<object*> source = &objects.front();
    std::atomic<bool> is_over = false;
    long found = 0;
    std::thread reader([&] {
        freehold::hazard_pointer hazard = freehold::make_hazard_pointer();
        std::vector<std::array<std::atomic<int>, 16>> elsewhere(1 << 16);  // beyond the caches
        std::uint16_t next = 0;
        while (!is_over.load(std::memory_order_relaxed)) {
            object* const seen = source.load(std::memory_order_acquire);
            for (int i = 0; i < 16; ++i) {  // what is stored next waits for these
                elsewhere[next = static_cast<std::uint16_t>(next * 5 + 4099)].front().store(1,
                                                                                            std::memory_order_relaxed);
            }
            hazard.reset_protection(seen);
            if (source.load(std::memory_order_acquire) == seen) found += seen->is_gone.load(std::memory_order_relaxed);
            hazard.reset_protection();
        }
    });
    for (std::size_t i = 1; i < objects.size(); ++i) {
        source.exchange(&objects[i], std::memory_order_acq_rel)->retire();
        freehold::hazard_pointer_clean_up();
    }
    is_over = true;
    reader.join();
    freehold::hazard_pointer_clean_up();
    return found;
}

}  // namespace

TEST(hazard_pointer_by_hand, what_is_read_again_is_protected) { EXPECT_EQ(gone_while_protected(), 0); }

TEST(hazard_pointer_by_hand, what_is_read_again_is_protected_without_membarrier) {
    freehold::detail::hazard_pointers::shards.readers.fence.refuse_membarrier();
    EXPECT_EQ(gone_while_protected(), 0);
}
