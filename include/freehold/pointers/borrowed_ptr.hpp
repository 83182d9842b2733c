#pragma once
// borrowed_ptr<T>: a non-owning pointer to an object that has an owner elsewhere.
//
//     int length(freehold::borrowed_ptr<const node> list);     // takes whatever owner the caller has
//
// It is to an owning pointer what std::string_view is to a string: a parameter that says "I only look", for any kind of
// owner, and costs nothing to pass. It converts from every pointer that owns one object or the first of an array, and
// turns back into an owner where one is to be stored.
//
// It must not outlive the owners of the object. clang warns if the owner is a temporary that is destroyed earlier.
// Without NDEBUG, a use of a borrowed_ptr whose object is destroyed fails a precondition (core/assert.hpp), if it was
// made from a shared_ptr, of any counting, or a thin_ptr. For this it counts as a weak_ptr and is three words long, and
// make_mutable, try_unwrap and reuse treat a borrowed object as one with a weak pointer.
//
// Thread safety: that of a raw pointer; without NDEBUG that of a weak_ptr to the same object.
// Exceptions: none. Complexity: constant. Cost with NDEBUG: one word, trivially copied; that of a raw pointer.

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/handle.hpp"
#include "../core/type_name.hpp"
#include "detail/access.hpp"
#include "intrusive_ptr.hpp"
#include "shared_ptr.hpp"
#include "thin_ptr.hpp"

namespace freehold::inline v0_2 {

namespace detail {

// Knows whether the object of a borrowed_ptr is alive, in builds without NDEBUG.

#ifdef NDEBUG

class borrow_watch {
public:
    constexpr borrow_watch() noexcept = default;
    constexpr explicit borrow_watch(const auto&) noexcept {}
};

#else

// Counts as a weak_ptr in the control block of the object, if the owner has one. A count inside the object can't be
// read after its destruction.
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
        if (block_ != nullptr) kind_->acquire_weak(block_);
    }

    borrow_watch& operator=(borrow_watch other) noexcept {
        std::swap(block_, other.block_);
        std::swap(kind_, other.kind_);
        return *this;
    }

    ~borrow_watch() {
        if (block_ != nullptr) kind_->release_weak(block_);
    }

    // Returns: false if the object is known to be destroyed.
    [[nodiscard]] bool is_alive() const noexcept { return block_ == nullptr || kind_->is_alive(block_); }

    // Returns: false if the object is known to be counted elsewhere than in `block`, or not in one of a Counting.
    template <class Counting>
    [[nodiscard]] bool is_counted_in(const control_block<Counting>* block) const noexcept {
        return block_ == nullptr || (block_ == block && std::strcmp(kind_->counting, type_name<Counting>) == 0);
    }

private:
    // By way of counting.
    struct weak_record {
        void (*acquire_weak)(void*) noexcept;
        void (*release_weak)(void*) noexcept;
        bool (*is_alive)(void*) noexcept;
        const char* counting;  // a name: a library may have another copy of this table, and of a type_info
    };

    template <class Counting>
    static control_block<Counting>* as(void* block) noexcept {
        return static_cast<control_block<Counting>*>(block);
    }

    template <class Counting>
    static constexpr weak_record kind{
        [](void* block) noexcept { as<Counting>(block)->acquire_weak(); },
        [](void* block) noexcept { as<Counting>(block)->release_weak(); },
        [](void* block) noexcept { return as<Counting>(block)->owners() > 0; },
        type_name<Counting>,
    };

    template <class Counting>
    explicit borrow_watch(control_block<Counting>* block) noexcept : block_(block), kind_(&kind<Counting>) {
        if (block != nullptr) block->acquire_weak();
    }

    void* block_ = nullptr;
    const weak_record* kind_ = nullptr;
};

#endif

// Makes an Owner of a borrowed object.
template <class Owner>
struct owner_of_borrowed;

}  // namespace detail

template <class T>
class borrowed_ptr {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "freehold: borrowed_ptr points to a single object");

public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr borrowed_ptr() noexcept = default;
    constexpr borrowed_ptr(std::nullptr_t) noexcept {}

    // Effects: borrows an object whose owner is unknown.
    template <class U>
        requires std::convertible_to<U*, T*>
    constexpr explicit borrowed_ptr(U* object) noexcept : pointer_(object) {}

    // Effects: borrows what `owner` points to: any smart pointer, also the standard's and Boost's.
    template <class Owner>
        requires requires(const Owner& owner) {
            typename Owner::element_type;
            { owner.get() } -> std::convertible_to<T*>;
        }
    constexpr borrowed_ptr(const Owner& owner FREEHOLD_LIFETIME_BOUND) noexcept
        : pointer_(owner.get()), watch_(owner) {}

    template <class U>
        requires std::convertible_to<U*, T*>
    constexpr borrowed_ptr(const borrowed_ptr<U>& other) noexcept : pointer_(other.pointer_), watch_(other.watch_) {}

    [[nodiscard]] constexpr T* get() const noexcept { return pointer_; }

    // Requires: get() != nullptr, and the object is alive.
    [[nodiscard]] constexpr T& operator*() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<borrowed_ptr<T>>);
        FREEHOLD_EXPECTS(watch_.is_alive(), "the borrowed object has been destroyed",
                         detail::type_name<borrowed_ptr<T>>);
        return *pointer_;
    }

    [[nodiscard]] constexpr T* operator->() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced", detail::type_name<borrowed_ptr<T>>);
        FREEHOLD_EXPECTS(watch_.is_alive(), "the borrowed object has been destroyed",
                         detail::type_name<borrowed_ptr<T>>);
        return pointer_;
    }

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return pointer_ != nullptr; }

    // Returns: another owner of the object, or an empty one if get() == nullptr.
    // Requires: the object is alive, and its address is enough to make an Owner:
    //   an intrusive_ptr          any object that is owned by intrusive_ptrs
    //   a thin_ptr, a shared_ptr  an object that make_thin or make_shared made as a T, and that is an Owner's
    //   a shared_ptr              any object that shared_ptrs own, where T has enable_shared_from_this
    // Cost: one increase of the count.
    template <class Owner>
    [[nodiscard]] Owner share() const {
        if (pointer_ == nullptr) return Owner();
        FREEHOLD_EXPECTS(watch_.is_alive(), "the borrowed object has been destroyed",
                         detail::type_name<borrowed_ptr<T>>);
        return detail::owner_of_borrowed<Owner>::share(pointer_, watch_);
    }

    // Comparisons are those of the pointers, also with an owner, which converts.

    [[nodiscard]] friend constexpr bool operator==(borrowed_ptr a, borrowed_ptr b) noexcept {
        return a.pointer_ == b.pointer_;
    }

    [[nodiscard]] friend std::strong_ordering operator<=>(borrowed_ptr a, borrowed_ptr b) noexcept {
        return detail::compare_pointers(a.pointer_, b.pointer_);
    }

private:
    template <class U>
    friend class borrowed_ptr;

    T* pointer_ = nullptr;
    [[no_unique_address]] detail::borrow_watch watch_;
};

template <class T>
borrowed_ptr(T*) -> borrowed_ptr<T>;

template <class Owner>
borrowed_ptr(const Owner&) -> borrowed_ptr<typename Owner::element_type>;

namespace detail {

template <class T>
struct owner_of_borrowed<intrusive_ptr<T>> {
    static intrusive_ptr<T> share(T* object, const borrow_watch&) { return intrusive_ptr<T>(object); }
};

template <class T, class Counting>
struct owner_of_borrowed<thin_ptr<T, Counting>> {
    static thin_ptr<T, Counting> share(T* object, [[maybe_unused]] const borrow_watch& watch) noexcept {
        FREEHOLD_EXPECTS(
            watch.template is_counted_in<Counting>(access::block_of<thin_ptr<T, Counting>>(object)),
            "a thin_ptr is to share an object that make_thin or make_shared has not made as exactly this type",
            detail::type_name<borrowed_ptr<T>>);
        return access::share<thin_ptr<T, Counting>>(object);
    }
};

template <class T, class Counting>
struct owner_of_borrowed<shared_ptr<T, Counting>> {
    template <class U>
        requires std::convertible_to<U*, T*>
    static shared_ptr<T, Counting> share(U* object, [[maybe_unused]] const borrow_watch& watch) {
        if constexpr (requires { shared_ptr<T, Counting>(object->shared_from_this()); }) {
            return object->shared_from_this();
        } else {
            return owner_of_borrowed<thin_ptr<U, Counting>>::share(object, watch);
        }
    }
};

}  // namespace detail

}  // namespace freehold

// Returns: the hash of the stored pointer.
template <class T>
struct std::hash<freehold::borrowed_ptr<T>> {
    [[nodiscard]] std::size_t operator()(const freehold::borrowed_ptr<T>& pointer) const noexcept {
        return std::hash<T*>()(pointer.get());
    }
};
