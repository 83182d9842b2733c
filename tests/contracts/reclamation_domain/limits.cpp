// How much may wait that was retired, as a program sets it.

#include "families.hpp"

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace contracts {

CONTRACT(reclamation_domain, fewer_objects_wait_if_fewer_may) {
    TypeParam::limit({.objects = 144, .bytes = 1 << 20});
    EXPECT_LE(TestFixture::retire(100'000), 144);
}

CONTRACT(reclamation_domain, more_objects_wait_if_more_may) {
    TypeParam::limit({.objects = 64'512, .bytes = 1 << 30});
    const long most = TestFixture::retire(100'000);
    EXPECT_GT(most, 20'000);
    EXPECT_LE(most, 64'512);
}

CONTRACT(reclamation_domain, limits_beyond_what_is_possible_are_rounded) {
    TypeParam::limit({.objects = 0, .bytes = 0});
    EXPECT_LE(TestFixture::retire(10'000), 144);
    TypeParam::limit({.objects = static_cast<std::size_t>(-1), .bytes = static_cast<std::size_t>(-1)});
    EXPECT_LE(TestFixture::retire(200'000), 64'512);
}

CONTRACT(reclamation_domain, fewer_objects_wait_if_fewer_of_their_bytes_may) {
    struct large : TypeParam::template base<large>, support::tracked {
        char bytes[4096];
    };
    const auto most_of = [](std::size_t bytes) {
        TypeParam::limit({.objects = 9'216, .bytes = bytes});
        int most = 0;
        for (int i = 0; i != 20'000; ++i) {
            (new large)->retire();
            most = std::max(most, support::tracked::alive());
        }
        TypeParam::reclaim_all();
        return most;
    };
    EXPECT_LE(most_of(1 << 21), 512);
    EXPECT_GT(most_of(1 << 26), 2'000);
}

CONTRACT(reclamation_domain, the_limit_holds_for_all_threads_together) {
    TypeParam::limit({.objects = 1'024, .bytes = 1 << 20});
    std::vector<std::thread> threads;
    for (int i = 0; i != 4; ++i) threads.emplace_back([] { TestFixture::retire(50'000); });
    for (std::thread& each : threads) each.join();
    EXPECT_LE(support::tracked::alive(), 1'024);
}

}  // namespace contracts
