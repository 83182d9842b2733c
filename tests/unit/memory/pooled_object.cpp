#include <gtest/gtest.h>
#include <freehold/memory/pooled_object.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#include <freehold/memory/small_block_pool.hpp>

#include "support/tracked.hpp"

namespace {

struct node : freehold::pooled_object, support::tracked {
    virtual ~node() = default;
    long value = 7;
};

struct larger_node : node {
    char bytes[100] = {};
};

struct giant : freehold::pooled_object {
    char bytes[100'000] = {};
};

struct alignas(64) cache_line : freehold::pooled_object {
    char bytes[64] = {};
};

struct refusing : freehold::pooled_object {
    refusing() { throw std::invalid_argument("refused"); }
    char bytes[200] = {};
};

struct with_its_own : freehold::pooled_object {
    static void* operator new(std::size_t bytes) {
        ++made;
        return ::operator new(bytes);
    }
    static void operator delete(void* object) { ::operator delete(object); }

    static inline int made = 0;
};

// Returns: the next block of the pool for an object of `bytes` bytes.
void* next_block(std::size_t bytes) {
    void* const block = freehold::small_block_pool::allocate(bytes);
    freehold::small_block_pool::deallocate(block, bytes);
    return block;
}

class pooled_object : public support::tracked_test {};

class pooled_object_block : public pooled_object {
protected:
    void SetUp() override {
#if defined(FREEHOLD_ADDRESS_SANITIZER)
        GTEST_SKIP() << "the blocks come from operator new under AddressSanitizer";
#endif
        support::tracked_test::SetUp();
    }
};

}  // namespace

static_assert(std::is_empty_v<freehold::pooled_object>);
static_assert(!std::is_destructible_v<freehold::pooled_object>, "only as a part of an object");
static_assert(sizeof(giant) == 100'000);

TEST_F(pooled_object_block, new_takes_a_block_of_the_pool) {
    void* const block = next_block(sizeof(node));
    const std::unique_ptr<node> object(new node);
    EXPECT_EQ(object.get(), block);
}

TEST_F(pooled_object_block, delete_gives_the_block_back) {
    auto object = std::make_unique<node>();
    void* const block = object.get();
    object.reset();
    EXPECT_EQ(next_block(sizeof(node)), block);
}

TEST_F(pooled_object_block, an_object_deleted_as_its_base_gives_back_its_own_size) {
    std::unique_ptr<node> object = std::make_unique<larger_node>();
    void* const block = object.get();
    object.reset();
    EXPECT_EQ(next_block(sizeof(larger_node)), block);
}

TEST_F(pooled_object_block, a_constructor_that_throws_gives_the_block_back) {
    void* const block = next_block(sizeof(refusing));
    EXPECT_THROW(static_cast<void>(new refusing), std::invalid_argument);
    EXPECT_EQ(next_block(sizeof(refusing)), block);
}

TEST_F(pooled_object, objects_too_large_for_the_pool_are_allocated) {
    const auto object = std::make_unique<giant>();
    object->bytes[99'999] = 'x';
    EXPECT_EQ(object->bytes[99'999], 'x');
}

TEST_F(pooled_object, a_stricter_alignment_is_kept) {
    const auto object = std::make_unique<cache_line>();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object.get()) % 64, 0U);
}

TEST_F(pooled_object, arrays_are_made_as_without_it) {
    const auto objects = std::make_unique<node[]>(1'000);
    EXPECT_EQ(objects[999].value, 7);
}

TEST_F(pooled_object, an_object_can_be_made_in_a_given_place) {
    alignas(node) std::byte place[sizeof(node)];
    node* const object = new (place) node;
    EXPECT_EQ(static_cast<void*>(object), place);
    object->~node();
}

TEST_F(pooled_object, a_class_may_have_an_operator_new_of_its_own) {
    const std::unique_ptr<with_its_own> object(new with_its_own);
    EXPECT_EQ(with_its_own::made, 1);
}
