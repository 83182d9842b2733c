#define FREEHOLD_PASS_IN_REGISTERS

#include <gtest/gtest.h>
#include <freehold/core/trivial_abi.hpp>

#include <utility>

namespace {

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

}  // namespace

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
