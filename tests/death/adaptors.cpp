// What the resources that wrap an upstream require, and what guard_resource finds.

#include <freehold/core/annotate.hpp>
#include <freehold/memory/aligned_resource.hpp>
#include <freehold/memory/counting_resource.hpp>
#include <freehold/memory/failing_resource.hpp>
#include <freehold/memory/guard_resource.hpp>
#include <freehold/memory/limiting_resource.hpp>
#include <freehold/memory/logging_resource.hpp>
#include <freehold/memory/synchronized_resource.hpp>

#include <cstddef>
#include <memory_resource>
#include <optional>
#include <sstream>

#include "support/precondition.hpp"

using freehold::guard_resource;

TEST(adaptor_death, there_is_an_upstream) {
    std::pmr::memory_resource* const none = nullptr;
    std::ostringstream log;
    EXPECT_PRECONDITION(freehold::aligned_resource(64, none), "upstream != nullptr");
    EXPECT_PRECONDITION(freehold::counting_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(freehold::failing_resource(1, none), "upstream != nullptr");
    EXPECT_PRECONDITION(guard_resource{none}, "upstream != nullptr");
    EXPECT_PRECONDITION(freehold::limiting_resource(1, none), "upstream != nullptr");
    EXPECT_PRECONDITION(freehold::logging_resource(log, none), "upstream != nullptr");
    EXPECT_PRECONDITION(freehold::synchronized_resource{none}, "upstream != nullptr");
}

TEST(adaptor_death, a_minimum_alignment_is_a_power_of_two) {
    EXPECT_PRECONDITION(freehold::aligned_resource(24), "std::has_single_bit\\(min_alignment\\)");
    EXPECT_PRECONDITION(freehold::aligned_resource(0), "std::has_single_bit\\(min_alignment\\)");
}

TEST(adaptor_death, no_more_is_freed_than_counts_for_the_limit) {
    freehold::limiting_resource resource(100);
    void* const block = resource.allocate(24);
    EXPECT_PRECONDITION(resource.deallocate(block, 32), "bytes <= allocated_");
    resource.deallocate(block, 24);
}

TEST(adaptor_death, scopes_of_a_counting_resource_end_in_the_reverse_order) {
    freehold::counting_resource resource;
    std::optional<freehold::counting_resource::scope> outer(resource);
    std::optional<freehold::counting_resource::scope> inner(resource);
    EXPECT_PRECONDITION(outer.reset(), "resource_.innermost_ == this");
    inner.reset();
    outer.reset();
}

namespace {

// Effects: writes to a byte of the block, or beside it.
void write_at(void* block, std::ptrdiff_t place) { static_cast<volatile char*>(block)[place] = 1; }

// What ends the program where a red zone is written to: the sanitizer at once, otherwise the guard at the next check.
#ifdef FREEHOLD_ADDRESS_SANITIZER
constexpr const char* overrun_at_24 = "use-after-poison";
constexpr const char* overrun_at_87 = "use-after-poison";
constexpr const char* overrun_before = "use-after-poison";
constexpr const char* overrun_far_before = "use-after-poison";
#else
constexpr const char* overrun_at_24 = "of 24 bytes, alignment 8, was overrun at byte 24\n";
constexpr const char* overrun_at_87 = "of 24 bytes, alignment 8, was overrun at byte 87\n";
constexpr const char* overrun_before = "of 24 bytes, alignment 8, was overrun at byte -1\n";
constexpr const char* overrun_far_before = "of 24 bytes, alignment 8, was overrun at byte -64\n";
#endif

}  // namespace

TEST(guard_resource_death, what_was_written_beyond_a_block_is_found_when_it_is_freed) {
    guard_resource resource;
    void* const block = resource.allocate(24, 8);
    const auto overrun = [&](std::ptrdiff_t place) {
        write_at(block, place);
        resource.deallocate(block, 24, 8);
    };
    EXPECT_DEATH(overrun(24), overrun_at_24);
    EXPECT_DEATH(overrun(87), overrun_at_87);
    resource.deallocate(block, 24, 8);
}

TEST(guard_resource_death, what_was_written_before_a_block_is_found_when_it_is_freed) {
    guard_resource resource;
    void* const block = resource.allocate(24, 8);
    const auto overrun = [&](std::ptrdiff_t place) {
        write_at(block, place);
        resource.deallocate(block, 24, 8);
    };
    EXPECT_DEATH(overrun(-1), overrun_before);
    EXPECT_DEATH(overrun(-64), overrun_far_before);
    resource.deallocate(block, 24, 8);
}

TEST(guard_resource_death, an_overrun_is_found_on_demand) {
    guard_resource resource;
    void* const block = resource.allocate(24, 8);
    void* const other = resource.allocate(24, 8);
    const auto overrun = [&] {
        write_at(block, 24);
        resource.check();
    };
    EXPECT_DEATH(overrun(), overrun_at_24);
    resource.deallocate(block, 24, 8);
    resource.deallocate(other, 24, 8);
}

TEST(guard_resource_death, an_overrun_of_what_is_not_freed_is_found_at_the_end) {
    const auto overrun = [] {
        guard_resource resource;
        write_at(resource.allocate(24, 8), 24);
    };
    EXPECT_DEATH(overrun(), overrun_at_24);
}

TEST(guard_resource_death, a_block_is_freed_with_its_size_and_alignment) {
    guard_resource resource;
    void* const block = resource.allocate(24, 8);
    EXPECT_DEATH(resource.deallocate(block, 32, 8), "of 24 bytes, alignment 8, was freed with a size of 32\n");
    EXPECT_DEATH(resource.deallocate(block, 24, 4), "of 24 bytes, alignment 8, was freed with an alignment of 4\n");
    resource.deallocate(block, 24, 8);
}

TEST(guard_resource_death, a_block_is_freed_once) {
    guard_resource resource;
    void* const block = resource.allocate(24, 8);
    resource.deallocate(block, 24, 8);
    EXPECT_DEATH(resource.deallocate(block, 24, 8), "is freed but none of the live blocks, of which there are 0\n");
}

TEST(guard_resource_death, what_is_not_its_block_is_not_freed) {
    guard_resource resource;
    auto* const block = static_cast<std::byte*>(resource.allocate(24, 8));
    EXPECT_DEATH(resource.deallocate(block + 8, 16, 8), "is freed but none of the live blocks, of which there are 1\n");
    resource.deallocate(block, 24, 8);
}
