#pragma once
// traced_root_vector<T>: a growing array of roots: all that its elements point to is kept alive.
//
//     freehold::traced_root_vector<node> open(heap);
//     open.push_back(heap.make<node>(1));
//     for (auto& each : open) each->value += 1;
//
// It may be anywhere outside of the heap: a variable, a static object, a member. Its elements are traced_ptrs, next to
// each other in an array of the heap, of which the vector has the one root.
//
// When the heap is destroyed, the vector becomes empty.
//
// The heap is a traced_heap or a shared_traced_heap.
//
// Thread safety: that of a traced_root in the heap. Exceptions: what allocates throws
// std::bad_alloc, with the strong guarantee. Complexity: as of std::vector. Cost: a word for each element and as much
// again for growth, and five words for the vector. A young collection looks at the elements that were stored into since
// the last collection.

#include <concepts>
#include <cstddef>
#include <utility>

#include "../core/alignment.hpp"
#include "../core/assert.hpp"
#include "../core/type_name.hpp"
#include "detail/heap_interface.hpp"
#include "detail/object_maker.hpp"
#include "detail/traced_collector.hpp"
#include "traced_array.hpp"
#include "traced_local.hpp"
#include "traced_ptr.hpp"
#include "traced_root.hpp"
#include "traced_view.hpp"

namespace freehold::inline v0_2 {

template <class T>
class traced_root_vector {
public:
    using value_type = traced_ptr<T>;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = value_type&;
    using const_reference = const value_type&;
    using iterator = value_type*;
    using const_iterator = const value_type*;

    // Requires: the heap outlives the last call that allocates.
    template <class Heap>
        requires std::derived_from<Heap, detail::heap_interface<Heap>>
    explicit traced_root_vector(Heap& heap) noexcept : heap_(&heap.collector()) {}

    traced_root_vector(const traced_root_vector& other) : heap_(other.heap_) { append(other); }

    traced_root_vector(traced_root_vector&& other) noexcept : heap_(other.heap_) { swap(other); }

    traced_root_vector& operator=(traced_root_vector other) noexcept {
        swap(other);
        return *this;
    }

    void swap(traced_root_vector& other) noexcept {
        std::swap(heap_, other.heap_);
        std::swap(elements_, other.elements_);
        std::swap(size_, other.size_);
    }

    [[nodiscard]] std::size_t size() const noexcept { return elements_ ? size_ : 0; }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] std::size_t capacity() const noexcept { return elements_ ? elements_->size() : 0; }

    [[nodiscard]] iterator begin() noexcept { return elements_ ? elements_->data() : nullptr; }
    [[nodiscard]] iterator end() noexcept { return begin() + size(); }
    [[nodiscard]] const_iterator begin() const noexcept { return elements_ ? elements_->data() : nullptr; }
    [[nodiscard]] const_iterator end() const noexcept { return begin() + size(); }

    // Requires: i < size().
    [[nodiscard]] reference operator[](std::size_t i) noexcept { return begin()[checked(i)]; }
    [[nodiscard]] const_reference operator[](std::size_t i) const noexcept { return begin()[checked(i)]; }

    // Requires: !empty().
    [[nodiscard]] reference front() noexcept { return (*this)[0]; }
    [[nodiscard]] const_reference front() const noexcept { return (*this)[0]; }
    [[nodiscard]] reference back() noexcept { return (*this)[size() - 1]; }
    [[nodiscard]] const_reference back() const noexcept { return (*this)[size() - 1]; }

    // Effects: reserves capacity for `count` elements; may collect. References to elements become invalid.
    void reserve(std::size_t count) {
        if (count > capacity()) grow(count);
    }

    // Effects: appends an element, and keeps alive what it points to. May collect, when the capacity is used up; then
    // references to elements become invalid. Requires: null, or an object of the heap.
    void push_back(traced_view<T> added) {
        if (size() == capacity()) [[unlikely]] {
            const traced_local<T> kept = added;
            grow(detail::larger(std::size_t{8}, 2 * size()));
        }
        elements_->data()[size_++] = added;
    }

    // Effects: appends a new T(arguments...). Returns: it.
    template <class... Arguments>
    T& emplace_back(Arguments&&... arguments) {
        const traced_local<T> made = traced_view<T>(
            detail::object_maker::make<T, true>(heap_->checked_mutator(), std::forward<Arguments>(arguments)...));
        push_back(made);
        return *made;
    }

    // Requires: !empty().
    void pop_back() noexcept {
        back() = nullptr;
        --size_;
    }

    // Effects: removes the element before which there are `i`. Requires: i < size().
    void erase(std::size_t i) noexcept {
        for (iterator each = begin() + checked(i); each + 1 != end(); ++each) *each = each[1];
        pop_back();
    }

    // Effects: truncates to `count` elements, or appends null pointers.
    void resize(std::size_t count) {
        reserve(count);
        for (std::size_t i = count; i < size(); ++i) begin()[i] = nullptr;
        size_ = count;
    }

    // Effects: removes all elements, and gives back their memory.
    void clear() noexcept {
        elements_ = nullptr;
        size_ = 0;
    }

private:
    void grow(std::size_t capacity) {
        const traced_local<traced_array<traced_ptr<T>>> larger =
            traced_view(detail::object_maker::make_array<traced_ptr<T>>(heap_->checked_mutator(), capacity));
        const std::size_t count = size();
        for (std::size_t i = 0; i < count; ++i) (*larger)[i] = begin()[i];
        elements_ = larger;
        size_ = count;
    }

    void append(const traced_root_vector& other) {
        reserve(other.size());
        for (const value_type& each : other) push_back(each);
    }

    [[nodiscard]] std::size_t checked(std::size_t i) const noexcept {
        FREEHOLD_EXPECTS(i < size(), "a vector is indexed beyond its end", detail::type_name<traced_root_vector>);
        return i;
    }

    detail::traced_collector* heap_;
    traced_root<traced_array<traced_ptr<T>>> elements_;
    std::size_t size_ = 0;  // if there are elements_
};

// A root leads nowhere: collections start from it.
template <class T>
inline constexpr bool is_untraced<traced_root_vector<T>> = true;

}  // namespace freehold
