#include <freehold/core/platform/processor.hpp>

#include <gtest/gtest.h>

#include <cstdint>

TEST(processor, it_may_rest) { freehold::detail::relax(); }

TEST(processor, it_answers_valgrinds_requests_with_0) {
    const volatile std::uintptr_t is_there_valgrind[6] = {0x1001, 0, 0, 0, 0, 0};
    EXPECT_EQ(freehold::detail::ask_valgrind(is_there_valgrind), 0U);
}
