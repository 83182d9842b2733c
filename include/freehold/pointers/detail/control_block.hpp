#pragma once
// The control block of the shared pointers: 16 bytes that count an object's owners and weak pointers and know how to
// destroy it. With it, what a shared handle holds beside its pointer, and the way into the shared pointers for the
// other owners of Freehold.

#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#ifdef __cpp_rtti
#include <typeinfo>
#endif

#include "../../core/exceptions.hpp"
#include "../../core/platform/thread_state.hpp"
#include "../../counting/shared_count.hpp"

namespace freehold {

template <class T, class Counting>
class shared_ptr;

template <class T, class Counting>
class weak_ptr;

template <class T>
class managed_ptr;

template <class T, class Counting>
class enable_shared_from_this;

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
};

// Whether a handle says how its owner is counted: sharded_counting.
template <class Counting>
concept counts_copies_apart = requires(shared_count<Counting>& count) { count.acquire_copy(); };

template <class Counting>
class control_block {
public:
    using operations = block_operations<Counting>;

    control_block(const control_block&) = delete;
    control_block& operator=(const control_block&) = delete;

    [[gnu::always_inline]] void acquire() noexcept { count_.acquire(); }

    // As in shared_count: the rare cases are for a function that is out of line.
    [[nodiscard, gnu::always_inline]] lock_outcome try_lock() noexcept { return count_.try_lock(); }
    [[nodiscard]] bool settle_lock(lock_outcome outcome) noexcept { return count_.settle_lock(outcome); }

    // Where the counting counts copies apart. Effects: adds an owner. Returns: whether it is such a copy, for which
    // release_copy() is called.
    [[nodiscard, gnu::always_inline]] bool acquire_copy() noexcept { return count_.acquire_copy(); }

    [[gnu::always_inline]] void release_copy() noexcept {
        const release_outcome outcome = count_.release_copy();
        if (outcome != release_outcome::owned) [[unlikely]]
            finish_late(outcome);
    }

    // Out of line: not the usual release there.
    [[gnu::noinline]] void release_anchor() noexcept {
        if (!count_.try_release_anchor()) [[unlikely]]
            release_last_anchor();
    }

    bool open() noexcept { return count_.open(); }

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

    // Effects: destroys the object, and the block with it if it has no weak pointer. Requires: the last owner is
    // released, and the caller is counted as a weak pointer in its place.
    static void destroy_merged(shared_count<Counting>& count) noexcept {
        auto* const address = reinterpret_cast<std::byte*>(&count) - offsetof(control_block, count_);
        reinterpret_cast<control_block*>(address)->conclude();
    }

    // Effects: from now on all threads count in the same way.
    void merge() noexcept { count_.merge(); }

    // For an object that has weak pointers before it exists. Requires: no other thread can reach the block.
    // Effects: makes the only owner a weak pointer.
    void expire() noexcept { count_.expire(); }
    // Effects: adds the first owner; what was done before happens before what follows a lock() that finds it.
    void acquire_first() noexcept { count_.acquire_first(); }

    [[nodiscard]] long owners() const noexcept { return count_.owners(); }

    [[nodiscard]] void* deleter(type_key type) noexcept { return operations_->deleter(this, type); }

    [[nodiscard]] const operations* kind() const noexcept { return operations_; }

protected:
    constexpr explicit control_block(const operations& kind) noexcept : operations_(&kind) {}
    ~control_block() = default;

private:
    template <class>
    friend class pending_blocks;

    template <class DestroySole>
    [[gnu::always_inline]] void release_or(DestroySole destroy_sole) noexcept {
        // A last owner needs no locked operation without weak pointers, and one with them: the load costs a twentieth.
        if constexpr (shared_count<Counting>::release_is_locked) {
            switch (count_.company_of_owner()) {
                case company::owners: return count_.release([this]() noexcept { conclude_late(); });
                case company::weak_pointers: return release_beside_weak();
                case company::none: return destroy_sole();
            }
        } else {
            count_.release([this]() noexcept { conclude(); });
        }
    }

    [[gnu::noinline]] void release_last_anchor() noexcept {
        if (detail::is_single_threaded()) {
            release_or([this]() noexcept { operations_->destroy(this); });
        } else {
            finish(count_.release_anchor());
        }
    }

    // Kept out of line, so that a release is small where it is inlined.
    [[gnu::noinline]] void conclude() noexcept { finish(count_.settle()); }

    // For a last owner that was not the last when it looked.
    [[gnu::noinline, gnu::cold]] void conclude_late() noexcept { finish(count_.settle()); }

    [[gnu::noinline]] void release_beside_weak() noexcept { finish(count_.release_beside_weak()); }

    [[gnu::noinline]] void finish_late(release_outcome outcome) noexcept { finish(outcome); }

    void finish(release_outcome outcome) noexcept {
        switch (outcome) {
            case release_outcome::owned: return;
            case release_outcome::expired_without_weak: return operations_->destroy(this);
            case release_outcome::expired_with_weak: return operations_->destroy_keeping_block(this);
            case release_outcome::unused: return operations_->deallocate(this);
        }
    }

    shared_count<Counting> count_;  // first, so that its address is that of the block
    union {
        const operations* operations_;
        std::uintptr_t link_;  // while the block waits for its destruction
    };
};

// An empty handle and a handle to an immortal have nothing to count. The mark of an immortal is its address with the
// highest bit set, so that one comparison with zero distinguishes both from a block's address.
//
// The address is kept as a number. Beside the pointer of a handle g++ would take a second pointer for one value of 16
// bytes with it, and read both at once. Where they were just written one by one, as when a handle was just made, the
// processor can't forward that from its store buffer, and waits until both writes have reached the cache: a copy or
// move of a new handle then takes three times as long (docs/decisions/0012-a-handle-word-by-word.md).
template <class Counting>
class block_handle {
public:
    constexpr block_handle() noexcept = default;
    [[gnu::always_inline]] block_handle(control_block<Counting>* block) noexcept
        : word_(reinterpret_cast<std::uintptr_t>(block)) {}

    [[nodiscard]] static block_handle immortal(const void* object) noexcept {
        return block_handle(reinterpret_cast<std::uintptr_t>(object) | ~(~std::uintptr_t{0} >> 1));
    }

    // The handle as an address, for a place that stores one.
    [[nodiscard]] void* address() const noexcept { return reinterpret_cast<void*>(word_); }
    [[nodiscard]] static block_handle at(void* address) noexcept {
        return block_handle(reinterpret_cast<std::uintptr_t>(address));
    }

    // The handle of an owner that is counted like the first one.
    [[nodiscard, gnu::always_inline]] block_handle anchor() const noexcept { return block_handle(identity()); }

    // Effects: leaves *this empty. Returns: what it was.
    [[nodiscard, gnu::always_inline]] block_handle take() noexcept {
        const block_handle taken(word_);
        word_ = 0;
        return taken;
    }

    [[gnu::always_inline]] void swap(block_handle& other) noexcept {
        const std::uintptr_t word = word_;
        word_ = other.word_;
        other.word_ = word;
    }

    [[nodiscard, gnu::always_inline]] bool is_empty() const noexcept { return word_ == 0; }

    [[nodiscard, gnu::always_inline]] bool is_counted() const noexcept { return static_cast<std::intptr_t>(word_) > 0; }

    // Returns: the block, or a null pointer if there is none.
    [[nodiscard]] control_block<Counting>* block() const noexcept { return is_counted() ? counted() : nullptr; }

    // Effects: adds an owner, which *this is from then on.
    [[gnu::always_inline]] void acquire() noexcept {
        if (!is_counted()) return;
        if constexpr (counts_copies_apart<Counting>) {
            word_ = identity() | (counted()->acquire_copy() ? copy_mark : 0);
        } else {
            counted()->acquire();
        }
    }

    [[gnu::always_inline]] void release() const noexcept {
        if (is_counted()) [[likely]] {
            if constexpr (counts_copies_apart<Counting>) {
                word_ != identity() ? counted()->release_copy() : counted()->release();
            } else {
                counted()->release();
            }
        }
    }

    void acquire_weak() const noexcept {
        if (is_counted()) counted()->acquire_weak();
    }

    void release_weak() const noexcept {
        if (is_counted()) counted()->release_weak();
    }

    // Returns: whether the last owner will destroy or delete the object that is at the address, wholly or as a part.
    // Requires: preconditions are checked, and the object is not expired.
    [[nodiscard]] bool deletes(const volatile void* address) const noexcept {
        if (!is_counted()) return false;
        const auto place = reinterpret_cast<std::uintptr_t>(address);
        const auto begin = reinterpret_cast<std::uintptr_t>(counted()->deleter(type_key::of<begin_of_deleted>()));
        const auto end = reinterpret_cast<std::uintptr_t>(counted()->deleter(type_key::of<end_of_deleted>()));
        return begin <= place && place < end;
    }

    // Returns: whether there is an object to count, with one owner and no weak pointer.
    [[nodiscard]] bool is_sole() const noexcept { return is_counted() && counted()->is_sole(); }

    // Returns: whether the block's try_lock(), which was not `acquired`, acquires an owner after all; without a block,
    // whether there is an object.
    [[nodiscard]] bool settle_lock(lock_outcome outcome) const noexcept {
        return is_counted() ? counted()->settle_lock(outcome) : word_ != 0;
    }

    // Effects: acquires an owner of an object that is not expired. Returns: `object`. Throws: std::bad_weak_ptr.
    template <class T>
    [[nodiscard]] T* kept_alive(T* object) const {
        if (is_counted()) [[likely]] {
            const lock_outcome outcome = counted()->try_lock();
            if (outcome != lock_outcome::acquired) [[unlikely]]
                settle_or_raise(counted(), outcome);
        } else if (word_ == 0) {
            raise<std::bad_weak_ptr>();
        }
        return object;
    }

    [[nodiscard]] long owners() const noexcept {
        if (is_counted()) return counted()->owners();
        return word_ == 0 ? 0 : LONG_MAX;
    }

    [[nodiscard]] bool before(block_handle other) const noexcept { return identity() < other.identity(); }

    [[nodiscard]] std::size_t hash() const noexcept { return std::hash<std::uintptr_t>()(identity()); }

    friend bool operator==(block_handle a, block_handle b) noexcept { return a.identity() == b.identity(); }

    // Returns: the number that the handle is. Used as a latch.
    [[nodiscard]] std::uintptr_t& word() noexcept { return word_; }

private:
    [[gnu::always_inline]] explicit block_handle(std::uintptr_t word) noexcept : word_(word) {}

    [[gnu::noinline, gnu::cold]] static void settle_or_raise(control_block<Counting>* block, lock_outcome outcome) {
        if (!block->settle_lock(outcome)) raise<std::bad_weak_ptr>();
    }

    // Requires: is_counted().
    [[nodiscard, gnu::always_inline]] control_block<Counting>* counted() const noexcept {
        return reinterpret_cast<control_block<Counting>*>(identity());
    }

    // Returns: the word without the mark of a copy, which lies below the address of a block.
    [[nodiscard, gnu::always_inline]] std::uintptr_t identity() const noexcept {
        if constexpr (counts_copies_apart<Counting>) {
            return is_counted() ? word_ & ~copy_mark : word_;
        } else {
            return word_;
        }
    }

    static constexpr std::uintptr_t copy_mark = 1;

    std::uintptr_t word_ = 0;
};

// The way into the shared pointers; not for users.
struct access {
    // Returns: a shared_ptr that takes over one owner that `handle` already counts.
    template <class T, class Counting>
    [[nodiscard]] static shared_ptr<T, Counting> adopt(std::remove_extent_t<T>* object,
                                                       block_handle<Counting> handle) noexcept {
        return shared_ptr<T, Counting>(object, handle);
    }

    // Returns: a weak_ptr that takes over one weak pointer that `handle` already counts.
    template <class T, class Counting>
    [[nodiscard]] static weak_ptr<T, Counting> adopt_weak(std::remove_extent_t<T>* object,
                                                          block_handle<Counting> handle) noexcept {
        return weak_ptr<T, Counting>(object, handle);
    }

    // Returns: the control block of an object that Thin owns or could own.
    template <class Thin>
    [[nodiscard]] static auto* block_of(typename Thin::element_type* object) noexcept {
        return Thin::block_at(object);
    }

    // Returns: another owner of such an object.
    template <class Thin>
    [[nodiscard]] static Thin share(typename Thin::element_type* object) noexcept {
        block_of<Thin>(object)->acquire();
        return Thin(object);
    }

    // Returns: an owner of what `weak` refers to. Throws: std::bad_weak_ptr if it has none.
    template <class Weak>
    [[nodiscard, gnu::always_inline]] static auto owner_of(const Weak& weak) {
        return weak.template acquire<typename Weak::otherwise_raise>();
    }

    template <class Pointer>
    [[nodiscard]] static auto handle(const Pointer& pointer) noexcept -> decltype(pointer.handle_) {
        return pointer.handle_;
    }

    template <class Pointer>
    [[nodiscard]] static auto& handle_of(Pointer& pointer) noexcept {
        return pointer.handle_;
    }

    // Effects: leaves `pointer` empty without releasing. Returns: what it held.
    template <class Pointer>
    [[nodiscard]] static auto release(Pointer& pointer) noexcept {
        pointer.pointer_ = nullptr;
        return pointer.handle_.take();
    }

    template <class Pointer>
    [[nodiscard]] static auto& cleanup_of(Pointer& pointer) noexcept {
        return pointer.cleanup_;
    }

    template <class Pointer>
    [[nodiscard]] static auto& pointer_of(Pointer& pointer) noexcept {
        return pointer.pointer_;
    }

    // Effects: gives an object that can make owners of itself a weak pointer to itself.
    template <class Counting, class Y>
    static void introduce(block_handle<Counting> handle, Y* object) noexcept {
        if constexpr (requires { base_of<Counting>(const_cast<std::remove_cv_t<Y>*>(object)); }) {
            if (object == nullptr) return;
            auto* const plain = const_cast<std::remove_cv_t<Y>*>(object);
            base_of<Counting>(plain)->keep_weak(handle, plain);
        }
    }

private:
    // Chosen for objects with one accessible base that makes owners of them.
    template <class Counting, class U>
    static const enable_shared_from_this<U, Counting>* base_of(
        const enable_shared_from_this<U, Counting>* base) noexcept {
        return base;
    }
};

// A shared_ptr or weak_ptr that counts by Counting.
template <class Pointer, class Counting>
concept counted_by = requires(const Pointer& pointer) {
    { access::handle(pointer) } -> std::same_as<block_handle<Counting>>;
};

}  // namespace detail

// For a count that several threads merge: see biased_counting.hpp.
template <class Counting>
struct destruction_of_merged {
    static void run(shared_count<Counting>& count) noexcept { detail::control_block<Counting>::destroy_merged(count); }
};

}  // namespace freehold
