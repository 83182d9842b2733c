#include <freehold/core/platform/errors.hpp>

#include <gtest/gtest.h>

TEST(errors, a_text_goes_to_the_standard_error) {
    testing::internal::CaptureStderr();
    freehold::detail::write_error("some text");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "some text");
}

TEST(errors_death, a_process_ends_with_a_line) {
    EXPECT_DEATH(freehold::detail::abort_with("the line"), "freehold: the line\n");
}
