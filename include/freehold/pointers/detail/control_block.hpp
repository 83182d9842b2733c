#pragma once
// The control block of the shared pointers: 16 bytes that count an object's owners and weak pointers and know how to
// destroy it. A handle to it is in block_handle.hpp; the kinds of block are in object_block.hpp, array_block.hpp and
// pointer_block.hpp.

#include <cstddef>
#include <cstdint>

#ifdef __cpp_rtti
#include <typeinfo>
#endif

#include "../../core/config.hpp"
#include "../../core/platform/thread_state.hpp"
#include "../../counting/shared_count.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// Names a type at run time, with and without run-time type information.
class type_key {
public:
    template <class T>
    [[nodiscard]] static type_key of() noexcept {
#ifdef __cpp_rtti
        return type_key(&typeid(T));
#else
        return type_key(&place<T>);
#endif
    }

    friend bool operator==(type_key a, type_key b) noexcept {
#ifdef __cpp_rtti
        return *a.key_ == *b.key_;  // also between shared libraries that keep their symbols apart
#else
        return a.key_ == b.key_;
#endif
    }

private:
#ifdef __cpp_rtti
    using key = const std::type_info*;
#else
    using key = const void*;

    template <class T>
    static inline constexpr char place = 0;
#endif

    explicit type_key(key k) noexcept : key_(k) {}

    key key_;
};

// Asked for in the place of a deleter's type, where preconditions are checked: where the object begins and ends that
// the block destroys itself or deletes. Null if a deleter of the user's destroys it.
struct begin_of_deleted {};
struct end_of_deleted {};

template <class Counting>
class control_block;

// What a control block does, by kind of block. A table of its own instead of virtual functions: while a dead block
// waits for its destruction, the place of the pointer to the table holds a link. A compiler's vtable pointer could not
// hold one.
template <class Counting>
struct block_operations {
    using block = control_block<Counting>;

    // Effects: destroys the object and frees the block, which no other thread can reach.
    void (*destroy)(block*) noexcept;
    // Effects: destroys the object, then releases one weak pointer of the block.
    void (*destroy_keeping_block)(block*) noexcept;
    // Effects: destroys and frees the block, whose object is gone.
    void (*deallocate)(block*) noexcept;
    // Returns: the address of the block's deleter if that is its type, else a null pointer.
    void* (*deleter)(block*, type_key type) noexcept;
    // The size of a block, with its object if it houses one, but for an array whose length is known at run time.
    std::size_t bytes;
    // For readers of the program's memory: block_name.hpp. Or null.
    const char* name;
};

// Whether a handle records if its owner is a copy, which is counted apart: sharded_counting alone.
template <class Counting>
concept counts_copies_apart = requires(shared_count<Counting>& count) { count.acquire_copy(); };

template <class Counting>
class control_block {
public:
    using operations = block_operations<Counting>;

    control_block(const control_block&) = delete;
    control_block& operator=(const control_block&) = delete;

    FREEHOLD_ALWAYS_INLINE void acquire() noexcept { count_.acquire(); }

    // As in shared_count: the rare cases are for a function that is out of line.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE lock_outcome try_lock() noexcept { return count_.try_lock(); }
    [[nodiscard]] bool resolve_lock(lock_outcome outcome) noexcept { return count_.resolve_lock(outcome); }

    // Effects: releases one owner. The last one destroys the object, and the block with it if it has no weak pointer.
    void release() noexcept {
        if constexpr (counts_copies_apart<Counting>) return release_anchor();
        release_or([this]() noexcept { operations_->destroy(this); });
    }

    // Effects: as release(), for a caller that knows what kind of block this is: no call through the table.
    template <class Block>
    void release_as() noexcept {
        if constexpr (counts_copies_apart<Counting>) return release_anchor();
        release_or([this]() noexcept { Block::destroy_as(this); });
    }

    void acquire_weak() noexcept { count_.acquire_weak(); }

    void release_weak() noexcept {
        if (count_.release_weak()) operations_->deallocate(this);
    }

    // Returns: whether there is one owner and no weak pointer; then all that earlier owners did happens before the
    // return.
    [[nodiscard]] bool is_sole() noexcept { return count_.is_sole(); }

    // Effects: if there is one owner, the caller, makes it a weak pointer to an object that is expired for all others.
    // Returns: whether it did; then the caller calls destroy_keeping_block().
    [[nodiscard]] bool try_expire() noexcept { return count_.try_expire(); }
    void destroy_keeping_block() noexcept { operations_->destroy_keeping_block(this); }

    // For an object that has weak pointers before it exists. Requires: no other thread can reach the block.
    // Effects: makes the only owner a weak pointer.
    void expire() noexcept { count_.expire(); }
    // Effects: adds the first owner; what was done before happens before what follows a lock() that finds it.
    void acquire_first() noexcept { count_.acquire_first(); }

    [[nodiscard]] long owners() const noexcept { return count_.owners(); }

    // For diagnosis. Returns: the number of weak pointers at some moment of the call; 0 for an immortal object.
    [[nodiscard]] long weak_pointers() const noexcept { return count_.weak_pointers(); }

    [[nodiscard]] void* deleter(type_key type) noexcept { return operations_->deleter(this, type); }

    [[nodiscard]] const operations* kind() const noexcept { return operations_; }

    // Of biased_counting. Effects: destroys the object, and the block with it if it has no weak pointer. Requires: the
    // last owner is released, and the caller is counted as a weak pointer in its place.
    static void destroy_merged(shared_count<Counting>& count) noexcept {
        auto* const address = reinterpret_cast<std::byte*>(&count) - offsetof(control_block, count_);
        reinterpret_cast<control_block*>(address)->finish_last();
    }

    // Of biased_counting. Effects: from now on all threads count in the same way.
    void merge() noexcept { count_.merge(); }

    // Of sharded_counting. Effects: gives the count shards. Returns: whether they are open.
    bool open() noexcept { return count_.open(); }

    // Of sharded_counting. Effects: adds an owner. Returns: whether it is a copy, for which release_copy() is called.
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE bool acquire_copy() noexcept { return count_.acquire_copy(); }

    FREEHOLD_ALWAYS_INLINE void release_copy() noexcept {
        const release_outcome outcome = count_.release_copy();
        if (outcome != release_outcome::owned) [[unlikely]]
            finish_cold(outcome);
    }

protected:
    constexpr explicit control_block(const operations& kind) noexcept : operations_(&kind) {}
    ~control_block() = default;

private:
    template <class>
    friend class pending_blocks;

    template <class DestroySole>
    FREEHOLD_ALWAYS_INLINE void release_or(DestroySole destroy_sole) noexcept {
        // A last owner needs no locked operation without weak pointers, and one with them. The load that finds this out
        // costs a twentieth of a locked operation.
        if constexpr (shared_count<Counting>::release_is_locked) {
            switch (count_.company_of_owner()) {
                case company::owners: return count_.release([this]() noexcept { finish_raced(); });
                case company::weak_pointers: return release_beside_weak();
                case company::none: return destroy_sole();
            }
        } else {
            count_.release([this]() noexcept { finish_last(); });
        }
    }

    // All below but finish() are kept out of line, so that a release is small where it is inlined.

    FREEHOLD_NOINLINE void finish_last() noexcept { finish(count_.resolve_release()); }

    // As finish_last(), for an owner that saw others, and was the last when it counted down: rare, so apart from hot
    // code.
    FREEHOLD_NOINLINE FREEHOLD_COLD void finish_raced() noexcept { finish(count_.resolve_release()); }

    FREEHOLD_NOINLINE void finish_cold(release_outcome outcome) noexcept { finish(outcome); }

    FREEHOLD_NOINLINE void release_beside_weak() noexcept { finish(count_.release_beside_weak()); }

    // Of sharded_counting, where it is not the usual release.
    FREEHOLD_NOINLINE void release_anchor() noexcept {
        if (!count_.try_release_anchor()) [[unlikely]]
            release_last_anchor();
    }

    FREEHOLD_NOINLINE void release_last_anchor() noexcept {
        if (detail::is_single_threaded()) {
            release_or([this]() noexcept { operations_->destroy(this); });
        } else {
            finish(count_.release_anchor());
        }
    }

    void finish(release_outcome outcome) noexcept {
        switch (outcome) {
            case release_outcome::owned: return;
            case release_outcome::expired_without_weak: return operations_->destroy(this);
            case release_outcome::expired_with_weak: return operations_->destroy_keeping_block(this);
            case release_outcome::unused: return operations_->deallocate(this);
        }
    }

    // First, so that its address is that of the block. Handles and lists of blocks use the three lowest bits of it.
    alignas(8) shared_count<Counting> count_;
    union {
        const operations* operations_;
        std::uint64_t link_;  // while the block waits for its destruction
    };
};

}  // namespace detail

// For a count that several threads merge: see biased_counting.hpp.
template <class Counting>
struct destruction_of_merged {
    static void run(shared_count<Counting>& count) noexcept { detail::control_block<Counting>::destroy_merged(count); }
};

}  // namespace freehold
