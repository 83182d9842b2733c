// The contract of the shared_ptr family: allocators whose pointers are classes.

#include <cstddef>
#include <memory>
#include <type_traits>

#include "shared_family.hpp"

namespace contracts {

namespace {

template <class T>
class fancy_pointer {
public:
    using element_type = T;

    fancy_pointer() = default;
    fancy_pointer(std::nullptr_t) {}
    explicit fancy_pointer(T* address) : address_(address) {}

    static fancy_pointer pointer_to(std::add_lvalue_reference_t<T> object) {
        return fancy_pointer(std::addressof(object));
    }

    std::add_lvalue_reference_t<T> operator*() const { return *address_; }
    T* operator->() const { return address_; }
    explicit operator bool() const { return address_ != nullptr; }
    bool operator==(const fancy_pointer&) const = default;

private:
    T* address_ = nullptr;
};

int blocks = 0;

template <class T>
struct fancy_allocator {
    using value_type = T;
    using pointer = fancy_pointer<T>;

    fancy_allocator() = default;

    template <class U>
    fancy_allocator(const fancy_allocator<U>&) {}

    pointer allocate(std::size_t n) {
        ++blocks;
        return pointer(std::allocator<T>().allocate(n));
    }

    void deallocate(pointer memory, std::size_t n) {
        --blocks;
        std::allocator<T>().deallocate(std::to_address(memory), n);
    }

    template <class U>
    friend bool operator==(const fancy_allocator&, const fancy_allocator<U>&) {
        return true;
    }
};

}  // namespace

CONTRACT(shared_family, memory_may_come_as_a_fancy_pointer) {
    auto housed = TestFixture::allocate(fancy_allocator<object>(), 7);
    EXPECT_EQ(housed->value, 7);
    auto owned = TestFixture::own(new object(8), [](const object* p) { delete p; }, fancy_allocator<object>());
    EXPECT_EQ(blocks, 2);
    housed.reset();
    owned.reset();
    EXPECT_EQ(blocks, 0);
}

CONTRACT(shared_family, memory_of_an_array_may_come_as_a_fancy_pointer) {
    {
        const auto array = TestFixture::template allocate<object[]>(fancy_allocator<object>(), 3);
        const auto overwritten = TestFixture::template allocate_for_overwrite<int[3]>(fancy_allocator<char>());
        const typename TestFixture::template pointer<object> owned(new object(8), fancy_allocator<object>());
        EXPECT_EQ(array[2].value, 0);
        EXPECT_EQ(owned->value, 8);
        EXPECT_EQ(blocks, 3);
    }
    EXPECT_EQ(blocks, 0);
}

}  // namespace contracts
