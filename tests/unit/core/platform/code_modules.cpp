#include <freehold/core/platform/code_modules.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

using freehold::detail::code_range;

namespace {

void some_function() {}

const auto address = reinterpret_cast<std::uintptr_t>(&some_function);

std::vector<code_range> ranges() {
    std::vector<code_range> found;
    const auto note = [](void* context, const code_range& range) {
        static_cast<std::vector<code_range>*>(context)->push_back(range);
    };
    freehold::detail::visit_code(note, &found);
    return found;
}

}  // namespace

TEST(code_modules, begin_with_the_program) {
    if (ranges().empty()) GTEST_SKIP() << "the system shows none";
    const code_range first = ranges().front();
    EXPECT_GE(address, first.begin);
    EXPECT_LT(address, first.end);
}

TEST(code_modules, do_not_overlap) {
    const std::vector<code_range> all = ranges();
    for (const code_range& one : all) {
        for (const code_range& other : all) {
            EXPECT_TRUE(one.begin == other.begin || one.end <= other.begin || other.end <= one.begin) << one.file;
        }
    }
}

TEST(code_modules, know_the_module_of_an_address) {
    const freehold::detail::code_place place = freehold::detail::place_of_code(reinterpret_cast<const void*>(address));
    if (place.file == nullptr) GTEST_SKIP() << "the system shows none";
    EXPECT_LT(place.offset, address);
}
