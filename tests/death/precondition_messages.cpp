// What a user is told where a precondition of each family does not hold, without knowing Freehold's code.

#include <freehold/cyclic/concurrent_cyclic_ptr.hpp>
#include <freehold/cyclic/cyclic_heap.hpp>
#include <freehold/cyclic/cyclic_ptr.hpp>
#include <freehold/memory/concurrent_pool_resource.hpp>
#include <freehold/memory/limiting_resource.hpp>
#include <freehold/memory/monotonic_resource.hpp>
#include <freehold/memory/pool_resource.hpp>
#include <freehold/memory/resource_allocator.hpp>
#include <freehold/memory/small_block_pool.hpp>
#include <freehold/memory/stack_resource.hpp>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/borrowed_ptr.hpp>
#include <freehold/pointers/copy_on_write.hpp>
#include <freehold/pointers/intrusive_ptr.hpp>
#include <freehold/pointers/linked_ptr.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/make_shared.hpp>
#include <freehold/pointers/managed_ptr.hpp>
#include <freehold/pointers/ref_counted.hpp>
#include <freehold/pointers/sharded_shared_ptr.hpp>
#include <freehold/pointers/thin_ptr.hpp>
#include <freehold/traced/traced_heap.hpp>
#include <freehold/traced/traced_local.hpp>
#include <freehold/traced/traced_ptr.hpp>

#include <thread>

#include "support/precondition.hpp"

namespace shop {

struct widget {
    int value = 0;
};

struct ring {
    freehold::cyclic_ptr<ring> next;
};

struct forgetful {
    void trace(auto&) const {}
    freehold::cyclic_ptr<forgetful> next;
};

struct counted : freehold::ref_counted<counted> {};

}  // namespace shop

namespace {

using shop::widget;

// The statement ends the program, which says so in these words about this type.
#define EXPECT_MESSAGE(statement, meaning, type) \
    EXPECT_PRECONDITION(statement, ".*\n    " meaning "\n    type: " type "\n")
#define EXPECT_NULL_MESSAGE(pointer, type) EXPECT_MESSAGE(pointer->value, "a null pointer is dereferenced", type)

}  // namespace

TEST(precondition_messages, a_null_pointer_is_named_as_its_users_write_it) {
    EXPECT_NULL_MESSAGE(freehold::shared_ptr<widget>(), "freehold::shared_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::shared_ptr<const widget>(), "freehold::shared_ptr<const shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::local_shared_ptr<widget>(), "freehold::local_shared_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::biased_shared_ptr<widget>(), "freehold::biased_shared_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::sharded_shared_ptr<widget>(), "freehold::sharded_shared_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::thin_ptr<widget>(), "freehold::thin_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::local_thin_ptr<widget>(), "freehold::local_thin_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::linked_ptr<widget>(), "freehold::linked_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::managed_ptr<widget>(), "freehold::managed_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::borrowed_ptr<widget>(), "freehold::borrowed_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::cyclic_ptr<widget>(), "freehold::cyclic_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::concurrent_cyclic_ptr<widget>(), "freehold::concurrent_cyclic_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::traced_ptr<widget>(), "freehold::traced_ptr<shop::widget>");
    EXPECT_NULL_MESSAGE(freehold::traced_local<widget>(), "freehold::traced_local<shop::widget>");
    EXPECT_MESSAGE(*freehold::intrusive_ptr<shop::counted>(), "a null pointer is dereferenced",
                   "freehold::intrusive_ptr<shop::counted>");
}

TEST(precondition_messages, an_array_is_named) {
    const freehold::shared_ptr<int[2]> array(new int[2]{});
    EXPECT_MESSAGE(array[2], "an element behind the last one of the array is used",
                   "freehold::shared_ptr<int ?\\[2\\]>");
    EXPECT_MESSAGE(array[-1], "an element of a null array, or before the first one, is used",
                   "freehold::shared_ptr<int ?\\[2\\]>");
}

TEST(precondition_messages, a_destroyed_object_is_named) {
    freehold::borrowed_ptr<widget> borrowed;
    {
        const auto owner = freehold::make_shared<widget>();
        borrowed = owner;
    }
    EXPECT_MESSAGE(borrowed->value, "the borrowed object has been destroyed", "freehold::borrowed_ptr<shop::widget>");
}

TEST(precondition_messages, copy_on_write_names_the_pointer) {
    freehold::shared_ptr<widget> null;
    EXPECT_MESSAGE(freehold::make_mutable(null), "make_mutable is given a null pointer",
                   "freehold::shared_ptr<shop::widget>");
}

TEST(precondition_messages, a_type_whose_trace_forgets_a_member_is_named) {
    EXPECT_MESSAGE(freehold::make_cyclic<shop::forgetful>(),
                   "the type's trace\\(visit\\) does not visit all of its cyclic pointers", "shop::forgetful");
}

TEST(precondition_messages, an_object_that_another_thread_uses_is_named) {
    const auto object = freehold::make_cyclic<shop::ring>();
    EXPECT_MESSAGE(std::thread([&object] { const auto copy = object; }).join(),
                   "a cyclic_ptr is used in a thread that did not make its object", "shop::ring");
}

TEST(precondition_messages, a_heap_is_named) {
    freehold::cyclic_heap heap;
    EXPECT_MESSAGE(heap.collect(), "the heap is used in a thread without a session", "freehold::cyclic_heap");
    freehold::traced_heap traced;
    EXPECT_MESSAGE(std::thread([&traced] { traced.collect(); }).join(),
                   "the heap is used in a thread that it is not attached to: .*", "freehold::traced_heap");
}

TEST(precondition_messages, a_resource_is_named) {
    EXPECT_MESSAGE(freehold::pool_resource(nullptr), "the upstream resource is a null pointer",
                   "freehold::pool_resource");
    EXPECT_MESSAGE(freehold::limiting_resource(1, nullptr), "the upstream resource is a null pointer",
                   "freehold::limiting_resource");
    EXPECT_MESSAGE(freehold::small_block_pool::allocate(257), "the size is 0, or more than small_block_pool::largest",
                   "freehold::small_block_pool");
    freehold::concurrent_pool_resource pool;
    EXPECT_MESSAGE(pool.allocate(8, 3), "the alignment is not a power of two", "freehold::concurrent_pool_resource");
    freehold::stack_resource stack;
    void* const older = stack.allocate(8);
    static_cast<void>(stack.allocate(8));
    EXPECT_MESSAGE(stack.deallocate(older, 8), "a block is freed that is not the newest, or with another size",
                   "freehold::stack_resource");
}
