#pragma once
// shared_memory::pool, and what the handles to its objects do with a block: private to shared_memory.hpp.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../../core/assert.hpp"
#include "../../core/exceptions.hpp"
#include "../../core/threading.hpp"
#include "relative_place.hpp"
#include "segment_blocks.hpp"

namespace freehold::inline v0_2 {

namespace detail {

using segment_block = basic_segment_block<process_threading>;

template <class T>
struct shared_object;
class shared_handle;

}  // namespace detail

namespace shared_memory {

// A segment of Boost.Interprocess (managed_shared_memory, managed_mapped_file, managed_external_buffer), or a class
// with these functions of it.
template <class Segment>
concept segment = requires(Segment& memory, std::size_t bytes) {
    { memory.get_address() } -> std::convertible_to<void*>;
    { memory.get_size() } -> std::convertible_to<std::size_t>;
    { memory.allocate_aligned(bytes, bytes) } -> std::convertible_to<void*>;
};

// The memory of objects. It lies in a segment, as a named object, for instance. Freed memory is used again for objects
// of about the same size.
class pool : private detail::segment_blocks<detail::process_threading> {
public:
    // Effects: takes `bytes` bytes, from the segment. They are touched as they are used.
    // Requires: *this is in the segment, less than 16 GiB away, and the segment does not grow as long as *this exists.
    // Throws: what memory.allocate_aligned throws.
    template <segment Segment>
    pool(Segment& memory, std::size_t bytes) : pool(memory, memory.allocate_aligned(bytes, detail::granule), bytes) {}

    // Requires: no handle to an object of the pool is used any more. The memory is not given back, since the pool can't
    // name its segment: call segment.deallocate(pool.memory()) before.
    ~pool() = default;

    // Returns: the memory that *this has taken, where this process maps it.
    [[nodiscard]] void* memory() noexcept { return reinterpret_cast<std::byte*>(this) + memory_; }

private:
    template <class>
    friend struct detail::shared_object;
    friend class detail::shared_handle;

    template <class Segment>
    pool(Segment& segment, void* memory, std::size_t bytes) noexcept
        : segment_blocks(memory, bytes),
          memory_(distance_to(memory)),
          segment_(distance_to(segment.get_address())),
          segment_bytes_(segment.get_size()) {
        FREEHOLD_EXPECTS(range().contains(this), "the pool is not in the segment that it takes memory from",
                         "freehold::shared_memory::pool");
    }

    [[nodiscard]] static pool& of(detail::segment_block* allocated) noexcept {
        return *static_cast<pool*>(owner_of(allocated));
    }

    [[nodiscard]] std::int64_t distance_to(const void* address) const noexcept {
        return static_cast<const std::byte*>(address) - reinterpret_cast<const std::byte*>(this);
    }

    [[nodiscard]] detail::memory_range range() const noexcept {
        return {reinterpret_cast<const std::byte*>(this) + segment_, segment_bytes_};
    }

    std::int64_t memory_;
    std::int64_t segment_;
    std::size_t segment_bytes_;
};

}  // namespace shared_memory

namespace detail {

// What handles to T do with a block. The type alone says how an object is destroyed: a function's address in the
// segment would be right in one process only.
template <class T>
struct shared_object {
    static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
                  "freehold: shared_memory has objects: no arrays (std::array is an object), functions or references");
    static_assert(!std::is_polymorphic_v<T>,
                  "freehold: an object with virtual functions can't be shared: it has an address of its process in it");
    static_assert(!std::is_pointer_v<T>, "freehold: a pointer can't be shared: it is an address of its process");
    static_assert(alignof(T) <= granule, "freehold: shared memory is aligned to 16 bytes");

    static constexpr std::size_t bytes = sizeof(segment_block) + sizeof(T);

    [[nodiscard]] static T* in(segment_block* block) noexcept { return static_cast<T*>(block->object()); }

    // Returns: a block with an object and its owner, the caller. Throws: std::bad_alloc, or what T's constructor
    // throws.
    template <class... Arguments>
    [[nodiscard]] static segment_block* make(shared_memory::pool& pool, Arguments&&... arguments) {
        segment_block* const block = pool.allocate(bytes);
        if (block == nullptr) raise<std::bad_alloc>();
        struct unless_constructed {
            ~unless_constructed() {
                if (block != nullptr) pool.deallocate(block, bytes);
            }
            shared_memory::pool& pool;
            segment_block* block;
        } freed{pool, block};
        ::new (block->object()) T(std::forward<Arguments>(arguments)...);
        std::construct_at(&block->count);
        return std::exchange(freed.block, nullptr);
    }

    // Effects: releases an owner; the last one destroys the object.
    static void release(segment_block* block) noexcept {
        auto outcome = release_outcome::expired_without_weak;
        switch (block->count.company_of_owner()) {
            case company::owners:
                outcome = release_outcome::owned;
                block->count.release([&]() noexcept { outcome = block->count.resolve_release(); });
                break;
            case company::weak_pointers: outcome = block->count.release_beside_weak(); break;
            case company::none: break;
        }
        switch (outcome) {
            case release_outcome::owned: return;
            case release_outcome::expired_without_weak: block->count.expire(); [[fallthrough]];
            case release_outcome::expired_with_weak: std::destroy_at(in(block)); return release_weak(block);
            case release_outcome::unused: return free(block);
        }
    }

    static void release_weak(segment_block* block) noexcept {
        if (block->count.release_weak()) free(block);
    }

private:
    static void free(segment_block* block) noexcept { shared_memory::pool::of(block).deallocate(block, bytes); }
};

// What shared_ptr and weak_ptr are beside their type. The words of handles that other processes may find change in such
// an order that a process that is killed leaves none that is not counted.
class shared_handle {
public:
    // Returns: the number of owners at some moment of the call, also of those that were killed; 0 if *this is empty.
    [[nodiscard]] long use_count() const noexcept {
        segment_block* const mine = block();
        return mine != nullptr ? mine->count.owners() : 0;
    }

    // As in freehold::shared_ptr. The order is one of this process.
    [[nodiscard]] bool owner_before(const shared_handle& other) const noexcept {
        return std::less<>()(block(), other.block());
    }
    [[nodiscard]] bool owner_equal(const shared_handle& other) const noexcept { return block() == other.block(); }

protected:
    constexpr shared_handle() noexcept = default;
    explicit shared_handle(segment_block* counted) noexcept { set(counted); }
    ~shared_handle() = default;

    [[nodiscard]] segment_block* block() const noexcept { return place_.get(); }

    // Effects: leaves *this empty. Returns: what it was.
    [[nodiscard]] segment_block* take() noexcept {
        segment_block* const taken = block();
        set(nullptr);
        return taken;
    }

    // Both are empty for a moment: otherwise both could be left with one owner.
    void swap(shared_handle& other) noexcept {
        segment_block* const mine = take();
        set(other.take());
        other.set(mine);
    }

    // Effects: as swap(); *this is never empty meanwhile. Requires: no other process can find `own`.
    void replace(shared_handle& own) noexcept {
        segment_block* const mine = block();
        set(own.block());
        own.set(mine);
    }

private:
    void set(segment_block* counted) noexcept {
        place_.set(counted, [counted] { return shared_memory::pool::of(counted).range(); });
    }

    relative_place<segment_block> place_;
};

}  // namespace detail

}  // namespace freehold
