// The contract of the owning pointers: after any operations, exactly the owned objects are alive.

#include <array>
#include <cstddef>
#include <random>
#include <set>
#include <utility>

#include "owning_pointer.hpp"

namespace contracts {

CONTRACT(owning_pointer, any_operations_keep_alive_exactly_what_is_owned) {
    constexpr std::size_t handles = 8;
    constexpr int null = 0;
    std::array<typename TestFixture::pointer, handles> pointers;
    std::array<int, handles> expected{};  // the value of the object that each should own
    std::mt19937 random(20000131);
    int last_value = null;

    for (int step = 0; step < 3000; ++step) {
        const std::size_t i = random() % handles;
        const std::size_t j = random() % handles;
        switch (random() % 6) {
            case 0:
                pointers[i] = TestFixture::make(++last_value);
                expected[i] = last_value;
                break;
            case 1:
                pointers[i] = pointers[j];
                expected[i] = expected[j];
                break;
            case 2:
                pointers[i] = std::move(pointers[j]);
                if (i != j) expected[i] = std::exchange(expected[j], null);
                break;
            case 3:
                pointers[i].swap(pointers[j]);
                std::swap(expected[i], expected[j]);
                break;
            case 4:
                pointers[i].reset();
                expected[i] = null;
                break;
            case 5: {
                auto copy = pointers[j];
                pointers[i] = nullptr;
                pointers[i] = std::move(copy);
                expected[i] = expected[j];
                break;
            }
        }
        for (std::size_t k = 0; k < handles; ++k) ASSERT_EQ(pointers[k] ? pointers[k]->value : null, expected[k]);
        std::set<int> owned(expected.begin(), expected.end());
        owned.erase(null);
        ASSERT_EQ(TestFixture::alive(), static_cast<int>(owned.size()));
    }
}

}  // namespace contracts
