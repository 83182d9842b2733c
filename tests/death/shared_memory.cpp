#include <freehold/interop/shared_memory.hpp>

#include <cstring>

#include "support/child.hpp"
#include "support/precondition.hpp"
#include "support/shared_segment.hpp"

namespace shm = freehold::shared_memory;

using support::shared_segment;

namespace {

struct object {
    int value = 0;
};

class shared_memory_death : public testing::Test {
protected:
    shared_segment segment{16 * 1024};
    shared_segment other{16 * 1024};
    shm::pool& pool = segment.make<shm::pool>(segment, 4096);
    shm::shared_ptr<object>& root = segment.make<shm::shared_ptr<object>>();

    // Effects: uses the handle in a child process.
    template <class Handle>
    static void use_in_child(Handle& handle) {
        if (support::in_child([&] { return handle->value == 0 ? 0 : 1; }) != 0) std::abort();
    }
};

}  // namespace

TEST_F(shared_memory_death, a_null_pointer_is_not_dereferenced) {
    EXPECT_PRECONDITION(static_cast<void>(*root), "pointer != nullptr");
}

TEST_F(shared_memory_death, a_handle_copied_into_another_segment_is_told_to_the_process_that_uses_it) {
    root = shm::make_shared<object>(pool);
    auto& elsewhere = other.make<shm::shared_ptr<object>>(root);
    use_in_child(root);
    EXPECT_EQ(elsewhere->value, 0);
    EXPECT_PRECONDITION(use_in_child(elsewhere), "\\(word_ & mark\\) == 0");
    elsewhere.reset();
}

TEST_F(shared_memory_death, a_child_of_fork_does_not_use_the_handles_on_its_stack) {
    const auto mine = shm::make_shared<object>(pool);
    EXPECT_PRECONDITION(use_in_child(mine), "\\(word_ & mark\\) == 0");
    // A copy in the child would count one owner too few.
    EXPECT_PRECONDITION(support::in_child([&] { return shm::shared_ptr<object>(mine) == nullptr ? 1 : 0; }) == 0
                            ? static_cast<void>(0)
                            : std::abort(),
                        "\\(word_ & mark\\) == 0");
}

TEST_F(shared_memory_death, a_pool_is_in_the_segment_that_it_takes_memory_from) {
    EXPECT_PRECONDITION(other.make<shm::pool>(segment, 1024), "range\\(\\)\\.contains\\(this\\)|.*bytes");
}
