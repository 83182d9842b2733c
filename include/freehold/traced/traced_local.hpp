#pragma once
// traced_local<T>: a variable on the stack that keeps an object of a traced heap alive.
//
//     freehold::traced_local<node> first = heap.make<node>(1);
//     freehold::traced_local<node> second = heap.make<node>(2, first);     // a collection here leaves `first` alone
//
// Thread safety: that of its heap, which belongs to one thread. Exceptions: none.
// Complexity: constant, if traced_locals are destroyed in the reverse order of their construction, as variables are.
// One that is returned without elision is a few places out of order, and searches the list for its place. Cost: two
// words, in a list of the thread. Two stores to construct, and one to destroy. No allocation.

#include <cstddef>
#include <type_traits>

#include "detail/traced_handle.hpp"
#include "detail/traced_roots.hpp"

namespace freehold {

template <class T>
class traced_local : public detail::traced_handle<traced_local<T>, T> {
public:
    using element_type = T;

    // Postconditions: get() == nullptr.
    traced_local() noexcept : traced_local(nullptr) {}
    traced_local(std::nullptr_t) noexcept { begin(nullptr); }

    // Effects: keeps alive what the other handle points to.
    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    traced_local(const Handle& other) noexcept {
        begin(other.get());
    }

    traced_local(const traced_local& other) noexcept { begin(other.get()); }

    traced_local& operator=(const traced_local& other) noexcept {
        root_.object = other.root_.object;
        return *this;
    }

    template <class Handle>
        requires detail::traced_handle_to<Handle, T>
    traced_local& operator=(const Handle& other) noexcept {
        root_.object = static_cast<T*>(other.get());
        return *this;
    }

    traced_local& operator=(std::nullptr_t) noexcept {
        root_.object = nullptr;
        return *this;
    }

    ~traced_local() {
        if (detail::local_root::newest == &root_) [[likely]] {
            detail::local_root::newest = root_.older;
        } else {
            root_.unlink();
        }
    }

    // Only variables are destroyed in order.
    static void* operator new(std::size_t) = delete;
    static void* operator new[](std::size_t) = delete;

    // Members of other objects are not destroyed in order either.
    template <class Visitor>
    void trace(Visitor&) const {
        static_assert(
            !std::is_same_v<Visitor, Visitor>,
            "freehold: a traced_local is for variables; hold a traced_ptr in an object of a traced_heap, and a "
            "traced_root in any other");
    }

    // Returns: the object; a null pointer once the heap is destroyed.
    [[nodiscard]] T* get() const noexcept { return static_cast<T*>(const_cast<void*>(root_.object)); }

private:
    void begin(T* object) noexcept {
        root_ = {object, detail::local_root::newest};
        detail::local_root::newest = &root_;
    }

    detail::local_root root_;
};

}  // namespace freehold
