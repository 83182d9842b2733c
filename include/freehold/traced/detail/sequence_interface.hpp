#pragma once
// The functions that traced_vector and traced_deque have in common, as a standard sequence has them.
//
// The Sequence has iterators: position(i) returns the one to the element before which there are `i`, number(iterator)
// is its reverse, and place(i) is the address of the element.

#include <compare>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "../../core/alignment.hpp"
#include "../../core/assert.hpp"
#include "../../core/config.hpp"
#include "../../core/exceptions.hpp"
#include "element_moves.hpp"
#include "traced_sequence.hpp"

namespace freehold::inline v0_2::detail {

template <class Sequence, class Buffer, class Iterator, class ConstIterator>
class sequence_interface {
    using T = typename Buffer::value_type;

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = Iterator;
    using const_iterator = ConstIterator;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    // The value may be an element, which is assigned to itself.
    void assign(std::size_t count, const T& value) {
        for (std::size_t i = 0; i != size() && i != count; ++i) *self().place(i) = value;
        resize(count, value);
    }

    // Requires: no iterator of this container.
    template <std::input_iterator Other>
    void assign(Other first, Other last) {
        clear();
        storage_.append(first, last);
    }

    void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

    // Requires: both are in objects of one heap.
    void swap(Sequence& other) noexcept { storage_.swap(other.storage_); }
    friend void swap(Sequence& a, Sequence& b) noexcept { a.swap(b); }

    [[nodiscard]] std::size_t size() const noexcept { return storage_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] static constexpr std::size_t max_size() noexcept { return traced_sequence<Buffer>::max_size(); }

    [[nodiscard]] iterator begin() noexcept { return self().position(0); }
    [[nodiscard]] iterator end() noexcept { return self().position(size()); }
    [[nodiscard]] const_iterator begin() const noexcept { return self().position(0); }
    [[nodiscard]] const_iterator end() const noexcept { return self().position(size()); }
    [[nodiscard]] const_iterator cbegin() const noexcept { return begin(); }
    [[nodiscard]] const_iterator cend() const noexcept { return end(); }
    [[nodiscard]] reverse_iterator rbegin() noexcept { return reverse_iterator(end()); }
    [[nodiscard]] reverse_iterator rend() noexcept { return reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator rbegin() const noexcept { return const_reverse_iterator(end()); }
    [[nodiscard]] const_reverse_iterator rend() const noexcept { return const_reverse_iterator(begin()); }
    [[nodiscard]] const_reverse_iterator crbegin() const noexcept { return rbegin(); }
    [[nodiscard]] const_reverse_iterator crend() const noexcept { return rend(); }

    // Requires: i < size().
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return *self().place(checked(i)); }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return *self().place(checked(i)); }

    // Throws: std::out_of_range if i >= size().
    [[nodiscard]] T& at(std::size_t i) {
        if (i >= size()) raise<std::out_of_range>("freehold: a container in a traced_heap is indexed beyond its end");
        return *self().place(i);
    }
    [[nodiscard]] const T& at(std::size_t i) const { return const_cast<sequence_interface*>(this)->at(i); }

    // Requires: !empty().
    [[nodiscard]] T& front() noexcept { return (*this)[0]; }
    [[nodiscard]] const T& front() const noexcept { return (*this)[0]; }
    [[nodiscard]] T& back() noexcept { return (*this)[size() - 1]; }
    [[nodiscard]] const T& back() const noexcept { return (*this)[size() - 1]; }

    // Effects: the capacity is the least that suffices.
    void shrink_to_fit() { storage_.shrink_to_fit(); }

    // Effects: removes all elements. The capacity stays.
    void clear() noexcept { storage_.truncate(0); }

    // Effects: appends T(arguments...). Returns: it.
    template <class... Arguments>
    FREEHOLD_ALWAYS_INLINE T& emplace_back(Arguments&&... arguments) {
        return storage_.emplace_back(std::forward<Arguments>(arguments)...);
    }

    // A handle is taken as it is: it needs no traced_ptr on the stack.
    template <std::convertible_to<T> Value = T>
    FREEHOLD_ALWAYS_INLINE void push_back(Value&& value) {
        static_cast<void>(storage_.emplace_back(std::forward<Value>(value)));
    }

    // Requires: !empty().
    void pop_back() noexcept { storage_.truncate(checked(size() - 1)); }

    // Effects: removes the elements beyond `count`, or appends T(value...) until there are `count`, all or none.
    void resize(std::size_t count) { storage_.resize(count); }
    void resize(std::size_t count, const T& value) { storage_.resize(count, value); }

    // Effects: inserts T(arguments...) before the position. Returns: its position. Requires: the position is one of
    // this container. Throws: as emplace_back; if a move throws, the elements have unspecified values.
    template <class... Arguments>
    iterator emplace(const_iterator position, Arguments&&... arguments) {
        const std::size_t wanted = number_of(position);
        static_cast<void>(emplace_back(std::forward<Arguments>(arguments)...));
        const std::size_t i = detail::smaller(wanted, size() - 1);
        detail::move_last_to(self(), i);
        return self().position(i);
    }

    template <std::convertible_to<T> Value = T>
    iterator insert(const_iterator position, Value&& value) {
        return emplace(position, std::forward<Value>(value));
    }

    iterator insert(const_iterator position, std::size_t count, const T& value) {
        const std::size_t i = number_of(position);
        const std::size_t before = size();
        resize(before + count, value);
        return rotate(i, before);
    }

    // Requires: as emplace; no iterators of this container.
    template <std::input_iterator Other>
    iterator insert(const_iterator position, Other first, Other last) {
        const std::size_t i = number_of(position);
        const std::size_t before = size();
        storage_.append(first, last);
        return rotate(i, before);
    }

    iterator insert(const_iterator position, std::initializer_list<T> values) {
        return insert(position, values.begin(), values.end());
    }

    // Effects: removes the element, or those of the range. Returns: the position after them.
    iterator erase(const_iterator position) { return erase(position, position + 1); }

    iterator erase(const_iterator first, const_iterator last) {
        const std::size_t i = number_of(first);
        const std::size_t end = number_of(last);
        if (i != end) {
            detail::move_elements_down(self(), end, i);
            storage_.truncate(size() - (end - i));
        }
        return self().position(i);
    }

    [[nodiscard]] friend bool operator==(const Sequence& a, const Sequence& b) { return detail::equal_elements(a, b); }

    [[nodiscard]] friend auto operator<=>(const Sequence& a, const Sequence& b)
        requires std::three_way_comparable<T>
    {
        return detail::compare_elements(a, b);
    }

protected:
    [[nodiscard]] std::size_t checked(std::size_t i) const noexcept {
        FREEHOLD_EXPECTS(i < size(), "a container is indexed beyond its end", Buffer::name);
        return i;
    }

    // Effects: assigns the elements of the other one. It grows first: what a collection runs may change the other one.
    void copy(const Sequence& other) {
        while (storage_.capacity() < other.size()) storage_.reserve(other.size(), other);
        assign(other.begin(), other.end());
    }

    traced_sequence<Buffer> storage_;

private:
    [[nodiscard]] Sequence& self() noexcept { return static_cast<Sequence&>(*this); }
    [[nodiscard]] const Sequence& self() const noexcept { return static_cast<const Sequence&>(*this); }

    [[nodiscard]] std::size_t number_of(const_iterator position) const noexcept {
        const std::size_t i = self().number(position);
        FREEHOLD_EXPECTS(i <= size(), "a position is not one of this container", Buffer::name);
        return i;
    }

    // Effects: the elements from `middle` on come before those from `first` on. Returns: the position of `first`.
    // A finalizer may have removed elements since the numbers were known.
    iterator rotate(std::size_t first, std::size_t middle) {
        middle = detail::smaller(middle, size());
        first = detail::smaller(first, middle);
        detail::rotate_elements(self(), first, middle);
        return self().position(first);
    }
};

}  // namespace freehold::detail
