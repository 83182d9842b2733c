#include <freehold/counting/atomic_counting.hpp>
#include <freehold/counting/plain_counting.hpp>
#include <freehold/counting/reference_count.hpp>

#include "support/precondition.hpp"

namespace {

template <class Counting>
void release(freehold::reference_count<Counting>& count) {
    count.release([]() noexcept {});
}

}  // namespace

TEST(reference_count_death, an_uncounted_owner_can_not_be_released) {
    freehold::reference_count<freehold::plain_counting> plain;
    freehold::reference_count<freehold::atomic_counting> atomic;
    EXPECT_PRECONDITION(release(plain), "Counting::observe\\(owners_less_one_\\) >= 0");
    EXPECT_PRECONDITION(release(atomic), "Counting::observe\\(owners_less_one_\\) >= 0");
}

TEST(reference_count_death, the_last_owner_is_not_released_twice) {
    freehold::reference_count<freehold::plain_counting> count;
    count.acquire();
    release(count);
    EXPECT_PRECONDITION(release(count), "Counting::observe\\(owners_less_one_\\) >= 0");
}
