#pragma once
// The control block of the shared pointers: 16 bytes that count an object's owners and observers and know its end.

#include <cstddef>
#include <cstdint>

#include "../../counting/shared_count.hpp"
#include "type_key.hpp"

namespace freehold::detail {

template <class Counting>
class control_block;

// What a control block does, by kind of block. A table of its own instead of virtual functions: while a dead block
// waits for its destruction, the place of the pointer to it holds a link, which a hidden one could not.
template <class Counting>
struct block_operations {
    using block = control_block<Counting>;

    // Effects: destroys the object and frees the block, which nobody else can reach.
    void (*end)(block*) noexcept;
    // Effects: destroys the object, then releases one observer of the block.
    void (*end_observed)(block*) noexcept;
    // Effects: destroys and frees the block, whose object is gone.
    void (*deallocate)(block*) noexcept;
    // Returns: the address of the block's deleter if that is its type, else a null pointer.
    void* (*deleter)(block*, type_key type) noexcept;
};

template <class Counting>
class control_block {
public:
    using operations = block_operations<Counting>;

    control_block(const control_block&) = delete;
    control_block& operator=(const control_block&) = delete;

    void acquire() noexcept { count_.acquire(); }

    [[nodiscard]] bool try_acquire() noexcept { return count_.try_acquire(); }

    // Effects: releases one owner; the last one ends the object, and the block with it when nobody observes it.
    void release() noexcept {
        // A sole owner needs no locked operation: the load costs a twentieth of one.
        if constexpr (shared_count<Counting>::release_is_locked) {
            if (count_.is_sole()) return operations_->end(this);
        }
        count_.release([this]() noexcept { conclude(); });
    }

    // Effects: as release(), for a caller who knows what kind of block this is: no call through the table.
    template <class Block>
    void release_as() noexcept {
        if constexpr (shared_count<Counting>::release_is_locked) {
            if (count_.is_sole()) return Block::end_of_kind(this);
        }
        count_.release([this]() noexcept { conclude(); });
    }

    void acquire_observer() noexcept { count_.acquire_observer(); }

    void release_observer() noexcept {
        if (count_.release_observer()) operations_->deallocate(this);
    }

    // Returns: whether there is one owner and no observer; then all that earlier owners did happens before the return.
    [[nodiscard]] bool is_sole() noexcept { return count_.is_sole(); }

    // Effects: if there is one owner, the caller, makes it an observer of an object that has ended for all others.
    // Returns: whether it did; then the caller calls end_observed().
    [[nodiscard]] bool try_end() noexcept { return count_.try_end(); }
    void end_observed() noexcept { operations_->end_observed(this); }

    // Effects: ends the object, and the block with it when nobody observes it. Requires: the last owner has left, and
    // the caller is an observer in its place.
    static void end_merged(shared_count<Counting>& count) noexcept {
        auto* const address = reinterpret_cast<std::byte*>(&count) - offsetof(control_block, count_);
        reinterpret_cast<control_block*>(address)->conclude();
    }

    // Effects: lets all threads count in the same way from now on, where they don't.
    void merge() noexcept { count_.merge(); }

    // For an object that is observed before it exists. Requires: nobody else knows the block.
    // Effects: makes the only owner an observer.
    void begin_observed() noexcept { count_.end(); }
    // Effects: adds the first owner; what was done before happens before what follows a lock() that finds it.
    void begin_owned() noexcept { count_.begin(); }

    [[nodiscard]] long owners() const noexcept { return count_.owners(); }

    [[nodiscard]] void* deleter(type_key type) noexcept { return operations_->deleter(this, type); }

    [[nodiscard]] const operations* kind() const noexcept { return operations_; }

protected:
    constexpr explicit control_block(const operations& kind) noexcept : operations_(&kind) {}
    ~control_block() = default;

private:
    template <class>
    friend class pending_blocks;

    // Kept out of line, so that a release is small where it is inlined.
    [[gnu::noinline]] void conclude() noexcept {
        switch (count_.settle()) {
            case release_outcome::owned: return;
            case release_outcome::ended_unobserved: return operations_->end(this);
            case release_outcome::ended_observed: return operations_->end_observed(this);
        }
    }

    shared_count<Counting> count_;  // first, so that its address is that of the block
    union {
        const operations* operations_;
        std::uintptr_t link_;  // while the block waits for its destruction
    };
};

}  // namespace freehold::detail

namespace freehold {

// For a count that several threads merge: see biased_counting.hpp.
template <class Counting>
struct end_of_merged {
    static void run(shared_count<Counting>& count) noexcept { detail::control_block<Counting>::end_merged(count); }
};

}  // namespace freehold
