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

#include "shared_word.hpp"

namespace freehold::detail {

template <class Pointer>
struct pointer_word;

template <class T, class Counting>
struct pointer_word<shared_ptr<T, Counting>> {
    using element_type = T;
    using pointer = shared_ptr<T, Counting>;
    using word = shared_word<Counting>;
    using threading = typename word::threading;

    static constexpr bool owns_object = true;
    static constexpr std::uintptr_t none = word::none;

    [[nodiscard]] static std::uintptr_t take(pointer&& taken, basic_alias_records<threading>& aliases) noexcept {
        const volatile void* const object = taken.get();
        return word::of(object, access::release(taken), aliases);
    }

    [[nodiscard]] static pointer share(std::uintptr_t w) noexcept {
        block_handle<Counting> owner = word::owner(w);
        owner.acquire();
        return access::adopt<T, Counting>(get(w), owner);
    }

    static void release(std::uintptr_t w) noexcept {
        const block_handle<Counting> owner = word::owner(w);
        word::forget(w);
        owner.release();
    }

    [[nodiscard]] static std::size_t bytes(std::uintptr_t w) noexcept { return word::bytes(w); }

    [[nodiscard]] static bool is(std::uintptr_t w, const pointer& other) noexcept {
        return get(w) == other.get() && word::owner(w) == access::handle(other);
    }

    [[nodiscard, gnu::always_inline]] static std::remove_extent_t<T>* get(std::uintptr_t w) noexcept {
        return reinterpret_cast<std::remove_extent_t<T>*>(word::object(w));
    }
};

template <class T, class Counting>
struct pointer_word<weak_ptr<T, Counting>> {
    using element_type = T;
    using pointer = weak_ptr<T, Counting>;
    using word = shared_word<Counting>;
    using threading = typename word::threading;

    static constexpr bool owns_object = false;
    static constexpr std::uintptr_t none = word::none;

    [[nodiscard]] static std::uintptr_t take(pointer&& taken, basic_alias_records<threading>& aliases) noexcept {
        const volatile void* const object = access::pointer_of(taken);
        return word::of(object, access::release(taken), aliases);
    }

    [[nodiscard]] static pointer share(std::uintptr_t w) noexcept {
        const block_handle<Counting> owner = word::owner(w);
        owner.acquire_weak();
        return access::adopt_weak<T, Counting>(get(w), owner);
    }

    static void release(std::uintptr_t w) noexcept {
        const block_handle<Counting> owner = word::owner(w);
        word::forget(w);
        owner.release_weak();
    }

    // Not known: the block of an expired object may have no table.
    [[nodiscard]] static std::size_t bytes(std::uintptr_t) noexcept { return 0; }

    [[nodiscard]] static bool is(std::uintptr_t w, const pointer& other) noexcept {
        return get(w) == access::pointer_of(other) && word::owner(w) == access::handle(other);
    }

    [[nodiscard]] static std::remove_extent_t<T>* get(std::uintptr_t w) noexcept {
        return reinterpret_cast<std::remove_extent_t<T>*>(word::object(w));
    }
};

}  // namespace freehold::detail
