#define FREEHOLD_PASS_IN_REGISTERS

#include <freehold/core/config.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <utility>

namespace {

FREEHOLD_STATIC_TLS inline constinit thread_local int number = 3;

TEST(static_tls, each_thread_has_a_variable_of_its_own) {
    number = 4;
    std::thread([] { EXPECT_EQ(number, 3); }).join();
    EXPECT_EQ(number, 4);
}

struct reference {
    constexpr explicit reference(const int& referred FREEHOLD_LIFETIME_BOUND) : target(&referred) {}

    const int* target;
};

TEST(lifetime_bound, a_parameter_that_is_referred_to_can_be_marked) {
    const int target = 7;
    EXPECT_EQ(reference(target).target, &target);
}

class FREEHOLD_TRIVIAL_ABI handle {
public:
    explicit handle(bool& target) noexcept : ended_(&target) {}
    handle(handle&& other) noexcept : ended_(std::exchange(other.ended_, nullptr)) {}
    handle& operator=(handle&&) = delete;
    ~handle() {
        if (ended_ != nullptr) *ended_ = true;
    }

private:
    bool* ended_;
};

[[gnu::noinline]] void take(handle) {}

static_assert(sizeof(handle) == sizeof(bool*));

TEST(trivial_abi, an_argument_is_destroyed_once) {
    bool ended = false;
    take(handle(ended));
    EXPECT_TRUE(ended);
}

#ifdef __clang__
TEST(trivial_abi, an_argument_is_destroyed_in_the_called_function) {
    bool ended = false;
    const bool seen = (take(handle(ended)), ended);
    EXPECT_TRUE(seen) << "passed by address, it would end with the full expression";
}
#endif

}  // namespace
