#pragma once
// pointer_word: how an owning pointer is one word; specialized for each pointer that has an atomic form.
//
// clang-format off
//   threading              how what is shared with the pointer synchronizes (core/threading.hpp)
//   element_type           what the pointer points to
//   owns_object            whether the object is alive as long as the pointer exists
//   take(pointer, aliases) the word of a pointer, which has the reference from now on; with a record if it needs one
//   share(word)            a pointer with a reference of its own
//   release(word)          releases the word's reference
//   bytes(word)            how much memory the last release frees, as far as that is known
//   is(word, pointer)      whether both are the same pointer and share ownership
//   get(word)              the pointer alone
//   none                   the word of a null pointer without an owner
// clang-format on
//
// No word is 0 or 2: a slot with these protects nothing.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/threading.hpp"
#include "shared_word.hpp"

namespace freehold::inline v0_2::detail {

template <class Pointer>
struct pointer_word;

// What the words of handles that are a plain pointer have in common. The word of a null pointer is 1: 0 is a free slot
// (reader_record.hpp).
template <class Pointer>
struct object_word {
    using element_type = typename Pointer::element_type;
    using pointer = Pointer;
    using threading = process_threading;

    static constexpr bool owns_object = true;
    static constexpr std::uintptr_t none = 1;

    [[nodiscard]] static std::uintptr_t of(element_type* object) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(object);
        FREEHOLD_EXPECTS((address & none) == 0, "an object at an odd address has no atomic pointer",
                         "freehold::atomic_intrusive_ptr");
        return address != 0 ? address : none;
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static element_type* get(std::uintptr_t word) noexcept {
        return reinterpret_cast<element_type*>(word & ~none);
    }

    [[nodiscard]] static bool is(std::uintptr_t word, const pointer& other) noexcept {
        return get(word) == other.get();
    }
};

// What the words of shared_ptr and weak_ptr have in common.
template <class Pointer, class T, class Counting>
struct counted_word {
    using element_type = T;
    using pointer = Pointer;
    using word = shared_word<Counting>;
    using threading = typename word::threading;

    static constexpr std::uintptr_t none = word::none;

    [[nodiscard]] static std::uintptr_t take(pointer&& taken, basic_alias_records<threading>& aliases) noexcept {
        const volatile void* const object = access::pointer_of(taken);
        return word::of(object, access::release(taken), aliases);
    }

    [[nodiscard]] static bool is(std::uintptr_t w, const pointer& other) noexcept {
        return get(w) == access::pointer_of(other) && word::owner(w) == access::handle(other);
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static std::remove_extent_t<T>* get(std::uintptr_t w) noexcept {
        return reinterpret_cast<std::remove_extent_t<T>*>(word::object(w));
    }
};

template <class T, class Counting>
struct pointer_word<shared_ptr<T, Counting>> : counted_word<shared_ptr<T, Counting>, T, Counting> {
    using base = counted_word<shared_ptr<T, Counting>, T, Counting>;
    using word = typename base::word;

    static constexpr bool owns_object = true;

    [[nodiscard]] static shared_ptr<T, Counting> share(std::uintptr_t w) noexcept {
        block_handle<Counting> owner = word::owner(w);
        owner.acquire();
        return access::adopt<T, Counting>(base::get(w), owner);
    }

    static void release(std::uintptr_t w) noexcept {
        const block_handle<Counting> owner = word::owner(w);
        word::forget(w);
        owner.release();
    }

    [[nodiscard]] static std::size_t bytes(std::uintptr_t w) noexcept { return word::bytes(w); }
};

template <class T, class Counting>
struct pointer_word<weak_ptr<T, Counting>> : counted_word<weak_ptr<T, Counting>, T, Counting> {
    using base = counted_word<weak_ptr<T, Counting>, T, Counting>;
    using word = typename base::word;

    static constexpr bool owns_object = false;

    [[nodiscard]] static weak_ptr<T, Counting> share(std::uintptr_t w) noexcept {
        const block_handle<Counting> owner = word::owner(w);
        owner.acquire_weak();
        return access::adopt_weak<T, Counting>(base::get(w), owner);
    }

    static void release(std::uintptr_t w) noexcept {
        const block_handle<Counting> owner = word::owner(w);
        word::forget(w);
        owner.release_weak();
    }

    // Not known: the block of an expired object may have no table.
    [[nodiscard]] static std::size_t bytes(std::uintptr_t) noexcept { return 0; }
};

}  // namespace freehold::detail
