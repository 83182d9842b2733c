#pragma once
// ledger_allocator<T>: an allocator that writes down what it does, checks what it gets back, and fails when told to.
//
// It is stateful, unequal to those with another ledger, without a default constructor, and offers only what the
// standard requires of an allocator, with construct and destroy.

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <new>
#include <utility>

namespace support {

// What all allocators with this ledger have done. Must outlive them.
struct ledger {
    struct block {
        std::size_t bytes;
        std::size_t alignment;
    };

    ledger() = default;
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;
    ~ledger() { EXPECT_TRUE(live.empty()) << "a block was not given back to its allocator"; }

    std::map<const void*, block> live;
    int allocations = 0;
    int allocations_left = std::numeric_limits<int>::max();  // the next one throws when this is 0
    int constructed = 0;
    int destroyed = 0;
};

template <class T>
class ledger_allocator {
public:
    using value_type = T;

    explicit ledger_allocator(ledger& ledger) noexcept : ledger_(&ledger) {}

    template <class U>
    ledger_allocator(const ledger_allocator<U>& other) noexcept : ledger_(other.ledger_) {}

    [[nodiscard]] T* allocate(std::size_t n) {
        if (ledger_->allocations_left == 0) throw std::bad_alloc();
        --ledger_->allocations_left;
        void* const memory = ::operator new(n * sizeof(T), std::align_val_t{alignof(T)});
        ledger_->live[memory] = {n * sizeof(T), alignof(T)};
        ++ledger_->allocations;
        return static_cast<T*>(memory);
    }

    void deallocate(T* memory, std::size_t n) noexcept {
        const auto block = ledger_->live.find(memory);
        ASSERT_NE(block, ledger_->live.end()) << "not a block of this allocator";
        EXPECT_EQ(block->second.bytes, n * sizeof(T));
        EXPECT_EQ(block->second.alignment, alignof(T));
        ledger_->live.erase(block);
        ::operator delete(memory, std::align_val_t{alignof(T)});
    }

    template <class U, class... Arguments>
    void construct(U* object, Arguments&&... arguments) {
        ::new (static_cast<void*>(object)) U(std::forward<Arguments>(arguments)...);
        ++ledger_->constructed;
    }

    template <class U>
    void destroy(U* object) noexcept {
        ++ledger_->destroyed;
        std::destroy_at(object);
    }

    template <class U>
    friend bool operator==(const ledger_allocator& a, const ledger_allocator<U>& b) noexcept {
        return a.ledger_ == b.ledger_;
    }

private:
    template <class U>
    friend class ledger_allocator;

    ledger* ledger_;
};

}  // namespace support
