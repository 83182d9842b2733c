#pragma once
// What a borrowed_ptr remembers beside its pointer in builds without NDEBUG: whether its object is still alive.

#include <cstring>

#include "../../core/assert.hpp"
#include "../../core/type_name.hpp"
#include "../intrusive_ptr.hpp"
#include "../shared_ptr.hpp"
#include "../thin_ptr.hpp"
#include "control_block.hpp"

namespace freehold::detail {

#ifdef NDEBUG

class borrow_watch {
public:
    constexpr borrow_watch() noexcept = default;
    constexpr explicit borrow_watch(const auto&) noexcept {}
};

#else

// Observes the control block of what is borrowed, as a weak_ptr does, where the owner has one. A count inside the
// object, or none at all, could not be asked once the object is gone.
class borrow_watch {
public:
    constexpr borrow_watch() noexcept = default;

    constexpr explicit borrow_watch(const auto&) noexcept {}

    template <class T, class Counting>
    explicit borrow_watch(const shared_ptr<T, Counting>& owner) noexcept
        : borrow_watch(access::handle(owner).block()) {}

    template <class T, class Counting>
    explicit borrow_watch(const thin_ptr<T, Counting>& owner) noexcept
        : borrow_watch(access::handle(shared_ptr<T, Counting>(owner)).block()) {}

    borrow_watch(const borrow_watch& other) noexcept : block_(other.block_), kind_(other.kind_) {
        if (block_ != nullptr) kind_->acquire_observer(block_);
    }

    borrow_watch& operator=(borrow_watch other) noexcept {
        std::swap(block_, other.block_);
        std::swap(kind_, other.kind_);
        return *this;
    }

    ~borrow_watch() {
        if (block_ != nullptr) kind_->release_observer(block_);
    }

    // Returns: false if the object is known to have ended.
    [[nodiscard]] bool is_alive() const noexcept { return block_ == nullptr || kind_->is_alive(block_); }

    // Returns: false if the object is known to be counted elsewhere than in `block`, or not in one of a Counting.
    template <class Counting>
    [[nodiscard]] bool is_counted_in(const control_block<Counting>* block) const noexcept {
        return block_ == nullptr || (block_ == block && std::strcmp(kind_->counting, type_name<Counting>) == 0);
    }

private:
    // By way of counting.
    struct weak_record {
        void (*acquire_observer)(void*) noexcept;
        void (*release_observer)(void*) noexcept;
        bool (*is_alive)(void*) noexcept;
        const char* counting;  // its name: the address of this table, or of a type_info, may be another in a library
    };

    template <class Counting>
    static control_block<Counting>* as(void* block) noexcept {
        return static_cast<control_block<Counting>*>(block);
    }

    template <class Counting>
    static constexpr weak_record kind{
        [](void* block) noexcept { as<Counting>(block)->acquire_observer(); },
        [](void* block) noexcept { as<Counting>(block)->release_observer(); },
        [](void* block) noexcept { return as<Counting>(block)->owners() > 0; },
        type_name<Counting>,
    };

    template <class Counting>
    explicit borrow_watch(control_block<Counting>* block) noexcept : block_(block), kind_(&kind<Counting>) {
        if (block != nullptr) block->acquire_observer();
    }

    void* block_ = nullptr;
    const weak_record* kind_ = nullptr;
};

#endif

}  // namespace freehold::detail
