// What becomes of an exception in a build without them is tested in builds/without_exceptions.cpp.

#include <gtest/gtest.h>
#include <freehold/core/exceptions.hpp>

#include <new>
#include <stdexcept>

using freehold::detail::raise;

TEST(exceptions, the_exception_is_thrown_as_its_own_type) {
    EXPECT_THROW(raise<std::bad_array_new_length>(), std::bad_array_new_length);
}

TEST(exceptions, the_arguments_reach_the_exception) {
    try {
        raise<std::invalid_argument>("too long");
        FAIL() << "nothing was thrown";
    } catch (const std::invalid_argument& thrown) {
        EXPECT_STREQ(thrown.what(), "too long");
    }
}
