// What shared_ptr has in common with other pointers is tested in contracts/; this file tests the rest.

#include <gtest/gtest.h>
#include <freehold/pointers/biased_shared_ptr.hpp>
#include <freehold/pointers/enable_shared_from_this.hpp>
#include <freehold/pointers/local_shared_ptr.hpp>
#include <freehold/pointers/shared_ptr.hpp>

#include <memory>
#include <type_traits>

#include "support/ledger_allocator.hpp"

using freehold::local_shared_ptr;
using freehold::shared_ptr;
using freehold::weak_ptr;

namespace {

struct base {};
struct derived : base {};
struct unrelated {};

class undeletable {
    ~undeletable() = default;
};

struct delete_nothing {
    void operator()(const void*) const {}
};

struct immovable_deleter : delete_nothing {
    immovable_deleter(const immovable_deleter&) = delete;
};

struct empty_final_deleter final {
    void operator()(const int* p) const { delete p; }
};

int called = 0;
void function() { ++called; }

#ifdef __cpp_template_template_args
template <template <class> class Pointer>
struct owning_int {
    Pointer<int> owner;
};

template <template <class> class Pointer, class T>
T owned(const Pointer<T>&);
#endif

// Made before any code runs.
constinit shared_ptr<int> constant_initialized;

}  // namespace

// Size
static_assert(sizeof(shared_ptr<int>) == 2 * sizeof(void*));

// A template template parameter, where the compiler looks through the default of the second parameter.
#ifdef __cpp_template_template_args
static_assert(sizeof(owning_int<shared_ptr>) == sizeof(shared_ptr<int>));
static_assert(sizeof(owning_int<weak_ptr>) == sizeof(weak_ptr<int>));
static_assert(std::is_same_v<decltype(owned(shared_ptr<int>())), int>);
#endif

// Member types
static_assert(std::is_same_v<shared_ptr<int[]>::element_type, int>);
static_assert(std::is_same_v<shared_ptr<int[3]>::element_type, int>);
static_assert(std::is_same_v<shared_ptr<const int>::weak_type, weak_ptr<const int>>);

// Raw pointers: explicit, only where they convert, and where the object can be deleted ([util.smartptr.shared.const])
static_assert(std::is_constructible_v<shared_ptr<base>, derived*>);
static_assert(!std::is_convertible_v<base*, shared_ptr<base>>);
static_assert(!std::is_constructible_v<shared_ptr<derived>, base*>);
static_assert(!std::is_constructible_v<shared_ptr<base>, unrelated*>);
static_assert(!std::is_constructible_v<shared_ptr<int>, const int*>);
static_assert(!std::is_constructible_v<shared_ptr<undeletable>, undeletable*>);
static_assert(!std::is_constructible_v<shared_ptr<void()>, void (*)()>, "a function can't be deleted (LWG 3018)");

// Arrays: never through a pointer to derived
static_assert(std::is_constructible_v<shared_ptr<int[]>, int*>);
static_assert(std::is_constructible_v<shared_ptr<const int[]>, int*>);
static_assert(!std::is_constructible_v<shared_ptr<base[]>, derived*>);
static_assert(!std::is_constructible_v<shared_ptr<base[2]>, derived*>);
static_assert(std::is_convertible_v<shared_ptr<int[3]>, shared_ptr<int[]>>);
static_assert(std::is_convertible_v<shared_ptr<int[3]>, shared_ptr<const int[]>>);
static_assert(!std::is_convertible_v<shared_ptr<int[]>, shared_ptr<int[3]>>);
static_assert(!std::is_convertible_v<shared_ptr<int[3]>, shared_ptr<int[4]>>);
static_assert(!std::is_convertible_v<shared_ptr<derived[]>, shared_ptr<base[]>>);
static_assert(!std::is_convertible_v<shared_ptr<int[]>, shared_ptr<int>>);

// Deleters: only what can be called and kept (LWG 2875)
static_assert(std::is_constructible_v<shared_ptr<int>, int*, delete_nothing>);
static_assert(!std::is_constructible_v<shared_ptr<int>, int*, unrelated>);
static_assert(!std::is_constructible_v<shared_ptr<int>, int*, immovable_deleter>);
static_assert(!std::is_constructible_v<shared_ptr<int>, std::nullptr_t, void (*)(int)>);
static_assert(!std::is_constructible_v<shared_ptr<base>, unrelated*, delete_nothing>);
static_assert(std::is_constructible_v<shared_ptr<int>, std::nullptr_t, delete_nothing>);
static_assert(std::is_constructible_v<shared_ptr<int>, int*, delete_nothing, std::allocator<char>>);

// Observers: explicit
static_assert(std::is_constructible_v<shared_ptr<base>, weak_ptr<derived>>);
static_assert(!std::is_convertible_v<weak_ptr<derived>, shared_ptr<base>>);
static_assert(!std::is_constructible_v<shared_ptr<derived>, weak_ptr<base>>);

// Two ways to count do not mix.
static_assert(!std::is_constructible_v<shared_ptr<int>, local_shared_ptr<int>>);
static_assert(!std::is_constructible_v<local_shared_ptr<int>, shared_ptr<int>>);
static_assert(!std::is_assignable_v<shared_ptr<int>&, local_shared_ptr<int>>);
static_assert(!std::is_constructible_v<shared_ptr<int>, local_shared_ptr<int>, int*>, "nor by an alias");
static_assert(!std::is_constructible_v<weak_ptr<int>, local_shared_ptr<int>>);
static_assert(!std::is_constructible_v<shared_ptr<int>, freehold::biased_shared_ptr<int>>);

// No implicit conversion to anything but another owner
static_assert(!std::is_convertible_v<shared_ptr<int>, bool>);
static_assert(!std::is_convertible_v<shared_ptr<int>, int*>);

// What must not throw
static_assert(std::is_nothrow_default_constructible_v<shared_ptr<int>>);
static_assert(std::is_nothrow_copy_constructible_v<shared_ptr<int>>);
static_assert(std::is_nothrow_move_constructible_v<shared_ptr<int>>);
static_assert(std::is_nothrow_copy_assignable_v<shared_ptr<int>>);
static_assert(std::is_nothrow_move_assignable_v<shared_ptr<int>>);
static_assert(std::is_nothrow_swappable_v<shared_ptr<int>>);
static_assert(std::is_nothrow_constructible_v<shared_ptr<const base>, const shared_ptr<derived>&>);
static_assert(std::is_nothrow_constructible_v<shared_ptr<const base>, shared_ptr<derived>>);

// Deduction
static_assert(std::is_same_v<decltype(shared_ptr(weak_ptr<int>())), shared_ptr<int>>);

TEST(shared_ptr, a_constant_initialized_pointer_is_empty) {
    EXPECT_FALSE(constant_initialized);
    EXPECT_EQ(constant_initialized.use_count(), 0);
}

TEST(shared_ptr, it_owns_a_function_with_a_deleter) {
    called = 0;
    {
        const shared_ptr<void()> p(&function, [](void (*f)()) { f(); });
        (*p)();
        EXPECT_EQ(called, 1);
    }
    EXPECT_EQ(called, 2) << "by the deleter";
}

TEST(shared_ptr, an_empty_deleter_takes_no_room_in_the_control_block) {
    support::ledger ledger;
    const shared_ptr<int> p(new int(7), empty_final_deleter(), support::ledger_allocator<int>(ledger));
    ASSERT_EQ(ledger.live.size(), 1U);
    EXPECT_EQ(ledger.live.begin()->second.bytes, 16 + 2 * sizeof(void*))
        << "counts, pointer, and the allocator's one word";
}

TEST(shared_ptr, a_pointer_to_void_is_deleted_as_what_it_was) {
    struct counted {
        explicit counted(int& target) : count(&target) {}
        counted(const counted&) = delete;
        counted& operator=(const counted&) = delete;
        ~counted() { ++*count; }
        int* count;
    };
    int ended = 0;
    {
        const shared_ptr<const void> p(new counted(ended));
    }
    EXPECT_EQ(ended, 1);
}

TEST(shared_ptr, a_const_pointer_gives_access_to_an_object_that_may_change) {
    const shared_ptr<int> p(new int(1));
    *p = 2;
    EXPECT_EQ(*p.get(), 2);
    static_assert(std::is_same_v<decltype(*p), int&>);
    static_assert(noexcept(*p) && noexcept(p.get()) && noexcept(p.use_count()));
}

// What get() names may be owned anew if no owner deletes it.

TEST(shared_ptr_reset, its_own_pointer_may_be_null) {
    shared_ptr<base> p;
    p.reset(p.get());
    p.reset(p.get());  // owns a null pointer by now
    EXPECT_EQ(p.get(), nullptr);
    EXPECT_EQ(p.use_count(), 1);
}

TEST(shared_ptr_reset, an_alias_of_an_empty_owner_takes_over_what_it_names) {
    auto object = std::make_unique<base>();
    shared_ptr<base> p(shared_ptr<base>(), object.get());
    p.reset(p.get());
    EXPECT_EQ(p.get(), object.release());
    EXPECT_EQ(p.use_count(), 1);
}

TEST(shared_ptr_reset, an_alias_takes_over_what_its_owner_does_not_delete) {
    auto object = std::make_unique<base>();
    shared_ptr<base> p(shared_ptr<base>(new base), object.get());
    p.reset(p.get());
    EXPECT_EQ(p.get(), object.release());
}

TEST(shared_ptr_reset, its_own_object_whose_deleter_does_nothing) {
    auto object = std::make_unique<base>();
    shared_ptr<base> p(object.get(), delete_nothing());
    p.reset(p.get());
    EXPECT_EQ(p.get(), object.release());
    p.reset(p.get(), delete_nothing());  // deletes the object, as its only owner did
    EXPECT_EQ(p.use_count(), 1);
}

TEST(shared_ptr_reset, an_object_that_knows_its_owner_and_is_not_deleted_by_it) {
    struct self : freehold::enable_shared_from_this<self> {};
    auto object = std::make_unique<self>();
    const shared_ptr<self> lent(object.get(), delete_nothing());
    const shared_ptr<self> owner(object.release());
    const shared_ptr<self> again(owner.get(), delete_nothing());
    EXPECT_EQ(owner.use_count(), 1);
}

namespace {

// Its memory is of a buffer that another owner keeps.
struct placed {
    static void operator delete(void*) noexcept {}
    static void operator delete(placed* object, std::destroying_delete_t) noexcept { ++object->deleted; }

    int deleted = 0;
};

}  // namespace

TEST(shared_ptr, may_be_reset_to_what_it_owns_if_the_class_has_a_deletion_of_its_own) {
    placed object;
    {
        freehold::shared_ptr<placed> p(&object);
        p.reset(p.get());
    }
    EXPECT_EQ(object.deleted, 2);
}
