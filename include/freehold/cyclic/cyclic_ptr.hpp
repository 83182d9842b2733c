#pragma once
// cyclic_ptr<T>: shared ownership in one word, for objects that may own each other in cycles.
//
// It counts: an object in no cycle is destroyed with its last owner, as with a shared_ptr. An object that is released
// and still has owners becomes a candidate. At times make_cyclic looks for candidates that only own each other, and
// destroys them; cycle_collector says when, and does so on demand. trace() finds the pointers in an object, mostly
// without its help. A pointer that trace() misses counts as an owner from outside: its object may leak, but is never
// destroyed too early.
//
// It owns only objects of make_cyclic. The header lies right before the object, so a cyclic_ptr<Derived> converts to
// a cyclic_ptr<Base> only where Base has a virtual destructor and lies at the beginning of Derived, which is not
// abstract. An object whose count would overflow becomes immortal.
//
// A source file that copies or releases a cyclic_ptr<T> defines T, before or after. Members and parameters need only a
// declaration of T.
//
// An object is destroyed in this order, alone or in a cycle:
//   1. cyclic_weak_ptrs to it expire;
//   2. if it has a member function finalize(), that is called once in its life, while the object and all that it owns
//      are whole; if it has an owner afterwards, it stays;
//   3. its destructor runs. In a cycle, its pointers to other garbage are null by then.
// Destructors and finalize() may make, copy and release cyclic_ptrs, and call cycle_collector::collect(), which the
// next make_cyclic then does. They must not throw. Destructors nest in at most 8 KiB of the stack; the outermost
// release destroys the deeper objects.
//
// Thread safety: an object and all pointers to it are used by the thread that made it; without NDEBUG this is checked.
// A thread that exits collects its cycles. Objects that are owned then stay; later owners, such as static ones, may
// release them. Exceptions: only make_cyclic throws. Complexity: constant, apart from the object's destruction and
// collections. Cost: one word; 8 bytes before each object. A copy is one instruction on memory; a release too. A
// release that makes a candidate stores its address, and the first time asks owned_bytes. Where may_be_in_cycle<T> is
// false there are no candidates.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "../core/assert.hpp"
#include "../core/config.hpp"
#include "../core/first_base.hpp"
#include "../core/handle.hpp"
#include "../core/type_name.hpp"
#include "../tracing/trace.hpp"
#include "detail/cyclic_header.hpp"
#include "detail/cyclic_object.hpp"
#include "detail/graph_walk.hpp"
#include "detail/thread_domain.hpp"
#include "may_be_in_cycle.hpp"

namespace freehold::inline v0_2 {

namespace detail {
struct cyclic_cast;
}

// Domain: thread_domain, for the objects of one thread; or heap_domain, for those of a cyclic_heap, see
// concurrent_cyclic_ptr.
template <class T, class Domain>
class FREEHOLD_TRIVIAL_ABI cyclic_ptr {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "freehold: cyclic_ptr owns a single object");

public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    constexpr cyclic_ptr() noexcept { watch(1); }
    constexpr cyclic_ptr(std::nullptr_t) noexcept : cyclic_ptr() {}

    // The functions that count are always inline, here and in the domain. In a large program g++ called them, and
    // n-queens by value executed two fifths more instructions.

    // Effects: shares ownership with `other`.
    FREEHOLD_ALWAYS_INLINE cyclic_ptr(const cyclic_ptr& other) noexcept : cyclic_ptr(acquired(other.pointer_)) {}

    template <class U>
        requires detail::owned_as<U, T>
    cyclic_ptr(const cyclic_ptr<U, Domain>& other) noexcept
        : cyclic_ptr(cyclic_ptr<U, Domain>::acquired(other.pointer_)) {}

    // Effects: takes over ownership from `other` and leaves it empty.
    cyclic_ptr(cyclic_ptr&& other) noexcept : cyclic_ptr(other.given_up()) {}

    template <class U>
        requires detail::owned_as<U, T>
    cyclic_ptr(cyclic_ptr<U, Domain>&& other) noexcept : cyclic_ptr(other.given_up()) {}

    // Effects: releases ownership; the last owner destroys the object.
    FREEHOLD_ALWAYS_INLINE ~cyclic_ptr() {
        watch(-1);
        if (pointer_ != nullptr) release(pointer_);
    }

    // Assignment releases the old object last, when *this has its new value.

    cyclic_ptr& operator=(const cyclic_ptr& other) noexcept {
        cyclic_ptr(other).swap(*this);
        return *this;
    }

    cyclic_ptr& operator=(cyclic_ptr&& other) noexcept {
        cyclic_ptr(std::move(other)).swap(*this);
        return *this;
    }

    // Effects: releases ownership. Postconditions: get() == nullptr.
    void reset() noexcept { cyclic_ptr().swap(*this); }

    // Effects: exchanges the contents of *this and `other`.
    void swap(cyclic_ptr& other) noexcept {
        expect_access();
        other.expect_access();
        std::swap(pointer_, other.pointer_);
    }

    [[nodiscard]] T* get() const noexcept { return pointer_; }

    // Requires: get() != nullptr.
    [[nodiscard]] T& operator*() const noexcept { return *operator->(); }

    [[nodiscard]] T* operator->() const noexcept {
        FREEHOLD_EXPECTS(pointer_ != nullptr, "a null pointer is dereferenced",
                         detail::pointer_name<Domain::pointer_prefix, "cyclic_ptr", T>);
        Domain::expect_access(pointer_);
        return pointer_;
    }

    // Returns: the number of owners, those in other objects included.
    [[nodiscard]] long use_count() const noexcept {
        return pointer_ != nullptr ? Domain::owners(header_of(pointer_)) : 0;
    }

    [[nodiscard]] explicit operator bool() const noexcept { return pointer_ != nullptr; }

private:
    template <class U, class D>
    friend class cyclic_ptr;
    template <class U, class D>
    friend class cyclic_weak_ptr;
    template <class D>
    friend class detail::edge_visitor;
    friend struct detail::cyclic_cast;
    template <class Threading>
    friend class basic_cyclic_heap;
    template <class U, class... Arguments>
    friend cyclic_ptr<U> make_cyclic(Arguments&&... arguments);

    // A template, as a literal 0 is a std::nullptr_t.
    template <class U>
        requires std::convertible_to<U*, T*>
    explicit cyclic_ptr(U* owned) noexcept : pointer_(owned) {
        watch(1);
    }

    static detail::cyclic_header& header_of(T* object) noexcept {
        detail::cyclic_header& header = detail::cyclic_header::of(object);
        Domain::expect_use_of(header);
        return header;
    }

    void expect_access() const noexcept {
        if (pointer_ != nullptr) Domain::expect_access(pointer_);
    }

    [[nodiscard]] T* given_up() noexcept {
        expect_access();
        return std::exchange(pointer_, nullptr);
    }

    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static T* acquired(T* object) noexcept {
        if (object != nullptr) Domain::acquire(header_of(object));
        return object;
    }

    static constexpr bool may_become_candidate() noexcept {
        if constexpr (detail::is_owned_exactly<T>) return may_be_in_cycle<std::remove_cv_t<T>>;
        return true;
    }

    FREEHOLD_ALWAYS_INLINE static void release(T* object) noexcept {
        constexpr bool is_complete = requires { sizeof(T); };
        static_assert(is_complete, "freehold: T must be complete where a cyclic_ptr<T> is copied or released");
        if constexpr (is_complete) {
            if constexpr (detail::is_owned_exactly<T>) static_cast<void>(sizeof(detail::clear<std::remove_cv_t<T>>));
            detail::cyclic_header& header = header_of(object);
            if (!Domain::template release<may_become_candidate(), T>(header)) dispose(header);
        }
    }

    // Kept out of line, so that a release is small where it is inlined.
    FREEHOLD_NOINLINE static void dispose(detail::cyclic_header& header) noexcept {
        if (!Domain::is_unowned(header)) return;
        if constexpr (detail::is_owned_exactly<T>) {
            detail::cyclic_object<std::remove_cv_t<T>, Domain>::dispose(header);
        } else {
            detail::cyclic_block::of(header).type->dispose(header);
        }
    }

    // Returns: the first owner of a new T(arguments...).
    template <class... Arguments>
    [[nodiscard]] FREEHOLD_ALWAYS_INLINE static cyclic_ptr make(Arguments&&... arguments) {
        using object = std::remove_cv_t<T>;
        using made = detail::cyclic_object<object, Domain>;
        constexpr bool makes = std::is_constructible_v<object, Arguments...>;
        static_assert(makes, "freehold: T has no public constructor that takes these arguments");
        static_cast<void>(sizeof(detail::clear<object>));
        if constexpr (makes) {
            return cyclic_ptr(static_cast<T*>(made::make(std::forward<Arguments>(arguments)...)->object()));
        } else {
            return {};
        }
    }

    // Effects: none with NDEBUG; see detail::member_watch.
    constexpr void watch(int difference) const noexcept {
        if (!std::is_constant_evaluated()) detail::member_watch::count(this, difference);
    }

    T* pointer_ = nullptr;
};

template <class T, class Domain>
inline constexpr bool is_traced_pointer<cyclic_ptr<T, Domain>> = true;

// Returns: the first owner of a new T(arguments...).
// Effects: may collect garbage first; see cycle_collector.
// Requires: no container of a cyclic object is destroying elements, so an element's destructor makes no cyclic objects.
// Its constructors may: what they own counts as owned from outside until the container shows it.
// Throws: std::bad_alloc, or what the constructor throws; then nothing is left behind.
template <class T, class... Arguments>
[[nodiscard]] FREEHOLD_ALWAYS_INLINE inline cyclic_ptr<T> make_cyclic(Arguments&&... arguments) {
    return cyclic_ptr<T>::make(std::forward<Arguments>(arguments)...);
}

// Comparisons, swap, << and the hash are those of the stored pointers.
template <>
inline constexpr bool detail::is_handle<cyclic_ptr> = true;

template <class Domain>
template <class T>
void detail::edge_visitor<Domain>::operator()(const cyclic_ptr<T, Domain>& pointer) noexcept {
    if (pointer.pointer_ == nullptr) return;
    // The protocol passes pointers as const. This one is made null just before it is destroyed.
    if (walk_.on_edge(cyclic_header::of(pointer.pointer_)))
        const_cast<cyclic_ptr<T, Domain>&>(pointer).pointer_ = nullptr;
}

}  // namespace freehold
